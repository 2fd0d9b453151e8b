package provision

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// What still needs an account is named before it goes: machines that nobody could remove any more, and sessions of those who
// work with it now.

// needing is what a vCenter shows of that.
type needing struct {
	below    []machinesBelow
	left     []machinesBelow // below what left the specification
	sessions []string        // users, as the vCenter spells them
}

// machinesBelow are the virtual machines below a folder of a failure domain.
type machinesBelow struct {
	ref    inventory.Ref
	folder string // inventory path
	whole  bool   // it is the datacenter's own: others' machines may be among them
	names  []string
	more   bool   // these are not all
	why    string // why they are not known; "" = they are
}

// mostMachines bounds how many objects below the folders of a vCenter are read.
const mostMachines = 2000

// mostNamed bounds how many machines or volumes are named.
const mostNamed = 3

// keeper is a component whose account machines are removed with, and who does that.
type keeper struct {
	component component.Name
	who       string
}

// machineKeepers are those of the cluster's own machines and of the machines of Cluster API. Where both work with one account, it
// is there once.
func (q *Request) machineKeepers() []keeper {
	all := []keeper{{q.Spec.Account(component.MachineAPI).Component, "the cluster"}}
	if c := q.Spec.Account(component.ClusterAPI).Component; c != all[0].component {
		all = append(all, keeper{c, "Cluster API"})
	}
	return all
}

// orphans reports whether a run can leave the cluster without the account that removes its machines.
func (q *Request) orphans() bool {
	if q.op != accounts.Keep || q.Only == plan.Role {
		return false
	}
	return slices.ContainsFunc(q.machineKeepers(), func(k keeper) bool {
		if q.undoing {
			return slices.Contains(q.Spec.ComponentNames(), k.component)
		}
		return q.Prune && !q.Additive && !slices.Contains(q.Spec.Whole().ComponentNames(), k.component) && q.known(k.component)
	})
}

// known reports whether the credentials file or its journal knows an account of a component: no other one is pruned, and most
// clusters never had one of Cluster API.
func (q *Request) known(c component.Name) bool {
	return slices.ContainsFunc(q.Spec.VCenters, func(v spec.VCenter) bool {
		has := q.files().Section(v.Server, c)
		return has.File.User != "" || has.Journal.User != "" || has.Earlier.User != ""
	})
}

// askNeeding begins to ask what still needs the accounts that a run removes: at most two requests at the same time. What
// cannot be told stops nothing: it is said instead. The caller waits.
func (j *Job) askNeeding(ctx context.Context, t *target) (wait func()) {
	var group crash.Group
	if below, refs := t.machineFolders(); len(refs) > 0 {
		group.Go(func() { t.needing.below = t.countMachines(ctx, below, refs) })
	}
	if left, refs := t.leftFolders(); len(refs) > 0 {
		group.Go(func() { t.needing.left = t.countMachines(ctx, left, refs) })
	}
	if q := t.request; q.undoing && q.op == accounts.Keep && q.does(plan.User) { // not for a plan that is approved: logins come and go
		group.Go(func() {
			if all, known, err := t.session.Sessions(ctx); err == nil && known {
				for _, u := range all {
					t.needing.sessions = append(t.needing.sessions, u.User)
				}
			}
		})
	}
	return group.Wait
}

// countMachines asks which machines are below the folders, whose references refs begins with; those below the others of refs do not count.
func (t *target) countMachines(ctx context.Context, below []machinesBelow, refs []inventory.Ref) []machinesBelow {
	names, more, err := t.session.Machines(ctx, refs, mostMachines)
	for i := range below {
		below[i].names, below[i].more = names[refs[i]], more
		if err != nil {
			below[i].why = err.Error()
		}
	}
	return below
}

// machineFolders are the folders of the failure domains, as far as they are there.
func (s *snapshot) machineFolders() (below []machinesBelow, refs []inventory.Ref) {
	if !s.request.orphans() {
		return nil, nil
	}
	for _, fd := range s.spec.FailureDomains {
		m := machinesBelow{folder: s.folderPath(fd)}
		if m.folder == "" {
			m.folder, m.whole = ownVMFolder(fd), true
		}
		if o := s.inventory.At(m.folder); o != nil && !slices.Contains(refs, o.Ref) {
			refs, below = append(refs, o.Ref), append(below, m)
		}
	}
	return below, refs
}

