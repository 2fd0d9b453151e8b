package provision_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// Estates per shard of TestLaw: 20 in all, 40 with LONG=1. -rapid.checks=N overrules both.
const (
	shards     = 4
	lawChecks  = 5
	longChecks = 10
)

// The law over generated estates: apply, then verify finds nothing and plan is empty; destroy, then the estate equals
// the one before, everybody else's part to the letter. Faults in between change nothing but the number of runs.
func TestLaw(t *testing.T) {
	setChecks(t, lawChecks, longChecks)
	for shard := range shards {
		t.Run(fmt.Sprint(shard), func(t *testing.T) {
			t.Parallel()
			tmp, cases := t.TempDir(), 0
			rapid.Check(t, func(t *rapid.T) {
				cases++
				law(t, filepath.Join(tmp, fmt.Sprint(cases)))
			})
		})
	}
}

// setChecks says how many cases there are, with LONG=1 and without, and with -short one, unless the command line does. The
// tests behind this one draw as many as ever.
func setChecks(t *testing.T, n, most int) {
	t.Helper()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if given {
		return
	}
	checks := flag.Lookup("rapid.checks")
	switch {
	case long():
		n = most
	case testing.Short():
		n = 5 // of which rapid takes a fifth then
	}
	usual := checks.Value.String()
	if err := checks.Value.Set(fmt.Sprint(n)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := checks.Value.Set(usual); err != nil {
			t.Error(err)
		}
	})
}

func law(t *rapid.T, dir string) {
	lab := estate(t)
	defer lab.Close()
	next := neighbour(t, lab, filepath.Join(dir, "neighbour"))
	s := parse(t, drawSpec(t, lab, "c"))
	drawGroups(t, lab, s)
	drawDisabled(t, s)
	h := open(t, lab, dir, s)
	h.supply(lawMembers("c"))
	h.o.Request.CreateFolders = false
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		t.Fatal(err)
	}
	const foreign = "# kept by hand\n[elsewhere.example.com]\nuser = somebody\npassword = else\n"
	if err := os.WriteFile(h.path, []byte(foreign), 0o600); err != nil {
		t.Fatal(err)
	}
	before, groups := h.snapshot(), h.groups()

	pieces := rapid.Bool().Draw(t, "piece by piece")
	apply := h.apply
	if !pieces {
		apply = h.approved(t)
	}
	stop, _ := disturb(t, lab)
	h.inTurn(t, pieces, "apply", apply, plan.Role, plan.User, plan.Permission)
	stop()
	h.proved(t, "apply", h.verify(t))
	if p := h.plan(t); p.Err() != nil || !p.Empty() {
		t.Fatalf("the second plan is not empty (%v):\n%s", p.Err(), text(p))
	}
	h.disabledAsSaid(t)
	h.groupsOfOthers(t, "apply", groups)
	next.unharmed(t, "apply")
	h.rotateAtRandom(t)
	next.unharmed(t, "rotations")
	h.dropAndReturn(t)
	h.moveGroups(t)
	next.unharmed(t, "another group")
	stop, _ = disturb(t, lab)
	h.inTurn(t, pieces, "destroy", h.destroy, plan.Permission, plan.User, plan.Role)
	stop()
	h.takeBack(t, groups)
	if diff := cmp.Diff(next.lines(before), next.lines(h.snapshot())); diff != "" {
		t.Fatalf("destroy left or took something:\n%s\n%s\n%s", diff, s.YAML(), text(h.destroyPlan(t)))
	}
	next.unharmed(t, "destroy")
	if after, err := os.ReadFile(h.path); err != nil || string(after) != foreign {
		t.Fatalf("the credentials file is not what it was (%v)", err)
	}
}

// until repeats a run until it succeeds, as an administrator would.
func (h *house) until(t *rapid.T, what string, run func(fatalT) (*plan.Plan, error)) {
	var last error
	for range 100 {
		if _, last = run(t); last == nil {
			return
		}
	}
	t.Fatalf("%s fails again and again: %v", what, last)
}

