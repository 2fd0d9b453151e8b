package provision

import (
	"fmt"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// decision is what a request comes to on the vCenters as they were read. Making one asks no vCenter anything.
type decision struct {
	*estate
	parts []*part    // one for each vCenter of the estate, in its order
	work  plan.Steps // what does the changes

	passwords map[passwordKey]*secret.Secret // where the passwords of our accounts stand, empty until one is made
	needed    []needed                       // accounts that are created
	created   map[string]bool                // the same and those that are disabled, by what their change provides: one per SSO domain
	rotations []*rotation
	handovers []*handover
	disabled  []*disabling
	staying   map[passwordKey]bool // accounts that a turn of generations cannot take away
	blocked   []blockage           // accounts that the limits of a rotation choose and that it cannot replace
}

// part is what is decided about one vCenter.
type part struct {
	*snapshot
	err      error // why nothing is
	wanted   *desired
	permits  []perms.Want       // the permissions that are to be there
	compared []perms.Compared   // those and all that are there
	steps    []perms.Step       // what changes about permissions
	kept     []perms.Permission // of ours, on objects that left the specification
	changes  []*plan.Change
}

// passwordKey is an account of an SSO domain.
type passwordKey struct {
	domainKey  string
	component  component.Name
	generation int
}

// needed is an account that the plan creates: its password has to be made, unless it stands there already.
type needed struct {
	user     string
	policy   sso.Policy
	password *secret.Secret
}

// decide asks f for the changes of each vCenter that was read, in the order of the specification, and then for what can be
// removed once these are done: that takes all of an SSO domain.
func (e *estate) decide(f func(*decision, *part) ([]*plan.Change, error)) *decision {
	dec := &decision{estate: e, passwords: map[passwordKey]*secret.Secret{}, created: map[string]bool{}, staying: map[passwordKey]bool{}}
	for _, s := range e.all {
		dec.parts = append(dec.parts, &part{snapshot: s, err: s.err})
	}
	for _, p := range dec.parts {
		p.try(func() (err error) {
			p.changes, err = f(dec, p)
			return err
		})
	}
	if e.op != accounts.Keep {
		dec.settleTurn()
	}
	for _, p := range dec.parts {
		p.try(func() error {
			p.changes = append(p.changes, dec.removals(p)...)
			p.changes = e.narrowed(append(dec.stillNeeded(p, p.changes), p.changes...)) // notes come before the change that they are about
			return nil
		})
	}
	return dec
}

// try decides something about a vCenter of which nothing is wrong so far.
func (p *part) try(f func() error) {
	if p.err == nil {
		p.err = try(p.spec.Server, f)
	}
}

// try runs work on one vCenter. A panic in it is this vCenter's error and nobody else's.
func try(server string, work func() error) error {
	err := crash.Try(work)
	if crashed, ok := err.(*crash.Error); ok { //nolint:errorlint // only one that nobody has named a vCenter for
		return fmt.Errorf("%s: %w", server, crashed)
	}
	return err
}

// plan shows what was decided.
func (dec *decision) plan() *plan.Plan {
	shown := plan.New(dec.Spec.Cluster)
	for i, p := range dec.parts {
		if p.err != nil {
			shown.Add(p.spec.Server, nil, p.err)
		} else {
			shown.Add(p.spec.Server, p.changes, nil)
		}
		shown.VCenters[i].InstanceUUID = p.instance
	}
	return shown
}

// part is that of a vCenter; nil where it is not part of this run.
func (dec *decision) part(server string) *part {
	for _, p := range dec.parts {
		if p.spec.Server == server {
			return p
		}
	}
	return nil
}

// sharingParts are the parts of the vCenters of one SSO domain.
func (dec *decision) sharingParts(domainKey string) []*part {
	var all []*part
	for _, p := range dec.parts {
		if p.snapshot.err == nil && p.domainKey == domainKey {
			all = append(all, p)
		}
	}
	return all
}
