package provision_test

import (
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcsim"
)

// A profile that gives each component an account takes no privilege from the one that all of them work with, until --prune says
// that they left it. The accounts beside it are made all the same.
func TestChangedProfileKeepsTheSharedAccount(t *testing.T) {
	t.Parallel()
	for profile, beside := range map[string]string{
		openshift.ProfilePassthrough:     "machine-api,csi-driver,cloud-controller,diagnostics",
		openshift.ProfileComponentScoped: "installer",
	} {
		t.Run(profile, func(t *testing.T) {
			t.Parallel()
			h := one(t, vcsim.Options{})
			empty := h.snapshot()
			as := func(profile string) {
				text := strings.Replace(demoSpec, "cluster: cluster1\n", "cluster: cluster1\nprofile: "+profile+"\n", 1)
				s := parse(t, text)
				s.VCenters = s.VCenters[:1]
				h.spec, h.o.Spec = s, s
			}
			as(profile)
			h.mustApply(t)
			before := h.snapshot()
			as(openshift.ProfileKubeSystem)
			p := h.plan(t)
			if p.Err() == nil || !strings.Contains(p.Err().Error(), " is the account of profile "+profile+", for ") {
				t.Fatalf("plan: %v", p.Err())
			}
			if says := strings.Join(p.VCenters[0].Causes()[0].Hints, "; "); !strings.Contains(says, "apply --components "+beside) || !strings.Contains(says, "--prune") {
				t.Error(says)
			}
			if _, err := h.apply(t); err == nil {
				t.Error("applied")
			}
			h.same(t, before)
			h.narrowed(t, nil, strings.Split(beside, ","), func() { h.mustApply(t) })
			for line := range strings.Lines(before) { // nothing of it is gone
				if strings.HasPrefix(line, "permission ") && !strings.Contains(h.snapshot(), line) {
					t.Errorf("gone: %s", line)
				}
			}
			if err := h.plan(t).Err(); err == nil {
				t.Error("the second plan takes it all the same")
			}
			h.o.Prune = true
			h.mustApply(t)
			h.o.Prune = false
			if p := h.plan(t); p.Err() != nil || p.Differs() {
				t.Errorf("%v\n%s", p.Err(), text(p))
			}
			if _, err := h.destroy(t); err != nil {
				t.Fatal(err)
			}
			h.same(t, empty)
		})
	}
}
