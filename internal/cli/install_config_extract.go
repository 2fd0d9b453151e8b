package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// InstallConfigExtractOptions are the words of `install-config extract`.
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
		Short: "Take the accounts of an install-config.yaml into the credentials file",
		Long: text(`
			Merges the accounts of the install-config into the credentials file, as 'credentials import' does: an account
			that is there stays, another user name is an error. With --strip, the install-config without componentCredentials
			is written as well, after the credentials file is safely on disk; user and password of a vCenter stay in it.`),
		Example: examples(`
			ocp-vsphere-admin install-config extract install-config.yaml
			ocp-vsphere-admin install-config extract install-config.yaml --strip --in-place
			ocp-vsphere-admin install-config extract install-config.yaml --dry-run -o json`),
		Args: oneFile,
		RunE: action(o, runF, installConfigExtractRun, func(cmd *cobra.Command, args []string) error {
			o.Config = args[0]
			switch {
			case !o.Strip && (o.Output.Out != "" || o.Output.InPlace):
				return hint.Errorf("add --strip", "--out and --in-place say where the install-config without accounts goes")
			case o.Strip && o.DryRun:
				return hint.Errorf("leave one out", "--strip and --dry-run exclude each other")
			case o.Strip && o.Output == (configOutput{}) && o.Factory.Output != term.FormatTable && !isSettled(cmd.Flags(), "output"):
				return hint.Errorf("name a file with --out", "--output: stdout is taken by the install-config")
			}
			if err := o.Output.check(o.Config); err != nil {
				return err
			}
			return nil
		}),
	}
	o.File.registerAlone(cmd)
	p := cmd.Flags()
	p.BoolVar(&o.Replace, "replace", false, "let a user of the credentials file have the password of the install-config")
	p.BoolVar(&o.DryRun, "dry-run", false, "show what would be done, write nothing")
	p.BoolVar(&o.Strip, "strip", false, "also write the install-config without the accounts of components")
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
		return hint.Errorf("an account has a user and a password, both not empty", "%s: holds no account", config.Name())
	}
	toStdout := o.Strip && o.Output == (configOutput{}) // which then holds the install-config and nothing else
	if err := o.takeIn(o.File, origins{o.Config, kindConfig}, accounts, o.Replace, o.DryRun, !toStdout); err != nil {
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
