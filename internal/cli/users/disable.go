package users

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// DisableOptions are the flags of `users disable` and `users enable`.
type DisableOptions struct {
	job.Options
	Disabled bool // which of the two
}

func newCmdDisable(f *command.Factory, runF func(*DisableOptions) error) *cobra.Command {
	o := &DisableOptions{Options: job.Options{Factory: f, Purpose: job.Purpose{Only: plan.User}}, Disabled: true}
	cmd := o.command(&cobra.Command{
		Use:   "disable",
		Short: "Disable accounts, such as the installer's after the installation",
		Long: command.Text(`
			Disables accounts that this tool created, those of --components: nobody can log in with one until 'users
			enable'. Its permissions and password are kept. The state file beside the provisioning file (-f) records it;
			without a file, the lines to add are printed. Linked vCenters share an account: name all of them.

			An account that other components use is refused. --secrets proves that no secret holds it, --applied asserts it;
			on a terminal, so does the answer.`),
		Example: command.Examples(`
			oc get secrets,infrastructures -A -o yaml | ocp-vsphere-admin users disable --components installer -f provisioning.yaml --secrets -
			ocp-vsphere-admin users disable --components installer -f provisioning.yaml --applied`),
	}, runF)
	o.Used.RegisterInUse(cmd, "")
	return cmd
}

func newCmdEnable(f *command.Factory, runF func(*DisableOptions) error) *cobra.Command {
	o := &DisableOptions{Options: job.Options{Factory: f, Purpose: job.Purpose{Only: plan.User}}}
	return o.command(&cobra.Command{
		Use:   "enable",
		Short: "Enable disabled accounts",
		Long: command.Text(`
			Enables accounts that this tool created, those of --components, and records it in the state file beside the
			provisioning file (-f). The password is unchanged; if it has expired, set a new one with rotate.`),
		Example: command.Examples(`
			ocp-vsphere-admin users enable --components installer -f provisioning.yaml`),
	}, runF)
}

func (o *DisableOptions) command(cmd *cobra.Command, runF func(*DisableOptions) error) *cobra.Command {
	cmd.Args = command.NoWords
	cmd.RunE = command.Action(o, runF, disableRun, func(cmd *cobra.Command, _ []string) error {
		if len(o.Connection.Source.Components) == 0 {
			return hint.Errorf("add --components with one or more of: "+strings.Join(component.Words(component.Names()), ", "), "%s: --components is required", command.Spoken(cmd))
		}
		return nil
	})
	o.RegisterChange(cmd)
	o.Connection.Source.NamesOnly = true
	o.RegisterCluster(cmd)
	return cmd
}

func disableRun(ctx context.Context, o *DisableOptions) error {
	w, err := o.Begin(ctx, job.Params{})
	if err != nil {
		return err
	}
	state := o.state(w.Wanted)
	err = o.refuse(w.Wanted)
	if err == nil { // the file would be refused for the same reason
		err = state.Look()
	}
	if err != nil {
		w.Finish()
		return err
	}
	c := job.Change{
		Command: "users enable", Subject: "enabling these accounts", Question: "enable these accounts?",
		Plan: func(ctx context.Context) *plan.Plan { return w.Job.PlanDisabled(ctx, o.Disabled) },
		Do: func(ctx context.Context, p *plan.Plan) error {
			w.Job.SetDisabled(ctx, p)
			return nil
		},
		State: state,
		Proof: func(p *plan.Plan) {
			if made, _ := p.Made(); o.Output == term.FormatTable && o.Disabled && made > 0 {
				o.Infof("open sessions continue until they end; new logins are refused")
			}
		},
	}
	if o.Disabled {
		c.Command, c.Subject, c.Question = "users disable", "disabling these accounts", "nobody will be able to log in with these accounts: continue?"
	}
	return w.Change(ctx, c)
}

// refuse refuses accounts that also belong to others.
func (o *DisableOptions) refuse(wanted *spec.Spec) error {
	var errs []error
	for _, c := range wanted.ComponentNames() {
		if err := wanted.CheckDisabled(c); o.Disabled && err != nil {
			errs = append(errs, fmt.Errorf("the account of %s cannot be disabled: %w", c, err))
		}
	}
	return errors.Join(errs...)
}

// enables is users enable with a provisioning file: the one that [command.Factory.RecordsDisabled]
// made, or one without a known name.
func (o *DisableOptions) enables(wanted *spec.Spec) string {
	inv := o.Connection.Source.OfFile(o.Said).Without("vcenters", "cluster")
	if made, file := o.Files(wanted.Cluster, o.Said); made == "" && file != "" {
		inv = inv.With("file", file)
	}
	return o.CommandLine("users enable", inv)
}

func (o *DisableOptions) state(wanted *spec.Spec) *job.State {
	components, source := wanted.ComponentNames(), o.Connection.Source
	s := o.State(func(s *spec.Spec) *spec.Spec { return s.Disable(components, o.Disabled) })
	if s.Why == "" && len(source.VCenters) > 0 {
		s.Why = spec.StatePath(source.File) + " was not changed, because it covers all vCenters"
	}
	var fields []string
	for _, c := range components {
		fields = append(fields, "components."+string(c)+".disabled: true")
	}
	what := strings.Join(fields, ", ")
	records := ""
	if source.File == "" && source.NamesCluster() {
		records = o.RecordsDisabled(wanted.Cluster, o.Said, component.Words(components)...)
	}
	s.Tell = func(done bool) {
		switch {
		case o.Output != term.FormatTable:
		case records != "" && o.Disabled:
			o.Command("to record this in a provisioning file, for all later commands (-f):", records)
		case source.File == "" && !o.Disabled:
			o.Command("if a provisioning file says that these accounts are disabled, "+
				"apply disables them again; to change that:", o.enables(wanted))
		case s.Why != "" && !o.Disabled:
			o.Todof("%s; remove %s from the file, or apply disables these accounts again", s.Why, what)
		case s.Paste(wanted.Whole(), "; to keep these accounts disabled, set this in the provisioning file:"):
		case !s.Changes && o.Disabled:
			o.Infof("the specification already has %s", what)
		case !s.Changes:
			o.Infof("the specification does not have %s", what)
		case !done && o.Disabled:
			o.Infof("%s would have %s", s.Path, what)
		case !done:
			o.Infof("%s would no longer have %s", s.Path, what)
		case o.Disabled:
			o.Infof("%s has %s: plan, apply and verify follow it", s.Path, what)
		default:
			o.Infof("%s no longer has %s", s.Path, what)
		}
	}
	return s
}
