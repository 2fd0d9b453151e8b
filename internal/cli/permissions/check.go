package permissions

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// CheckOptions are the flags of `permissions check`.
type CheckOptions struct {
	job.Options
	Topology   command.TopologyFlags
	Query      inspect.CheckQuery
	Component  string // --components
	Scope      string // --scope
	Privileges bool   // --privileges
}

func newCmdCheck(f *command.Factory, runF func(*CheckOptions) error) *cobra.Command {
	o := &CheckOptions{Options: job.ReadOnly(f, plan.Permission)}
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Explain what a user or group may do on an object, and why",
		Long: command.Text(`
			Prints every permission from an object up to the root folder that applies to a principal, also by its groups,
			and why each one counts or not. A user's permission overrides those of groups on the same object; the nearest
			object with a permission decides. vCenter itself is asked too, and its answer is what holds.

			With --components the privileges are compared with what the matrix gives the component on that object. Exit code
			2 if any are missing or in excess.`),
		Example: command.Examples(`
			ocp-vsphere-admin permissions check --vcenters vcenter1.example.com --principal 'CORP\alice' --object /DC1/vm/legacy
			ocp-vsphere-admin permissions check -f provisioning.yaml --components csi-driver --object /DC1/datastore/ds1`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, checkRun, o.check),
	}
	o.RegisterReadOnly(cmd)
	o.Topology.Register(cmd)
	p := cmd.Flags()
	p.StringVar(&o.Query.Principal, "principal", "",
		`user or group: name@domain or DOMAIN\name (default: the account of --components)`)
	p.BoolVar(&o.Query.Group, "group", false, "the principal is a group, even if a user has the same name")
	p.StringArrayVar(&o.Query.Objects, "object", nil,
		"inventory path of the object; / is the root folder (repeatable)")
	p.StringVar(&o.Scope, "scope", "",
		"without failure domains: the scope of the object in the matrix (default: by its type)")
	p.BoolVar(&o.Privileges, "privileges", false, "list the privileges, and which permission gives each")
	job.RegisterCreatedFolders(cmd, &o.CreateFolders)
	command.CompleteValues(cmd, "scope", component.Words(privileges.Scopes()))
	job.CompleteNothing(cmd, "cluster")
	return cmd
}

func (o *CheckOptions) check(*cobra.Command, []string) error {
	// The component does not narrow the specification, whose accounts components may share.
	if only := o.Connection.Source.Components; len(only) == 1 {
		o.Component, o.Connection.Source.Components = only[0], nil
	}
	switch {
	case len(o.Connection.Source.Components) > 1:
		return command.BadFlag("components", "name one component to compare with")
	case len(o.Query.Objects) == 0:
		return hint.Errorf("add --object PATH, like /DC1/datastore/ds1; / is the root folder",
			"--object is required")
	case o.Query.Principal == "" && o.Component == "":
		return hint.Errorf(`add --principal NAME@DOMAIN, or --components with -f FILE`, "--principal is required")
	case o.Scope != "" && o.Component == "":
		return command.BadFlag("scope", "requires --components")
	case o.Query.Group && o.Query.Principal == "":
		return command.BadFlag("group", "requires --principal")
	}
	if err := command.AllOf("components", lists.Without([]string{o.Component}, []string{""}),
		component.Words(component.Names())); err != nil {
		return err
	}
	if err := command.AllOf("scope", lists.Without([]string{o.Scope}, []string{""}),
		component.Words(privileges.Scopes())); err != nil {
		return err
	}
	if err := job.CheckPrincipals("principal", o.Query.Principal); err != nil {
		return err
	}
	return job.CheckPaths("object", o.Query.Objects)
}

func checkRun(ctx context.Context, o *CheckOptions) error {
	query := o.Query
	query.Component, query.Scope, query.Topology = component.Name(o.Component), privileges.Scope(o.Scope), o.Topology.Assumed().Holds
	w, err := o.Begin(ctx, job.Params{})
	if err != nil {
		return err
	}
	defer w.Finish()
	if o.Component != "" {
		if err := command.OneOf(string(w.Wanted.Account(query.Component).Component),
			component.Words(w.Wanted.ComponentNames())); err != nil {
			return command.BadFlag("components", "not in the file: %w", err)
		}
	}
	if query.Principal == "" && w.Wanted.Account(query.Component).Ours() {
		if err := w.Wanted.CheckAccounts(); err != nil {
			return hint.Wrap(err, "set -f FILE, --cluster NAME or --principal NAME@DOMAIN to select the account")
		}
	}
	c := w.Job.Check(ctx, query)
	w.Finish()
	if err := o.Print(o.Output, c, func(w io.Writer) error { return o.checked(w, c) }); err != nil {
		return err
	}
	if err := o.ReportUnread(c.Results()); err != nil {
		return err
	}
	if c.Summary.Missing+c.Summary.Excess > 0 {
		return command.Exit(command.ExitDifferent)
	}
	return nil
}

