package perms

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// What looks as if it were on the root folder and is a global permission is no permission of the inventory; what is there besides
// a global one is.
func TestApart(t *testing.T) {
	t.Parallel()
	root, dc := inventory.Ref{Type: "Folder", Value: "group-d1"}, inventory.Ref{Type: "Datacenter", Value: "DC1"}
	on := func(ref inventory.Ref, who string, role int32, propagate bool) Permission {
		return Permission{Entity: ref, Principal: who, RoleID: role, Propagate: propagate}
	}
	g := Global{
		All:     []Permission{on(inventory.Global.Ref, `SSO\both`, 1, true), on(inventory.Global.Ref, `SSO\one`, 1, true), on(inventory.Global.Ref, `SSO\stays`, 1, false)},
		rootRef: root,
		root:    []Permission{on(root, `SSO\both`, 1, true), on(root, `SSO\other`, 2, true)},
	}
	all := []Permission{
		on(root, `sso\both`, 1, true), on(root, `sso\one`, 1, true), on(root, `SSO\one`, 2, true), on(root, `SSO\stays`, 1, true), on(root, `SSO\other`, 2, true),
		on(dc, `SSO\one`, 1, true),
		{Entity: root, Principal: `SSO\one`, Group: true, RoleID: 1, Propagate: true},
	}
	s := Of("vc1", all, func(name string, group bool) string { return fmt.Sprint(strings.ToLower(name), group) })
	with := s.With(g, func(name string, group bool) string { return fmt.Sprint(strings.ToLower(name), group) })
	if len(s.All) != len(all) {
		t.Error("it changed the state")
	}
	keyless := func(list []Permission) []Permission {
		list = slices.Clone(list)
		for i := range list {
			list[i].Key = ""
		}
		return list
	}
	if diff := cmp.Diff(slices.Delete(slices.Clone(all), 1, 2), keyless(with.All)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := with.On(inventory.Global.Ref); len(got) != 3 || len(with.Held(got[0].Key)) != 1 || got[0].Key != `sso\bothfalse` {
		t.Errorf("%+v", got)
	}
	if got := with.Holders(1); len(got) != 4 { // of a role that is used globally
		t.Errorf("%q", got)
	}
}

func globalsOf(t *testing.T, o vcsim.Options, user func(*vcsim.VCenter) (string, string), before func(*vcsim.VCenter)) Global {
	t.Helper()
	l, err := vcsim.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	v := l.VCenters[0]
	if before != nil {
		before(v)
	}
	ctx := context.Background()
	s, err := vcenter.Connect(ctx, vcenter.Config{Server: v.Server(), Address: v.Addr(), Thumbprint: v.Thumbprint()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(ctx)
	name, password := user(v)
	if err := s.Login(ctx, name, secret.New(password)); err != nil {
		t.Fatal(err)
	}
	g := ReadGlobal(ctx, s)
	if n := v.RESTSessions(name); n != 0 {
		t.Errorf("%d sessions of the REST API are left", n)
	}
	return g
}

func theAdministrator(v *vcsim.VCenter) (user, password string) {
	return v.AdminUser(), v.AdminPassword()
}

// Global permissions are read from 9.0 on page after page, below by the older service where it is there.
func TestReadGlobal(t *testing.T) {
	t.Parallel()
	many := func(v *vcsim.VCenter) {
		for i := range 450 {
			if err := v.GrantGlobally(vcsim.Permission{Principal: fmt.Sprintf("u%d@vsphere.local", i), Role: "ReadOnly", Propagate: true}); err != nil {
				t.Fatal(err)
			}
		}
	}
	g := globalsOf(t, vcsim.Options{Releases: []string{"9.0"}}, theAdministrator, many)
	if g.Unseen != "" || len(g.All) != 452 || len(g.root) < 2 {
		t.Errorf("%d and %d, %q", len(g.All), len(g.root), g.Unseen)
	}
	if p := g.All[0]; p.Principal != `VSPHERE.LOCAL\Administrator` || p.Group || p.RoleID != -1 || !p.Propagate || p.Entity != inventory.Global.Ref {
		t.Errorf("%+v", p)
	}
	for release, want := range map[string]string{"8.0.1": UnseenRelease, "8.0.3": ""} {
		g = globalsOf(t, vcsim.Options{Releases: []string{release}}, theAdministrator, func(v *vcsim.VCenter) {
			if err := v.GrantGlobally(vcsim.Permission{Principal: "u@vsphere.local", Role: "ReadOnly"}); err != nil {
				t.Fatal(err)
			}
		})
		if g.Unseen != want {
			t.Errorf("on %s: %q", release, g.Unseen)
		}
		if want != "" {
			continue
		}
		admin := Permission{Entity: inventory.Global.Ref, Principal: `VSPHERE.LOCAL\Administrator`, RoleID: -1, Propagate: true}
		group := admin
		group.Principal, group.Group = `VSPHERE.LOCAL\Administrators`, true
		reader := Permission{Entity: inventory.Global.Ref, Principal: `VSPHERE.LOCAL\u`, RoleID: -2}
		if diff := cmp.Diff([]Permission{admin, group, reader}, g.All); diff != "" || g.root != nil {
			t.Errorf("on %s, and %d on the root folder (-want +got):\n%s", release, len(g.root), diff)
		}
	}
}

// Whatever keeps them from being read is said, and is no error.
func TestReadGlobalUnseen(t *testing.T) {
	t.Parallel()
	nine := vcsim.Options{Releases: []string{"9.0"}}
	reader := func(v *vcsim.VCenter) (user, password string) { return "reader@vsphere.local", "Reader-1-pass!" }
	o := nine
	o.Estate = vcsim.EstateOptions{Contents: []vcsim.Contents{{
		Objects: []vcsim.Object{{Path: "/DC", Type: "Datacenter"}},
		Users:   []vcsim.Account{{Name: "reader@vsphere.local", Password: "Reader-1-pass!"}}, Permissions: []vcsim.Permission{{Path: "/", Principal: "reader@vsphere.local", Role: "ReadOnly", Propagate: true}},
	}}}
	if g := globalsOf(t, o, reader, nil); g.Unseen != UnseenRights || g.All != nil {
		t.Errorf("a reader: %+v", g)
	}
	for status, want := range map[int]string{
		http.StatusForbidden: UnseenRights, http.StatusNotFound: "404 Not Found", http.StatusNotImplemented: "501 Not Implemented", http.StatusServiceUnavailable: "503 Service Unavailable",
	} {
		g := globalsOf(t, nine, theAdministrator, func(v *vcsim.VCenter) {
			v.SetAnswer(func(a *vcsim.Answer) {
				if strings.HasPrefix(a.Method, "POST /api/vcenter/") {
					a.Status, a.Body = status, nil
				}
			})
		})
		if !strings.HasSuffix(g.Unseen, want) || g.All != nil {
			t.Errorf("%d: %q", status, g.Unseen)
		}
	}
	for _, body := range []string{"", "<html>", "[]", `{"items":3}`, `{"items":[{"info":{"object":{"type":"GlobalAcl","id":"GlobalAcl"},"role":"x"}}]}`} {
		g := globalsOf(t, nine, theAdministrator, func(v *vcsim.VCenter) {
			v.SetAnswer(func(a *vcsim.Answer) {
				if strings.HasPrefix(a.Method, "POST /api/vcenter/") {
					a.Body = []byte(body)
				}
			})
		})
		if g.Unseen == "" || g.All != nil {
			t.Errorf("%q: %+v", body, g)
		}
	}
}
