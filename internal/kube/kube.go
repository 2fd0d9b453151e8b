// Package kube reads objects of a running cluster in the form of `oc get -o json`, so that dumps
// and clusters are read alike. It writes, on request, objects of `secrets sync` ([Cluster.Apply])
// as their field manager, and Events of a run ([Events.Post]). It deletes nothing.
package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/pager"

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

// Cluster is an API server that one of its users reads, by one operation at a time.
type Cluster struct {
	from    string // the kubeconfig, for messages
	config  rest.Config
	most    limits        // of a list
	timeout time.Duration // of a request, with what is sent again
	hidden  secret.Hidden
	login   *login // nil = the kubeconfig has all that it takes

	rest   rest.Interface // nil until the login
	client dynamic.Interface
	until  time.Time // when what the login gave ends; zero = not
}

// Open reads a kubeconfig file, without connecting. context names one of its contexts, "" = the
// current one. It refuses an address without TLS. A plug-in runs later; see [Cluster.Talk].
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

// load reads a kubeconfig file, from which relative paths begin, and refuses pipes.
func load(kubeconfig, context string) (*rest.Config, error) {
	data, err := files.Read(kubeconfig, files.Text)
	if err != nil {
		return nil, err
	}
	loaded, err := clientcmd.Load(data)
	if err != nil {
		return nil, err
	}
	if len(loaded.Clusters) == 0 {
		return nil, errors.New("names no cluster, so it is no kubeconfig")
	}
	var named []*string
	for _, c := range loaded.Clusters {
		c.LocationOfOrigin = kubeconfig
		named = append(named, clientcmd.GetClusterFileReferences(c)...)
	}
	for _, user := range loaded.AuthInfos {
		user.LocationOfOrigin = kubeconfig
		named = append(named, clientcmd.GetAuthInfoFileReferences(user)...)
	}
	if err := clientcmd.ResolveLocalPaths(loaded); err != nil {
		return nil, err
	}
	for _, path := range named {
		if err := files.CheckRegular(*path); *path != "" && err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	overrides := &clientcmd.ConfigOverrides{CurrentContext: context}
	return clientcmd.NewNonInteractiveClientConfig(*loaded, context, overrides, nil).ClientConfig()
}

// newCluster is the one way to an API server. from is what errors call the login.
func newCluster(from string, config *rest.Config) (*Cluster, error) {
	at, _, err := rest.DefaultServerUrlFor(config)
	switch {
	case err != nil:
		return nil, err
	case at.User != nil:
		return nil, fmt.Errorf("%s has a user in it, which an API server does not read", at.Redacted())
	case at.Scheme != "https":
		return nil, hint.Errorf("write the https:// address of the API server into server:",
			"%s has no TLS: secrets and the login would be sent in the clear", at)
	}
	c := &Cluster{from: from, most: lists, timeout: patience}
	if c.login, err = newLogin(config); err != nil {
		return nil, err
	}
	config.QPS, config.Burst = 50, 100
	config.UserAgent = controller
	config.WarningHandler = rest.NoWarnings{}
	config.Wrap(func(inner http.RoundTripper) http.RoundTripper { return &wire{inner, &c.hidden} })
	c.hidden.Learn(config.Password)
	c.config = *config
	if c.login != nil {
		return c, nil
	}
	if err := c.connect(c.config); err != nil {
		return nil, err
	}
	return c, nil
}

// ready runs the plug-in for logging in, where there is one, unless what it gave still counts.
func (c *Cluster) ready(ctx context.Context) error {
	if c.login == nil || c.rest != nil && (c.until.IsZero() || time.Now().Before(c.until)) {
		return nil
	}
	status, err := c.login.run(ctx)
	if err != nil {
		return fmt.Errorf("login plug-in %w", err)
	}
	config := c.config
	config.BearerToken, config.CertData, config.KeyData = status.Token,
		[]byte(status.ClientCertificateData), []byte(status.ClientKeyData)
	c.until = time.Time{}
	if ends := status.ExpirationTimestamp; ends != nil {
		c.until = ends.Time
	}
	if err := c.connect(config); err != nil {
		return fmt.Errorf("login plug-in %s: %w", c.login.Command, err)
	}
	return nil
}

// connect makes the clients; no connection is opened yet.
func (c *Cluster) connect(config rest.Config) (err error) {
	config.Timeout = c.timeout
	if c.rest, err = rest.UnversionedRESTClientFor(dynamic.ConfigFor(&config)); err == nil {
		c.client = dynamic.New(c.rest)
	}
	return err
}

// Talk has what a plug-in for logging in says written to a stream for people.
func (c *Cluster) Talk(to io.Writer) {
	if c.login != nil {
		c.login.talk = to
	}
}

// Insecure reports whether the kubeconfig skips the check of the API server's certificate.
func (c *Cluster) Insecure() bool { return c.config.Insecure }

// Server is the URL of the API server.
func (c *Cluster) Server() string { return c.config.Host }

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
	var all []unstructured.Unstructured
	followed := map[string]bool{}
	list, _, err := pager.New(pager.SimplePageFunc(func(options metav1.ListOptions) (runtime.Object, error) {
		switch {
		case options.Continue != "" && followed[options.Continue]:
			return nil, errors.New("it sent a page of its list twice")
		case len(followed) == c.most.pages:
			return nil, fmt.Errorf("it sent more than %d pages of a list", c.most.pages)
		}
		followed[options.Continue] = true
		page, err := from.List(ctx, options)
		if err == nil && !strings.HasSuffix(page.GetKind(), "List") {
			err = fmt.Errorf("the answer is no list, but a %s", hint.Quote(page.GetKind()))
		}
		return page, err
	})).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	err = meta.EachListItem(list, func(item runtime.Object) error {
		one, ok := item.(*unstructured.Unstructured)
		if !ok {
			return fmt.Errorf("a list of %s holds a %T", o, item)
		}
		all = append(all, *one)
		return nil
	})
	return all, err
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
			"%s: %s may not read %s: %w", c.config.Host, c.from, o, err)
	case apierrors.IsUnauthorized(err):
		return c.refused(err)
	case apierrors.IsNotFound(err):
		return fmt.Errorf("%s has no %s", c.config.Host, o)
	}
	return fmt.Errorf("%s: read %s: %w", c.config.Host, o, err)
}

func (c *Cluster) refused(err error) error {
	return hint.Errorf("log in again: oc login "+c.config.Host, "%s: %s is not accepted: %w",
		c.config.Host, c.from, err)
}
