// Package decision works out what a request changes on the vCenters that were read: the changes of
// each vCenter, findings, and what happens to accounts. It is a pure function of snapshots.
//
// # Size
//
// Changes and findings of one vCenter are decided together, because each asks whose a thing is and
// what the others do with it: parts of it would call each other in circles.
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
	Removes bool                 // linked vCenters were looked up: removal is possible

	Displaced    *credfile.Displaced // granted by others before; nil = not needed
	DisplacedErr error               // why Displaced could not be read
}

// SnapshotsOf returns the snapshots, each bound to the request.
func SnapshotsOf(q *snapshot.Request, all []*snapshot.Snapshot) *Snapshots {
	for _, s := range all {
		s.Request = q.On(s)
	}
	return &Snapshots{Request: q, All: all}
}

// Sharing returns the vCenters of an SSO domain that were read.
func (e *Snapshots) Sharing(domainKey string) []*snapshot.Snapshot {
	return slices.DeleteFunc(slices.Clone(e.All),
		func(s *snapshot.Snapshot) bool { return s.Err != nil || s.Domain.Key != domainKey })
}

// Join gives the vCenters of each SSO domain one shared Domain.
func (e *Snapshots) Join() {
	joined := map[string]bool{}
	for _, s := range e.All {
		if s.Err != nil || s.Domain.Sections == nil || joined[s.Domain.Key] {
			continue
		}
		joined[s.Domain.Key] = true
		d, sharing := *s.Domain, e.Sharing(s.Domain.Key)
		e.Request.Recognize(&d, sharing)
		sharing[0].Request.Generate(&d, sharing)
		for _, other := range sharing {
			other.Domain = &d
		}
	}
}

// Decision is what a request changes on the vCenters that were read.
type Decision struct {
	Request *snapshot.Request
	Read    *Snapshots
	Plans   []*VCenterPlan // one for each vCenter, in the order of the specification
	domains []*DomainPlan  // of the vCenters that were read, in the same order

	filedElsewhere []*snapshot.Snapshot // vCenters where the credentials file has others in place of our accounts; nil = not looked up

	Rotations []*Rotation  // accounts that get a new password in place
	Handovers []*Handover  // accounts that take over from another generation
	Disabled  []*Disabling // accounts that are disabled before removal
	blocked   []blockage   // accounts that the limits select and that cannot be rotated
}

// DomainPlan is the decision about the accounts of an SSO domain, made once for its vCenters.
type DomainPlan struct {
	key       string
	VCenters  []*VCenterPlan           // those that were read
	Passwords map[string]secret.Secret // of our accounts, name@domain; stored nowhere else
	planned   map[string]bool          // accounts and groups, name@domain, with a change on a vCenter
	retained  map[string]bool          // accounts, without domain, that a rotation cannot remove
}

// VCenterPlan is the decision about one vCenter.
type VCenterPlan struct {
	At          *snapshot.Snapshot
	DomainPlan  *DomainPlan // nil if it was not read
	Err         error       // why it has no decision
	Wanted      *snapshot.Desired
	permits     []perms.Want       // wanted permissions
	Permissions []perms.Compared   // wanted and existing permissions
	Steps       []perms.Step       // changes of permissions
	kept        []perms.Permission // ours, on objects that left the specification
	Changes     []*plan.Change
	Told        []*finding.Finding // findings beside the changes
}

// Decide calls f for each vCenter that was read, in the order of the specification, and then
// decides for whole SSO domains what can be removed afterwards.
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
			for _, c := range p.Changes { // once all its accounts are planned without error
				if c.Kind.OfDomain() {
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
			if dec.Read.Removes && dec.Request.Only == "" {
				p.Changes = append(p.Changes, dec.leaveGroups(p)...)
			}
			if dec.Read.Removes && dec.Request.Does(plan.User) {
				p.Changes = append(p.Changes, dec.removeUsers(p)...)
				p.Changes = append(p.Changes, dec.removeGroups(p)...)
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

// try calls f unless the vCenter has an error.
func (v *VCenterPlan) try(f func() error) {
	if v.Err == nil {
		v.Err = crash.TryOn(v.At.VCenter.Server, f)
	}
}

// Show returns the decision as a plan.
func (d *Decision) Show() *plan.Plan {
	shown := plan.New(d.Request.Spec.Cluster)
	for i, p := range d.Plans {
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
	for _, domain := range d.domains {
		of := plan.Domain{Name: domain.VCenters[0].At.SSO.Domain, VCenters: []string{}, Accounts: []string{}}
		for _, p := range domain.VCenters {
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

func (v *VCenterPlan) tell(all ...*finding.Finding) { v.Told = append(v.Told, all...) }

func ofUser(name string) plan.Change { return plan.Change{Kind: plan.User, Name: name} }

// Planned returns the plans of vCenters without an error.
func (d *Decision) Planned() []*VCenterPlan {
	return slices.DeleteFunc(slices.Clone(d.Plans), func(p *VCenterPlan) bool { return p.Err != nil })
}

// VCenter returns the plan of a vCenter; nil if it is not part of this run.
func (d *Decision) VCenter(server string) *VCenterPlan {
	for _, p := range d.Plans {
		if p.At.VCenter.Server == server {
			return p
		}
	}
	return nil
}

func (d *Decision) share(p *VCenterPlan) {
	if p.DomainPlan = d.domainPlan(p.At.Domain.Key); p.DomainPlan == nil {
		p.DomainPlan = &DomainPlan{
			key: p.At.Domain.Key, Passwords: map[string]secret.Secret{},
			planned: map[string]bool{}, retained: map[string]bool{},
		}
		d.domains = append(d.domains, p.DomainPlan)
	}
	p.DomainPlan.VCenters = append(p.DomainPlan.VCenters, p)
}

// domainPlan returns the plan of an SSO domain; nil if none of its vCenters was read.
func (d *Decision) domainPlan(key string) *DomainPlan {
	i := slices.IndexFunc(d.domains, func(domain *DomainPlan) bool { return domain.key == key })
	if i < 0 {
		return nil
	}
	return d.domains[i]
}

// MakePassword sets an account's password: the known one if the policy accepts it, else a new one.
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
