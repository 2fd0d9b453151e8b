package overview_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/renderer/html"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan/overview"
)

// fleetOf are plans of n clusters on shared vCenters; a quiet one has no changes, a lost one could not be made.
func fleetOf(n, changes int, quiet, lost func(int) bool) (plans []*plan.Plan) {
	for i := range n {
		p := plan.New(fmt.Sprintf("site%04d", i))
		var all []*plan.Change
		for j := range changes {
			all = append(all, user(fmt.Sprintf("ocp-%s-%d@vsphere.local", p.Cluster, j)), role(plan.Create, fmt.Sprintf("openshift-%d-c0ffee", j), "A.B"))
		}
		switch {
		case lost(i):
			p.Add("vc1", nil, errors.New("vc1: down"))
		case quiet(i):
			p.Add("vc1", nil, nil)
		default:
			p.Add(fmt.Sprintf("vc%d", i%3+1), all, nil)
		}
		plans = append(plans, p)
	}
	return plans
}

// The change request of many clusters has room in a comment, whatever they are; every part of it that was opened is closed; those that
// have changes are shown before those that have none, and what is left out is said.
func TestManyHaveRoom(t *testing.T) {
	without := 0
	for _, c := range []struct{ clusters, changes, every int }{
		{1, 1, 5}, {1, 600, 5}, {1, 2500, 5}, {3, 600, 5}, {20, 40, 5}, {20, 40, 3}, {2, 1, 2}, {300, 5, 5}, {300, 5, 2}, {900, 2, 1}, {900, 1, 3},
	} {
		plans := fleetOf(c.clusters, c.changes, func(i int) bool { return i%c.every == 1 }, func(i int) bool { return i%c.every == 2 })
		page := string(overview.Many(slices.Clone(plans), "sha256:1", overview.Request{Apply: "apply --digest sha256:1"}))
		if len(page) > overview.Room {
			t.Errorf("%+v: %d bytes", c, len(page))
		}
		if strings.HasSuffix(page, "There is no room here for the privileges: plan --privileges prints them.\n") {
			without++
		}
		opened, lines := strings.Count(page, "<details><summary>"), strings.Count(page, "<p><a id=")
		if opened != strings.Count(page, "</details>\n\n") || strings.Count(page, "\n```")%2 != 0 {
			t.Errorf("%+v: something is left open in\n%s", c, page)
		}
		if !strings.Contains(page, "\nsha256:1\n") {
			t.Errorf("%+v: nothing to approve in\n%s", c, page)
		}
		short := lines > strings.Count(page, ": nothing to change on") || opened+lines < c.clusters
		if said := strings.Contains(page, "There is no room here for every plan"); said != short {
			t.Errorf("%+v: %d of %d clusters are there, %d of them folded, and it says so: %t", c, opened+lines, c.clusters, opened, said)
		}
		if quiet, last := strings.Index(page, ": nothing to change on"), strings.LastIndex(page, " to delete on 1 vCenter<"); quiet >= 0 && last > quiet {
			t.Errorf("%+v: a cluster without changes is before one that has some in\n%s", c, page)
		}
	}
	if without != 1 {
		t.Errorf("%d pages are without privileges, and one has too many", without)
	}
}

// An anchor is made of the cluster's name alone, a role of several clusters is listed once, and names are no markup in any of it.
func TestManyAnchors(t *testing.T) {
	none := func(int) bool { return false }
	const hostile = "x\"><script>alert(1)</script>\n</details>\n```"
	plans := fleetOf(3, 1, none, none)
	plans[1].Cluster = hostile
	plans[2].Add(hostile, nil, errors.New(hostile))
	page := string(overview.Many(plans, "", overview.Request{Apply: "apply"}))
	for _, want := range []string{
		`<a id="cluster-site0000" name="cluster-site0000"></a>site0000: 2 to create, 0 to update, 0 to delete on 1 vCenter</summary>`,
		"; 1 could not be read</summary>", "cannot be approved",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in\n%s", want, page)
		}
	}
	if n := strings.Count(page, "\n    A.B\n"); n != 1 {
		t.Errorf("the role is there %d times in\n%s", n, page)
	}
	var shown strings.Builder
	if err := goldmark.New(goldmark.WithRendererOptions(html.WithUnsafe())).Convert([]byte(page), &shown); err != nil {
		t.Fatal(err)
	}
	text := shown.String()
	if strings.Contains(text, "<script") || strings.Count(text, "<details>") != 3 || strings.Count(text, "</details>") != 3 || strings.Contains(text, "<h1>x") {
		t.Error(text)
	}
}
