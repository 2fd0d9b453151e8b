package verify

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
)

const (
	allocate = "Datastore.AllocateSpace"
	browse   = "Datastore.Browse"
	create   = "VirtualMachine.Inventory.Create"
)

// Ids of the roles of a test.
const (
	adminRole = roles.AdminID
	datastore = 7 // what ds1 needs
	folder    = 8 // what the folder needs
	browser   = 9 // something else
)

// lab is a vCenter of values: an account csi that needs allocate on ds1 and, handed down, create on folder vm.
type lab struct {
	*Expected
	vm, ds1, ds2 *inventory.Object
}

func newLab(standing ...perms.Permission) lab {
	tree := inventory.NewTree()
	object := func(kind, name string, parent *inventory.Object) *inventory.Object {
		o := tree.Node(inventory.Ref{Type: kind, Value: name})
		o.Name, o.Parent = name, parent
		return o
	}
	root := object("Folder", "group-d1", nil)
	tree.SetRoot(root)
	dc := object("Datacenter", "DC1", root)
	stores, vms := object("Folder", "datastore", dc), object("Folder", "vm", dc)
	l := lab{vm: object("Folder", "cluster1", vms), ds1: object("Datastore", "ds1", stores), ds2: object("Datastore", "ds2", stores)}
	need := func(at *inventory.Object, s privileges.Scope, id string, propagate bool) access.Need {
		account := access.Account{Component: component.CSIDriver, Principal: access.Principal{Name: "csi@sso"}, Key: "csi@sso"}
		return access.Need{Row: &privileges.Row{Component: component.CSIDriver, Scope: s, Privilege: id}, Account: account, Place: at, Scope: s, Propagate: propagate}
	}
	inInventory := slices.DeleteFunc(slices.Clone(standing), func(p perms.Permission) bool { return p.Entity == inventory.Global.Ref })
	global := slices.DeleteFunc(slices.Clone(standing), func(p perms.Permission) bool { return p.Entity != inventory.Global.Ref })
	live := perms.Of("vc1", inInventory, access.Key).With(perms.Global{All: global}, access.Key)
	w := access.Permissions([]access.Need{need(l.ds1, privileges.ScopeDatastore, allocate, false), need(l.vm, privileges.ScopeFolder, create, true)})
	catalogue := []string{allocate, browse, "System.Anonymous", "System.Read", "System.View", create}
	l.Expected = &Expected{
		Wanted: w, Named: map[inventory.Ref]bool{l.ds1.Ref: true, l.vm.Ref: true}, Version: "8.0.3", Inventory: tree, Perms: live,
		Roles: roles.Of("vc1", []roles.Role{
			{ID: adminRole, Name: "Admin", System: true, Privileges: []string{allocate, browse, create}},
			{ID: datastore, Name: "ours-ds", Privileges: []string{allocate}},
			{ID: folder, Name: "ours-vm", Privileges: []string{create}},
			{ID: browser, Name: "browser", Privileges: []string{browse}},
		}, catalogue),
		Explain: func(who access.Subject, o *inventory.Object) []access.Evidence[perms.Permission] {
			on := func(at *inventory.Object) []perms.Permission { return live.On(at.Ref) }
			return access.Explain(who, o, on, func(p perms.Permission) access.Entry {
				return access.Entry{Key: p.Key, Group: p.Group, Propagate: p.Propagate}
			})
		},
		Standing: func(w *access.Permission) *perms.Permission {
			for _, p := range live.On(w.At.Ref) {
				if p.Key == w.Account.Key {
					return &p
				}
			}
			return nil
		},
		Administers: func(p perms.Permission) bool { return p.RoleID == adminRole && p.Entity == root.Ref },
	}
	w.Know(catalogue)
	w.Name(access.Naming{Matrix: &privileges.Matrix{Name: "default"}, Prefix: "ours", Cluster: "cluster1"})
	return l
}

func on(o, role string, id int32, propagate bool) perms.Permission {
	kind := map[bool]string{true: "Datastore", false: "Folder"}[strings.HasPrefix(o, "ds")]
	return perms.Permission{Entity: inventory.Ref{Type: kind, Value: o}, Principal: role, RoleID: id, Propagate: propagate}
}

// said is an object with its reasons on one line each.
func said(o Object) []string {
	all := []string{o.Path + " (" + o.Scope + ")"}
	for _, part := range []struct {
		what string
		ids  []string
	}{{"missing", o.Missing}, {"excess", o.Excess}, {"unknown", o.Unknown}} {
		if len(part.ids) > 0 {
			all = append(all, part.what+" "+strings.Join(part.ids, " "))
		}
	}
	for _, r := range o.Reasons {
		all = append(all, fmt.Sprintf("%s: %s", r.Why, r.Remedy))
	}
	return all
}

