package provision_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// The way out that plan names works as it is printed, and rotates nothing but what is lost.
func TestTheHintHeals(t *testing.T) {
	t.Parallel()
	d := newDesk(t, start(t, vcsim.Options{VCenters: 2}), demoSpec)
	d.must(t, d.words("apply")...)
	one, two := d.lab.VCenters[0].Server(), d.lab.VCenters[1].Server()
	f, err := credfile.Open(d.path)
	if err != nil {
		t.Fatal(err)
	}
	f.Remove(one, "machine-api")
	f.Remove(two, "csi-driver")
	f.Remove(two, "diagnostics")
	if err := f.Save(); err != nil {
		t.Fatal(err)
	}
	kept := []string{password(t, d.path, one, component.CSIDriver), password(t, d.path, two, component.MachineAPI)}

	code, stdout, stderr := d.run(d.words("plan", "--exit-code", "-o", "json")...)
	var p plan.Plan
	if err := json.Unmarshal([]byte(stdout), &p); err != nil || code != command.ExitDifferent || len(general(&p)) != 1 || len(p.Findings[0].Remedies) != 6 {
		t.Fatalf("exit code %d: %v\n%s%s", code, err, stdout, stderr)
	}
	for _, line := range p.Findings[0].Remedies { // for each vCenter, if a cluster works with them, and if nobody has them
		if _, words, resets := strings.Cut(line, ": ocp-vsphere-admin rotate "); resets {
			words = "rotate " + words
			d.must(t, append(strings.Fields(words), "--yes", "--no-input")...)
		}
	}
	d.must(t, d.words("plan", "--exit-code")...)
	d.must(t, d.words("verify")...)
	if now := []string{password(t, d.path, one, component.CSIDriver), password(t, d.path, two, component.MachineAPI)}; now[0] != kept[0] || now[1] != kept[1] {
		t.Error("a password that was not lost was changed")
	}
}

// One of two linked vCenters cannot be read: the other one is asked, and what the file holds for both keeps step.
func TestRotateWithOneOfTwoLinkedVCenters(t *testing.T) {
	t.Parallel()
	h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: true}), t.TempDir(), parse(t, demoSpec))
	h.mustApply(t)
	one, two := h.lab.VCenters[0], h.lab.VCenters[1]
	one.SetFault(func(int, string) vcsim.Fault { return vcsim.Fault{Kind: vcsim.Refused} })
	job := h.job(t)
	defer job.Close(t.Context())
	p := job.PlanRotation(t.Context(), false, sso.Limits{})
	if p.Err() == nil || p.Summary.Update != 5 {
		t.Fatalf("%v\n%s", p.Err(), text(p))
	}
	err := job.Rotate(t.Context(), p)
	one.SetFault(nil)
	if err != nil || !p.Partial() {
		t.Fatalf("%v\n%s", errors.Join(err, p.Err()), text(p))
	}
	h.resting(t)
	for _, c := range h.spec.ComponentNames() {
		if a := password(t, h.path, one.Server(), c); a == "" || a != password(t, h.path, two.Server(), c) {
			t.Errorf("%s: the sections of the two differ", c)
		}
	}
	if v := h.verify(t); !v.Meets(byDefault) {
		t.Errorf("%+v", v.Summary)
	}
}
