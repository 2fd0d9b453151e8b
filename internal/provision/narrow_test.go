package provision_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// only narrows the jobs of a house; "" is the whole again.
func (h *house) only(kind plan.Kind) *house {
	narrow := *h
	narrow.o.Request.Only = kind
	return &narrow
}

// kinds are those of the acting changes of a plan.
func kinds(p *plan.Plan) []plan.Kind {
	var found []plan.Kind
	for _, c := range p.Changes() {
		if !slices.Contains(found, c.Kind) {
			found = append(found, c.Kind)
		}
	}
	return found
}

func wantErr(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Error("nothing was refused")
		return
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v\ndoes not say %q", err, part)
		}
	}
}

// Roles, accounts and permissions one after the other are what apply is, and back again.
func TestThePiecesAddUp(t *testing.T) {
	t.Parallel()
	whole, pieces := demo(t), demo(t)
	before := pieces.snapshot()
	whole.mustApply(t)
	for _, kind := range []plan.Kind{plan.Role, plan.User, plan.Permission} {
		p, err := pieces.only(kind).apply(t)
		if err != nil {
			t.Fatalf("%s: %v\n%s", kind, err, text(p))
		}
		if got := kinds(p); !slices.Equal(got, []plan.Kind{kind}) {
			t.Errorf("%s alone changed %v", kind, got)
		}
	}
	if diff := cmp.Diff(strings.Split(whole.snapshot(), "\n"), strings.Split(pieces.snapshot(), "\n")); diff != "" {
		t.Errorf("the pieces are not the whole:\n%s", diff)
	}
	if p := pieces.plan(t); !p.Empty() || p.Err() != nil {
		t.Errorf("apply would still change something:\n%s", text(p))
	}
	if v := pieces.verify(t); !v.Meets(byDefault) {
		t.Errorf("%+v", v.Summary)
	}
	for _, kind := range []plan.Kind{plan.Permission, plan.User, plan.Role} {
		p, err := pieces.only(kind).destroy(t)
		if err != nil {
			t.Fatalf("%s: %v\n%s", kind, err, text(p))
		}
		if got := kinds(p); !slices.Equal(got, []plan.Kind{kind}) {
			t.Errorf("removing each %s alone changed %v", kind, got)
		}
	}
	if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(pieces.snapshot(), "\n")); diff != "" {
		t.Errorf("something is left, or taken:\n%s", diff)
	}
	if _, err := os.Stat(pieces.path); !os.IsNotExist(err) {
		t.Errorf("the credentials file is still there: %v", err)
	}
}

// Nothing is granted that is not there, and what is used stays.
func TestPiecesOutOfOrder(t *testing.T) {
	t.Parallel()
	h := demo(t)
	before := h.snapshot()
	p := h.only(plan.Permission).plan(t)
	wantErr(t, p.Err(), "roles not found: openshift-cloud-controller-", " more", "users not found: ocp-cluster1-machine-api@vsphere.local")
	if _, err := h.only(plan.Role).apply(t); err != nil {
		t.Fatal(err)
	}
	p = h.only(plan.Permission).plan(t)
	wantErr(t, p.Err(), "users not found: ")
	if strings.Contains(p.Err().Error(), "no role") {
		t.Error("the roles are there by now")
	}
	h.mustApply(t)
	after := h.snapshot()
	if p, err := h.only(plan.User).destroy(t); err != nil || !p.Empty() {
		t.Errorf("%v: an account with permissions was removed:\n%s", err, text(p))
	} else if !strings.Contains(text(p), "left: they go first") {
		t.Errorf("nothing says why the accounts stay:\n%s", text(p))
	}
	if p, err := h.only(plan.Role).destroy(t); err != nil || !p.Empty() || !strings.Contains(text(p), "kept: used by") {
		t.Errorf("%v:\n%s", err, text(p))
	}
	if diff := cmp.Diff(after, h.snapshot()); diff != "" {
		t.Error("what is used was removed", diff)
	}
	if before == after {
		t.Error("nothing was tested")
	}
}

