// Package held keeps secrets made before an upgrade until their namespaces exist, in a directory of
// files, plain or encrypted, from which nothing is lost or leaves early.
package held

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/objects"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// What a held secret says of itself. The annotations are ours, and go before the cluster sees it.
const (
	heldRequest   = "ocp-vsphere-admin.github.io/credentials-request"
	heldComponent = "ocp-vsphere-admin.github.io/component"
)

// Secret is that of a CredentialsRequest that a cluster may lack until its upgrade brings the
// namespace (openshift/enhancements, manual-cloud-credentials, "temporary secret storage").
type Secret struct {
	Request   component.Ref  // that asked for it
	Component component.Name // whose account it holds
	Manifest  openshift.Manifest

	Sealed  bool   // its file is encrypted
	Printed bool   // printed by an earlier run, not known to be applied
	renewed bool   // its passwords are those of [Secret.Current], and its file has older ones
	file    string // where it is, in the directory
}

// At is the secret's namespace and name.
func (s Secret) At() component.Ref {
	return component.At(s.Manifest.Secret.Namespace, s.Manifest.Secret.Name)
}

// File is the name of its file: ccoctl's, and .age behind it where it is encrypted.
func (s Secret) File() string {
	name := path.Base(s.Manifest.File)
	if s.Sealed {
		return name + sealedEnd
	}
	return name
}

// Servers are the vCenters that it has accounts of, by name.
func (s Secret) Servers() []string {
	var servers []string
	for key := range s.Manifest.Secret.Data {
		if server, isUser := strings.CutSuffix(key, ".username"); isUser {
			servers = append(servers, server)
		}
	}
	return slices.Sorted(slices.Values(servers))
}

func (s Secret) same(data map[string][]byte) bool {
	return maps.EqualFunc(s.Manifest.Secret.Data, data, bytes.Equal)
}

func emitting(requests ...release.Request) openshift.EmitOptions {
	return openshift.EmitOptions{Profile: openshift.ProfileManual, Requests: &release.Requests{List: requests}, Some: true}
}

// Make makes the secrets of requests from the accounts of a credentials file, one for each wanted
// secret. Requests without a component get none. A component without its own account on a server is
// an [openshift.ErrNoAccount]. Warnings and errors hold no password; see [openshift.Manifests].
func Make(servers []string, accounts openshift.Accounts, requests []release.Request) ([]Secret, []string, error) {
	requests = slices.DeleteFunc(slices.Clone(requests),
		func(q release.Request) bool { return q.Component == "" })
	if len(requests) == 0 {
		return nil, nil, nil
	}
	o := emitting(requests...)
	var refused []error
	for _, q := range requests {
		if slices.Contains(o.Components, q.Component) {
			continue
		}
		o.Components = append(o.Components, q.Component) // so that an opt-in one is not ignored
		without := slices.DeleteFunc(slices.Clone(servers), func(server string) bool {
			_, has := accounts[server][q.Component]
			return has
		})
		if len(without) > 0 {
			refused = append(refused,
				fmt.Errorf("%w for %s on %s", openshift.ErrNoAccount, q.Component, strings.Join(without, ", ")))
		}
	}
	if err := errors.Join(refused...); err != nil {
		return nil, nil, err
	}
	manifests, warnings, err := openshift.Manifests(servers, accounts, o)
	if err != nil {
		return nil, nil, err
	}
	var list []Secret
	files := map[string]component.Ref{}
	for _, m := range manifests {
		h := Secret{Manifest: m}
		i := slices.IndexFunc(requests, func(q release.Request) bool { return q.SecretRef == h.At() })
		h.Request, h.Component = requests[i].Ref, requests[i].Component
		if other, taken := files[h.File()]; taken { // "-" joins namespace and name, and both may hold one
			return nil, nil, fmt.Errorf("secrets %s and %s would have one file %s: ccoctl names them alike",
				other, h.At(), h.File())
		}
		files[h.File()] = h.At()
		list = append(list, h)
	}
	return list, warnings, nil
}

