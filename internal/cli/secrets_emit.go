package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// SecretsEmitOptions are the flags of `secrets emit`.
type SecretsEmitOptions struct {
	*Factory
	File       credentialsFlag
	Source     sourceFlags // the servers; none = all sections of the credentials file
	Components []string    // empty = those of the spec, else all that have a secret
	Profile    string      // --profile; empty = that of the spec, else kube-system
	Requests   requestsFlags
	RootSecret bool     // --with-root-secret
	Extra      []string // --with-extra
	CCOLabel   string   // true, yes, none
	Renew      bool     // --renew
	Format     string   // --format
	Name       string   // --name of the secret of Hive
	OutputDir  string   // --output-dir; empty = stdout
	Over       overwriteFlag
	Recipients recipientFlags
	Against    secretsFlags  // --against
	Switch     []string      // --switch
	Instances  instanceFlags // --vcenter-ids

	Allow  allowDisabledFlags
	Verify bool // --verify
}

// requestsFlags say which CredentialsRequests are meant, and whose account they get.
type requestsFlags struct {
	Dir     string   // --credentials-requests
	Preview bool     // --enable-tech-preview
	Assign  []string // --assign request=component
}

// Register adds the flags to cmd.
func (r *requestsFlags) Register(cmd *cobra.Command) {
	p := cmd.Flags()
	p.StringVar(&r.Dir, "credentials-requests", "", "directory written by 'oc adm release extract --credentials-requests --cloud=vsphere'")
	p.BoolVar(&r.Preview, "enable-tech-preview", false, "include the requests of feature set TechPreviewNoUpgrade, as ccoctl does")
	p.StringArrayVar(&r.Assign, "assign", nil, "assign an account to a request: request=component, or request=none (repeatable)")
	_ = cmd.MarkFlagDirname("credentials-requests")
	_ = cmd.RegisterFlagCompletionFunc("assign", func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return r.complete(typed)
	})
}

