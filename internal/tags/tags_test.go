package tags

import (
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
)

// A tag is missing unless it is the nearest of its category; what is made for the first that wants it is there for the next.
func TestDiff(t *testing.T) {
	t.Parallel()
	root := &inventory.Object{Ref: inventory.Ref{Type: "Folder", Value: "group-d1"}}
	new(inventory.Tree).SetRoot(root)
	dc := &inventory.Object{Ref: inventory.Ref{Type: "Datacenter", Value: "dc"}, Name: "DC1", Parent: root}
	c1 := &inventory.Object{Ref: inventory.Ref{Type: "ClusterComputeResource", Value: "c1"}, Name: "C1", Parent: dc}
	c2 := &inventory.Object{Ref: inventory.Ref{Type: "ClusterComputeResource", Value: "c2"}, Name: "C2", Parent: dc}
	eu, us, a, b := Tag{Region, "eu"}, Tag{Region, "us"}, Tag{Zone, "a"}, Tag{Zone, "b"}
	want := func(t Tag, o *inventory.Object) Want { return Want{Tag: t, Object: o} }
	have := func(on map[inventory.Ref][]Tag, all ...Tag) *State {
		s := &State{categories: map[string]string{}, ids: map[Tag]string{}, on: on}
		for _, t := range all {
			s.categories[t.Category], s.ids[t] = "c", "t"
		}
		return s
	}
	other := func(name, on string) string {
		return on + " has tag openshift-region/" + name + "; if no other cluster or policy uses it there, detach it and run apply again: " +
			"govc tags.detach -c openshift-region " + name + " '" + on + "'"
	}
	for name, tt := range map[string]struct {
		wants []Want
		have  *State
		want  string
	}{
		"nothing there": {
			[]Want{want(eu, dc), want(a, c1), want(eu, dc), want(b, c2)},
			have(nil),
			"tag openshift-region/eu on /DC1 (creates the category and the tag); tag openshift-zone/a on /DC1/C1 (creates the category and the tag); tag openshift-zone/b on /DC1/C2 (creates the tag)",
		},
		"all there":     {[]Want{want(eu, dc), want(a, c1)}, have(map[inventory.Ref][]Tag{dc.Ref: {eu}, c1.Ref: {a}}, eu, a), ""},
		"above":         {[]Want{want(eu, dc)}, have(map[inventory.Ref][]Tag{root.Ref: {eu}}, eu), ""},
		"another above": {[]Want{want(eu, dc)}, have(map[inventory.Ref][]Tag{root.Ref: {us}}, eu, us), "tag openshift-region/eu on /DC1"},
		"another there": {[]Want{want(eu, dc)}, have(map[inventory.Ref][]Tag{dc.Ref: {us}}, eu, us), "tag openshift-region/eu on /DC1: not attached: " + other("us", "/DC1")},
		"another beside": {
			[]Want{want(eu, dc)},
			have(map[inventory.Ref][]Tag{dc.Ref: {eu, us}}, eu, us),
			"tag openshift-region/eu on /DC1: not attached: " + other("us", "/DC1"),
		},
		"another below": {
			[]Want{{Tag: eu, Object: dc, From: c1}, {Tag: eu, Object: dc, From: c2}},
			have(map[inventory.Ref][]Tag{c2.Ref: {us}}, eu, us),
			"tag openshift-region/eu on /DC1; tag openshift-region/eu on /DC1: not attached: " + other("us", "/DC1/C2"),
		},
		"on hosts":           {[]Want{want(a, nil)}, have(nil), "tag openshift-zone/a (creates the category and the tag)"},
		"on hosts, there":    {[]Want{want(a, nil)}, have(nil, a), ""},
		"another's category": {[]Want{want(b, c2)}, have(map[inventory.Ref][]Tag{c1.Ref: {a}}, a), "tag openshift-zone/b on /DC1/C2 (creates the tag)"},
	} {
		var got []string
		steps, stays := Diff(tt.wants, tt.have)
		for _, c := range Changes(steps) {
			got = append(got, c.Line())
		}
		for _, f := range stays {
			got = append(got, f.String())
		}
		if strings.Join(got, "; ") != tt.want {
			t.Errorf("%s: %s", name, strings.Join(got, "; "))
		}
	}
}

// An object is to have one tag of a category, itself or for the machines of what is below it.
func TestContradictions(t *testing.T) {
	t.Parallel()
	root := &inventory.Object{Ref: inventory.Ref{Type: "Folder", Value: "group-d1"}}
	new(inventory.Tree).SetRoot(root)
	dc := &inventory.Object{Ref: inventory.Ref{Type: "Datacenter", Value: "dc"}, Name: "DC1", Parent: root}
	c1 := &inventory.Object{Ref: inventory.Ref{Type: "ClusterComputeResource", Value: "c1"}, Name: "C1", Parent: dc}
	eu, us, a, b := Tag{Region, "eu"}, Tag{Region, "us"}, Tag{Zone, "a"}, Tag{Zone, "b"}
	for name, tt := range map[string]struct {
		wants []Want
		want  string
	}{
		"none":       {[]Want{{eu, dc, c1, "x"}, {a, c1, c1, "x"}, {eu, dc, c1, "y"}, {b, nil, nil, "y"}, {a, nil, nil, "x"}}, ""},
		"regions":    {[]Want{{eu, dc, c1, "x"}, {us, dc, c1, "y"}, {eu, dc, c1, "z"}}, "/DC1 cannot have both openshift-region/eu (failure domains x, z) and openshift-region/us (failure domain y)"},
		"zones":      {[]Want{{a, c1, c1, "x"}, {b, c1, c1, "y"}}, "/DC1/C1 cannot have both openshift-zone/a (failure domain x) and openshift-zone/b (failure domain y)"},
		"host group": {[]Want{{eu, dc, c1, "x"}, {us, c1, c1, "y"}}, "/DC1/C1 cannot have both openshift-region/eu (failure domain x) and openshift-region/us (failure domain y)"},
	} {
		var got []string
		for _, c := range Contradictions(tt.wants) {
			got = append(got, c.Text)
		}
		if strings.Join(got, "; ") != tt.want {
			t.Errorf("%s: %s", name, strings.Join(got, "; "))
		}
	}
}
