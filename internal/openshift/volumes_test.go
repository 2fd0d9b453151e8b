package openshift_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// Volumes of vSphere are told from those of other storage, in YAML and in JSON, beside secrets and alone.
func TestVolumes(t *testing.T) {
	t.Parallel()
	const csi = "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: pvc-2}\nspec: {csi: {driver: csi.vsphere.vmware.com, volumeHandle: a}}\n"
	const intree = "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: pvc-1}\nspec: {vsphereVolume: {volumePath: '[ds] kubevols/a.vmdk'}}\n"
	const nfs = "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: nfs}\nspec: {nfs: {server: a, path: /}}\n"
	const other = "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: efs}\nspec: {csi: {driver: efs.csi.aws.com, volumeHandle: a}}\n"
	const secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: n}\ndata: {}\n"
	const list = `{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pvc-3"},
		"spec": {"csi": {"driver": "csi.vsphere.vmware.com"}}}]}`
	for name, tt := range map[string]struct {
		dump    string
		want    []string
		unknown string // part of it
	}{
		"all kinds":          {strings.Join([]string{secret, csi, nfs, intree, other}, "---\n"), []string{"pvc-1", "pvc-2"}, ""},
		"a list in JSON":     {list, []string{"pvc-3"}, ""},
		"twice":              {csi + "---\n" + csi, []string{"pvc-2"}, ""},
		"other storage":      {nfs + "---\n" + other, nil, ""},
		"secrets alone":      {secret, nil, "dump.yaml contains no PersistentVolume"},
		"without a name":     {"kind: PersistentVolume\nmetadata: {}\nspec: {}\n", nil, "without a name"},
		"spec is no mapping": {"kind: PersistentVolume\nmetadata: {name: a}\nspec: [1]\n", nil, "spec"},
		"no YAML":            {"{", nil, "dump.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := openshift.VolumesIn("dump.yaml", []byte(tt.dump))
			if !slices.Equal(got.Names, tt.want) || (got.Unknown == "") != (tt.unknown == "") || !strings.Contains(got.Unknown, tt.unknown) {
				t.Errorf("got %+v, want %+v", *got, tt)
			}
		})
	}
}
