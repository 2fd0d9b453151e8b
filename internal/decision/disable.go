package decision

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// SetDisabled decides which accounts of a vCenter are disabled or enabled.
func (d *Decision) SetDisabled(p *VCenterPlan, disabled bool) ([]*plan.Change, error) {
	s := p.At
	becomes := map[bool]string{true: "disabled", false: "enabled"}[disabled]
	var changes []*plan.Change
	errs := []error{d.checkNames(s, disabled)}
	for _, a := range p.disabling(disabled) {
		c, principal := a.Component, a.Principal(s)
		if !s.Owns(c) {
			principal = s.Principal(c)
		}
		note := func(text string) {
			p.tell(ofUser(principal).Tell(finding.PlanNote, text))
		}
		u, exists := s.SSO.Own(a.Name)
		switch {
		case !s.Owns(c):
			errs = append(errs, hint.Errorf("ask its owner",
				"%s: %s belongs to somebody else (components.%s.principal), so it is not %s",
				s.VCenter.Server, principal, c, becomes))
		case !exists && d.Read.madeAt(s, a) != "":
			note("is not replicated to this vCenter yet")
		case !exists:
			errs = append(errs, hint.Errorf("check the cluster's name and the vCenters; to create it: "+d.Request.Command("users create", "--components", string(c)),
				"%s: account %s does not exist, so it is not %s", s.VCenter.Server, principal, becomes))
		case s.Compared(a.Name, c).Foreign:
			errs = append(errs, errForeign(s, c, u))
		case u.Disabled == disabled:
			note("is " + becomes + " already")
		default:
			change := s.SSO.Disable(u, disabled, s.Domain.Key)
			if p.DomainPlan.planned[change.Name] {
				continue
			}
			uses := func(server string) bool { return d.Read.stores(server, c) || d.Request.Specifies(server) }
			if disabled {
				if err := d.mayDisable(p, principal, uses); err != nil {
					errs = append(errs, err)
					continue
				}
				d.missedBy(p, c, principal)
			} else if elsewhere := d.leftOut(s, uses); elsewhere != nil {
				note(d.Request.Refusal(*elsewhere) + ", but is enabled there too")
			}
			if !disabled && s.Domain.Accounts[c].Outdated && principal == s.Principal(c) {
				note("the password of the credentials file is not the one that was set last, and does not open it")
			}
			changes = append(changes, change)
		}
	}
	for _, b := range s.OtherGenerations() { // rotate finish began to remove them
		current, _ := s.SSO.Own(s.Account(b.Component).Name)
		if !disabled && s.Retired(b) && !current.Disabled {
			p.tell(ofUser(b.Principal(s)).Tell(finding.PlanNote, "stays disabled: "+s.Principal(b.Component)+" has replaced it; rotate finish removes it, rotate undo enables it again"))
		}
	}
	return changes, errors.Join(errs...)
}

// mayDisable refuses to disable an account that a vCenter outside the run has too, and tells of
// vCenters of the run where it may be disabled unseen.
func (d *Decision) mayDisable(p *VCenterPlan, principal string, uses func(server string) bool) error {
	if elsewhere := d.usedElsewhere(p.At, principal, uses); elsewhere != nil {
		return p.At.LeftOutError(principal, *elsewhere)
	}
	for _, unread := range p.At.Domain.Unread {
		p.tell(ofUser(principal).Tell(finding.Consequence, unread+"; there it would be disabled too"))
	}
	return nil
}

// missedBy reports who needs a component's account while it is disabled.
func (d *Decision) missedBy(s *VCenterPlan, c component.Name, principal string) {
	if none := s.withoutAccount(); len(none) > 0 {
		s.tell(ofUser(principal).Tell(finding.Consequence, fmt.Sprintf(
			"these have no account of their own here, and stop if they work with this one, as under profile passthrough: %s", strings.Join(component.Words(none), ", "))))
	}
	if text := volumesText(d.Request.Volumes); text != "" &&
		c == d.Request.Spec.Account(component.CSIDriver).Component {
		s.tell(ofUser(principal).Tell(finding.Consequence, text))
	}
	for _, k := range d.Request.MachineKeepers() {
		if k.Component == c {
			d.needingUser(s, principal, k.Who)
		}
	}
}

// withoutAccount returns the components for which this tool would create an account on a vCenter
// and has not: the cluster may have been installed with another profile.
func (v *VCenterPlan) withoutAccount() []component.Name {
	whole := v.At.Request.Spec.Whole()
	return slices.DeleteFunc(whole.ComponentNames(), func(c component.Name) bool {
		return !whole.Account(c).Ours() || c.OptIn() || slices.ContainsFunc(v.At.SSO.Marked,
			func(u sso.User) bool { return u.Description == sso.Mark(whole.Cluster, c) })
	})
}

// disabling returns the accounts to disable or enable, in all generations. A disabled earlier one
// awaits its removal and stays; a next one is enabled, so that rotate can put it into use.
func (v *VCenterPlan) disabling(disabled bool) []snapshot.OwnAccount {
	var all []snapshot.OwnAccount
	for _, c := range v.At.Request.Spec.ComponentNames() {
		now := snapshot.OwnAccount{Name: v.At.Account(c).Name, Component: c}
		u, _ := v.At.SSO.Own(now.Name)
		for _, b := range v.At.OtherGenerations() {
			if b.Component == c && (disabled || u.Disabled || b.Generation > v.At.Domain.Generations[c].Current) {
				all = append(all, b)
			}
		}
		all = append(all, now)
	}
	return all
}
