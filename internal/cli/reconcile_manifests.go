package cli

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// manifests writes what openshift-install takes along: the secrets of all requests with ccoctl's names, and the config map
// that disables the cloud-credential-operator. credentials is the path of the accounts.
func (r *reconciling) manifests(credentials string) error {
	file, err := r.openAt(credentials, false)
	if err != nil {
		return err
	}
	emit := openshift.EmitOptions{Profile: openshift.ProfileManual, Requests: r.to, Some: true, BootImages: r.Spec.Conditions(nil)[privileges.BootImageUpdates]}
	for _, q := range r.to.List {
		if q.Component != "" {
			emit.Components = append(emit.Components, q.Component) // named: one that is opt-in and has no account is not ignored
		}
	}
	from := servers(r.Spec.Whole())
	list, warnings, err := openshift.Manifests(from, shared(r.Spec, openshift.FromFile(file, from)).Only(emit.Components), emit)
	if errors.Is(err, openshift.ErrNoAccount) {
		return hint.Wrap(err, "'"+program+" apply', or this run without --vcenters and --components, creates the accounts; --assign REQUEST=none leaves a request without an account")
	}
	if err != nil {
		return err
	}
	r.warn(warnings...)
	dir := r.Held.Manifests
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return badFlag("manifests", "%w", err)
	}
	if err := r.checkManifests(); err != nil { // again, before the first is written
		return err
	}
	for _, m := range append(list, openshift.DisableOperator()) {
		var text bytes.Buffer
		if err := openshift.WriteYAML(&text, []openshift.Manifest{m}, emit); err != nil {
			return err
		}
		where := filepath.Join(dir, path.Base(m.File))
		if err := writePrivate(where, text.Bytes()); err != nil {
			return badFlag("manifests", "%w", err)
		}
		r.Infof("%s", where)
	}
	r.Infof("the cloud-credential-operator is disabled from the start (mode Manual), with a config map because openshift-install refuses credentialsMode on vSphere")
	r.Infof("kube-system/vsphere-creds is not written here: openshift-install writes it, with the account in install-config.yaml")
	r.next("openshift-install create cluster --dir " + filepath.Dir(filepath.Clean(dir)))
	return nil
}

// shared are the accounts by whose they are in a specification: its profile may give several components one account. s may be nil.
func shared(s *spec.Spec, accounts openshift.Accounts) openshift.Accounts {
	if s == nil {
		return accounts
	}
	for _, own := range accounts {
		for _, c := range component.Names() {
			account, has := own[s.Whole().Account(c).Component]
			if has {
				own[c] = account
			}
		}
	}
	return accounts
}

// checkManifests refuses a directory where something else has the name of a manifest that is to be written.
func (r *reconciling) checkManifests() error {
	if r.Held.Manifests == "" {
		return nil
	}
	where := func(file string) string { return filepath.Join(r.Held.Manifests, path.Base(file)) }
	errs := []error{isOurs(where(openshift.DisableOperator().File), component.Ref{})}
	for _, q := range r.to.List {
		if q.Component != "" {
			errs = append(errs, isOurs(where(openshift.RequestFile(q.SecretRef)), q.SecretRef))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return badFlag("manifests", "%w", err)
	}
	return nil
}

// isOurs refuses a file that is there and holds anything else than the secret that is to be written, or with none the config
// map: an earlier run's may be written over.
func isOurs(where string, secret component.Ref) error {
	data, err := files.Read(where, files.Text)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	other := hint.Errorf("move it away, or choose another directory", "%s exists with other content: it is not overwritten", where)
	if secret == (component.Ref{}) {
		if !openshift.IsDisableOperator(data) {
			return other
		}
		return nil
	}
	secrets, err := openshift.ParseSecrets(where, data)
	if err != nil || len(secrets) != 1 || secrets[0].Namespace != secret.Namespace || secrets[0].Name != secret.Name {
		return other
	}
	return nil
}
