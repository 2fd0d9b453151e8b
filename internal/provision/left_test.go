package provision_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// What left the specification keeps its grants until --prune: machines stay there, and the CSI operator cleans up afterwards.
func TestGrantsOnWhatLeftTheSpecificationStay(t *testing.T) {
	t.Parallel()
	const machineAPI, csi = "ocp-cluster1-machine-api@vsphere.local", "ocp-cluster1-csi-driver@vsphere.local"
	held := func(h *house, path string) (n int) {
		for line := range strings.Lines(h.snapshot()) {
			if strings.HasPrefix(line, `permission "`+path+`" `) && strings.Contains(line, "ocp-cluster1-") && !strings.Contains(line, `"ReadOnly"`) { // which it has from above
				n++
			}
		}
		return n
	}
	for name, tt := range map[string]struct {
		change  func(*spec.FailureDomain)
		path    string
		account string
		says    string
	}{
		"folder": {
			func(fd *spec.FailureDomain) { fd.Folder = "/DC1/vm/legacy" }, "/DC1/vm/openshift/cluster1", machineAPI,
			"the folder still holds 2 virtual machines (bastion, registry): the cluster changes and removes its machines with this account",
		},
		"datastore": {
			func(fd *spec.FailureDomain) { fd.Datastore = "/DC1/datastore/other" }, "/DC1/datastore/ds1", csi,
			"the CSI operator removes its tag and storage policy from a datastore with this account",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := one(t, vcsim.Options{})
			empty := h.snapshot()
			h.mustApply(t)
			before := held(h, tt.path)
			const own = `permission "/DC1/vm/openshift/cluster1" account VSPHERE.LOCAL\ocp-cluster1-cloud-controller `
			had := strings.Contains(h.snapshot(), own)
			fds := slices.Clone(h.spec.VCenters[0].FailureDomains)
			tt.change(&fds[0])
			h.spec.VCenters = slices.Clone(h.spec.VCenters)
			h.spec.VCenters[0].FailureDomains = fds
			p := h.plan(t)
			if notes := strings.Join(said(p, tt.account), "\n"); !strings.Contains(notes, tt.path+": the specification does not name this object: its permission stays until apply --prune removes it") || !strings.Contains(notes, tt.path+": "+tt.says) {
				t.Errorf("plan says:\n%s", notes)
			}
			h.mustApply(t)
			if got := held(h, tt.path); got != before || before == 0 {
				t.Errorf("%d permissions of %d are left on %s", got, before, tt.path)
			}
			if p := h.plan(t); !p.Empty() || !p.Differs() {
				t.Errorf("the second plan:\n%s", text(p))
			}
			// what has a permission from above loses one that gives no more, and no right
			has, err := h.lab.VCenters[0].EffectivePrivileges("ocp-cluster1-cloud-controller@vsphere.local", tt.path)
			if name == "folder" && (!had || strings.Contains(h.snapshot(), own)) || err != nil || !slices.Contains(has, "System.View") {
				t.Errorf("cloud-controller on %s has %q: %v", tt.path, has, err)
			}
			// an account that takes over has them too
			h.mustTurn(t, "replace")
			if got := held(h, tt.path); got != 2*before {
				t.Errorf("%d permissions on %s after a rotation, %d before", got, tt.path, before)
			}
			h.mustTurn(t, "finish")
			if got := held(h, tt.path); got != before {
				t.Errorf("%d permissions on %s after rotate finish, %d before", got, tt.path, before)
			}
			h.o.Request.Prune = true
			p = h.plan(t)
			if notes := strings.Join(said(p, strings.Replace(tt.account, "@", "-2@", 1)), "\n"); !strings.Contains(notes, tt.path+": "+tt.says) {
				t.Errorf("plan --prune says:\n%s", notes)
			}
			if needed := slices.ContainsFunc(p.Findings, isNeeded); needed != (name == "folder") { // which the runner asks about
				t.Errorf("machines need it: %t", needed)
			}
			h.mustApply(t)
			if got := held(h, tt.path); got != 0 {
				t.Errorf("%d permissions are left on %s after --prune", got, tt.path)
			}
			if _, err := h.destroy(t); err != nil {
				t.Fatal(err)
			}
			h.same(t, empty)
		})
	}
}

// An adopted account keeps its grants there, too, and gets back what it had before with --prune.
func TestAdoptedGrantsOnWhatLeftStay(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	populate(t, h.lab)
	const who = "svc-csi@corp.example.com"
	h.spec.Components = map[component.Name]spec.Component{"machine-api": {}, "csi-driver": {Principal: who}}
	permit(t, h.admin(t), "/DC1/datastore/ds1", who, "Admin", false)
	empty := h.snapshot()
	h.displace = true
	h.mustApply(t)
	h.spec.VCenters[0].FailureDomains[0].Datastore = "/DC1/datastore/other"
	h.mustApply(t)
	if s := undigested(h.snapshot()); !strings.Contains(s, `permission "/DC1/datastore/ds1" account CORP.EXAMPLE.COM\svc-csi role "openshift-cluster1-csi-driver-datastore"`) {
		t.Errorf("a plain apply takes it:\n%s", s)
	}
	h.o.Request.Prune = true
	if c := change(t, h.plan(t), `svc-csi on /DC1/datastore/ds1`); c.Verb != plan.Update || !c.Restores {
		t.Errorf("%s %s", c.Verb, c.Line())
	}
	h.mustApply(t)
	h.o.Request.Prune = false
	if _, err := h.destroy(t); err != nil {
		t.Fatal(err)
	}
	h.same(t, empty)
}

