package vcsim

import (
	"slices"
	"strings"
	"testing"

	finding "github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/vapi/tags"
)

// The tags of contents are there for clients of the REST API as any others.
func TestTagsOfContents(t *testing.T) {
	c := Contents{
		Objects: []Object{
			{Path: "/DC", Type: "Datacenter"},
			{Path: "/DC/host/a", Type: "ClusterComputeResource", Hosts: []string{"esx1.example.com"}},
			{Path: "/DC/host/b", Type: "ClusterComputeResource"},
		},
		Tags: []Tag{
			{Category: "openshift-region", Name: "eu", Objects: []string{"/DC"}},
			{Category: "openshift-zone", Name: "eu-a", Objects: []string{"/DC/host/a"}},
			{Category: "openshift-zone", Name: "eu-b", Objects: []string{"/DC/host/b"}},
			{Category: "openshift-zone", Name: "eu", Objects: []string{"/DC/host/a"}},
			{Category: "unused", Name: "later"},
			{Category: "empty"},
		},
	}
	v := start(t, Options{Estate: EstateOptions{Contents: []Contents{c}}}).VCenters[0]
	m, f := tagger(t, v, v.AdminUser(), v.AdminPassword()), finding.NewFinder(admin(t, v))
	for path, want := range map[string][]string{
		"/DC": {"openshift-region eu"}, "/DC/host/a": {"openshift-zone eu", "openshift-zone eu-a"}, "/DC/host/b": {"openshift-zone eu-b"},
	} {
		object := must(f.ManagedObjectList(t.Context(), path))[0].Object.Reference()
		var got []string
		for _, g := range must(m.GetAttachedTags(t.Context(), object)) {
			got = append(got, must(m.GetCategory(t.Context(), g.CategoryID)).Name+" "+g.Name)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v", path, got)
		}
	}
	for category, want := range map[string]int{"openshift-zone": 3, "unused": 1, "empty": 0} {
		if list, err := m.GetTagsForCategory(t.Context(), category); err != nil || len(list) != want {
			t.Errorf("%s: %v, %v", category, list, err)
		}
	}
	c.Tags = []Tag{{Category: "openshift-region", Name: "eu", Objects: []string{"/DC2"}}}
	if l, err := Start(Options{Estate: EstateOptions{Contents: []Contents{c}}}); err == nil {
		l.Close()
		t.Error("a tag of an object that is not there")
	}
}

// A login that may not read tags is told of none: a refusal would look like a login without a session.
func TestListsOfTagsWithoutRights(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	all := tagger(t, v, v.AdminUser(), v.AdminPassword())
	category := must(all.CreateCategory(t.Context(), &tags.Category{Name: "hidden", Cardinality: "SINGLE"}))
	tag := must(all.CreateTag(t.Context(), &tags.Tag{Name: "hidden", CategoryID: category}))
	account(t, v, "nobody", must(finding.NewFinder(admin(t, v)).Datacenter(t.Context(), "/DC1")).Reference())
	m := tagger(t, v, "nobody@vsphere.local", rigPassword)
	if list, err := m.ListCategories(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("categories: %v, %v", list, err)
	}
	if list, err := m.ListTags(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("tags: %v, %v", list, err)
	}
	if _, err := m.GetTag(t.Context(), tag); err == nil || !strings.Contains(err.Error(), "403") {
		t.Errorf("one tag: %v", err)
	}
}
