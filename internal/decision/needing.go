package decision

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
)

// stillNeeded tells what still needs the accounts that are removed from a vCenter: of machines where permissions go, of sessions
// where the account goes. Nothing else may be told of an account that does not go here: what forgets passwords takes it for the
// reason why the account stays.
func (dec *Decision) stillNeeded(p *VCenterPlan) {
	s := p.Snapshot
	if dec.Op != accounts.Keep || !dec.Removes {
		return
	}
	going := func(kind plan.Kind, principal string) *plan.Change { // the first of the account that is removed; nil = none is
		i := slices.IndexFunc(p.Changes, func(c *plan.Change) bool {
			name := map[plan.Kind]string{plan.User: c.Name, plan.Permission: c.Principal}[kind]
			return c.Verb == plan.Delete && c.Kind == kind && s.KeyOf(name, c.Group) == s.KeyOf(principal, c.Group)
		})
		if i < 0 {
			return nil
		}
		return p.Changes[i]
	}
	goes := func(kind plan.Kind, principal string) bool { return going(kind, principal) != nil }
	for _, k := range dec.MachineKeepers() {
		for _, principal := range dec.leavers(s, k.Component) {
			switch {
			case !dec.Orphans():
			case dec.Only == plan.User: // its permissions may be gone; the account is one for all vCenters of its domain
				if goes(plan.User, principal) {
					dec.needingUser(p, principal, k.Who)
				}
			case goes(plan.Permission, principal):
				for _, m := range s.Needing.Below {
					if text := m.Text("the folder", k.Who); text != "" {
						p.tell(plan.Change{Kind: plan.Permission, Principal: principal, Object: m.Folder}.Tell(finding.Consequence, text))
					}
				}
			}
		}
	}
	dec.needingVolumes(p, going)
	for _, a := range s.OwnAccounts() {
		name := a.Principal(s)
		if text := dec.inSession(p.DomainKey, name); text != "" && goes(plan.User, name) {
			p.tell(ofUser(name).Tell(finding.Consequence, text))
		}
	}
}

// inSession says on which vCenters of an SSO domain somebody works with an account; "" where nobody does.
func (dec *Decision) inSession(domainKey, principal string) string {
	var open []string
	for _, p := range dec.domainPlan(domainKey).VCenters {
		if n := p.SessionsOf(principal); n > 0 {
			open = append(open, fmt.Sprintf("%s (%d)", p.VCenter.Server, n))
		}
	}
	if len(open) == 0 {
		return ""
	}
	return "in use now: open sessions on " + strings.Join(open, ", ")
}

// needingUser tells of an account which machines below the folders of its SSO domain's vCenters still need it.
func (dec *Decision) needingUser(at *VCenterPlan, principal, who string) {
	for _, p := range at.DomainPlan.VCenters {
		for _, m := range p.Needing.Below {
			if text := m.Text("the folder "+m.Folder+" of "+p.VCenter.Server, who); text != "" {
				at.tell(ofUser(principal).Tell(finding.Consequence, text))
			}
		}
	}
}

// leavers are the principals of a component that a run may take away.
func (dec *Decision) leavers(s *snapshot.Snapshot, c component.Name) []string {
	if dec.Undoing {
		if slices.Contains(dec.Spec.ComponentNames(), c) {
			return []string{s.Principal(c)}
		}
		return nil
	}
	var all []string
	for _, a := range dec.Prunable(s) {
		if a.Component == c {
			all = append(all, a.Principal(s))
		}
	}
	return all
}
