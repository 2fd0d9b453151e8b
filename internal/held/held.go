// Package held keeps secrets that were made before an upgrade until their namespaces are there: a directory of files, in the
// clear or encrypted, from which nothing is lost and nothing leaves early.
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

// Secret is that of a CredentialsRequest that a cluster of the running release need not have: it waits for its namespace, which
// comes with the upgrade (openshift/enhancements, manual-cloud-credentials, "temporary secret storage").
type Secret struct {
	Request   component.Ref  // that asked for it
	Component component.Name // whose account it holds
	Manifest  openshift.Manifest

	Sealed  bool   // its file is encrypted
	Printed bool   // an earlier run handed it out on stdout, and nobody has said yet that it was applied
	renewed bool   // its passwords are those of [Secret.Current], and its file has older ones
	file    string // where it is, in the directory
}

// At is the secret's namespace and name.
func (h Secret) At() component.Ref {
	return component.At(h.Manifest.Secret.Namespace, h.Manifest.Secret.Name)
}

// File is the name of its file: ccoctl's, and .age behind it where it is encrypted.
func (h Secret) File() string {
	name := path.Base(h.Manifest.File)
	if h.Sealed {
		return name + sealedEnd
	}
	return name
}

// Servers are the vCenters that it has accounts of, by name.
func (h Secret) Servers() []string {
	var servers []string
	for key := range h.Manifest.Secret.Data {
		if server, isUser := strings.CutSuffix(key, ".username"); isUser {
			servers = append(servers, server)
		}
	}
	return slices.Sorted(slices.Values(servers))
}

// same reports whether two have the same accounts and passwords.
func (h Secret) same(data map[string][]byte) bool {
	return maps.EqualFunc(h.Manifest.Secret.Data, data, bytes.Equal)
}

// emitting is how secrets of requests are made: with ccoctl's names, of the components' accounts.
func emitting(requests ...release.Request) openshift.EmitOptions {
	return openshift.EmitOptions{Profile: openshift.ProfileManual, Requests: &release.Requests{List: requests}, Some: true}
}

// Make makes the secrets of requests from the accounts of a credentials file, one for each secret that is asked for. A request
// without a component gets none. On each server it is the component's own account: where there is none it is an
// [openshift.ErrNoAccount] that names the servers. Warnings and errors hold no password; see [openshift.Manifests].
func Make(servers []string, accounts openshift.Accounts, requests []release.Request) ([]Secret, []string, error) {
	requests = slices.DeleteFunc(slices.Clone(requests), func(q release.Request) bool { return q.Component == "" })
	if len(requests) == 0 {
		return nil, nil, nil
	}
	o := emitting(requests...)
	var refused []error
	for _, q := range requests {
		if slices.Contains(o.Components, q.Component) {
			continue
		}
		o.Components = append(o.Components, q.Component) // named: one that is opt-in and has no account is not ignored
		without := slices.DeleteFunc(slices.Clone(servers), func(server string) bool {
			_, has := accounts[server][q.Component]
			return has
		})
		if len(without) > 0 {
			refused = append(refused, fmt.Errorf("%w for %s on %s", openshift.ErrNoAccount, q.Component, strings.Join(without, ", ")))
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
			return nil, nil, fmt.Errorf("secrets %s and %s would have one file %s: ccoctl names them alike", other, h.At(), h.File())
		}
		files[h.File()] = h.At()
		list = append(list, h)
	}
	return list, warnings, nil
}

// ErrOtherAccount says that a credentials file has another account for a component than the one that is held. It can be another
// cluster's: clusters on one vCenter have files of their own, with the same components in them.
var ErrOtherAccount = errors.New("another account")

// Today is what a cluster has now. An account may have been rotated while its secret was held, and a vCenter added.
type Today struct {
	Accounts openshift.Accounts                       // of the credentials file
	Servers  []string                                 // the cluster's vCenters; nil = nobody knows, and a secret keeps those that it has
	Ours     func(c component.Name, user string) bool // whether a user is a generation of a component's account; nil = nobody knows, and only the held user counts
}

// Current gives the secret as it would be made now.
func (h Secret) Current(today Today) (now Secret, changed bool, err error) {
	servers := today.Servers
	if servers == nil {
		servers = h.Servers()
	}
	fresh, _, err := Make(servers, today.Accounts, []release.Request{{Ref: h.Request, SecretRef: h.At(), Component: h.Component}})
	if err != nil {
		return h, false, err
	}
	now = h
	now.Manifest.Secret = fresh[0].Manifest.Secret
	for _, server := range servers {
		had, user := h.user(server), now.user(server)
		if !strings.EqualFold(had, user) && (today.Ours == nil || !today.Ours(h.Component, user) || had != "" && !today.Ours(h.Component, had)) {
			return h, false, fmt.Errorf("%s: %w for %s: %s is held, and the credentials file has %s", server, ErrOtherAccount, h.Component, cmp.Or(had, "none"), user)
		}
	}
	now.renewed = !h.same(now.Manifest.Secret.Data)
	return now, now.renewed, nil
}

