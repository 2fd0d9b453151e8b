package provision_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/vmware/govmomi/find"
	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// same holds an estate against one before, to the letter.
func (h *house) same(t *testing.T, before string) {
	t.Helper()
	if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(h.snapshot(), "\n")); diff != "" {
		t.Error(diff)
	}
}

// colleague has the same specification on another machine: another credentials file.
func (h *house) colleague(t *testing.T, change func(*spec.Spec)) *house {
	t.Helper()
	s := *h.spec
	s.VCenters, s.Components = slices.Clone(s.VCenters), nil
	change(&s)
	return open(t, h.lab, t.TempDir(), &s)
}

// permit gives a principal a role on an object, as somebody else's administrator.
func permit(t *testing.T, c *vim25.Client, path, principal, role string, propagate bool) {
	t.Helper()
	ref := c.ServiceContent.RootFolder
	if path != "/" {
		o, err := object.NewSearchIndex(c).FindByInventoryPath(context.Background(), path)
		if err != nil || o == nil {
			t.Fatalf("%s: %v", path, err)
		}
		ref = o.Reference()
	}
	list, err := authz(c).RoleList(context.Background())
	if err != nil || list.ByName(role) == nil {
		t.Fatalf("role %s: %v", role, err)
	}
	err = authz(c).SetEntityPermissions(context.Background(), ref, []types.Permission{{Principal: principal, RoleId: list.ByName(role).RoleId, Propagate: propagate}})
	if err != nil {
		t.Fatal(err)
	}
}

// A colleague who destroys one of two linked vCenters takes nothing from the other one: neither its accounts, which are the
// domain's, nor its roles, which may be.
func TestDestroyOfOneLinkedVCenter(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]vcsim.Options{
		"accounts": {VCenters: 2, Linked: true},
		"roles":    {VCenters: 2, Linked: true, RoleReplication: 1},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t, start(t, o), t.TempDir(), parse(t, demoSpec))
			h.mustApply(t)
			other := h.colleague(t, func(s *spec.Spec) { s.VCenters = s.VCenters[:1] })
			report, err := other.destroy(t)
			if err != nil {
				t.Fatal(err)
			}
			if note := toldOf(t, report, "user ocp-cluster1-csi-driver@vsphere.local"); !strings.Contains(note.Text, "in use on vcenter2.example.com (") {
				t.Error(note)
			}
			h.spec.VCenters = h.spec.VCenters[1:]
			if v := h.verify(t); !v.Meets(byDefault) {
				t.Errorf("the other vCenter lost something: %+v\n%s", v.Summary, text(report))
			}
		})
	}
}

// A linked vCenter leaves: the destroy that plan names takes its permissions and its entries of the credentials file, and nothing that
// the other one works with. A password that is nowhere else stays.
func TestLinkedVCenterLeaves(t *testing.T) {
	t.Parallel()
	h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: true}), t.TempDir(), parse(t, demoSpec))
	empty := h.snapshot()
	h.mustApply(t)
	all := h.spec.VCenters
	leaves := func() []string {
		h.spec.VCenters = all[:1]
		p := h.plan(t)
		h.spec.VCenters = all
		return said(p, "vcenter2.example.com")
	}
	destroy := func() {
		t.Helper()
		h.narrowed(t, []string{"vcenter2.example.com"}, nil, func() {
			if report, err := h.destroy(t); err != nil || len(staying(report)) > 0 {
				t.Fatalf("%v\n%s", err, text(report))
			}
		})
	}
	if len(leaves()) == 0 {
		t.Fatal("plan does not say that a vCenter left")
	}
	file, err := credfile.Open(h.path)
	if err != nil {
		t.Fatal(err)
	}
	file.Remove("vcenter1.example.com", "diagnostics")
	if err := file.Save(); err != nil {
		t.Fatal(err)
	}
	destroy()
	if left := leaves(); len(left) != 1 || !strings.Contains(left[0], "(diagnostics)") {
		t.Errorf("plan says %q", left)
	}
	h.spec.VCenters = all[:1]
	h.mustApply(t) // takes the password over
	if v := h.verify(t); !v.Meets(byDefault) {
		t.Errorf("the other vCenter lost something:\n%s", failing(v))
	}
	h.spec.VCenters = all
	destroy()
	if left := leaves(); len(left) > 0 {
		t.Errorf("plan still says %q", left)
	}
	h.mustApply(t)
	if v := h.verify(t); !v.Meets(byDefault) {
		t.Errorf("the vCenter came back: %s", failing(v))
	}
	if _, err := h.destroy(t); err != nil {
		t.Fatal(err)
	}
	h.same(t, empty)
}

