package vcsimtests

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// The ways in which a cluster gets at its accounts. Each is a profile of the tool, but what follows from it is written down
// here a second time, by the sources and not by the tool.
const (
	proposal = "kube-system"      // openshift/enhancements#1931: the operator copies a secret per component, or else the root secret
	scoped   = "component-scoped" // openshift/enhancements#2106: the installer's secrets are the components' own; nobody copies
	byHand   = "manual"           // Manual mode: the administrator writes the components' own; nobody copies
	shared   = "passthrough"      // releases: the operator copies the root secret to everybody
)

const rootOfAll = "kube-system/vsphere-creds"

// consumer is a component that logs in to every vCenter with what a secret holds under <server>.username and .password.
type consumer struct {
	name, secret string
	copied       string // in kube-system, what the proposal's operator copies to secret; "" = nothing is copied
}

func consumersOf(w world) []consumer {
	all := []consumer{
		{"machine-api", "openshift-machine-api/vsphere-cloud-credentials", "vsphere-creds-machine-api"},
		{"csi-driver", "openshift-cluster-csi-drivers/vmware-vsphere-cloud-credentials", "vsphere-creds-csi-driver"},
		{"cloud-controller", "openshift-cloud-controller-manager/vsphere-cloud-credentials", "vsphere-creds-cloud-controller"},
		{"diagnostics", "openshift-cluster-storage-operator/vsphere-cloud-credentials", "vsphere-creds-diagnostics"},
	}
	if w.Fewer {
		all = all[:3]
	}
	if w.Root {
		all = append(all, consumer{name: "machine-config", secret: rootOfAll})
	}
	return all
}

// clusterSecret is a secret as an API server keeps it: what the last apply said is known, so that the next one takes away
// what it no longer says and leaves what others put there.
type clusterSecret struct {
	Metadata struct {
		Namespace   string            `json:"namespace"`
		Name        string            `json:"name"`
		Labels      map[string]string `json:"labels,omitempty"`
		Annotations map[string]string `json:"annotations,omitempty"`
	} `json:"metadata"`
	Kind       string            `json:"kind"`
	Data       map[string]string `json:"data,omitempty"`
	StringData map[string]string `json:"-" yaml:"stringData"`

	applied []string // keys that the last apply gave
}

// lifeCluster is what a walk knows as the running cluster.
type lifeCluster struct {
	world   world
	secrets map[string]*clusterSecret // by namespace/name; data in the open
	names   map[string]string         // vCenters that its Infrastructure calls otherwise than they do
	shows   string                    // what the next dump is of instead; "" = of this cluster, whole
}

// What a dump is of by mistake.
const (
	anotherCluster   = "another cluster's"
	anotherPlatform  = "another platform's"
	withoutSystem    = "without kube-system"
	anotherOfTheName = "another of the same name"
)

// apply is `oc apply -f -`.
func (c *lifeCluster) apply(manifests string) error {
	seen := 0
	for d := yaml.NewDecoder(strings.NewReader(manifests)); ; {
		var s clusterSecret
		switch err := d.Decode(&s); {
		case errors.Is(err, io.EOF):
			if seen == 0 {
				return errors.New("no objects passed to apply")
			}
			c.copyToTargets()
			return nil
		case err != nil:
			return err
		}
		if s.Kind != "Secret" { // a Role and its binding, say
			continue
		}
		seen++
		said := map[string]string{}
		for k, v := range s.Data {
			plain, err := base64.StdEncoding.DecodeString(v)
			if err != nil {
				return err
			}
			said[k] = string(plain)
		}
		maps.Copy(said, s.StringData)
		at := s.Metadata.Namespace + "/" + s.Metadata.Name
		was := c.secrets[at]
		s.Data, s.applied = map[string]string{}, slices.Sorted(maps.Keys(said))
		if was != nil {
			maps.Copy(s.Data, was.Data)
			for _, k := range was.applied {
				delete(s.Data, k)
			}
		}
		maps.Copy(s.Data, said)
		c.secrets[at] = &s
	}
}

// copyToTargets is cloud-credential-operator, of a build of the proposal: without a secret of its own a component gets the
// root secret, as in releases.
func (c *lifeCluster) copyToTargets() {
	if c.world.Mode != proposal && c.world.Mode != shared {
		return
	}
	for _, k := range consumersOf(c.world) {
		from := c.secrets["kube-system/"+k.copied]
		if from == nil {
			from = c.secrets[rootOfAll]
		}
		if k.copied == "" || from == nil {
			continue
		}
		s := &clusterSecret{Kind: "Secret", Data: maps.Clone(from.Data)}
		s.Metadata.Namespace, s.Metadata.Name, _ = strings.Cut(k.secret, "/")
		c.secrets[k.secret] = s
	}
}

