package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

func newCmdSecrets(f *Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "secrets",
		Short:   "Write the secrets that the operators read",
		GroupID: groupOutput,
	}
	cmd.AddCommand(newCmdSecretsEmit(f, nil))
	return cmd
}

// SecretsEmitOptions are the words of `secrets emit`.
type SecretsEmitOptions struct {
	*Factory
	File       credentialsFlag
	Source     sourceFlags // the servers; none = all sections of the credentials file
	Components []string    // empty = those of the spec, else the four that have a secret
	CCOLabel   string      // true, yes, none
	OutputDir  string      // --output-dir; empty = stdout
}

func newCmdSecretsEmit(f *Factory, runF func(*SecretsEmitOptions) error) *cobra.Command {
	o := &SecretsEmitOptions{Factory: f, CCOLabel: openshift.LabelTrue}
	labels := []string{openshift.LabelTrue, openshift.LabelYes, openshift.LabelNone}
	cmd := &cobra.Command{
		Use:   "emit",
		Short: "Write a secret per component, from the credentials file",
		Long: text(`
			Writes the secrets vsphere-creds-<component> of kube-system as YAML, for 'oc apply -f -': two keys per
			vCenter, <server>.username and <server>.password, and nothing else. A component without an account of its own
			on a vCenter gets the main one there, and a warning says so. The passwords are in the output.`),
		Example: examples(`
			ocp-vsphere-admin secrets emit | oc apply -f -
			ocp-vsphere-admin secrets emit --install-config install-config.yaml --components csi-driver
			ocp-vsphere-admin secrets emit --output-dir manifests`),
		Args: noWords,
		RunE: func(*cobra.Command, []string) error {
			if err := allOf("components", o.Components, asStrings(privileges.Components())); err != nil {
				return err
			}
			if o.Output == term.FormatJSON {
				return badFlag("output", "secrets are YAML")
			}
			return run(runF, secretsEmitRun)(o)
		},
	}
	o.File.Register(cmd)
	o.Source.registerServers(cmd)
	registerComponents(cmd, &o.Components)
	cmd.Flags().Var(newChoice(&o.CCOLabel, labels), "cco-label",
		`label for cloud-credential-operator: "true" is what it keeps, "yes" is the enhancement's, none leaves label and annotation out`)
	completeValues(cmd, "cco-label", labels)
	cmd.Flags().StringVar(&o.OutputDir, "output-dir", "", "write a file per secret, with the installer's names and mode 0600, instead of stdout")
	_ = cmd.MarkFlagDirname("output-dir")
	return cmd
}

func secretsEmitRun(o *SecretsEmitOptions) error {
	file, path, err := o.openCredentials(o.File)
	if err != nil {
		return err
	}
	if len(file.Servers()) == 0 {
		what := "holds no account"
		if missing(path) {
			what = "does not exist"
		}
		return hint.Errorf("'"+program+" apply' creates the accounts and writes it", "credentials file %s %s", path, what)
	}
	from, components, err := o.wanted(file)
	if err != nil {
		return err
	}
	emit := openshift.EmitOptions{Components: components, CCOLabel: o.CCOLabel}
	secrets, warnings, err := openshift.Secrets(from, openshift.FromFile(file, from), emit)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		o.Warnf("%s", w)
	}
	if o.OutputDir != "" {
		return o.writeFiles(secrets, emit)
	}
	return openshift.WriteYAML(o.Out, secrets, emit)
}

// wanted gives the servers and components; no components are the default of openshift.Secrets.
func (o *SecretsEmitOptions) wanted(file *credfile.File) ([]string, []privileges.Component, error) {
	var components []privileges.Component
	for _, c := range o.Components {
		components = append(components, privileges.Component(c))
	}
	if o.Source.File == "" && o.Source.InstallConfig == "" {
		from, err := narrowServers(file.Servers(), o.Source.VCenters)
		return from, components, err
	}
	s, err := o.Source.Resolve(o.In)
	if err != nil {
		return nil, nil, err
	}
	if s.Profile != spec.DefaultProfile {
		return nil, nil, fmt.Errorf("profile %s of the file: only the secrets of profile %s can be written", s.Profile, spec.DefaultProfile)
	}
	if len(components) == 0 {
		components = s.ComponentNames()
	}
	return servers(s), components, nil
}

// writeFiles writes all files or, when one cannot be made, as few as possible: each is complete or not there.
func (o *SecretsEmitOptions) writeFiles(secrets []corev1.Secret, emit openshift.EmitOptions) error {
	if err := os.MkdirAll(o.OutputDir, 0o700); err != nil {
		return badFlag("output-dir", "%w", err)
	}
	for _, s := range secrets {
		var text bytes.Buffer
		if err := openshift.WriteYAML(&text, []corev1.Secret{s}, emit); err != nil {
			return err
		}
		path := filepath.Join(o.OutputDir, openshift.FileName(s))
		if err := writePrivate(path, text.Bytes()); err != nil {
			return badFlag("output-dir", "%w", err)
		}
	}
	names := make([]string, len(secrets))
	for i, s := range secrets {
		names[i] = filepath.Join(o.OutputDir, openshift.FileName(s))
	}
	slices.Sort(names)
	return o.Print(term.FormatTable, nil, func(w io.Writer) error {
		for _, n := range names {
			fmt.Fprintln(w, n)
		}
		return nil
	})
}