// ErrOtherAccount says that a component's account in the credentials file is not the held one,
// maybe because the file is another cluster's, with the same components.
var ErrOtherAccount = errors.New("another account")

// Today is a cluster's present state, which may be newer than a held secret.
type Today struct {
	Accounts openshift.Accounts // of the credentials file
	Servers  []string           // the cluster's; nil = unknown, keep the secret's
	// whether a user is a generation of a component's account; nil = only the held user is
	Ours func(c component.Name, user string) bool
}

// Current gives the secret as it would be made now.
func (s Secret) Current(today Today) (now Secret, changed bool, err error) {
	servers := today.Servers
	if servers == nil {
		servers = s.Servers()
	}
	fresh, _, err := Make(servers, today.Accounts,
		[]release.Request{{Ref: s.Request, SecretRef: s.At(), Component: s.Component}})
	if err != nil {
		return s, false, err
	}
	now = s
	now.Manifest.Secret = fresh[0].Manifest.Secret
	for _, server := range servers {
		had, user := s.user(server), now.user(server)
		if !strings.EqualFold(had, user) && (today.Ours == nil || !today.Ours(s.Component, user) || had != "" && !today.Ours(s.Component, had)) {
			return s, false, fmt.Errorf("%s: %w for %s: %s is held, and the credentials file has %s", server,
				ErrOtherAccount, s.Component, cmp.Or(had, "none"), user)
		}
	}
	now.renewed = !s.same(now.Manifest.Secret.Data)
	return now, now.renewed, nil
}

func (s Secret) user(server string) string { return string(s.Manifest.Secret.Data[server+".username"]) }

// Check refuses a secret that does not fit its request: a writer in the directory could swap
// accounts or places, even of encrypted files. requests are those of the next releases beside those
// of every release. mayBe reports whether a user may be a component's account; nil = unknown.
func (s Secret) Check(requests *release.Requests, mayBe func(component.Name, string) bool) error {
	var asked release.Request
	if known, ok := release.ConsumerNamed(s.Request.Name); ok &&
		s.Request.Namespace == release.RequestNamespace {
		asked.SecretRef, asked.Component = known.Target, known.Component
	}
	if requests != nil {
		for _, q := range requests.List {
			if q.Ref == s.Request {
				asked.SecretRef, asked.Component = q.SecretRef, cmp.Or(q.Component, asked.Component)
			}
		}
	}
	const again = "somebody may have changed the held file: remove it and run the reconciliation with --held again; if the request changes with the next release, --requests DIR reads it"
	switch {
	case asked.SecretRef == (component.Ref{}), asked.Component == "":
		return hint.Errorf("the requests of the next release tell: --requests DIR --assign "+s.Request.Name+"=COMPONENT",
			"secret %s: whether CredentialsRequest %s asks for it, and gets the account of %s, is not known",
			s.At(), s.Request, s.Component)
	case asked.SecretRef != s.At():
		return hint.Errorf(again, "secret %s: CredentialsRequest %s asks for %s", s.At(), s.Request,
			asked.SecretRef)
	case asked.Component != s.Component:
		return hint.Errorf(again,
			"secret %s has the account of %s: CredentialsRequest %s gets that of %s", s.At(), s.Component,
			s.Request, asked.Component)
	}
	for _, server := range s.Servers() {
		if user := s.user(server); mayBe != nil && !mayBe(s.Component, user) {
			return hint.Errorf(again,
				"secret %s has %s for %s, which is no account of %s in the specification", s.At(), user, server,
				s.Component)
		}
	}
	return nil
}

func (s Secret) text() ([]byte, error) {
	marked := *s.Manifest.Secret
	marked.Annotations = labels.Merge(marked.Annotations, labels.Set{
		heldRequest: s.Request.String(), heldComponent: string(s.Component),
	})
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Held until namespace %s exists: 'ocp-vsphere-admin secrets release' prints it.\n", s.At().Namespace)
	err := openshift.WriteYAML(&b, []openshift.Manifest{{File: s.Manifest.File, Secret: &marked}}, emitting())
	return b.Bytes(), err
}

