package credentials

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// ImportOptions are the flags of `credentials import`.
type ImportOptions struct {
	*command.Factory
	File          command.CredentialsFlag
	Of            command.SourceFlags // the cluster; --install-config only beside another source
	From          string              // the word: any kind of file, - for stdin
	InstallConfig string              // --install-config, where it is the source
	Secrets       string              // --secrets
	VCenters      []string
	Components    []string
	Identities    command.IdentityFlags
	Replace       bool
	DryRun        bool
	NoLogin       bool // --no-login
	ConnectTo     command.AddressFlag
	TLS           command.TLSFlags
}

func newCmdImport(f *command.Factory, runF func(*ImportOptions) error) *cobra.Command {
	o := &ImportOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "import [FILE|-]",
		Short: "Import accounts into the credentials file",
		Long: command.Text(`
			Reads accounts from an install-config.yaml, from secrets as 'oc get secrets -o yaml' prints them, or from
			another credentials file, and merges them into the credentials file. The format of FILE or stdin is detected. A
			different password for the same user is an error, unless --replace allows it, and so is a different user name,
			unless --replace and the cluster's file allow it. What is replaced is first saved beside the credentials file, in
			credentials` + credfile.FormerSuffix + `. Passwords are never shown.

			What --secrets adds or changes is first tested with a login of each account; --no-login imports it untested.

			--identity decrypts in memory what 'credentials export', 'secrets emit' and 'apply' encrypted.`),
		Example: command.Examples(`
			ocp-vsphere-admin credentials import --install-config install-config.yaml --dry-run
			oc get secrets -n kube-system -o yaml | ocp-vsphere-admin credentials import -
			ocp-vsphere-admin credentials import --identity key.txt handover.age`),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return hint.Errorf(command.SeeHelp(cmd), "%s takes one file, got %d", command.Spoken(cmd), len(args))
			}
			return nil
		},
		RunE: command.Action(o, runF, importRun, command.KnownComponents(&o.Components), func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				o.From = args[0]
			}
			o.nearest(cmd.Flags())
			named := slices.DeleteFunc([]string{o.From, o.InstallConfig, o.Secrets}, func(s string) bool { return s == "" })
			if len(named) == 2 && command.LevelOf(cmd.Flags(), "install-config") == command.OfCommandLine &&
				!o.Of.NamesCluster() {
				o.Of.InstallConfig, o.InstallConfig, named = o.InstallConfig, "", named[1:]
			}
			if len(named) != 1 {
				return hint.Errorf("give one of FILE, - for stdin, --install-config FILE, --secrets FILE",
					"credentials import reads one source, got %d", len(named))
			}
			if o.NoLogin && o.Secrets == "" {
				return command.BadFlag("no-login", "requires --secrets: accounts of other sources are not tested")
			}
			return nil
		}),
	}
	o.File.Register(cmd)
	p := cmd.Flags()
	command.RegisterFile(cmd, &o.Of.File,
		"provisioning file: with --replace, an account that it names takes the place of another one")
	command.RegisterInfrastructure(cmd, &o.Of.Infrastructure)
	command.FileFlag(cmd, &o.InstallConfig, "install-config",
		"install-config.yaml to import accounts from (- for stdin); beside another source, as -f",
		"yaml", "yml")
	cmd.MarkFlagsMutuallyExclusive("file", command.InfrastructureFlag)
	command.FileFlag(cmd, &o.Secrets, "secrets", "secrets to import accounts from, as oc or kubectl prints them (- for stdin)", "yaml", "yml", "json")
	p.StringSliceVar(&o.VCenters, "vcenters", nil, "only the accounts of these vCenters")
	command.MarkSettings(cmd, append(command.Sources(), "vcenters")...)
	command.RegisterComponents(cmd, &o.Components)
	o.Identities.Register(cmd)
	p.BoolVar(&o.Replace, "replace", false,
		"overwrite the password of a user in the credentials file with that of the source")
	p.BoolVar(&o.NoLogin, "no-login", false, "with --secrets: do not test the accounts with a login")
	command.MarkCommandLineOnly(cmd, "replace", "no-login")
	o.ConnectTo.Register(cmd)
	o.TLS.Register(cmd)
	p.BoolVar(&o.DryRun, "dry-run", false, "show what would be written, and write nothing")
	return cmd
}

