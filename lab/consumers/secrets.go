package consumers

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// root is the secret that releases share among all components.
const root = "kube-system/vsphere-creds"

// The marks of cloud-credential-operator (openshift/cloud-credential-operator@b187feee66f4).
const (
	requestMark = "cloudcredential.openshift.io/credentials-request"
	modeMark    = "cloudcredential.openshift.io/mode"
)

// secret is one of the cluster, by namespace/name.
type secret struct {
	annotations map[string]string
	data        map[string]string
}

// account is what a secret holds for a vCenter.
type account struct{ user, password string }

func (s secret) account(server string) (account, bool) {
	user, hasUser := s.data[server+".username"]
	password, hasPassword := s.data[server+".password"]
	return account{user, password}, hasUser && hasPassword
}

// manifest is what of a document counts here.
type manifest struct {
	Kind     string
	Metadata struct {
		Namespace, Name string
		Annotations     map[string]string
	}
	Data       map[string]string
	StringData map[string]string `yaml:"stringData"`
	Items      []manifest
}

// parse reads a stream of documents. Other kinds than secrets, and lists of them, are ignored.
func parse(text string) (map[string]secret, error) {
	all := map[string]secret{}
	for d := yaml.NewDecoder(strings.NewReader(text)); ; {
		var m manifest
		switch err := d.Decode(&m); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		for _, m := range append(m.Items, m) {
			if m.Kind != "Secret" {
				continue
			}
			s := secret{annotations: m.Metadata.Annotations, data: map[string]string{}}
			for k, v := range m.Data {
				plain, err := base64.StdEncoding.DecodeString(v)
				if err != nil {
					return nil, fmt.Errorf("%s: %s: %w", m.Metadata.Name, k, err)
				}
				s.data[k] = string(plain)
			}
			maps.Copy(s.data, m.StringData)
			all[m.Metadata.Namespace+"/"+m.Metadata.Name] = s
		}
	}
}

// copying is what cloud-credential-operator does for a CredentialsRequest: openshift/enhancements#1931 for the secrets of
// components in kube-system, the releases for the root secret.
type copying struct{ request, dedicated, target string }

func copyings() []copying {
	return []copying{
		{"openshift-machine-api-vsphere", "vsphere-creds-machine-api", machineSecret},
		{"openshift-vmware-vsphere-csi-driver-operator", "vsphere-creds-csi-driver", csiSecret},
		{"openshift-vsphere-cloud-controller-manager", "vsphere-creds-cloud-controller", controllerSecret},
		{"openshift-vsphere-problem-detector", "vsphere-creds-diagnostics", detectorSecret},
	}
}

// copyToTargets fills the secrets that the components read from those of kube-system: the one with the mark of the
// request, the one of its name, the root secret where that has the operator's mark.
func (c *Cluster) copyToTargets() {
	for _, k := range copyings() {
		from, there := c.secrets["kube-system/"+k.dedicated]
		for _, name := range slices.Sorted(maps.Keys(c.secrets)) {
			s := c.secrets[name]
			if strings.HasPrefix(name, "kube-system/") && s.annotations[requestMark] == "openshift-cloud-credential-operator/"+k.request {
				from, there = s, true
				break
			}
		}
		if !there {
			from, there = c.secrets[root]
			there = there && from.annotations[modeMark] == "passthrough"
		}
		if there {
			c.secrets[k.target] = secret{data: maps.Clone(from.data)}
		}
	}
}

// Dump is what `oc get secrets -A -o json` prints of the secrets of vCenter.
func (c *Cluster) Dump() (string, error) {
	c.acting.Lock()
	defer c.acting.Unlock()
	type metadata struct {
		Namespace   string            `json:"namespace"`
		Name        string            `json:"name"`
		Annotations map[string]string `json:"annotations,omitempty"`
	}
	type object struct {
		APIVersion string            `json:"apiVersion"`
		Kind       string            `json:"kind"`
		Metadata   metadata          `json:"metadata"`
		Data       map[string][]byte `json:"data"`
	}
	items := []object{}
	for _, at := range slices.Sorted(maps.Keys(c.secrets)) {
		namespace, name, _ := strings.Cut(at, "/")
		o := object{APIVersion: "v1", Kind: "Secret", Metadata: metadata{namespace, name, c.secrets[at].annotations}, Data: map[string][]byte{}}
		for k, v := range c.secrets[at].data {
			o.Data[k] = []byte(v)
		}
		items = append(items, o)
	}
	text, err := json.MarshalIndent(map[string]any{"apiVersion": "v1", "kind": "List", "items": items}, "", "  ")
	return string(text), err
}
