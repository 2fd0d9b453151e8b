package overview_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan/overview"
)

// A change request holds all that is needed to approve it: every privilege of each role, what is gained and lost, vCenters by
// their full names, what wrote it and when, what OpenShift supports, and that nothing deserves attention.
func TestMarkdownIsEnoughToApprove(t *testing.T) {
	p := plan.New("c")
	for _, server := range []string{"vc1.example.com", "vc2.example.com"} {
		p.Add(server, []*plan.Change{
			role(plan.Create, newFolder, "C.D", "E.F", "G.H"), role(plan.Update, "shared", "Datastore.Browse", "New.One"),
			moved(machines, "/DC1/vm/a", folder, newFolder, []string{"G.H"}, []string{"A.B"}), role(plan.Delete, folder, "A.B", "C.D"),
		}, nil)
	}
	p.Add("vc3.example.com", nil, nil)
	p.Seal("decided")
	page := string(overview.Markdown(p, overview.Request{Apply: "apply", Tool: "ocp-vsphere-admin 1.2.3", Date: "2026-11-22"}))
	for _, want := range []string{
		"\n\nWritten by ocp-vsphere-admin 1.2.3 on 2026-11-22.\n\n", "vc1.example.com  vc2.example.com",
		"## Privileges of the roles\n", "\n+ " + newFolder + " (vc1.example.com, vc2.example.com)\n    C.D E.F G.H\n    instead of " + folder + ": +G.H -A.B\n",
		"\n~ shared (vc1.example.com, vc2.example.com)\n    +New.One -Old.One\n    unchanged: Datastore.Browse\n", overview.Supported,
		"loses A.B\n", "\n## Attention\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in\n%s", want, page)
		}
	}
	quiet := plan.New("c")
	quiet.Add("vc1", []*plan.Change{user(machines)}, nil)
	if page := string(overview.Markdown(quiet, overview.Request{Apply: "apply"})); !strings.Contains(page, "\n\nAttention: none.\n") ||
		strings.Contains(page, "Written by") || strings.Contains(page, "Privileges of") {
		t.Error(page)
	}
}

// The attention part says what to do about a vCenter that could not be planned, once for those with the same problem.
func TestAttentionHasRemedies(t *testing.T) {
	missing := func(server string) error {
		return hint.Errorf("did you mean /DC1/datastore/ds1?", "%s: there is no /DC1/datastore/ds11", server)
	}
	p := plan.New("c")
	for _, server := range []string{"vc1", "vc2"} {
		p.Add(server, nil, errors.Join(missing(server), errors.New(server+": other")))
	}
	p.Add("vc3", []*plan.Change{user(machines)}, nil)
	p.Findings = tell("vc3", plan.Change{Kind: plan.Permission}, finding.Consequence, "zone-a names no folder")
	text := drawn(t, p, overview.Options{Width: 80})
	_, got, _ := strings.Cut(text, "\nattention\n")
	expect(t, `! vc1, vc2: there is no /DC1/datastore/ds11
  hint: did you mean /DC1/datastore/ds1?
! vc1, vc2: other
! vc3: zone-a names no folder
`, upTo(got, "\n\nplan"))
	if strings.Contains(text, "all 1") {
		t.Error(text)
	}
}

// Every sign of the tables is explained, with or without permissions below them.
func TestLegendOfTables(t *testing.T) {
	p := plan.New("c")
	p.Add("vc1", []*plan.Change{role(plan.Update, "shared", "Datastore.Browse")}, nil)
	p.Add("vc2", nil, errors.New("down"))
	p.Add("vc3", nil, nil)
	legend := "~ update  · nothing  ? not known"
	if lines := strings.Split(drawn(t, p, overview.Options{Width: 80}), "\n"); !slices.Contains(lines, legend) {
		t.Errorf("%q is not in\n%s", legend, strings.Join(lines, "\n"))
	}
	p.VCenters[0].Changes = append(p.VCenters[0].Changes, grant(machines, "/", "ReadOnly", false))
	legend = "+ create  ~ update  · nothing  ? not known  read: role ReadOnly"
	if lines := strings.Split(drawn(t, p, overview.Options{Width: 80}), "\n"); !slices.Contains(lines, legend) {
		t.Errorf("%q is not in\n%s", legend, strings.Join(lines, "\n"))
	}
}
