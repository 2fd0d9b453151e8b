package provision_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// planDestroy plans a destruction of h as changed.
func planDestroy(t *testing.T, h *house, changed func(*house)) *plan.Plan {
	t.Helper()
	other, s := *h, *h.spec
	other.spec, other.o.Request.Spec = &s, &s
	changed(&other)
	job := other.job(t)
	defer job.Close(context.Background())
	p := job.PlanDestroy(context.Background())
	if err := p.Err(); err != nil {
		t.Fatal(err)
	}
	return p
}

// said is what a plan tells of an account.
func said(p *plan.Plan, name string) []string {
	var all []string
	for _, f := range p.Findings {
		if o := f.Object; o != nil && (o.Name == name || o.Principal == name) {
			all = append(all, o.Kind+" "+o.Path+": "+f.Text)
		}
	}
	return all
}

// Machines that the cluster removes with an account are named before the account goes, and nowhere else.
func TestMachinesAreNamedBeforeTheirAccountGoes(t *testing.T) {
	t.Parallel()
	const keeper = "ocp-cluster1-machine-api@vsphere.local"
	const holds = "permission /DC1/vm/openshift/cluster1: the folder still holds 2 virtual machines (bastion, registry): the cluster changes and removes its machines with this account"
	h := one(t, vcsim.Options{})
	if p := planDestroy(t, h, func(*house) {}); len(said(p, keeper)) > 0 {
		t.Errorf("the account is not there, and something is said of it: %q", said(p, keeper))
	}
	h.mustApply(t)
	for name, tt := range map[string]struct {
		change func(*house)
		want   []string
	}{
		"destroy":            {func(*house) {}, []string{holds}},
		"users delete":       {func(h *house) { h.o.Request.Only = plan.User }, nil}, // stays, because it has permissions
		"permissions revoke": {func(h *house) { h.o.Request.Only = plan.Permission }, []string{holds}},
		"roles delete":       {func(h *house) { h.o.Request.Only = plan.Role }, nil},
		"another component": {func(h *house) {
			if err := h.spec.Narrow(nil, []string{"csi-driver"}); err != nil {
				t.Fatal(err)
			}
		}, nil},
		"no folder given": {func(h *house) {
			v := h.spec.VCenters[0]
			v.FailureDomains = slices.Clone(v.FailureDomains)
			v.FailureDomains[0].Folder = ""
			h.spec.VCenters = []spec.VCenter{v}
		}, []string{"permission /DC1/vm: the folder still holds 4 virtual machines (bastion, billing, mail, ...): the cluster changes and removes its machines with this account; " +
			"it is the folder of the whole datacenter, so some may belong to others"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := planDestroy(t, h, tt.change)
			got := slices.DeleteFunc(said(p, keeper), func(note string) bool { return !strings.Contains(note, "virtual machine") })
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q\n%s", got, tt.want, text(p))
			}
		})
	}
	if p := h.plan(t); len(said(p, keeper)) > 0 {
		t.Errorf("nothing goes, and something is said: %q", said(p, keeper))
	}

	// dropped from the specification, and pruned
	pruned, s := *h, *h.spec
	s.Components = map[component.Name]spec.Component{"csi-driver": {}, "cloud-controller": {}, "installer": {}, "diagnostics": {}}
	pruned.spec, pruned.o.Request.Spec, pruned.o.Request.Prune = &s, &s, true
	if p := pruned.plan(t); !slices.Contains(said(p, keeper), holds) {
		t.Errorf("not said of a pruned account:\n%s", text(p))
	}
	report, err := h.destroy(t)
	if err != nil || !slices.Contains(said(report, keeper), holds) {
		t.Errorf("%v\n%s", err, text(report))
	}
	if _, err := os.Stat(h.path); !errors.Is(err, fs.ErrNotExist) { // a note is no account that stays
		t.Errorf("the credentials file is left: %v", err)
	}
	if p := planDestroy(t, h, func(*house) {}); len(said(p, keeper)) > 0 {
		t.Errorf("the account is gone, and something is said of it: %q", said(p, keeper))
	}
}