// Linked vCenters that are no part of the run are read: where they grant an account nothing it goes, where they cannot be
// read it stays.
func TestDestroyReadsLinkedVCenters(t *testing.T) {
	t.Parallel()
	h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: true}), t.TempDir(), parse(t, demoSpec))
	h.spec.VCenters = h.spec.VCenters[:1]
	before := h.snapshot()
	h.mustApply(t)
	h.lab.VCenters[1].SetFault(func(int, string) vcsim.Fault { return vcsim.Fault{Kind: vcsim.Dropped} })
	report, err := h.destroy(t)
	if err != nil {
		t.Fatal(err)
	}
	if note := toldOf(t, report, "user ocp-cluster1-csi-driver@vsphere.local"); !strings.Contains(note.Text, "vcenter2.example.com, in the same SSO domain, was not read") {
		t.Error(note)
	}
	if !strings.Contains(h.snapshot(), `account VSPHERE.LOCAL\ocp-cluster1-csi-driver description`) {
		t.Error("the account is gone")
	}
	if _, err := os.Stat(h.path); err != nil {
		t.Errorf("the passwords of accounts that stay are gone: %v", err)
	}
	h.lab.VCenters[1].SetFault(nil)
	if report, err := h.destroy(t); err != nil {
		t.Fatalf("%v\n%s", err, text(report))
	}
	h.same(t, before)
}

// An account that this tool made for another cluster cannot be adopted, and destroying a specification that tries takes
// nothing from it.
func TestAccountOfAnotherClusterIsRefused(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.mustApply(t)
	before := h.snapshot()
	thief := h.colleague(t, func(s *spec.Spec) {
		s.Cluster = "cluster2"
		s.Components = map[component.Name]spec.Component{"csi-driver": {Principal: "ocp-cluster1-csi-driver@vsphere.local"}}
	})
	thief.displace = true
	const want = "ocp-cluster1-csi-driver@vsphere.local was created for cluster cluster1 (csi-driver), so cluster cluster2 cannot use it"
	if _, err := thief.destroy(t); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("destroy: %v", err)
	}
	if _, err := thief.apply(t); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("apply: %v", err)
	}
	h.same(t, before)
}

// Two clusters that adopt one account: on one object only one of them can have it, which is said with both names, and
// destroying one takes nothing from the other.
func TestTwoClustersAdoptOneAccount(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	populate(t, h.lab)
	h.spec.Components = map[component.Name]spec.Component{"csi-driver": {Principal: `CORP\svc-csi`}}
	other := h.colleague(t, func(s *spec.Spec) {
		s.Cluster, s.Components = "cluster1-b", map[component.Name]spec.Component{"csi-driver": {Principal: "svc-csi@corp.example.com"}}
	})
	empty := h.snapshot()
	h.mustApply(t)
	before := h.snapshot()
	other.displace = true
	_, err := other.apply(t)
	if err == nil || !strings.Contains(err.Error(), "svc-csi@corp.example.com is already used by cluster cluster1 on /") || !strings.Contains(err.Error(), "cluster cluster1-b cannot") {
		t.Errorf("apply: %v", err)
	}
	if report, err := other.destroy(t); err != nil || !report.Empty() {
		t.Errorf("destroy: %v\n%s", err, text(report))
	}
	h.same(t, before)
	if _, err := h.destroy(t); err != nil {
		t.Fatal(err)
	}
	h.same(t, empty)
}

