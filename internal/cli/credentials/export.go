package credentials

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/advice"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sealed"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// ExportOptions are the flags of `credentials export`.
type ExportOptions struct {
	*command.Factory
	File       command.CredentialsFlag
	Source     command.SourceFlags // the servers; none = all sections of the credentials file
	Components []string            // empty = those of the spec, else all
	Recipients command.RecipientFlags
	Out        string // --out; empty = stdout
	Over       command.OverwriteFlag
}

func newCmdExport(f *command.Factory, runF func(*ExportOptions) error) *cobra.Command {
	o := &ExportOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Encrypt accounts of the credentials file for recipients",
		Long: command.Text(`
			Writes accounts of the credentials file as an armoured age file, to stdout or to a new file with mode 0600. The
			decrypted content is a credentials file again: 'credentials import --identity KEY' imports it, and the installer
			can read it. The passwords are never written to disk unencrypted. Each recipient can decrypt the file alone; this
			tool cannot.

			Recipients are public keys: age keys (age1..., as age-keygen prints them) or SSH keys (ssh-ed25519, ssh-rsa).`),
		Example: command.Examples(`
			ocp-vsphere-admin credentials export --recipients-file installer.pub --out handover.age
			ocp-vsphere-admin credentials export --recipient age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p > handover.age
			ocp-vsphere-admin credentials export -f provisioning.yaml --recipients-file team.txt --recipients-file installer.pub
			ocp-vsphere-admin credentials export --vcenters vcenter1.example.com --components csi-driver --recipients-file team.txt`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, exportRun, command.KnownComponents(&o.Components), func(cmd *cobra.Command, _ []string) error {
			if !o.Recipients.Given() {
				return hint.Errorf("--recipient KEY, or --recipients-file FILE", "credentials export requires a recipient")
			}
			return o.CheckOutput(cmd, "the accounts are printed as an encrypted file")
		}),
	}
	o.File.Register(cmd)
	o.Source.RegisterServers(cmd)
	command.RegisterComponents(cmd, &o.Components)
	o.Recipients.Register(cmd, "encrypt")
	command.FileFlag(cmd, &o.Out, "out",
		"write the encrypted file here, with mode 0600, instead of stdout", "age")
	command.MarkCommandLineOnly(cmd, "out")
	o.Over.Register(cmd)
	return cmd
}

func exportRun(ctx context.Context, o *ExportOptions) error {
	if err := o.Over.Check("out", o.Out); err != nil {
		return err
	}
	to, err := o.Recipients.Resolve(o.Factory)
	if err != nil {
		return err
	}
	accounts, err := o.accounts(ctx)
	if err != nil {
		return err
	}
	plain, err := credfile.Compose(accounts)
	if err != nil {
		return err
	}
	encrypted, err := sealed.Seal(plain, to)
	if err != nil {
		return err
	}
	name := "FILE"
	if o.Out == "" {
		_, err = o.Factory.Out.Write(encrypted)
	} else {
		name, err = o.Out, o.Over.Private("out", o.Out, encrypted)
	}
	if err != nil {
		return err
	}
	o.Infof("%s of %s, encrypted to %s", term.Count(accounts.Count(), "account"),
		term.Count(len(accounts), "vCenter"), term.Count(len(to), "recipient"))
	o.Todof("the recipient imports it with the private key:")
	o.Due(o.CommandLine("credentials import", nil, "--identity", "KEY", name))
	return nil
}

// accounts are the requested accounts, of vCenters that have any.
func (o *ExportOptions) accounts(ctx context.Context) (accounts openshift.Accounts, err error) {
	of, err := o.Source.ResolveCluster(ctx, o.Factory)
	if err != nil {
		return nil, err
	}
	file, path, err := o.OpenCredentials(o.File, of)
	if err != nil {
		return nil, err
	}
	o.Misread(file)
	a := advice.Of(o.Factory, &o.Source, of)
	if err := a.OverGiven(file, command.NamedComponents(o.Components, file)); err != nil {
		return nil, err
	}
	accounts = openshift.FromFile(file, file.Servers())
	if of == nil {
		accounts, err = narrow(accounts, o.Source.VCenters, o.Components)
	} else {
		accounts, err = o.ofSpec(of, file, accounts)
	}
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(accounts, func(_ string, own map[component.Name]credfile.Account) bool {
		return len(own) == 0
	})
	if err := file.CheckFilled(accounts); err != nil {
		return nil, err
	}
	if len(accounts) == 0 {
		what := "has none of these accounts"
		if command.Missing(path) {
			what = "does not exist"
		}
		return nil, hint.Wrap(fmt.Errorf("credentials file %s %s", path, what), a.IfNone(path)...)
	}
	return accounts, nil
}

// ofSpec keeps a specification's accounts and warns of missing ones, which another file may have.
func (o *ExportOptions) ofSpec(s *spec.Spec, file *credfile.File, all openshift.Accounts) (openshift.Accounts, error) {
	components := s.ComponentNames()
	if len(o.Components) > 0 {
		components = command.NamedComponents(o.Components, file)
	}
	lack := file.Lacking(command.Servers(s), components)
	for _, server := range command.Servers(s) {
		if len(lack[server]) > 0 {
			o.Warnf("%s: %s has no account for %s, so neither has the export", server, file.Path(),
				strings.Join(component.Words(lack[server]), ", "))
		}
	}
	maps.DeleteFunc(all, func(server string, _ map[component.Name]credfile.Account) bool {
		return !slices.Contains(command.Servers(s), server)
	})
	return narrow(all, nil, component.Words(components))
}
