package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sealed"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// CredentialsExportOptions are the flags of `credentials export`.
type CredentialsExportOptions struct {
	*Factory
	File       credentialsFlag
	Source     sourceFlags // the servers; none = all sections of the credentials file
	Components []string    // empty = those of the spec, else all
	Recipients recipientFlags
	Out        string // --out; empty = stdout
	Over       overwriteFlag
}

func newCmdCredentialsExport(f *Factory, runF func(*CredentialsExportOptions) error) *cobra.Command {
	o := &CredentialsExportOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Encrypt accounts of the credentials file for recipients",
		Long: text(`
			Writes accounts of the credentials file as an armoured age file, to stdout or to a new file with mode 0600. The
			decrypted content is a credentials file again: 'credentials import --identity KEY' imports it, and the installer
			can read it. The passwords are never written to disk unencrypted. Each recipient can decrypt the file alone; this
			tool cannot.

			Recipients are public keys: age keys (age1..., as age-keygen prints them) or SSH keys (ssh-ed25519, ssh-rsa).`),
		Example: examples(`
			ocp-vsphere-admin credentials export --recipients-file installer.pub --out handover.age
			ocp-vsphere-admin credentials export --recipient age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p > handover.age
			ocp-vsphere-admin credentials export -f provisioning.yaml --recipients-file team.txt --recipients-file installer.pub
			ocp-vsphere-admin credentials export --vcenters vcenter1.example.com --components csi-driver --recipients-file team.txt`),
		Args: noWords,
		RunE: action(o, runF, credentialsExportRun, knownComponents(&o.Components), func(cmd *cobra.Command, _ []string) error {
			if !o.Recipients.given() {
				return hint.Errorf("--recipient KEY, or --recipients-file FILE", "credentials export requires a recipient")
			}
			return o.checkOutput(cmd, "the accounts are printed as an encrypted file")
		}),
	}
	o.File.Register(cmd)
	o.Source.registerServers(cmd)
	registerComponents(cmd, &o.Components)
	o.Recipients.Register(cmd, "encrypt")
	cmd.Flags().StringVar(&o.Out, "out", "", "write the encrypted file here, with mode 0600, instead of stdout")
	markCommandLineOnly(cmd, "out")
	o.Over.Register(cmd)
	_ = cmd.MarkFlagFilename("out", "age")
	return cmd
}

func credentialsExportRun(_ context.Context, o *CredentialsExportOptions) error {
	if err := o.Over.check("out", o.Out); err != nil {
		return err
	}
	to, err := o.Recipients.Resolve(o.Factory)
	if err != nil {
		return err
	}
	accounts, err := o.accounts()
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
		name, err = o.Out, o.Over.private("out", o.Out, encrypted)
	}
	if err != nil {
		return err
	}
	o.Infof("%s of %s, encrypted to %s", term.Count(accountCount(accounts), "account"), term.Count(len(accounts), "vCenter"), term.Count(len(to), "recipient"))
	o.Infof("the recipient imports it with the private key:")
	o.next(o.command("credentials import", nil, "--identity", "KEY", name))
	return nil
}

// accounts are those that were asked for, of the vCenters that have any.
func (o *CredentialsExportOptions) accounts() (accounts openshift.Accounts, err error) {
	var of *spec.Spec
	if o.Source.File != "" || o.Source.InstallConfig != "" {
		if of, err = o.Source.Resolve(o.In); err != nil {
			return nil, err
		}
	}
	file, path, err := o.openCredentials(o.File, of)
	if err != nil {
		return nil, err
	}
	o.misread(file)
	accounts = openshift.FromFile(file, file.Servers())
	if of == nil {
		accounts, err = narrowAccounts(accounts, o.Source.VCenters, o.Components)
	} else {
		accounts, err = o.ofSpec(of, file, accounts)
	}
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(accounts, func(_ string, own map[component.Name]credfile.Account) bool { return len(own) == 0 })
	if len(accounts) == 0 {
		what := "has none of these accounts"
		if missing(path) {
			what = "does not exist"
		}
		return nil, hint.Wrap(fmt.Errorf("credentials file %s %s", path, what), o.ifNone(path, &o.Source, of)...)
	}
	return accounts, nil
}

// ofSpec keeps the accounts of a specification, and warns of those that the file lacks: somebody else may have them.
func (o *CredentialsExportOptions) ofSpec(s *spec.Spec, file *credfile.File, all openshift.Accounts) (openshift.Accounts, error) {
	components := s.ComponentNames()
	if len(o.Components) > 0 {
		components = askedFor(o.Components, file)
	}
	lack := lacking(file, servers(s), components)
	for _, server := range servers(s) {
		if len(lack[server]) > 0 {
			o.Warnf("%s: %s has no account for %s, so neither has the export", server, file.Path(), strings.Join(component.Words(lack[server]), ", "))
		}
	}
	maps.DeleteFunc(all, func(server string, _ map[component.Name]credfile.Account) bool {
		return !slices.Contains(servers(s), server)
	})
	return narrowAccounts(all, nil, component.Words(components))
}
