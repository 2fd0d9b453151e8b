package openshift

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
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

// ParseNamespaces reads what `oc get namespaces -o yaml` (or -o json) prints. Other kinds are ignored. A dump without any
// is an error: a cluster has some, so that it would tell of all that they do not exist.
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

// HiveKey is the one key of the secret that Hive, and with it Advanced Cluster Management, installs and removes a cluster with: a
// list in YAML or JSON. It is read again when the cluster is removed (openshift/hive@c02e5173, docs/using-hive.md,
// pkg/creds/vsphere); older ones hold username and password for all vCenters.
const HiveKey = "vCenters"

// HiveAccount is an element of that list.
type HiveAccount struct {
	VCenter  string `json:"vCenter"`
	Username string `json:"username"`
	Password string `json:"password"` // in the clear, as Hive reads it
}

// ReadHive is the list in the data of a secret; nil where it has none. The error, which holds no value, says that Hive cannot read it.
func ReadHive(data map[string][]byte) (list []HiveAccount, err error) {
	if text, ok := data[HiveKey]; ok && yaml.Unmarshal(text, &list) != nil {
		return nil, errors.New("key \"" + HiveKey + "\" is not a list of vCenter, username and password, so Hive cannot read it")
	}
	return list, nil
}

// HiveSecret is the secret that Hive installs and removes a cluster with, for a ClusterDeployment in its namespace that names it.
func HiveSecret() InstallerSecret {
	return InstallerSecret{
		Head: "# The vSphere accounts that Hive installs the cluster with, and removes it. Apply it on the hub.\n",
		data: func(all []serverAccount) (map[string][]byte, error) {
			list := make([]HiveAccount, len(all))
			for i, a := range all {
				list[i] = HiveAccount{a.server, a.User, a.Password.Reveal()}
			}
			text, err := yaml.Marshal(list)
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

// ParseVolumes reads what `oc get pv -o yaml` (or -o json) prints: volumes of the CSI driver, and those of the in-tree plug-in,
// which the driver has taken over. Other kinds are ignored; found reports whether there was any PersistentVolume.
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

// VolumesIn is ParseVolumes of a dump that may have been made without them: what it does not tell is unknown, and no error.
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
