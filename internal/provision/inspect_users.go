package provision

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// UserList is the accounts as their SSO domains have them, each domain once however many vCenters share it.
type UserList struct {
	Report
	Findings []*plan.Finding `json:"findings,omitempty"` // lost passwords, unfinished rotations
	VCenters []UserVCenter   `json:"vcenters"`
	Domains  []UserDomain    `json:"domains"`
}

// UserVCenter says which SSO domain a vCenter belongs to.
type UserVCenter struct {
	Result
	Domain string `json:"domain"`
}

// UserDomain is one SSO domain.
type UserDomain struct {
	Domain   string         `json:"domain"`
	VCenters []string       `json:"vcenters"`         // of this job
	Others   []string       `json:"others,omitempty"` // vCenters that are linked to them
	Password PasswordPolicy `json:"passwordPolicy"`
	Lockout  LockoutPolicy  `json:"lockoutPolicy"`
	Users    []ListedUser   `json:"users"`
}

// PasswordPolicy is what matters of it here.
type PasswordPolicy struct {
	LifetimeDays int `json:"lifetimeDays"` // 0 = passwords never expire
}

// LockoutPolicy says when failed logins lock an account, and for how long.
type LockoutPolicy struct {
	MaxFailedAttempts int `json:"maxFailedAttempts"`
	WithinSeconds     int `json:"withinSeconds"`
	UnlockSeconds     int `json:"unlockSeconds"` // 0 = until somebody unlocks it
}

// States of an account.
const (
	UserOK       = "ok"
	UserMissing  = "missing"
	UserDisabled = "disabled"
	UserLocked   = "locked"
	UserNotOurs  = "not ours" // an account of our name without our mark
	UserGroup    = "group"    // an adopted principal that is no account
)

// ListedUser is one account. SSO tells nobody how old a password is; the day on which this tool set it stands in the
// account's description. A password that somebody has reset since is younger than that and lives longer, never the other
// way round. An adopted account's password obeys the rules of its own directory.
type ListedUser struct {
	Component       string   `json:"component"`
	Cluster         string   `json:"cluster"`
	Principal       string   `json:"principal"`
	Adopted         bool     `json:"adopted"` // it belongs to somebody else
	States          []string `json:"states"`
	PasswordSet     *string  `json:"passwordSet"`     // 2006-01-02, UTC; null = not recorded
	PasswordAgeDays *int     `json:"passwordAgeDays"` // by that record
	DaysLeft        *int     `json:"daysLeft"`        // by that record and the policy; not more than 0 = expired
	DaysLeftAtMost  *int     `json:"daysLeftAtMost"`  // null = no end, or not known
	StoredFor       []string `json:"storedFor"`       // vCenters whose section of the credentials file has its password
	NotStoredFor    []string `json:"notStoredFor"`
}

// Results are how reading the vCenters went.
func (l *UserList) Results() Results {
	all := make(Results, len(l.VCenters))
	for i, v := range l.VCenters {
		all[i] = v.Result
	}
	return all
}

// userPart is what one vCenter says of its SSO domain.
type userPart struct {
	lockout sso.Lockout
	users   []ListedUser
}

// Users lists the accounts of the specification's cluster; with everybody, or without a cluster, all that carry our mark,
// of whatever cluster. Ages are as of now. Needs a credentials file, which may be empty.
func (j *Job) Users(ctx context.Context, everybody bool, now time.Time) *UserList {
	l := &UserList{Report: newReport(KindUsers), VCenters: make([]UserVCenter, len(j.targets)), Domains: []UserDomain{}}
	parts := make([]userPart, len(j.targets))
	j.inspect(ctx, func(i int) *Result { return &l.VCenters[i].Result }, func(ctx context.Context, t *target, i int) error {
		return j.readUsers(ctx, t, everybody || j.Spec.Cluster == "", now, &parts[i])
	})
	index := map[string]int{}
	for i, t := range j.targets {
		if t.err != nil {
			continue
		}
		l.VCenters[i].Domain = t.sso.Domain
		n, known := index[t.domainKey]
		if !known {
			n = len(l.Domains)
			index[t.domainKey] = n
			p := parts[i].lockout
			l.Domains = append(l.Domains, UserDomain{
				Domain: t.sso.Domain, Others: t.others, Users: parts[i].users,
				Password: PasswordPolicy{t.sso.Policy.LifetimeDays},
				Lockout:  LockoutPolicy{p.MaxFailed, int(p.Within.Seconds()), int(p.UnlockAfter.Seconds())},
			})
		}
		l.Domains[n].VCenters = append(l.Domains[n].VCenters, t.spec.Server)
	}
	for i := range l.Domains {
		d := &l.Domains[i]
		for k := range d.Users {
			j.stands(d, &d.Users[k])
		}
	}
	l.Findings = j.estate(j.asked).findings()
	return l
}

