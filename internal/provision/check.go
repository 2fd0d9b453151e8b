package provision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
)

// Check returns what a principal may do on objects and through which permission, and compares with
// the vCenter's own answer. A note says if its groups are unknown. Only has to be Permission.
func (j *Job) Check(ctx context.Context, q inspect.CheckQuery) *inspect.PermissionCheck {
	if q.Component != "" {
		q.Component = j.Request.Spec.Account(q.Component).Component // whose rows the matrix has
	}
	c := &inspect.PermissionCheck{Report: inspect.NewReport(inspect.KindCheck), VCenters: make([]inspect.CheckedVCenter, len(j.targets))}
	missing := make([]absent, len(j.targets))
	result := func(i int) *inspect.Result { return &c.VCenters[i].Result }
	j.inspect(ctx, j.Request, result, func(ctx context.Context, t *target, i int) (err error) {
		missing[i], err = j.check(ctx, t, q, &c.VCenters[i])
		return err
	})
	j.missing(result, missing)
	c.Count()
	return c
}

// absent is what was asked for and is not on one vCenter, with what makes its error.
type absent map[string]func() error

// missing fails where no vCenter has what was asked for, and notes where others have it.
func (j *Job) missing(result func(int) *inspect.Result, of []absent) {
	nowhere := map[string]bool{}
	for _, on := range of {
		for what := range on {
			nowhere[what] = true
			for i, other := range of {
				nowhere[what] = nowhere[what] && (other[what] != nil || result(i).Error != "")
			}
		}
	}
	for i, on := range of {
		var errs []error
		for _, what := range slices.Sorted(maps.Keys(on)) {
			if nowhere[what] {
				errs = append(errs, on[what]())
			} else {
				result(i).Note("there is no " + what + " here")
			}
		}
		if r := result(i); r.Error == "" && errs != nil {
			r.Fail(errors.Join(errs...))
		}
	}
}

// find finds objects by path, and what is near those that are missing.
func (t *target) find(ctx context.Context, paths []string) (*inventory.Tree, absent, error) {
	inv, err := t.session.FindNamed(ctx, paths)
	missing := absent{}
	for _, p := range paths {
		if err == nil && inv.At(p) == nil {
			missing[p] = func() error {
				_, err := t.session.Nearest(ctx, p, "")
				return err
			}
		}
	}
	return inv, missing, err
}

func (j *Job) check(ctx context.Context, t *target, q inspect.CheckQuery, out *inspect.CheckedVCenter) (absent, error) {
	out.Objects = []inspect.CheckedObject{}
	if err := j.gather(ctx, t); err != nil {
		return nil, err
	}
	inv, missing, err := t.find(ctx, q.Objects)
	if err != nil {
		return nil, err
	}
	var refs []inventory.Ref
	for _, p := range q.Objects {
		if o := inv.At(p); o != nil {
			refs = append(refs, o.Ref)
		}
	}
	if err := t.session.Include(ctx, t.at.Inventory, refs); err != nil {
		return nil, err
	}
	var objects []*inventory.Object
	for _, ref := range refs {
		objects = append(objects, t.at.Inventory.Object(ref))
	}
	if len(objects) == 0 {
		return missing, nil
	}
	principal := q.Principal
	if principal == "" {
		principal = t.at.Principal(q.Component)
	}
	who, err := t.identify(ctx, principal, q.Group || q.Principal == "" && t.at.IsGroup(q.Component), out)
	if err != nil {
		return missing, err
	}
	expected, err := t.expectation(q, objects)
	if err != nil {
		return missing, t.nearby(ctx, err)
	}
	if t.at.Perms.Unseen != "" {
		out.Note(perms.NotKnown(t.at.Perms.Unseen))
	}
	return missing, t.compare(ctx, who, objects, expected, out)
}

