package provision

import (
	"context"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// login is one login with an account of the credentials file.
type login struct {
	user     string
	password secret.Secret
	session  *vcenter.Session
	result   string
}

// stored are the accounts that the credentials file has for this vCenter, each user once.
func (j *Job) stored(s *site) map[string]*login {
	found := map[string]*login{}
	for _, c := range j.o.Spec.ComponentNames() {
		a, ok := j.o.Credentials.Get(s.spec.Server, string(c))
		key := strings.ToLower(a.User)
		if ok && !a.Password.Empty() && j.names(c, a.User) && found[key] == nil {
			found[key] = &login{user: a.User, password: a.Password}
		}
	}
	return found
}

// names tells whether a stored user is the account of a component, as far as can be told without asking the vCenter.
func (j *Job) names(c privileges.Component, user string) bool {
	if p := j.o.Spec.Components[string(c)].Principal; p != "" {
		return strings.EqualFold(p, user)
	}
	name, _, _ := strings.Cut(user, "@")
	return strings.EqualFold(name, j.o.Spec.AccountName(c))
}

// try logs in once, never twice: wrong passwords count towards the lock-out.
func (l *login) try(ctx context.Context, g *gate, c vcenter.Config) {
	session, err := vcenter.Connect(ctx, c)
	if err == nil {
		if err = g.pass(c.Server, l.user, l.password, func() error { return session.Login(ctx, l.user, l.password) }); err != nil {
			session.Close(ctx)
		}
	}
	if l.result = loginResult(err); err == nil {
		l.session = session
	}
}

// account is an account that is verified: all components that share it together.
type account struct {
	components []privileges.Component
	principal  string
	session    *vcenter.Session
	result     string
}

func (j *Job) accounts(s *site, logins map[string]*login) []*account {
	var all []*account
	for _, c := range j.o.Spec.ComponentNames() {
		principal := j.principal(s, c)
		if i := slices.IndexFunc(all, func(a *account) bool { return s.sso.Same(a.principal) == s.sso.Same(principal) }); i >= 0 {
			all[i].components = append(all[i].components, c)
			continue
		}
		a := &account{components: []privileges.Component{c}, principal: principal, result: LoginUnverified}
		if j.owns(c) {
			a.result = LoginUnknown
			if _, exists := s.sso.Users[strings.ToLower(j.o.Spec.AccountName(c))]; !exists {
				a.result = LoginAbsent
			}
		}
		for _, l := range logins {
			if s.sso.Same(l.user) == s.sso.Same(principal) {
				a.session, a.result = l.session, l.result
			}
		}
		all = append(all, a)
	}
	return all
}