// stillNeeded notes what still needs the accounts that are removed from a vCenter: of machines where permissions go, of sessions
// where the account goes. Nothing else may be said of an account that does not go here: whoever forgets passwords takes a note
// about an account for the reason why it stays.
func (dec *decision) stillNeeded(p *vcenterPlan, changes []*plan.Change) []*plan.Change {
	s := p.snapshot
	if dec.op != accounts.Keep || !dec.removes {
		return nil
	}
	going := func(kind plan.Kind, principal string) *plan.Change { // the first of the account that is removed; nil = none is
		i := slices.IndexFunc(changes, func(c *plan.Change) bool {
			name := map[plan.Kind]string{plan.User: c.Name, plan.Permission: c.Principal}[kind]
			return c.Verb == plan.Delete && c.Kind == kind && s.keyOf(name, c.Group) == s.keyOf(principal, c.Group)
		})
		if i < 0 {
			return nil
		}
		return changes[i]
	}
	goes := func(kind plan.Kind, principal string) bool { return going(kind, principal) != nil }
	var notes []*plan.Change
	for _, a := range dec.keepers(s) {
		if dec.Only == plan.User { // its permissions may be gone; the account is one for all vCenters of its domain
			if goes(plan.User, a.principal) {
				notes = append(notes, dec.needingUser(p.domainKey, a)...)
			}
			continue
		}
		for _, m := range s.needing.below {
			if text := m.text("the folder", a.who); text != "" && goes(plan.Permission, a.principal) {
				notes = append(notes, &plan.Change{Verb: plan.Note, Kind: plan.Permission, Principal: a.principal, Object: m.folder, Note: text})
			}
		}
	}
	notes = append(notes, dec.needingVolumes(s, going)...)
	for _, a := range s.ownAccounts() {
		name := a.principal(s)
		if text := dec.inSession(p.domainKey, name); text != "" && goes(plan.User, name) {
			notes = append(notes, &plan.Change{Verb: plan.Note, Kind: plan.User, Name: name, Note: text})
		}
	}
	return notes
}

// inSession says on which vCenters of an SSO domain somebody works with an account; "" where nobody does.
func (dec *decision) inSession(domainKey, principal string) string {
	var open []string
	for _, p := range dec.domainPlan(domainKey).vcenters {
		if n := p.sessionsOf(principal); n > 0 {
			open = append(open, fmt.Sprintf("%s (%d)", p.spec.Server, n))
		}
	}
	if len(open) == 0 {
		return ""
	}
	return "in use now: open sessions on " + strings.Join(open, ", ")
}

// needingUser notes of an account which machines below the folders of its SSO domain's vCenters still need it.
func (dec *decision) needingUser(domainKey string, a keeperAccount) (notes []*plan.Change) {
	for _, p := range dec.domainPlan(domainKey).vcenters {
		for _, m := range p.needing.below {
			if text := m.text("the folder "+m.folder+" of "+p.spec.Server, a.who); text != "" {
				notes = append(notes, &plan.Change{Verb: plan.Note, Kind: plan.User, Name: a.principal, Note: text})
			}
		}
	}
	return notes
}

// keeperAccount is an account that machines are removed with, and who does that.
type keeperAccount struct{ principal, who string }

// keepers are the accounts that machines are removed with, of those that a run takes away.
func (dec *decision) keepers(s *snapshot) []keeperAccount {
	if !dec.orphans() {
		return nil
	}
	var all []keeperAccount
	for _, k := range dec.machineKeepers() {
		for _, principal := range dec.leavers(s, k.component) {
			all = append(all, keeperAccount{principal, k.who})
		}
	}
	return all
}

// leavers are the principals of a component that a run may take away.
func (dec *decision) leavers(s *snapshot, c component.Name) []string {
	if dec.undoing {
		if slices.Contains(dec.Spec.ComponentNames(), c) {
			return []string{s.principal(c)}
		}
		return nil
	}
	var all []string
	for _, a := range dec.prunable(s) {
		if a.component == c {
			all = append(all, a.principal(s))
		}
	}
	return all
}

// sessionsOf counts the sessions in which somebody works with an account.
func (s *snapshot) sessionsOf(principal string) int {
	n := 0
	for _, user := range s.needing.sessions {
		if s.sso.Same(user) == s.sso.Same(principal) {
			n++
		}
	}
	return n
}

// text says what is below the folder, which is called so, and who removes it; "" where nothing is.
func (m machinesBelow) text(folder, who string) string {
	if m.why != "" {
		return "cannot determine whether virtual machines below " + folder + " still need it: " + m.why
	}
	if len(m.names) == 0 && m.more {
		return "cannot determine whether virtual machines below " + folder + " still need it: there are too many to read"
	}
	if len(m.names) == 0 {
		return ""
	}
	count := term.Count(len(m.names), "virtual machine")
	if m.more {
		count = "at least " + count
	}
	text := fmt.Sprintf("%s still holds %s (%s): %s changes and removes its machines with this account", folder, count, some(m.names), who)
	if m.whole {
		text += "; it is the folder of the whole datacenter, so some may belong to others"
	}
	return text
}

// some are the first of many names.
func some(names []string) string {
	if len(names) > mostNamed {
		return strings.Join(names[:mostNamed], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}
