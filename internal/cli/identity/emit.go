package identity

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/advice"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/identity"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sealed"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// EmitOptions are the flags of `identity emit`.
type EmitOptions struct {
	*command.Factory
	File       command.CredentialsFlag
	Source     command.SourceFlags // the servers; none = all sections of the credentials file
	Component  string              // --components: whose account
	Principal  string              // --principal: the account of this user name instead
	Kind       string              // --kind: one of identity.Kinds
	Name       string              // --name; {server} is filled in; empty = cluster and server
	Namespace  string              // --controller-namespace
	Version    string              // --api-version
	Namespaces string              // --namespaces
	Clusters   []string            // --cluster: namespace/name of VSphereClusters
	Move       bool                // --move
	OutputDir  string              // --output-dir; empty = stdout
	Over       command.OverwriteFlag
	Recipients command.RecipientFlags
	Allow      command.Allowed
}

const namespacesFlag = "namespaces"

func newCmdEmit(f *command.Factory, runF func(*EmitOptions) error) *cobra.Command {
	o := &EmitOptions{
		Factory: f, Component: string(component.ClusterAPI), Namespace: cluster.ControllerNamespace, Version: identity.V1Beta2,
		Kind: identity.KindVSphereIdentity,
	}
	cmd := &cobra.Command{
		Use:   "emit",
		Short: "Write identities with their secrets, or a cluster's own secret",
		Long: command.Text(`
			Writes YAML for 'oc apply -f -': for each vCenter a VSphereClusterIdentity and its secret, in the namespace of
			Cluster API's controller. The output contains passwords. --namespaces says which namespaces may use the
			identity; it has no default.

			  none                 no namespace
			  all                  every namespace
			  names=team-a,team-b  these, by their label kubernetes.io/metadata.name
			  selector=LABELS      those with these labels, as 'oc get namespaces -l' takes them

			After 'rotate', apply the output again. Deleting an identity deletes its secret too, even if clusters still use
			it.

			--kind Secret writes the secret alone, in the namespace of the one VSphereCluster that --cluster names, which
			then owns it.`),
		Example: command.Examples(`
			ocp-vsphere-admin identity emit -f provisioning.yaml --namespaces names=team-a,team-b | oc apply -f -
			ocp-vsphere-admin identity emit --vcenters vcenter1.example.com --name east --namespaces selector=tier=prod --cluster team-a/web | oc apply -f -
			ocp-vsphere-admin identity emit --vcenters vcenter1.example.com --kind Secret --cluster team-a/web | oc apply -f -`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, emitRun, func(cmd *cobra.Command, _ []string) error {
			if o.Kind == identity.KindSecret {
				if err := o.checkSecret(cmd); err != nil {
					return err
				}
			} else if o.Namespaces == "" {
				return hint.Errorf("--namespaces takes "+identity.AllowForms(),
					"--namespaces is required: it says which namespaces may use the account")
			}
			if err := o.CheckOutput(cmd, "identities are YAML", term.FormatYAML); err != nil {
				return err
			}
			for _, c := range o.Clusters {
				ns, name, _ := strings.Cut(c, "/")
				if len(validation.IsDNS1123Label(ns)) > 0 || len(validation.IsDNS1123Subdomain(name)) > 0 {
					return command.BadFlag("cluster", "%s is not NAMESPACE/NAME of a VSphereCluster", hint.Quote(c))
				}
			}
			if o.Principal != "" && cmd.Flags().Changed("components") {
				return command.BadFlag("principal", "already selects the account: omit --components")
			}
			return command.OneOf(o.Component, component.Words(component.Names()))
		}),
	}
	p := cmd.Flags()
	o.File.Register(cmd)
	o.Source.RegisterServers(cmd)
	p.StringVar(&o.Component, "components", o.Component, "whose account")
	command.CompleteValues(cmd, "components", component.Words(component.Names()))
	p.StringVar(&o.Principal, "principal", "", "the account with this user name, of any component")
	command.RegisterChoice(cmd, &o.Kind, "kind", "what a VSphereCluster refers to", identity.Kinds())
	p.StringVar(&o.Name, "name", "", "name of the identity and its secret; {server} is replaced")
	p.StringVar(&o.Namespace, "controller-namespace", o.Namespace, "namespace of the controller")
	command.RegisterChoice(cmd, &o.Version, "api-version", "version of the objects", identity.Versions())
	p.StringVar(&o.Namespaces, namespacesFlag, "", "none, all, names=a,b or selector=LABELS")
	p.StringArrayVar(&o.Clusters, "cluster", nil, "print the command for this VSphereCluster (NAMESPACE/NAME)")
	p.BoolVar(&o.Move, "move", false, "label the identities for 'clusterctl move'")
	command.DirFlag(cmd, &o.OutputDir, "output-dir",
		"write a file per identity, with mode 0600, instead of stdout")
	o.Over.Register(cmd)
	o.Recipients.Register(cmd, "encrypt the output")
	o.Allow.RegisterDisabled(cmd, "an identity")
	command.MarkCommandLineOnly(cmd, "components", "principal", "name", namespacesFlag, "kind", "cluster", "move")
	return cmd
}