// What somebody gave an adopted account by hand is theirs: what it wants anyway stays as it is, whatever else is there is
// displaced only when that is confirmed, saved beside the credentials file before, and given back by destroy.
func TestDisplacedPermissions(t *testing.T) {
	t.Parallel()
	const who, folder, ds = "svc-csi@corp.example.com", "/DC1/vm/openshift/cluster1", "/DC1/datastore/ds1"
	setUp := func(t *testing.T) (*house, string) {
		h := one(t, vcsim.Options{})
		populate(t, h.lab)
		c := h.admin(t)
		if _, err := authz(c).AddRole(t.Context(), "storage people", []string{"Datastore.Delete", "Datastore.Browse"}); err != nil {
			t.Fatal(err)
		}
		permit(t, c, "/DC1", who, "ReadOnly", true)
		permit(t, c, folder, who, "NoAccess", true)
		permit(t, c, ds, who, "storage people", false)
		h.spec.Components = map[component.Name]spec.Component{"csi-driver": {Principal: who}, "installer": {}}
		before := h.snapshot()
		return h, before
	}
	t.Run("given back", func(t *testing.T) {
		h, before := setUp(t)
		p := h.plan(t)
		var shown []string
		for _, c := range p.Changes() {
			if c.Displaces {
				shown = append(shown, c.Object)
			}
		}
		if !slices.Equal(shown, []string{ds, folder}) {
			t.Errorf("displaced on %v:\n%s", shown, text(p))
		}
		if strings.Contains(text(p), "permission of "+who+" on /DC1:") {
			t.Errorf("what it has and wants is changed:\n%s", text(p))
		}
		if _, err := h.apply(t); err == nil || !strings.Contains(err.Error(), "2 changes alter permissions or roles of others") {
			t.Errorf("not confirmed: %v", err)
		}
		h.same(t, before)
		h.displace = true
		h.mustApply(t)
		if p := h.plan(t); p.Err() != nil || !p.Empty() {
			t.Errorf("the second plan (%v):\n%s", p.Err(), text(p))
		}
		if info, err := os.Stat(h.path + ".displaced"); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v %v", info, err)
		}
		if report, err := h.destroy(t); err != nil {
			t.Fatalf("%v\n%s", err, text(report))
		}
		h.same(t, before)
		if _, err := os.Stat(h.path + ".displaced"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the record is still there: %v", err)
		}
	})
	t.Run("no record", func(t *testing.T) {
		h, _ := setUp(t)
		h.displace = true
		h.mustApply(t)
		if err := os.Remove(h.path + ".displaced"); err != nil {
			t.Fatal(err)
		}
		report, err := h.destroy(t)
		if err != nil {
			t.Fatal(err)
		}
		if f := general(report); len(f) != 1 || f[0].Text != "earlier permissions of adopted accounts on vcenter1.example.com are not known, so none are restored: "+h.path+".displaced is not there" {
			t.Errorf("%+v", f)
		}
		if s := h.snapshot(); !strings.Contains(s, `"/DC1" account CORP.EXAMPLE.COM\svc-csi role "ReadOnly"`) || strings.Contains(s, `svc-csi role "openshift`) {
			t.Errorf("what others gave is gone, or what we gave is not:\n%s", s)
		}
	})
	t.Run("ours was removed by others", func(t *testing.T) {
		h, before := setUp(t)
		h.displace = true
		h.mustApply(t)
		c := h.admin(t)
		o, err := find.NewFinder(c).Datastore(t.Context(), ds)
		if err == nil {
			err = authz(c).RemoveEntityPermission(t.Context(), o.Reference(), who, false)
		}
		if err != nil {
			t.Fatal(err)
		}
		report, err := h.destroy(t)
		if err != nil {
			t.Fatal(err)
		}
		f := staying(report)
		if len(f) != 1 || f[0].Code != finding.StaysBehind || f[0].Object.Path != ds || !strings.Contains(f[0].Text, "it had role storage people before") || !strings.Contains(f[0].Remedies[0], "govc permissions.set -principal ") {
			t.Fatalf("%+v", f)
		}
		if _, err := os.Stat(h.path + ".displaced"); err != nil {
			t.Errorf("the record is gone: %v", err)
		}
		permit(t, c, ds, who, "storage people", false)
		if report, err := h.destroy(t); err != nil || len(staying(report)) > 0 {
			t.Fatalf("%v %+v", err, staying(report))
		}
		h.same(t, before)
		if _, err := os.Stat(h.path + ".displaced"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the record is still there: %v", err)
		}
	})
	t.Run("the role is gone", func(t *testing.T) {
		h, _ := setUp(t)
		h.displace = true
		h.mustApply(t)
		c := h.admin(t)
		list, err := authz(c).RoleList(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := authz(c).RemoveRole(t.Context(), list.ByName("storage people").RoleId, true); err != nil {
			t.Fatal(err)
		}
		report, err := h.destroy(t)
		if err != nil {
			t.Fatal(err)
		}
		if note := change(t, report, "permission of "+who+" on "+ds); note.Verb != plan.Delete || !strings.Contains(note.Note, "role storage people, which it had here before, no longer exists") {
			t.Error(note)
		}
	})
	t.Run("since the plan", func(t *testing.T) {
		h, _ := setUp(t)
		job := h.job(t)
		defer job.Close(context.Background())
		p := job.Plan(context.Background())
		permit(t, h.admin(t), ds, who, "ReadOnly", false)
		if err := job.Apply(context.Background(), p); err != nil {
			t.Fatal(err)
		}
		if err := p.Err(); err == nil || !strings.Contains(err.Error(), "somebody gave it ReadOnly there after the plan") {
			t.Errorf("error is %v", err)
		}
		if s := h.snapshot(); !strings.Contains(s, `"/DC1/datastore/ds1" account CORP.EXAMPLE.COM\svc-csi role "ReadOnly"`) {
			t.Errorf("it was written over:\n%s", s)
		}
	})
	t.Run("inherited", func(t *testing.T) {
		h := one(t, vcsim.Options{})
		populate(t, h.lab)
		c := h.admin(t)
		if err := permitGroup(t, c, c.ServiceContent.RootFolder, `CORP\OCP storage`, -5); err != nil {
			t.Fatal(err)
		}
		h.spec.Components = map[component.Name]spec.Component{"csi-driver": {Principal: who}}
		if c := change(t, h.plan(t), "permission of "+who+" on "+ds); !c.Displaces || !strings.Contains(c.Note, `lifts NoAccess of group CORP.EXAMPLE.COM\OCP storage on /`) {
			t.Errorf("%v %s", c.Displaces, c.Line())
		}
	})
}