// nearest keeps the nearest source; an argument is nearer than a setting.
func (o *ImportOptions) nearest(flags *pflag.FlagSet) {
	config, secrets := command.LevelOf(flags, "install-config"), command.LevelOf(flags, "secrets")
	word := command.OfDefault
	if o.From != "" {
		word = command.OfCommandLine
	}
	if config < max(word, secrets) {
		o.InstallConfig = ""
	}
	if secrets < max(word, config) {
		o.Secrets = ""
	}
}

func importRun(ctx context.Context, o *ImportOptions) error {
	path, kind := o.From, ""
	switch {
	case o.InstallConfig != "":
		path, kind = o.InstallConfig, command.KindInstallConfig
	case o.Secrets != "":
		path, kind = o.Secrets, command.KindSecrets
	}
	from, err := readAccounts(ctx, o.Factory, path, kind, &o.Identities)
	if err != nil {
		return err
	}
	accounts, err := narrow(from.accounts, o.VCenters, o.Components)
	if err != nil {
		return err
	}
	if asked := slices.Concat(o.Components, o.VCenters); accounts.Count() == 0 && from.accounts.Count() > 0 {
		return fmt.Errorf("%s (%s): no account of %s", path, from.kind, strings.Join(asked, ", "))
	}
	if accounts.Count() == 0 {
		return hint.Errorf("an account needs both a user and a password", "%s (%s): no account to import",
			path, from.kind)
	}
	if err := from.filled(accounts); err != nil {
		return err
	}
	of, err := o.Of.ResolveCluster(ctx, o.Factory)
	if err != nil {
		return err
	}
	if of != nil {
		if users, clusters := of.Whole().OfOthers(accounts); users != nil {
			return hint.Errorf("import them with the provisioning file of their cluster, or without -f into a file of their own: --credentials-file FILE",
				"%s has accounts of cluster %s, and %s is about %s: %s; nothing was written", path, strings.Join(clusters, ", "),
				cmp.Or(o.Of.File, o.Of.InstallConfig, o.Of.Infrastructure), of.Cluster, strings.Join(users, ", "))
		}
	}
	leave := credfile.Leave{Passwords: o.Replace}
	if o.Replace && of != nil {
		leave.Accounts = func(c component.Name, user string) bool { return of.Account(c).MayBe(user) }
	}
	to, _, err := o.CredentialsPath(o.File, of)
	if err != nil {
		return err
	}
	if o.Secrets != "" && !o.DryRun {
		if err := o.try(ctx, to, of, accounts); err != nil {
			return err
		}
	}
	if err := o.Merge(command.Merge{To: to, From: path, Kind: from.kind, Accounts: accounts, Leave: leave, DryRun: o.DryRun}); err != nil {
		return err
	}
	if !o.DryRun {
		said := o.Said
		if o.InstallConfig != "" { // its accounts are in the file now
			said = said.Without("install-config")
		}
		o.Next(o.CommandLine("credentials validate", said, "--login"))
	}
	return nil
}

// try logs in with new accounts, but disabled ones; of may be nil. An error forbids to import any.
func (o *ImportOptions) try(ctx context.Context, path string, of *spec.Spec, accounts openshift.Accounts) error {
	file, err := credfile.Open(path)
	if err != nil {
		return err
	}
	others := openshift.Accounts{}
	reach := command.AsWritten(nil)
	for _, server := range slices.Sorted(maps.Keys(accounts)) {
		others[server] = maps.Clone(accounts[server])
		maps.DeleteFunc(others[server], func(c component.Name, a credfile.Account) bool {
			has, ok := file.Get(server, c)
			return ok && has.Same(a) || of != nil && of.Disabled(c)
		})
		vc := command.AsWritten([]string{server}).VCenters[0]
		if of != nil {
			if i := slices.Index(command.Servers(of), server); i >= 0 {
				vc = of.VCenters[i]
			}
		}
		if len(others[server]) > 0 {
			reach.VCenters = append(reach.VCenters, vc)
		}
	}
	switch {
	case len(reach.VCenters) == 0:
		return nil
	case o.NoLogin:
		o.Infof("--no-login: these accounts are not tested")
		return nil
	}
	attempts, err := o.TryAccounts(ctx, reach, o.ConnectTo, &o.TLS, others)
	if err != nil {
		return err
	}
	return hint.Wrap(command.Failures(attempts, "nothing was written"),
		"leave out those that are refused (--components, --vcenters): whoever set their password last has it",
		"where these vCenters cannot be reached from here: --no-login imports the accounts untested")
}

// narrow keeps the named vCenters and components; none = all.
func narrow(all openshift.Accounts, servers, components []string) (openshift.Accounts, error) {
	named, err := command.NarrowServers(slices.Sorted(maps.Keys(all)), servers)
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
