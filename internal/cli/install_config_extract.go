package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// InstallConfigExtractOptions are the flags of `install-config extract`.
type InstallConfigExtractOptions struct {
	*Factory
	Config  string // the word; - for stdin
	File    credentialsFlag
	Replace bool
	DryRun  bool
	Strip   bool
	Output  configOutput
}

func newCmdInstallConfigExtract(f *Factory, runF func(*InstallConfigExtractOptions) error) *cobra.Command {
	o := &InstallConfigExtractOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "extract FILE|-",
		Short: "Move accounts from an install-config.yaml to the credentials file",
		Long: text(`
			Merges the accounts of the install-config into the credentials file, as 'credentials import' does: existing
			accounts are kept, and a different user name is an error. With --strip it also writes the install-config without
			componentCredentials, after the credentials file is saved; user and password of each vCenter stay in it.`),
		Example: examples(`
			ocp-vsphere-admin install-config extract install-config.yaml
			ocp-vsphere-admin install-config extract install-config.yaml --strip --in-place
			ocp-vsphere-admin install-config extract install-config.yaml --dry-run -o json`),
		Args: oneFile,
		RunE: action(o, runF, installConfigExtractRun, func(cmd *cobra.Command, args []string) error {
			o.Config = args[0]
			switch {
			case !o.Strip && (o.Output.Out != "" || o.Output.InPlace):
				return hint.Errorf("add --strip", "--out and --in-place require --strip: they write the install-config without accounts")
			case o.Strip && o.DryRun:
				return hint.Errorf("omit one of them", "--strip and --dry-run exclude each other")
			case o.Strip && o.Output.none() && o.Factory.Output != term.FormatTable && !isSettled(cmd.Flags(), "output"):
				return hint.Errorf("set --out", "--output: the install-config is written to stdout")
			}
			if err := o.Output.check(o.Config); err != nil {
				return err
			}
			return nil
		}),
	}
	o.File.registerAlone(cmd)
	p := cmd.Flags()
	p.BoolVar(&o.Replace, "replace", false, "overwrite the password of a user in the credentials file with that of the install-config")
	p.BoolVar(&o.DryRun, "dry-run", false, "show what would be written, and write nothing")
	p.BoolVar(&o.Strip, "strip", false, "also write the install-config without component accounts")
	o.Output.register(cmd, "the install-config of --strip")
	markCommandLineOnly(cmd, "replace", "strip")
	return cmd
}

func installConfigExtractRun(_ context.Context, o *InstallConfigExtractOptions) error {
	config, err := o.readConfig(o.Config)
	if err != nil {
		return err
	}
	o.refusals(config)
	var stripped []byte
	if o.Strip { // what cannot be stripped is said before anything is written
		var warnings []string
		if stripped, warnings, err = config.Strip(); err != nil {
			return err
		}
		o.warn(warnings...)
	}
	accounts := config.Accounts()
	if accountCount(accounts) == 0 {
		return hint.Errorf("an account needs both a user and a password", "%s: holds no account", config.Name())
	}
	toStdout := o.Strip && o.Output.none() // which then holds the install-config and nothing else
	path, _, err := o.credentialsPath(o.File, nil)
	if err != nil {
		return err
	}
	if err := o.takeIn(path, origins{o.Config, kindConfig}, accounts, credfile.Leave{Passwords: o.Replace}, o.DryRun, !toStdout); err != nil {
		return err
	}
	if !o.Strip {
		return nil
	}
	for _, own := range accounts {
		if _, main := own["installer"]; main {
			o.Warnf("user and password of the vCenters stay in the install-config: keep it private")
			break
		}
	}
	return o.writeConfig(o.Output, o.Config, stripped)
}