// Roles of our names that somebody made, changed or uses are not written over, narrowed or removed unseen.
func TestRolesOfOthersAndOurs(t *testing.T) {
	t.Parallel()
	const base = "openshift-csi-driver-datastore"
	planned := func(t *testing.T, h *house, destroy bool, meanwhile func()) *plan.Plan {
		job := h.job(t)
		defer job.Close(context.Background())
		if destroy {
			p := job.PlanDestroy(context.Background())
			meanwhile()
			if err := job.Destroy(context.Background(), p); err != nil {
				t.Fatal(err)
			}
			return p
		}
		p := job.Plan(context.Background())
		meanwhile()
		if err := job.Apply(context.Background(), p); err != nil {
			t.Fatal(err)
		}
		return p
	}
	t.Run("made since the plan", func(t *testing.T) {
		h := one(t, vcsim.Options{})
		p := planned(t, h, false, func() { h.setRole(t, 0, dsRole, "VirtualMachine.Interact.PowerOn") })
		if err := p.Err(); err == nil || !strings.Contains(err.Error(), "somebody created a role with this name after the plan, with other privileges") {
			t.Errorf("error is %v", err)
		}
		if got := h.liveRole(t, 0, base).Privilege; !slices.Contains(got, "VirtualMachine.Interact.PowerOn") {
			t.Errorf("it holds %v", got)
		}
	})
	t.Run("changed since the plan", func(t *testing.T) {
		h := one(t, vcsim.Options{})
		h.mustApply(t)
		h.setRole(t, 0, dsRole, "Datastore.Browse")
		p := planned(t, h, false, func() { h.setRole(t, 0, dsRole, "Datastore.Browse", "VirtualMachine.Interact.PowerOn") })
		if err := p.Err(); err == nil || !strings.Contains(err.Error(), "somebody changed it after the plan") {
			t.Errorf("error is %v", err)
		}
		if got := h.liveRole(t, 0, base).Privilege; !slices.Contains(got, "VirtualMachine.Interact.PowerOn") {
			t.Errorf("it holds %v", got)
		}
	})
	t.Run("changed since the plan of destroy", func(t *testing.T) {
		h := one(t, vcsim.Options{})
		h.mustApply(t)
		p := planned(t, h, true, func() { h.setRole(t, 0, dsRole, "VirtualMachine.Interact.PowerOn") })
		if err := p.Err(); err == nil || !strings.Contains(err.Error(), "somebody changed it after the plan") {
			t.Errorf("error is %v", err)
		}
		h.liveRole(t, 0, base)
	})
	t.Run("not as apply makes it", func(t *testing.T) {
		h := one(t, vcsim.Options{})
		h.setRole(t, 0, dsRole, "VirtualMachine.Interact.PowerOn")
		report, err := h.destroy(t)
		if err != nil {
			t.Fatal(err)
		}
		if note := toldOf(t, report, "role "+base); !strings.Contains(note.Text, "somebody changed it") {
			t.Error(note)
		}
	})
	t.Run("narrowed for its other holders", func(t *testing.T) {
		h := one(t, vcsim.Options{})
		populate(t, h.lab)
		h.mustApply(t)
		h.setRole(t, 0, dsRole, "Datastore.AllocateSpace", "Datastore.Browse", "Datastore.FileManagement", "InventoryService.Tagging.ObjectAttachable", "VirtualMachine.Interact.PowerOn")
		if c := change(t, h.plan(t), "role "+base); c.Displaces {
			t.Errorf("nobody else holds it: %s", c.Line())
		}
		permit(t, h.admin(t), "/DC1/vm/legacy", "svc-diag@corp.example.com", dsRole, true)
		before := h.snapshot()
		c := change(t, h.plan(t), "role "+base)
		if !c.Displaces || !strings.Contains(c.Line(), "-VirtualMachine.Interact.PowerOn") || !strings.Contains(c.Note, "svc-diag") {
			t.Errorf("%v %s", c.Displaces, c.Line())
		}
		if _, err := h.apply(t); err == nil || !strings.Contains(err.Error(), "alters permissions or roles of others") {
			t.Errorf("not confirmed: %v", err)
		}
		h.same(t, before)
		h.displace = true
		h.mustApply(t)
	})
}

