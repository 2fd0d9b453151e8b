package privileges

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// RoleNames decide as the regular expressions do that say what such a name is.
func TestRoleNamesAreARegularLanguage(t *testing.T) {
	t.Parallel()
	m, err := Load("default")
	if err != nil {
		t.Fatal(err)
	}
	const prefix, cluster = "openshift-", "c1"
	either := func(before string, words []string) string {
		return "(" + before + strings.Join(words, "|"+before) + ")"
	}
	var words, scopes []string
	for _, c := range component.Names() {
		words = append(words, regexp.QuoteMeta(m.RoleWord(c)))
	}
	for _, s := range append(Scopes(), ScopeTemplate) {
		scopes = append(scopes, string(s))
	}
	part := either("", words) + either("-", words) + "*(" + either("-", scopes) + "+(-" + string(HostGroup) + ")?|-" + ReadWord + ")?"
	sealed := regexp.MustCompile("^" + prefix + part + "-[0-9a-f]{6}$")
	owned := regexp.MustCompile("^" + prefix + cluster + "-" + part + "-[0-9a-f]{6}$")

	names := m.RoleNames(prefix, cluster, component.Names())
	pieces := append(append(append([]string{}, words...), scopes...), string(HostGroup), ReadWord, cluster, "3f9a1c", "3F9a1c", "team7", "")
	for name, is := range map[string]bool{
		"openshift-csi-driver-datastore-3f9a1c":   names.Sealed("openshift-csi-driver-datastore-3f9a1c"),
		"openshift-c1-csi-driver-read-3f9a1c":     names.Owned("openshift-c1-csi-driver-read-3f9a1c"),
		"openshift-csi-driver-datastore-team7 no": !names.Sealed("openshift-csi-driver-datastore-team7"),
	} {
		if !is {
			t.Error(name)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{prefix, "", "openshift", prefix + cluster + "-"}).Draw(t, "prefix") +
			strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 5).Draw(t, "pieces"), "-") +
			rapid.SampledFrom([]string{"", "", "-", "-3f9a1c", "-0a1b2c", "-zzzzzz", "\n"}).Draw(t, "end")
		for kind, c := range map[string]struct{ got, want bool }{
			"sealed": {names.Sealed(name), sealed.MatchString(name)},
			"owned":  {names.Owned(name), owned.MatchString(name)},
		} {
			if c.got != c.want {
				t.Fatalf("%q is %s: %v, want %v", name, kind, c.got, c.want)
			}
		}
	})
}

// Roles outlive releases of this tool: the same privileges have the same name in all of them, whatever their order, and those of a
// cluster another one.
func TestSealedNamesStay(t *testing.T) {
	t.Parallel()
	ids := []string{"InventoryService.Tagging.ObjectAttachable", "Datastore.Browse", "Datastore.AllocateSpace", "Datastore.FileManagement"}
	for cluster, want := range map[string]string{"": "csi-driver-datastore-057cc1", "c1": "csi-driver-datastore-fe2d2d"} {
		if got := Sealed("csi-driver-datastore", cluster, ids); got != want {
			t.Errorf("cluster %q: %s, want %s", cluster, got, want)
		}
	}
}
