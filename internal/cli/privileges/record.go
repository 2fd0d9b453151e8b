package privileges

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/usage"
)

func newCmdRecord(f *command.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "record",
		Short: "Compare what the accounts used with what they hold",
		Long: command.Text(`
			A vCenter 8.0 or later records which privilege was looked for on which object when an account worked. 'start'
			notes where the record ends, 'show' lists for each account what it used, what it never used, and what was looked
			for and not held.

			A check is recorded the first time that it is made. So the record says most of an account that is new: rotate,
			note the mark, let the cluster work for as long as the record is to hold, upgrades and new machines included, and
			look then. The login needs Sessions.CollectPrivilegeChecks on the root folder, which the role Admin has.`),
	}
	cmd.AddCommand(newCmdRecordStart(f, nil), newCmdRecordShow(f, nil))
	return cmd
}

// RecordStartOptions are the flags of `privileges record start`.
type RecordStartOptions struct {
	job.Options
	Overwrite command.OverwriteFlag
	Out       string
}

func newCmdRecordStart(f *command.Factory, runF func(*RecordStartOptions) error) *cobra.Command {
	o := &RecordStartOptions{Options: job.ReadOnly(f, plan.Role)}
	cmd := &cobra.Command{
		Use:   "start",
		Short: "Note where the records of vCenters end",
		Long: command.Text(`
			Notes the newest privilege check of each vCenter in a file, for 'privileges record show --since'. Nothing is
			switched on: a vCenter always records. Exit code 3 if some vCenters could not be read.`),
		Example: command.Examples(`
			ocp-vsphere-admin privileges record start -f provisioning.yaml --out marks.json`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, recordStartRun, func(*cobra.Command, []string) error {
			if o.Out == "" {
				return hint.Errorf("add --out FILE", "--out is required: 'privileges record show --since' reads it")
			}
			return o.Overwrite.Check("out", o.Out)
		}),
	}
	o.RegisterReadOnly(cmd)
	o.Overwrite.Register(cmd)
	command.FileFlag(cmd, &o.Out, "out", "write the marks to this file", "json")
	return cmd
}

func recordStartRun(ctx context.Context, o *RecordStartOptions) error {
	w, err := o.Begin(ctx, job.Params{})
	if err != nil {
		return err
	}
	defer w.Finish()
	m := w.Job.Marks(ctx)
	w.Finish()
	unread := o.ReportUnread(m.Results())
	if unread != nil && !m.Results().Partial() {
		return unread
	}
	data, err := term.JSON(m)
	if err != nil {
		return err
	}
	if err := o.Overwrite.Public("out", o.Out, data); err != nil {
		return err
	}
	if err := o.Records(m, func() *term.Table {
		t := term.NewTable("vcenter", "marker")
		for _, v := range m.VCenters {
			if v.Error == "" {
				t.Row(v.Server, command.Some(v.Marker))
			}
		}
		job.UnreadRows(t, m.Results())
		return t
	}); err != nil {
		return err
	}
	w.Next(w.CommandLine("privileges record show", w.Invocation, "--since", o.Out))
	return unread
}

// RecordShowOptions are the flags of `privileges record show`.
type RecordShowOptions struct {
	job.Options
	Overwrite command.OverwriteFlag
	Since     string
	MatrixOut string
}

