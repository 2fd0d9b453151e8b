package verify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// What accounts do not see is one cause, however many privileges are of no use because of it: it is said once, for all who have
// it, with the matrix that has the rule. The objects keep all of it.
func TestUnseen(t *testing.T) {
	t.Parallel()
	l := newLab()
	who := access.Subject{Key: "csi@sso"}
	judged := func(c component.Name, hidden *inventory.Object) Account {
		a := Account{Component: string(c), Principal: "p", Login: login.OK}
		l.Judge(&a, Case{Who: who, Holder: who, Objects: []*inventory.Object{l.ds1, l.vm}}, map[*inventory.Object]Seen{
			l.ds1: {Held: implicit(allocate), Hidden: hidden}, l.vm: {Held: implicit(create), Hidden: hidden},
		})
		return a
	}
	dc := l.ds1.Parent.Parent
	vc := VCenter{Server: "vc1", Accounts: []Account{judged(component.CSIDriver, dc), judged(component.MachineAPI, dc), judged(component.Installer, nil)}}
	var got []string
	for _, u := range vc.Unseen() {
		got = append(got, fmt.Sprintf("%s: %s; %s", strings.Join(u.Components, ", "), u, u.Remedy))
	}
	for _, a := range vc.Accounts {
		got = append(got, fmt.Sprintf("%s: %d objects, %d to mend", a.Component, len(a.Objects), len(a.ToMend())))
	}
	s, err := spec.FromServers([]string{"vc1"})
	if err != nil {
		t.Fatal(err)
	}
	line := func(name string, own ...string) string { return strings.Join(append([]string{name}, own...), " ") }
	for _, f := range (&Result{VCenters: []VCenter{vc}}).Failings(s, line)[:1] {
		got = append(got, f.Text+": "+strings.Join(f.Remedies, ": "))
	}
	const remedy = "ask a vCenter administrator to grant it ReadOnly on /DC1, or use matrix default, which has a rule for ancestors (--matrix default)"
	if diff := cmp.Diff([]string{
		"csi-driver, machine-api: cannot see /DC1 (no ReadOnly there), so 16 privileges on 2 objects from there down are of no use; " + remedy,
		"csi-driver: 2 objects, 0 to mend", "machine-api: 2 objects, 0 to mend", "installer: 2 objects, 0 to mend",
		"p on vc1 cannot see /DC1 (no ReadOnly there), so 8 privileges on 2 objects from there down are of no use: " + remedy + ": to see what matrix default changes: plan --matrix default",
	}, got); diff != "" {
		t.Error(diff)
	}
	if missing := vc.Accounts[0].Objects[0].Missing; len(missing) != 4 {
		t.Errorf("%q", missing)
	}
}

// The same is known before anything is written, and what else a component cannot do is told apart.
func TestUnseenBefore(t *testing.T) {
	t.Parallel()
	l := newLab()
	all := l.Expected.Unseen([]component.Name{component.CSIDriver}, access.Subject{Key: "csi@sso"})
	if len(all) != 1 || all[0].Path != "/" || all[0].Privileges != 8 || len(all[0].Objects) != 2 || all[0].Matrix != "default" {
		t.Errorf("%+v", all)
	}
	left := Unexplained([]Cannot{{Does: "find", HiddenBy: "/"}, {Does: "read", HiddenBy: "/DC1"}, {Does: "tag", Missing: []string{allocate}}}, all)
	if got := Cannots(left); got != "read (it does not see /DC1); tag (Datastore.AllocateSpace on )" {
		t.Errorf("%q", got)
	}
	if m := sighted([]component.Name{component.ClusterAPI, component.MachineAPI}); m != "default" {
		t.Errorf("%q", m)
	}
}