// Clusters with other needs have other roles: neither conditions nor matrices of one change what another one holds.
func TestClustersOfDifferentNeeds(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	empty := h.snapshot()
	h.spec.Privileges.Conditions = []string{"storage-policy"}
	h.mustApply(t)
	other := h.colleague(t, func(s *spec.Spec) {
		s.Cluster, s.Privileges.Conditions, s.Privileges.Matrix = "cluster2", nil, "documented"
	})
	other.only(plan.Role).mustApply(t)
	if v := h.verify(t); !v.Meets(byDefault) {
		t.Errorf("roles create of the other one took something away: %+v", v.Summary)
	}
	neighbour := func(folder, want string) {
		t.Helper()
		fds := other.spec.VCenters[0].FailureDomains
		defer func(was string) { fds[0].Folder = was }(fds[0].Folder)
		fds[0].Folder = folder
		p := other.plan(t)
		if note := toldOf(t, p, "can delete the machines of"); note.Object.Path != folder || !strings.Contains(note.Text, want) {
			t.Errorf("%s: %s", folder, note)
		}
	}
	neighbour("/DC1/vm/openshift/cluster1", ") works here too: each of the two clusters can delete the machines of the other")
	neighbour("/DC1/vm/openshift", ") works below, in /DC1/vm/openshift/cluster1: this cluster can delete the machines of the other there")
	other.o.Request.CreateFolders = true
	neighbour("/DC1/vm/openshift/cluster1/b", ") works above, in /DC1/vm/openshift/cluster1: it can delete the machines of this cluster")
	other.o.Request.CreateFolders = false
	other.mustApply(t)
	for name, cluster := range map[string]*house{"first": h, "second": other} {
		if note := toldOf(t, cluster.plan(t), "can delete the machines of"); note.Object.Path != "/DC1/vm/openshift/cluster1" {
			t.Errorf("%s: %s", name, note)
		}
		if v := cluster.verify(t); !v.Meets(asAsked) {
			t.Errorf("%s: %+v", name, v.Summary)
		}
		if p := cluster.plan(t); p.Err() != nil || !p.Empty() {
			t.Errorf("%s (%v):\n%s", name, p.Err(), text(p))
		}
	}
	if _, err := other.destroy(t); err != nil {
		t.Fatal(err)
	}
	if v := h.verify(t); !v.Meets(byDefault) {
		t.Errorf("destroy of the other one took something away: %+v", v.Summary)
	}
	if _, err := h.destroy(t); err != nil {
		t.Fatal(err)
	}
	h.same(t, empty)
}