// checkSecret checks the flags of a secret: its namespace decides who may use it.
func (o *EmitOptions) checkSecret(cmd *cobra.Command) error {
	for _, other := range []string{namespacesFlag, "controller-namespace", "api-version", "move"} {
		if cmd.Flags().Changed(other) {
			return command.BadFlag(other, "is of a VSphereClusterIdentity: omit it with --kind Secret")
		}
	}
	if len(o.Clusters) != 1 {
		return hint.Errorf("add --cluster NAMESPACE/NAME", "--kind Secret: one VSphereCluster is required, which has the secret in its namespace, got %d", len(o.Clusters))
	}
	return nil
}

// checkOwn refuses the account of another cluster, which users of the identity would work with.
func (o *EmitOptions) checkOwn(file *credfile.File, path string, asked *spec.Spec) error {
	if asked == nil || o.Principal != "" {
		return nil
	}
	c := component.Name(o.Component)
	for _, server := range command.Servers(asked) {
		a, _ := file.Get(server, c)
		if text := asked.Misnamed(c, a.User); a.User != "" && text != "" {
			return hint.Errorf("name the file with its account: --credentials-file FILE; or select this one: --principal "+script.Word(a.User),
				"%s: the account of %s on %s %s", path, c, server, text)
		}
	}
	return nil
}

func emitRun(ctx context.Context, o *EmitOptions) error {
	write := identity.Options{Version: o.Version, Namespace: o.Namespace, Move: o.Move}
	if o.Kind == identity.KindSecret {
		write.Secret = true
		write.Namespace, _, _ = strings.Cut(o.Clusters[0], "/")
	} else {
		var err error
		if write.Allow, err = identity.ParseAllowance(o.Namespaces); err != nil {
			return command.BadFlag(namespacesFlag, "%w", err)
		}
	}
	to, err := o.Recipients.Resolve(o.Factory)
	if err != nil {
		return err
	}
	asked, err := o.Source.ResolveCluster(ctx, o.Factory)
	if err != nil {
		return err
	}
	file, path, err := o.OpenCredentials(o.File, asked)
	if err != nil {
		return err
	}
	if err := advice.Of(o.Factory, &o.Source, asked).OverGiven(file,
		[]component.Name{component.Name(o.Component)}); err != nil {
		return err
	}
	o.Misread(file)
	if err := o.checkOwn(file, path, asked); err != nil {
		return err
	}
	identities, err := o.identities(file, path, asked)
	if err != nil {
		return err
	}
	if err := identity.CheckManifests(identities, write); err != nil {
		return hint.Wrap(err, "choose another name with --name; for several vCenters it must contain {server}")
	}
	next, err := o.patches(identities, write)
	if err != nil {
		return err
	}
	disabled := o.Allow.CheckDisabled(o.Factory, asked, o.Said.Only("file"), func(meant func(user string) bool) []string {
		var all []string
		for _, i := range identities {
			if meant(i.Account.User) {
				all = append(all, i.Name)
			}
		}
		return all
	}, command.NoOthers)
	if disabled != nil {
		return disabled
	}
	if o.OutputDir == "" && len(to) == 0 && write.Secret {
		if err := o.SurePrints(ctx, "--output-dir DIR"); err != nil {
			return err
		}
	}
	if err := o.write(identities, write, to); err != nil {
		return err
	}
	for _, line := range next {
		o.Due(line)
	}
	return nil
}

