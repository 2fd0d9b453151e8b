package provision

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
)

// entry is what one account shall have on one object: one permission, however many components, scopes and failure
// domains ask for something there.
type entry struct {
	principal  string
	group      bool   // principal is a group
	adopted    bool   // principal is somebody else's account, which is only granted
	who        string // the site's key of both
	place      *perms.Place
	components []privileges.Component
	scopes     []privileges.Scope
	naming     []privileges.Scope // of scopes: those that ask for more than reading
	rows       []privileges.Row   // why, for the work order
	variants   []string           // conditions that make the role differ from the usual one of its scope
	privileges []string           // sorted, without the implicit ones
	asked      []string           // privileges, and those that the vCenter does not know
	propagate  bool
	stays      []string // of privileges: those that no grant asks to propagate
	reach      []string // those that one does
	notes      []string
	role       string
}

// desired is what shall be on one vCenter.
type desired struct {
	entries []*entry
	roles   []roles.Want
	folders []*plan.Change
	notes   []*plan.Change
}

// binder turns the matrix and the failure domains of one vCenter into entries.
type binder struct {
	job     *Job
	site    *site
	out     *desired
	index   map[string]*entry
	folders map[string]*perms.Place
	errs    []error
}

// bind works out what shall be on a vCenter. All that is wrong comes in one error; what it has then is what the failure
// domains ask for that are right.
func (j *Job) bind(s *site) (*desired, error) {
	b := &binder{job: j, site: s, out: &desired{}, index: map[string]*entry{}, folders: map[string]*perms.Place{}}
	for _, fd := range s.spec.FailureDomains {
		b.failureDomain(fd)
	}
	b.propagation()
	b.ancestors()
	b.check()
	return b.out, errors.Join(b.errs...)
}

func (b *binder) fail(err error) { b.errs = append(b.errs, err) }

// Types of inventory objects, by what a failure domain calls them.
var (
	datacenters = []string{"Datacenter"}
	clusters    = []string{"ClusterComputeResource", "ComputeResource"}
	pools       = []string{"ResourcePool", "VirtualApp"}
	folders     = []string{"Folder"}
	datastores  = []string{"Datastore"}
	networks    = []string{"Network", "DistributedVirtualPortgroup", "OpaqueNetwork"}
	machines    = []string{"VirtualMachine"}
)

// at is the place of a path, or an error that names the nearest existing one, or what is there instead.
func (b *binder) at(p, field string, types []string) *perms.Place {
	o := b.site.inventory.At(p)
	if o == nil {
		b.fail(b.job.missing(b.site, p))
		return nil
	}
	if !slices.Contains(types, o.Ref.Type) {
		b.fail(hint.Errorf("correct "+field, "%s: %s is a %s, not a %s", b.site.spec.Server, p, o.Ref.Type, types[0]))
		return nil
	}
	return perms.At(o)
}

// grant puts a grant on the objects of its scope.
func (b *binder) grant(t targets, g privileges.Grant, holds map[privileges.Condition]bool) {
	if len(g.Privileges) == 0 {
		return
	}
	switch g.Scope {
	case privileges.ScopeVCenter:
		b.add(perms.At(b.site.inventory.Root), g, holds)
	case privileges.ScopeDatacenter:
		b.add(t.datacenter, g, holds)
	case privileges.ScopeCluster:
		b.add(t.cluster, g, holds)
	case privileges.ScopeResourcePool:
		if t.pool != nil {
			b.add(t.pool, g, holds)
		} else {
			b.add(t.cluster, g, holds)
		}
	case privileges.ScopeFolder:
		if t.folder == nil {
			g.Propagate = true
			b.add(t.datacenter, g, holds)
			return
		}
		b.add(t.folder, g, holds)
		if t.template != nil {
			b.templateGrant(t.template, g)
		}
	case privileges.ScopeDatastore:
		b.add(t.datastore, g, holds)
	case privileges.ScopeNetwork:
		for _, n := range t.networks {
			b.add(n, g, holds)
		}
	case privileges.ScopeSwitch:
		for _, sw := range t.switches {
			g.Propagate = true // the switch itself takes no permission; what is above it does, and has to reach it
			e := b.add(sw, g, holds)
			e.note("reaches the switch, which takes no permission itself")
		}
	}
}

