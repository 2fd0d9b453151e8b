// Package decision is what a request comes to on the vCenters as they were read: the changes of each, what of the plan is a finding, and
// what is done about accounts. All of it is a function of snapshots; it reads from no vCenter and writes to none.
package decision

import (
	"fmt"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// Snapshots is everything that was read for a request.
type Snapshots struct {
	Request *snapshot.Request
	All     []*snapshot.Snapshot // in the order of the specification
	Removes bool                 // what linked vCenters have was looked up, as far as it can be: accounts and roles may be removed

	Displaced    *credfile.Displaced // what others gave before us; nil where no permission could have displaced anything
	DisplacedErr error               // why that could not be read
}

// SnapshotsOf are these, each for the request from now on.
func SnapshotsOf(q *snapshot.Request, all []*snapshot.Snapshot) *Snapshots {
	for _, s := range all {
		s.Request = q.On(s)
	}
	return &Snapshots{Request: q, All: all}
}

// Sharing are the vCenters of one SSO domain that were read.
func (e *Snapshots) Sharing(domainKey string) []*snapshot.Snapshot {
	return slices.DeleteFunc(slices.Clone(e.All), func(s *snapshot.Snapshot) bool { return s.Err != nil || s.DomainKey != domainKey })
}

// Join has the vCenters of each SSO domain that were read share what they know of it.
func (e *Snapshots) Join() {
	joined := map[string]bool{}
	for _, s := range e.All {
		if s.Err != nil || s.Sections == nil || joined[s.DomainKey] {
			continue
		}
		joined[s.DomainKey] = true
		d, sharing := *s.Domain, e.Sharing(s.DomainKey)
		e.Request.Recognize(&d, sharing)
		sharing[0].Request.Generate(&d, sharing)
		for _, other := range sharing {
			other.Domain = &d
		}
	}
}

// Decision is what a request comes to on the vCenters as they were read. Making one asks no vCenter anything.
type Decision struct {
	Request *snapshot.Request
	Read    *Snapshots
	Plans   []*VCenterPlan // one for each vCenter of the estate, in its order
	domains []*DomainPlan  // of the vCenters that were read, in the same order

	Rotations []*Rotation  // accounts that get a new password in their place
	Handovers []*Handover  // accounts that take over from another generation
	Disabled  []*Disabling // accounts that are disabled before they are removed
	blocked   []blockage   // accounts that the limits of a rotation choose and that it cannot replace
}

// DomainPlan is what is decided about the accounts of an SSO domain, once for all of its vCenters.
type DomainPlan struct {
	key       string
	VCenters  []*VCenterPlan           // of its vCenters that were read
	Passwords map[string]secret.Secret // of our accounts, name@domain; empty until one is made. Nobody else keeps them
	planned   map[string]bool          // accounts, name@domain, that a change of one of its vCenters is about
	staying   map[string]bool          // accounts, without domain, that a turn of generations cannot take away
}

// VCenterPlan is what is decided about one vCenter.
type VCenterPlan struct {
	At          *snapshot.Snapshot
	DomainPlan  *DomainPlan // that of its SSO domain; nil where it was not read
	Err         error       // why nothing is
	Wanted      *snapshot.Desired
	permits     []perms.Want       // the permissions that are to be there
	Permissions []perms.Compared   // those and all that are there
	Steps       []perms.Step       // what changes about permissions
	kept        []perms.Permission // of ours, on objects that left the specification
	Changes     []*plan.Change
	Told        []*finding.Finding // beside the changes
}

// Decide asks f for the changes of each vCenter that was read, in the order of the specification, and then for what can be
// removed once these are done: that takes all of an SSO domain.
func (e *Snapshots) Decide(f func(*Decision, *VCenterPlan) ([]*plan.Change, error)) *Decision {
	dec := &Decision{Request: e.Request, Read: e}
	for _, s := range e.All {
		p := &VCenterPlan{At: s, Err: s.Err}
		dec.Plans = append(dec.Plans, p)
		if p.Err == nil {
			dec.share(p)
		}
	}
	for _, p := range dec.Plans {
		p.try(func() (err error) {
			if p.Changes, err = f(dec, p); err != nil {
				return err
			}
			for _, c := range p.Changes { // only after every account of this vCenter was planned without error
				if c.Kind == plan.User {
					p.DomainPlan.planned[c.Name] = true
				}
			}
			return nil
		})
	}
	if e.Request.Op != accounts.Keep {
		dec.settleDomains()
	}
	for _, p := range dec.Plans {
		p.try(func() error {
			if dec.Read.Removes && dec.Request.Does(plan.User) {
				p.Changes = append(p.Changes, dec.removeUsers(p)...)
			}
			if dec.Read.Removes && dec.Request.Does(plan.Role) {
				p.Changes = append(p.Changes, dec.removeRoles(p)...)
			}
			dec.stillNeeded(p)
			dec.narrow(p)
			return nil
		})
	}
	return dec
}

// try decides something about a vCenter of which nothing is wrong so far.
func (p *VCenterPlan) try(f func() error) {
	if p.Err == nil {
		p.Err = crash.TryOn(p.At.VCenter.Server, f)
	}
}

// Show shows what was decided.
func (dec *Decision) Show() *plan.Plan {
	shown := plan.New(dec.Request.Spec.Cluster)
	for i, p := range dec.Plans {
		if p.Err != nil {
			shown.Add(p.At.VCenter.Server, nil, p.Err)
		} else {
			shown.Add(p.At.VCenter.Server, p.Changes, nil)
			for _, f := range p.Told {
				f.Server = p.At.VCenter.Server
			}
			shown.Findings = append(shown.Findings, p.Told...)
		}
		shown.VCenters[i].InstanceUUID = p.At.Instance
	}
	for _, d := range dec.domains {
		of := plan.Domain{Name: d.VCenters[0].At.SSO.Domain, VCenters: []string{}, Accounts: []string{}}
		for _, p := range d.VCenters {
			of.VCenters = append(of.VCenters, p.At.VCenter.Server)
			for _, c := range p.Changes {
				if c.Kind == plan.User {
					of.Accounts = lists.AppendNew(of.Accounts, c.Name)
				}
			}
		}
		shown.Domains = append(shown.Domains, of)
	}
	return shown
}

// tell adds what is to be known beside the changes.
func (p *VCenterPlan) tell(all ...*finding.Finding) { p.Told = append(p.Told, all...) }

// ofUser is what is told of an account, name@domain.
func ofUser(name string) plan.Change { return plan.Change{Kind: plan.User, Name: name} }

// Planned are those of the vCenters of which nothing is wrong.
func (dec *Decision) Planned() []*VCenterPlan {
	return slices.DeleteFunc(slices.Clone(dec.Plans), func(p *VCenterPlan) bool { return p.Err != nil })
}

// VCenter is that of a vCenter; nil where it is not part of this run.
func (dec *Decision) VCenter(server string) *VCenterPlan {
	for _, p := range dec.Plans {
		if p.At.VCenter.Server == server {
			return p
		}
	}
	return nil
}

// share adds a vCenter to what is decided about its SSO domain.
func (dec *Decision) share(p *VCenterPlan) {
	if p.DomainPlan = dec.domainPlan(p.At.DomainKey); p.DomainPlan == nil {
		p.DomainPlan = &DomainPlan{key: p.At.DomainKey, Passwords: map[string]secret.Secret{}, planned: map[string]bool{}, staying: map[string]bool{}}
		dec.domains = append(dec.domains, p.DomainPlan)
	}
	p.DomainPlan.VCenters = append(p.DomainPlan.VCenters, p)
}

// domainPlan is that of an SSO domain; nil where none of its vCenters was read.
func (dec *Decision) domainPlan(key string) *DomainPlan {
	i := slices.IndexFunc(dec.domains, func(d *DomainPlan) bool { return d.key == key })
	if i < 0 {
		return nil
	}
	return dec.domains[i]
}

// MakePassword has an account that is created have a password that the policy accepts: the one that the files have for it, or a new one.
func (d *DomainPlan) MakePassword(principal string, policy sso.Policy) error {
	if had := d.Passwords[principal]; !had.Empty() && policy.Check(had) == nil {
		return nil
	}
	password, err := policy.Generate()
	if err != nil {
		return fmt.Errorf("%s: %w", principal, err)
	}
	d.Passwords[principal] = password
	return nil
}