// user is who logs in to a vCenter with it.
func (h Secret) user(server string) string { return string(h.Manifest.Secret.Data[server+".username"]) }

// Check refuses a secret that is not as a request asks for it: whoever can write to the directory could have another account handed out,
// or the right one elsewhere, and encryption does not tell who wrote a file. requests are those of the next releases, with the components
// whose accounts they get, beside those that every release has. mayBe reports whether a user may be the account of a component; nil = nobody knows.
func (h Secret) Check(requests *release.Requests, mayBe func(component.Name, string) bool) error {
	var asked release.Request
	if known, ok := release.ConsumerNamed(h.Request.Name); ok && h.Request.Namespace == release.RequestNamespace {
		asked.SecretRef, asked.Component = known.Target, known.Component
	}
	if requests != nil {
		for _, q := range requests.List {
			if q.Ref == h.Request {
				asked.SecretRef, asked.Component = q.SecretRef, cmp.Or(q.Component, asked.Component)
			}
		}
	}
	const again = "somebody may have changed the held file: remove it and run the reconciliation with --held again; if the request changes with the next release, --requests DIR reads it"
	switch {
	case asked.SecretRef == (component.Ref{}), asked.Component == "":
		return hint.Errorf("the requests of the next release tell: --requests DIR --assign "+h.Request.Name+"=COMPONENT",
			"secret %s: whether CredentialsRequest %s asks for it, and gets the account of %s, is not known", h.At(), h.Request, h.Component)
	case asked.SecretRef != h.At():
		return hint.Errorf(again, "secret %s: CredentialsRequest %s asks for %s", h.At(), h.Request, asked.SecretRef)
	case asked.Component != h.Component:
		return hint.Errorf(again, "secret %s has the account of %s: CredentialsRequest %s gets that of %s", h.At(), h.Component, h.Request, asked.Component)
	}
	for _, server := range h.Servers() {
		if user := h.user(server); mayBe != nil && !mayBe(h.Component, user) {
			return hint.Errorf(again, "secret %s has %s for %s, which is no account of %s in the specification", h.At(), user, server, h.Component)
		}
	}
	return nil
}

// text is the content of its file, before it is encrypted: the secret, with what we have to know of it.
func (h Secret) text() ([]byte, error) {
	marked := *h.Manifest.Secret
	marked.Annotations = labels.Merge(marked.Annotations, labels.Set{
		heldRequest: h.Request.String(), heldComponent: string(h.Component),
	})
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Held until namespace %s exists: 'ocp-vsphere-admin secrets release' prints it.\n", h.At().Namespace)
	err := openshift.WriteYAML(&b, []openshift.Manifest{{File: h.Manifest.File, Secret: &marked}}, emitting())
	return b.Bytes(), err
}

var errNotHeld = errors.New("is not a held secret")

// parseHeld reads the content of a file; name stands for the path in errors, which hold no values. What was not written by
// [Secret.text] is errNotHeld.
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

// inCluster reports whether a cluster has this secret, with the same accounts and passwords. c may be nil.
func (h Secret) inCluster(c *cluster.Cluster) bool {
	if c == nil {
		return false
	}
	there := c.Object(h.At())
	return there != nil && equality.Semantic.DeepEqual(there.Data, h.Manifest.Secret.Data)
}

// Release is what becomes of held secrets.
type Release struct {
	Applied []Secret // in the cluster: no longer to be held
	Due     []Secret // their namespace is there
	Waiting []Secret
	Why     map[component.Ref]error // of those that wait
}

// Decide says what becomes of held secrets in a cluster with these namespaces. c is nil where
// it is not known: what is in the cluster as it is held needs not be handed out again. lost are those whose accounts are gone, and
// why: whatever the namespaces are, they are not handed out.
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

// Present gives held secrets as they would be made now, in the same order. stale are those whose accounts changed meanwhile.
// unchecked are those that cannot be made now, and why: they stay as they are.
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

// New are the requests whose secrets a cluster of the running release need not have: those of new requests, those that moved, and
// those that the running release has only behind a feature gate. Requests do not say whether the gate is on, and to hold a
// secret that the cluster has already does no harm. A request that is only named anew has its secret already.
func New(from, to []release.Request) []release.Request {
	return slices.DeleteFunc(slices.Clone(to), func(q release.Request) bool {
		return q.Component == "" || slices.ContainsFunc(from, func(had release.Request) bool {
			return had.SecretRef == q.SecretRef && had.FeatureGate == ""
		})
	})
}
