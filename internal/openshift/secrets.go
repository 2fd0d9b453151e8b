package openshift

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// Accounts holds the accounts by server and component; "installer" is the main account.
type Accounts map[string]map[string]credfile.Account

// FromFile collects the accounts of servers from a credentials file. A server without any has an empty entry.
func FromFile(f *credfile.File, servers []string) Accounts {
	a := Accounts{}
	for _, server := range servers {
		a[server] = map[string]credfile.Account{}
		for _, c := range privileges.Components() {
			if account, ok := f.Get(server, string(c)); ok {
				a[server][string(c)] = account
			}
		}
	}
	return a
}

// requestKey is the label and the annotation by which cloud-credential-operator ties a secret to a request.
const requestKey = "cloudcredential.openshift.io/credentials-request"

// The values of [EmitOptions.CCOLabel].
const (
	LabelTrue = "true" // the operator's own constant
	LabelYes  = "yes"  // the enhancement's
	LabelNone = "none" // neither label nor annotation: the operator would add the label to what has the annotation
)

// EmitOptions chooses among the secrets.
type EmitOptions struct {
	Components []privileges.Component // nil = the four that have a secret; the installer has none and is passed over
	CCOLabel   string                 // "" = LabelTrue
	Namespace  string                 // "" = kube-system
}

func (o EmitOptions) label() string {
	if o.CCOLabel == "" {
		return LabelTrue
	}
	return o.CCOLabel
}

func (o EmitOptions) namespace() string {
	if o.Namespace == "" {
		return metav1.NamespaceSystem
	}
	return o.Namespace
}

// The most vCenters that the installer's validation and the CSI driver accept.
const (
	installerVCenters = 3
	csiVCenters       = 5
)

// userName is the CSI driver's pattern for DOMAIN\user and user@domain (openshift/vmware-vsphere-csi-driver@6b18bb29fc45,
// pkg/common/config/config.go).
var userName = regexp.MustCompile(`^(?:[a-zA-Z0-9.-]+\\[a-zA-Z0-9._-]+|[a-zA-Z0-9._-]+@[a-zA-Z0-9.-]+)$`)

// Secrets makes the secret of each component, in the order of [privileges.Components]: for every server exactly the
// keys `<server>.username` and `<server>.password`. A component without an account on a server gets the main account
// there, and a warning says so. All that is refused is in the error, by server; no error or warning holds a password.
func Secrets(servers []string, a Accounts, o EmitOptions) ([]corev1.Secret, []string, error) {
	components, err := o.components()
	if err != nil {
		return nil, nil, err
	}
	if len(servers) == 0 {
		return nil, nil, errors.New("no vCenter to make secrets for")
	}
	data := map[privileges.Component]map[string][]byte{}
	for _, c := range components {
		data[c] = map[string][]byte{}
	}
	var warnings []string
	var refused []error
	seen := map[string]bool{}
	for _, server := range servers {
		if err := checkServer(server); err != nil {
			refused = append(refused, err)
			continue
		}
		if seen[server] {
			refused = append(refused, fmt.Errorf("%s: named twice: a secret has one account per vCenter", server))
			continue
		}
		seen[server] = true
		warned, err := fill(data, server, components, a[server])
		warnings = append(warnings, warned...)
		if err != nil {
			refused = append(refused, err)
		}
	}
	if err := errors.Join(refused...); err != nil {
		return nil, nil, err
	}
	var secrets []corev1.Secret
	for _, c := range components {
		secrets = append(secrets, o.secret(c, data[c]))
	}
	return secrets, append(warnings, o.warnings(len(servers), components)...), nil
}

