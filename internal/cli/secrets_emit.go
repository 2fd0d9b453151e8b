package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// SecretsEmitOptions are the words of `secrets emit`.
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
	OutputDir  string   // --output-dir; empty = stdout
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
	p.StringVar(&r.Dir, "credentials-requests", "", "directory that 'oc adm release extract --credentials-requests --cloud=vsphere' wrote")
	p.BoolVar(&r.Preview, "enable-tech-preview", false, "take the requests of feature set TechPreviewNoUpgrade, too, as ccoctl does")
	p.StringArrayVar(&r.Assign, "assign", nil, "give a request an account: request=component, or request=none (repeatable)")
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
			return nil, hint.Errorf("add --credentials-requests DIR", "--assign and --enable-tech-preview are about requests, but none are given")
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
	o := &SecretsEmitOptions{Factory: f, CCOLabel: openshift.LabelTrue}
	cmd := &cobra.Command{
		Use:   "emit",
		Short: "Write the secrets of a profile, from the credentials file",
		Long: text(`
			Writes secrets as YAML, for 'oc apply -f -': two keys per vCenter, <server>.username and <server>.password, and
			nothing else. The passwords are in the output. Which secrets these are is the profile's:

			` + profileTable() + `
			In kube-system and manual a component without an account of its own on a vCenter gets the main one there, and a
			warning says so. A CredentialsRequest that no account is known for is an error; --assign settles it.`),
		Example: examples(`
			ocp-vsphere-admin secrets emit | oc apply -f -
			ocp-vsphere-admin secrets emit --install-config install-config.yaml --components csi-driver
			ocp-vsphere-admin secrets emit --with-root-secret --output-dir openshift
			ocp-vsphere-admin secrets emit --profile manual --credentials-requests credreqs --output-dir .`),
		Args: noWords,
		RunE: action(o, runF, secretsEmitRun, knownComponents(&o.Components), func(cmd *cobra.Command, _ []string) error {
			if err := allOf("with-extra", o.Extra, openshift.Extras()); err != nil {
				return err
			}
			if o.Output == term.FormatJSON && !isSettled(cmd.Flags(), "output") {
				return badFlag("output", "secrets are YAML")
			}
			return nil
		}),
	}
	p := cmd.Flags()
	o.File.Register(cmd)
	o.Source.registerServers(cmd)
	registerComponents(cmd, &o.Components)
	registerProfile(cmd, &o.Profile, "where the secrets go (default that of the provisioning file, else "+spec.DefaultProfile+")")
	o.Requests.Register(cmd)
	p.BoolVar(&o.RootSecret, "with-root-secret", false, "write kube-system/vsphere-creds as well, with the account of machine-api, for those who read it themselves")
	p.StringSliceVar(&o.Extra, "with-extra", nil, "in Manual mode, write the secrets of these, too, with the account of machine-api: cluster-api, machine-config")
	completeValues(cmd, "with-extra", openshift.Extras())
	registerChoice(cmd, &o.CCOLabel, "cco-label",
		`label for cloud-credential-operator: "true" is what it keeps, "yes" is the enhancement's, none leaves label and annotation out`,
		[]string{openshift.LabelTrue, openshift.LabelYes, openshift.LabelNone})
	p.StringVar(&o.OutputDir, "output-dir", "", "write a file per secret, with the installer's or ccoctl's names and mode 0600, instead of stdout")
	_ = cmd.MarkFlagDirname("output-dir")
	return cmd
}

