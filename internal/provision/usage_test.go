package provision_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/usage"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// What each account used is what the vCenter looked for when its component did its work, and nothing else; what it was refused is
// not held; and a matrix of what was used is one with which the same work can be done. A lab, because the record is the vCenter's.
func TestUsageIsWhatWasCalled(t *testing.T) {
	t.Parallel()
	s := newStage(t, "default", "pool")
	marks := s.h.job(t).Marks(s.ctx)
	if err := marks.Results().Err(); err != nil || marks.VCenters[0].Marker == "" {
		t.Fatal(marks, err)
	}
	for _, c := range placed("default") {
		for _, name := range duties[c] {
			if op, there := s.named(name); !there {
				t.Fatalf("no operation %q", name)
			} else if answer := s.perform(op, s.clients[c]); answer != "ok" {
				t.Errorf("%s: %s: %s", c, name, answer)
			}
		}
	}
	op, _ := s.named("set permission")
	s.perform(op, s.clients["csi-driver"])

	u := s.h.job(t).Usage(s.ctx, marks)
	if err := u.Results().Err(); err != nil || len(u.VCenters[0].Notes) > 0 {
		t.Fatal(err, u.VCenters[0].Notes)
	}
	for _, a := range u.VCenters[0].Accounts {
		var used, refused []string
		for _, p := range a.Permissions {
			used = append(used, p.Used...)
			for _, id := range p.Used {
				if slices.Contains(p.Unused, id) {
					t.Errorf("%s: %s: %s is used and unused", a.Principal, p.Object, id)
				}
			}
		}
		for _, n := range a.NotHeld {
			refused = append(refused, n.Privilege)
		}
		for _, h := range a.Held {
			if !slices.Contains(used, h.Privilege) {
				t.Errorf("%s: %s on %s is held by no permission", a.Principal, h.Privilege, h.Object)
			}
		}
		held, missing := s.refused.asked(a.Principal)
		if d := cmp.Diff(held, sorted(used)); d != "" {
			t.Errorf("%s: used (-the vCenter's own log +usage):\n%s", a.Principal, d)
		}
		if d := cmp.Diff(missing, sorted(refused)); d != "" {
			t.Errorf("%s: not held (-the vCenter's own log +usage):\n%s", a.Principal, d)
		}
		if a.Checks == 0 && slices.ContainsFunc(a.Components, working) {
			t.Errorf("nothing is recorded of %s", a.Principal)
		}
	}

	m, err := u.Matrix(s.h.o.Request.Matrix)
	if err != nil {
		t.Fatal(err)
	}
	text, err := m.Export(privileges.FormatMatrix, privileges.ExportOptions{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	again, err := privileges.Parse("used.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(again.Rows) != len(m.Rows) || len(m.Rows) >= len(s.h.o.Request.Matrix.Rows) || len(m.Rows) < 40 {
		t.Errorf("%d rows were written, %d are read, the matrix has %d", len(m.Rows), len(again.Rows), len(s.h.o.Request.Matrix.Rows))
	}
}

// working reports whether a component's calls are known, so that it worked here (duties).
func working(c string) bool { return len(privileges.Duties(component.Name(c))) > 0 }

func sorted(ids []string) []string {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.Compact(ids)
}

// asked are the privileges that the vCenter looked for as somebody worked: those that were held, and those that were not.
func (r *refusals) asked(principal string) (held, missing []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	name, _, _ := strings.Cut(principal, "@")
	for _, one := range r.all {
		if !strings.EqualFold(one.Principal, principal) && !strings.HasSuffix(strings.ToLower(one.Principal), `\`+strings.ToLower(name)) || privileges.Implicit(one.Privilege) || one.Privilege == "" {
			continue
		}
		if one.Verdict == vcsim.VerdictMissing {
			missing = append(missing, one.Privilege)
		} else {
			held = append(held, one.Privilege)
		}
	}
	return sorted(held), sorted(missing)
}

// A vCenter that records nothing, one of before 8.0 and one that was restarted are said, and nothing untrue of them.
func TestUsageUnknown(t *testing.T) {
	t.Parallel()
	lab := start(t, vcsim.Options{VCenters: 2, Releases: []string{"8.0.3", "7.0.3"}})
	h := open(t, lab, t.TempDir(), parse(t, demoSpec))
	if _, err := h.apply(t); err != nil {
		t.Fatal(err)
	}
	u := h.job(t).Usage(t.Context(), nil)
	if v := u.VCenters[0]; v.Error != "" || v.Checks != 0 || len(v.Accounts) != 5 || v.Accounts[0].Checks != 0 {
		t.Errorf("%+v", v)
	}
	if v := u.VCenters[1]; !strings.Contains(v.Error, usage.ErrNoRecord.Error()) {
		t.Errorf("7.0.3: %q", v.Error)
	}
	if _, err := u.Matrix(h.o.Request.Matrix); err == nil {
		t.Error("a matrix is made of half of what was used")
	}
	marks := h.job(t).Marks(t.Context())
	marks.VCenters[0].Marker = "999999" // the vCenter has begun anew
	u = h.job(t).Usage(t.Context(), marks)
	if notes := u.VCenters[0].Notes; len(notes) != 1 || !strings.Contains(notes[0], "does not reach back to the mark") {
		t.Errorf("%q", notes)
	}
	marks.VCenters[0].InstanceUUID = "another"
	if v := h.job(t).Usage(t.Context(), marks).VCenters[0]; !strings.Contains(v.Error, "the mark is of another vCenter") {
		t.Errorf("%q", v.Error)
	}
}