// components returns those to emit, in the usual order.
func (o EmitOptions) components() ([]privileges.Component, error) {
	if l := o.label(); l != LabelTrue && l != LabelYes && l != LabelNone {
		return nil, fmt.Errorf("unknown value %q for the label of cloud-credential-operator: use %s, %s or %s", l, LabelTrue, LabelYes, LabelNone)
	}
	for _, c := range o.Components {
		if !slices.Contains(privileges.Components(), c) {
			return nil, fmt.Errorf("unknown component %q: known are %s", c, names(privileges.Components()))
		}
	}
	var list []privileges.Component
	for _, c := range privileges.Components() {
		if _, has := consumerOf(c); has && (o.Components == nil || slices.Contains(o.Components, c)) {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no component with a secret is chosen: the %s's account is the one that others fall back to", privileges.Installer)
	}
	return list, nil
}

// checkServer refuses names that cannot be part of a secret's key. Readers look keys up by the name as it is, so there
// is no way to escape it.
func checkServer(server string) error {
	if server == "" {
		return errors.New("a vCenter without a name cannot have a key in a secret")
	}
	var reason string
	switch {
	case strings.Count(server, ":") > 1:
		reason = "an IPv6 address cannot be part of a secret's key"
	case strings.Contains(server, ":"):
		reason = "a name with a port cannot be part of a secret's key"
	case len(validation.IsConfigMapKey(server+".username")) > 0:
		reason = "a secret's key has at most 253 of the characters a-z, A-Z, 0-9, '-', '_' and '.'"
	default:
		return nil
	}
	return fmt.Errorf("%q: %s, and OpenShift looks for <server>.username as it is: use the vCenter's host name "+
		"(install-config.yaml has the port in a field of its own)", server, reason)
}

// fill writes the accounts of one server into the data of each component.
func fill(data map[privileges.Component]map[string][]byte, server string, components []privileges.Component,
	accounts map[string]credfile.Account,
) (warnings []string, err error) {
	var refused []error
	var orphans, fallbacks []privileges.Component
	main, hasMain := accounts[string(privileges.Installer)]
	for _, c := range components {
		account, own := accounts[string(c)]
		if !own {
			if !hasMain {
				orphans = append(orphans, c)
				continue
			}
			fallbacks = append(fallbacks, c)
			account = main
		}
		warning, err := checkAccount(c, account)
		if err != nil {
			refused = append(refused, fmt.Errorf("%s: %s: %w", server, c, err))
			continue
		}
		if warning != "" {
			warnings = append(warnings, fmt.Sprintf("%s: %s: %s", server, c, warning))
		}
		data[c][server+".username"] = []byte(account.User)
		data[c][server+".password"] = []byte(account.Password.Reveal())
	}
	if len(orphans) > 0 {
		refused = append(refused, fmt.Errorf("%s: no account for %s and no main account (%s) to use instead: create the accounts, "+
			"or write them into the credentials file", server, names(orphans), privileges.Installer))
	}
	if len(fallbacks) > 0 {
		warnings = append([]string{fmt.Sprintf("%s: no account of its own for %s: the main account %s is used instead",
			server, names(fallbacks), main.User)}, warnings...)
	}
	return warnings, errors.Join(refused...)
}

// checkAccount tells what the component would make of the account.
func checkAccount(c privileges.Component, a credfile.Account) (warning string, err error) {
	for _, part := range []struct{ name, value string }{{"user name", a.User}, {"password", a.Password.Reveal()}} {
		switch {
		case part.value == "":
			return "", fmt.Errorf("the %s is empty, which the cloud controller manager and others refuse", part.name)
		case strings.ContainsAny(part.value, "\r\n"):
			return "", fmt.Errorf("the %s holds a line break, which the problem detector reports and others trim: remove it", part.name)
		}
	}
	if userName.MatchString(a.User) {
		return "", nil
	}
	const form = `is neither user@domain nor DOMAIN\user of letters, digits, '.', '_' and '-'`
	if c == privileges.CSIDriver {
		return "", fmt.Errorf("user name %q %s, so the CSI driver would not start: use another account", a.User, form)
	}
	return fmt.Sprintf("user name %q %s: the problem detector reports such names as UsernameWithoutDomain", a.User, form), nil
}

func (o EmitOptions) secret(c privileges.Component, data map[string][]byte) corev1.Secret {
	known, _ := consumerOf(c)
	s := corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{Name: known.secret, Namespace: o.namespace()},
		Type:       corev1.SecretTypeOpaque,
		Data:       data,
	}
	if l := o.label(); l != LabelNone {
		ns, name := RequestName(c)
		s.Labels = map[string]string{requestKey: l}
		s.Annotations = map[string]string{requestKey: ns + "/" + name}
	}
	return s
}

// warnings says what no secret can cure.
func (o EmitOptions) warnings(servers int, components []privileges.Component) []string {
	var w []string
	if servers > installerVCenters {
		w = append(w, fmt.Sprintf("%d vCenters: the installer accepts at most %d", servers, installerVCenters))
	}
	if servers > csiVCenters && slices.Contains(components, privileges.CSIDriver) {
		w = append(w, fmt.Sprintf("%d vCenters: the CSI driver accepts at most %d", servers, csiVCenters))
	}
	if o.namespace() != metav1.NamespaceSystem {
		w = append(w, fmt.Sprintf("namespace %s: cloud-credential-operator looks for these secrets in %s only", o.namespace(), metav1.NamespaceSystem))
	}
	if o.label() == LabelYes {
		w = append(w, `label "yes": cloud-credential-operator rewrites it to "true"; only the name of the secret is found after that`)
	}
	return append(w,
		"these secrets are read by the cloud-credential-operator of the enhancement; a release without it reads kube-system/vsphere-creds alone",
		"machine-config-operator (boot image updates) and cluster-capi-operator read kube-system/vsphere-creds themselves: "+
			"keep that secret, with the machine-api account in it, or set managedBootImages to mode None")
}

// FileName is the name under which the installer writes a secret of these into its manifests.
func FileName(s corev1.Secret) string { return "99_" + s.Name + ".yaml" }

func names(components []privileges.Component) string {
	var list []string
	for _, c := range components {
		list = append(list, string(c))
	}
	return strings.Join(list, ", ")
}
