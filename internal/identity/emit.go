package identity

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// The versions of VSphereClusterIdentity.
const (
	V1Beta2 = "v1beta2"
	V1Beta1 = "v1beta1"
)

// moveLabel makes 'clusterctl move' take an object and what it owns
// (kubernetes-sigs/cluster-api@01bc3b545082:cmd/clusterctl/client/cluster/objectgraph.go).
const moveLabel = "clusterctl.cluster.x-k8s.io/move-hierarchy"

// Allowance says which namespaces may use an identity. Its zero value says nothing, and is refused.
type Allowance struct {
	set      bool
	selector *metav1.LabelSelector // nil = none
	names    []string              // the namespaces of the selector, where it is one of names
}

// AllowForms are the forms of [ParseAllowance], for people.
func AllowForms() string {
	return "none, all, names=team-a,team-b or selector=LABELS as 'oc get namespaces -l' takes them"
}

// ParseAllowance reads who may use an identity: none, all, names=a,b or selector=LABELS.
func ParseAllowance(text string) (Allowance, error) {
	form, rest, _ := strings.Cut(text, "=")
	a := Allowance{set: true}
	switch {
	case text == "none":
	case text == "all":
		a.selector = &metav1.LabelSelector{}
	case form == "names" && rest != "":
		a.names = strings.Split(rest, ",")
		for i, name := range a.names {
			if a.names[i] = strings.TrimSpace(name); len(validation.IsDNS1123Label(a.names[i])) > 0 {
				return Allowance{}, fmt.Errorf("%q is not the name of a namespace", name)
			}
		}
		a.selector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{
			Key:      nameLabel,
			Operator: metav1.LabelSelectorOpIn, Values: a.names,
		}}}
	case form == "selector" && rest != "":
		selector, err := labelSelector(rest)
		if err != nil {
			return Allowance{}, fmt.Errorf("%q is not a label selector: %w", rest, err)
		}
		a.selector = selector
	default:
		return Allowance{}, fmt.Errorf("%q is not valid: use %s", text, AllowForms())
	}
	return a, nil
}

// labelSelector reads a selector as `oc get -l` takes it, where != is NotIn.
func labelSelector(text string) (*metav1.LabelSelector, error) {
	required, err := labels.ParseToRequirements(text)
	if err != nil {
		return nil, err
	}
	s := &metav1.LabelSelector{}
	for _, r := range required {
		values := slices.Sorted(slices.Values(r.Values().UnsortedList()))
		e := metav1.LabelSelectorRequirement{Key: r.Key(), Values: values}
		switch r.Operator() {
		case selection.Equals, selection.DoubleEquals, selection.In:
			e.Operator = metav1.LabelSelectorOpIn
		case selection.NotEquals, selection.NotIn:
			e.Operator = metav1.LabelSelectorOpNotIn
		case selection.Exists:
			e.Operator, e.Values = metav1.LabelSelectorOpExists, nil
		case selection.DoesNotExist:
			e.Operator, e.Values = metav1.LabelSelectorOpDoesNotExist, nil
		default:
			return nil, fmt.Errorf("namespaces cannot be selected by %s", r.Operator())
		}
		if _, twice := s.MatchLabels[e.Key]; len(values) == 1 && e.Operator == metav1.LabelSelectorOpIn && !twice {
			s.MatchLabels = labels.Merge(s.MatchLabels, labels.Set{e.Key: values[0]})
			continue
		}
		s.MatchExpressions = append(s.MatchExpressions, e)
	}
	return s, nil
}

// Refuses says why a cluster in a namespace may not use the identity; "" if labels decide.
func (a Allowance) Refuses(namespace string) string {
	i := ClusterIdentity{Kind: KindVSphereIdentity, Closed: a.selector == nil, Selector: a.selector}
	return i.allows(namespace, nil, false).refusal
}

// comment says above the field what it means, because its empty forms mean opposite things.
func (a Allowance) comment() string {
	switch {
	case a.selector == nil:
		return "allowedNamespaces is not set: no namespace may use it"
	case len(a.selector.MatchLabels)+len(a.selector.MatchExpressions) == 0:
		return "the selector is empty: every namespace may use it"
	}
	return "namespaces that may use it: " + metav1.FormatLabelSelector(a.selector)
}

// Manifest is an account of one vCenter, as clusters of Cluster API share it.
type Manifest struct {
	Server  string
	Name    string // of the VSphereClusterIdentity and of its secret
	Account credfile.Account
}