// identify finds a principal and its groups. Without SSO it is what the query says, in no group.
func (t *target) identify(ctx context.Context, principal string, group bool, out *inspect.CheckedVCenter) (access.Subject, error) {
	who := t.at.Subject(access.Principal{Name: principal, Group: group}, nil)
	spelling, spelled := t.vcenterName(access.Principal{Name: principal, Group: group})
	out.Principal, out.Group = spelling, group
	if t.blind(&out.Result) {
		out.Note("groups of " + principal + " are not known: what they give appears only in vCenter's own answer")
		return who, nil
	}
	id, err := t.directory.Resolve(ctx, principal, group)
	switch {
	case err != nil:
		return who, err
	case id == nil:
		return who, cmp.Or(t.directory.Seek(ctx, principal),
			fmt.Errorf("%s: %s is a user, not a group", t.at.VCenter.Server, principal))
	}
	out.Group = id.Group
	who = t.at.Subject(access.Principal{Name: principal, Group: id.Group}, nil)
	if !spelled {
		out.Principal = id.Name
	}
	groups, unread := t.directory.Groups(ctx, id)
	if unread != nil {
		out.Note("groups of " + principal + " could not be read: " + unread.Error())
		return who, nil //nolint:nilerr // the note says it, and the explanation goes on without them
	}
	if out.Groups, out.Administrator = groups, t.at.Administrating(groups); out.Administrator == "" {
		if group := t.at.Empowering(groups); group != "" {
			out.Note(out.Principal + " is a member of " + group + ", which has rights that no permission shows")
		}
	}
	return t.at.Subject(access.Principal{Name: principal, Group: id.Group}, groups), nil
}

// vcenterName is a principal as the vCenter's permissions spell it, else as given.
func (t *target) vcenterName(who access.Principal) (string, bool) {
	if had := t.at.Perms.Held(t.at.Key(who)); len(had) > 0 {
		return had[0].Principal, true
	}
	return who.Name, false
}

// compare explains each object and compares with the vCenter's answer. Differences are read again
// for a while, permissions too, because changed roles take effect later (R8).
func (t *target) compare(ctx context.Context, who access.Subject, objects []*inventory.Object,
	expected []expectation, out *inspect.CheckedVCenter,
) error {
	for n := 0; ; n++ {
		answers, err := t.answers(ctx, out, objects)
		if err != nil {
			return err
		}
		out.Objects = out.Objects[:0]
		disagreed := false
		for i, o := range objects {
			c := inspect.Explained(o, t.at.Explain(who, o), t.at.Roles)
			if answers != nil {
				c.Answered(answers[i])
			}
			disagreed = disagreed || c.Answer == inspect.AnswerDisagreed
			if e := expected[i]; e.scope != "" {
				c.Against(e.scope, e.need, e.allowed)
				if out.Administrator != "" && c.Everything {
					c.Excess = nil
				}
			}
			out.Objects = append(out.Objects, c)
		}
		if !disagreed {
			return nil
		}
		if out.Groups == nil || !again(ctx, t.session, n) { // without groups a difference is expected
			cause := "an unknown group"
			if t.at.Perms.Unseen != "" {
				cause = "a global permission, or " + cause
			}
			out.Note("vCenter's own answer differs from what its permissions explain: the cause may be " + cause)
			return nil
		}
		if err := t.reread(ctx); err != nil {
			return err
		}
	}
}

// answers are the vCenter's own, from one request; nil for groups, which it never answers.
func (t *target) answers(ctx context.Context, out *inspect.CheckedVCenter, objects []*inventory.Object) ([][]string, error) {
	if out.Group {
		out.Note("vCenter itself was not asked, because it answers only for users")
		return nil, nil
	}
	refs := make([]inventory.Ref, len(objects))
	for i, o := range objects {
		refs[i] = o.Ref
	}
	answers, err := t.session.PrivilegesOf(ctx, out.Principal, refs...)
	if err != nil {
		return nil, fmt.Errorf("%s: privileges of %s: %w", t.at.VCenter.Server, out.Principal, err)
	}
	return answers, nil
}

