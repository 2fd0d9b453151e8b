// Package kube reads objects of a running cluster and gives them in the form in which `oc get -o json` prints them, so that
// whoever reads a dump reads a cluster in the same way. It writes in two places, each asked for: objects that `secrets sync` applies
// ([Cluster.Apply]), as their field manager, and Events of a run ([Events.Post]). Nothing is deleted.
package kube

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/transport"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// Objects are objects of one kind to read.
type Objects struct {
	Kind
	Namespace string // "" = of all namespaces, or of none
	Name      string // "" = all
	Maybe     bool   // no error where the cluster does not know the kind, or has no such object
	Forbidden bool   // no error where this user may not read them either
}

// String is what `oc get` calls them.
func (o Objects) String() string {
	name := o.Kind.String()
	if o.Name != "" {
		name += "/" + o.Name
	}
	if o.Namespace != "" {
		name += " in namespace " + o.Namespace
	}
	return name
}

// Cluster is an API server that one of its users reads.
type Cluster struct {
	from   string // the kubeconfig, for messages
	server string // URL
	blind  bool   // its certificate is not checked
	http   *http.Client
	most   limits // of a list
	rest   rest.Interface
	client dynamic.Interface
	login  *login
	hidden *secret.Hidden
}

// Open reads a kubeconfig file, and connects to nothing yet. context is the name of one of its contexts, "" = the current one. An
// address without TLS is refused. A plug-in for logging in that it names is run before the first request; see [Cluster.Talk].
func Open(kubeconfig, context string) (*Cluster, error) {
	config, err := load(kubeconfig, context)
	if err == nil {
		var c *Cluster
		if c, err = newCluster("kubeconfig "+kubeconfig, config); err == nil {
			return c, nil
		}
	}
	return nil, fmt.Errorf("kubeconfig %s: %w", kubeconfig, err)
}

// load reads a kubeconfig file, and the files that the chosen context of it names.
func load(kubeconfig, context string) (*rest.Config, error) {
	data, err := files.Read(kubeconfig, files.Text)
	if err != nil {
		return nil, err
	}
	loaded, err := clientcmd.Load(data)
	if err != nil {
		return nil, err
	}
	for _, c := range loaded.Clusters {
		c.LocationOfOrigin = kubeconfig
	}
	for _, user := range loaded.AuthInfos {
		user.LocationOfOrigin = kubeconfig
	}
	if err := clientcmd.ResolveLocalPaths(loaded); err != nil { // what it names lies beside it, wherever the tool runs
		return nil, err
	}
	if chosen := loaded.Contexts[cmp.Or(context, loaded.CurrentContext)]; chosen != nil {
		if err := inline(loaded.Clusters[chosen.Cluster], loaded.AuthInfos[chosen.AuthInfo]); err != nil {
			return nil, err
		}
	}
	overrides := &clientcmd.ConfigOverrides{CurrentContext: context}
	return clientcmd.NewNonInteractiveClientConfig(*loaded, context, overrides, nil).ClientConfig()
}

// inline reads what a cluster and a user name files for: client-go would wait for a pipe. A file with a token is read again later.
func inline(cluster *api.Cluster, user *api.AuthInfo) error {
	cluster, user = cmp.Or(cluster, &api.Cluster{}), cmp.Or(user, &api.AuthInfo{})
	var token []byte
	path := user.TokenFile
	for _, f := range []struct {
		name string
		path *string
		data *[]byte
	}{
		{"certificate-authority", &cluster.CertificateAuthority, &cluster.CertificateAuthorityData},
		{"client-certificate", &user.ClientCertificate, &user.ClientCertificateData},
		{"client-key", &user.ClientKey, &user.ClientKeyData},
		{"tokenFile", &path, &token},
	} {
		if *f.path == "" || len(*f.data) > 0 {
			continue
		}
		var err error
		if *f.data, err = files.ReadRegular(*f.path, files.Text); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		*f.path = ""
	}
	user.Token = cmp.Or(user.Token, strings.TrimSpace(string(token)))
	return nil
}

// newCluster makes the one way to an API server. from is what errors call the login.
func newCluster(from string, config *rest.Config) (*Cluster, error) {
	c := &Cluster{from: from, server: config.Host, blind: config.Insecure, most: lists, hidden: &secret.Hidden{}}
	switch at, _, err := rest.DefaultServerUrlFor(config); {
	case err != nil:
		return nil, err
	case at.Scheme != "https":
		return nil, hint.Errorf("write the https:// address of the API server into server:",
			"%s has no TLS: secrets and the login would be sent in the clear", at.Redacted())
	case at.User != nil:
		return nil, fmt.Errorf("%s has a user in it: an API server does not read it there", at.Redacted())
	}
	config.QPS, config.Burst = 50, 100
	config.UserAgent = controller
	config.WarningHandler = rest.NoWarnings{}
	var err error
	if c.login, err = newLogin(config, c.hidden); err != nil {
		return nil, err
	}
	wired, err := config.TransportConfig()
	if err != nil {
		return nil, err
	}
	if wired.HasTokenAuth() || wired.HasBasicAuth() || wired.HasCertAuth() {
		c.login = nil // as client-go has it
	}
	if c.login != nil {
		wired.TLS.GetCertHolder = &transport.GetCertHolder{GetCert: c.login.certificate}
	}
	wired.Wrap(func(inner http.RoundTripper) http.RoundTripper {
		return &wire{inner, c.login, c.hidden}
	})
	through, err := transport.New(wired)
	if err != nil {
		return nil, err
	}
	c.http = &http.Client{Transport: through, Timeout: patience}
	c.rest, err = rest.UnversionedRESTClientForConfigAndClient(dynamic.ConfigFor(config), c.http)
	if err != nil {
		return nil, err
	}
	c.client = dynamic.New(c.rest)
	return c, nil
}

