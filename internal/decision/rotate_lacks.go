package decision

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// mostLacked is how many privileges a finding names.
const mostLacked = 12

// lacking says of an account that takes the place of another one where it can do less: the other one was given more by another
// profile or matrix, or by hand.
func (p *VCenterPlan) lacking(to, from string) {
	next, old := p.Subject(access.Principal{Name: to}, nil), p.Subject(access.Principal{Name: from}, nil)
	wanted := func(at *inventory.Object) []perms.Want {
		return slices.DeleteFunc(slices.Clone(p.permits), func(w perms.Want) bool { return w.Key != next.Key || w.At.Ref != at.Ref })
	}
	ends := map[inventory.Ref]bool{} // where what the other one has reaches further down
	var objects []*inventory.Object
	for _, w := range p.permits {
		if w.Key == next.Key && w.At.Exists() {
			objects = lists.AppendNew(objects, w.At)
		}
	}
	for _, had := range p.PermissionsOf(access.Principal{Name: from}) {
		if o := p.Inventory.Object(had.Entity); o != nil {
			objects = lists.AppendNew(objects, o)
			own := wanted(o)
			ends[o.Ref] = had.Propagate && len(own) > 0 && !own[0].Propagate
		}
	}
	slices.SortFunc(objects, func(a, b *inventory.Object) int { return cmp.Compare(a.Path(), b.Path()) })
	for _, o := range objects {
		var had, has []string
		for _, e := range p.Explain(old, o) {
			if role, _ := p.Roles.ByID(e.Permission.RoleID); e.Counts {
				had = slices.Concat(had, role.Implicit(), role.Privileges)
			}
		}
		for _, e := range access.Explain(next, o, wanted, func(w perms.Want) access.Entry {
			return access.Entry{Key: w.Key, Name: w.Principal, Propagate: w.Propagate}
		}) {
			if e.Counts {
				has = slices.Concat(has, privileges.ImplicitIDs(), e.Permission.Holds)
			}
		}
		lost := lists.Without(lists.Union(had, nil), has)
		var text string
		switch {
		case len(had) > 0 && len(has) == 0:
			text = "does not see it, as " + from + " does"
		case len(lost) > mostLacked:
			text = "lacks " + term.Count(len(lost), "privilege") + " that " + from + " has"
		case len(lost) > 0:
			text = "lacks " + strings.Join(lost, ", ") + ", which " + from + " has"
		case ends[o.Ref]:
			text = "lacks below it what " + from + " has"
		default:
			continue
		}
		p.tell(plan.Change{Kind: plan.Permission, Object: o.Path(), Principal: to}.Tell(finding.Consequence, text))
	}
}