// What the specification no longer names is said, and stays until --prune: a typing error must not delete an account in use.
// What --components and --vcenters leave out was not dropped.
func TestDroppedFromTheSpecification(t *testing.T) {
	t.Parallel()
	const dropped = "ocp-cluster1-diagnostics@vsphere.local"
	h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: true}), t.TempDir(), parse(t, demoSpec))
	empty := h.snapshot()
	h.mustApply(t)
	narrowed := *h
	s := *h.spec
	if err := s.Narrow(nil, []string{"csi-driver"}); err != nil {
		t.Fatal(err)
	}
	narrowed.o.Request.Spec = &s
	for _, prune := range []bool{false, true} {
		narrowed.o.Request.Prune = prune
		if p := narrowed.plan(t); p.Err() != nil || !p.Empty() || strings.Contains(text(p), dropped) {
			t.Errorf("--components is taken for dropping (%v):\n%s", p.Err(), text(p))
		}
	}
	h.spec.Components = map[component.Name]spec.Component{"machine-api": {}, "csi-driver": {}, "cloud-controller": {}, "installer": {}}
	before := h.snapshot()
	p, err := h.apply(t)
	if err != nil || !p.Empty() {
		t.Fatalf("%v\n%s", err, text(p))
	}
	if note := toldOf(t, p, "user "+dropped); note.Code != finding.NotAsSpecified || !strings.Contains(note.Text, "no longer in the specification of this cluster (diagnostics): kept, with 3 permissions here, until apply --prune") {
		t.Error(note)
	}
	job := h.job(t)
	defer job.Close(context.Background())
	if note := toldOf(t, job.PlanDestroy(context.Background()), "user "+dropped); !strings.HasSuffix(note.Text, "to remove it, name it there again") {
		t.Errorf("in a destroy: %s", note)
	}
	h.same(t, before)
	h.o.Request.Prune = true
	all := h.spec.VCenters
	h.spec.VCenters = all[:1]
	if p := h.plan(t); toldOf(t, p, "user "+dropped) == nil {
		t.Errorf("the other vCenter uses the account:\n%s", text(p))
	}
	h.spec.VCenters = all
	h.mustApply(t)
	if s := h.snapshot(); strings.Contains(s, "diagnostics") {
		t.Errorf("something is left of it:\n%s", s)
	}
	if data, err := os.ReadFile(h.path); err != nil || strings.Contains(string(data), "diagnostics") {
		t.Errorf("the password is left (%v)", err)
	}
	h.o.Request.Prune = false
	if p := h.plan(t); p.Err() != nil || !p.Empty() || p.Differs() {
		t.Errorf("%v\n%s", p.Err(), text(p))
	}
	if v := h.verify(t); !v.Meets(byDefault) {
		t.Errorf("%+v", v.Summary)
	}
	// Another specification of the cluster may name what this one does not: destroy leaves it and says so.
	whole := h.spec.Components
	h.spec.Components = map[component.Name]spec.Component{"csi-driver": {}, "cloud-controller": {}, "installer": {}}
	report, err := h.destroy(t)
	if err != nil {
		t.Fatal(err)
	}
	if note := toldOf(t, report, "user ocp-cluster1-machine-api@vsphere.local"); note.Code != finding.StaysBehind || strings.Contains(note.Text, "--prune") || !strings.Contains(h.snapshot(), "ocp-cluster1-machine-api") {
		t.Error(note)
	}
	h.spec.Components = whole
	if _, err := h.destroy(t); err != nil {
		t.Fatal(err)
	}
	h.same(t, empty)
}