// What a failure domain leaves stays where it is above what another one names, too: its folder, or what carried its grants.
func TestGrantsAboveWhatIsNamedStay(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		leaves func(*spec.FailureDomain) // the domain that goes, made of the one that stays
		both   func(*spec.FailureDomain)
		path   string
		needs  string // the machines there that no other domain has
	}{
		"parent folder": {func(fd *spec.FailureDomain) { fd.Folder = "/DC1/vm/openshift" }, func(*spec.FailureDomain) {}, "/DC1/vm/openshift", ""},
		"parent folder on the way": {
			func(fd *spec.FailureDomain) { fd.Folder = "/DC1/vm/openshift" },
			func(fd *spec.FailureDomain) { // reading does not propagate from the datacenter
				fd.ResourcePool, fd.Networks = "/DC1/host/C1/Resources/openshift", []string{"/DC1/network/VM Network"}
			}, "/DC1/vm/openshift", "",
		},
		"cluster for a pool": {
			func(fd *spec.FailureDomain) { fd.ResourcePool = "" },
			func(fd *spec.FailureDomain) { fd.ResourcePool = "/DC1/host/C1/Resources/openshift" }, "/DC1/host/C1", "",
		},
		"datacenter for a folder": {func(fd *spec.FailureDomain) { fd.Folder = "" }, func(*spec.FailureDomain) {}, "/DC1", "(billing, mail)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := one(t, vcsim.Options{})
			empty := h.snapshot()
			both := slices.Repeat(h.spec.VCenters[0].FailureDomains, 2)
			tt.both(&both[0])
			tt.both(&both[1])
			both[0].Name = "zone-left"
			tt.leaves(&both[0])
			h.spec.VCenters = slices.Clone(h.spec.VCenters)
			h.spec.VCenters[0].FailureDomains = both
			h.mustApply(t)
			held := func() (all []string) {
				for line := range strings.Lines(h.snapshot()) {
					if strings.HasPrefix(line, `permission "`+tt.path+`" account VSPHERE.LOCAL\ocp-cluster1-`) && !strings.Contains(line, `"ReadOnly"`) { // which it has from above
						all = append(all, line)
					}
				}
				return all
			}
			before := held()
			h.spec.VCenters[0].FailureDomains = both[1:]
			p := h.plan(t)
			who := "ocp-cluster1-machine-api@vsphere.local"
			if tt.path == "/DC1/host/C1" { // machine-api has the same on cluster and pool
				who = "ocp-cluster1-csi-driver@vsphere.local"
			}
			if notes := strings.Join(said(p, who), "\n"); !strings.Contains(notes, tt.path+": ") || !strings.Contains(notes, "stays until apply --prune ") || !strings.Contains(notes, tt.needs) {
				t.Errorf("plan says:\n%s", notes)
			}
			h.mustApply(t)
			if got := held(); len(before) == 0 || !slices.Equal(got, before) {
				t.Errorf("before %v, after %v", before, got)
			}
			if p := h.plan(t); !p.Empty() || !p.Differs() {
				t.Errorf("the second plan:\n%s", text(p))
			}
			excess := 0
			for _, a := range h.verify(t).VCenters[0].Accounts { // what a plain apply keeps, it does not mend
				for _, r := range a.ToMend() {
					if excess++; r.Remedy != "remove it with apply --prune" {
						t.Errorf("verify says: %s; %s", r.Why, r.Remedy)
					}
				}
			}
			if excess == 0 {
				t.Error("verify finds nothing")
			}
			h.mustTurn(t, "replace") // an account that takes over has them too
			h.mustTurn(t, "finish")
			if got := held(); len(got) != len(before) {
				t.Errorf("before %v, after a rotation %v", before, got)
			}
			h.o.Request.Prune = true
			if needed := slices.ContainsFunc(h.plan(t).Findings, isNeeded); needed != (tt.needs != "") { // which the runner asks about
				t.Errorf("machines need it: %t", needed)
			}
			h.mustApply(t)
			h.o.Request.Prune = false
			if p := h.plan(t); p.Differs() {
				t.Errorf("after --prune:\n%s", text(p))
			}
			if got := held(); slices.Equal(got, before) {
				t.Errorf("left after --prune: %v", got)
			}
			if _, err := h.destroy(t); err != nil {
				t.Fatal(err)
			}
			h.same(t, empty)
		})
	}
}

func isNeeded(f *finding.Finding) bool { return f.Code == finding.StillNeeded }
