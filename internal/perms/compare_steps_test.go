package perms

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// Steps say which privileges are gained and lost on their object, whatever the roles are called. What is inherited from a wanted
// permission further up is not lost where one goes; a permission that is new or only propagates otherwise says nothing.
func TestDiffSaysWhatIsGainedAndLost(t *testing.T) {
	t.Parallel()
	top := &inventory.Object{Ref: inventory.Ref{Type: "Folder", Value: "a"}, Name: "a"}
	below := &inventory.Object{Ref: inventory.Ref{Type: "Folder", Value: "b"}, Name: "b", Parent: top}
	roles := held{1: {"old", "A", "B"}, 2: {"new", "B", "C"}, 3: {"former", "A"}, 4: {"read"}}
	place := func(r inventory.Ref) (string, string) {
		return map[string]string{"a": top.Path(), "b": below.Path()}[r.Value], ""
	}
	on := func(o *inventory.Object, role int32) Permission {
		return Permission{Entity: o.Ref, Principal: "me@d", RoleID: role}
	}
	want := func(propagate bool) Want {
		return Want{At: top, Principal: "me@d", Key: "me@d", Role: "new", Holds: []string{"B", "C"}, Propagate: propagate}
	}
	mine := map[string]string{"me@d": "me@d"}
	for name, c := range map[string]struct {
		want         []Want
		live         []Permission
		options      Options
		gains, loses []string
	}{
		"new":                            {want: []Want{want(true)}},
		"only propagates":                {want: []Want{want(true)}, live: []Permission{on(top, 2)}},
		"another role":                   {want: []Want{want(false)}, live: []Permission{on(top, 1)}, gains: []string{"C"}, loses: []string{"A"}},
		"goes":                           {want: []Want{want(false)}, live: []Permission{on(top, 2), on(below, 1)}, loses: []string{"A", "B", "System.Anonymous", "System.Read", "System.View"}},
		"goes, and only read":            {want: []Want{want(false)}, live: []Permission{on(top, 2), on(below, 4)}, loses: []string{"System.Anonymous", "System.Read", "System.View"}},
		"goes, and reads from above":     {want: []Want{want(true)}, live: []Permission{{Entity: top.Ref, Principal: "me@d", RoleID: 2, Propagate: true}, on(below, 4)}},
		"goes, and inherits some of it":  {want: []Want{want(true)}, live: []Permission{{Entity: top.Ref, Principal: "me@d", RoleID: 2, Propagate: true}, on(below, 1)}, loses: []string{"A"}},
		"what was before it comes back ": {live: []Permission{on(below, 1)}, options: Options{Former: func(Permission) (plan.PermissionState, bool) { return plan.PermissionState{Role: "former"}, true }}, loses: []string{"B"}},
	} {
		c.options.Place, c.options.Owned = place, mine
		steps := Diff(c.want, Of("vc1", c.live, named), roles, c.options)
		if len(steps) != 1 {
			t.Errorf("%s: steps %q", name, said(steps))
			continue
		}
		if d := cmp.Diff([][]string{c.gains, c.loses}, [][]string{steps[0].Gains, steps[0].Loses}); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	for _, s := range Of("vc1", []Permission{on(below, 1)}, named).Removals(func(Permission) string { return "me@d" }, roles, Options{Place: place}) {
		if s.Loses != nil {
			t.Errorf("taking everything back says that %q is lost", s.Loses)
		}
	}
}
