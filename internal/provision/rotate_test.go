package provision_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// rotate runs a whole rotation of these components (all if none), narrowed as --components narrows, and gives the report.
func (h *house) rotate(t fatalT, components ...string) (*plan.Plan, []string, error) {
	t.Helper()
	var p *plan.Plan
	var err error
	h.narrowed(t, nil, components, func() {
		job := h.job(t)
		defer job.Close(context.Background())
		p = job.PlanRotation(context.Background(), len(components) > 0, sso.Limits{})
		if err = p.Err(); err == nil {
			err = errors.Join(job.Rotate(context.Background(), p), failures(p), refused(p, components))
		}
	})
	return p, textsOf(p, finding.UntestedPassword), err
}

// textsOf are the findings of a code, in one line each.
func textsOf(p *plan.Plan, c finding.Code) (texts []string) {
	for _, f := range p.Findings {
		if f.Code == c {
			texts = append(texts, f.String())
		}
	}
	return texts
}

// password is what a file holds for an account; "" for nothing.
func password(t fatalT, path, server string, c component.Name) string {
	t.Helper()
	f, err := credfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := f.Get(server, c)
	return a.Password.Reveal()
}

func (h *house) journal() string { return h.path + ".rotation" }

// resting fails when a rotation has left its journal.
func (h *house) resting(t fatalT) {
	t.Helper()
	if _, err := os.Stat(h.journal()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the journal is still there: %v", err)
	}
}

// opens fails when no password on the disk opens an account of ours: neither the credentials file's nor the journal's.
func (h *house) opens(t fatalT, when string) {
	t.Helper()
	for _, v := range h.lab.VCenters {
		for _, c := range h.spec.ComponentNames() {
			name := h.spec.Account(c).Name + "@" + v.Directory().Domain()
			open := false
			for _, path := range []string{h.path, h.journal()} {
				if p := password(t, path, v.Server(), c); p != "" {
					_, err := v.Directory().CheckPassword(name, p)
					open = open || err == nil
				}
			}
			if !open {
				t.Errorf("%s: %s: no password on the disk opens %s", when, v.Server(), name)
			}
		}
	}
}

func (h *house) mustRotate(t fatalT, components ...string) {
	t.Helper()
	if p, _, err := h.rotate(t, components...); err != nil {
		t.Fatalf("%v\n%s", err, text(p))
	}
	h.resting(t)
}

// The way out of a lost credentials file, from end to end: plan says it, rotate heals it, verify passes, the plan is empty.
func TestLostCredentialsFile(t *testing.T) {
	t.Parallel()
	for _, linked := range []bool{false, true} {
		t.Run(fmt.Sprintf("linked=%t", linked), func(t *testing.T) {
			h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: linked}), t.TempDir(), parse(t, demoSpec))
			h.mustApply(t)
			before := h.snapshot()
			if err := os.Remove(h.path); err != nil {
				t.Fatal(err)
			}
			p := h.plan(t)
			if len(general(p)) != 1 || general(p)[0].Code != finding.LostPassword || len(general(p)[0].Accounts) != 10 || !p.Empty() || !p.Differs() {
				t.Fatalf("%+v\n%s", general(p), text(p))
			}
			if !strings.HasPrefix(text(p), "! the passwords of 5 existing accounts are not in "+h.path) || strings.Count(text(p), "ocp-cluster1-csi-driver") != 1 {
				t.Errorf("not said first, or not once:\n%s", text(p))
			}
			if v := h.verify(t); v.Meets(asAsked) || len(v.Findings) != 1 || len(v.Findings[0].Accounts) != 10 {
				t.Errorf("%+v", v.Findings)
			}
			for _, v := range h.lab.VCenters {
				v.ResetRequests()
			}
			h.mustRotate(t)
			resets := 0
			for _, v := range h.lab.VCenters {
				resets += v.Requests()["ResetLocalPersonUserPassword"]
			}
			if want := map[bool]int{false: 10, true: 5}[linked]; resets != want {
				t.Errorf("%d resets, want %d: one for each account of an SSO domain", resets, want)
			}
			if v := h.verify(t); !v.Meets(byDefault) {
				t.Errorf("%+v %v", v.Summary, v.Findings)
			}
			if p := h.plan(t); p.Differs() || p.Err() != nil {
				t.Errorf("%v\n%s", p.Err(), text(p))
			}
			if after := h.snapshot(); after != before {
				t.Error("the vCenters hold something else than before, passwords aside")
			}
		})
	}
}