func (t *target) reread(ctx context.Context) error {
	now := *t.at
	var wg crash.Group
	var rolesErr, permsErr error
	var all []perms.Permission
	wg.Go(func() { now.Roles, rolesErr = roles.Read(ctx, t.session) })
	wg.Go(func() { all, permsErr = perms.Read(ctx, t.session) })
	var global perms.Global
	wg.Go(func() { global = perms.ReadGlobal(ctx, t.session) })
	wg.Wait()
	if err := errors.Join(rolesErr, permsErr); err != nil {
		return err
	}
	now.Perms = perms.Of(t.at.VCenter.Server, all, t.at.KeyOf).With(global, t.at.KeyOf)
	t.at = &now
	return nil
}

// expectation is what a component must be able to do on one object; scope "" = nothing.
type expectation struct {
	scope   string
	need    []string
	allowed []string // also from further up, or under another topology
}

// expectation returns one per object. With failure domains it is what they need there, and what
// their permissions give besides; otherwise what the matrix gives at the scope of the object's
// type. Components that share the account are included.
func (t *target) expectation(c inspect.CheckQuery, objects []*inventory.Object) ([]expectation, error) {
	all := make([]expectation, len(objects))
	if c.Component == "" {
		return all, nil
	}
	if len(t.at.VCenter.FailureDomains) > 0 {
		d, err := t.at.Desired()
		if err != nil {
			return nil, err
		}
		who := t.at.Subject(t.at.Holder(c.Component), nil)
		for i, o := range objects {
			all[i] = expectation{scope: "provisioning file", need: d.Wanted.Needed(who, o), allowed: d.Wanted.Granted(who, o)}
			if scopes := d.Wanted.ScopesAt(who.Key, o); len(scopes) > 0 {
				all[i].scope = strings.Join(component.Words(scopes), "+")
			}
		}
		return all, nil
	}
	for i, o := range objects {
		scope := c.Scope
		if scope == "" {
			if scope = scopeOf(o); scope == "" {
				return nil, hint.Errorf("set --scope to one of: "+strings.Join(component.Words(privileges.Scopes()), "|"),
					"%s: the matrix has no scope for %s, a %s", t.at.VCenter.Server, o.Path(), o.Ref.Type)
			}
		}
		all[i] = t.atScope(c, scope)
	}
	return all, nil
}

// atScope is what a scope's role holds in the assumed topology, as far as the vCenter knows it. A
// queried folder or pool implies that one exists. Other topologies' privileges are allowed.
func (t *target) atScope(c inspect.CheckQuery, scope privileges.Scope) expectation {
	holds := t.at.Request.Spec.Conditions(c.Topology)
	switch scope {
	case privileges.ScopeFolder:
		holds[privileges.FolderExisting], holds[privileges.FolderCreated] = true, false
	case privileges.ScopeResourcePool:
		holds[privileges.PoolExisting], holds[privileges.PoolRoot] = true, false
	}
	e := expectation{scope: string(scope), allowed: privileges.ImplicitIDs()}
	for _, def := range access.RoleSet(t.at.Request.Matrix, privileges.RoleSetOptions{
		Components: []component.Name{c.Component}, Holds: holds, Known: t.at.Roles.Catalogue(),
	}) {
		if slices.Contains(def.Scopes, scope) {
			e.need = lists.Union(e.need, lists.Union(privileges.ImplicitIDs(), def.Privileges))
		}
	}
	for _, condition := range privileges.Conditions() {
		if condition.Topology() {
			holds[condition] = true
		}
	}
	for _, g := range t.at.Request.Matrix.Grants(c.Component, holds) {
		if g.Scope == scope || g.Propagate {
			e.allowed = lists.Union(e.allowed, g.Privileges)
		}
	}
	return e
}

// scopeOf is the scope whose grants are usually on, or reach, an object like this one.
func scopeOf(o *inventory.Object) privileges.Scope {
	if o.Ref.Type != "Folder" {
		return privileges.ScopeOfType(o.Ref.Type)
	}
	above := o.Ancestors()
	if len(above) == 0 {
		return privileges.ScopeVCenter
	}
	for i, a := range above {
		if a.Ref.Type == "Datacenter" && (i == 0 && o.Name == "vm" || i > 0 && above[i-1].Name == "vm") {
			return privileges.ScopeFolder
		}
	}
	return ""
}
