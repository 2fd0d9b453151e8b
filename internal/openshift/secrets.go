package openshift

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// RequestKey is the label and annotation for cloud-credential-operator's request.
const RequestKey = "cloudcredential.openshift.io/credentials-request"

// The values of [EmitOptions.CCOLabel].
const (
	LabelTrue = "true" // the operator's own constant
	LabelYes  = "yes"  // the enhancement's
	LabelNone = "none" // no annotation either, from which a label follows
)

// EmitOptions chooses among the secrets.
type EmitOptions struct {
	Profile    string            // a name of [Profiles], "" for the first
	Components []component.Name  // nil = all with a secret; the installer only if shared
	CCOLabel   string            // "" = LabelTrue; of Labelled profiles
	Namespace  string            // of the secrets of Labelled profiles; "" = kube-system
	RootSecret bool              // kube-system/vsphere-creds as well, with machine-api's account
	MainFor    []component.Name  // main account where they lack one; Main profiles
	Extra      []string          // of Extras, machine-api's; other than Manual profiles ignore them
	Requests   *release.Requests // of Requests profiles
	Instances  Instances         // for [VCentersKey]; unknown ones are left out
	BootImages bool              // machine-api's account may update boot images
	Driver     Driver            // the CSI driver's configuration, in profiles with Homes
	Head       string            // comment above the secrets; "" = the profile's
	Some       bool              // not all secrets: other readers are not reported
}

// profile is the chosen one, checked before; see check.
func (e EmitOptions) profile() Profile {
	p, _ := FindProfile(e.Profile)
	return p
}

func (e EmitOptions) label() string {
	return cmp.Or(e.CCOLabel, LabelTrue)
}

func (e EmitOptions) namespace() string {
	return cmp.Or(e.Namespace, root.Namespace)
}

// Manifest is one file for the cluster: a Secret, a Role or a ConfigMap.
type Manifest struct {
	File      string // below the output directory, with slashes; the installer's or ccoctl's name
	Secret    *corev1.Secret
	Role      *rbacv1.Role
	ConfigMap *corev1.ConfigMap
}

// Manifests makes the secrets of a profile, in the order of [component.Names]: for every server the
// keys `<server>.username` and `<server>.password`. A component without an account on a server is
// an error, or a warning if it is to have the main account. Warnings also tell what no secret can
// fix. The error joins all refusals, by server; errors and warnings hold no password.
func Manifests(servers []string, a Accounts, o EmitOptions) ([]Manifest, []string, error) {
	if err := o.check(); err != nil {
		return nil, nil, err
	}
	o = o.WithOptIn(a)
	sinks, err := o.sinks()
	if err != nil {
		return nil, nil, err
	}
	if len(servers) == 0 {
		return nil, nil, errors.New("no vCenter to create secrets for")
	}
	data := make([]map[string][]byte, len(sinks))
	for i := range data {
		data[i] = map[string][]byte{}
	}
	var warnings []string
	main := false
	var refused []error
	seen := map[string]bool{}
	for _, server := range servers {
		if err := CheckServer(server); err != nil {
			refused = append(refused, err)
			continue
		}
		if seen[server] {
			refused = append(refused, fmt.Errorf("%s: listed twice: a secret has one account per vCenter", server))
			continue
		}
		seen[server] = true
		share := o.share(server, components(sinks), a[server])
		warnings, main = append(warnings, share.warnings()...), main || len(share.Main) > 0
		if err := share.err(o.profile()); err != nil {
			refused = append(refused, err)
			continue
		}
		for i, s := range sinks {
			account := share.Gets[s.component]
			data[i][server+UserKey] = []byte(account.User)
			data[i][server+PasswordKey] = []byte(account.Password.Reveal())
		}
	}
	if err := errors.Join(refused...); err != nil {
		return nil, nil, err
	}
	if main {
		warnings = append(warnings, credfile.MainAccount)
	}
	var manifests []Manifest
	for i, s := range sinks {
		if o.profile().Homes[component.CSIDriver] == s.at {
			if data[i], err = o.Driver.conf(servers, func(server string) credfile.Account {
				return o.share(server, components(sinks), a[server]).Gets[s.component]
			}); err != nil {
				return nil, nil, err
			}
		}
		secret := s.secret(data[i])
		o.Instances.Record(&secret, servers)
		manifests = append(manifests, Manifest{File: s.file, Secret: &secret})
	}
	if o.profile().Shared() {
		manifests = append(manifests, Manifest{File: roleFile, Role: readerRole()})
	}
	return manifests, append(warnings, o.warnings(len(servers), sinks, a)...), nil
}