// An account that the specification adopted once and names no more keeps what it has until --prune; a vCenter that left it
// is named while the credentials file has accounts for it.
func TestAdoptedOnceAndVCentersThatLeft(t *testing.T) {
	t.Parallel()
	h := open(t, start(t, vcsim.Options{VCenters: 2}), t.TempDir(), parse(t, demoSpec))
	populate(t, h.lab)
	empty := h.lab.VCenters[0].Snapshot()
	all := h.spec.VCenters
	h.spec.VCenters = all[:1]
	h.spec.Components = map[component.Name]spec.Component{"csi-driver": {Principal: "svc-csi@corp.example.com"}, "diagnostics": {}}
	h.mustApply(t)
	h.spec.VCenters, h.spec.Components = all, map[component.Name]spec.Component{"csi-driver": {}, "diagnostics": {}}
	h.mustApply(t)
	p := h.plan(t)
	if note := toldOf(t, p, "with roles of this cluster but is not in the specification; they are kept until apply --prune removes them"); note.Code != finding.NotAsSpecified || note.Object.Principal != `CORP.EXAMPLE.COM\svc-csi` {
		t.Error(note)
	}
	if !p.Empty() {
		t.Errorf("not empty:\n%s", text(p))
	}
	// a destroy leaves it, which is a finding, and says nothing that creates the rest again
	undone := h.destroyPlan(t)
	if f := staying(undone); len(f) == 0 || !strings.HasPrefix(f[0].String(), `permission of CORP.EXAMPLE.COM\svc-csi: kept: the specification does not name it`) || strings.Contains(text(undone), "--prune") {
		t.Errorf("%+v\n%s", f, text(undone))
	}
	h.o.Request.Prune = true
	h.mustApply(t)
	h.o.Request.Prune = false
	if s := h.snapshot(); strings.Contains(s, "svc-csi role") || strings.Contains(s, "openshift-cluster1-") {
		t.Errorf("something is left of it:\n%s", s)
	}
	h.spec.VCenters = all[:1]
	if note := toldOf(t, h.plan(t), "no longer names this vCenter"); note.Object.Name != "vcenter2.example.com" || !strings.Contains(note.Text, "(csi-driver, diagnostics)") {
		t.Error(note)
	}
	if _, err := h.destroy(t); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(empty, h.lab.VCenters[0].Snapshot()); diff != "" {
		t.Error(diff)
	}
}

// --prune takes what nobody names, never what a narrowed run leaves out or another machine made.
func TestPruneTakesWhatNobodyNames(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	populate(t, h.lab)
	h.spec.Components = map[component.Name]spec.Component{"csi-driver": {Principal: "svc-csi@corp.example.com"}, "diagnostics": {}}
	h.mustApply(t)
	narrowed := *h
	s := *h.spec
	if err := s.Narrow(nil, []string{"diagnostics"}); err != nil {
		t.Fatal(err)
	}
	narrowed.o.Request.Spec, narrowed.o.Request.Prune = &s, true
	if p := narrowed.plan(t); p.Err() != nil || !p.Empty() {
		t.Errorf("the other component's grants go (%v):\n%s", p.Err(), text(p))
	}
	other := h.colleague(t, func(s *spec.Spec) {
		s.Components = map[component.Name]spec.Component{"csi-driver": {Principal: "svc-csi@corp.example.com"}}
	})
	other.o.Request.Prune = true
	p := other.plan(t)
	if note := toldOf(t, p, "user ocp-cluster1-diagnostics@vsphere.local"); !strings.Contains(note.Text, "another cluster with this name may use it") || !p.Empty() {
		t.Errorf("%s\n%s", note, text(p))
	}
	if f := staying(p); len(f) != 1 || !strings.HasPrefix(f[0].String(), "user ocp-cluster1-diagnostics@vsphere.local: kept: the specification does not name it") {
		t.Errorf("it was asked to go and stays: %v", f)
	}
	other.o.Request.Prune = false
	if f := staying(other.plan(t)); len(f) > 0 {
		t.Errorf("nobody asked it to go: %v", f)
	}
}