// readUsers asks for the accounts: by name those of the specification, through the whole domain those with our mark.
func (j *Job) readUsers(ctx context.Context, t *target, everybody bool, now time.Time, out *userPart) error {
	if err := j.readDomain(ctx, t); err != nil {
		return err
	}
	var wg crash.Group
	errs := make([]error, 3)
	wg.Go(func() { out.lockout, errs[0] = t.directory.Lockout(ctx) })
	var marked []sso.User
	wg.Go(func() { marked, errs[1] = t.directory.AllMarked(ctx) })
	var named []ListedUser
	wg.Go(func() { named, errs[2] = j.namedUsers(ctx, t, now) })
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	out.users = named
	for _, u := range marked {
		cluster, c, _ := sso.ParseMark(u.Description)
		known := slices.ContainsFunc(named, func(l ListedUser) bool {
			return t.sso.Same(l.Principal) == t.sso.Same(u.Name+"@"+t.sso.Domain)
		})
		if !known && (everybody || cluster == j.Spec.Cluster) {
			out.users = append(out.users, t.listed(ListedUser{Component: string(c), Cluster: cluster, Principal: u.Name + "@" + t.sso.Domain}, &u, false, now))
		}
	}
	return nil
}

// namedUsers are those of the specification's components, adopted ones too.
func (j *Job) namedUsers(ctx context.Context, t *target, now time.Time) ([]ListedUser, error) {
	users := []ListedUser{}
	for _, c := range j.Spec.ComponentNames() {
		base := ListedUser{Component: string(c), Cluster: j.Spec.Cluster, Principal: j.principal(t.snapshot, c), Adopted: !j.owns(c)}
		switch {
		case base.Adopted:
			u, err := j.adoptedUser(ctx, t, base, now)
			if err != nil {
				return nil, err
			}
			users = append(users, u)
		case j.Spec.Cluster != "":
			u, exists := t.sso.Own(j.Spec.Account(c).Name)
			if !exists {
				users = append(users, t.listed(base, nil, false, now))
				continue
			}
			users = append(users, t.listed(base, &u, u.Description != sso.Mark(j.Spec.Cluster, c), now))
		}
	}
	return users, nil
}

// adoptedUser is a principal that belongs to somebody else: an account, or a group.
func (j *Job) adoptedUser(ctx context.Context, t *target, base ListedUser, now time.Time) (ListedUser, error) {
	group := j.Spec.Account(component.Name(base.Component)).Group
	if group == nil || !*group {
		u, err := t.directory.Person(ctx, base.Principal)
		if err != nil || u != nil {
			return t.listed(base, u, false, now), err
		}
	}
	id, err := t.directory.Resolve(ctx, base.Principal, group != nil && *group)
	base = t.listed(base, nil, false, now)
	switch {
	case err != nil || id == nil:
	case id.Group:
		base.States = []string{UserGroup}
	default:
		base.States = []string{UserOK} // a service's own account: SSO tells nothing more of it
	}
	return base, err
}

// listed fills in what SSO says of an account; nil when it has none.
func (s *snapshot) listed(l ListedUser, u *sso.User, foreign bool, now time.Time) ListedUser {
	l.StoredFor, l.NotStoredFor, l.States = []string{}, []string{}, []string{}
	if u == nil {
		l.States = append(l.States, UserMissing)
		return l
	}
	if foreign {
		l.States = append(l.States, UserNotOurs)
	}
	if u.Disabled {
		l.States = append(l.States, UserDisabled)
	}
	if u.Locked {
		l.States = append(l.States, UserLocked)
	}
	if len(l.States) == 0 {
		l.States = append(l.States, UserOK)
	}
	if !u.PasswordSet.IsZero() {
		day, age := u.PasswordSet.Format(time.DateOnly), int(now.UTC().Sub(u.PasswordSet).Hours()/24)
		l.PasswordSet, l.PasswordAgeDays = &day, &age
	}
	life := s.sso.Policy.LifetimeDays
	if life > 0 && strings.HasSuffix(s.sso.Same(l.Principal), "@"+strings.ToLower(s.sso.Domain)) {
		l.DaysLeftAtMost = &life
		if l.PasswordAgeDays != nil {
			l.DaysLeft = new(life - *l.PasswordAgeDays)
		}
	}
	return l
}

// stands looks for the account's password in the credentials file, in the section of every vCenter of the domain.
func (q *asked) stands(d *UserDomain, u *ListedUser) {
	for _, server := range d.VCenters {
		stored := false
		for _, c := range strings.Split(u.Component, ",") {
			if a, ok := q.Credentials.Get(server, component.Name(c)); ok && strings.EqualFold(a.User, u.Principal) && !a.Password.Empty() {
				stored = true
			}
		}
		if stored {
			u.StoredFor = append(u.StoredFor, server)
		} else {
			u.NotStoredFor = append(u.NotStoredFor, server)
		}
	}
}
