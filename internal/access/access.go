// Package access says what accounts have to be able to do, and which permissions allow it: pure
// functions over plain values.
//
// [Bind] puts the rows of a privilege matrix on the objects of a topology. The result are needs,
// which verification compares with and nothing edits. [Permissions] satisfies them. [Explain] is
// the only place with a vCenter's rule of inheritance.
package access

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// Principal is a user or a group of an identity source.
type Principal struct {
	Name  string // name@domain or DOMAIN\name
	Group bool
}

// String tells a group from a user.
func (p Principal) String() string {
	if p.Group {
		return "group " + p.Name
	}
	return p.Name
}

// Account is who works for a component on one vCenter. Components may share one.
type Account struct {
	Component component.Name
	Principal Principal
	Key       string // equal for all spellings, another for a group
	Adopted   bool   // another's account, which is only granted
}

// Key tells a user from a group of the same name, which is equal for all spellings.
func Key(name string, group bool) string {
	if group {
		return "group " + name
	}
	return name
}

// Need is a privilege that a component has to have on an object, and why.
type Need struct {
	Account   Account
	Scope     privileges.Scope // of the row, ScopeTemplate or ScopeAncestor
	Place     *inventory.Object
	Propagate bool            // on everything below Place, too
	Row       *privileges.Row // privilege, reason, conditions, source
	Variant   bool            // needed only because zones are host groups
	Added     bool            // needed only because a release requires it beyond the matrix
}

// ScopeAncestor is for readable containers above an object. No matrix has it.
const ScopeAncestor privileges.Scope = "ancestor"

// Domain is a failure domain on the objects of an inventory.
type Domain struct {
	Name       string
	Holds      map[privileges.Condition]bool
	Datacenter *inventory.Object
	Cluster    *inventory.Object
	Pool       *inventory.Object // the cluster's root pool where none is given
	Folder     *inventory.Object // the datacenter's own folder if none is given
	Datastore  *inventory.Object
	Networks   []*inventory.Object
	Template   *inventory.Object // a virtual machine; nil = none
	Encrypted  string            // path of an encrypted machine or template; "" = none was seen
	MoveFolder bool              // Folder is that of the infrastructure ID, which a move would make
}

func (d Domain) places(s privileges.Scope) []*inventory.Object {
	switch s {
	case privileges.ScopeVCenter:
		above := d.Datacenter.Ancestors()
		return above[len(above)-1:]
	case privileges.ScopeDatacenter:
		return []*inventory.Object{d.Datacenter}
	case privileges.ScopeCluster:
		return []*inventory.Object{d.Cluster}
	case privileges.ScopeResourcePool:
		return []*inventory.Object{d.Pool}
	case privileges.ScopeFolder:
		return []*inventory.Object{d.Folder}
	case privileges.ScopeDatastore:
		return []*inventory.Object{d.Datastore}
	case privileges.ScopeNetwork:
		return d.Networks
	case privileges.ScopeSwitch:
		var all []*inventory.Object
		for _, n := range d.Networks {
			if n.Switch != nil && !slices.Contains(all, n.Switch) {
				all = append(all, n.Switch)
			}
		}
		return all
	}
	return nil
}

// folderMade reports whether the installer makes a folder below Folder.
func (d Domain) folderMade() bool { return d.Folder.Complex() }

// cloneFrom is what a clone needs privileges on besides Folder, if that does not cover the
// template: the template's folder, so that a newer template needs nothing new, or the template
// itself if its folder takes no permission. nil if nothing.
func (d Domain) cloneFrom() *inventory.Object {
	if d.Template == nil || d.Template.Parent == nil || d.Template.Within(d.Folder) {
		return nil
	}
	if above, _ := d.Template.Parent.Unassignable(); above != nil {
		return d.Template
	}
	return d.Template.Parent
}

// Bind puts needs of accounts on the objects of failure domains, in the order of domains, accounts
// and scopes, and last the read access above them. It skips rows marked unknown.
func Bind(m *privileges.Matrix, accounts []Account, domains []Domain) []Need {
	b := binder{seen: map[needKey]int{}}
	for _, d := range domains {
		for _, a := range accounts {
			for _, g := range m.Grants(a.Component, d.Holds) {
				for _, place := range d.places(g.Scope) {
					b.grant(a, g, g.Scope, place, d)
				}
				if from := d.cloneFrom(); from != nil && g.Scope == privileges.ScopeFolder { // privileges on the template
					g.Propagate = true
					g.Rows = slices.DeleteFunc(slices.Clone(g.Rows), func(r *privileges.Row) bool {
						return !slices.Contains(privileges.Cloning(), r.Privilege)
					})
					b.grant(a, g, privileges.ScopeTemplate, from, d)
				}
			}
		}
	}
	b.inherit()
	if m.Ancestors != nil {
		b.ancestors(m.Ancestors, accounts)
	}
	return b.needs
}

type needKey struct {
	who       string
	component component.Name
	scope     privileges.Scope
	place     *inventory.Object
	privilege string
	propagate bool
}

type binder struct {
	needs []Need
	seen  map[needKey]int // index in needs
}

func (b *binder) grant(a Account, g privileges.Grant, scope privileges.Scope, place *inventory.Object, d Domain) {
	// A folder that is going to be made, by the installer or a move, is below the one that exists.
	propagate := g.Propagate || g.Scope == privileges.ScopeFolder && d.folderMade()
	for _, r := range g.Rows {
		if !r.Unknown {
			at, propagate := place, propagate
			if r.OfMoveFolder() && !d.MoveFolder {
				at, propagate = d.ownFolder(), true
			}
			b.add(Need{
				Account: a, Scope: scope, Place: at, Propagate: propagate, Row: r,
				Variant: d.Holds[privileges.HostGroup] && scope != privileges.ScopeTemplate &&
					slices.Contains(r.Conditions, privileges.HostGroup) && !slices.Contains(r.Conditions, privileges.Always),
				Added: r.AddedTo(d.Holds),
			})
		}
	}
}

// add leaves out what another failure domain asked for already.
func (b *binder) add(n Need) {
	key := needKey{n.Account.Key, n.Account.Component, n.Scope, n.Place, n.Row.Privilege, n.Propagate}
	if i, seen := b.seen[key]; seen {
		b.needs[i].Added = b.needs[i].Added && n.Added
		return
	}
	b.seen[key] = len(b.needs)
	b.needs = append(b.needs, n)
}

// ancestors are the needs to read what is on the way.
func (b *binder) ancestors(rule *privileges.AncestorRule, accounts []Account) {
	bound := b.needs
	for _, a := range accounts {
		if !slices.Contains(rule.Components, a.Component) {
			continue
		}
		var above []*inventory.Object
		for _, n := range bound {
			if n.Account.Component == a.Component {
				for _, o := range n.Place.Ancestors() {
					above = lists.AppendNew(above, o)
				}
			}
		}
		for _, id := range rule.Privileges {
			row := &privileges.Row{Component: a.Component, Scope: ScopeAncestor, Privilege: id, Why: rule.Why, Source: rule.Source}
			for _, o := range above {
				b.add(Need{Account: a, Scope: ScopeAncestor, Place: o, Row: row})
			}
		}
	}
}
