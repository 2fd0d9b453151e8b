package provision

import (
	"context"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// login is one login with an account of the credentials file.
type attempt struct {
	user     string
	password secret.Secret
	session  *vcenter.Session
	result   string
	err      error // why nothing is known of it: the vCenter did not answer
}

// stored are the accounts that can be tried before anything is read of the vCenter, each user once: those whose name in
// the credentials file is the one that the specification gives.
func (j *Job) stored(server string) []*attempt {
	var all []*attempt
	supplied := j.supplied(server)
	for _, c := range j.Spec.ComponentNames() {
		if a, ok := supplied[c]; ok && !j.Spec.Disabled(c) && j.target(server).Request.Spec.Account(c).MayBe(a.User) && find(all, a.User) == nil {
			all = append(all, &attempt{user: a.User, password: a.Password})
		}
	}
	return all
}

// find is the login of a user; nil if there is none.
func find(all []*attempt, user string) *attempt {
	for _, l := range all {
		if strings.EqualFold(l.user, user) {
			return l
		}
	}
	return nil
}

// supplied are the accounts of components in the credentials file, and those of others' that were given for this run.
func (j *Job) supplied(server string) map[component.Name]credfile.Account {
	of := j.target(server)
	all := map[component.Name]credfile.Account{}
	for _, c := range j.Spec.ComponentNames() {
		a, ok := j.Given.Works(of.Request.Spec, j.Credentials, server, c)
		if (!ok || a.Password.Empty()) && !of.Owns(c) && j.o.Accounts != nil {
			a, ok = j.o.Accounts(server, c)
		}
		if ok && !a.Password.Empty() {
			all[c] = a
		}
	}
	return all
}

// try logs in and keeps the session.
func (l *attempt) try(ctx context.Context, c vcenter.Config) {
	session, _, err := login.Enter(ctx, c, l.user, l.password)
	l.session, l.result = session, login.Outcome(err)
	if vcenter.Unanswered(err) {
		l.err = err
	}
}
