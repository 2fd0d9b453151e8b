package provision

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/decision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// Permissions lists permissions. Only has to be Permission.
func (j *Job) Permissions(ctx context.Context, q inspect.PermissionQuery) *inspect.PermissionList {
	l := &inspect.PermissionList{
		Report:   inspect.NewReport(inspect.KindPermissions),
		VCenters: make([]inspect.PermissionsVCenter, len(j.targets)),
	}
	result := func(i int) *inspect.Result { return &l.VCenters[i].Result }
	j.inspect(ctx, j.Request, result, func(ctx context.Context, t *target, i int) error {
		l.VCenters[i].Permissions = []inspect.Permission{}
		return j.gather(ctx, t)
	})
	listed := *j.Request
	listed.Credentials = nil // lists need no passwords
	dec := j.snapshots(&listed).Decide(func(dec *decision.Decision, p *decision.VCenterPlan) ([]*plan.Change, error) {
		return nil, dec.Compare(p)
	})
	missing := make([]absent, len(j.targets))
	j.inspectRead(ctx, result, func(ctx context.Context, t *target, i int) (err error) {
		missing[i], err = (&lister{target: t, dec: dec, part: dec.Plans[i]}).permissions(ctx, q, &l.VCenters[i])
		return err
	})
	j.missing(result, missing)
	return l
}

type lister struct {
	*target
	dec    *decision.Decision
	part   *decision.VCenterPlan
	marked map[string]sso.User
}

// permissions lists one vCenter's permissions by what was decided about them.
func (l *lister) permissions(ctx context.Context, q inspect.PermissionQuery, out *inspect.PermissionsVCenter) (missing absent, err error) {
	if l.marked, err = l.target.marked(ctx, &out.Result); err != nil {
		return nil, err
	}
	if l.part.Err != nil {
		for line := range strings.Lines(l.nearby(ctx, l.part.Err).Error()) {
			out.Note("the wanted permissions are not known: " +
				strings.TrimPrefix(strings.TrimSuffix(line, "\n"), out.Server+": "))
		}
	}
	places, missing, err := l.places(ctx, q)
	if err != nil {
		return nil, err
	}
	var chosen []perms.Compared
	var refs []inventory.Ref
	for _, c := range l.part.Permissions {
		switch {
		case c.Had == nil && q.Unnarrowed():
			chosen = append(chosen, c)
		case c.Had != nil && q.Chooses(*c.Had, places, l.at.SSO.Same, l.chooses(*c.Had)):
			chosen, refs = append(chosen, c), append(refs, c.Had.Entity)
		}
	}
	if err := l.session.Include(ctx, l.at.Inventory, refs); err != nil {
		return nil, err
	}
	for _, p := range l.at.Perms.Global {
		if q.Chooses(p, places, l.at.SSO.Same, l.chooses(p) || l.at.Globally(p)) {
			chosen = append(chosen, perms.Compared{Had: &p})
		}
	}
	for _, c := range chosen {
		listed := l.list(c)
		if c.Had != nil {
			listed.Reaches = places.Reached(c.Had.Entity)
		}
		out.Permissions = append(out.Permissions, listed)
	}
	for _, name := range q.Principals {
		if l.at.SSO.Why == nil && !slices.ContainsFunc(slices.Concat(l.at.Perms.All, l.at.Perms.Global),
			func(p perms.Permission) bool { return l.at.SSO.Same(p.Principal) == l.at.SSO.Same(name) }) {
			if err := l.directory.Seek(ctx, name); err != nil {
				missing[name] = func() error { return err }
			}
		}
	}
	if l.at.Perms.Unseen != "" && (len(q.Objects) == 0 || q.Inherited) { // else none would be listed
		out.Note(perms.NotKnown(l.at.Perms.Unseen))
	}
	slices.SortStableFunc(out.Permissions, func(a, b inspect.Permission) int {
		return cmp.Or(strings.Compare(a.Object, b.Object),
			strings.Compare(l.at.SSO.Same(a.Principal), l.at.SSO.Same(b.Principal)))
	})
	return missing, nil
}

func (l *lister) places(ctx context.Context, q inspect.PermissionQuery) (inspect.Places, absent, error) {
	places := inspect.Places{}
	if len(q.Objects) == 0 {
		return places, absent{}, nil
	}
	inv, missing, err := l.find(ctx, q.Objects)
	for _, path := range q.Objects {
		if err == nil && missing[path] == nil {
			places.Add(inv.At(path), path, q.Inherited)
		}
	}
	return places, missing, err
}

// chooses reports whether a permission is listed by default: its account or its role is ours.
func (l *lister) chooses(p perms.Permission) bool {
	return l.at.Facts[p.RoleID].Kind != snapshot.ForeignRole || l.component(p) != ""
}

// ours reports whether a permission is ours and not one that others gave an adopted account.
func (l *lister) ours(p perms.Permission) bool {
	adopted := slices.ContainsFunc(l.at.Adoptees(), func(g access.Principal) bool { return l.at.Holds(g, p) })
	return l.at.Facts[p.RoleID].Kind != snapshot.ForeignRole || l.component(p) != "" && !adopted
}

// component is that of the specification's account, else the one in its mark with its cluster.
func (l *lister) component(p perms.Permission) string {
	if names := l.components(decision.PrincipalOf(p)); names != "" {
		return names
	}
	u, ok := l.marked[l.at.SSO.Same(p.Principal)]
	if !ok || p.Group {
		return ""
	}
	cluster, c, _ := sso.ParseMark(u.Description)
	if cluster == l.dec.Request.Spec.Cluster {
		return string(c)
	}
	return string(c) + " of " + cluster
}

func (l *lister) list(c perms.Compared) inspect.Permission {
	if c.Had == nil {
		out := inspect.Permission{
			Object: c.Want.At.Path(), Principal: c.Want.Principal, Group: c.Want.Group, Role: c.Want.Role,
			Propagate: c.Want.Propagate, State: inspect.PermissionMissing,
		}
		if w := l.part.Wanted.Wanted.At(c.Want.Key, c.Want.At); w != nil {
			out.Component = strings.Join(component.Words(w.Components), ",")
		}
		return out
	}
	out := inspect.Permission{
		Object: l.at.Path(c.Had.Entity), Principal: c.Had.Principal, Group: c.Had.Group,
		Role: l.at.Roles.Name(c.Had.RoleID), Propagate: c.Had.Propagate,
		State: inspect.PermissionState(c, l.part.Err == nil, l.ours(*c.Had)), Component: l.component(*c.Had),
	}
	if who := decision.PrincipalOf(*c.Had); out.State == inspect.PermissionForeign &&
		l.at.SSO.Why != nil && !who.Group && l.at.SSO.Within(who.Name) && !l.at.IsBuiltIn(who) {
		out.State = inspect.PermissionUnknown
	}
	if out.State == inspect.PermissionDiffers {
		out.Wanted = plan.PermissionState{Role: c.Want.Role, Propagate: c.Want.Propagate}.String()
	}
	return out
}