// approved is apply for a plan that was approved before the first run: what every run plans is what is left of it.
func (h *house) approved(t *rapid.T) func(fatalT) (*plan.Plan, error) {
	file := h.plan(t)
	return func(f fatalT) (*plan.Plan, error) {
		job := h.job(f)
		defer job.Close(context.Background())
		p := job.Plan(context.Background())
		made, ok := plan.Made(file, p)
		if !ok {
			t.Fatalf("this is not what is left of the approved plan: %v\n%s\n%s", plan.Differences(file, p), text(file), text(p))
		}
		for server, changes := range made {
			for _, c := range changes {
				if !job.InPlace(context.Background(), server, c) {
					t.Fatalf("%s: %s %s is not in place", server, c.Sign(), c.Line())
				}
			}
		}
		return h.confirmed(job, p)
	}
}

// inTurn runs the whole of it, or its pieces one after the other.
func (h *house) inTurn(t *rapid.T, pieces bool, what string, run func(fatalT) (*plan.Plan, error), kinds ...plan.Kind) {
	if !pieces {
		h.until(t, what, run)
		return
	}
	for _, h.o.Request.Only = range kinds {
		h.until(t, what+" of each "+string(h.o.Request.Only), run)
	}
	h.o.Request.Only = ""
}

// disturb makes some requests fail, fewer and fewer, so that repeating comes to an end.
func disturb(t *rapid.T, lab *vcsim.Lab) (stop func(), disturbed bool) {
	if !rapid.Bool().Draw(t, "disturbed") {
		return func() {}, false
	}
	period := rapid.IntRange(7, 60).Draw(t, "period")
	kinds := []vcsim.FaultKind{vcsim.Unavailable, vcsim.Dropped, vcsim.LostReply, vcsim.ExpiredSession, vcsim.ServedBadGateway, vcsim.ServedUnavailable}
	for _, v := range lab.VCenters {
		v.SetFault(func(n int, _ string) vcsim.Fault {
			if n%(9*period) == 0 && n < 900 { // ends a run, as the others do not: nobody sends such a request again
				return vcsim.Fault{Kind: vcsim.Empty}
			}
			if n%period == 0 && n < 1000 { // so that a run gets through in the end
				return vcsim.Fault{Kind: kinds[n/period%len(kinds)]}
			}
			return vcsim.Fault{}
		})
	}
	return func() {
		for _, v := range lab.VCenters {
			v.SetFault(nil)
		}
	}, true
}

