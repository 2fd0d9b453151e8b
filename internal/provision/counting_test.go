package provision

import (
	"slices"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
)

// Progress says how many of all changes of a vCenter are made, and how many will not be.
func TestCounting(t *testing.T) {
	t.Parallel()
	changes := []*plan.Change{
		{Verb: plan.Create, Kind: plan.Role, Name: "a"}, // by the stage before
		{Verb: plan.Create, Kind: plan.Role, Name: "b"},
		{Verb: plan.Delete, Kind: plan.Role, Name: "c"},
		{Verb: plan.Create, Kind: plan.Role, Name: "d"},
	}
	p := plan.New("c")
	p.Add("vc1", changes, nil)
	steps := plan.Steps{}
	steps.Do(changes[0], nil).Status = plan.Done
	p.Execute(t.Context(), steps, plan.ExecuteOptions{Only: func(*plan.Change) bool { return false }})
	var said []string
	j := &Job{o: Options{Progress: func(server, step string) { said = append(said, server+" "+step) }}}
	done := j.counting(p)
	for i, status := range []plan.Status{plan.Done, plan.Failed, plan.Done} {
		done("vc1", &plan.Step{Change: changes[1+i], Status: status})
	}
	want := []string{
		"vc1 2 of 4 changes made: + role b", "vc1 2 of 4 changes made, 1 not made", "vc1 3 of 4 changes made, 1 not made: + role d",
	}
	if !slices.Equal(said, want) {
		t.Errorf("%q", said)
	}
}
