package job

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// ReadOnly are the options of a command that lists or compares things of a kind and changes nothing. The name of a vCenter
// is enough for it.
func ReadOnly(f *command.Factory, kind plan.Kind) Options {
	return Options{Factory: f, Purpose: Purpose{Only: kind, ReadOnly: true}}
}

// RegisterReadOnly adds its flags.
func (o *Options) RegisterReadOnly(cmd *cobra.Command) {
	o.Register(cmd)
	if o.Only != plan.Role {
		o.RegisterCluster(cmd)
	}
}

// Wants reports whether --components, where it is given, names a component.
func (o *Options) Wants(component string) bool {
	only := o.Connection.Source.Components
	return len(only) == 0 || slices.Contains(only, component)
}

// ReportUnread says what could not be known, and turns vCenters that could not be read into an error: 3 where others could.
func (o *Options) ReportUnread(results inspect.Results) error {
	if o.Output == term.FormatTable {
		var notes []string
		at := map[string][]string{}
		for _, r := range results {
			for _, n := range r.Notes {
				notes, at[n] = lists.AppendNew(notes, n), append(at[n], r.Server)
			}
		}
		for _, n := range notes { // each once, however many vCenters it is about
			o.Infof("%s: %s", lists.Few(at[n]), n)
		}
	}
	return command.Partly(results.Partial(), results.Err())
}

// UnreadRows puts a line into a table for each vCenter that could not be read.
func UnreadRows(t *term.Table, results inspect.Results, columns int) {
	for _, r := range results {
		if r.Error == "" {
			continue
		}
		row := make([]any, columns)
		for i := range row {
			row[i] = ""
		}
		row[0], row[1] = r.Server, "not read, see below"
		t.Row(row...)
	}
}

// CheckPrincipals refuses principals without a domain: which one a vCenter takes depends on its settings, and it was seen to
// answer wrongly (openshift/installer#6596).
func CheckPrincipals(flag string, principals ...string) error {
	for _, p := range principals {
		if p != "" && !strings.ContainsAny(p, `@\`) {
			return hint.Wrap(command.BadFlag(flag, "%s has no domain", p), "write "+p+`@vsphere.local or CORP\`+p)
		}
	}
	return nil
}

// CheckPaths refuses paths that do not begin at the root folder.
func CheckPaths(flag string, paths []string) error {
	for _, p := range paths {
		if !strings.HasPrefix(p, "/") {
			return hint.Wrap(command.BadFlag(flag, "%s is not an inventory path", p), "use a path such as /DC1/host/Cluster1; / is the root folder")
		}
	}
	return nil
}

// CompleteNothing keeps the shell from offering files for values that only a vCenter knows.
func CompleteNothing(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		command.CompleteValues(cmd, name, nil)
	}
}

// Days are those of a column, or what stands there where they are not known.
func Days(n *int, otherwise string) string {
	if n == nil {
		return otherwise
	}
	return fmt.Sprint(*n)
}
