package installconfig

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// ExtractOptions are the flags of `install-config extract`.
type ExtractOptions struct {
	*command.Factory
	Config  string // the word; - for stdin
	File    command.CredentialsFlag
	Replace bool
	DryRun  bool
	Strip   bool
	Output  output
}

func newCmdExtract(f *command.Factory, runF func(*ExtractOptions) error) *cobra.Command {
	o := &ExtractOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "extract FILE|-",
		Short: "Move accounts from an install-config.yaml to the credentials file",
		Long: command.Text(`
			Merges the accounts of the install-config into the credentials file, as 'credentials import' does: existing
			accounts are kept, and a different user name is an error. With --strip it also writes the install-config without
			componentCredentials, after the credentials file is saved; user and password of each vCenter stay in it.`),
		Example: command.Examples(`
			ocp-vsphere-admin install-config extract install-config.yaml
			ocp-vsphere-admin install-config extract install-config.yaml --strip --in-place
			ocp-vsphere-admin install-config extract install-config.yaml --dry-run -o json`),
		Args: command.OneFile,
		RunE: command.Action(o, runF, extractRun, func(cmd *cobra.Command, args []string) error {
			o.Config = args[0]
			switch {
			case !o.Strip && (o.Output.Out != "" || o.Output.InPlace):
				return hint.Errorf("add --strip",
					"--out and --in-place require --strip: they write the install-config without accounts")
			case o.Strip && o.DryRun:
				return hint.Errorf("omit one of them", "--strip and --dry-run exclude each other")
			case o.Strip && o.Output.none() && o.Factory.Output != term.FormatTable &&
				!command.FromSettings(cmd.Flags(), "output"):
				return hint.Errorf("set --out", "--output: the install-config is written to stdout")
			}
			return o.Output.check(o.Config)
		}),
	}
	o.File.RegisterAlone(cmd)
	p := cmd.Flags()
	p.BoolVar(&o.Replace, "replace", false,
		"overwrite the password of a user in the credentials file with that of the install-config")
	p.BoolVar(&o.DryRun, "dry-run", false, "show what would be written, and write nothing")
	p.BoolVar(&o.Strip, "strip", false, "also write the install-config without component accounts")
	o.Output.register(cmd, "the install-config of --strip")
	command.MarkCommandLineOnly(cmd, "replace", "strip")
	return cmd
}

func extractRun(ctx context.Context, o *ExtractOptions) error {
	config, err := o.ReadInstallConfig(o.Config)
	if err != nil {
		return err
	}
	o.WarnRefusals(config)
	var stripped []byte
	if o.Strip { // what cannot be stripped is said before anything is written
		var warnings []string
		if stripped, warnings, err = config.Strip(); err != nil {
			return err
		}
		o.Warn(warnings...)
	}
	accounts := config.Accounts()
	if accounts.Count() == 0 {
		return hint.Errorf("an account needs both a user and a password", "%s: holds no account", config.Name())
	}
	if err := config.CheckFilled(accounts); err != nil {
		return err
	}
	path, _, err := o.CredentialsPath(o.File, nil)
	if err != nil {
		return err
	}
	m := command.Merge{
		To: path, From: o.Config, Kind: command.KindInstallConfig, Accounts: accounts,
		Leave: credfile.Leave{Passwords: o.Replace}, DryRun: o.DryRun,
		Quiet: o.Strip && o.Output.none(), // stdout has the install-config and nothing else
	}
	if o.Strip && o.Output.none() {
		if err := o.SurePrints(ctx, "--out FILE"); err != nil {
			return err
		}
	}
	if err := o.Merge(m); err != nil {
		return err
	}
	if !o.Strip {
		return nil
	}
	if users := config.Named(); users != nil {
		at := cmp.Or(o.Output.Out, command.FilePlaceholder)
		if o.Output.InPlace {
			at = o.Config
		}
		o.Warnf("only this install-config names %s: plan, verify and destroy do not find them by the one that is written", strings.Join(users, ", "))
		o.Hint("before these commands, put them into a copy of it, and name the copy with --install-config: " + o.Renders(o.Said.With("install-config", at), true))
	}
	for _, own := range accounts {
		if _, main := own["installer"]; main {
			o.Warnf("user and password of the vCenters stay in the install-config: keep it private")
			break
		}
	}
	return write(o.Factory, o.Output, o.Config, stripped)
}
