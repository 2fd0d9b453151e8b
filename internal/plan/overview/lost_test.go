package overview_test

import (
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan/overview"
)

const newFolder = "openshift-machine-api-folder-aaaaaa"

// moved is a permission that gets another role.
func moved(principal, object, from, to string, gains, loses []string) *plan.Change {
	c := grant(principal, object, to, true)
	c.Verb, c.Before, c.Gains, c.Loses = plan.Update, plan.PermissionState{Role: from, Propagate: true}, gains, loses
	return c
}

// A role that takes another one's place says what it changes, and who loses what is in the attention part, once.
func TestMapOfReplacedRoles(t *testing.T) {
	gains, loses := []string{"G.H"}, []string{"A.B"}
	p := plan.New("c")
	for _, server := range []string{"vc1", "vc2"} {
		p.Add(server, []*plan.Change{
			role(plan.Create, newFolder, "C.D", "E.F", "G.H"),
			moved(machines, "/DC1/vm/a", folder, newFolder, gains, loses),
			moved(machines, "/DC1/vm/b", folder, newFolder, gains, loses),
			moved(storage, "/DC1/vm/b", folder, newFolder, gains, loses),
			role(plan.Delete, folder, "A.B", "C.D", "E.F"),
		}, nil)
	}
	for _, width := range []int{80, 120} {
		text := drawn(t, p, overview.Options{Width: width})
		_, rows, _ := strings.Cut(text, "\nroles  ")
		expect(t, `                                vc1  vc2
+ openshift-machine-api-folder-aaaaaa  +    +    3 privileges
    instead of openshift-machine-api-folder-f065b3: +G.H -A.B
- openshift-machine-api-folder-f065b3  -    -
`, upTo(rows, "\n\npermissions"))
		_, text, _ = strings.Cut(text, "\nattention\n")
		for _, s := range strings.Fields("! both vCenters: ocp-c-machine-api@vsphere.local on /DC1/vm/a, /DC1/vm/b; ocp-c-csi-driver@vsphere.local on /DC1/vm/b: loses A.B") {
			if !strings.Contains(text, s) {
				t.Errorf("%q is not in\n%s", s, text)
			}
		}
		if strings.Count(text, "loses") != 1 {
			t.Errorf("said more than once, or never:\n%s", text)
		}
	}
}

// What does not fit a line is a number, all of it is there with --privileges; an update of a role is told like a replacement.
func TestManyPrivilegesOfReplacedRoles(t *testing.T) {
	var gains []string
	for _, c := range "ABCDEFGHIJ" {
		gains = append(gains, "VirtualMachine.Config.Some"+string(c))
	}
	p := plan.New("c")
	p.Add("vc1", []*plan.Change{
		role(plan.Create, newFolder, gains...), moved(machines, "/DC1/vm/a", folder, newFolder, gains, []string{"A.B"}),
		role(plan.Update, "shared", append(gains[:3:3], "Datastore.Browse")...),
	}, nil)
	text := drawn(t, p, overview.Options{Width: 80})
	for _, want := range []string{
		"\n    instead of openshift-machine-api-folder-f065b3: +10 -1 privileges\n", "\n~ shared                               +3 -1 privileges\n",
		"\n! " + machines + " on /DC1/vm/a: loses A.B\n", "role shared: loses Old.One\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	wide := drawn(t, p, overview.Options{Width: 200})
	if !strings.Contains(wide, "  +VirtualMachine.Config.SomeA +VirtualMachine.Config.SomeB +VirtualMachine.Config.SomeC -Old.One\n") {
		t.Errorf("an update that fits:\n%s", wide)
	}
	all := drawn(t, p, overview.Options{Width: 80, Privileges: true})
	for _, id := range gains {
		if !strings.Contains(all, "+"+id) {
			t.Errorf("+%s is not in\n%s", id, all)
		}
	}
}

// An account that goes loses nothing that is worth a word, nor does a displaced role of others become "instead of"; many
// privileges are a number and a role.
func TestLossesOfOtherKinds(t *testing.T) {
	var many []string
	for _, c := range "ABCDEFGHIJKLMNOP" {
		many = append(many, "Some."+string(c))
	}
	taken := func(principal string, loses ...string) *plan.Change {
		return &plan.Change{
			Verb: plan.Delete, Kind: plan.Permission, Object: "/DC1/vm/a", Principal: principal, Loses: loses,
			Before: plan.PermissionState{Role: folder},
		}
	}
	displaced := moved(storage, "/DC1", "Backup", newFolder, []string{"C.D"}, []string{"X.Y"})
	displaced.Displaces = true
	p := plan.New("c")
	p.Add("vc1", []*plan.Change{taken(machines, many...), taken("gone@d", "A.B"), taken("blind@d", "System.Anonymous", "System.Read", "System.View"), role(plan.Create, newFolder, "C.D"), displaced}, nil)
	p.Add("vc2", []*plan.Change{{Verb: plan.Delete, Kind: plan.User, Name: "GONE@d"}}, nil)
	text := drawn(t, p, overview.Options{Width: 200})
	if !strings.Contains(text, "on /DC1/vm/a: loses 16 privileges of role "+folder+"\n") || !strings.Contains(text, "on /DC1: loses X.Y\n") {
		t.Error(text)
	}
	if !strings.Contains(text, "blind@d on /DC1/vm/a: loses its permission ("+folder+") and no longer sees it\n") {
		t.Error(text)
	}
	if strings.Contains(text, "loses A.B") || strings.Contains(text, "instead of") {
		t.Error(text)
	}
}