// What somebody did to an adopted account between the plan of a destroy and the destroy is not undone, and a record that was
// overtaken gives nothing back.
func TestDestroyOfAdoptedAccountsMeanwhile(t *testing.T) {
	t.Parallel()
	const who, ds = "svc-csi@corp.example.com", "/DC1/datastore/ds1"
	setUp := func(t *testing.T) *house {
		h := one(t, vcsim.Options{})
		populate(t, h.lab)
		permit(t, h.admin(t), ds, who, "NoAccess", false)
		h.spec.Components = map[component.Name]spec.Component{"csi-driver": {Principal: who}}
		h.displace = true
		return h
	}
	t.Run("replaced", func(t *testing.T) {
		h := setUp(t)
		h.mustApply(t)
		job := h.job(t)
		defer job.Close(context.Background())
		p := job.PlanDestroy(context.Background())
		permit(t, h.admin(t), ds, who, "Admin", false)
		permit(t, h.admin(t), "/DC1", who, "Admin", true)
		if err := job.Destroy(context.Background(), p); err != nil {
			t.Fatal(err)
		}
		if err := p.Err(); err == nil || strings.Count(err.Error(), "somebody gave it Admin") != 2 {
			t.Errorf("error is %v", err)
		}
		if s := h.snapshot(); strings.Count(s, `svc-csi role "Admin"`) != 2 {
			t.Errorf("what was given meanwhile is gone:\n%s", s)
		}
	})
	t.Run("revoked by its owner", func(t *testing.T) {
		h := setUp(t)
		h.mustApply(t)
		c := h.admin(t)
		o, err := object.NewSearchIndex(c).FindByInventoryPath(t.Context(), ds)
		if err != nil || o == nil {
			t.Fatal(err)
		}
		if err := authz(c).RemoveEntityPermission(t.Context(), o.Reference(), `CORP.EXAMPLE.COM\svc-csi`, false); err != nil {
			t.Fatal(err)
		}
		h.mustApply(t)
		if _, err := h.destroy(t); err != nil {
			t.Fatal(err)
		}
		if s := h.snapshot(); strings.Contains(s, "svc-csi role") {
			t.Errorf("what nobody gives any more came back:\n%s", s)
		}
		if _, err := os.Stat(h.path + ".displaced"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the record is still there: %v", err)
		}
	})
	t.Run("left by a destroy that did not know it", func(t *testing.T) {
		h := setUp(t)
		before := h.snapshot()
		h.spec.Components["diagnostics"] = spec.Component{}
		h.mustApply(t)
		whole := h.spec.Components
		h.spec.Components = map[component.Name]spec.Component{"diagnostics": {}}
		for _, only := range []plan.Kind{plan.Permission, plan.User, ""} {
			if p, err := h.only(only).destroy(t); err != nil {
				t.Fatalf("%s: %v\n%s", only, err, text(p))
			}
			if data, err := os.ReadFile(h.path + ".displaced"); err != nil || !strings.Contains(string(data), "NoAccess") {
				t.Fatalf("%s: the record of what it had is gone: %v", only, err)
			}
		}
		h.spec.Components = whole
		if _, err := h.destroy(t); err != nil {
			t.Fatal(err)
		}
		h.same(t, before)
	})
	t.Run("the record was lost before another apply", func(t *testing.T) {
		h := setUp(t)
		h.mustApply(t)
		if err := os.Remove(h.path + ".displaced"); err != nil {
			t.Fatal(err)
		}
		h.mustApply(t)
		report, err := h.destroy(t)
		if err != nil {
			t.Fatal(err)
		}
		if f := general(report); len(f) != 1 || f[0].Code != finding.UnknownBefore {
			t.Errorf("%+v", f)
		}
	})
}

// A role of a name of the version before digests that nobody holds may be anybody's.
func TestUnusedRoleOfAnEarlierName(t *testing.T) {
	t.Parallel()
	h := one(t, vcsim.Options{})
	h.setRole(t, 0, "openshift-csi-driver-datastore", "Datastore.Browse")
	before := h.snapshot()
	report, err := h.destroy(t)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range report.Changes() {
		t.Errorf("%s %s", c.Verb, c.Line())
	}
	h.same(t, before)
}