// Cluster API removes the machines of its clusters with an account of its own.
func TestMachinesOfClusterAPIAreNamed(t *testing.T) {
	t.Parallel()
	const keeper = "ocp-cluster1-cluster-api@vsphere.local"
	const holds = "permission /DC1/vm/openshift/cluster1: the folder still holds 2 virtual machines (bastion, registry): Cluster API changes and removes its machines with this account"
	h := one(t, vcsim.Options{})
	h.spec.Components = map[component.Name]spec.Component{"machine-api": {}, "cluster-api": {}}
	h.mustApply(t)
	if got := said(planDestroy(t, h, func(*house) {}), keeper); !slices.Equal(got, []string{holds}) {
		t.Errorf("got %q", got)
	}
	alone := planDestroy(t, h, func(h *house) {
		if err := h.spec.Narrow(nil, []string{"cluster-api"}); err != nil {
			t.Fatal(err)
		}
	})
	if got := said(alone, keeper); !slices.Equal(got, []string{holds}) || len(said(alone, "ocp-cluster1-machine-api@vsphere.local")) > 0 {
		t.Errorf("alone: %q\n%s", got, text(alone))
	}
	pruned, s := *h, *h.spec
	s.Components = map[component.Name]spec.Component{"machine-api": {}}
	pruned.spec, pruned.o.Request.Spec, pruned.o.Request.Prune = &s, &s, true
	if p := pruned.plan(t); !slices.Contains(said(p, keeper), holds) || len(said(p, "ocp-cluster1-machine-api@vsphere.local")) > 0 {
		t.Errorf("pruned:\n%s", text(p))
	}
}

// Where accounts alone go, because their permissions are gone, the machines are said of the account.
func TestMachinesAreNamedWhereUsersAreDeleted(t *testing.T) {
	t.Parallel()
	const keeper = "ocp-cluster1-machine-api@vsphere.local"
	h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: true}), t.TempDir(), parse(t, demoSpec))
	h.mustApply(t)
	revoking := *h
	revoking.o.Request.Only = plan.Permission
	if _, err := revoking.destroy(t); err != nil {
		t.Fatal(err)
	}
	p := planDestroy(t, h, func(h *house) { h.o.Request.Only = plan.User })
	want := []string{
		"user : the folder /DC1/vm/openshift/cluster1 of vcenter1.example.com still holds 2 virtual machines (bastion, registry): the cluster changes and removes its machines with this account",
		"user : the folder /DC2/vm of vcenter2.example.com still holds 4 virtual machines (bastion, billing, mail, ...): the cluster changes and removes its machines with this account; it is the folder of the whole datacenter, so some may belong to others",
	}
	if got := said(p, keeper); !slices.Equal(got, want) {
		t.Errorf("got %q\n%s", got, text(p))
	}
	if got := said(planDestroy(t, h, func(h *house) { h.o.Request.Only = plan.Permission }), keeper); len(got) > 0 {
		t.Errorf("the permissions are gone, and something is said of them: %q", got)
	}
	deleting := *h
	deleting.o.Request.Only = plan.User
	if _, err := deleting.destroy(t); err != nil {
		t.Fatal(err)
	}
	if f, err := os.ReadFile(h.path); err == nil && strings.Contains(string(f), keeper) { // a note is no account that stays
		t.Errorf("its password stays: %s", keeper)
	}
}

// An account that somebody is logged in with is named before it goes.
func TestSessionsAreNamedBeforeTheirAccountGoes(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	a := h.stored(t, h.lab.VCenters[0].Server())
	for range 2 {
		if _, err := h.lab.VCenters[0].Login(context.Background(), a.User, a.Password.Reveal()); err != nil {
			t.Fatal(err)
		}
	}
	p := planDestroy(t, h, func(*house) {})
	if got := said(p, a.User); !slices.Contains(got, "user : in use now: open sessions on vcenter1.example.com (2)") {
		t.Errorf("got %q", got)
	}
	if got := said(p, "ocp-cluster1-diagnostics@vsphere.local"); len(got) > 0 {
		t.Errorf("said of an account without a session: %q", got)
	}
	if _, err := h.destroy(t); err != nil {
		t.Error(err)
	}
}