func (b *binder) templateGrant(place *perms.Place, g privileges.Grant) {
	var ids []string
	for _, id := range g.Privileges {
		if slices.Contains(privileges.Cloning(), id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return
	}
	b.add(place, privileges.Grant{Component: g.Component, Scope: scopeTemplate, Propagate: true, Privileges: ids, Rows: rowsOf(g.Rows, ids)}, nil)
}

// scopeTemplate names the role on a template's folder; no matrix has it.
const scopeTemplate = privileges.ScopeTemplate

// scopeAncestor marks read access on the way; it never names a role.
const scopeAncestor privileges.Scope = "ancestor"

func (b *binder) add(place *perms.Place, g privileges.Grant, holds map[privileges.Condition]bool) *entry {
	to := b.job.grantee(b.site, g.Component)
	who := b.site.key(to)
	key := who + "\x00" + place.Path
	e := b.index[key]
	if e == nil {
		e = &entry{principal: to.name, group: to.group, adopted: b.adopts(g.Component), who: who, place: place}
		b.index[key] = e
		b.out.entries = append(b.out.entries, e)
	}
	e.components = appendNew(e.components, g.Component)
	e.scopes = appendNew(e.scopes, g.Scope)
	if b.job.o.Ordering { // nobody else asks, and they are half of what is known of a vCenter
		e.rows = append(e.rows, g.Rows...)
	}
	if len(privileges.Strip(g.Privileges)) > 0 {
		e.naming = appendNew(e.naming, g.Scope)
	}
	e.privileges = privileges.Strip(append(e.privileges, g.Privileges...))
	e.propagate = e.propagate || g.Propagate
	if g.Propagate {
		e.reach = privileges.Strip(append(e.reach, g.Privileges...))
	} else {
		e.stays = privileges.Strip(append(e.stays, g.Privileges...))
	}
	if holds[privileges.HostGroup] {
		for _, row := range g.Rows {
			if !slices.Contains(row.Conditions, privileges.Always) && slices.Contains(row.Conditions, privileges.HostGroup) {
				e.variants = appendNew(e.variants, string(privileges.HostGroup))
			}
		}
	}
	return e
}

// adopts tells whether a component works with somebody else's account, or will: a work order asks others to make it.
func (b *binder) adopts(c privileges.Component) bool {
	if !b.job.owns(c) {
		return true
	}
	_, exists := b.site.sso.Own(b.job.o.Spec.AccountName(c))
	return b.job.o.Ordering && !exists
}

func (e *entry) note(text string) { e.notes = appendNew(e.notes, text) }

func appendNew[T comparable](all []T, v T) []T {
	if slices.Contains(all, v) {
		return all
	}
	return append(all, v)
}

func (b *binder) note(text string) {
	b.out.notes = append(b.out.notes, &plan.Change{Verb: plan.Note, Kind: plan.Permission, Note: text})
}

// propagation looks at objects where one grant propagates and another does not; a permission does either. Where only
// read access is to propagate, and a permission above hands that down anyway, nothing propagates from here. Elsewhere
// all of it does, and the plan says what goes further than it has to.
func (b *binder) propagation() {
	for _, e := range b.out.entries {
		further := without(e.stays, e.reach)
		if !e.propagate || len(further) == 0 {
			continue
		}
		if len(e.reach) == 0 && e.place.Object != nil && b.out.handedDown([]string{e.who}, e.place.Object.Parent, false) != nil {
			e.propagate = false
			continue
		}
		e.note("propagates for other grants here, so " + strings.Join(further, ", ") + " reaches further than it has to")
	}
}

// ancestors makes the containers on the way to each object readable, where nothing above reaches them.
func (b *binder) ancestors() {
	rule := b.job.o.Matrix.Ancestors
	if rule == nil {
		return
	}
	for _, c := range b.job.o.Spec.ComponentNames() {
		if !slices.Contains(rule.Components, c) {
			continue
		}
		var above []*perms.Place
		for _, e := range b.out.entries {
			if slices.Contains(e.components, c) {
				above = append(above, b.above(e.place)...)
			}
		}
		who := b.site.key(b.job.grantee(b.site, c))
		for _, place := range slices.Backward(above) { // from the root down, so that what is added above counts below
			if !b.readable(who, place) {
				b.add(place, privileges.Grant{Component: c, Scope: scopeAncestor, Privileges: rule.Privileges}, nil)
			}
		}
	}
}

// check holds the wanted privileges against the vCenter's catalogue: what it does not know is left out and said.
func (b *binder) check() {
	known := b.site.roles.Catalogue()
	unknown := map[string][]privileges.Component{}
	for _, e := range b.out.entries {
		for _, id := range e.privileges {
			if _, ok := slices.BinarySearch(known, id); !ok {
				for _, c := range e.components {
					unknown[id] = appendNew(unknown[id], c)
				}
			}
		}
		e.asked = slices.Clone(e.privileges)
		e.privileges = slices.DeleteFunc(e.privileges, func(id string) bool { _, no := unknown[id]; return no })
	}
	ids := make([]string, 0, len(unknown))
	for id := range unknown {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	about := b.site.session.Content.About
	for _, id := range ids {
		var who []string
		for _, c := range unknown[id] {
			who = append(who, string(c))
		}
		text := fmt.Sprintf("unknown to this vCenter (%s); without it %s cannot %s", about.Version, strings.Join(who, ", "), privileges.Operation(id))
		if b.job.o.Strict {
			b.fail(fmt.Errorf("%s: privilege %s is %s", b.site.spec.Server, id, text))
			continue
		}
		b.out.notes = append(b.out.notes, &plan.Change{Verb: plan.Note, Kind: plan.Privilege, Name: id, Note: text + "; left out"})
	}
	if b.job.o.Additive {
		b.keep()
	}
	b.roles()
}

// keep adds to each entry what its account has there by a role of ours already: nothing is taken away. A role that somebody
// changed keeps its name and what it has; roles.Diff adds what it lacks.
func (b *binder) keep() {
	for _, e := range b.out.entries {
		if e.place == nil {
			continue
		}
		p := b.site.standing(e)
		if p == nil || e.adopted && !b.job.made(b.site, *p) {
			continue
		}
		role, _ := b.site.roles.ByID(p.RoleID)
		if kind := b.job.role(b.site, p.RoleID).kind; kind != foreignRole && kind != changedRole {
			e.privileges = privileges.Strip(append(e.privileges, role.Privileges...))
			e.asked = privileges.Strip(append(e.asked, role.Privileges...))
		}
		e.propagate = e.propagate || p.Propagate
	}
}
