// Package secrets is the noun secrets: it writes, compares and explains secrets of OpenShift.
package secrets

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// NewCmd is the noun with its verbs.
func NewCmd(f *command.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "secrets",
		Short:   "Write, compare and explain the secrets that the operators read",
		GroupID: command.GroupOutput,
		Long: command.Text(`
			These commands change no vCenter, and but for sync no cluster: emit and renew write YAML for oc or kubectl, diff
			compares it with what they print, sync applies it, explain reads what they print, release prints secrets that 'reconcile' holds,
			and manifests writes those of a first installation.`),
	}
	cmd.AddCommand(newCmdEmit(f, nil), newCmdRenew(f, nil), newCmdDiff(f, nil), newCmdSync(f, nil),
		newCmdExplain(f, nil), newCmdRelease(f, nil), newCmdManifests(f, nil))
	return cmd
}

// EmitOptions are the flags of `secrets emit`.
type EmitOptions struct {
	*command.Factory
	File       command.CredentialsFlag
	Source     command.SourceFlags // the servers; none = all sections of the credentials file
	Components []string            // empty = those of the spec, else all that have a secret
	Profile    string              // --profile; empty = that of the spec, else kube-system
	Requests   requestsFlags
	MainFor    []string // --main-account-for
	Renew      bool     // secrets renew, or --renew of secrets sync
	Format     string   // --format
	Name       string   // --name of the one secret of a format
	OutputDir  string   // --output-dir; empty = stdout
	Over       command.OverwriteFlag
	Recipients command.RecipientFlags
	Against    command.SecretsFlags // --against
	Switch     []string             // --switch
	Instances  instanceFlags        // --vcenter-ids

	Allow    command.Allowed
	Verify   bool                       // --verify
	NoVerify bool                       // --no-verify
	Explain  bool                       // --explain
	Installs bool                       // openshift-install writes the secrets that are not written here
	Alone    func(paths []string) error // checks what is beside the files; nil = anything may be
	Told     bool                       // another cluster is told alone: nothing is written, or it was agreed to
}

func newCmdEmit(f *command.Factory, runF func(*EmitOptions) error) *cobra.Command {
	o := &EmitOptions{Factory: f, Format: formatOpenShift}
	cmd := &cobra.Command{
		Use:   "emit",
		Short: "Write secrets from the credentials file",
		Long: command.Text(`
			Writes secrets as YAML for 'oc apply -f -', two keys per vCenter: <server>.username and <server>.password. The
			output contains passwords. The profile decides which secrets (see docs/credentials.md).

			A component without an account of its own on a vCenter is an error; with kube-system and manual,
			--main-account-for gives it the main one. ` + credfile.MainAccount + `.

			--against DUMP (or --kubeconfig) compares with the secrets in the cluster, and writes nothing if a consumer
			would be switched to another account or vCenter without --switch. Each account that replaces another one logs in
			once first.

			--format hive or vcf-migration writes the one secret that Hive installs a cluster with, or that a
			VmwareCloudFoundationMigration names, with the installer's account. With --recipient the output is encrypted as
			armoured age files.`),
		Example: command.Examples(`
			ocp-vsphere-admin secrets emit -f provisioning.yaml | oc apply -f -
			ocp-vsphere-admin secrets emit -f provisioning.yaml --profile manual --credentials-requests credreqs --output-dir .
			ocp-vsphere-admin secrets emit -f provisioning.yaml --format hive --name cluster1/cluster1-vsphere-creds`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, emitRun, command.KnownComponents(&o.Components), func(cmd *cobra.Command, _ []string) error {
			if len(o.Switch) > 0 && !o.Against.Given() {
				return command.BadFlag("switch", "requires --against DUMP or --kubeconfig FILE: the cluster's secrets")
			}
			if err := o.checkFormat(cmd); err != nil {
				return err
			}
			return o.CheckOutput(cmd, "secrets are YAML", term.FormatYAML)
		}),
	}
	o.register(cmd)
	o.registerWrites(cmd)
	o.registerExplain(cmd)
	o.registerOutput(cmd)
	p := cmd.Flags()
	command.RegisterChoice(cmd, &o.Format, formatFlag, "whose secrets",
		[]string{formatOpenShift, formatHive, formatMigration})
	p.StringVar(&o.Name, "name", "", "with --format hive or vcf-migration: NAMESPACE/NAME of the secret")
	command.MarkCommandLineOnly(cmd, formatFlag, "name")
	return cmd
}

// registerOutput adds the flags for the output and the secrets that it replaces.
func (o *EmitOptions) registerOutput(cmd *cobra.Command) {
	command.DirFlag(cmd, &o.OutputDir, "output-dir", "write a file per secret with mode 0600, instead of stdout")
	o.Over.Register(cmd)
	o.Recipients.Register(cmd, "encrypt the output")
	o.Against.RegisterAs(cmd, command.AgainstFlag, "")
}

// registerWrites adds the flags of owners.
func (o *EmitOptions) registerWrites(cmd *cobra.Command) {
	p := cmd.Flags()
	p.BoolVar(&o.Verify, command.VerifyFlag, false, "log in with all accounts first, not only with new ones")
	p.BoolVar(&o.NoVerify, noVerifyFlag, false, "do not log in with accounts that replace others")
	command.MarkCommandLineOnly(cmd, command.VerifyFlag, noVerifyFlag)
	cmd.MarkFlagsMutuallyExclusive(command.VerifyFlag, noVerifyFlag)
	RegisterSwitch(cmd, &o.Switch)
	o.Allow.RegisterDisabled(cmd, "a secret")
}

