package rotate

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// StatusOptions are the flags of `rotate status`.
type StatusOptions struct {
	job.Options
	Secrets  command.SecretsFlags
	ExitCode bool // --exit-code
}

func newCmdStatus(f *command.Factory, runF func(*StatusOptions) error) *cobra.Command {
	o := &StatusOptions{Options: job.Options{Factory: f, Purpose: job.Purpose{Only: plan.User, ReadOnly: true}}}
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show rotations: generations, ages, last use, and who uses them",
		Long: command.Text(`
			Lists the accounts that this tool created on each vCenter, in all generations: which one is in use, which one was
			replaced and waits for 'rotate finish', and which one is not in use yet. Shows the age of the password and the
			days left, and, if the administrator may see sessions, the number of open sessions and the last use. With
			--secrets it also says which secrets of the cluster hold the account.`),
		Example: command.Examples(`
			ocp-vsphere-admin rotate status -f provisioning.yaml
			oc get secrets,infrastructures -A -o yaml | ocp-vsphere-admin rotate status -f provisioning.yaml --secrets -
			ocp-vsphere-admin rotate status -f provisioning.yaml --exit-code   # 2 while a rotation is unfinished`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, statusRun),
	}
	o.Register(cmd)
	o.RegisterCluster(cmd)
	o.Secrets.Register(cmd, ": show which of them hold an account")
	cmd.Flags().BoolVar(&o.ExitCode, "exit-code", false, "exit with 2 if a rotation is unfinished, a password is lost, or a secret holds an account that does not exist")
	return cmd
}

func statusRun(ctx context.Context, o *StatusOptions) error {
	dump, err := o.Secrets.Read(ctx, o.Factory)
	if err != nil {
		return err
	}
	w, err := o.Begin(ctx, job.Params{})
	if err != nil {
		return err
	}
	defer w.Finish()
	var holders func(server, user string) []component.Ref
	if dump != nil {
		holders = dump.Holders
	}
	l := w.Job.RotationStatus(ctx, holders)
	another := dump.AnotherThan(w.Wanted) != ""
	if dump != nil && !another {
		l.Findings = append(w.Job.Gone(func(server string, meant func(string) bool) []cluster.Holding {
			return dump.Holding(cluster.Meant{Servers: []string{server}, User: meant})
		}), l.Findings...)
	}
	w.Finish()
	w.Advice().Fill(w.Credentials, l.Findings)
	l.Findings = dump.Foreign(w.Wanted, l.Findings)
	if err := o.RecordsBelow(l, l.Findings, func() *term.Table { return rotationTable(l, dump != nil) }); err != nil {
		return err
	}
	if err := o.ReportUnread(l.Results()); err != nil {
		return err
	}
	switch {
	case another, o.ExitCode && l.Open():
		return command.Exit(command.ExitDifferent)
	case len(l.Incomplete) > 0:
		return command.Exit(command.ExitPartly)
	}
	return nil
}

func rotationTable(l *inspect.RotationStatus, secrets bool) *term.Table {
	columns := []string{"vcenter", "component", "account", "stage", "state", "age", "days left", "sessions", "last use"}
	if secrets {
		columns = append(columns, "secrets")
	}
	t := term.NewTable(columns...)
	for _, v := range l.VCenters {
		for _, a := range v.Accounts {
			row := []any{
				v.Server, a.Component, a.Principal, a.Stage, strings.Join(a.States, ", "),
				job.Days(a.AgeDays, "unknown"), job.Days(a.DaysLeft, "-"), job.Days(a.Sessions, "unknown"), "-",
			}
			if a.LastUse != nil {
				row[8] = a.LastUse.Format("2006-01-02 15:04")
			}
			if secrets {
				holding := term.Lines(a.Secrets)
				if len(holding) == 0 {
					holding = term.Lines{"-"}
				}
				row = append(row, holding)
			}
			t.Row(row...)
		}
	}
	job.UnreadRows(t, l.Results())
	return t
}
