package secrets

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/held"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// todayOf is what a specification and a credentials file say of the cluster. Without a specification its vCenters are not known.
func todayOf(s *spec.Spec, file *credfile.File, list []held.Secret) held.Today {
	today := held.Today{Ours: generations(s)}
	if s != nil {
		today.Servers = command.Servers(s.Whole())
	}
	from := today.Servers
	for _, h := range list {
		from = append(from, h.Servers()...)
	}
	today.Accounts = s.Shared(openshift.FromFile(file, from))
	return today
}

// lostAccounts are the held secrets whose accounts are gone, and why: a prune or a destroy deletes an account, and what is held of it
// fails to log in. Only a specification tells. One that names the component says nothing where the credentials file at path has no
// account of the cluster at all: it is not the one that the secrets come from.
func lostAccounts(list []held.Secret, s *spec.Spec, accounts openshift.Accounts, unchecked map[component.Ref]error, path string) map[component.Ref]error {
	lost := map[component.Ref]error{}
	if s == nil {
		return lost
	}
	some := false
	for _, own := range accounts {
		some = some || len(own) > 0
	}
	for _, h := range list {
		why, named := unchecked[h.At()], s.Whole().Has(h.Component)
		switch {
		case !errors.Is(why, openshift.ErrNoAccount):
		case !named:
			lost[h.At()] = fmt.Errorf("%w in %s, and the specification does not name %s", why, path, h.Component)
		case some:
			lost[h.At()] = fmt.Errorf("%w in %s", why, path)
		}
	}
	return lost
}

// generations tells which users are generations of the accounts of a cluster; nil where no specification says it.
func generations(s *spec.Spec) func(component.Name, string) bool {
	if s == nil {
		return nil
	}
	return func(c component.Name, user string) bool {
		a := s.Whole().Account(c)
		return a.Ours() && a.Generation(user) > 0 || !a.Ours() && strings.EqualFold(a.Principal, user)
	}
}