// complete offers the requests of the directory, behind "=" the accounts.
func (r *requestsFlags) complete(typed string) ([]string, cobra.ShellCompDirective) {
	name, _, named := strings.Cut(typed, "=")
	if named {
		var out []string
		for _, word := range append(asStrings(component.Names()), openshift.NoAccount) {
			out = append(out, name+"="+word)
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
	requests, err := openshift.ReadRequests(r.Dir, r.Preview)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, q := range requests.List {
		out = append(out, q.Name+"=")
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// Resolve reads the directory; nil when none is named.
func (r *requestsFlags) Resolve() (*openshift.Requests, error) {
	assign, err := pairs("assign", "request=component", r.Assign)
	if err != nil {
		return nil, err
	}
	if r.Dir == "" {
		if len(r.Assign) > 0 || r.Preview {
			return nil, hint.Errorf("add --credentials-requests DIR", "--assign and --enable-tech-preview require --credentials-requests")
		}
		return nil, nil //nolint:nilnil // none is a fine answer
	}
	requests, err := openshift.ReadRequests(r.Dir, r.Preview)
	if err != nil {
		return nil, badFlag("credentials-requests", "%w", err)
	}
	if err := requests.Assign(assign); err != nil {
		return nil, badFlag("assign", "%w", err)
	}
	return requests, nil
}

func newCmdSecretsEmit(f *Factory, runF func(*SecretsEmitOptions) error) *cobra.Command {
	o := &SecretsEmitOptions{Factory: f, CCOLabel: openshift.LabelTrue, Format: formatOpenShift}
	cmd := &cobra.Command{
		Use:   "emit",
		Short: "Write secrets from the credentials file",
		Long: text(`
			Writes secrets as YAML for 'oc apply -f -': two keys per vCenter, <server>.username and <server>.password, and
			nothing else. The output contains passwords. The profile decides which secrets are written:

			` + profileTable() + `
			With kube-system and manual, a component without an account of its own on a vCenter gets the main one, with a
			warning. A CredentialsRequest without a known account is an error; --assign resolves it.

			--against DUMP (or --kubeconfig) compares with the secrets in the cluster, and writes nothing if a consumer would
			be switched to another account or another vCenter without --switch. Accounts that 'rotate' replaced are
			recognized. DUMP must cover the namespaces of the secrets, as 'oc get secrets -A -o yaml' does. 'secrets diff' shows
			the same comparison. --vcenter-ids records the instance UUIDs of the vCenters in annotation
			` + openshift.VCentersKey + `:
			later comparisons and 'secrets explain --verify' notice when a server name leads to another vCenter.

			--renew writes the secrets of the cluster that hold an account already, wherever they are, with what the credentials
			file has now: after 'rotate' that is every secret that needs it, in whatever mode the cluster is. It needs --against
			or --kubeconfig.

			--verify logs in once with each account and writes nothing if one is refused, because another machine gave it a
			new password, say.

			--format hive writes the one secret that Hive and Advanced Cluster Management install a cluster with and remove it,
			with the installer's account: --name NAMESPACE/NAME is the one that the ClusterDeployment names, on the hub.

			With --recipient the output is encrypted as armoured age files: 'age -d -i KEY' decrypts the YAML, and
			'credentials import --identity KEY' imports the accounts.`),
		Example: examples(`
			ocp-vsphere-admin secrets emit | oc apply -f -
			ocp-vsphere-admin secrets emit --install-config install-config.yaml --components csi-driver
			ocp-vsphere-admin secrets emit --with-root-secret --output-dir openshift
			oc get secrets -A -o yaml | ocp-vsphere-admin secrets emit -f provisioning.yaml --renew --against - --verify | oc apply -f -
			ocp-vsphere-admin secrets emit -f provisioning.yaml --against dump.yaml --switch csi-driver
			ocp-vsphere-admin secrets emit -f provisioning.yaml --format hive --name cluster1/cluster1-vsphere-creds
			ocp-vsphere-admin secrets emit --recipients-file team.txt > secrets.age
			ocp-vsphere-admin secrets emit --profile manual --credentials-requests credreqs --output-dir .`),
		Args: noWords,
		RunE: action(o, runF, secretsEmitRun, knownComponents(&o.Components), func(cmd *cobra.Command, _ []string) error {
			if err := allOf("with-extra", o.Extra, openshift.Extras()); err != nil {
				return err
			}
			if len(o.Switch) > 0 && !o.Against.given() {
				return badFlag("switch", "requires --against DUMP or --kubeconfig FILE: the cluster's secrets")
			}
			if err := errors.Join(o.checkFormat(cmd), o.checkRenew(cmd)); err != nil {
				return err
			}
			return o.checkOutput(cmd, "secrets are YAML", term.FormatYAML)
		}),
	}
	o.register(cmd)
	p := cmd.Flags()
	p.BoolVar(&o.Renew, renewFlag, false, "only the secrets of the cluster that hold an account of these components, with its current password")
	markCommandLineOnly(cmd, renewFlag)
	registerChoice(cmd, &o.Format, formatFlag, "openshift for the cluster itself, hive for the hub that installs and removes it", []string{formatOpenShift, formatHive})
	p.StringVar(&o.Name, "name", "", "with --format hive: NAMESPACE/NAME of the secret")
	markCommandLineOnly(cmd, formatFlag, "name")
	p.StringVar(&o.OutputDir, "output-dir", "", "write a file per secret, with the installer's or ccoctl's names and mode 0600, instead of stdout")
	_ = cmd.MarkFlagDirname("output-dir")
	o.Over.Register(cmd)
	o.Allow.Register(cmd, "a secret")
	p.BoolVar(&o.Verify, verifyFlag, false, "log in once with each account before anything is written")
	markCommandLineOnly(cmd, verifyFlag)
	o.Recipients.Register(cmd, "encrypt the output")
	o.Against.registerAs(cmd, againstFlag, ": refuse to switch a consumer to another account or vCenter")
	registerSwitch(cmd, &o.Switch)
	return cmd
}

// register adds the flags that say what is written.
func (o *SecretsEmitOptions) register(cmd *cobra.Command) {
	p := cmd.Flags()
	o.File.Register(cmd)
	o.Source.registerServers(cmd)
	registerComponents(cmd, &o.Components)
	registerProfile(cmd, &o.Profile, "profile, which decides the secrets (default: that of the provisioning file, else "+spec.DefaultProfile+")")
	o.Requests.Register(cmd)
	p.BoolVar(&o.RootSecret, "with-root-secret", false, "also write kube-system/vsphere-creds, with the account of machine-api, for components that read it directly")
	p.StringSliceVar(&o.Extra, "with-extra", nil, "in Manual mode, also write the secrets of these, with the account of machine-api: cluster-api, machine-config")
	completeValues(cmd, "with-extra", openshift.Extras())
	registerChoice(cmd, &o.CCOLabel, "cco-label",
		`label for cloud-credential-operator: "true" is what it keeps, "yes" is the enhancement's value, none omits label and annotation`,
		[]string{openshift.LabelTrue, openshift.LabelYes, openshift.LabelNone})
	o.Instances.register(cmd, &o.Source.ConnectTo)
}

func secretsEmitRun(ctx context.Context, o *SecretsEmitOptions) error {
	to, err := o.Recipients.Resolve(o.Factory)
	if err != nil {
		return err
	}
	dump, err := o.Against.read(ctx, o.Factory)
	if err != nil {
		return err
	}
	e, err := o.prepare(ctx, dump)
	if err != nil {
		return err
	}
	if dump != nil {
		if err := o.guard(e, dump); err != nil {
			return err
		}
		o.uncopied(e, dump)
	}
	if err := o.checkDisabled(e); err != nil {
		return err
	}
	if o.Source.File != "" { // an install-config names no accounts
		o.warnMisnamed(e)
	}
	if err := o.verify(ctx, e); err != nil {
		return err
	}
	if o.OutputDir != "" {
		err = o.writeFiles(e.manifests, e.emit, to)
	} else {
		err = writeSecrets(o.Out, e.manifests, e.emit, to)
	}
	if profile, _ := openshift.FindProfile(e.emit.Profile); err == nil && profile.Manual && e.emit.Head == "" {
		o.Infof("in Manual mode an upgrade to a new minor release waits until its secrets exist and you confirm it; this prints how, for the release:")
		said := o.said
		if o.Source.File == "" {
			said = said.with("file", aFile)
		}
		o.next("oc get clusterversion version -o yaml | " + o.command("reconcile status", said, "--cluster-version", "-"))
	}
	return err
}

// warnMisnamed says which secrets get an account that is not the one of the specification.
func (o *SecretsEmitOptions) warnMisnamed(e *emission) {
	for _, server := range servers(e.asked) {
		for _, c := range e.asked.ComponentNames() {
			a, _ := e.file.Get(server, c)
			text := misnamed(e.asked, c, a.User)
			if places := openshift.HoldingOf(e.manifests, func(user string) bool { return user == a.User }); text != "" && len(places) > 0 {
				o.Warnf("%s: the account of %s on %s %s", strings.Join(places, ", "), c, server, text)
			}
		}
	}
}

// profileTable is the part of a help text that says what each profile writes, as deep as the text around it.
func profileTable() string {
	var b strings.Builder
	for _, p := range openshift.Profiles() {
		name := p.Name
		for _, line := range strings.Split(p.Long, "\n") {
			term.Fprintf(&b, "  %-16s  %s\n\t\t\t", name, line)
			name = ""
		}
	}
	return b.String()
}