func (o *EmitOptions) register(cmd *cobra.Command) {
	o.registerAccounts(cmd)
	o.Requests.Register(cmd)
	o.Instances.register(cmd)
}

// registerAccounts adds the flags for accounts, and for vCenters to try them on.
func (o *EmitOptions) registerAccounts(cmd *cobra.Command) {
	o.File.Register(cmd)
	o.Source.RegisterReached(cmd)
	o.Instances.TLS.Register(cmd)
	command.RegisterComponents(cmd, &o.Components)
	command.RegisterProfile(cmd, &o.Profile, "profile, which decides the secrets (default: that of the provisioning file, else "+spec.DefaultProfile+")")
	command.RegisterMainAccountFor(cmd, &o.MainFor)
	for _, name := range []string{command.ConnectToFlag, command.CACertFlag, command.ThumbprintFlag, "insecure"} {
		_ = cmd.Flags().SetAnnotation(name, command.NotHandedOn, []string{command.VerifyFlag}) // [command.Factory.Tested] does
	}
}

func emitRun(ctx context.Context, o *EmitOptions) error {
	_, err := Emit(ctx, o)
	return err
}

// Emit writes the secrets, or refuses to. It returns the paths of the files.
func Emit(ctx context.Context, o *EmitOptions) (paths []string, err error) {
	to, err := o.Recipients.Resolve(o.Factory)
	if err != nil {
		return nil, err
	}
	e, err := o.checked(ctx)
	if err != nil {
		return nil, err
	}
	if o.Renew {
		o.Infof("renewed: %s", e.places())
	}
	if o.OutputDir == "" && len(to) == 0 {
		if err := o.SurePrints(ctx, "--output-dir DIR"); err != nil {
			return nil, err
		}
	}
	if o.OutputDir != "" {
		paths, err = o.writeFiles(e.manifests, e.emit, to)
	} else {
		err = write(o.Out, e.manifests, e.emit, to)
	}
	if err != nil {
		return nil, err
	}
	if !o.Told || o.Output == term.FormatTable { // else they are in another command's document
		o.PrintPaths(paths)
	}
	if e.cluster == nil && !o.Verify && o.OutputDir == "" {
		o.Infof("note: nobody logged in with these accounts, which may have been replaced elsewhere: "+
			"--%s writes only what works", command.VerifyFlag)
	}
	o.afterwards(ctx, e)
	return paths, command.Partly(e.left != nil, e.left)
}

// checked makes what is to be written, and refuses what must not be.
func (o *EmitOptions) checked(ctx context.Context) (*emission, error) {
	there, err := o.Against.Read(ctx, o.Factory)
	if err != nil {
		return nil, err
	}
	e, err := o.prepare(ctx, there)
	if err != nil {
		return nil, err
	}
	if err := o.checkOwn(e); err != nil {
		return nil, err
	}
	if there != nil {
		if err := o.guard(e); err != nil {
			return nil, err
		}
		o.uncopied(e)
		o.preferred(e)
		o.warnStaying(e)
	}
	if err := o.checkDisabled(e); err != nil {
		return nil, err
	}
	if o.Source.File != "" { // others name no accounts
		o.warnMisnamed(e)
	}
	if e.asked != nil {
		o.warnLeft(e)
	}
	return e, o.verify(ctx, e)
}

func (o *EmitOptions) afterwards(ctx context.Context, e *emission) {
	switch profile, _ := openshift.FindProfile(e.emit.Profile); {
	case e.emit.Head != "":
	case profile.Shared() && e.cluster == nil:
		o.Infof("components that have secrets of their own in the cluster keep their accounts: 'secrets diff' names them")
	case profile.Manual && profile.Homes == nil:
		o.upgradeable(ctx, e)
	}
}

// warnMisnamed names the secrets with another account than the specification's.
func (o *EmitOptions) warnMisnamed(e *emission) {
	for _, server := range command.Servers(e.asked) {
		for _, c := range e.asked.ComponentNames() {
			a, _ := e.file.Get(server, c)
			text := e.asked.Misnamed(c, a.User)
			if places := holding(e.manifests, func(user string) bool { return user == a.User }); text != "" && len(places) > 0 {
				o.Warnf("%s: the account of %s on %s %s", strings.Join(places, ", "), c, server, text)
			}
		}
	}
}

// warnLeft names vCenters outside the specification with accounts in the credentials file.
func (o *EmitOptions) warnLeft(e *emission) {
	whole := e.asked.Whole()
	for _, server := range e.file.Servers() {
		ours := func(c component.Name) bool {
			a, _ := e.file.Get(server, c)
			return whole.Account(c).Generation(a.User) > 0
		}
		if e.emit.Head == "" && !slices.Contains(command.Servers(whole), server) &&
			slices.ContainsFunc(component.Names(), ours) {
			o.Warnf("%s has accounts of this cluster on %s, which the specification does not name: these secrets have none for it, and oc apply takes what the cluster has for it away", e.file.Path(), server)
		}
	}
}
