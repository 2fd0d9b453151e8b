package provision_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// The job on every release of vCenter that is simulated, and on different ones in one run: apply, an empty plan, verify,
// destroy, and everything is as it was.
func TestTheWholeJobOnEachRelease(t *testing.T) {
	t.Parallel()
	oldest, newest := vcsim.Releases()[0], vcsim.Releases()[len(vcsim.Releases())-1]
	runs := [][]string{{oldest, newest}, {vcsim.DefaultRelease, oldest}}
	for _, r := range vcsim.Releases() {
		runs = append(runs, []string{r})
	}
	for _, releases := range runs {
		t.Run(strings.Join(releases, ","), func(t *testing.T) {
			t.Parallel()
			lab := start(t, vcsim.Options{VCenters: 2, Releases: releases})
			h := open(t, lab, t.TempDir(), parse(t, demoSpec))
			before := h.snapshot()
			report, err := h.apply(t)
			if err != nil {
				t.Fatalf("%+v\n%s", err, text(report))
			}
			if p := h.plan(t); p.Err() != nil || !p.Empty() {
				t.Errorf("the second plan is not empty (%v):\n%s", p.Err(), text(p))
			}
			if v := h.verify(t); !v.Meets(byDefault) || v.Summary.Accounts != 10 {
				t.Errorf("verify: %s", failing(v))
			}
			for i, v := range lab.VCenters {
				if want := releases[i%len(releases)]; v.Release() != want {
					t.Errorf("%s is %s, want %s", v.Server(), v.Release(), want)
				}
			}
			if report, err = h.destroy(t); err != nil {
				t.Fatalf("%+v\n%s", err, text(report))
			}
			if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(h.snapshot(), "\n")); diff != "" {
				t.Errorf("destroy left or took something:\n%s", diff)
			}
		})
	}
}