func implicit(more ...string) []string { return append(privileges.ImplicitIDs(), more...) }

// What is missing and in excess on an object has a reason, and what mends it.
func TestJudge(t *testing.T) {
	t.Parallel()
	const csi = "csi@sso"
	group := on("group-d1", "admins@sso", adminRole, true)
	group.Group = true
	right := []perms.Permission{on("ds1", csi, datastore, false), on("cluster1", csi, folder, true)}
	for name, c := range map[string]struct {
		standing []perms.Permission
		at       func(lab) *inventory.Object
		saw      func(lab) Seen
		groups   []string
		unseen   bool
		want     []string
	}{
		"as it must be": {
			standing: right, at: func(l lab) *inventory.Object { return l.ds1 }, saw: func(lab) Seen { return Seen{Held: implicit(allocate)} },
			want: []string{"/DC1/datastore/ds1 (datastore)"},
		},
		"no permission": {
			at: func(l lab) *inventory.Object { return l.ds1 }, saw: func(lab) Seen { return Seen{Held: implicit()} },
			want: []string{"/DC1/datastore/ds1 (datastore)", "missing " + allocate, "it has no permission on /DC1/datastore/ds1: fix it with apply"},
		},
		"another role": {
			standing: []perms.Permission{on("ds1", csi, browser, false)},
			at:       func(l lab) *inventory.Object { return l.ds1 }, saw: func(lab) Seen { return Seen{Held: implicit(browse)} },
			want: []string{
				"/DC1/datastore/ds1 (datastore)", "missing " + allocate, "excess " + browse,
				"the effective permission is browser of csi@sso on /DC1/datastore/ds1: fix it with apply", "through browser of csi@sso on /DC1/datastore/ds1: fix it with apply",
			},
		},
		"stops short, though nothing is below yet": {
			standing: []perms.Permission{right[0], on("cluster1", csi, folder, false)},
			at:       func(l lab) *inventory.Object { return l.vm }, saw: func(lab) Seen { return Seen{Held: implicit(create)} },
			want: []string{"/DC1/vm/cluster1 (folder)", "missing " + create, "its permission on /DC1/vm/cluster1 does not propagate: fix it with apply"},
		},
		"stops short, and what is above hands it down": {
			standing: []perms.Permission{right[0], on("cluster1", csi, folder, false), on("vm", csi, folder, true)},
			at:       func(l lab) *inventory.Object { return l.vm }, saw: func(lab) Seen { return Seen{Held: implicit(create)} },
			want: []string{"/DC1/vm/cluster1 (folder)"},
		},
		"hidden by what the matrix leaves out": {
			standing: right, at: func(l lab) *inventory.Object { return l.ds1 }, saw: func(l lab) Seen { return Seen{Held: implicit(allocate), Hidden: l.ds1.Parent} },
			want: []string{
				"/DC1/datastore/ds1 (datastore)", "missing Datastore.AllocateSpace System.Anonymous System.Read System.View",
				"it cannot find /DC1/datastore/ds1, because it cannot see /DC1/datastore: ask a vCenter administrator to grant it ReadOnly on /DC1, or use matrix default, which has a rule for ancestors (--matrix default)",
			},
		},
		"an administrator's": {
			standing: append(right, on("group-d1", csi, adminRole, true)), at: func(l lab) *inventory.Object { return l.ds2 },
			saw:  func(lab) Seen { return Seen{Held: []string{browse}} },
			want: []string{"/DC1/datastore/ds2 (below)", "excess " + browse, "through Admin of csi@sso on /: govc permissions.remove -principal csi@sso /"},
		},
		"through a group": {
			standing: append(right, group), groups: []string{access.Key("admins@sso", true)}, at: func(l lab) *inventory.Object { return l.ds2 },
			saw:  func(lab) Seen { return Seen{Held: []string{browse}} },
			want: []string{"/DC1/datastore/ds2 (below)", "excess " + browse, "through Admin of group admins@sso on /: remove the account from the group, or remove the group's permission"},
		},
		"through nothing that is listed": {
			standing: right, at: func(l lab) *inventory.Object { return l.ds2 }, saw: func(lab) Seen { return Seen{Held: []string{browse}} },
			want: []string{"/DC1/datastore/ds2 (below)", "excess " + browse, "no permission listed by vCenter explains it: check its groups"},
		},
		"through nothing that is listed, where global permissions are not": {
			standing: right, unseen: true, at: func(l lab) *inventory.Object { return l.ds2 }, saw: func(lab) Seen { return Seen{Held: []string{browse}} },
			want: []string{"/DC1/datastore/ds2 (below)", "excess " + browse, "no permission listed by vCenter explains it: check its groups and global permissions"},
		},
		"through a global permission": {
			standing: append(right, perms.Permission{Entity: inventory.Global.Ref, Principal: "admins@sso", Group: true, RoleID: adminRole, Propagate: true}),
			groups:   []string{access.Key("admins@sso", true)}, at: func(l lab) *inventory.Object { return l.ds2 },
			saw:  func(lab) Seen { return Seen{Held: []string{browse}} },
			want: []string{"/DC1/datastore/ds2 (below)", "excess " + browse, "through Admin of group admins@sso, a global permission: " + perms.GlobalRemedy},
		},
	} {
		l := newLab(c.standing...)
		if c.unseen {
			l.Perms.Unseen = perms.UnseenRelease
		}
		who := access.Subject{Key: access.Key(csi, false)}
		holder := access.Subject{Key: who.Key, Groups: c.groups}
		a := Account{Login: "ok"}
		o := c.at(l)
		passed := l.Judge(&a, Case{Who: who, Holder: holder, Objects: []*inventory.Object{o, o}}, map[*inventory.Object]Seen{o: c.saw(l)})
		if len(a.Objects) != 1 || passed != (len(c.want) == 1) {
			t.Fatalf("%s: passed %v: %+v", name, passed, a.Objects)
		}
		if diff := cmp.Diff(c.want, said(a.Objects[0])); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// What an account has where nothing needs it is in excess with its role, and so is all of an account that nobody names.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	l := newLab(on("ds1", "csi@sso", datastore, true), on("ds2", "csi@sso", browser, false), on("cluster1", "csi@sso", folder, true))
	var got []string
	for _, o := range l.Leftovers("csi@sso", func(perms.Permission) bool { return true }) {
		got = append(got, said(o)...)
	}
	for _, o := range l.Unneeded("csi@sso", false)[1:2] {
		got = append(got, said(o)...)
	}
	if diff := cmp.Diff([]string{
		"/DC1/datastore/ds1 (leftover)", "excess " + allocate, "its permission on /DC1/datastore/ds1 propagates (role ours-ds) but does not need to: fix it with apply",
		"/DC1/datastore/ds2 (leftover)", "excess " + browse, "its permission on /DC1/datastore/ds2 is not needed (role browser): remove it with apply --prune",
		"/DC1/datastore/ds2 (leftover)", "excess " + browse, "the account is not in the specification (role browser): remove it with apply --prune",
	}, got); diff != "" {
		t.Error(diff)
	}
	if all := l.Leftovers("csi@sso", func(perms.Permission) bool { return false }); len(all) > 0 {
		t.Errorf("others' permissions: %+v", all)
	}
}

// What an account that is put to use lacks is said by object, but for what the matrix lets nobody find.
func TestAccountPutToUse(t *testing.T) {
	t.Parallel()
	l := newLab()
	who := access.Subject{Key: "csi@sso"}
	if got := l.Lacking(who, map[*inventory.Object]Seen{l.ds1: {Held: implicit()}, l.vm: {Held: implicit(create)}}); len(got) != 1 || got[0] != allocate+" on /DC1/datastore/ds1" {
		t.Errorf("%q", got)
	}
	if got := l.Lacking(who, map[*inventory.Object]Seen{l.ds1: {Held: implicit(), Hidden: l.ds1.Parent.Parent}, l.vm: {Held: implicit(create)}}); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

// A reason that was renamed has no name any more that another renaming could bring back; one that was read has none to rename.
func TestRenamed(t *testing.T) {
	t.Parallel()
	var o Object
	o.because([]string{"X"}, remedyApply, "through %s on %s", named{"word", "it"}, named{"path", "/secret"})
	as := func(mark string) func(kind, text string) string {
		return func(kind, text string) string {
			if kind == "word" {
				return text
			}
			return mark + kind
		}
	}
	once, _ := o.Reasons[0].Renamed(as("1-")).(Reason)
	twice, _ := once.Renamed(func(_, text string) string { return text }).(Reason)
	if want := "through it on 1-path"; once.Why != want || twice.Why != want || o.Reasons[0].Why != "through it on /secret" {
		t.Errorf("%q, %q, of %q", once.Why, twice.Why, o.Reasons[0].Why)
	}
	if read, _ := (Reason{Why: "on /secret"}).Renamed(as("2-")).(Reason); read.Why != "2-text" {
		t.Errorf("%q", read.Why)
	}
}