func newCmdRecordShow(f *command.Factory, runF func(*RecordShowOptions) error) *cobra.Command {
	o := &RecordShowOptions{Options: job.Options{Factory: f, Purpose: job.Purpose{Only: plan.Permission}}}
	cmd := &cobra.Command{
		Use:   "show",
		Short: "List what each account used, never used, and did not hold",
		Long: command.Text(`
			Reads all that the vCenters recorded of the accounts, and compares it with their permissions. A record does not
			say whether a privilege was held: that is computed from the permissions as they are now. With --since it says
			whether the record reaches back to the marks of 'privileges record start'.

			Never used is not unneeded. --matrix-out writes a matrix with the rows that were used, as a draft for one of your
			own: compare it with 'privileges diff', and see what the components could not do with it before you apply it.`),
		Example: command.Examples(`
			ocp-vsphere-admin privileges record show -f provisioning.yaml
			ocp-vsphere-admin privileges record show -f provisioning.yaml --since marks.json --matrix-out used.yaml
			ocp-vsphere-admin privileges diff default ./used.yaml`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, recordShowRun, func(*cobra.Command, []string) error {
			return o.Overwrite.Check("matrix-out", o.MatrixOut)
		}),
	}
	o.Register(cmd)
	o.Overwrite.Register(cmd)
	command.FileFlag(cmd, &o.Since, "since", "the marks that 'privileges record start' wrote", "json")
	command.FileFlag(cmd, &o.MatrixOut, "matrix-out", "write a matrix of what was used to this file",
		"yaml", "yml")
	return cmd
}

func recordShowRun(ctx context.Context, o *RecordShowOptions) error {
	marks, err := o.marks()
	if err != nil {
		return err
	}
	w, err := o.Begin(ctx, job.Params{Looking: true})
	if err != nil {
		return err
	}
	defer w.Finish()
	u := w.Job.Usage(ctx, marks)
	w.Finish()
	if err := o.Records(u, func() *term.Table { return usageTable(u) }); err != nil {
		return err
	}
	if err := o.ReportUnread(u.Results()); err != nil {
		if o.MatrixOut != "" {
			o.Todof("%s was not written: it would lack what was used on the vCenters that were not read", o.MatrixOut)
		}
		return err
	}
	if n := u.Gone(); n > 0 {
		o.Infof("note: %s on objects that are gone count for each permission that propagates and has the privilege", term.Count(n, "check"))
	}
	o.Infof("note: %s", u.Period())
	o.Infof("note: %s", u.Caution)
	if o.MatrixOut == "" {
		return nil
	}
	m, err := u.Matrix(w.Job.Request.Matrix)
	if err != nil {
		return err
	}
	text, err := m.Export(privileges.FormatMatrix, privileges.ExportOptions{Whole: true})
	if err != nil {
		return err
	}
	if err := o.Overwrite.Public("matrix-out", o.MatrixOut, []byte(text)); err != nil {
		return err
	}
	path := o.MatrixOut
	if !strings.ContainsAny(path, `/\`) { // a path has a / or an ending
		path = "./" + path
	}
	w.Next(w.CommandLine("privileges diff", nil, w.Job.Request.Matrix.Name, path))
	return nil
}

// marks reads the file of 'privileges record start'; nil = none is named.
func (o *RecordShowOptions) marks() (*usage.Marks, error) {
	if o.Since == "" {
		return nil, nil
	}
	name, data, err := o.ReadText(o.Since)
	if err != nil {
		return nil, command.BadFlag("since", "%w", err)
	}
	m := new(usage.Marks)
	if err := json.Unmarshal(data, m); err != nil ||
		m.Kind != usage.KindMarks || m.APIVersion != plan.APIVersion {
		return nil, hint.Wrap(command.BadFlag("since", "%s has no marks", name), "'privileges record start --out FILE' writes them")
	}
	return m, nil
}

// usageTable has a row for each permission of each account, and one for what was not held.
func usageTable(u *usage.Usage) *term.Table {
	t := term.NewTable("vcenter", "component", "object", "role", "used", "never used")
	for _, v := range u.VCenters {
		for _, a := range v.Accounts {
			components := strings.Join(a.Components, ",")
			if a.Checks == 0 {
				t.Row(v.Server, components, "-", "nothing is recorded of "+a.Principal, "-", "-")
				continue
			}
			for _, p := range a.Permissions {
				if len(p.Used)+len(p.Unused) > 0 {
					t.Row(v.Server, components, p.Object, p.Role,
						fmt.Sprintf("%d of %d", len(p.Used), len(p.Used)+len(p.Unused)), term.Lines(p.Unused))
				}
			}
			for _, n := range a.NotHeld {
				t.Row(v.Server, components, n.Object, "not held", n.Privilege)
			}
		}
	}
	job.UnreadRows(t, u.Results())
	return t
}
