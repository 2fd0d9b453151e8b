package provision

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// desired is what shall be on one vCenter.
type desired struct {
	*access.Wanted
	roles   []roles.Want
	folders []*plan.Change
	notes   []*plan.Change
}

// bind works out what shall be on a vCenter. All that is wrong comes in one error; what it has then is what the failure
// domains ask for that are right.
func (j *Job) bind(s *site) (*desired, error) {
	t := j.topology(s)
	return j.satisfy(s, t, access.Bind(j.o.Matrix, j.principals(s), t.domains))
}

// assumed are the roles that a failure domain of the assumed topology would ask for.
func (j *Job) assumed(s *site) (*desired, error) {
	o := j.o.Assumed
	o.Holds = j.o.Spec.Conditions(j.o.Assumed.Holds)
	needs := access.Bind(j.o.Matrix, j.principals(s), []access.Domain{access.Assumed(o)})
	return j.satisfy(s, &topology{job: j, site: s}, needs)
}

// principals are the accounts of all components on a vCenter.
func (j *Job) principals(s *site) []access.Account {
	var all []access.Account
	for _, c := range j.o.Spec.ComponentNames() {
		p := j.holder(s, c)
		all = append(all, access.Account{Component: c, Principal: p, Key: s.key(p), Adopted: j.adopts(s, c)})
	}
	return all
}

// adopts tells whether a component works with somebody else's account, or will: a work order asks others to make it.
func (j *Job) adopts(s *site, c component.Name) bool {
	if !j.owns(c) {
		return true
	}
	_, exists := s.sso.Own(j.o.Spec.Account(c).Name)
	return j.o.Ordering && !exists
}

// satisfy says what satisfies needs on a vCenter, as far as it knows the privileges: what it does not know is left out and said.
func (j *Job) satisfy(s *site, t *topology, needs []access.Need) (*desired, error) {
	d := &desired{Wanted: access.Permissions(needs), folders: t.folders, notes: t.notes}
	unknown := d.Know(s.roles.Catalogue())
	version := s.session.Content.About.Version
	for _, id := range sorted(unknown) {
		text := fmt.Sprintf("unknown to this vCenter (%s); without it %s cannot %s",
			version, strings.Join(words(unknown[id]), ", "), privileges.Operation(id))
		if j.o.Strict {
			t.fail(fmt.Errorf("%s: privilege %s is %s", s.spec.Server, id, text))
			continue
		}
		d.notes = append(d.notes, &plan.Change{Verb: plan.Note, Kind: plan.Privilege, Name: id, Note: text + "; left out"})
	}
	if j.o.Additive {
		j.keep(s, d)
	}
	p := j.o.Spec.Privileges
	d.Name(access.Naming{Matrix: j.o.Matrix, Prefix: p.RolePrefix, Layout: p.RoleLayout, Cluster: j.o.Spec.Cluster})
	for _, w := range d.All {
		if w.Role != roles.ReadOnly && !slices.ContainsFunc(d.roles, func(r roles.Want) bool { return r.Name == w.Role }) {
			d.roles = append(d.roles, roles.Want{Name: w.Role, Privileges: w.Holds})
		}
	}
	slices.SortFunc(d.roles, func(x, y roles.Want) int { return strings.Compare(x.Name, y.Name) })
	return d, errors.Join(t.errs...)
}

// keep adds to each permission what its account has there by a role of ours already: nothing is taken away. A role that
// somebody changed keeps its name and what it has; roles.Diff adds what it lacks.
func (j *Job) keep(s *site, d *desired) {
	for _, w := range d.All {
		p := s.standing(w)
		if p == nil || w.Account.Adopted && !j.made(s, *p) {
			continue
		}
		role, _ := s.roles.ByID(p.RoleID)
		if kind := j.role(s, p.RoleID).kind; kind != foreignRole && kind != changedRole {
			w.Holds = privileges.Strip(append(w.Holds, role.Privileges...))
			w.Asked = privileges.Strip(append(w.Asked, role.Privileges...))
		}
		w.Propagate = w.Propagate || p.Propagate
	}
}

// holds are the conditions of a failure domain, with those that the specification chose. A folder that we make exists
// by the time it is used.
func (j *Job) holds(s *site, fd spec.FailureDomain) map[privileges.Condition]bool {
	fd.Folder = j.folderPath(s, fd)
	return j.o.Spec.Conditions(fd.Holds())
}

// union of two lists, sorted.
func union(a, b []string) []string {
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}

// without lists what of a is not in b; never nil, because JSON shows it.
func without(a, b []string) []string {
	left := []string{}
	for _, id := range a {
		if !slices.Contains(b, id) {
			left = append(left, id)
		}
	}
	return left
}

func appendNew[T comparable](all []T, v T) []T {
	if slices.Contains(all, v) {
		return all
	}
	return append(all, v)
}
