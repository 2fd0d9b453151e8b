package provision

import (
	"fmt"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// decision is what a request comes to on the vCenters as they were read. Making one asks no vCenter anything.
type decision struct {
	*snapshots
	vcenters []*vcenterPlan // one for each vCenter of the estate, in its order
	domains  []*domainPlan  // of the vCenters that were read, in the same order

	rotations []*Rotation
	handovers []*handover
	disabled  []*disabling
	blocked   []blockage // accounts that the limits of a rotation choose and that it cannot replace
}

// domainPlan is what is decided about the accounts of an SSO domain, once for all of its vCenters.
type domainPlan struct {
	key       string
	vcenters  []*vcenterPlan           // of its vCenters that were read
	passwords map[string]secret.Secret // of our accounts, name@domain; empty until one is made. Nobody else keeps them
	planned   map[string]bool          // accounts, name@domain, that a change of one of its vCenters creates, disables or resets
	staying   map[string]bool          // accounts, without domain, that a turn of generations cannot take away
}

// vcenterPlan is what is decided about one vCenter.
type vcenterPlan struct {
	*snapshot
	domainPlan *domainPlan // that of its SSO domain; nil where it was not read
	err        error       // why nothing is
	wanted     *desired
	permits    []perms.Want       // the permissions that are to be there
	compared   []perms.Compared   // those and all that are there
	steps      []perms.Step       // what changes about permissions
	kept       []perms.Permission // of ours, on objects that left the specification
	changes    []*plan.Change
}

// decide asks f for the changes of each vCenter that was read, in the order of the specification, and then for what can be
// removed once these are done: that takes all of an SSO domain.
func (e *snapshots) decide(f func(*decision, *vcenterPlan) ([]*plan.Change, error)) *decision {
	dec := &decision{snapshots: e}
	for _, s := range e.all {
		p := &vcenterPlan{snapshot: s, err: s.err}
		dec.vcenters = append(dec.vcenters, p)
		if p.err == nil {
			dec.share(p)
		}
	}
	for _, p := range dec.vcenters {
		p.try(func() (err error) {
			if p.changes, err = f(dec, p); err != nil {
				return err
			}
			for _, c := range p.changes { // only after every account of this vCenter was planned without error
				if c.Kind == plan.User && c.Acts() {
					p.domainPlan.planned[c.Name] = true
				}
			}
			return nil
		})
	}
	if e.op != accounts.Keep {
		dec.settleDomains()
	}
	for _, p := range dec.vcenters {
		p.try(func() error {
			p.changes = append(p.changes, dec.removals(p)...)
			p.changes = e.narrowed(append(dec.stillNeeded(p, p.changes), p.changes...)) // notes come before the change that they are about
			return nil
		})
	}
	return dec
}

// try decides something about a vCenter of which nothing is wrong so far.
func (p *vcenterPlan) try(f func() error) {
	if p.err == nil {
		p.err = crash.TryOn(p.spec.Server, f)
	}
}

// plan shows what was decided.
func (dec *decision) plan() *plan.Plan {
	shown := plan.New(dec.Spec.Cluster)
	for i, p := range dec.vcenters {
		if p.err != nil {
			shown.Add(p.spec.Server, nil, p.err)
		} else {
			shown.Add(p.spec.Server, p.changes, nil)
		}
		shown.VCenters[i].InstanceUUID = p.instance
	}
	return shown
}

// vcenter is that of a vCenter; nil where it is not part of this run.
func (dec *decision) vcenter(server string) *vcenterPlan {
	for _, p := range dec.vcenters {
		if p.spec.Server == server {
			return p
		}
	}
	return nil
}

// share adds a vCenter to what is decided about its SSO domain.
func (dec *decision) share(p *vcenterPlan) {
	if p.domainPlan = dec.domainPlan(p.domainKey); p.domainPlan == nil {
		p.domainPlan = &domainPlan{key: p.domainKey, passwords: map[string]secret.Secret{}, planned: map[string]bool{}, staying: map[string]bool{}}
		dec.domains = append(dec.domains, p.domainPlan)
	}
	p.domainPlan.vcenters = append(p.domainPlan.vcenters, p)
}

// domainPlan is that of an SSO domain; nil where none of its vCenters was read.
func (dec *decision) domainPlan(key string) *domainPlan {
	i := slices.IndexFunc(dec.domains, func(d *domainPlan) bool { return d.key == key })
	if i < 0 {
		return nil
	}
	return dec.domains[i]
}

// makePassword has an account that is created have a password that the policy accepts: the one that the files have for it, or a new one.
func (d *domainPlan) makePassword(principal string, policy sso.Policy) error {
	if had := d.passwords[principal]; !had.Empty() && policy.Check(had) == nil {
		return nil
	}
	password, err := policy.Generate()
	if err != nil {
		return fmt.Errorf("%s: %w", principal, err)
	}
	d.passwords[principal] = password
	return nil
}
