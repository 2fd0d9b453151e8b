package openshift

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
)

// Namespaces are those of a cluster: nothing can be made in one that is going away.
type Namespaces map[string]Phase

// Phase is whether a namespace stays.
type Phase string

// The phases of a namespace, as the API names them.
const (
	Active      Phase = "Active"
	Terminating Phase = "Terminating"
)

// ParseNamespaces reads output of `oc get namespaces -o yaml` (or -o json) and ignores other kinds.
// A dump without any is an error, because each cluster has some.
func ParseNamespaces(name string, data []byte) (Namespaces, error) {
	o := objects.New(name)
	all := Namespaces{}
	o.Each(data, func(from objects.Object) {
		if from.Kind != "Namespace" {
			return
		}
		before := o.Count()
		meta := o.Metadata(from)
		status := from.Object.Object("status")
		phase := status.Choice("phase", string(Active), string(Active), string(Terminating))
		switch {
		case o.Count() > before:
		case len(validation.IsDNS1123Label(meta.Name)) > 0:
			o.Report(from.Line, "a Namespace without a valid name")
		default:
			all[meta.Name] = Phase(phase)
		}
	})
	if err := o.Err(); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, errors.New(name + ": contains no Namespace: 'oc get namespaces -o yaml' prints them from a cluster")
	}
	return all, nil
}

// Takes says why nothing can be made in a namespace; nil where it can.
func (n Namespaces) Takes(namespace string) error {
	switch phase, there := n[namespace]; {
	case !there:
		return fmt.Errorf("namespace %s does not exist", namespace)
	case phase == Terminating:
		return fmt.Errorf("namespace %s is being deleted", namespace)
	}
	return nil
}

// HiveKey is the key of the secret with which Hive, and so Advanced Cluster Management, installs
// and removes a cluster: a list in YAML or JSON (openshift/hive@c02e5173, docs/using-hive.md,
// pkg/creds/vsphere); older ones hold username and password for all vCenters.
const HiveKey = "vCenters"

// HiveAccount is an element of that list.
type HiveAccount struct {
	VCenter  string `json:"vCenter"`
	Username string `json:"username"`
	Password string `json:"password"` // in the clear, as Hive reads it
}

// ReadHive reads the list in a secret's data; nil if none. The error holds no values.
func ReadHive(data map[string][]byte) (list []HiveAccount, err error) {
	if text, ok := data[HiveKey]; ok && yaml.Unmarshal(text, &list) != nil {
		return nil, errors.New("key \"" + HiveKey + "\" is not a list of vCenter, username and password, so Hive cannot read it")
	}
	return list, nil
}

// HiveSecret is the secret that a ClusterDeployment of Hive names in its namespace.
func HiveSecret() InstallerSecret {
	return InstallerSecret{
		Head: "# The vSphere accounts that Hive installs the cluster with, and removes it. Apply it on the hub.\n",
		data: func(all []serverAccount) (map[string][]byte, error) {
			list := make([]HiveAccount, len(all))
			for i, a := range all {
				list[i] = HiveAccount{a.server, a.User, a.Password.Reveal()}
			}
			text, err := yaml.Marshal(list) //nolint:gosec // it goes into a Secret
			return map[string][]byte{HiveKey: text}, err
		},
	}
}

// csiDriver is the driver's name in a PersistentVolume (kubernetes-sigs/vsphere-csi-driver, pkg/csi/service).
const csiDriver = "csi.vsphere.vmware.com"

// Volumes are the PersistentVolumes of a cluster that the vSphere CSI driver works on.
type Volumes struct {
	Names   []string // sorted
	Unknown string   // why they are not known; "" = they are
}

// ParseVolumes reads output of `oc get pv -o yaml` (or -o json): volumes of the CSI driver and of
// the in-tree plug-in, which it replaces. found reports whether there was any PersistentVolume.
func ParseVolumes(name string, data []byte) (names []string, found bool, err error) {
	o := objects.New(name)
	o.Each(data, func(from objects.Object) {
		if from.Kind != "PersistentVolume" {
			return
		}
		found = true
		volume, spec := o.Metadata(from), from.Object.Object("spec")
		if spec.Has("vsphereVolume") || spec.Object("csi").Text("driver").Value == csiDriver {
			names = append(names, volume.Name)
		}
	})
	if err := o.Err(); err != nil {
		return nil, found, err
	}
	slices.Sort(names)
	return slices.Compact(names), found, nil
}

// VolumesIn is ParseVolumes of a dump that may lack volumes: nil if unknown.
func VolumesIn(name string, data []byte) *Volumes {
	names, found, err := ParseVolumes(name, data)
	switch {
	case err != nil:
		return &Volumes{Unknown: strings.ReplaceAll(err.Error(), "\n", "; ")}
	case !found:
		return &Volumes{Unknown: name + " contains no PersistentVolume ('oc get secrets,pv -A -o yaml' prints both)"}
	}
	return &Volumes{Names: names}
}

// VCentersKey is our annotation on secrets: the vCenter of each server name when its accounts were
// written, as a JSON object of instance UUIDs by server. cloud-credential-operator copies no
// annotations, so only applied secrets have it.
const VCentersKey = "ocp-vsphere-admin.github.io/vcenters"

// maxInstances bounds the annotation: all annotations of an object together have 256 KiB.
const maxInstances = 256 << 10

// Instances are instance UUIDs of vCenters by server name (ServiceContent.about.instanceUuid).
type Instances map[string]string

var instanceForm = pattern.Of(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)

// ParseInstances reads [VCentersKey]: a JSON object of UUIDs, each server once.
func ParseInstances(text string) (Instances, error) {
	if len(text) > maxInstances {
		return nil, errors.New("is longer than an annotation can be")
	}
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("is not a JSON object")
	}
	all := Instances{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, errors.New("is not a JSON object")
		}
		server, _ := name.(string)
		value, err := d.Token()
		id, isText := value.(string)
		switch _, again := all[server]; {
		case err != nil || !isText || !instanceForm().MatchString(id):
			return nil, fmt.Errorf("%q has no instance UUID", server)
		case server == "":
			return nil, errors.New("has an instance UUID for no server")
		case again:
			return nil, fmt.Errorf("%q is in it twice", server)
		}
		all[server] = id
	}
	if _, err := d.Token(); err != nil {
		return nil, errors.New("is not a JSON object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("has text after its JSON object")
	}
	return all, nil
}

// String is the value of [VCentersKey].
func (i Instances) String() string {
	text, err := json.Marshal(map[string]string(i)) // sorted; a map of strings always has a form
	if err != nil {
		return "{}"
	}
	return string(text)
}

// Record notes the known vCenters of servers on a secret.
func (i Instances) Record(s *corev1.Secret, servers []string) {
	own := Instances{}
	for _, server := range servers {
		if id := i[server]; id != "" {
			own[server] = id
		}
	}
	if len(own) == 0 {
		return
	}
	annotations := map[string]string{VCentersKey: own.String()}
	for key, value := range s.Annotations {
		if key != VCentersKey {
			annotations[key] = value
		}
	}
	s.Annotations = annotations
}

// Recorded is what a secret records, as far as it can be read.
func Recorded(s *corev1.Secret) Instances {
	all, err := ParseInstances(s.Annotations[VCentersKey])
	if err != nil {
		return nil
	}
	return all
}
