package estate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

func lab(t *testing.T, o vcsim.Options) *vcsim.Lab {
	t.Helper()
	l, err := vcsim.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

func target(l *vcsim.Lab, v *vcsim.VCenter) Target {
	return Target{
		Config: vcenter.Config{Server: v.Server(), Address: v.Addr(), RootCAs: l.CA},
		Login:  as(v.AdminUser(), v.AdminPassword()),
	}
}

func as(user, password string) func(context.Context, *vcenter.Session) error {
	return func(ctx context.Context, s *vcenter.Session) error { return s.Login(ctx, user, secret.New(password)) }
}

// What is captured holds all that the vCenter has, no text that is private, and is an estate that Parse takes.
func TestCapture(t *testing.T) {
	t.Parallel()
	l := lab(t, vcsim.Options{VCenters: 2, Linked: true, Without: []string{"Cns.Searchable"}})
	v := l.VCenters[0]
	if err := v.Directory().SetDisabled("backup-svc@vsphere.local", true); err != nil {
		t.Fatal(err)
	}
	for _, machines := range []bool{false, true} {
		e, all := Capture(context.Background(), []Target{target(l, v), target(l, l.VCenters[1])}, Options{Machines: machines})
		if all[0].Err != nil || all[1].Err != nil || e.VCenters[1].LinkedWith != e.VCenters[0].Server || len(e.VCenters) != 2 {
			t.Fatalf("%+v", all)
		}
		got := e.VCenters[0]
		if got.Domain != "vsphere.local" || !slices.Equal(got.Without, []string{"Cns.Searchable"}) || got.Knows != nil {
			t.Errorf("%+v", got)
		}
		if diff := cmp.Diff([]Source{{"corp.example.com", "CORP", "ActiveDirectory"}}, got.Sources); diff != "" {
			t.Error(diff)
		}
		for _, dc := range v.Estate().Datacenters {
			for _, p := range slices.Concat(dc.Folders, dc.Datastores, dc.Templates, dc.Clusters[0].Pools) {
				if !slices.ContainsFunc(got.Objects, func(o Object) bool { return o.Path == p }) {
					t.Errorf("%s is missing", p)
				}
			}
			for _, p := range dc.VMs {
				if has := slices.ContainsFunc(got.Objects, func(o Object) bool { return o.Path == p }); has != machines {
					t.Errorf("machines %t: %s is there: %t", machines, p, has)
				}
			}
		}
		if !slices.Contains(got.Users, User{Name: "backup-svc@vsphere.local", Disabled: true}) {
			t.Errorf("%+v", got.Users)
		}
		members := Group{"vm-admins@vsphere.local", []string{"backup-svc@vsphere.local"}, []string{"Infra Team@corp.example.com"}}
		if !slices.ContainsFunc(got.Groups, func(g Group) bool { return cmp.Equal(g, members) }) {
			t.Errorf("%+v", got.Groups)
		}
		text := string(e.YAML())
		again, err := Parse("again", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(e, again); diff != "" {
			t.Error(diff)
		}
		for _, private := range []string{v.AdminPassword(), "F0reign!pass", "ticket 4711", "made by hand", "everybody who runs machines"} {
			if strings.Contains(text, private) {
				t.Errorf("%q is in the estate", private)
			}
		}
	}
}

// Global permissions are captured from 9.0 on, and said to be unknown before.
func TestCaptureGlobalPermissions(t *testing.T) {
	t.Parallel()
	l := lab(t, vcsim.Options{VCenters: 2, Releases: []string{"9.0", "8.0.1"}})
	for _, v := range l.VCenters {
		if err := v.GrantGlobally(vcsim.Permission{Principal: "backup-svc@vsphere.local", Role: "ReadOnly", Propagate: true}); err != nil {
			t.Fatal(err)
		}
	}
	e, all := Capture(context.Background(), []Target{target(l, l.VCenters[0]), target(l, l.VCenters[1])}, Options{})
	want := []Permission{
		{Object: "global", Principal: "Administrator@vsphere.local", Role: "Admin", Propagate: true},
		{Object: "global", Principal: "Administrators@vsphere.local", Group: true, Role: "Admin", Propagate: true},
		{Object: "global", Principal: "backup-svc@vsphere.local", Role: "ReadOnly", Propagate: true},
	}
	got := slices.DeleteFunc(slices.Clone(e.VCenters[0].Permissions), func(p Permission) bool { return p.Object != "global" })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if slices.ContainsFunc(e.VCenters[0].Permissions, func(p Permission) bool { return p.Object == "/" && p.Principal == want[2].Principal }) {
		t.Error("it is on the root folder too")
	}
	if note := perms.NotKnown(perms.UnseenRelease); !slices.Contains(all[1].Notes, note) || slices.Contains(all[0].Notes, note) {
		t.Errorf("%q, %q", all[0].Notes, all[1].Notes)
	}
	if _, err := Parse("again", e.YAML()); err != nil {
		t.Error(err)
	}
}

// The whole inventory is one request, whatever its size.
func TestCaptureAsksLittle(t *testing.T) {
	t.Parallel()
	count := func(objects int) map[string]int {
		l := lab(t, vcsim.Options{Estate: vcsim.EstateOptions{Objects: objects}})
		l.VCenters[0].ResetRequests()
		if _, all := Capture(context.Background(), []Target{target(l, l.VCenters[0])}, Options{Machines: true}); all[0].Err != nil {
			t.Fatal(all[0].Err)
		}
		return l.VCenters[0].Requests()
	}
	small, large := count(0), count(300)
	if diff := cmp.Diff(small, large); diff != "" {
		t.Errorf("(-few machines +300 more)\n%s", diff)
	}
	if n := small["RetrievePropertiesEx"]; n != 2 { // the inventory, and the roles
		t.Errorf("%d requests for properties: %v", n, small)
	}
}

// What cannot be had is left out with a note, and the rest is an estate all the same.
func TestCaptureNotes(t *testing.T) {
	t.Parallel()
	l := lab(t, vcsim.Options{Estate: vcsim.EstateOptions{Contents: []vcsim.Contents{{
		Sources: []directory.IdentitySource{{Name: "old.example.com", Type: "ActiveDirectory"}},
		Users:   []vcsim.Account{{Name: "reader@vsphere.local"}},
		Objects: []vcsim.Object{
			{Path: "/DC", Type: "Datacenter"},
			{Path: "/DC/host/esx", Type: "ComputeResource"},
			{Path: "/DC/datastore/ds", Type: "Datastore"},
			{Path: "/DC/vm/line\nbreak", Type: "VirtualMachine"},
		},
		Permissions: []vcsim.Permission{
			{Path: "/", Principal: "reader@vsphere.local", Role: "Admin", Propagate: true},
			{Path: "/DC/vm/line\nbreak", Principal: "bob@old.example.com", Role: "ReadOnly"},
			{Path: "/DC", Principal: "eve@old.example.com", Role: "ReadOnly"},
		},
	}}}})
	v := l.VCenters[0]
	const password = "Reader!pass1"
	if err := v.Directory().SetPassword("reader@vsphere.local", password); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	who := target(l, v)
	who.Login = as("reader@vsphere.local", password)
	for machines, want := range map[bool][]string{
		false: {"reader may not administer SSO", "permissions on virtual machines are omitted with the machines (1): include them with --machines"},
		true:  {"reader may not administer SSO", "the name cannot be written"},
	} {
		e, all := Capture(ctx, []Target{who}, Options{Machines: machines})
		if all[0].Err != nil {
			t.Fatal(all[0].Err)
		}
		notes := strings.Join(all[0].Notes, "\n")
		for _, text := range want {
			if !strings.Contains(notes, text) {
				t.Errorf("machines %t: %q is missing in\n%s", machines, text, notes)
			}
		}
		if _, err := Parse("notes", e.YAML()); err != nil {
			t.Error(err)
		}
		if !slices.Contains(e.VCenters[0].Permissions, Permission{Object: "/DC", Principal: "eve@old.example.com", Role: "ReadOnly"}) {
			t.Errorf("%+v", e.VCenters[0].Permissions)
		}
	}
}

// A vCenter tells of so many accounts and no more: whoever may have missed some says so.
func TestCaptureOfManyAccounts(t *testing.T) {
	t.Parallel()
	l := lab(t, vcsim.Options{Estate: vcsim.EstateOptions{Contents: []vcsim.Contents{{}}}})
	for i := range atMost {
		if err := l.VCenters[0].Directory().AddUser(fmt.Sprintf("user%d@vsphere.local", i), "", directory.Details{}); err != nil {
			t.Fatal(err)
		}
	}
	e, all := Capture(context.Background(), []Target{target(l, l.VCenters[0])}, Options{})
	if all[0].Err != nil || len(e.VCenters[0].Users) < atMost-1 || !strings.Contains(strings.Join(all[0].Notes, "\n"), "accounts of the SSO domain may be missing") {
		t.Errorf("%v, %q", all[0].Err, all[0].Notes)
	}
}

// One vCenter that refuses stops nobody else; where none can be read there is no estate.
func TestCaptureOfSome(t *testing.T) {
	t.Parallel()
	l := lab(t, vcsim.Options{VCenters: 2})
	wrong := target(l, l.VCenters[0])
	wrong.Login = as(l.VCenters[0].AdminUser(), "wrong")
	e, all := Capture(context.Background(), []Target{wrong, target(l, l.VCenters[1])}, Options{})
	if !errors.Is(all[0].Err, vcenter.ErrLogin) || all[1].Err != nil || len(e.VCenters) != 1 || e.VCenters[0].Server != l.VCenters[1].Server() || e.VCenters[0].LinkedWith != "" {
		t.Errorf("%v, %v: %+v", all[0].Err, all[1].Err, e)
	}
	if e, _ := Capture(context.Background(), []Target{wrong}, Options{}); e != nil {
		t.Errorf("%+v", e)
	}
}

// With other names an estate says the same: no old name is left, equal names stay equal, and the structure is the old one.
func TestReplace(t *testing.T) {
	t.Parallel()
	l := lab(t, vcsim.Options{VCenters: 2, Domain: "corp-sso.internal", Estate: vcsim.EstateOptions{Seed: 11, Foreign: true}})
	e, all := Capture(context.Background(), []Target{target(l, l.VCenters[0]), target(l, l.VCenters[1])}, Options{Machines: true})
	if e == nil {
		t.Fatal(all)
	}
	const seed = 5
	other := e.Replace(rand.New(rand.NewPCG(seed, seed)).Shuffle)
	if _, err := Parse("other", other.YAML()); err != nil {
		t.Fatal(err)
	}
	words := strings.FieldsFunc(string(other.YAML()), func(r rune) bool { return strings.ContainsRune("/@\n:\"' ", r) })
	for _, v := range e.VCenters {
		for _, o := range v.Objects {
			name := o.Path[strings.LastIndex(o.Path, "/")+1:]
			if slices.Contains(words, name) {
				t.Errorf("%s is still there", name)
			}
		}
	}
	for _, gone := range []string{"corp-sso", "corp.example", "CORP", "alice", "Infra", "backup", "openshift-legacy", "console user"} {
		if strings.Contains(string(other.YAML()), gone) {
			t.Errorf("%s is still there", gone)
		}
	}
	for _, stays := range []string{"Administrator@domain", "/vm/", "/Resources", "role: ReadOnly", "type: Datacenter"} {
		if !strings.Contains(string(other.YAML()), stays) {
			t.Errorf("%s is gone", stays)
		}
	}
	// The way back leads to the same estate: nothing was mixed up.
	n := collectNames(e)
	n.deal(rand.New(rand.NewPCG(seed, seed)).Shuffle)
	back := names{
		turned(t, n.servers), turned(t, n.domains), turned(t, n.aliases), turned(t, n.principals), turned(t, n.roles), turned(t, n.objects), turned(t, n.tags),
	}
	var again []VCenter
	for _, v := range other.VCenters {
		again = append(again, back.vcenter(v))
	}
	slices.SortFunc(again, func(a, b VCenter) int { return strings.Compare(a.Server, b.Server) })
	for i := range again {
		again[i].fold()
		e.VCenters[i].fold()
	}
	if diff := cmp.Diff(e.VCenters, again); diff != "" {
		t.Errorf("(-before +there and back)\n%s", diff)
	}
}

// turned is the way from replacements to names.
func turned(t *testing.T, names map[string]string) map[string]string {
	t.Helper()
	back := map[string]string{}
	for name, replacement := range names {
		key := strings.ToLower(replacement)
		if back[key] != "" {
			t.Errorf("%s stands for %s and for %s", replacement, name, back[key])
		}
		back[key] = name
	}
	return back
}

// fold takes the case out of names whose case does not count.
func (v *VCenter) fold() {
	for i := range v.Sources {
		v.Sources[i].Alias = strings.ToLower(v.Sources[i].Alias)
	}
	lower := func(list []string) {
		for i := range list {
			list[i] = strings.ToLower(list[i])
		}
		slices.Sort(list)
	}
	for i := range v.Users {
		v.Users[i].Name = strings.ToLower(v.Users[i].Name)
	}
	for i := range v.Groups {
		v.Groups[i].Name = strings.ToLower(v.Groups[i].Name)
		lower(v.Groups[i].Users)
		lower(v.Groups[i].Groups)
	}
	for i := range v.Permissions {
		v.Permissions[i].Principal = strings.ToLower(v.Permissions[i].Principal)
	}
	for i := range v.Objects {
		slices.Sort(v.Objects[i].Hosts)
	}
	v.sort()
}