func (o *EmitOptions) identities(file *credfile.File, path string, asked *spec.Spec) ([]identity.Manifest, error) {
	var from []string
	var err error
	cluster, of := "", component.Name(o.Component)
	if asked == nil {
		from, err = command.NarrowServers(file.Servers(), o.Source.VCenters)
	} else {
		from, cluster, of = command.Servers(asked), asked.Cluster, asked.Account(of).Component
	}
	if err != nil {
		return nil, err
	}
	if len(from) == 0 {
		return nil, hint.Errorf("'"+command.Program+" apply' creates the accounts and writes it", "credentials file %s has no account", path)
	}
	if len(from) > 1 && o.Name != "" && !strings.Contains(o.Name, "{server}") {
		return nil, command.BadFlag("name", "%q is one name for %d vCenters, but an identity has one account: put {server} into it, or select a vCenter with --vcenters", o.Name, len(from))
	}
	var all []identity.Manifest
	var errs []error
	used := openshift.Accounts{}
	for _, server := range from {
		holder, found := o.holder(file, server, of)
		if !found {
			errs = append(errs,
				fmt.Errorf("%s: %s has no account of %s", server, path, cmp.Or(o.Principal, string(of))))
			continue
		}
		name := identity.DefaultName(cluster, server)
		if o.Name != "" {
			name = strings.ReplaceAll(o.Name, "{server}", identity.DefaultName("", server))
		}
		a, _ := file.Get(server, holder)
		used[server] = map[component.Name]credfile.Account{holder: a}
		all = append(all, identity.Manifest{Server: server, Name: name, Account: a})
	}
	if err := errors.Join(errs...); err != nil {
		gets := fmt.Sprintf("name component %s in the provisioning file, and '%s apply' creates the account", of, command.Program)
		if o.Principal == "" && asked != nil && asked.Has(of) && !asked.Account(of).Ours() {
			gets = advice.Of(o.Factory, &o.Source, asked).ImportFromOwners([]component.Name{of})
		}
		return nil, hint.Wrap(err, gets, "select another account with --components or --principal, or fewer vCenters with --vcenters")
	}
	return all, file.CheckFilled(used)
}

// holder is the component whose account is used: the requested one, or the first with this user.
func (o *EmitOptions) holder(file *credfile.File, server string, of component.Name) (component.Name, bool) {
	for _, c := range component.Names() {
		a, ok := file.Get(server, c)
		if ok && (o.Principal == "" && c == of || o.Principal != "" && strings.EqualFold(a.User, o.Principal)) {
			return c, true
		}
	}
	return "", false
}

// patches are the commands that make clusters use the identity. It refuses clusters that may not.
func (o *EmitOptions) patches(identities []identity.Manifest, write identity.Options) ([]string, error) {
	if len(o.Clusters) > 0 && len(identities) > 1 {
		return nil, command.BadFlag("cluster", "a VSphereCluster is on one vCenter, but %d are selected: choose it with --vcenters", len(identities))
	}
	var lines []string
	for _, c := range o.Clusters {
		ns, name, _ := strings.Cut(c, "/")
		if why := write.Allow.Refuses(ns); why != "" && !write.Secret {
			return nil, hint.Wrap(command.BadFlag("cluster", "%s could not use the identity: %s", c, why), "--namespaces names="+ns+" allows it, or use another form of --namespaces")
		}
		lines = append(lines, script.Line("oc", "patch", "vspherecluster", name, "-n", ns, "--type=merge", "-p", identity.RefPatch(o.Kind, identities[0].Name)))
	}
	return lines, nil
}

func (o *EmitOptions) write(identities []identity.Manifest, write identity.Options, to []sealed.Recipient) error {
	if o.OutputDir == "" {
		text, err := identityText(identities, write, to)
		if err != nil {
			return err
		}
		_, err = o.Out.Write(text)
		return err
	}
	files := map[string][]byte{}
	for _, i := range identities {
		text, err := identityText([]identity.Manifest{i}, write, to)
		if err != nil {
			return err
		}
		path := filepath.Join(o.OutputDir, i.Name+".yaml")
		if len(to) > 0 {
			path += ".age"
		}
		files[path] = text
	}
	paths, err := o.Over.PrivateAll(o.Factory, "output-dir", files)
	o.PrintPaths(paths)
	return err
}

func identityText(identities []identity.Manifest, write identity.Options, to []sealed.Recipient) ([]byte, error) {
	var plain bytes.Buffer
	if err := identity.Emit(&plain, identities, write); err != nil || len(to) == 0 {
		return plain.Bytes(), err
	}
	return sealed.Seal(plain.Bytes(), to)
}
