package secrets

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
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
	files, err := e.files()
	if err != nil {
		return err
	}
	chosen := func(c component.Name) bool {
		return !slices.Contains(o.Switch, string(c)) && (len(o.Components) == 0 || slices.Contains(o.Components, string(c)))
	}
	all := func(string) bool { return true }
	var errs []error
	var nexts, components []string
	for _, server := range command.Servers(e.asked) {
		for _, h := range e.cluster.Holding(cluster.Meant{Servers: []string{server}, User: all}) {
			for _, k := range files.Know(server, h.Account) {
				if k.Phase == cluster.Later && chosen(k.Component) {
					errs = append(errs, fmt.Errorf("%s: %s is older than %s, which replaced %s and is in %s", server, e.file.Path(), h.User, k.Now.User, h.At))
					nexts, components = lists.AppendNew(nexts, h.User), lists.AppendNew(components, string(k.Component))
				}
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

// files are those that say whose an account is.
func (e *emission) files() (cluster.Files, error) {
	journal, err := e.file.Journal()
	return cluster.Files{Spec: e.asked, File: e.file, Journal: journal}, err
}