// components lists those whose accounts go into sinks, each once, in the usual order.
func components(sinks []sink) []component.Name {
	return slices.DeleteFunc(component.Names(), func(c component.Name) bool {
		return !slices.ContainsFunc(sinks, func(s sink) bool { return s.component == c })
	})
}

func (s sink) secret(data map[string][]byte) corev1.Secret {
	return corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{Name: s.at.Name, Namespace: s.at.Namespace, Labels: s.labels, Annotations: s.annotations},
		Type:       corev1.SecretTypeOpaque,
		Data:       data,
	}
}

// dataNote is for secrets of keys.
const dataNote = `# The cloud controller manager refuses a secret with any other key.
# The values are under data, not stringData, so that applying them removes the keys of a vCenter that was dropped.
`

// disableNote is for the config map alone.
const disableNote = "# Takes the cloud-credential-operator out of work from the beginning: its bootstrap step reads this, and sets mode Manual.\n"

// WriteYAML writes manifests with passwords as YAML, for a pipe to oc or a private file.
func WriteYAML(w io.Writer, manifests []Manifest, o EmitOptions) error {
	var b bytes.Buffer
	switch {
	case o.Head != "":
		b.WriteString(o.Head)
	case slices.ContainsFunc(manifests, func(m Manifest) bool { return m.ConfigMap == nil }):
		b.WriteString(o.profile().head + dataNote)
	case len(manifests) > 0:
		b.WriteString(disableNote)
	}
	for _, m := range manifests {
		var object any = m.Secret
		switch {
		case m.Role != nil:
			object = m.Role
		case m.ConfigMap != nil:
			object = m.ConfigMap
		}
		text, err := yaml.Marshal(object)
		if err != nil {
			return fmt.Errorf("%s: %w", m.File, err)
		}
		b.WriteString("---\n")
		b.Write(text)
	}
	_, err := w.Write(b.Bytes())
	return err
}

type serverAccount struct {
	server string
	credfile.Account
}

// InstallerSecret is a secret outside profiles: a reader that is no component reads the installing
// account from a place of the administrator's choice.
type InstallerSecret struct {
	Head string // comment above it
	data func([]serverAccount) (map[string][]byte, error)
}

// MigrationSecret is targetVCenterCredentialsSecret of a VmwareCloudFoundationMigration: the
// accounts of a cluster's target vCenters, with the keys of the cluster's own secrets. The operator
// prepares these vCenters and puts the accounts into kube-system/vsphere-creds, unless it has some
// (openshift/vcf-migration-operator@8aeef145, api/v1alpha1, internal/openshift/secrets.go).
func MigrationSecret() InstallerSecret {
	return InstallerSecret{
		Head: "# The vSphere accounts that the vcf-migration-operator prepares the new vCenters with: targetVCenterCredentialsSecret.\n",
		data: func(all []serverAccount) (map[string][]byte, error) {
			data := map[string][]byte{}
			var errs []error
			for _, a := range all {
				errs = append(errs, CheckServer(a.server))
				data[a.server+UserKey], data[a.server+PasswordKey] = []byte(a.User), []byte(a.Password.Reveal())
			}
			return data, errors.Join(errs...)
		},
	}
}

// Manifest makes the secret with each server's installing account, or returns [ErrNoAccount].
func (i InstallerSecret) Manifest(at component.Ref, servers []string, a Accounts, installs component.Name) (Manifest, error) {
	var list []serverAccount
	var errs []error
	for _, server := range servers {
		account, ok := a[server][installs]
		if !ok {
			errs = append(errs, fmt.Errorf("%s: %w for %s", server, ErrNoAccount, installs))
			continue
		}
		if _, err := checkAccount(true, account); err != nil {
			errs = append(errs, errors.New(server+": "+err.Error()))
			continue
		}
		list = append(list, serverAccount{server, account})
	}
	if err := errors.Join(errs...); err != nil {
		return Manifest{}, err
	}
	data, err := i.data(list)
	if err != nil {
		return Manifest{}, err
	}
	s := sink{at: at}.secret(data)
	return Manifest{File: at.Namespace + "-" + at.Name + ".yaml", Secret: &s}, nil
}