// A role that is is granted as it is, but differs from the matrix: roles diff shows how is granted, because it may be somebody's decision, but not in silence.
func TestGrantSaysWhichRoleIsDifferent(t *testing.T) {
	t.Parallel()
	h := demo(t)
	h.mustApply(t)
	c, role := h.admin(t), h.liveRole(t, 0, "openshift-csi-driver-datastore")
	if err := authz(c).UpdateRole(t.Context(), role.RoleId, role.Name, []string{"Datastore.Browse"}); err != nil {
		t.Fatal(err)
	}
	p := h.only(plan.Permission).plan(t)
	if p.Err() != nil || !p.Empty() {
		t.Errorf("%v\n%s", p.Err(), text(p))
	}
	if !strings.Contains(text(p), role.Name) || !strings.Contains(text(p), "is granted as it is, but differs from the matrix: roles diff shows how") {
		t.Errorf("nothing is said:\n%s", text(p))
	}
}

// plainAdmin is somebody who administers every vCenter and no SSO domain.
func (h *house) plainAdmin(t *testing.T) *house {
	t.Helper()
	for _, v := range h.lab.VCenters {
		if err := v.Directory().AddUser("vi-admin", "Vi-Admin-Pass-1x", directory.Details{}); err != nil {
			t.Fatal(err)
		}
		c, err := v.Login(t.Context(), v.AdminUser(), v.AdminPassword())
		if err != nil {
			t.Fatal(err)
		}
		err = authz(c).SetEntityPermissions(t.Context(), c.ServiceContent.RootFolder, []types.Permission{{
			Principal: "vi-admin@" + v.Directory().Domain(), RoleId: roles.AdminID, Propagate: true,
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	other := *h
	other.o.Admin = func(ctx context.Context, s *vcenter.Session) error {
		return s.Login(ctx, "vi-admin@"+h.lab.VCenter(s.Server).Directory().Domain(), secret.New("Vi-Admin-Pass-1x"))
	}
	return &other
}

// Who administers vCenters is not always who administers their SSO domain.
func TestPiecesWithoutRightsInSSO(t *testing.T) {
	t.Parallel()
	h := demo(t)
	plain := h.plainAdmin(t)
	wantErr(t, plain.plan(t).Err(), "SSO")
	if p, err := plain.only(plan.Role).apply(t); err != nil {
		t.Fatalf("roles need no rights in SSO: %v\n%s", err, text(p))
	}
	wantErr(t, plain.only(plan.User).plan(t).Err(), "SSO")
	p := plain.only(plan.Permission).plan(t)
	if p.Err() != nil || !strings.Contains(text(p), "assumed to exist in SSO domain vsphere.local") {
		t.Errorf("%v\n%s", p.Err(), text(p))
	}
	var waited atomic.Int64
	plain.o.Pause = func(ctx context.Context, d time.Duration) error {
		waited.Add(int64(d))
		return ctx.Err()
	}
	if _, err := plain.only(plan.Permission).apply(t); err == nil {
		t.Error("permissions were granted to accounts that do not exist")
	}
	if d := time.Duration(waited.Load()); d < time.Minute { // R40: a linked vCenter may take as long
		t.Errorf("the accounts were waited for %s", d)
	}
	if _, err := h.only(plan.User).apply(t); err != nil {
		t.Fatal(err)
	}
	if p, err := plain.only(plan.Permission).apply(t); err != nil {
		t.Fatalf("%v\n%s", err, text(p))
	}
	if v := h.verify(t); !v.Meets(byDefault) {
		t.Errorf("%+v", v.Summary)
	}
	wantErr(t, plain.only(plan.Permission).destroyPlan(t).Err(), "SSO")
}

func (h *house) destroyPlan(t fatalT) *plan.Plan {
	t.Helper()
	job := h.job(t)
	defer job.Close(context.Background())
	return job.PlanDestroy(context.Background())
}

// Without a failure domain the roles are those that one of the assumed topology would ask for: a later apply finds them.
func TestRolesBeforeAnyFailureDomainIsKnown(t *testing.T) {
	t.Parallel()
	h := demo(t)
	early := *h
	bare, err := spec.FromServers([]string{"vcenter1.example.com"})
	if err != nil {
		t.Fatal(err)
	}
	early.o.Request.Spec, early.o.Request.Only = bare, plan.Role
	early.o.Request.Assumed = privileges.RoleSetOptions{Template: true, Holds: map[privileges.Condition]bool{privileges.FolderExisting: true}}
	p, err := early.apply(t)
	if err != nil {
		t.Fatalf("%v\n%s", err, text(p))
	}
	if p.Summary.Create == 0 {
		t.Fatal("no role was made")
	}
	h.spec.VCenters = h.spec.VCenters[:1]
	if p := h.only(plan.Role).plan(t); p.Err() != nil || !p.Empty() {
		t.Errorf("%v: the roles that were made are not those that are needed:\n%s", p.Err(), text(p))
	}
	if p, err := early.destroy(t); err != nil || p.Summary.Delete == 0 {
		t.Errorf("%v\n%s", err, text(p))
	}
}

// One account for everything, or four, where the profile says so.
func TestProfilesOfSharedAccounts(t *testing.T) {
	t.Parallel()
	for profile, accounts := range map[string]int{openshift.ProfilePassthrough: 1, openshift.ProfileComponentScoped: 4, openshift.ProfileManual: 5} {
		t.Run(profile, func(t *testing.T) {
			h := demo(t)
			if err := h.spec.SetProfile(profile); err != nil {
				t.Fatal(err)
			}
			before := h.snapshot()
			h.mustApply(t)
			v := h.verify(t)
			if !v.Meets(byDefault) || v.Summary.Accounts != 2*accounts {
				t.Errorf("%+v", v.Summary)
			}
			for _, s := range v.VCenters {
				if len(s.Preflight) == 0 {
					t.Errorf("%s: the installer's own checks were not made", s.Server)
				}
			}
			if p, err := h.destroy(t); err != nil {
				t.Fatalf("%v\n%s", err, text(p))
			}
			if diff := cmp.Diff(before, h.snapshot()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// An account of linked vCenters goes when none of them grants it anything and no credentials file says that one uses it; no
// password stays behind.
func TestUsersOfALinkedVCenterThatIsNotAsked(t *testing.T) {
	t.Parallel()
	h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: true}), t.TempDir(), parse(t, demoSpec))
	h.mustApply(t)
	if _, err := h.only(plan.Permission).destroy(t); err != nil {
		t.Fatal(err)
	}
	file, err := credfile.Open(h.path)
	if err != nil {
		t.Fatal(err)
	}
	file.Remove("vcenter2.example.com", "csi-driver")
	file.Remove("vcenter1.example.com", "diagnostics")
	if err := file.Save(); err != nil {
		t.Fatal(err)
	}
	all := h.spec.VCenters
	h.spec.VCenters = all[:1]
	p := h.only(plan.User).destroyPlan(t)
	if c := change(t, p, "user ocp-cluster1-csi-driver@vsphere.local"); c.Verb != plan.Delete {
		t.Errorf("%s %s", c.Verb, c.Line())
	}
	if f := toldOf(t, p, "user ocp-cluster1-machine-api@vsphere.local"); f.Code != finding.StaysBehind && f.Code != finding.PlanNote {
		t.Errorf("the credentials file knows that the other vCenter uses it: %s", f)
	}
	h.spec.VCenters = all
	if p, err := h.only(plan.User).destroy(t); err != nil {
		t.Fatalf("%v\n%s", err, text(p))
	}
	if data, err := os.ReadFile(h.path); !os.IsNotExist(err) {
		t.Errorf("%v: passwords of removed accounts stayed: %t", err, strings.Contains(string(data), "diagnostics"))
	}
}

// Clusters of one profile that name different components share roles: none takes the other's privileges away.
func TestSharedRolesOfFewerComponents(t *testing.T) {
	t.Parallel()
	lab := start(t, vcsim.Options{})
	cluster := func(name string, components ...component.Name) *house {
		s := parse(t, strings.ReplaceAll(demoSpec, "cluster: cluster1", "cluster: "+name))
		s.VCenters = s.VCenters[:1]
		s.Components = map[component.Name]spec.Component{}
		for _, c := range components {
			s.Components[c] = spec.Component{}
		}
		if err := s.SetProfile(openshift.ProfileComponentScoped); err != nil {
			t.Fatal(err)
		}
		return open(t, lab, t.TempDir(), s)
	}
	first, second := cluster("cluster1"), cluster("cluster2", "machine-api", "csi-driver")
	first.mustApply(t)
	second.mustApply(t)
	if v := first.verify(t); !v.Meets(byDefault) {
		t.Errorf("the other cluster took something away: %+v", v.Summary)
	}
	if p := second.plan(t); p.Err() != nil || !p.Empty() {
		t.Errorf("%v\n%s", p.Err(), text(p))
	}
}

// An object of the specification that is gone keeps nothing from being taken back.
func TestR40DestroyAfterAnObjectIsGone(t *testing.T) {
	t.Parallel()
	h := open(t, start(t, vcsim.Options{VCenters: 2, Linked: true}), t.TempDir(), parse(t, demoSpec))
	populate(t, h.lab)
	h.spec.Components = map[component.Name]spec.Component{"csi-driver": {}, "diagnostics": {Principal: "svc-diag@corp.example.com"}}
	before := h.snapshot()
	h.mustApply(t)
	h.spec.VCenters[1].FailureDomains[0].Datastore = "/DC2/datastore/gone"
	if p, err := h.destroy(t); err != nil {
		t.Errorf("what was granted is found without the object: %v\n%s", err, text(p))
	}
	if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(h.snapshot(), "\n")); diff != "" {
		t.Error(diff)
	}
}

// A role that one linked vCenter gives up stays while another needs it, because they may share their roles; once that one gives it
// up too, it goes from both.
func TestRoleGivenUpByOneVCenterAfterTheOther(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]vcsim.Options{
		"apart": {VCenters: 2, Linked: true}, "shared": {VCenters: 2, Linked: true, RoleReplication: time.Nanosecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := open(t, start(t, o), t.TempDir(), parse(t, demoSpec))
			h.mustApply(t)
			matrix, err := privileges.Load("documented")
			if err != nil {
				t.Fatal(err)
			}
			h.o.Request.Matrix, h.o.Request.Prune = matrix, true // another matrix takes nothing without
			h.narrowed(t, []string{"vcenter1.example.com"}, nil, func() { h.mustApply(t) })
			first, second := h.lab.VCenters[0], h.lab.VCenters[1]
			kept := slices.DeleteFunc(ours(first), func(role string) bool { return inUse(first, role) || !inUse(second, role) })
			if kept == nil {
				t.Fatal("vcenter1 keeps no role for vcenter2: nothing is tested")
			}
			h.mustApply(t)
			for _, v := range h.lab.VCenters {
				for _, role := range ours(v) {
					if slices.Contains(kept, role) && !inUse(first, role) && !inUse(second, role) {
						t.Errorf("%s keeps %s", v.Server(), role)
					}
				}
			}
			if v := h.verify(t); !v.Meets(asAsked) {
				t.Errorf("%+v", v.Summary)
			}
		})
	}
}

// ours are the roles of this tool on a vCenter.
func ours(v *vcsim.VCenter) (names []string) {
	for line := range strings.Lines(v.Snapshot()) {
		if name, is := strings.CutPrefix(line, `role "openshift-`); is {
			name, _, _ = strings.Cut(name, `"`)
			names = append(names, "openshift-"+name)
		}
	}
	return names
}

// inUse reports whether somebody has a role on a vCenter.
func inUse(v *vcsim.VCenter, role string) bool {
	return strings.Contains(v.Snapshot(), ` role "`+role+`" propagate`)
}
