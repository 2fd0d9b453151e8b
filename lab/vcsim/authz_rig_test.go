package vcsim

import (
	"context"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

const rigPassword = "Passw0rd!x"

// rig is a small vCenter with our authorization, served over HTTP.
type rig struct {
	*testing.T
	a     *authorization
	dir   *directory.Directory
	url   *url.URL
	admin *govmomi.Client
	roles int
}

func newRig(t *testing.T, change ...func(*simulator.Model, *authzOptions)) *rig {
	t.Helper()
	m := simulator.VPX()
	m.ClusterHost, m.Pool, m.Machine = 1, 1, 1
	m.Autostart = false
	o := authzOptions{}
	for _, f := range change {
		f(m, &o)
	}
	if err := createInventory(m); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Remove)
	d := directory.New("vsphere.local", rigPassword, 0, time.Now)
	a, err := installAuthorization(m, d, o)
	if err != nil {
		t.Fatal(err)
	}
	s := m.Service.NewServer()
	t.Cleanup(s.Close)
	r := &rig{T: t, a: a, dir: d, url: s.URL}
	r.admin = r.login("administrator@vsphere.local")
	return r
}

func (r *rig) tryLogin(user, password string) (*govmomi.Client, error) {
	u := *r.url
	u.User = url.UserPassword(user, password)
	return govmomi.NewClient(context.Background(), &u, true)
}

func (r *rig) login(user string) *govmomi.Client {
	r.Helper()
	c, err := r.tryLogin(user, rigPassword)
	if err != nil {
		r.Fatalf("login of %s: %v", user, err)
	}
	return c
}

// user makes an account and returns its stored form.
func (r *rig) user(name string) string {
	r.Helper()
	if err := r.dir.AddUser(name, rigPassword, directory.Details{}); err != nil {
		r.Fatal(err)
	}
	return `VSPHERE.LOCAL\` + name
}

// ref finds an object by its path.
func (r *rig) ref(path string) types.ManagedObjectReference {
	r.Helper()
	if path == "/" {
		return r.a.root
	}
	res, err := methods.FindByInventoryPath(context.Background(), r.admin, &types.FindByInventoryPath{
		This: *r.admin.ServiceContent.SearchIndex, InventoryPath: path,
	})
	if err != nil || res.Returnval == nil {
		r.Fatalf("find %s: %v", path, err)
	}
	return *res.Returnval
}

// role makes a role and returns its id.
func (r *rig) role(privileges ...string) int32 {
	r.Helper()
	r.roles++
	id, err := r.a.addRole(fmt.Sprintf("role %d", r.roles), privileges)
	if err != nil {
		r.Fatal(err)
	}
	return id
}

// grant sets a permission for a user, with a role of its own.
func (r *rig) grant(path, user string, propagate bool, privileges ...string) {
	r.Helper()
	r.grantRole(path, user, false, propagate, r.role(privileges...))
}

func (r *rig) grantRole(path, principal string, group, propagate bool, role int32) {
	r.Helper()
	p, err := r.dir.Lookup(principal, group)
	if err != nil {
		r.Fatal(err)
	}
	if err := r.a.setPermission(r.ref(path), p, role, propagate); err != nil {
		r.Fatalf("grant on %s: %v", path, err)
	}
}

func (r *rig) group(name string, members ...string) {
	r.Helper()
	if err := r.dir.AddGroup(name, ""); err != nil {
		r.Fatal(err)
	}
	for _, m := range members {
		if err := r.dir.AddMember(name, m, false); err != nil {
			r.Fatal(err)
		}
	}
}

// holds asks for effective rights over SOAP, as the administrator.
func (r *rig) holds(path, user, privilege string) bool {
	r.Helper()
	am := object.NewAuthorizationManager(r.admin.Client)
	res, err := am.FetchUserPrivilegeOnEntities(context.Background(), []types.ManagedObjectReference{r.ref(path)}, user)
	if err != nil {
		r.Fatal(err)
	}
	return slices.Contains(res[0].Privileges, privilege)
}

func (r *rig) wantHolds(path, user, privilege string, want bool) {
	r.Helper()
	if got := r.holds(path, user, privilege); got != want {
		r.Errorf("%s holds %s on %s: %v, want %v", user, privilege, path, got, want)
	}
}

func (r *rig) manager(c *govmomi.Client) *object.AuthorizationManager {
	return object.NewAuthorizationManager(c.Client)
}

func (r *rig) set(c *govmomi.Client, path string, p ...types.Permission) error {
	r.Helper()
	return r.manager(c).SetEntityPermissions(context.Background(), r.ref(path), p)
}

func (r *rig) permissions(path string, inherited bool) []types.Permission {
	r.Helper()
	p, err := r.manager(r.admin).RetrieveEntityPermissions(context.Background(), r.ref(path), inherited)
	if err != nil {
		r.Fatal(err)
	}
	return p
}

// names lists "principal role-id propagate" without the two default administrators.
func names(ps []types.Permission) []string {
	out := []string{}
	for _, p := range ps {
		if p.RoleId != adminRole {
			out = append(out, fmt.Sprintf("%s group=%v role=%d propagate=%v", p.Principal, p.Group, p.RoleId, p.Propagate))
		}
	}
	return out
}

// faultOf is the vim fault of an error, by value; nil for none.
func faultOf(err error) any {
	if err != nil && soap.IsSoapFault(err) {
		return soap.ToSoapFault(err).VimFault()
	}
	return nil
}

// wantFault checks the fault's type and returns it.
func wantFault[F any](t testing.TB, err error) F {
	t.Helper()
	f, ok := faultOf(err).(F)
	if !ok {
		t.Fatalf("got %v (%T), want %v", err, faultOf(err), reflect.TypeFor[F]())
	}
	return f
}

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// vm is a virtual machine for the typed calls.
func (r *rig) vm(c *govmomi.Client, path string) *object.VirtualMachine {
	r.Helper()
	return object.NewVirtualMachine(c.Client, r.ref(path))
}

func (r *rig) name(c *govmomi.Client, ref types.ManagedObjectReference) (string, error) {
	var e mo.ManagedEntity
	err := c.RetrieveOne(context.Background(), ref, []string{"name"}, &e)
	return e.Name, err
}

// properties of one object; a property that may not be read is its fault.
func (r *rig) properties(c *govmomi.Client, ref types.ManagedObjectReference, paths ...string) map[string]any {
	r.Helper()
	res, err := methods.RetrievePropertiesEx(context.Background(), c, &types.RetrievePropertiesEx{
		This: c.ServiceContent.PropertyCollector, SpecSet: []types.PropertyFilterSpec{{
			PropSet:   []types.PropertySpec{{Type: ref.Type, PathSet: paths}},
			ObjectSet: []types.ObjectSpec{{Obj: ref}},
		}},
	})
	if err != nil {
		r.Fatal(err)
	}
	out := map[string]any{}
	for _, o := range res.Returnval.Objects {
		for _, p := range o.PropSet {
			out[p.Name] = p.Val
		}
		for _, m := range o.MissingSet {
			out[m.Path] = m.Fault.Fault
		}
	}
	return out
}

// anonymous is a client that has not logged in.
func (r *rig) anonymous() (*govmomi.Client, error) {
	u := *r.url
	u.User = nil
	return govmomi.NewClient(context.Background(), &u, true)
}
