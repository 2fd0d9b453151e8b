package provision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// PlanDisabled says which accounts are disabled or enabled: ours of the specification's components, whatever it says
// of them. An account that this tool did not create is an error.
func (j *Job) PlanDisabled(ctx context.Context, disabled bool) *plan.Plan {
	j.each(ctx, j.Request, func(ctx context.Context, t *target) error {
		if err := j.readDomain(ctx, t); err != nil || !disabled {
			return err
		}
		j.askMachines(ctx, t)
		return nil
	})
	e := j.snapshots(j.Request)
	j.readDomains(ctx, e, disabled)
	return j.propose(ctx, e.decide(func(dec *decision, p *vcenterPlan) ([]*plan.Change, error) {
		return dec.setDisabled(p, disabled)
	}))
}

// SetDisabled does what PlanDisabled said; the plan becomes the report.
func (j *Job) SetDisabled(ctx context.Context, p *plan.Plan) {
	j.executeAndClose(ctx, p)
}

// setDisabled decides which accounts of a vCenter are disabled or enabled.
func (dec *decision) setDisabled(p *vcenterPlan, disabled bool) ([]*plan.Change, error) {
	s := p.snapshot
	becomes := map[bool]string{true: "disabled", false: "enabled"}[disabled]
	var changes []*plan.Change
	var errs []error
	for _, a := range p.disabling(disabled) {
		c, principal := a.component, a.principal(s)
		if !dec.owns(c) {
			principal = s.principal(c)
		}
		note := func(text string) {
			changes = append(changes, &plan.Change{Verb: plan.Note, Kind: plan.User, Name: principal, Note: text})
		}
		u, exists := s.sso.Own(a.name)
		switch {
		case !dec.owns(c):
			errs = append(errs, hint.Errorf("ask its owner",
				"%s: %s belongs to somebody else (components.%s.principal), so it is not %s", s.spec.Server, principal, c, becomes))
		case !exists && dec.madeAt(s, a) != "":
			note("is not replicated to this vCenter yet")
		case !exists:
			errs = append(errs, hint.Errorf("check the cluster's name and the vCenters; 'users create' creates accounts that are missing",
				"%s: account %s does not exist, so it is not %s", s.spec.Server, principal, becomes))
		case u.Description != sso.Mark(dec.Spec.Cluster, c):
			errs = append(errs, errForeign(s, principal, u))
		case u.Disabled == disabled:
			note("is " + becomes + " already")
		default:
			change := s.sso.Disable(u, disabled, s.domainKey)
			if p.domainPlan.planned[change.Name] {
				note(becomes + " at the first vCenter of this SSO domain")
				continue
			}
			switch elsewhere := dec.usedElsewhere(s, principal, func(server string) bool { return dec.stores(server, c) || dec.specifies(server) }); {
			case elsewhere != nil && disabled:
				errs = append(errs, s.errLeftOut(principal, *elsewhere))
				continue
			case elsewhere != nil:
				note(dec.refusal(*elsewhere) + ", but is enabled there too")
			case disabled:
				changes = append(changes, dec.missedBy(p, c, principal)...)
			}
			changes = append(changes, change)
		}
	}
	return changes, errors.Join(errs...)
}

// specifies reports whether the specification names a vCenter, in this run or not.
func (q *Request) specifies(server string) bool {
	return slices.ContainsFunc(q.Spec.Whole().VCenters, func(v spec.VCenter) bool { return strings.EqualFold(v.Server, server) })
}

// missedBy notes who misses the account of a component while it is disabled.
func (dec *decision) missedBy(s *vcenterPlan, c component.Name, principal string) (notes []*plan.Change) {
	if none := s.withoutAccount(); len(none) > 0 {
		notes = append(notes, &plan.Change{Verb: plan.Note, Kind: plan.User, Name: principal, Note: fmt.Sprintf(
			"these have no account of their own here, and stop if they work with this one, as under profile passthrough: %s", strings.Join(component.Words(none), ", "))})
	}
	if text := volumesText(dec.Volumes); text != "" && c == dec.Spec.Account(component.CSIDriver).Component {
		notes = append(notes, &plan.Change{Verb: plan.Note, Kind: plan.User, Name: principal, Note: text})
	}
	for _, k := range dec.machineKeepers() {
		if k.component == c {
			notes = append(notes, dec.needingUser(s.domainKey, keeperAccount{principal, k.who})...)
		}
	}
	return notes
}

// withoutAccount are the components of the specification for which this tool would create an account on a vCenter and has not: the
// file may say another profile than the cluster was installed with.
func (s *vcenterPlan) withoutAccount() []component.Name {
	whole := s.request.Spec.Whole()
	return slices.DeleteFunc(whole.ComponentNames(), func(c component.Name) bool {
		return !whole.Account(c).Ours() || c.OptIn() || slices.ContainsFunc(s.sso.Marked, func(u sso.User) bool { return u.Description == sso.Mark(whole.Cluster, c) })
	})
}

// askMachines asks which machines are below the folders of the failure domains, where they are removed with an account of the
// request. Without permissions to look at, a failure domain without a folder stands for its whole datacenter.
func (j *Job) askMachines(ctx context.Context, t *target) {
	if !slices.ContainsFunc(j.machineKeepers(), func(k keeper) bool { return slices.Contains(j.Request.Spec.ComponentNames(), k.component) }) {
		return
	}
	var below []machinesBelow
	var paths []string
	for _, fd := range t.spec.FailureDomains {
		m := machinesBelow{folder: cmp.Or(fd.Folder, ownVMFolder(fd)), whole: fd.Folder == ""}
		if !slices.Contains(paths, m.folder) {
			below, paths = append(below, m), append(paths, m.folder)
		}
	}
	tree, err := t.session.Find(ctx, paths)
	if err != nil {
		for i := range below {
			below[i].why = err.Error()
		}
		t.needing.below = below
		return
	}
	below = slices.DeleteFunc(below, func(m machinesBelow) bool { return tree.At(m.folder) == nil })
	var refs []inventory.Ref
	for _, m := range below {
		refs = append(refs, tree.At(m.folder).Ref)
	}
	if len(refs) > 0 {
		t.needing.below = t.countMachines(ctx, below, refs)
	}
}

// disabling are the accounts to disable or to enable, in all generations. An earlier one that is disabled while the current one is not
// awaits its removal; a next one is enabled, so that rotate can put it into use.
func (s *vcenterPlan) disabling(disabled bool) []ownAccount {
	var all []ownAccount
	for _, c := range s.request.Spec.ComponentNames() {
		now := ownAccount{name: s.account(c).Name, component: c}
		u, _ := s.sso.Own(now.name)
		for _, b := range s.otherGenerations() {
			if b.component == c && (disabled || u.Disabled || b.generation > s.generations[c].Current) {
				all = append(all, b.ownAccount)
			}
		}
		all = append(all, now)
	}
	return all
}
