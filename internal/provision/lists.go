package provision

import (
	"context"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// inspect reads every vCenter for a request with f, which fills the report at the vCenter's index.
func (j *Job) inspect(ctx context.Context, q *snapshot.Request, result func(int) *inspect.Result,
	f func(context.Context, *target, int) error,
) {
	index := map[*target]int{}
	for i, t := range j.targets {
		index[t] = i
		result(i).Server = t.at.VCenter.Server
	}
	j.each(ctx, q, func(ctx context.Context, t *target) error { return f(ctx, t, index[t]) })
	for i, t := range j.targets {
		if t.at.Err != nil {
			result(i).Fail(t.at.Err)
		}
	}
}

func (j *Job) inspectRead(ctx context.Context, result func(int) *inspect.Result, f func(context.Context, *target, int) error) {
	var group crash.Group
	group.Limit(j.o.Parallel)
	for i, t := range j.targets {
		if t.at.Err != nil {
			continue
		}
		group.Go(func() {
			if t.at.Err = crash.TryOn(t.at.VCenter.Server, func() error { return f(ctx, t, i) }); t.at.Err != nil {
				result(i).Fail(t.at.Err)
			}
		})
	}
	group.Wait()
}

// blind notes in a report that accounts and groups could not be read.
func (t *target) blind(r *inspect.Result) bool {
	if t.at.SSO.Why == nil {
		return false
	}
	r.Note("accounts and groups of the SSO domain were not read: " + t.at.Administrator + " may not administer SSO")
	return true
}

// components joins the specification's components that use a principal; "" if none.
func (t *target) components(who access.Principal) string {
	var names []string
	for _, c := range t.at.Request.Spec.ComponentNames() {
		if (t.at.Request.Spec.Cluster != "" || !t.at.Request.Owns(c)) && t.at.Key(t.at.Holder(c)) == t.at.Key(who) {
			names = append(names, string(c))
		}
	}
	return strings.Join(names, ",")
}

// marked returns the accounts with our mark, by key of their principal; nil if they cannot be read.
func (t *target) marked(ctx context.Context, r *inspect.Result) (map[string]sso.User, error) {
	if t.blind(r) {
		return nil, nil
	}
	users, err := t.directory.AllMarked(ctx)
	if err != nil {
		return nil, err
	}
	byKey := map[string]sso.User{}
	for _, u := range users {
		byKey[t.at.SSO.Same(u.Name+"@"+t.at.SSO.Domain)] = u
	}
	return byKey, nil
}

// Roles lists wanted roles and those with our names, or all. Call it once per Job, with Only Role.
func (j *Job) Roles(ctx context.Context, all bool) *inspect.RoleList {
	l := &inspect.RoleList{Report: inspect.NewReport(inspect.KindRoles), VCenters: make([]inspect.RolesVCenter, len(j.targets))}
	j.inspect(ctx, j.Request, func(i int) *inspect.Result { return &l.VCenters[i].Result }, func(ctx context.Context, t *target, i int) error {
		listed, err := j.listRoles(ctx, t)
		l.VCenters[i].Roles = slices.DeleteFunc(listed, func(r inspect.Role) bool { return !all && !r.Ours() })
		return err
	})
	return l
}

// DiffRoles compares wanted roles and those with our names with the matrix and between vCenters;
// with all, every role between vCenters. Only has to be Role.
func (j *Job) DiffRoles(ctx context.Context, all bool) *inspect.RolesDiff {
	vcenters, read := make([]inspect.Result, len(j.targets)), make([][]inspect.Role, len(j.targets))
	j.inspect(ctx, j.Request, func(i int) *inspect.Result { return &vcenters[i] }, func(ctx context.Context, t *target, i int) (err error) {
		read[i], err = j.listRoles(ctx, t)
		return err
	})
	return inspect.DiffRoles(vcenters, read, all)
}

// listRoles lists every role of a vCenter, and those that it lacks.
func (j *Job) listRoles(ctx context.Context, t *target) ([]inspect.Role, error) {
	if err := j.gather(ctx, t); err != nil {
		return []inspect.Role{}, err
	}
	d, err := t.at.Desired()
	if err != nil {
		return []inspect.Role{}, t.nearby(ctx, err)
	}
	compared, err := roles.Compare(d.Roles, t.at.Roles, roles.Options{})
	return inspect.Roles(compared, t.at.Perms.Holders, t.whose), err
}

// whose is the state of a role that is not wanted.
func (t *target) whose(r roles.Role) string {
	switch kind := t.at.Facts[r.ID].Kind; {
	case r.System:
		return inspect.RoleSystem
	case kind == snapshot.ForeignRole:
		return inspect.RoleForeign
	case kind == snapshot.PrefixedRole:
		return inspect.RoleOtherPrefix
	case len(t.at.VCenter.FailureDomains) == 0:
		return inspect.RoleOther
	}
	return inspect.RoleUnwanted
}

// Catalogue is the privilege ids that one vCenter knows.
type Catalogue struct {
	Server     string
	Privileges []string // sorted
	Err        error
}

// Catalogues asks every vCenter which privileges it knows.
func (j *Job) Catalogues(ctx context.Context) []Catalogue {
	j.each(ctx, j.Request, func(ctx context.Context, t *target) error {
		if err := j.connect(ctx, t); err != nil {
			return err
		}
		var err error
		t.at.Roles, err = roles.Read(ctx, t.session)
		return err
	})
	all := make([]Catalogue, len(j.targets))
	for i, s := range j.targets {
		all[i] = Catalogue{Server: s.at.VCenter.Server, Err: s.at.Err}
		if s.at.Err == nil {
			all[i].Privileges = s.at.Roles.Catalogue()
		}
	}
	return all
}