// One component of one vCenter: nobody else's password changes, linked vCenters share the new one, the day is noted and
// the rest of the account's details stays.
func TestRotateOne(t *testing.T) {
	t.Parallel()
	h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: true}), t.TempDir(), parse(t, demoSpec))
	h.mustApply(t)
	dir := h.lab.VCenters[0].Directory()
	const user = "ocp-cluster1-csi-driver"
	details := directory.Details{
		Description: "OpenShift cluster cluster1, component csi-driver; made by ocp-vsphere-admin; password set 2020-01-02",
		Email:       "storage@example.com", FirstName: "See", LastName: "Saw",
	}
	if err := dir.SetDetails(user, details); err != nil {
		t.Fatal(err)
	}
	one, two := h.lab.VCenters[0].Server(), h.lab.VCenters[1].Server()
	old, other := password(t, h.path, one, component.CSIDriver), password(t, h.path, one, component.MachineAPI)
	p, warnings, err := h.rotate(t, "csi-driver")
	if err != nil || len(warnings) > 0 || p.Summary.Update != 1 || !strings.Contains(text(p), "the current one was set on 2020-01-02") {
		t.Fatalf("%v %v\n%s", err, warnings, text(p))
	}
	h.resting(t)
	now := password(t, h.path, one, component.CSIDriver)
	if now == old || now != password(t, h.path, two, component.CSIDriver) || other != password(t, h.path, one, component.MachineAPI) {
		t.Error("not the one account on both vCenters")
	}
	if _, err := dir.CheckPassword(user, now); err != nil {
		t.Error(err)
	}
	u, _ := dir.User(user)
	if strings.Contains(u.Description, "2020-01-02") || !strings.HasPrefix(u.Description, "OpenShift cluster cluster1, component csi-driver; made by ocp-vsphere-admin; password set 20") {
		t.Errorf("description %q", u.Description)
	}
	if u.Email != details.Email || u.FirstName != details.FirstName || u.LastName != details.LastName {
		t.Errorf("%+v", u.Details)
	}
	if p := h.plan(t); p.Differs() {
		t.Errorf("\n%s", text(p))
	}
}

// One of several vCenters of an SSO domain alone is not enough where the file has the account for others, or they have permissions of
// it: it is that of all. That it exists on the others is said in any case.
func TestRotateNarrowedToOneOfLinkedVCenters(t *testing.T) {
	t.Parallel()
	h := open(t, start(t, vcsim.Options{VCenters: 3, Linked: true}), t.TempDir(), parse(t, demoSpec))
	h.mustApply(t)
	two := h.lab.VCenters[1].Server()
	narrow := *h.spec
	narrow.VCenters = h.spec.VCenters[:1]
	h.o.Request.Spec = &narrow
	for _, components := range [][]string{{"csi-driver"}, nil} {
		p, _, err := h.rotate(t, components...)
		if err == nil || !p.Empty() || !strings.Contains(err.Error(), "ocp-cluster1-csi-driver@vsphere.local: vcenter2.example.com, in the same SSO domain, uses the account too, and is not part of this run") {
			t.Errorf("%v\n%s", err, text(p))
		}
	}
	h.edit(t, two, "", "")
	if p, _, err := h.rotate(t, "csi-driver"); err == nil || !p.Empty() || !strings.Contains(err.Error(), "vcenter2.example.com, in the same SSO domain, uses the account too") {
		t.Errorf("without its section: %v\n%s", err, text(p))
	}
	second := *h.spec
	second.VCenters = h.spec.VCenters[1:]
	whole := h.spec
	h.spec, h.o.Request.Spec = &second, &second
	if _, err := h.destroy(t); err != nil {
		t.Fatal(err)
	}
	h.spec, h.o.Request.Spec = whole, &narrow
	p, _, err := h.rotate(t, "csi-driver")
	if err != nil {
		t.Fatalf("%v\n%s", err, text(p))
	}
	if !strings.Contains(text(p), "vcenter2.example.com, vcenter3.example.com in the same SSO domain has the account too") {
		t.Errorf("\n%s", text(p))
	}
	if password(t, h.path, two, component.CSIDriver) != "" || password(t, h.path, h.lab.VCenters[2].Server(), component.CSIDriver) != "" {
		t.Error("a vCenter that the file has no account for got one")
	}
	h.edit(t, two, "ocp-cluster1-csi-driver@vsphere.local", password(t, h.path, h.lab.VCenters[0].Server(), component.CSIDriver))
	h.o.Request.Spec = h.spec
	h.mustApply(t)
	if v := h.verify(t); !v.Meets(byDefault) {
		t.Errorf("%+v", v.Summary)
	}
}

