package privileges

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// PartsOf reads what Base and Sealed write: for its component the parts of a name are those it was made of.
func TestRoleNamesAreRead(t *testing.T) {
	t.Parallel()
	m, err := Load("default")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := RoleName{
			Prefix:     rapid.SampledFrom([]string{"", "openshift-", "ocp_", "team 7 ", "team.7-"}).Draw(t, "prefix"),
			Cluster:    rapid.SampledFrom([]string{"", "c1", "prod-west"}).Draw(t, "cluster"),
			Layout:     rapid.SampledFrom([]string{LayoutScope, LayoutComponent}).Draw(t, "layout"),
			Components: []component.Name{rapid.SampledFrom(component.Names()).Draw(t, "component")},
			Scopes:     rapid.SliceOfNDistinct(rapid.SampledFrom(Scopes()), 0, 3, rapid.ID).Draw(t, "scopes"),
			Variants:   rapid.SampledFrom([][]string{nil, {string(HostGroup)}}).Draw(t, "variants"),
		}
		name := Sealed(m.Base(n), n.Cluster, rapid.SliceOf(rapid.StringMatching(`[A-Z][a-z]+\.[A-Z][a-z]+`)).Draw(t, "ids"))
		before, after := n.Prefix, []string{}
		if n.Cluster != "" {
			before += n.Cluster + "-"
		}
		if n.Layout != LayoutComponent {
			for _, s := range Scopes() {
				if slices.Contains(n.Scopes, s) {
					after = append(after, string(s))
				}
			}
			after = append(after, n.Variants...)
		}
		if len(n.Scopes) == 0 {
			after = append(after, ReadWord)
		}
		want := RoleParts{Before: before, For: strings.Join(after, "-"), Digest: name[len(name)-digestLength:]}
		if got, ok := PartsOf(name, n.Components[0]); !ok || got != want {
			t.Fatalf("%s is read as %+v, %v; want %+v", name, got, ok, want)
		}
		for _, other := range component.Names() {
			if got, ok := PartsOf(name, other); ok && other != n.Components[0] {
				t.Fatalf("%s is read as one of %s: %+v", name, other, got)
			}
		}
	})
	for _, name := range []string{
		"", "ReadOnly", "openshift-csi-driver-datastore", "openshift-csi-driver-datastore-team77", "openshift-csi-driver-datastore-3F9A1C",
		"openshift-csi-driver-datastore-3f9a1c2", "openshiftcsi-driver-datastore-3f9a1c", "openshift-csi-drivers-datastore-3f9a1c",
	} {
		if got, ok := PartsOf(name, component.CSIDriver); ok {
			t.Errorf("%q is read as %+v", name, got)
		}
	}
}
