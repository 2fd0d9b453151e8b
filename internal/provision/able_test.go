package provision_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// What verify says that a component cannot do, and plan before it, is what the simulation refuses the account that tries it, and
// nothing else.
func TestWhatComponentsCannot(t *testing.T) {
	notShort(t, "a table of answers, one after the other")
	t.Parallel()
	for name, want := range map[string]string{ // some of what is known of the published lists
		"default/folder":          "",
		"documented/pool":         "machine-api: clone template (Resource.AssignVMToPool on /DC1/host/C1/Resources/openshift)",
		"documented/folder":       "csi-driver: tag datastore (InventoryService.Tagging.AttachTag on /)",
		"enhancement/folder":      "diagnostics: find machine by uuid (System.View on /DC1/vm/openshift/cluster1/*)",
		"component-scoped/folder": "cloud-controller: list datacenters (it does not see /DC1)",
		"enhancement/datacenter":  "diagnostics: read hosts (System.Read on /DC1/host/C1/*)",
		"default/datacenter":      "",
		"default/pool":            "",
		"minimal/folder":          "",
		"minimal/datacenter":      "",
		"minimal/pool":            "",
	} {
		matrix, topology, _ := strings.Cut(name, "/")
		if !long() && !slices.Contains([]string{"default/folder", "documented/pool", "component-scoped/folder", "minimal/pool"}, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			holds := []privileges.Condition{privileges.BootImageUpdates, privileges.VCFMigration, privileges.VCFMigrationVMotion}
			if matrix == "default" || matrix == "minimal" { // the published lists have nothing for it
				holds = append(holds, privileges.VMEncryption)
			}
			s := newStage(t, matrix, topology, holds...)
			verified := s.h.verify(t)
			all := s.h.plan(t)
			said := cannots(verified)
			if want != "" && !slices.Contains(said, want) || want == "" && len(said) > 0 {
				t.Errorf("%q is not among\n%s", want, strings.Join(said, "\n"))
			}
			if verified.Meets(strictly) != (verified.Summary.Failed == 0) || (verified.Summary.Unable > 0) != (len(said) > 0 && verified.Summary.Failed < len(verified.VCenters[0].Accounts)) {
				t.Errorf("%+v", verified.Summary)
			}
			for _, a := range verified.VCenters[0].Accounts {
				c := component.Name(a.Component)
				if got, want := foreseen(all, c), verify.Cannots(verify.Unexplained(a.Cannot, a.Unseen())); got != want {
					t.Errorf("%s: plan says %q, verify %q", c, got, want)
				}
				s.try(c, a.Cannot)
				if got, want := essence(a.Cannot), s.computed(matrix, c); !slices.Equal(got, want) {
					t.Errorf("%s: verify finds %q, computed was %q", c, got, want)
				}
			}
			agrees(t, verified.VCenters[0], s.h.verifyInUse(t).VCenters[0])
			useless := 0
			for _, u := range verified.VCenters[0].Unseen() {
				useless += u.Privileges
			}
			if said := ofNoUse(all); said != useless {
				t.Errorf("plan says that %d privileges are of no use, verify finds %d", said, useless)
			}
		})
	}
}

// essence is what of some answers does not depend on the vCenter.
func essence(all []verify.Cannot) (lines []string) {
	for _, c := range all {
		lines = append(lines, fmt.Sprintf("%s %v %v", c.Does, c.Calls, c.Missing))
	}
	return lines
}

// computed are the answers that come from the tables alone (docs/privileges/able.md), where what holds here does.
func (s *stage) computed(matrix string, c component.Name) (lines []string) {
	s.Helper()
	m, err := privileges.Load(matrix)
	s.need(err)
	o := privileges.RoleSetOptions{Components: []component.Name{c}, Holds: s.holding, Template: s.holding[privileges.FolderExisting]}
	for _, i := range access.Answers(m, o, func(c component.Name) component.Name { return c })[c] {
		lines = append(lines, fmt.Sprintf("%s %v %v", i.Duty.Name, i.Ask.Calls, i.Missing))
	}
	return lines
}

