package vcsim

import (
	"strings"
	"testing"

	"github.com/vmware/govmomi/ssoadmin/methods"
	"github.com/vmware/govmomi/ssoadmin/types"
	vim "github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// R32: a principal of an identity source that is down is not absent: nobody knows.
func TestR32SearchInASourceThatIsDown(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := administrate(t, v)
	discovery := c.ServiceContent.PrincipalDiscoveryService
	find := func(domain string) (user, group, parents error) {
		id := types.PrincipalId{Name: "alice", Domain: domain}
		_, user = methods.FindUser(t.Context(), c, &types.FindUser{This: discovery, UserId: id})
		_, group = methods.FindGroup(t.Context(), c, &types.FindGroup{This: discovery, GroupId: id})
		_, parents = methods.FindNestedParentGroups(t.Context(), c, &types.FindNestedParentGroups{This: discovery, UserId: id})
		return user, group, parents
	}
	if u, g, p := find("CORP"); u != nil || g != nil || p != nil {
		t.Fatal(u, g, p)
	}
	if err := v.Directory().SetReachable(foreignDomain, false); err != nil {
		t.Fatal(err)
	}
	for _, domain := range []string{foreignDomain, "corp"} {
		u, g, p := find(domain)
		for _, err := range []error{u, g, p} {
			if err == nil || !strings.Contains(err.Error(), "cannot be reached") {
				t.Errorf("%s: %v", domain, err)
			}
		}
	}
}

// A user and a group of one name exist where users and groups are named apart: root of the appliance, an LDAP server.
func TestUserAndGroupOfOneName(t *testing.T) {
	d := start(t, Options{}).VCenters[0].Directory()
	if err := d.AddIdentitySource(directory.IdentitySource{Name: "ldap.example.com", Type: "OpenLdap"}); err != nil {
		t.Fatal(err)
	}
	for domain, want := range map[string]error{"ldap.example.com": nil, foreignDomain: directory.ErrDuplicate, d.Domain(): directory.ErrDuplicate} {
		if err := d.AddUser("ocp@"+domain, "", directory.Details{}); err != nil {
			t.Fatal(err)
		}
		if err := d.AddGroup("ocp@"+domain, ""); err != want { //nolint:errorlint // a sentinel of ours, never wrapped
			t.Errorf("%s: %v", domain, err)
		}
	}
	for _, group := range []bool{false, true} {
		if _, err := d.Lookup("root@localos", group); err != nil {
			t.Error(err)
		}
	}
}

// R15: the group flag of a permission is held against the directory: a user is no group, and a group no user.
func TestR15GroupFlag(t *testing.T) {
	r := newRig(t)
	u, id := r.user("u"), r.role()
	r.group("g", "u")
	wantFault[vim.UserNotFound](t, r.set(r.admin, "/DC0", vim.Permission{Principal: u, Group: true, RoleId: id}))
	wantFault[vim.UserNotFound](t, r.set(r.admin, "/DC0", vim.Permission{Principal: "g@vsphere.local", RoleId: id}))
	wantFault[vim.UserNotFound](t, r.set(r.admin, "/DC0", vim.Permission{Principal: "g@nowhere.example.com", Group: true, RoleId: id}))
	if err := r.set(r.admin, "/DC0", vim.Permission{Principal: "g@vsphere.local", Group: true, RoleId: id}); err != nil {
		t.Error(err)
	}
}
