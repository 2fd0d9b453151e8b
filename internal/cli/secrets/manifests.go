package secrets

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/held"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// ManifestsOptions are the flags of `secrets manifests`.
type ManifestsOptions struct {
	EmitOptions        // what is written, in Manual mode
	Dir         string // --dir
}

func newCmdManifests(f *command.Factory, runF func(*ManifestsOptions) error) *cobra.Command {
	o := &ManifestsOptions{EmitOptions: EmitOptions{
		Factory: f, Profile: openshift.ProfileManual, Installs: true, Requests: requestsFlags{Flag: "requests"},
	}}
	cmd := &cobra.Command{
		Use:   "manifests",
		Short: "Write the secrets of a first installation",
		Long: command.Text(`
			Writes what openshift-install takes along to its manifests directory: a secret for each CredentialsRequest of the
			release, with ccoctl's names, and the config map that disables the cloud-credential-operator from the start,
			because openshift-install refuses credentialsMode Manual on vSphere. Secrets of an earlier run are replaced;
			other files are not. kube-system/vsphere-creds is not written: openshift-install writes it, with the account in
			install-config.yaml.

			The accounts are read from the credentials file: 'apply' creates them, and 'reconcile --requests' grants what the
			requests of the release need besides.`),
		Example: command.Examples(`
			openshift-install create manifests --dir install
			ocp-vsphere-admin secrets manifests -f provisioning.yaml --requests credreqs --dir install/manifests
			openshift-install create cluster --dir install`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, manifestsRun, func(cmd *cobra.Command, _ []string) error {
			switch {
			case o.Requests.Dir == "":
				return hint.Errorf("add --requests DIR: the CredentialsRequests of the release that is installed", "--requests is required")
			case o.Dir == "":
				return hint.Errorf("add --dir DIR: the manifests directory that 'openshift-install create manifests' wrote", "--dir is required")
			case filepath.Base(filepath.Clean(o.Dir)) != "manifests":
				return hint.Errorf("add the directory's name: --dir "+script.Word(filepath.Join(o.Dir, "manifests")), "--dir: openshift-install reads only the directory manifests of an installation, not %s", o.Dir)
			}
			return o.CheckOutput(cmd, "secrets are YAML", term.FormatYAML)
		}),
	}
	o.File.Register(cmd)
	o.Source.RegisterServers(cmd)
	o.Requests.Register(cmd)
	command.RegisterMainAccountFor(cmd, &o.MainFor)
	o.Allow.RegisterDisabled(cmd, "a secret")
	cmd.Flags().StringVar(&o.Dir, "dir", "",
		"manifests directory of openshift-install: write the files there, with mode 0600")
	_ = cmd.MarkFlagDirname("dir")
	command.MarkCommandLineOnly(cmd, "requests", "dir")
	return cmd
}

func manifestsRun(ctx context.Context, o *ManifestsOptions) error {
	e, err := o.prepare(ctx, nil)
	if err != nil {
		return err
	}
	if err := o.checkDisabled(e); err != nil {
		return err
	}
	file, disabled := release.DisableOperator()
	list := append(slices.Clone(e.manifests), openshift.Manifest{File: file, ConfigMap: disabled})
	if err := o.checkTheirs(list); err != nil { // before the first is written
		return err
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return command.BadFlag("dir", "%w", err)
	}
	for _, m := range list {
		var text bytes.Buffer
		if err := openshift.WriteYAML(&text, []openshift.Manifest{m}, e.emit); err != nil {
			return err
		}
		if err := files.WritePrivate(o.path(m), text.Bytes()); err != nil {
			return command.BadFlag("dir", "%w", err)
		}
		o.Infof("%s", o.path(m))
	}
	o.NextInstall(filepath.Dir(filepath.Clean(o.Dir)), true)
	return nil
}

func (o *ManifestsOptions) path(m openshift.Manifest) string {
	return filepath.Join(o.Dir, path.Base(m.File))
}

// checkTheirs refuses a directory with another file by the name of a manifest.
func (o *ManifestsOptions) checkTheirs(list []openshift.Manifest) error {
	var errs []error
	for _, m := range list {
		errs = append(errs, isOurs(o.path(m), m.Secret))
	}
	if err := errors.Join(errs...); err != nil {
		return command.BadFlag("dir", "%w", err)
	}
	return nil
}

// isOurs refuses a file with other content than the secret or, if it is nil, the config map.
func isOurs(where string, secret *corev1.Secret) error {
	data, err := files.Read(where, files.Text, files.Regular)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	ours := release.IsDisableOperator(data)
	if secret != nil {
		there, err := objects.ParseSecrets(where, data)
		ours = err == nil && len(there) == 1 &&
			there[0].Namespace == secret.Namespace && there[0].Name == secret.Name
	}
	if !ours {
		return hint.Errorf("move it away, or choose another directory",
			"%s exists with other content: it is not overwritten", where)
	}
	return nil
}

// todayOf is the cluster's state by specification, which may be nil, and credentials file.
func todayOf(s *spec.Spec, file *credfile.File, list []held.Secret) held.Today {
	today := held.Today{Ours: generations(s)}
	if s != nil {
		today.Servers = command.Servers(s.Whole())
	}
	from := today.Servers
	for _, h := range list {
		from = append(from, h.Servers()...)
	}
	today.Accounts = s.Shared(openshift.FromFile(file, from))
	return today
}

// lostAccounts are the held secrets with deleted accounts, and why: they fail to log in. Only a
// specification tells, and only if the credentials file at path has an account of the cluster.
func lostAccounts(list []held.Secret, s *spec.Spec, accounts openshift.Accounts,
	unchecked map[component.Ref]error, path string,
) map[component.Ref]error {
	lost := map[component.Ref]error{}
	if s == nil {
		return lost
	}
	some := false
	for _, own := range accounts {
		some = some || len(own) > 0
	}
	for _, h := range list {
		why, named := unchecked[h.At()], s.Whole().Has(h.Component)
		switch {
		case !errors.Is(why, openshift.ErrNoAccount):
		case !named:
			lost[h.At()] = fmt.Errorf("%w in %s, and the specification does not name %s", why, path, h.Component)
		case some:
			lost[h.At()] = fmt.Errorf("%w in %s", why, path)
		}
	}
	return lost
}

// generations reports whether users are generations of a cluster's accounts; nil = unknown.
func generations(s *spec.Spec) func(component.Name, string) bool {
	if s == nil {
		return nil
	}
	return func(c component.Name, user string) bool {
		a := s.Whole().Account(c)
		return a.Ours() && a.Generation(user) > 0 || !a.Ours() && strings.EqualFold(a.Principal, user)
	}
}