func estate(t *rapid.T) *vcsim.Lab {
	vcenters := rapid.IntRange(1, 2).Draw(t, "vcenters")
	lab, err := vcsim.Start(vcsim.Options{
		VCenters: vcenters,
		Releases: rapid.SliceOfN(rapid.SampledFrom(vcsim.Releases()), vcenters, vcenters).Draw(t, "releases"),
		Linked:   rapid.Bool().Draw(t, "linked"),
		Domain:   rapid.SampledFrom([]string{"vsphere.local", "sso.example.com"}).Draw(t, "domain"),
		Estate:   vcsim.EstateOptions{Seed: rapid.Uint64Range(1, 1<<20).Draw(t, "seed"), Foreign: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	return lab
}

// drawSpec chooses failure domains among what the estate has.
func drawSpec(t *rapid.T, lab *vcsim.Lab, clusters string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "apiVersion: %s\nkind: %s\ncluster: %s%d\nprivileges:\n", spec.APIVersion, spec.Kind, clusters, rapid.IntRange(1, 99).Draw(t, "cluster"))
	ofOpenShift := lists.Without(openshift.ProfileNames(), []string{openshift.ProfileKubernetes}) // laws reconcile, too
	profile := rapid.SampledFrom(append(ofOpenShift, spec.DefaultProfile, spec.DefaultProfile)).Draw(t, "profile")
	fmt.Fprintf(&b, "  matrix: %s\n", rapid.SampledFrom([]string{"default", "default", "enhancement", "documented", "component-scoped", "minimal"}).Draw(t, "matrix"))
	fmt.Fprintf(&b, "  roleLayout: %s\n", rapid.SampledFrom([]string{"scope", "scope", "component"}).Draw(t, "layout"))
	if rapid.Bool().Draw(t, "vsan") {
		b.WriteString("  conditions: [vsan-file, no-managed-storageclass]\n")
	}
	fmt.Fprintf(&b, "profile: %s\n", profile)
	if profile != openshift.ProfilePassthrough && rapid.Bool().Draw(t, "adopted") {
		b.WriteString("components:\n  machine-api: {}\n  installer: {}\n  cloud-controller: {}\n" + drawAdopted(t, lab, clusters))
	}
	b.WriteString("vcenters:\n")
	for i, v := range lab.VCenters {
		fmt.Fprintf(&b, "- server: %s\n  failureDomains:\n", v.Server())
		for n := range rapid.IntRange(1, 3).Draw(t, "failure domains") {
			drawFailureDomain(t, &b, v.Estate(), fmt.Sprintf("zone-%d-%d", i, n))
		}
	}
	return b.String()
}

func drawFailureDomain(t *rapid.T, b *strings.Builder, e vcsim.Estate, name string) {
	var usable []vcsim.Datacenter
	for _, dc := range e.Datacenters {
		if len(dc.Clusters) > 0 && len(dc.Datastores) > 0 && len(dc.Networks) > 0 {
			usable = append(usable, dc)
		}
	}
	if len(usable) == 0 {
		t.Fatalf("the estate has nothing to install on")
	}
	dc := rapid.SampledFrom(usable).Draw(t, "datacenter")
	cluster := rapid.SampledFrom(dc.Clusters).Draw(t, "cluster")
	line := func(field, value string) { fmt.Fprintf(b, "    %s: %q\n", field, value) }
	fmt.Fprintf(b, "  - name: %s\n", name)
	line("datacenter", dc.Path)
	line("computeCluster", cluster.Path)
	line("datastore", rapid.SampledFrom(dc.Datastores).Draw(t, "datastore"))
	var networks []string
	for _, n := range rapid.SliceOfNDistinct(rapid.SampledFrom(dc.Networks), 1, min(2, len(dc.Networks)), func(n vcsim.Network) string { return n.Path }).Draw(t, "networks") {
		networks = append(networks, fmt.Sprintf("%q", n.Path))
	}
	fmt.Fprintf(b, "    networks: [%s]\n", strings.Join(networks, ", "))
	if len(dc.Folders) > 0 && rapid.Bool().Draw(t, "folder given") {
		line("folder", rapid.SampledFrom(dc.Folders).Draw(t, "folder"))
	}
	if len(cluster.Pools) > 0 && rapid.Bool().Draw(t, "pool given") {
		line("resourcePool", rapid.SampledFrom(cluster.Pools).Draw(t, "pool"))
	}
	if len(dc.Templates) > 0 && rapid.Bool().Draw(t, "template given") {
		line("template", rapid.SampledFrom(dc.Templates).Draw(t, "template"))
	}
}

// misses reports whether an account lacks privileges but on what its matrix hides: some have no rule for ancestors.
func (h *house) misses(v *verify.Result) bool {
	for _, vc := range v.VCenters {
		for _, a := range vc.Accounts {
			for _, o := range a.Objects {
				if len(o.Missing) > 0 && (o.HiddenBy == "" || h.o.Request.Matrix.Ancestors != nil) {
					return true
				}
			}
		}
	}
	return false
}

// proved refuses everything that a verification found wrong but two things: with a matrix that has no rule for ancestors
// accounts may have rights on objects that they cannot find, and what openshift-install checks of components with the profile
// component-scoped is in two matrices alone.
func (h *house) proved(t *rapid.T, after string, v *verify.Result) {
	if v.Meets(asAsked) {
		return
	}
	hidden := v.Err() == nil && !finding.Differing(v.Findings) && !h.misses(v)
	for _, vc := range v.VCenters {
		for _, a := range vc.Accounts {
			hidden = hidden && slices.Contains([]string{login.OK, verify.LoginUnverified, verify.LoginDisabled}, a.Login)
			for _, o := range a.Objects {
				hidden = hidden && len(o.Excess) == 0
			}
		}
		for _, c := range vc.Preflight {
			ofComponent := !strings.HasPrefix(c.Check, "vSphere ") && !strings.HasPrefix(c.Check, "Pre-existing ")
			if ofComponent && !slices.Contains([]string{"default", "component-scoped"}, h.spec.Privileges.Matrix) {
				continue
			}
			hidden = hidden && !slices.ContainsFunc(c.Missing, func(m string) bool { return !strings.HasPrefix(m, "not found: ") })
		}
	}
	if !hidden {
		t.Fatalf("verify after %s:\n%s\n%s", after, failing(v), h.spec.YAML())
	}
}