// Talk has what a plug-in for logging in says written to a stream for people.
func (c *Cluster) Talk(to io.Writer) {
	if c.login != nil {
		c.login.talk = to
	}
}

// Insecure reports whether the kubeconfig says that the certificate of the API server is not to be checked.
func (c *Cluster) Insecure() bool { return c.blind }

// Server is the URL of the API server.
func (c *Cluster) Server() string { return c.server }

// Dump reads objects and returns them as one v1 List in JSON, each kind in the newest version that
// the tool knows and the server has. Errors of all of them are joined; there is no dump then.
func (c *Cluster) Dump(ctx context.Context, wanted ...Objects) ([]byte, error) {
	list := struct {
		APIVersion string           `json:"apiVersion"`
		Kind       string           `json:"kind"`
		Items      []map[string]any `json:"items"`
	}{"v1", "List", []map[string]any{}}
	var errs []error
	for _, o := range wanted {
		var items []unstructured.Unstructured
		err := c.call(ctx, c.most.time, c.most.bytes, func(ctx context.Context) (err error) {
			items, err = c.read(ctx, o)
			return err
		})
		if err != nil && !(o.Maybe && apierrors.IsNotFound(err)) && !(o.Forbidden && IsForbidden(err)) {
			errs = append(errs, c.explain(o, err))
			reason := apierrors.ReasonForError(err)
			if reason == metav1.StatusReasonUnknown || reason == metav1.StatusReasonUnauthorized {
				break // no answer, or none to this user: the rest would end the same way
			}
		}
		for _, item := range items {
			list.Items = append(list.Items, item.Object)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return json.Marshal(list)
}

// read asks for objects in the versions of the table until the server has one. It checks rights
// first, so it forbids also what it does not have; and it may have versions that the table lacks.
// Where it has none, or forbids it, its own list of kinds decides.
func (c *Cluster) read(ctx context.Context, o Objects) (items []unstructured.Unstructured, err error) {
	for version := range strings.FieldsSeq(o.versions) {
		if items, err = c.readIn(ctx, version, o); !apierrors.IsNotFound(err) {
			break
		}
	}
	if o.group == "" || !apierrors.IsNotFound(err) && !IsForbidden(err) {
		return items, err
	}
	switch version, unserved := c.served(ctx, o.Kind); {
	case unserved == nil:
		return c.readIn(ctx, version, o)
	case apierrors.IsNotFound(unserved):
		return nil, unserved
	}
	return nil, err
}

// readIn asks for objects in one version, in pages of the size that kubectl uses.
func (c *Cluster) readIn(ctx context.Context, version string, o Objects) ([]unstructured.Unstructured, error) {
	from := c.client.Resource(o.in(version)).Namespace(o.Namespace)
	if o.Name != "" {
		item, err := from.Get(ctx, o.Name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		return []unstructured.Unstructured{*item}, nil
	}
	all, err := c.listPages(ctx, from, metav1.ListOptions{Limit: pageSize})
	if apierrors.IsResourceExpired(err) { // as kubectl does, in one piece
		all, err = c.listPages(ctx, from, metav1.ListOptions{})
	}
	return all, err
}

// pageSize is how many objects a page has, as kubectl asks for them.
const pageSize = 500

// listPages reads a list. Each token is followed once: else an API server that repeats itself would keep us.
func (c *Cluster) listPages(ctx context.Context, from dynamic.ResourceInterface, options metav1.ListOptions) (all []unstructured.Unstructured, err error) {
	followed := map[string]bool{}
	for {
		page, err := from.List(ctx, options)
		switch {
		case err != nil:
			return nil, err
		case !strings.HasSuffix(page.GetKind(), "List"):
			return nil, fmt.Errorf("the answer is no list, but a %s", hint.Quote(page.GetKind()))
		case followed[page.GetContinue()]:
			return nil, errors.New("it sent a page of its list twice")
		case len(followed) == c.most.pages:
			return nil, fmt.Errorf("it sent more than %d pages of a list", c.most.pages)
		}
		all = append(all, page.Items...)
		if options.Continue = page.GetContinue(); options.Continue == "" {
			return all, nil
		}
		followed[options.Continue] = true
	}
}

// IsForbidden reports whether an error says that this user may not read something.
func IsForbidden(err error) bool { return apierrors.IsForbidden(err) }

// explain says what could not be read, and what helps.
func (c *Cluster) explain(o Objects, err error) error {
	switch {
	case apierrors.IsForbidden(err):
		verb := "list"
		if o.Name != "" {
			verb = "get"
		}
		return hint.Errorf(fmt.Sprintf("check the right with 'oc auth can-i %s %s', or pass a dump of these objects", verb, o.Kind),
			"%s: %s may not read %s: %w", c.server, c.from, o, err)
	case apierrors.IsUnauthorized(err):
		return c.refused(err)
	case apierrors.IsNotFound(err):
		return fmt.Errorf("%s has no %s", c.server, o)
	}
	return fmt.Errorf("%s: read %s: %w", c.server, o, c.bare(err))
}

func (c *Cluster) refused(err error) error {
	return hint.Errorf("log in again: oc login "+c.server, "%s: %s is not accepted: %w", c.server, c.from, err)
}
