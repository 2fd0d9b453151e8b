package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// UserQuery says which accounts are listed.
type UserQuery struct {
	Everybody bool        // with our mark for any cluster; implied without a cluster
	Due       *sso.Limits // ours and adopted ones that these select; nil = all
}

// Users lists the cluster's accounts. It needs a credentials file, which may be empty.
func (j *Job) Users(ctx context.Context, q UserQuery) *inspect.UserList {
	l := &inspect.UserList{
		Report:   inspect.NewReport(inspect.KindUsers),
		VCenters: make([]inspect.UserVCenter, len(j.targets)), Domains: []inspect.UserDomain{},
	}
	users := make([][]inspect.User, len(j.targets))
	j.inspect(ctx, j.Request.Aging(), func(i int) *inspect.Result { return &l.VCenters[i].Result },
		func(ctx context.Context, t *target, i int) (err error) {
			if err = j.readDomain(ctx, t); err == nil {
				users[i], err = j.listUsers(ctx, t, q)
			}
			return err
		})
	for i, t := range j.targets {
		if t.at.Err == nil {
			l.VCenters[i].Domain = t.at.SSO.Domain
		}
	}
	l.Domains, l.Incomplete = j.userDomains(users)
	l.Findings = j.snapshots(j.Request).Findings()
	return l
}

// userDomains returns the SSO domains that were read, each once, with their listed accounts.
func (j *Job) userDomains(users [][]inspect.User) (domains []inspect.UserDomain, incomplete []string) {
	domains = []inspect.UserDomain{}
	index := map[string]int{}
	for i, t := range j.targets {
		if t.at.Err != nil || users[i] == nil {
			continue
		}
		if t.at.SSO.Why != nil {
			incomplete = append(incomplete, t.at.VCenter.Server)
			continue
		}
		n, known := index[t.at.Domain.Key]
		if !known {
			n = len(domains)
			index[t.at.Domain.Key] = n
			domains = append(domains, inspect.Domain(t.at.SSO, t.at.Domain.Others, users[i]))
		}
		domains[n].VCenters = append(domains[n].VCenters, t.at.VCenter.Server)
	}
	for i := range domains {
		d := &domains[i]
		for k := range d.Users {
			u := &d.Users[k]
			for _, server := range d.VCenters {
				if j.Request.Files().Section(server, component.Name(u.Component)).Has(u.Principal) {
					u.StoredFor = append(u.StoredFor, server)
				} else {
					u.NotStoredFor = append(u.NotStoredFor, server)
				}
			}
		}
	}
	return domains, incomplete
}

type listing struct {
	inspect.User
	compared sso.Compared
}

// listUsers reads specified accounts by name, and the domain's accounts with our mark.
func (j *Job) listUsers(ctx context.Context, t *target, q UserQuery) ([]inspect.User, error) {
	if t.at.SSO.Why != nil {
		return []inspect.User{}, nil //nolint:nilerr // the caller says why
	}
	var wg crash.Group
	errs := make([]error, 2)
	var marked []sso.User
	wg.Go(func() { marked, errs[0] = t.directory.AllMarked(ctx) })
	var found []*listing
	wg.Go(func() { found, errs[1] = j.namedUsers(ctx, t) })
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for _, u := range marked {
		cluster, c, _ := sso.ParseMark(u.Description)
		principal := u.Name + "@" + t.at.SSO.Domain
		known := slices.ContainsFunc(found,
			func(l *listing) bool { return t.at.SSO.Same(l.Principal) == t.at.SSO.Same(principal) })
		if !known && (q.Everybody || j.Request.Spec.Cluster == "" || cluster == j.Request.Spec.Cluster) {
			found = append(found, &listing{
				User:     inspect.User{Component: string(c), Cluster: cluster, Principal: principal},
				compared: t.at.SSO.Of(principal, &u),
			})
		}
	}
	var unasked []*sso.User
	for _, l := range found {
		if u := l.compared.User; u != nil && u.DaysLeft == nil && l.compared.Within {
			unasked = append(unasked, u)
		}
	}
	if err := t.directory.AskDaysLeft(ctx, unasked...); err != nil {
		return nil, fmt.Errorf("%s: SSO: days until passwords expire: %w", t.at.VCenter.Server, err)
	}
	users := []inspect.User{}
	for _, l := range found {
		l.User.Compared(l.compared, j.Request.Now)
		chosen := q.Due == nil
		if !chosen && !j.replacedUser(t.at, l) {
			chosen, l.Due = l.compared.Due(*q.Due, j.Request.Now)
		}
		if chosen {
			users = append(users, l.User)
		}
	}
	return users, nil
}

// namedUsers returns the accounts of the specification's components, adopted ones too.
func (j *Job) namedUsers(ctx context.Context, t *target) ([]*listing, error) {
	var users []*listing
	for _, c := range j.Request.Spec.ComponentNames() {
		l := &listing{User: inspect.User{
			Component: string(c), Cluster: j.Request.Spec.Cluster,
			Principal: t.at.Principal(c), Adopted: !t.at.Owns(c),
		}}
		switch {
		case l.Adopted:
			if err := j.adoptedUser(ctx, t, l); err != nil {
				return nil, err
			}
		case j.Request.Spec.Cluster == "":
			continue
		default:
			l.Earlier = t.at.Earlier(c)
			l.compared = t.at.Compared(t.at.Account(c).Name, c)
		}
		users = append(users, l)
	}
	return users, nil
}

// adoptedUser reads an account or group of others.
func (j *Job) adoptedUser(ctx context.Context, t *target, l *listing) error {
	group := t.at.Request.Spec.Account(component.Name(l.Component)).Group
	if group == nil || !*group {
		u, err := t.directory.Person(ctx, l.Principal)
		if l.compared = t.at.SSO.Of(l.Principal, u); err != nil || u != nil {
			return err
		}
	}
	id, err := t.directory.Resolve(ctx, l.Principal, group != nil && *group)
	switch {
	case err != nil || id == nil:
	case id.Group:
		l.States = []string{sso.StateGroup}
	default:
		l.States = []string{sso.StateOK} // a service's own account has no details in SSO
	}
	return err
}

// replacedUser reports whether an account is another generation than the one in use.
func (j *Job) replacedUser(s *snapshot.Snapshot, l *listing) bool {
	c := component.Name(l.Component)
	if l.Adopted || l.Cluster != j.Request.Spec.Cluster || !slices.Contains(j.Request.Spec.ComponentNames(), c) || !s.Owns(c) {
		return false
	}
	n := s.Request.Spec.Account(c).Generation(l.Principal)
	return n > 0 && !s.InUse(s.Request.OwnAccount(c, n))
}
