package decision

import (
	"slices"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
)

// What an account that takes the place of another one can do less is said where it is so, and nowhere else.
func TestLacking(t *testing.T) {
	t.Parallel()
	_, found := values(t)
	const from, to = "c1-x@vsphere.local", "c1-x-2@vsphere.local"
	many := privileges.Catalogue()[:20]
	type has struct {
		at   string
		role int32 // of the one before: 1 = Host.Config.Storage and Host.Config.Network, 2 = many, -2 = ReadOnly
		down bool
	}
	type wants struct {
		at    string
		holds []string
		down  bool
	}
	for _, tt := range []struct {
		name   string
		before []has
		after  []wants
		said   []string
	}{
		{"the same", []has{{"/DC/host/C", 1, true}}, []wants{{"/DC/host/C", []string{"Host.Config.Network", "Host.Config.Storage"}, true}}, nil},
		{"more", []has{{"/DC/host/C", -2, false}}, []wants{{"/DC/host/C", []string{"Host.Config.Storage"}, true}}, nil},
		{"less", []has{{"/DC/host/C", 1, true}}, []wants{{"/DC/host/C", []string{"Host.Config.Network"}, true}}, []string{"/DC/host/C: lacks Host.Config.Storage, which " + from + " has"}},
		{"much less", []has{{"/DC/host/C", 2, true}}, []wants{{"/DC/host/C", nil, true}}, []string{"/DC/host/C: lacks 20 privileges that " + from + " has"}},
		{"from above", []has{{"/DC/host/C", -2, false}}, []wants{{"/DC", nil, true}}, nil},
		{"less from above", []has{{"/DC/host/C", 1, false}}, []wants{{"/DC", []string{"Host.Config.Network"}, true}}, []string{"/DC/host/C: lacks Host.Config.Storage, which " + from + " has"}},
		{"displaced where the other had it from above", []has{{"/DC", 1, true}}, []wants{{"/DC", []string{"Host.Config.Network", "Host.Config.Storage"}, true}, {"/DC/host/C", nil, true}}, []string{"/DC/host/C: lacks Host.Config.Network, Host.Config.Storage, which " + from + " has"}},
		{"nothing", []has{{"/DC/host/C", 1, true}, {"/DC/vm/f", -2, false}}, []wants{{"/DC/vm/f", nil, false}}, []string{"/DC/host/C: does not see it, as " + from + " does"}},
		{"not below", []has{{"/DC/vm/f", -2, true}}, []wants{{"/DC/vm/f", nil, false}}, []string{"/DC/vm/f: lacks below it what " + from + " has"}},
		{"two objects", []has{{"/DC/vm/f", 1, true}, {"/DC/host/C", 1, true}}, []wants{{"/DC/vm/f", nil, true}, {"/DC/host/C", nil, true}}, []string{
			"/DC/host/C: lacks Host.Config.Network, Host.Config.Storage, which " + from + " has", "/DC/vm/f: lacks Host.Config.Network, Host.Config.Storage, which " + from + " has",
		}},
	} {
		s := *found[0]
		s.Roles = roles.Of("vc1", append(s.Roles.All(), roles.Role{ID: 1, Name: "one", Privileges: []string{"Host.Config.Network", "Host.Config.Storage"}}, roles.Role{ID: 2, Name: "many", Privileges: many}), s.Roles.Catalogue())
		var held []perms.Permission
		for _, h := range tt.before {
			held = append(held, perms.Permission{Entity: s.Inventory.At(h.at).Ref, Principal: from, RoleID: h.role, Propagate: h.down})
		}
		s.Perms = perms.Of("vc1", held, s.KeyOf)
		p := &VCenterPlan{At: &s}
		for _, w := range tt.after {
			p.permits = append(p.permits, perms.Want{At: s.Inventory.At(w.at), Principal: to, Key: s.UserKey(to), Holds: w.holds, Propagate: w.down})
		}
		var said []string
		p.lacking(to, from)
		for _, f := range p.Told {
			if f.Object.Principal != to {
				t.Errorf("%s: %+v", tt.name, f)
			}
			said = append(said, f.Object.Path+": "+f.Text)
		}
		if !slices.Equal(said, tt.said) {
			t.Errorf("%s: %q, not %q", tt.name, said, tt.said)
		}
	}
}
