package users

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// DisableOptions are the flags of `users disable` and `users enable`.
type DisableOptions struct {
	job.Options
	Disabled bool // which of the two
	Secrets  command.UsedFlags
	DryRun   bool // --dry-run
}

func newCmdDisable(f *command.Factory, runF func(*DisableOptions) error) *cobra.Command {
	o := &DisableOptions{Options: job.Options{Factory: f, Purpose: job.Purpose{Only: plan.User}}, Disabled: true}
	cmd := o.command(&cobra.Command{
		Use:   "disable",
		Short: "Disable accounts, such as the installer's after the installation",
		Long: command.Text(`
			Disables accounts that this tool created, those of --components: nobody can log in with one until 'users enable'.
			Its permissions and password are kept, and open sessions continue until they end. In the provisioning file (-f)
			the command writes disabled: true below the component and changes nothing else; plan, apply and verify then keep
			the account disabled. Without a file, or with --vcenters, it prints the lines to add. Linked vCenters share an
			account: it is disabled on all of them, so name all of them.

			An account that other components use is refused: profiles component-scoped and passthrough share accounts, and a
			component that the specification does not name uses the installer's. A secret may also hold the account,
			kube-system/vsphere-creds in particular: --secrets checks this and refuses such an account. --applied asserts
			without proof that no secret does; on a terminal, so does the answer.`),
		Example: command.Examples(`
			oc get secrets,infrastructures -A -o yaml | ocp-vsphere-admin users disable --components installer -f provisioning.yaml --secrets -
			ocp-vsphere-admin users disable --components installer -f provisioning.yaml --applied`),
	}, runF)
	o.Secrets.RegisterInUse(cmd, "")
	return cmd
}

func newCmdEnable(f *command.Factory, runF func(*DisableOptions) error) *cobra.Command {
	o := &DisableOptions{Options: job.Options{Factory: f, Purpose: job.Purpose{Only: plan.User}}}
	return o.command(&cobra.Command{
		Use:   "enable",
		Short: "Enable disabled accounts",
		Long: command.Text(`
			Enables accounts that this tool created, those of --components, and removes disabled: true from the provisioning
			file (-f). The password is unchanged; if it has expired, set a new one with rotate.`),
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
	o.Register(cmd)
	o.Connection.Source.NamesOnly = true
	o.RegisterView(cmd)
	o.RegisterCluster(cmd)
	job.MarkChanges(cmd)
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "show what would be changed, and change nothing")
	return cmd
}

func disableRun(ctx context.Context, o *DisableOptions) error {
	used, err := o.Secrets.InUse(ctx, o.Factory)
	if err != nil {
		return err
	}
	w, err := o.Begin(ctx, job.Params{Volumes: used.Volumes})
	if err != nil {
		return err
	}
	file := o.record(w.Wanted)
	if err := errors.Join(o.refuse(w.Wanted), file.look()); err != nil {
		w.Finish()
		return err
	}
	c := job.Change{
		Command: "users enable", Subject: "enabling these accounts", Question: "enable these accounts?",
		Plan: func(ctx context.Context) *plan.Plan { return w.Job.PlanDisabled(ctx, o.Disabled) },
		Do: func(ctx context.Context, p *plan.Plan) ([]string, error) {
			w.Job.SetDisabled(ctx, p)
			return nil, nil
		},
		DryRun: o.DryRun, Used: used, Records: []job.Record{file},
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

// refuse looks whether an account is somebody else's, too.
func (o *DisableOptions) refuse(wanted *spec.Spec) error {
	var errs []error
	for _, c := range wanted.ComponentNames() {
		if err := wanted.CheckDisabled(c); o.Disabled && err != nil {
			errs = append(errs, fmt.Errorf("the account of %s cannot be disabled: %w", c, err))
		}
	}
	return errors.Join(errs...)
}

// disabledRecord is what the provisioning file says of the accounts.
type disabledRecord struct {
	*command.Factory
	path       string     // "" = there is no file to write
	why        string     // why there is none, or why it is not written
	wanted     *spec.Spec // of all components
	components []component.Name
	disabled   bool
	changes    bool // the file says something else so far
}

func (o *DisableOptions) record(wanted *spec.Spec) *disabledRecord {
	source := o.Connection.Source
	r := &disabledRecord{Factory: o.Factory, path: source.File, wanted: wanted.Whole(), components: wanted.ComponentNames(), disabled: o.Disabled}
	switch {
	case source.File == "", source.File == "-":
		r.path, r.why = "", "no provisioning file is given (-f)"
	case len(source.VCenters) > 0:
		r.path, r.why = "", source.File+" was not changed, because it covers all vCenters"
	}
	return r
}

// look finds out whether the file will change, and whether it can.
func (r *disabledRecord) look() error {
	if r.path == "" {
		return nil
	}
	before, after, err := r.edit()
	if errors.Is(err, spec.ErrNotEdited) {
		r.why, r.path = r.path+" has a form that cannot be edited automatically", ""
		return nil
	}
	r.changes = !slices.Equal(before, after)
	return err
}

func (r *disabledRecord) edit() (before, after []byte, err error) {
	if before, err = files.Read(r.path, files.Text); err != nil {
		return nil, nil, err
	}
	after, err = spec.SetDisabled(r.path, before, r.components, r.disabled)
	return before, after, err
}

// Pending implements [job.Record].
func (r *disabledRecord) Pending() string {
	if !r.changes {
		return ""
	}
	return r.path
}

// Write puts it into the file, whole or not at all, before any vCenter is changed: apply finishes what the file says. Where
// the path is a link, what it leads to is written.
func (r *disabledRecord) Write() error {
	if !r.changes {
		return nil
	}
	_, after, err := r.edit()
	if err != nil {
		return err
	}
	return hint.Wrap(command.Rewrite(r.path, after), "no account was changed")
}

// Tell says what the file says now, or has to say.
func (r *disabledRecord) Tell(done bool) {
	if r.Output != term.FormatTable {
		return
	}
	var fields []string
	for _, c := range r.components {
		fields = append(fields, "components."+string(c)+".disabled: true")
	}
	switch what := strings.Join(fields, ", "); {
	case r.path == "" && r.disabled:
		r.Infof("%s; to keep these accounts disabled, set this in the provisioning file:", r.why)
		for _, line := range r.wanted.Disable(r.components, true).ComponentLines() {
			term.Fprintf(r.Err, "%s\n", line)
		}
	case r.path == "":
		r.Infof("%s; remove %s from the file, or apply disables these accounts again", r.why, what)
	case !r.changes && r.disabled:
		r.Infof("%s already has %s", r.path, what)
	case !r.changes:
		r.Infof("%s does not have %s", r.path, what)
	case !done && r.disabled:
		r.Infof("%s would have %s", r.path, what)
	case !done:
		r.Infof("%s would no longer have %s", r.path, what)
	case r.disabled:
		r.Infof("%s has %s: plan, apply and verify follow it", r.path, what)
	default:
		r.Infof("%s no longer has %s", r.path, what)
	}
}
