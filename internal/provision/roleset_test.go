package provision_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// plannedRoles are the roles that a plan creates, by name.
func plannedRoles(t fatalT, p *plan.Plan) map[string][]string {
	t.Helper()
	if err := p.Err(); err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, c := range p.Changes() {
		if c.Kind == plan.Role && c.Verb == plan.Create {
			got[c.Name] = c.After.(plan.RoleState).Privileges
		}
	}
	return got
}

// shape is a failure domain of the demo estate and what decides about roles.
type shape struct {
	matrix, layout, profile                string
	folder, pool, hostGroup, template, std bool
	conditions                             []string
}

func (s shape) spec(t fatalT) *spec.Spec {
	out := parse(t, demoSpec)
	out.VCenters = out.VCenters[:1]
	fd := &out.VCenters[0].FailureDomains[0]
	if !s.folder {
		fd.Folder = ""
	}
	if s.pool {
		fd.ResourcePool = "/DC1/host/C1/Resources/openshift"
	}
	if !s.template {
		fd.Template = ""
	}
	if s.std {
		fd.Networks = []string{"/DC1/network/VM Network"}
	}
	fd.HostGroup = s.hostGroup
	out.Profile = s.profile
	out.Privileges = spec.Privileges{Matrix: s.matrix, RoleLayout: s.layout, RolePrefix: "x-", Conditions: s.conditions}
	if s.matrix == "installer" {
		out.Components = map[component.Name]spec.Component{"installer": {}}
	}
	return out
}

// roleSet is what the pure function says about the same failure domain.
func (s shape) roleSet(from *spec.Spec, m *privileges.Matrix, known []string) []privileges.RoleDef {
	holds := from.Conditions(map[privileges.Condition]bool{
		privileges.FolderExisting: s.folder, privileges.PoolExisting: s.pool, privileges.HostGroup: s.hostGroup,
	})
	return access.RoleSet(from.Fold(m), privileges.RoleSetOptions{
		Components: from.ComponentNames(), Holds: holds, Layout: s.layout, Prefix: "x-", Known: known, Template: s.template,
	})
}

func (s shape) check(t fatalT, lab *vcsim.Lab, dir string, known []string) {
	t.Helper()
	from := s.spec(t)
	h := open(t, lab, dir, from)
	p := h.plan(t)
	planned := plannedRoles(t, p)
	defs := s.roleSet(from, h.o.Request.Matrix, known)
	got := map[string][]string{}
	for _, d := range defs {
		if _, twice := got[d.Name]; twice {
			t.Errorf("%+v: role %s twice", s, d.Name)
		}
		got[d.Name] = d.Privileges
	}
	if d := cmp.Diff(planned, got); d != "" {
		t.Fatalf("%+v: (-plan +RoleSet):\n%s", s, d)
	}
	for _, d := range defs {
		// A role set assumes a distributed switch, which the datacenter's permission has to reach; a standard network has none.
		reachesSwitch := s.std && slices.Contains(d.Scopes, privileges.ScopeDatacenter)
		if d.Propagate != propagates(p, d.Name) && !reachesSwitch {
			t.Errorf("%+v: %s propagates: %t, but the plan says otherwise", s, d.Name, d.Propagate)
		}
	}
}

// propagates reports whether a permission of the plan with this role does.
func propagates(p *plan.Plan, role string) bool {
	return slices.ContainsFunc(p.VCenters[0].Changes, func(c *plan.Change) bool {
		after, ok := c.After.(plan.PermissionState)
		return ok && after.Role == role && after.Propagate
	})
}

// RoleSet is what exports and `roles create --vcenters` make without seeing a vCenter. For every matrix and topology it has
// exactly the roles of a plan.
func TestRoleSetIsWhatAPlanCreates(t *testing.T) {
	t.Parallel()
	lab := start(t, vcsim.Options{})
	dir := t.TempDir()
	for _, matrix := range privileges.Names() {
		for bits := range 16 {
			shape{
				matrix: matrix, layout: []string{"scope", "component"}[bits/8], profile: spec.DefaultProfile,
				folder: bits&1 != 0, pool: bits&2 != 0, hostGroup: bits&4 != 0, template: bits&1 != 0,
			}.check(t, lab, dir, nil)
		}
	}
}

func TestRoleSetIsWhatAPlanCreatesGenerated(t *testing.T) {
	notShort(t, "the same on other estates")
	t.Parallel()
	lab := start(t, vcsim.Options{})
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		s := shape{
			matrix:    rapid.SampledFrom(privileges.Names()).Draw(t, "matrix"),
			layout:    rapid.SampledFrom([]string{"scope", "component"}).Draw(t, "layout"),
			profile:   rapid.SampledFrom(openshift.ProfileNames()).Draw(t, "profile"),
			folder:    rapid.Bool().Draw(t, "folder"),
			pool:      rapid.Bool().Draw(t, "pool"),
			hostGroup: rapid.Bool().Draw(t, "host group"),
			template:  rapid.Bool().Draw(t, "template"),
			std:       rapid.Bool().Draw(t, "standard network"),
		}
		for _, c := range privileges.Selectable() {
			if rapid.Bool().Draw(t, string(c)) {
				s.conditions = append(s.conditions, string(c))
			}
		}
		s.check(t, lab, dir, nil)
	})
}

// An account that needs more of the datacenter than reading, where the network is a standard one: what the generated estates
// found after the condition came.
func TestRoleSetWithoutASwitch(t *testing.T) {
	t.Parallel()
	lab := start(t, vcsim.Options{})
	shape{
		matrix: "default", layout: "scope", profile: spec.DefaultProfile, folder: true, std: true,
		conditions: []string{string(privileges.VCFMigration)},
	}.check(t, lab, t.TempDir(), nil)
}

// A matrix of the user's own may say what no embedded one does: rows on a switch that are more than reading, one host-group row
// in a scope of its own, rows that only unknown ids have.
func TestRoleSetOfAMatrixOfOnesOwn(t *testing.T) {
	t.Parallel()
	lab := start(t, vcsim.Options{Without: []string{"Folder.Delete"}})
	var known []string
	for _, id := range privileges.Catalogue() {
		if id != "Folder.Delete" {
			known = append(known, id)
		}
	}
	path := filepath.Join(t.TempDir(), "own.yaml")
	if err := os.WriteFile(path, []byte(`
name: own
components:
  csi-driver:
    grants:
    - {scope: switch, propagate: false, privileges: [Network.Assign]}
    - {scope: datacenter, propagate: false, privileges: [System.Read]}
    - {scope: folder, propagate: true, privileges: [Folder.Delete]}
    - {scope: network, propagate: false, conditions: [host-group], privileges: [Network.Assign]}
    - {scope: datastore, propagate: false, privileges: [Folder.Create, Folder.Delete]}
    - {scope: datastore, propagate: true, privileges: [Datastore.Browse]}
    - {scope: cluster, propagate: false, privileges: [Folder.Create]}
    - {scope: cluster, propagate: true, privileges: [System.Read]}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	for bits := range 8 {
		s := shape{matrix: path, layout: []string{"scope", "component"}[bits&1], profile: spec.DefaultProfile, folder: bits&2 != 0, hostGroup: bits&4 != 0}
		s.check(t, lab, t.TempDir(), known)
	}
}
