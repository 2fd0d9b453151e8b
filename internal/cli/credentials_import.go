package cli

import (
	"context"
	"maps"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// CredentialsImportOptions are the words of `credentials import`.
type CredentialsImportOptions struct {
	*Factory
	File          credentialsFlag
	From          string // the word: any kind of file, - for stdin
	InstallConfig string // --install-config
	Secrets       string // --secrets
	VCenters      []string
	Components    []string
	Replace       bool
	DryRun        bool
}

func newCmdCredentialsImport(f *Factory, runF func(*CredentialsImportOptions) error) *cobra.Command {
	o := &CredentialsImportOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "import [FILE|-]",
		Short: "Take accounts into the credentials file, from an install-config, from secrets or from another such file",
		Long: text(`
			Reads accounts from an install-config.yaml (either form of componentCredentials, and user and password), from
			secrets as 'oc get secrets -o yaml' prints them, or from another credentials file, and merges them into the
			credentials file. What kind FILE or stdin is, is seen from its lines. An account that is there stays: another
			user name is an error, and so is another password for the same user, unless --replace allows it. Nothing is
			written then. Passwords are never shown.`),
		Example: examples(`
			ocp-vsphere-admin credentials import --install-config install-config.yaml --dry-run
			oc get secrets -n kube-system -o yaml | ocp-vsphere-admin credentials import -
			ocp-vsphere-admin credentials import --secrets dump.yaml --vcenters vcenter1.example.com --replace`),
		Args: atMostOne("file"),
		RunE: action(o, runF, credentialsImportRun, knownComponents(&o.Components), func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.From = args[0]
			}
			o.nearest(cmd.Flags())
			named := slices.DeleteFunc([]string{o.From, o.InstallConfig, o.Secrets}, func(s string) bool { return s == "" })
			if len(named) != 1 {
				return hint.Errorf("name one of FILE, - for stdin, --install-config FILE, --secrets FILE", "credentials import reads one source, got %d", len(named))
			}
			return nil
		}),
	}
	o.File.registerAlone(cmd)
	p := cmd.Flags()
	p.StringVar(&o.InstallConfig, "install-config", "", "install-config.yaml to take the accounts from (- for stdin)")
	p.StringVar(&o.Secrets, "secrets", "", "file of secrets to take the accounts from, as oc or kubectl prints them (- for stdin)")
	p.StringSliceVar(&o.VCenters, "vcenters", nil, "only the accounts of these vCenters")
	markSettings(cmd, "vcenters")
	registerComponents(cmd, &o.Components)
	p.BoolVar(&o.Replace, "replace", false, "let a user of the credentials file have the password of the source")
	markCommandLineOnly(cmd, "replace")
	p.BoolVar(&o.DryRun, "dry-run", false, "show what would be done, write nothing")
	_ = cmd.MarkFlagFilename("install-config", "yaml", "yml")
	_ = cmd.MarkFlagFilename("secrets", "yaml", "yml", "json")
	return cmd
}

// nearest keeps the source that is named nearest; a word is nearer than any setting.
func (o *CredentialsImportOptions) nearest(flags *pflag.FlagSet) {
	config, secrets := levelOf(flags, "install-config"), levelOf(flags, "secrets")
	word := ofDefault
	if o.From != "" {
		word = ofCommandLine
	}
	if config < max(word, secrets) {
		o.InstallConfig = ""
	}
	if secrets < max(word, config) {
		o.Secrets = ""
	}
}

func credentialsImportRun(_ context.Context, o *CredentialsImportOptions) error {
	path, kind := o.From, ""
	switch {
	case o.InstallConfig != "":
		path, kind = o.InstallConfig, kindConfig
	case o.Secrets != "":
		path, kind = o.Secrets, kindSecrets
	}
	accounts, kind, err := o.readAccounts(path, kind)
	if err != nil {
		return err
	}
	if accounts, err = narrowAccounts(accounts, o.VCenters, o.Components); err != nil {
		return err
	}
	if accountCount(accounts) == 0 {
		return hint.Errorf("an account has a user and a password, both not empty", "%s (%s): holds no account to import", path, kind)
	}
	if err := o.takeIn(o.File, origins{path, kind}, accounts, o.Replace, o.DryRun, true); err != nil {
		return err
	}
	if !o.DryRun {
		o.next(o.command("credentials validate", o.said, "--login"))
	}
	return nil
}

// narrowAccounts keeps those of the named vCenters and components; none named keeps all.
func narrowAccounts(all openshift.Accounts, servers, components []string) (openshift.Accounts, error) {
	named, err := narrowServers(slices.Sorted(maps.Keys(all)), servers)
	if err != nil {
		return nil, err
	}
	out := openshift.Accounts{}
	for _, server := range named {
		out[server] = maps.Clone(all[server])
		maps.DeleteFunc(out[server], func(c component.Name, _ credfile.Account) bool {
			return len(components) > 0 && !slices.Contains(components, string(c))
		})
	}
	return out, nil
}
