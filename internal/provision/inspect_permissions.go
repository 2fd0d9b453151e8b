package provision

import (
	"context"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// PermissionQuery chooses permissions. With nothing set they are those of the specification's accounts, of accounts with
// our mark, and those with a role of ours.
type PermissionQuery struct {
	Principals []string // of these alone, users or groups
	Objects    []string // on these alone
	Inherited  bool     // with Objects: those from above that reach them too
	All        bool     // everybody's
}

// PermissionList is permissions as they are, and as they must be where the specification has failure domains.
type PermissionList struct {
	Report
	VCenters []PermissionsVCenter `json:"vcenters"`
}

// PermissionsVCenter is those of one vCenter, by object.
type PermissionsVCenter struct {
	Result
	Permissions []ListedPermission `json:"permissions"`
}

// States of a permission.
const (
	PermissionWanted   = "wanted"
	PermissionDiffers  = "differs"    // wanted with another role or propagation
	PermissionUnwanted = "not wanted" // of an account of ours, and the specification has no use for it
	PermissionMissing  = "missing"    // wanted and not there
	PermissionOurs     = "ours"       // of an account or with a role of ours; what is wanted is not known
	PermissionForeign  = "foreign"
)

// ListedPermission is one permission. Component is that of the account, "" where it is nobody's of ours.
type ListedPermission struct {
	Object    string `json:"object"`
	Principal string `json:"principal"`
	Group     bool   `json:"group"`
	Role      string `json:"role"`
	Propagate bool   `json:"propagate"`
	State     string `json:"state"`
	Wanted    string `json:"wanted,omitempty"` // differs: what is
	Component string `json:"component,omitempty"`
	Reaches   string `json:"reaches,omitempty"` // inherited: the object that was asked for
}

// Results are how reading the vCenters went.
func (l *PermissionList) Results() Results {
	all := make(Results, len(l.VCenters))
	for i, v := range l.VCenters {
		all[i] = v.Result
	}
	return all
}

// Permissions lists permissions. Only has to be Permission.
func (j *Job) Permissions(ctx context.Context, q PermissionQuery) *PermissionList {
	l := &PermissionList{Report: newReport(KindPermissions), VCenters: make([]PermissionsVCenter, len(j.targets))}
	j.inspect(ctx, func(i int) *Result { return &l.VCenters[i].Result }, func(ctx context.Context, t *target, i int) error {
		l.VCenters[i].Permissions = []ListedPermission{}
		return j.listPermissions(ctx, t, q, &l.VCenters[i])
	})
	return l
}

// lister judges the permissions of one vCenter.
type lister struct {
	*asked
	*snapshot
	wants  *desired // nil = not known
	marked map[string]sso.User
}

func (j *Job) listPermissions(ctx context.Context, t *target, q PermissionQuery, out *PermissionsVCenter) (err error) {
	if err := j.gather(ctx, j.asked, t); err != nil {
		return err
	}
	l := &lister{asked: j.asked, snapshot: t.snapshot}
	if l.marked, err = t.marked(ctx, &out.Result); err != nil {
		return err
	}
	if len(t.spec.FailureDomains) > 0 {
		if l.wants, err = j.desired(t.snapshot); err != nil {
			err = t.nearby(ctx, err)
			for line := range strings.Lines(err.Error()) {
				out.note("the wanted permissions are not known: " + strings.TrimPrefix(strings.TrimSuffix(line, "\n"), out.Server+": "))
			}
		}
	}
	chosen, places, err := l.choose(ctx, t.session, q, &out.Result)
	if err != nil {
		return err
	}
	refs := make([]inventory.Ref, len(chosen))
	for i, p := range chosen {
		refs[i] = p.Entity
	}
	if err := t.session.Include(ctx, t.inventory, refs); err != nil {
		return err
	}
	for _, p := range chosen {
		listed := l.list(p)
		listed.Reaches = reaches(places[p.Entity])
		out.Permissions = append(out.Permissions, listed)
	}
	if len(q.Objects) == 0 && len(q.Principals) == 0 {
		out.Permissions = append(out.Permissions, l.missing()...)
	}
	slices.SortStableFunc(out.Permissions, func(a, b ListedPermission) int {
		if d := strings.Compare(a.Object, b.Object); d != 0 {
			return d
		}
		return strings.Compare(t.sso.Same(a.Principal), t.sso.Same(b.Principal))
	})
	return nil
}

// reach is a place from which permissions reach an object that was asked for.
type reach struct {
	path   string
	whole  bool // all of them: it is the object, or the other half of it
	itself bool
}

// choose gives the permissions of a query and, for those on objects, what each of them reaches.
func (l *lister) choose(ctx context.Context, session *vcenter.Session, q PermissionQuery, r *Result) ([]perms.Permission, map[inventory.Ref][]reach, error) {
	places, err := l.places(ctx, session, q, r)
	if err != nil {
		return nil, nil, err
	}
	same := l.sso.Same
	var chosen []perms.Permission
	for _, p := range l.perms.All {
		switch {
		case len(q.Principals) > 0 && !slices.ContainsFunc(q.Principals, func(name string) bool { return same(name) == same(p.Principal) }),
			len(q.Objects) > 0 && !slices.ContainsFunc(places[p.Entity], func(at reach) bool { return at.whole || p.Propagate }),
			!q.All && len(q.Objects)+len(q.Principals) == 0 && !l.ours(p):
		default:
			chosen = append(chosen, p)
		}
	}
	return chosen, places, nil
}

// places are the objects of a query and, with Inherited, those above them.
func (l *lister) places(ctx context.Context, session *vcenter.Session, q PermissionQuery, r *Result) (map[inventory.Ref][]reach, error) {
	places := map[inventory.Ref][]reach{}
	if len(q.Objects) == 0 {
		return places, nil
	}
	inv, err := session.Find(ctx, q.Objects)
	if err != nil {
		return nil, err
	}
	for _, path := range q.Objects {
		o := inv.At(path)
		if o == nil {
			r.note("there is no " + path + " here")
			continue
		}
		places[o.Ref] = append(places[o.Ref], reach{path, true, true})
		if !q.Inherited {
			continue
		}
		for i, parent := range o.Above() {
			for half := i == 0 && o.Complex(); parent != nil; parent, half = parent.Parent, false {
				places[parent.Ref] = appendNew(places[parent.Ref], reach{path, half, false})
			}
		}
	}
	return places, nil
}

// reaches names what a permission reaches from above, "" where it stands on what was asked for.
func reaches(at []reach) string {
	var paths []string
	for _, r := range at {
		if r.itself {
			return ""
		}
		paths = appendNew(paths, r.path)
	}
	return strings.Join(paths, ", ")
}

// ours reports whether a permission is of an account or with a role of ours.
func (l *lister) ours(p perms.Permission) bool {
	if l.facts[p.RoleID].kind != foreignRole {
		return true
	}
	return l.component(p) != ""
}

// component is that of an account of the specification, else the one that its mark names, with its cluster.
func (l *lister) component(p perms.Permission) string {
	if names := l.components(l.snapshot, heldBy(p)); names != "" {
		return names
	}
	u, ok := l.marked[l.sso.Same(p.Principal)]
	if !ok || p.Group {
		return ""
	}
	cluster, c, _ := sso.ParseMark(u.Description)
	if cluster == l.Spec.Cluster {
		return string(c)
	}
	return string(c) + " of " + cluster
}

func (l *lister) list(p perms.Permission) ListedPermission {
	out := ListedPermission{
		Object: l.path(p.Entity), Principal: p.Principal, Group: p.Group,
		Role: l.roles.Name(p.RoleID), Propagate: p.Propagate, Component: l.component(p), State: PermissionForeign,
	}
	is := plan.PermissionState{Role: out.Role, Propagate: out.Propagate}
	w, ours := l.wanted(p), l.ours(p)
	switch {
	case w != nil && is == stateOf(w):
		out.State = PermissionWanted
	case w != nil:
		out.State, out.Wanted = PermissionDiffers, stateOf(w).String()
	case l.wants != nil && l.components(l.snapshot, heldBy(p)) != "":
		out.State = PermissionUnwanted
	case ours:
		out.State = PermissionOurs
	}
	return out
}

// wanted is the entry that asks for a permission.
func (l *lister) wanted(p perms.Permission) *access.Permission {
	if l.wants == nil {
		return nil
	}
	for _, e := range l.wants.All {
		if e.At.Ref == p.Entity && e.Account.Key == p.Key {
			return e
		}
	}
	return nil
}

// stateOf is a wanted permission as a plan shows it.
func stateOf(w *access.Permission) plan.PermissionState {
	return plan.PermissionState{Role: w.Role, Propagate: w.Propagate}
}

// missing are the entries without a permission.
func (l *lister) missing() []ListedPermission {
	var all []ListedPermission
	if l.wants == nil {
		return nil
	}
	for _, e := range l.wants.All {
		there := slices.ContainsFunc(l.perms.On(e.At.Ref), func(p perms.Permission) bool {
			return e.Account.Key == p.Key
		})
		if !there {
			all = append(all, ListedPermission{
				Object: e.At.Path(), Principal: e.Account.Principal.Name, Group: e.Account.Principal.Group, Role: e.Role, Propagate: e.Propagate,
				State: PermissionMissing, Component: strings.Join(access.Words(e.Components), ","),
			})
		}
	}
	return all
}
