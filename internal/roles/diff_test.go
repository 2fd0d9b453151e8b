package roles

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// lines are changes in words: verb, name, privileges before and after, note.
func lines(changes []*plan.Change) []string {
	var all []string
	for _, c := range changes {
		before, _ := c.Before.(plan.RoleState)
		after, _ := c.After.(plan.RoleState)
		text := fmt.Sprintf("%s %s: %s -> %s", c.Verb, c.Name, strings.Join(before.Privileges, " "), strings.Join(after.Privileges, " "))
		if c.Note != "" {
			text += " (" + c.Note + ")"
		}
		if c.Displaces {
			text += " displaces"
		}
		all = append(all, text)
	}
	return all
}

func TestDiff(t *testing.T) {
	t.Parallel()
	live := Of("vc1", []Role{
		{ID: 1, Name: "same", Privileges: []string{"A", "B"}},
		{ID: 2, Name: "less", Privileges: []string{"A"}}, // giving takes from nobody, whoever holds it
		{ID: 3, Name: "more", Privileges: []string{"A", "B", "C"}},
		{ID: -2, Name: "ReadOnly", System: true},
	}, nil)
	wants := []Want{
		{Name: "new", Privileges: []string{"A"}},
		{Name: "same", Privileges: []string{"A", "B"}},
		{Name: "less", Privileges: []string{"A", "B"}},
		{Name: "more", Privileges: []string{"A", "B"}},
	}
	held := func(id int32) []string { return map[int32][]string{2: {"us"}, 3: {"them", "us"}}[id] }
	others := func(id int32) []string { return map[int32][]string{2: {"them"}, 3: {"them"}}[id] }
	for name, c := range map[string]struct {
		options Options
		want    []string
	}{
		"nobody is named": {Options{}, []string{
			"create new:  -> A", "update less: A -> A B", "update more: A B C -> A B",
		}},
		"those who hold a role are named, and taking from others displaces": {Options{Affects: held, Strangers: others}, []string{
			"create new:  -> A", "update less: A -> A B (affects us)", "update more: A B C -> A B (affects them, us) displaces",
		}},
		"nothing is taken away": {Options{Additive: true, Strangers: others}, []string{
			"create new:  -> A", "update less: A -> A B",
		}},
	} {
		changes, err := Diff(wants, live, c.options)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := cmp.Diff(c.want, lines(changes)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		for _, change := range changes {
			if change.Provides != plan.Key("vc1", plan.Role, change.Name) {
				t.Errorf("%s: %s provides %q", name, change.Name, change.Provides)
			}
		}
	}
	for want, text := range map[string]string{
		"ReadOnly": "vc1: role ReadOnly is a system role and cannot be changed",
		"SAME":     "vc1: role SAME: there is already a role same, whose name differs only in case",
	} {
		if _, err := Diff([]Want{{Name: want}}, live, Options{}); err == nil || err.Error() != text {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	live := Of("vc1", []Role{{ID: 1, Name: "ours", Privileges: []string{"A"}}}, nil)
	r, _ := live.ByName("ours")
	c := live.Remove(r, "first")
	if d := cmp.Diff([]string{"delete ours: A -> "}, lines([]*plan.Change{c})); d != "" || len(c.Needs) != 1 || c.Needs[0] != "first" {
		t.Errorf("%s %v", d, c.Needs)
	}
	if live.Name(7) != "role 7" || live.Known("theirs") || !live.Known("ours") || !live.Reads(1) || live.Reads(7) {
		t.Error("a role that is not there")
	}
}

// What stays as it is, and what nobody wants, is said as well; it is no change.
func TestCompareSaysWhatStays(t *testing.T) {
	t.Parallel()
	live := Of("vc1", []Role{{ID: 1, Name: "ours", Privileges: []string{"A"}}, {ID: 2, Name: "theirs"}}, nil)
	all, err := Compare([]Want{{Name: "new"}, {Name: "ours", Privileges: []string{"A"}}}, live, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range all {
		name := "no role"
		if c.Live != nil {
			name = c.Live.Name
		}
		got = append(got, fmt.Sprintf("%s, wanted %v, changes %v", name, c.Want != nil, c.Change != nil))
	}
	if d := cmp.Diff([]string{"no role, wanted true, changes true", "ours, wanted true, changes false", "theirs, wanted false, changes false"}, got); d != "" {
		t.Error(d)
	}
}
