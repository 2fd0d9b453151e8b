package decision

import (
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// What an account of ours has globally is found, once for all vCenters, by itself or through a group; what gives nothing, is
// somebody else's, or makes an administrator, which is said as that, is not. No change is about any of them.
func TestGlobalPermissions(t *testing.T) {
	t.Parallel()
	global := func(who string, group bool, role int32) perms.Permission {
		return perms.Permission{Entity: inventory.Global.Ref, Principal: who, Group: group, RoleID: role, Propagate: true}
	}
	const user = `VSPHERE.LOCAL\ocp-c1-diagnostics`
	for name, c := range map[string]struct {
		all  []perms.Permission
		want []string
	}{
		"none":              {nil, nil},
		"its own":           {[]perms.Permission{global(user, false, -2)}, []string{"role ReadOnly through a global permission of its own"}},
		"of a group":        {[]perms.Permission{global(`VSPHERE.LOCAL\ops`, true, -1)}, []string{`role Admin through a global permission of group VSPHERE.LOCAL\ops`}},
		"both":              {[]perms.Permission{global(user, false, -2), global(`VSPHERE.LOCAL\ops`, true, -2)}, []string{"of its own", `of group VSPHERE.LOCAL\ops`}},
		"no access":         {[]perms.Permission{global(user, false, -5)}, nil},
		"a user like it":    {[]perms.Permission{global(`VSPHERE.LOCAL\ops`, false, -1), global(user, true, -1)}, nil},
		"other groups":      {[]perms.Permission{global(`VSPHERE.LOCAL\others`, true, -1)}, nil},
		"of administrators": {[]perms.Permission{global(`VSPHERE.LOCAL\Administrators`, true, -1)}, nil},
	} {
		q, found := values(t)
		for _, s := range found {
			s.Roles = roles.Of(s.VCenter.Server, append(s.Roles.All(), roles.Role{ID: -5, Name: "NoAccess", System: true}), s.Roles.Catalogue())
			account := q.Spec.Account(component.Diagnostics).Name
			u := sso.User{Name: account, Description: sso.Mark(q.Spec.Cluster, component.Diagnostics), Groups: []string{"ops@vsphere.local", "Administrators@vsphere.local"}}
			s.SSO.Users[account], s.SSO.Marked = u, []sso.User{u}
			s.Perms = perms.Of(s.VCenter.Server, nil, s.KeyOf).With(perms.Global{All: c.all}, s.KeyOf)
			s.Facts = q.Classify(s.Roles)
		}
		e := SnapshotsOf(q, found)
		var got []*finding.Finding
		for _, f := range e.Findings() {
			if f.Code == finding.GlobalPermission {
				got = append(got, f)
			}
		}
		if !slices.EqualFunc(got, c.want, func(f *finding.Finding, want string) bool {
			return strings.HasSuffix(f.Text, want) && len(f.Accounts) == 2 && f.Severity == finding.Warning && slices.Equal(f.Remedies, []string{perms.GlobalRemedy})
		}) {
			t.Errorf("%s: %+v", name, got)
		}
		left := e.LeftGlobal()
		if want := slices.DeleteFunc(slices.Clone(c.want), func(s string) bool { return !strings.HasSuffix(s, "of its own") }); len(left) != len(want) ||
			len(left) > 0 && !strings.HasSuffix(left[0].Text, ": role ReadOnly through a global permission of its own stays") {
			t.Errorf("%s: left %+v", name, left)
		}
		for only, want := range map[plan.Kind]int{plan.Permission: len(c.want), plan.Role: 0, plan.User: len(left)} {
			e.Request.Only = only
			if got := e.LeftGlobal(); len(got) != want {
				t.Errorf("%s: left by %s: %+v", name, only, got)
			}
		}
		e.Request.Only = ""
		for _, v := range e.Decide((*Decision).Change).Show().VCenters {
			for _, change := range v.Changes {
				if change.Kind == plan.Permission && (change.Object == inventory.GlobalPath || change.Verb != plan.Create) {
					t.Errorf("%s: %s %s", name, change.Sign(), change.Subject())
				}
			}
		}
	}
}

// What is not known of global permissions is one finding, and says why; of releases that tell nothing only where it matters.
func TestUnseenGlobal(t *testing.T) {
	t.Parallel()
	q, found := values(t)
	found[0].Perms.Unseen, found[1].Perms.Unseen = perms.UnseenRelease, perms.UnseenRights
	e := SnapshotsOf(q, found)
	const rights = "vc2: global permissions are not known: " + perms.UnseenRights
	for matters, want := range map[bool]string{false: rights, true: "vc1: global permissions are not known: " + perms.UnseenRelease + "; " + rights} {
		got := e.UnseenGlobal(func(i int) bool { return matters && i == 0 })
		if len(got) != 1 || got[0].Text != want || got[0].Severity != finding.Note {
			t.Errorf("%v: %+v", matters, got)
		}
	}
	found[1].Perms.Unseen = ""
	if got := e.UnseenGlobal(func(int) bool { return false }); got != nil {
		t.Errorf("%+v", got)
	}
}
