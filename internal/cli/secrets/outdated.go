package secrets

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// outdated is the error of a credentials file that is older than the cluster's secrets: they hold a later generation of an account than
// the file has, and than its journal, which knows one that was gone back from. --switch allows it for a component.
func (o *EmitOptions) outdated(e *emission) error {
	if e.asked == nil {
		return nil // nobody says how the accounts are called
	}
	journal, err := e.file.Journal()
	if err != nil {
		return err
	}
	var errs []error
	var nexts, components []string
	for _, server := range command.Servers(e.asked) {
		for _, c := range component.Names() {
			stored, ok := e.file.Get(server, c)
			account := e.asked.Whole().Account(c)
			now := account.Generation(stored.User)
			if !ok || !account.Ours() || now == 0 || slices.Contains(o.Switch, string(c)) || len(o.Components) > 0 && !slices.Contains(o.Components, string(c)) {
				continue
			}
			_, domain, _ := strings.Cut(stored.User, "@")
			later := func(user string) bool {
				_, its, _ := strings.Cut(user, "@")
				return account.Generation(user) > now && strings.EqualFold(its, domain) && !inJournal(journal, server, c, user)
			}
			for _, h := range e.cluster.Holding(cluster.Meant{Servers: []string{server}, User: later}) {
				errs = append(errs, fmt.Errorf("%s: %s is older than %s, which replaced %s and is in %s", server, e.file.Path(), h.User, stored.User, h.At))
				nexts, components = lists.AppendNew(nexts, h.User), lists.AppendNew(components, string(c))
			}
		}
	}
	if errs == nil {
		return nil
	}
	return hint.Wrap(errors.Join(errs...),
		"use the credentials file that has "+strings.Join(nexts, ", ")+": --credentials-file FILE",
		"or import the accounts that the cluster uses: "+openshift.FromCluster+o.Line("credentials import", o.Source.OfFile(o.Said), "--secrets", "-", "--replace", "--components", strings.Join(components, ",")))
}

// inJournal reports whether the journal of a credentials file has an account of a component.
func inJournal(journal *credfile.File, server string, c component.Name, user string) bool {
	return slices.ContainsFunc(credfile.Slots(c), func(slot component.Name) bool {
		other, there := journal.Get(server, slot)
		return there && strings.EqualFold(other.User, user)
	})
}
