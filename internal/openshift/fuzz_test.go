package openshift

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/objectstest"
)

// Any text is volumes, each once and with a name, or an error, a line each, that names the file.
func FuzzVolumes(f *testing.F) {
	f.Add([]byte("kind: PersistentVolume\nmetadata: {name: a}\nspec: {csi: {driver: csi.vsphere.vmware.com}}\n---\nkind: PersistentVolume\nmetadata: {name: b}\nspec: {vsphereVolume: {}}\n"))
	f.Add([]byte(`{"kind":"List","items":[{"kind":"PersistentVolume","metadata":{"name":"a"},"spec":null}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		names, found, err := ParseVolumes("dump.yaml", data)
		objectstest.Told(t, err, "dump.yaml")
		if err == nil && (!slices.IsSorted(names) || slices.Contains(names, "") || len(names) > 0 && !found) {
			t.Errorf("%q, %t", names, found)
		}
		if v := VolumesIn("dump.yaml", data); strings.Contains(v.Unknown, "\n") || v.Unknown != "" && len(v.Names) > 0 {
			t.Errorf("%+v", *v)
		}
	})
}

// Any text is a record or an error, and a record is one when it is written again. No other text is taken for one.
func FuzzInstances(f *testing.F) {
	const idA, idB = "11111111-2222-3333-4444-555555555555", "aaaaaaaa-2222-3333-4444-555555555555"
	for _, text := range []string{`{"vc1":"` + idA + `"}`, `{}`, `{"":"` + idA + `"}`, `{"a":1}`, `{"a":"x"}`, `{"a":"` + idA + `","a":"` + idB + `"}`, `{} {}`, `[`, ``, `null`, `{"a":"` + idA + `"`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		i, err := ParseInstances(text)
		if err != nil {
			if i != nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, %v", i, err)
			}
			return
		}
		again, err := ParseInstances(i.String())
		if err != nil || !maps.Equal(i, again) || !json.Valid([]byte(text)) {
			t.Errorf("%q: %v, written again %v (%v)", text, i, again, err)
		}
	})
}