// checked prints a paragraph per object: a sentence, the permissions, and the resulting privileges.
func (o *CheckOptions) checked(w io.Writer, c *inspect.PermissionCheck) error {
	first := true
	for _, v := range c.VCenters {
		for _, obj := range v.Objects {
			if !first {
				term.Fprintf(w, "\n")
			}
			first = false
			term.Fprintf(w, "%s: %s on %s: %s\n", v.Server, grantedTo(v.Principal, v.Group), obj.Path,
				rightsWords(v.Administrator, obj))
			if err := grantsTable(obj).RenderRecords(w, o.Width()); err != nil {
				return err
			}
			if o.Privileges {
				if err := throughTable(obj).RenderRecords(w, o.Width()); err != nil {
					return err
				}
			}
			if err := againstTable(obj).Render(w, o.Width()); err != nil {
				return err
			}
		}
	}
	return nil
}

// rightsWords is the answer in a sentence; administrator is the group that administers the vCenter,
// "" = none, whose permission a nearer one can displace.
func rightsWords(administrator string, obj inspect.CheckedObject) string {
	own := 0
	for _, p := range obj.Privileges {
		if !strings.HasPrefix(p.ID, "System.") {
			own++
		}
	}
	text, though := term.Count(own, "privilege"), ""
	if administrator != "" && !obj.Everything {
		administrator, though = "", ", although a member of "+administrator
	}
	switch {
	case administrator != "":
		text = "everything, as a member of " + administrator
	case len(obj.Privileges) == 0:
		text = "nothing"
	case own == 0:
		text = "read-only"
	}
	text += though
	switch obj.Answer {
	case inspect.AnswerAgreed:
		text += ", confirmed by vCenter"
	case inspect.AnswerExplained:
		text += ", as its permissions explain it: vCenter answers only for users"
	case inspect.AnswerDisagreed:
		text += " by vCenter's own answer, which the permissions below do not explain"
	}
	switch {
	case obj.Scope != "" && administrator != "":
		text += fmt.Sprintf("; %d missing for %s", len(obj.Missing), obj.Scope)
	case obj.Scope != "":
		text += fmt.Sprintf("; %d missing and %d excess for %s", len(obj.Missing), len(obj.Excess), obj.Scope)
	}
	return text
}

func grantsTable(obj inspect.CheckedObject) *term.Table {
	if len(obj.Grants) == 0 {
		return term.NewTable()
	}
	t := term.NewTable("counts", "permission on", "principal", "role", "propagates", "why")
	for _, g := range obj.Grants {
		t.Row(command.Yes(g.Counts), g.Object, grantedTo(g.Principal, g.Group), g.Role,
			command.Yes(g.Propagate), g.Why)
	}
	return t
}

// throughTable names each privilege and the roles that give it.
func throughTable(obj inspect.CheckedObject) *term.Table {
	t := term.NewTable()
	if len(obj.Privileges) > 0 {
		t = term.NewTable("privilege", "through")
	}
	for _, p := range obj.Privileges {
		var by []string
		for _, i := range p.Through {
			by = append(by, obj.Grants[i].Role+" on "+obj.Grants[i].Object)
		}
		if len(by) == 0 {
			by = []string{"none visible"}
		}
		t.Row(p.ID, term.Lines(by))
	}
	return t
}

// againstTable names the differences between matrix and vCenter.
func againstTable(obj inspect.CheckedObject) *term.Table {
	t := term.NewTable()
	add := func(what string, ids []string) {
		for _, id := range ids {
			t.Row(what, id)
		}
	}
	add("missing", obj.Missing)
	add("excess", obj.Excess)
	add("only vCenter's answer", obj.OnlyServer)
	add("only its permissions", obj.OnlyExplained)
	return t
}