// foreseen is what a plan says that a component cannot do.
func foreseen(p *plan.Plan, c component.Name) string {
	for _, f := range p.Findings {
		if _, what, says := strings.Cut(f.Text, "cannot: "); says && f.Code == finding.UnableComponent && f.Accounts[0].Component == c {
			return what
		}
	}
	return ""
}

// ofNoUse is how many privileges a plan says to be of no use.
func ofNoUse(p *plan.Plan) (n int) {
	for _, f := range p.Findings {
		if i := strings.Index(f.Text, ", "); i >= 0 && strings.Contains(f.Text, "are of no use") {
			_, _ = fmt.Sscan(f.Text[i+2:], &n)
		}
	}
	return n
}

// cannots are the single things that a verification says.
func cannots(v *verify.Result) []string {
	var all []string
	for _, a := range v.VCenters[0].Accounts {
		for _, c := range a.Cannot {
			all = append(all, fmt.Sprintf("%s: %s", a.Component, verify.Cannots([]verify.Cannot{c})))
		}
	}
	return all
}

// try does what a component has to do: it is refused what it is said that it cannot, and nothing else.
func (s *stage) try(c component.Name, cannot []verify.Cannot) {
	s.Helper()
	for _, d := range privileges.Duties(c) {
		if !d.Holds(s.holding) {
			continue
		}
		op, tried := s.named(d.Name)
		if !tried {
			s.Errorf("%s: nothing tries %q", c, d.Name)
			continue
		}
		answer := s.perform(op, s.clients[c])
		said := slices.IndexFunc(cannot, func(n verify.Cannot) bool { return n.Does == d.Name })
		if (answer == "ok") != (said < 0) {
			s.Errorf("%s: %s: %s, and verify says %q", c, d.Name, answer, verify.Cannots(cannot))
		}
		if said < 0 {
			continue
		}
		if strings.Contains(answer, ".") && !privileges.Implicit(answer) && !slices.Contains(cannot[said].Missing, answer) {
			s.Errorf("%s: %s: %s, and verify says that %s is missing", c, d.Name, answer, cannot[said].Missing)
		}
		if call, _ := s.refused.call(); len(cannot[said].Calls) > 0 && call != "" && !slices.Contains(cannot[said].Calls, call) {
			s.Errorf("%s: %s: the call %s is refused, and verify says %s", c, d.Name, call, cannot[said].Calls)
		}
	}
}

// Whoever takes any privilege that a duty asks for out of the account that has it is told of this duty: the table asks for
// nothing that is not needed.
func TestDutiesAskForWhatIsRefused(t *testing.T) {
	notShort(t, "one step after the other")
	t.Parallel()
	s := newStage(t, "default", "folder", slices.DeleteFunc(privileges.Selectable(), func(c privileges.Condition) bool { return c == privileges.DocumentedOnly })...)
	list, err := authz(s.admin).RoleList(s.ctx)
	s.need(err)
	for _, c := range component.Names() {
		for _, d := range privileges.Duties(c) {
			op, tried := s.named(d.Name)
			ids := map[string]bool{}
			for _, a := range d.Asks {
				for _, id := range a.Privileges {
					ids[id] = tried && !privileges.Implicit(id)
				}
			}
			maps.DeleteFunc(ids, func(_ string, try bool) bool { return !try })
			for id := range ids {
				for _, role := range list { // nobody else's: every role of this cluster names its component
					if strings.HasPrefix(role.Name, "openshift-"+string(c)+"-") && slices.Contains(role.Privilege, id) {
						less := slices.DeleteFunc(slices.Clone(role.Privilege), func(held string) bool { return held == id })
						s.need(authz(s.admin).UpdateRole(s.ctx, role.RoleId, role.Name, less))
					}
				}
				answer := s.perform(op, s.clients[c])
				if answer != id {
					t.Errorf("%s without %s: %s: %s", c, id, d.Name, answer)
				}
				for _, role := range list {
					if strings.HasPrefix(role.Name, "openshift-"+string(c)+"-") && slices.Contains(role.Privilege, id) {
						s.need(authz(s.admin).UpdateRole(s.ctx, role.RoleId, role.Name, role.Privilege))
					}
				}
			}
		}
	}
}