var errNotHeld = errors.New("is not a held secret")

// parseHeld reads a file's content, called name in errors, which hold no values; errNotHeld if not
// ours.
func parseHeld(name string, data []byte) (Secret, error) {
	secrets, err := objects.ParseSecrets(name, data)
	if err != nil {
		return Secret{}, err
	}
	if len(secrets) != 1 {
		return Secret{}, fmt.Errorf("%s: %w: it holds %d secrets", name, errNotHeld, len(secrets))
	}
	secret := secrets[0]
	namespace, request, _ := strings.Cut(secret.Annotations[heldRequest], "/")
	h := Secret{
		Request: component.At(namespace, request), Component: component.Name(secret.Annotations[heldComponent]),
		Manifest: openshift.Manifest{File: openshift.RequestFile(component.At(secret.Namespace, secret.Name)), Secret: &secret},
	}
	_, known := component.Find(h.Component)
	switch {
	case request == "" || h.Component == "":
		return Secret{}, fmt.Errorf("%s: %w: it does not say for which request and component", name, errNotHeld)
	case !known:
		return Secret{}, fmt.Errorf("%s: %w: its component is not known", name, errNotHeld)
	case secret.Namespace == "" || strings.ContainsAny(secret.Namespace+secret.Name, `/\`) || len(h.Servers()) == 0:
		return Secret{}, fmt.Errorf("%s: %w: it has no accounts", name, errNotHeld)
	}
	delete(secret.Annotations, heldRequest)
	delete(secret.Annotations, heldComponent)
	if len(secret.Annotations) == 0 {
		secret.Annotations = nil
	}
	return h, nil
}

func (s Secret) inCluster(c *cluster.Cluster) bool {
	if c == nil {
		return false
	}
	there := c.Object(s.At())
	return there != nil && equality.Semantic.DeepEqual(there.Data, s.Manifest.Secret.Data)
}

// Release is what becomes of held secrets.
type Release struct {
	Applied []Secret // in the cluster: no longer to be held
	Due     []Secret // their namespace is there
	Waiting []Secret
	Why     map[component.Ref]error // of those that wait
}

// Decide sorts held secrets by what to do in a cluster with these namespaces. c may be nil; what it
// has need not be released. lost are those whose accounts are gone, and why: they stay.
func Decide(list []Secret, namespaces openshift.Namespaces, c *cluster.Cluster, lost map[component.Ref]error) Release {
	r := Release{Why: map[component.Ref]error{}}
	for _, h := range list {
		err := cmp.Or(lost[h.At()], namespaces.Takes(h.At().Namespace))
		switch {
		case h.inCluster(c):
			r.Applied = append(r.Applied, h)
		case err != nil:
			r.Waiting = append(r.Waiting, h)
			r.Why[h.At()] = err
		default:
			r.Due = append(r.Due, h)
		}
	}
	return r
}

// Present are held secrets as made now, in the same order. stale are those with changed accounts,
// unchecked those that cannot be made now, and why: they stay unchanged.
func Present(list []Secret, today Today) (now []Secret, stale map[component.Ref]bool, unchecked map[component.Ref]error) {
	stale, unchecked = map[component.Ref]bool{}, map[component.Ref]error{}
	for _, h := range list {
		current, changed, err := h.Current(today)
		if err != nil {
			unchecked[h.At()] = err
		}
		if changed {
			stale[h.At()] = true
		}
		now = append(now, current)
	}
	return now, stale, unchecked
}

// New are the requests whose secrets a cluster of the running release may lack: new ones, moved
// ones, and those behind a feature gate, whose state requests do not tell. Holding a secret that
// the cluster has is harmless. A renamed request has its secret already.
func New(from, to []release.Request) []release.Request {
	return slices.DeleteFunc(slices.Clone(to), func(q release.Request) bool {
		return q.Component == "" || slices.ContainsFunc(from, func(had release.Request) bool {
			return had.SecretRef == q.SecretRef && had.FeatureGate == ""
		})
	})
}
