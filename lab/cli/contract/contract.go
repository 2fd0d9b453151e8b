// Package contract is the command that checks the rules of the simulation against a vCenter.
package contract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/contract"
)

// Options are the flags of `contract`.
type Options struct {
	*command.Factory
	Connection command.Connection
	Scratch    string // --scratch, inventory path of a VM folder; "" = nothing is written
	Clean      string // --clean, id of a run
	Out        string // --out
	Over       command.OverwriteFlag
}

// View is the report as it is printed and as serve --like reads it.
type View struct {
	command.Header
	VCenters []*contract.Report `json:"vcenters"`
}

// NewCmd is the command.
func NewCmd(f *command.Factory, runF func(*Options) error) *cobra.Command {
	o := &Options{Factory: f}
	cmd := &cobra.Command{
		Use:   "contract",
		Short: "Check the rules of the simulation against your own vCenter",
		Long: command.Text(`
			The simulation behaves like a vCenter only as far as its rules are right. This command checks the rules on your
			vCenters: each one holds, differs (with the actual answer), or is not tried (with the reason). Exit code 2 if any
			rule differs.

			It only reads, unless --scratch names a VM folder. Then it creates folders below that one, roles, and SSO accounts
			and groups, all named ocp-contract-ID-..., and removes them at the end, also after Ctrl-C. If a run was killed,
			--clean ID removes what it left. It never touches system roles or anything outside that folder, and never tries
			wrong passwords or lockouts.

			The report contains no names, addresses, ids or passwords, so you can read it and send it to the project.
			'vcenter-lab serve --like REPORT' simulates a vCenter like yours.`),
		Example: command.Examples(`
			vcenter-lab contract --vcenters vcenter1.example.com
			vcenter-lab contract --vcenters vcenter1.example.com --scratch /DC1/vm/scratch --out report.json
			vcenter-lab contract --vcenters vcenter1.example.com --clean abcdefgh23`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, run, func(*cobra.Command, []string) error {
			if o.Clean == "" {
				return nil
			}
			if err := contract.CheckID(o.Clean); err != nil {
				return command.BadFlag("clean", "%w", err)
			}
			return nil
		}),
	}
	o.Connection.Source.RegisterReached(cmd)
	o.Connection.Admin.Register(cmd)
	o.Connection.TLS.Register(cmd)
	p := cmd.Flags()
	p.StringVar(&o.Scratch, "scratch", "", "VM folder to write below, such as /DC1/vm/scratch: checks the rules that need writing")
	p.StringVar(&o.Clean, "clean", "", "remove what the run with this id left, and check nothing")
	p.StringVar(&o.Out, "out", "", "write the report to this file too, as JSON")
	_ = cmd.MarkFlagFilename("out", "json")
	o.Over.Register(cmd)
	cmd.MarkFlagsMutuallyExclusive("scratch", "clean")
	cmd.MarkFlagsMutuallyExclusive("out", "clean")
	return cmd
}

func run(ctx context.Context, o *Options) error {
	if err := o.Over.Check("out", o.Out); err != nil {
		return err
	}
	wanted, admin, tls, err := o.Connection.Resolve(ctx, o.Factory)
	if err != nil {
		return err
	}
	for _, alone := range []struct{ flag, value string }{{"scratch", o.Scratch}, {"clean", o.Clean}} {
		if len(wanted.VCenters) > 1 && alone.value != "" { // linked ones would share its accounts
			return hint.Wrap(command.BadFlag(alone.flag, "one vCenter at a time"), "name it with --vcenters")
		}
	}
	options := contract.Options{ID: contract.NewID(), Scratch: o.Scratch}
	if o.Clean != "" {
		options.ID = o.Clean
	}
	if o.Scratch != "" {
		if err := o.agreeToWrite(ctx, options.ID); err != nil {
			return err
		}
	}
	to := o.Reach(wanted, o.Connection.Source.ConnectTo, tls)
	if err := o.AskLogins(ctx, admin, wanted, to); err != nil {
		return err
	}
	logins := &vcenter.Run{}
	connect := func(ctx context.Context, v spec.VCenter, login func(context.Context, *vcenter.Session) error) (*vcenter.Session, error) {
		c := to(v)
		c.Run = logins
		s, err := vcenter.Connect(ctx, c)
		if err != nil {
			return nil, err
		}
		if err := login(ctx, s); err != nil {
			s.Close(ctx)
			return nil, err
		}
		return s, nil
	}
	view := View{Header: command.NewHeader("Contract")}
	var errs []error
	for i, v := range wanted.VCenters {
		session, err := connect(ctx, v, admin.Enter)
		switch {
		case err != nil:
			errs = append(errs, err)
			view.VCenters = append(view.VCenters, contract.Unread(err))
		case o.Clean != "":
			errs = append(errs, o.clean(ctx, session, options))
		default:
			each := options
			each.Login = func(ctx context.Context, user string, password secret.Secret) (*vcenter.Session, error) {
				return connect(ctx, v, func(ctx context.Context, s *vcenter.Session) error { return s.Login(ctx, user, password) })
			}
			report, err := o.try(ctx, session, each)
			if ctx.Err() != nil {
				return err
			}
			errs = append(errs, err)
			view.VCenters = append(view.VCenters, report)
		}
		if n := len(view.VCenters); n > 0 {
			view.VCenters[n-1].VCenter = fmt.Sprintf("vcenter-%d", i+1)
		}
	}
	if o.Clean != "" {
		return errors.Join(errs...)
	}
	return o.reported(view, errs)
}