// The notes of one vCenter are no reason for the passwords of another of its SSO domain to stay.
func TestLinkedAccountsGoWithTheirNotes(t *testing.T) {
	t.Parallel()
	h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: true}), t.TempDir(), parse(t, demoSpec))
	h.mustApply(t)
	v := h.lab.VCenters[1]
	a := h.stored(t, v.Server())
	if _, err := v.Login(context.Background(), a.User, a.Password.Reveal()); err != nil {
		t.Fatal(err)
	}
	report, err := h.destroy(t)
	if err != nil {
		t.Fatal(err)
	}
	got := said(report, a.User)
	for _, want := range []string{"permission /DC1/vm/openshift/cluster1: the folder", "permission /DC2/vm: the folder", "user : in use now: open sessions on vcenter2.example.com (1)"} {
		if !slices.ContainsFunc(got, func(note string) bool { return strings.HasPrefix(note, want) }) {
			t.Errorf("%q is not said: %q", want, got)
		}
	}
	if _, err := os.Stat(h.path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the credentials file is left: %v", err)
	}
}

// What cannot be read keeps no account from going: it is said.
func TestMachinesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	h.lab.VCenters[0].SetAnswer(func(a *vcsim.Answer) {
		if a.Method == "RetrievePropertiesEx" && strings.Contains(string(a.Body), "config.template") {
			a.Body = []byte("<x")
		}
	})
	report, err := h.destroy(t)
	if err != nil || !slices.ContainsFunc(said(report, "ocp-cluster1-machine-api@vsphere.local"), func(note string) bool {
		return strings.Contains(note, "whether virtual machines below the folder still need it: ")
	}) {
		t.Errorf("%v\n%s", err, text(report))
	}
}

// planDisabled plans to disable, or enable, accounts of h.
func planDisabled(t *testing.T, h *house, disabled bool, components ...string) *plan.Plan {
	t.Helper()
	job := h.accountsJob(t, components...)
	defer job.Close(context.Background())
	p := job.PlanDisabled(context.Background(), disabled)
	if err := p.Err(); err != nil {
		t.Fatal(err)
	}
	return p
}

// Machines of all vCenters of an SSO domain are named before the account that the cluster removes them with is disabled, and for
// no other reason.
func TestMachinesAreNamedBeforeTheirAccountIsDisabled(t *testing.T) {
	t.Parallel()
	const keeper = "ocp-cluster1-machine-api@vsphere.local"
	const of1 = "user : the folder /DC1/vm/openshift/cluster1 of vcenter1.example.com still holds 2 virtual machines (bastion, registry): "
	const of2 = "user : the folder /DC2/vm of vcenter2.example.com still holds "
	h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: true}), t.TempDir(), parse(t, demoSpec))
	h.mustApply(t)
	p := planDisabled(t, h, true, "machine-api")
	notes := said(p, keeper)
	for _, want := range []string{of1, of2} {
		if !slices.ContainsFunc(notes, func(note string) bool { return strings.HasPrefix(note, want) }) {
			t.Errorf("%q is not said: %q", want, notes)
		}
	}
	if p.Summary.Update != 1 || !slices.ContainsFunc(notes, func(note string) bool { return strings.Contains(note, "the folder of the whole datacenter") }) {
		t.Errorf("%s", text(p))
	}
	if p := planDisabled(t, h, false, "machine-api"); strings.Contains(text(p), "virtual machine") {
		t.Errorf("enabling: %s", text(p))
	}
	v := h.lab.VCenters[0]
	v.ResetRequests()
	if p := planDisabled(t, h, true, "csi-driver"); strings.Contains(text(p), "virtual machine") || v.Requests()["RetrievePropertiesEx"] > 0 {
		t.Errorf("of the CSI driver, %v: %s", v.Requests(), text(p))
	}
	v.SetFault(func(_ int, method string) vcsim.Fault {
		if method == "RetrievePropertiesEx" {
			return vcsim.Fault{Kind: vcsim.Unavailable}
		}
		return vcsim.Fault{}
	})
	if p := planDisabled(t, h, true, "machine-api"); p.Summary.Update != 1 || !strings.Contains(text(p), "cannot determine whether virtual machines below the folder /DC1/vm/openshift/cluster1 of vcenter1.example.com still need it: ") {
		t.Errorf("%s", text(p))
	}
}
