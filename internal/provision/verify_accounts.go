package provision

import (
	"context"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
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

// stored are the accounts that can be tried before anything is read of the vCenter, each user once: those whose name in
// the credentials file is the one that the specification gives.
func (j *Job) stored(s *site) map[string]*login {
	found := map[string]*login{}
	for _, c := range j.o.Spec.ComponentNames() {
		a, ok := j.supplied(s, c)
		key := strings.ToLower(a.User)
		if ok && j.o.Spec.Account(c).MayBe(a.User) && found[key] == nil {
			found[key] = &login{user: a.User, password: a.Password}
		}
	}
	return found
}

// supplied is the account of a component in the credentials file, or one of somebody else's that was given for this run.
func (j *Job) supplied(s *site, c component.Name) (credfile.Account, bool) {
	a, ok := j.o.Credentials.Get(s.spec.Server, c)
	if (!ok || a.Password.Empty()) && !j.owns(c) && j.o.Accounts != nil {
		a, ok = j.o.Accounts(s.spec.Server, c)
	}
	return a, ok && !a.Password.Empty()
}

// try logs in and keeps the session.
func (l *login) try(ctx context.Context, c vcenter.Config) {
	session, _, err := enter(ctx, c, l.user, l.password)
	l.session, l.result = session, loginResult(err)
}
