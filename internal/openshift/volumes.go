package openshift

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
)

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
