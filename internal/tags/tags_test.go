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
	have := func(on map[inventory.Ref][]Tag, all ...Tag) *State {
		s := &State{categories: map[string]string{}, ids: map[Tag]string{}, on: on}
		for _, t := range all {
			s.categories[t.Category], s.ids[t] = "c", "t"
		}
		return s
	}
	for name, tt := range map[string]struct {
		wants []Want
		have  *State
		want  string
	}{
		"nothing there": {[]Want{{eu, dc}, {a, c1}, {eu, dc}, {b, c2}}, have(nil),
			"tag openshift-region/eu on /DC1 (creates the category and the tag); tag openshift-zone/a on /DC1/C1 (creates the category and the tag); tag openshift-zone/b on /DC1/C2 (creates the tag)"},
		"all there":          {[]Want{{eu, dc}, {a, c1}}, have(map[inventory.Ref][]Tag{dc.Ref: {eu}, c1.Ref: {a}}, eu, a), ""},
		"above":              {[]Want{{eu, dc}}, have(map[inventory.Ref][]Tag{root.Ref: {eu}}, eu), ""},
		"another above":      {[]Want{{eu, dc}}, have(map[inventory.Ref][]Tag{root.Ref: {us}}, eu, us), "tag openshift-region/eu on /DC1"},
		"another there":      {[]Want{{eu, dc}}, have(map[inventory.Ref][]Tag{dc.Ref: {us}}, eu, us), "tag openshift-region/eu on /DC1: not attached: /DC1 has tag openshift-region/us"},
		"on hosts":           {[]Want{{a, nil}}, have(nil), "tag openshift-zone/a (creates the category and the tag)"},
		"on hosts, there":    {[]Want{{a, nil}}, have(nil, a), ""},
		"another's category": {[]Want{{b, c2}}, have(map[inventory.Ref][]Tag{c1.Ref: {a}}, a), "tag openshift-zone/b on /DC1/C2 (creates the tag)"},
	} {
		var got []string
		for _, c := range Changes(Diff(tt.wants, tt.have)) {
			got = append(got, c.Line())
		}
		if strings.Join(got, "; ") != tt.want {
			t.Errorf("%s: %s", name, strings.Join(got, "; "))
		}
	}
}