func secretsEmitRun(_ context.Context, o *SecretsEmitOptions) error {
	asked, err := o.asked()
	if err != nil {
		return err
	}
	file, path, err := o.openCredentials(o.File, asked)
	if err != nil {
		return err
	}
	if len(file.Servers()) == 0 {
		what := "holds no account"
		if missing(path) {
			what = "does not exist"
		}
		return hint.Wrap(fmt.Errorf("credentials file %s %s", path, what),
			"'"+program+" apply' creates the accounts and writes it", o.ifLost(&o.Source))
	}
	o.doubts(file)
	from, emit, err := o.wanted(file, asked)
	if err != nil {
		return err
	}
	manifests, warnings, err := openshift.Manifests(from, openshift.FromFile(file, from), emit)
	if errors.Is(err, openshift.ErrNoAccount) {
		return hint.Wrap(err, o.ifLostOf(&o.Source, from, lacking(file, from, emit.Components))...)
	}
	if err != nil {
		return err
	}
	o.warn(warnings...)
	if o.OutputDir != "" {
		err = o.writeFiles(manifests, emit)
	} else {
		err = openshift.WriteYAML(o.Out, manifests, emit)
	}
	if profile, _ := openshift.FindProfile(emit.Profile); err == nil && profile.Manual {
		o.Infof("in Manual mode an upgrade to another minor release waits until the secrets for it are there and you say so:")
		o.next(openshift.UpgradeableTo)
	}
	return err
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

// asked is the specification that a flag names, nil if none does.
func (o *SecretsEmitOptions) asked() (*spec.Spec, error) {
	if o.Source.File == "" && o.Source.InstallConfig == "" {
		return nil, nil //nolint:nilnil // none is a fine answer
	}
	return o.Source.Resolve(o.In)
}

// wanted gives the servers and what to write for them.
func (o *SecretsEmitOptions) wanted(file *credfile.File, asked *spec.Spec) (from []string, emit openshift.EmitOptions, err error) {
	emit = openshift.EmitOptions{Profile: o.Profile, CCOLabel: o.CCOLabel, RootSecret: o.RootSecret, Extra: o.Extra}
	for _, c := range o.Components {
		emit.Components = append(emit.Components, component.Name(c))
	}
	if asked == nil {
		from, err = narrowServers(file.Servers(), o.Source.VCenters)
	} else {
		from = o.ofSpec(asked, &emit)
	}
	if err != nil {
		return nil, emit, err
	}
	if emit.Profile == "" {
		emit.Profile = spec.DefaultProfile
	}
	profile, _ := openshift.FindProfile(emit.Profile)
	if !profile.Labelled && o.CCOLabel != openshift.LabelTrue {
		return nil, emit, badFlag("cco-label", "profile %s has no label", emit.Profile)
	}
	emit.Requests, err = o.Requests.Resolve()
	switch {
	case err != nil:
		return nil, emit, err
	case profile.Requests && emit.Requests == nil:
		return nil, emit, hint.Errorf("'oc adm release extract --credentials-requests --cloud=vsphere --to=DIR RELEASE-IMAGE' writes them",
			"profile manual needs --credentials-requests DIR: the requests of the release")
	case !profile.Requests && emit.Requests != nil:
		return nil, emit, badFlag("credentials-requests", "is for profile manual, not %s", emit.Profile)
	}
	return from, emit, nil
}

// ofSpec takes servers, and what no flag says, from the provisioning file.
func (o *SecretsEmitOptions) ofSpec(s *spec.Spec, emit *openshift.EmitOptions) []string {
	if emit.Profile == "" {
		emit.Profile = s.Profile
	}
	before, accounts := s.Profile, s.ComponentNames()
	s.Profile = emit.Profile
	said := o.Source.File != "" || before != spec.DefaultProfile // an install-config may well say nothing
	if said && !slices.Equal(accounts, s.ComponentNames()) {
		o.Warnf("profile %s, but the specification says %s, and accounts made for that have other privileges: '%s' shows what they lack",
			emit.Profile, before, o.command("plan", o.said.with("profile", emit.Profile)))
	}
	if emit.Components == nil && len(s.Components) > 0 {
		emit.Components = s.ComponentNames()
	}
	return servers(s)
}

// writeFiles writes all files or, when one cannot be made, as few as possible: each is complete or not there.
func (o *SecretsEmitOptions) writeFiles(manifests []openshift.Manifest, emit openshift.EmitOptions) error {
	var names []string
	for _, m := range manifests {
		var text bytes.Buffer
		if err := openshift.WriteYAML(&text, []openshift.Manifest{m}, emit); err != nil {
			return err
		}
		path := filepath.Join(o.OutputDir, filepath.FromSlash(m.File))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return badFlag("output-dir", "%w", err)
		}
		if err := writePrivate(path, text.Bytes()); err != nil {
			return badFlag("output-dir", "%w", err)
		}
		names = append(names, path)
	}
	slices.Sort(names)
	return o.Print(term.FormatTable, nil, func(w io.Writer) error {
		for _, n := range names {
			term.Fprintf(w, "%s\n", n)
		}
		return nil
	})
}