// agreeToWrite says what is going to be made, asks, and tells how to remove it whatever happens.
func (o *Options) agreeToWrite(ctx context.Context, id string) error {
	o.Infof("run %s creates folders below %s, and roles, accounts and groups in the SSO domain, all named %s...; it removes them at the end", id, o.Scratch, contract.Prefix(id))
	if !o.Yes {
		switch ok, err := o.Confirm(ctx, "continue?"); {
		case errors.Is(err, term.ErrNoInput):
			return hint.Errorf("--yes confirms", "--scratch needs confirmation: %w", err)
		case err != nil:
			return err
		case !ok:
			return errors.New("not confirmed; nothing was done")
		}
	}
	o.Infof("if the run is killed: %s", o.CommandLine("contract", o.Said, "--clean", id))
	return nil
}

// try runs the rules on one vCenter. The report is there whatever the error.
func (o *Options) try(ctx context.Context, s *vcenter.Session, options contract.Options) (*contract.Report, error) {
	defer s.Close(context.WithoutCancel(ctx))
	progress := o.Progress([]string{s.Server})
	defer progress.Close()
	options.Tell = func(f contract.Result) { progress.Set(s.Server, f.Rule+" "+f.Case) }
	report, err := contract.Run(ctx, s, options)
	left := report.CleanErr()
	if err != nil && len(report.Rules) == 0 {
		report = contract.Unread(err)
	}
	switch {
	case ctx.Err() != nil && left == nil && options.Scratch != "":
		o.Infof("%s: everything that the run created is removed", s.Server)
		err = ctx.Err()
	case ctx.Err() != nil && left == nil:
		err = ctx.Err()
	case left != nil:
		err = errors.Join(err, hint.Wrap(left, "remove it: "+o.CommandLine("contract", o.Said, "--clean", options.ID)))
	}
	return report, err
}

func (o *Options) clean(ctx context.Context, s *vcenter.Session, options contract.Options) error {
	defer s.Close(context.WithoutCancel(ctx))
	done, err := contract.Clean(ctx, s, options)
	if o.Output != term.FormatTable {
		return errors.Join(err, o.Print(o.Output, cleanedView{Header: command.NewHeader("ContractCleaned"), Removed: done}, nil))
	}
	o.Infof("%s: removed %s, %s, %s and %s of run %s", s.Server, term.Count(done.Folders, "folder"), term.Count(done.Roles, "role"),
		term.Count(done.Accounts, "account"), term.Count(done.Groups, "group"), options.ID)
	return err
}

// cleanedView is what contract --clean prints for programs.
type cleanedView struct {
	command.Header
	Removed contract.Cleaned `json:"removed"`
}

// reported prints and saves the report, and gives the exit code.
func (o *Options) reported(view View, errs []error) error {
	if o.Out != "" {
		data, err := json.MarshalIndent(view, "", "  ")
		if err != nil {
			return command.BadFlag("out", "%w", err)
		}
		if err := o.Over.Private("out", o.Out, append(data, '\n')); err != nil {
			return err
		}
	}
	// It is for somebody else, and names nothing; errors do.
	if err := errors.Join(o.Print(o.Output, view, func(w io.Writer) error { return view.table(o.OutColors(), o.Width())(w) }),
		o.Flush()); err != nil {
		return err
	}
	if o.Out != "" {
		o.Infof("the report is in %s: read it before you send it", o.Out)
	}
	failed, differ := 0, 0
	for _, r := range view.VCenters {
		differ += r.Count(contract.Differs)
		if r.Error != "" {
			failed++
		}
	}
	switch err := errors.Join(errs...); {
	case err != nil && failed > 0 && failed < len(view.VCenters):
		return &command.ExitError{Code: command.ExitPartly, Err: err}
	case err != nil:
		return err
	case differ > 0:
		return command.Exit(command.ExitDifferent)
	}
	return nil
}