// Options say how identities are written.
type Options struct {
	Version   string    // one of the versions; "" = v1beta2
	Namespace string    // of the controller, where the secrets are; "" = [cluster.ControllerNamespace]
	Allow     Allowance // required
	Move      bool      // 'clusterctl move' takes them along
	Secret    bool      // only secrets, in the VSphereCluster's Namespace, without Allow
}

// DefaultName is an identity's default name; [Emit] refuses it if Kubernetes does.
func DefaultName(cluster, server string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return '-'
	}, strings.ToLower(strings.Trim(cluster+"-"+server, "-")))
	return strings.Trim(name, "-.")
}

// CheckManifests refuses invalid names, accounts and options. No error holds a password.
func CheckManifests(identities []Manifest, o Options) error {
	var errs []error
	switch {
	case len(identities) == 0:
		return errors.New("no account for the identity")
	case !o.Secret && !o.Allow.set:
		return hint.Errorf(AllowForms(), "the namespaces that may use the identity are not set")
	case o.Version != "" && o.Version != V1Beta1 && o.Version != V1Beta2:
		return fmt.Errorf("unknown version %q of VSphereClusterIdentity: known are %s, %s", o.Version,
			V1Beta2, V1Beta1)
	case o.Namespace != "" && len(validation.IsDNS1123Label(o.Namespace)) > 0:
		return fmt.Errorf("%q is not the name of a namespace", o.Namespace)
	}
	seen := map[string]string{}
	for _, i := range identities {
		if wrong := validation.IsDNS1123Subdomain(i.Name); len(wrong) > 0 {
			errs = append(errs, fmt.Errorf("%s: %q is not a valid identity name: %s", i.Server, i.Name, wrong[0]))
		}
		if other, twice := seen[i.Name]; twice {
			errs = append(errs, fmt.Errorf("%s: identity %q is already used for %s: an identity has one account, so each vCenter needs its own", i.Server, i.Name, other))
		}
		seen[i.Name] = i.Server
		if why := i.Account.Unusable(); why != "" {
			errs = append(errs, fmt.Errorf("%s: %s", i.Server, why))
		}
	}
	return errors.Join(errs...)
}

// Emit writes each identity after its secret, as YAML with passwords, for a pipe to oc or a private
// file. Equal names give equal objects, to apply again: a deleted identity takes its secret along,
// and a new one would find the old one going.
func Emit(w io.Writer, identities []Manifest, o Options) error {
	if err := CheckManifests(identities, o); err != nil {
		return err
	}
	namespace, version := cmp.Or(o.Namespace, cluster.ControllerNamespace), cmp.Or(o.Version, V1Beta2)
	var b bytes.Buffer
	what := "Cluster identities"
	if o.Secret {
		what = "Secrets of VSphereClusters"
	}
	b.WriteString("# " + what + " for `oc apply -f -`. Apply over those that are there; do not delete and recreate them.\n")
	for _, i := range identities {
		secret := corev1.Secret{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: KindSecret},
			ObjectMeta: metav1.ObjectMeta{Name: i.Name, Namespace: namespace},
			Type:       corev1.SecretTypeOpaque,
			Data:       map[string][]byte{"username": []byte(i.Account.User), "password": []byte(i.Account.Password.Reveal())},
		}
		meta, spec := map[string]any{"name": i.Name}, map[string]any{"secretName": i.Name}
		if o.Move {
			meta["labels"] = map[string]string{moveLabel: ""}
		}
		if o.Allow.selector != nil {
			spec["allowedNamespaces"] = map[string]any{"selector": o.Allow.selector}
		}
		objects := []any{secret, map[string]any{ // the spec is the same in both versions
			"apiVersion": infrastructureGroup + "/" + version, "kind": KindVSphereIdentity,
			"metadata": meta, "spec": spec,
		}}
		if o.Secret {
			objects = objects[:1]
		}
		for _, object := range objects {
			text, err := yaml.Marshal(object)
			if err != nil {
				return fmt.Errorf("%s: %w", i.Name, err)
			}
			b.WriteString("---\n")
			for line := range strings.Lines(string(text)) {
				if line == "spec:\n" {
					fmt.Fprintf(&b, "# %s\n", o.Allow.comment())
				}
				b.WriteString(line)
			}
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// RefPatch is the merge patch with which a VSphereCluster uses an identity or a secret beside it.
func RefPatch(kind, name string) string {
	return fmt.Sprintf(`{"spec":{"identityRef":{"kind":%q,"name":%q}}}`, kind, name)
}

// Kinds are what a VSphereCluster's identityRef may name, the default first.
func Kinds() []string { return []string{KindVSphereIdentity, KindSecret} }

// Versions lists the versions, the default first.
func Versions() []string { return []string{V1Beta2, V1Beta1} }