// dump is `oc get secrets,infrastructures -A -o yaml`: every cluster has secrets in every namespace.
func (c *lifeCluster) dump() string {
	items := []any{}
	shows, name, platform := c.shows, "cluster1-x7k2p", map[string]any{"type": "VSphere"}
	c.shows = ""
	switch shows {
	case anotherCluster:
		name = "prod-x7k2p"
	case anotherPlatform:
		platform = map[string]any{"type": "AWS"}
	case anotherOfTheName:
		platform["vsphere"] = map[string]any{"vcenters": []any{map[string]any{"server": "vcenter9.example.com", "datacenters": []string{"DC1"}}}}
	}
	for _, at := range slices.Sorted(maps.Keys(c.secrets)) {
		s := *c.secrets[at]
		if shows != "" && (shows != withoutSystem || s.Metadata.Namespace == "kube-system") {
			continue
		}
		data := map[string]string{}
		for k, v := range s.Data {
			data[k] = base64.StdEncoding.EncodeToString([]byte(v))
		}
		items = append(items, map[string]any{"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "metadata": s.Metadata, "data": data})
	}
	for _, namespace := range everyNamespace() {
		if shows == withoutSystem && namespace == "kube-system" {
			continue
		}
		items = append(items, map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]string{"namespace": namespace, "name": "certificates"}})
	}
	items = append(items, map[string]any{
		"apiVersion": "config.openshift.io/v1", "kind": "Infrastructure", "metadata": map[string]string{"name": "cluster"},
		"spec": map[string]any{"platformSpec": platform},
		"status": map[string]any{
			"infrastructureName": name, "apiServerURL": "https://api.cluster1.example.com:6443", "platformStatus": map[string]any{"type": platform["type"]},
		},
	})
	text, err := json.MarshalIndent(map[string]any{"apiVersion": "v1", "kind": "List", "items": items}, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(text)
}

// writeRequests writes the CredentialsRequests of the running release, of a next one that asks for more, and of one that has no
// request of diagnostics.
func (l *life) writeRequests() {
	for name, target := range map[string][2]string{
		"openshift-machine-api-vsphere":                {"openshift-machine-api", "vsphere-cloud-credentials"},
		"openshift-vmware-vsphere-csi-driver-operator": {"openshift-cluster-csi-drivers", "vmware-vsphere-cloud-credentials"},
		"openshift-vsphere-cloud-controller-manager":   {"openshift-cloud-controller-manager", "vsphere-cloud-credentials"},
		"openshift-vsphere-problem-detector":           {"openshift-cluster-storage-operator", "vsphere-cloud-credentials"},
	} {
		request := func(more string) string {
			return fmt.Sprintf(`apiVersion: cloudcredential.openshift.io/v1
kind: CredentialsRequest
metadata: {name: %s, namespace: openshift-cloud-credential-operator}
spec:
  secretRef: {namespace: %s, name: %s}
  providerSpec:
    apiVersion: cloudcredential.openshift.io/v1
    kind: VSphereProviderSpec
%s`, name, target[0], target[1], more)
		}
		more := ""
		if strings.Contains(name, "machine-api") {
			more = "    permissions: [{privileges: [VirtualMachine.Interact.Suspend]}]\n"
		}
		l.write(l.requests()+"/"+name+".yaml", request(""))
		l.write(l.requests()+"-next/"+name+".yaml", request(more))
		if !strings.Contains(name, "problem-detector") {
			l.write(l.requests()+"-fewer/"+name+".yaml", request(more))
		}
	}
}

// login is a consumer at a vCenter.
type login struct{ name, server string }

// standing is what became of a login: who it was, and what the vCenter let it do where.
type standing struct {
	user   string
	ok     bool
	rights map[string][]string // by the path of an object
}

// logIn has every consumer log in at every vCenter of which its secret has an account, over the wire, as it would.
func (l *life) logIn() map[login]standing {
	all := map[login]standing{}
	rights := map[string]map[string][]string{}
	try := func(name string, v *vcsim.VCenter, user, password string) {
		if user == "" || l.left[v.Server()] {
			return
		}
		st := standing{user: user}
		client, err := v.Login(context.Background(), user, password)
		if st.ok = err == nil; st.ok {
			of := v.Server() + " " + st.user
			if rights[of] == nil {
				rights[of] = l.rightsOf(v, st.user)
			}
			st.rights = rights[of]
			client.CloseIdleConnections()
		}
		all[login{name, v.Server()}] = st
	}
	for _, v := range l.lab.VCenters {
		for _, k := range consumersOf(l.world) {
			if s, name := l.cluster.secrets[k.secret], l.cluster.reads(v.Server()); s != nil {
				try(k.name, v, s.Data[name+".username"], s.Data[name+".password"])
			}
		}
		for _, h := range holders {
			if server, user, password := l.cluster.held(h); server == v.Server() {
				try(h.program, v, user, password)
			}
		}
	}
	for _, v := range l.lab.VCenters { // time passes until the next step: locks end
		for _, u := range v.Directory().Users() {
			_ = v.Directory().SetLocked(u.UPN(), false)
		}
	}
	return all
}

// rightsOf is what an account may do on the objects that the failure domains name, and on the machines below them.
func (l *life) rightsOf(v *vcsim.VCenter, user string) map[string][]string {
	dc := v.Estate().Datacenters[0]
	paths := slices.Concat([]string{"/", dc.Path, dc.Clusters[0].Path}, dc.Clusters[0].Pools, dc.Folders, dc.Datastores, dc.Templates, dc.VMs)
	for _, n := range dc.Networks {
		paths = append(paths, n.Path)
	}
	l.machines = slices.Concat(l.machines, dc.VMs, dc.Templates)
	all := map[string][]string{}
	for _, path := range paths {
		has, err := v.EffectivePrivileges(user, path)
		if err != nil {
			l.t.Fatalf("%s: rights of %s on %s: %v", v.Server(), user, path, err)
		}
		all[path] = has
	}
	return all
}