// Where another vCenter has no account of a component, its secret cannot be written whole: no password of it is changed, and that is
// said before.
func TestInPlaceNeedsEveryAccount(t *testing.T) {
	t.Parallel()
	h := open(t, start(t, vcsim.Options{VCenters: 2}), t.TempDir(), parse(t, demoSpec))
	h.spec.Components = map[component.Name]spec.Component{"csi-driver": {}, "machine-api": {}}
	h.mustApply(t)
	one, two := h.lab.VCenters[0], h.lab.VCenters[1]
	if err := two.Directory().RemoveUser("ocp-cluster1-csi-driver"); err != nil {
		t.Fatal(err)
	}
	old := password(t, h.path, one.Server(), component.CSIDriver)
	const why = "vcenter2.example.com has no account of csi-driver"
	if p, _, err := h.rotate(t, "csi-driver"); err == nil || !strings.Contains(err.Error(), why) || !p.Empty() {
		t.Errorf("it alone: %v\n%s", err, text(p))
	}
	if p, _, err := h.rotate(t); err != nil || p.Summary.Update != 2 || len(general(p)) != 2 || !strings.Contains(general(p)[0].Text, why) {
		t.Errorf("all: %v\n%s", err, text(p))
	}
	if password(t, h.path, one.Server(), component.CSIDriver) != old {
		t.Error("its password was changed")
	}
	h.resting(t)
}

// What is not ours is refused where it is asked for, and left out where all are meant.
func TestRotateLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	h.spec.Components = map[component.Name]spec.Component{
		"csi-driver": {}, "machine-api": {}, "diagnostics": {Principal: `CORP\alice`},
	}
	dir := h.lab.VCenters[0].Directory()
	if _, _, err := h.rotate(t, "diagnostics"); err == nil || !strings.Contains(err.Error(), `belongs to somebody else (components.diagnostics.principal)`) {
		t.Errorf("an adopted account: %v", err)
	}
	if p, _, err := h.rotate(t); err != nil || p.Summary.Update != 2 {
		t.Errorf("all of ours: %v\n%s", err, text(p))
	}
	if err := os.Remove(h.path); err != nil { // a password of somebody else's account is not lost: it never was here
		t.Fatal(err)
	}
	for description, want := range map[string]string{
		"backup of the mail server": `was not created by this tool (its description is "backup of the mail server")`,
		"OpenShift cluster cluster2, component csi-driver; made by ocp-vsphere-admin": "was created for cluster cluster2 (csi-driver)",
	} {
		if err := dir.SetDetails("ocp-cluster1-csi-driver", directory.Details{Description: description}); err != nil {
			t.Fatal(err)
		}
		before := h.lab.VCenters[0].Requests()["ResetLocalPersonUserPassword"]
		if _, _, err := h.rotate(t); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", description, err)
		}
		if n := h.lab.VCenters[0].Requests()["ResetLocalPersonUserPassword"] - before; n != 0 {
			t.Errorf("%q: %d resets", description, n)
		}
		h.resting(t)
		if v := h.verify(t); len(v.Findings) != 1 || !slices.Equal(v.Findings[0].Principals(), []string{"ocp-cluster1-machine-api@vsphere.local"}) {
			t.Errorf("%q: verify: %+v", description, v.Findings)
		}
	}
	if err := dir.RemoveUser("ocp-cluster1-csi-driver"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := h.rotate(t, "csi-driver"); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("an account that is gone: %v", err)
	}
	if p, _, err := h.rotate(t); err != nil || p.Summary.Update != 1 {
		t.Errorf("the one that is left: %v\n%s", err, text(p))
	}
}

// An account that changes hands between the plan and the reset is not touched.
func TestRotateLooksAgain(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	job := h.job(t)
	defer job.Close(t.Context())
	p := job.PlanRotation(t.Context(), false, sso.Limits{})
	if err := h.lab.VCenters[0].Directory().SetDetails("ocp-cluster1-csi-driver", directory.Details{Description: "mine now"}); err != nil {
		t.Fatal(err)
	}
	old := password(t, h.path, h.lab.VCenters[0].Server(), component.CSIDriver)
	err := job.Rotate(t.Context(), p)
	if err = errors.Join(err, p.Err()); err == nil || !strings.Contains(err.Error(), `no longer the one that this tool created: its description is "mine now"`) {
		t.Errorf("%v", err)
	}
	h.resting(t)
	if _, err := h.lab.VCenters[0].Directory().CheckPassword("ocp-cluster1-csi-driver", old); err != nil {
		t.Error(err)
	}
}
