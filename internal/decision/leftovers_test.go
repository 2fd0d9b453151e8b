package decision

import (
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
)

// What the enhancement's script leaves where it ends early is named with the command that removes it, not what somebody holds, nor
// other roles of others; nothing is done to it.
func TestLeftoversOfTheScript(t *testing.T) {
	t.Parallel()
	q, found := values(t)
	s := found[0]
	s.Roles = roles.Of(s.VCenter.Server, append(s.Roles.All(),
		roles.Role{ID: 101, Name: "openshift-machine-api", Privileges: []string{"Datastore.Browse"}},
		roles.Role{ID: 102, Name: "openshift-csi-driver", Privileges: []string{"Datastore.Browse"}},
		roles.Role{ID: 103, Name: "openshift-operators", Privileges: []string{"Datastore.Browse"}}), s.Roles.Catalogue())
	s.Perms = perms.Of(s.VCenter.Server, []perms.Permission{{Entity: s.Root, Principal: `VSPHERE.LOCAL\ocp`, RoleID: 102}}, s.KeyOf)
	s.Facts = q.Classify(s.Roles)
	p := SnapshotsOf(q, found).Decide((*Decision).Change).Show()
	if p.Err() != nil {
		t.Fatal(p.Err())
	}
	var notes []string
	old := func(name string) bool { return strings.HasPrefix(name, "openshift-") && s.Roles.Known(name) }
	for _, f := range p.Findings {
		if f.Object != nil && old(f.Object.Name) {
			notes = append(notes, f.Server+": "+f.Object.Name+": "+f.Text)
		}
	}
	for v, c := range p.Changes() {
		if old(c.Name) {
			t.Errorf("%s: %s", v.Server, c.Subject())
		}
	}
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "vc1: openshift-machine-api: ") || !strings.Contains(notes[0], "'govc role.remove openshift-machine-api' on vc1") {
		t.Errorf("%q", notes)
	}
}
