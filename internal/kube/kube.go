// Package kube reads objects of a running cluster and gives them in the form in which `oc get -o json` prints them, so that
// whoever reads a dump reads a cluster in the same way. It writes in two places, each asked for: objects that `secrets sync` applies
// ([Cluster.Apply]), as their field manager, and Events of a run ([Events.Post]). Nothing is deleted.
package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/pager"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// patience is how long one request to the API server may take.
const patience = 30 * time.Second

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
	rest   rest.Interface
	client dynamic.Interface
}

// Open reads a kubeconfig file, and connects to nothing yet. context is the name of one of its contexts, "" = the current one.
// Plug-ins for logging in that it names are run, as oc does.
func Open(kubeconfig, context string) (*Cluster, error) {
	loaded, err := clientcmd.LoadFromFile(kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("kubeconfig %s: %w", kubeconfig, err)
	}
	if err := clientcmd.ResolveLocalPaths(loaded); err != nil { // what it names lies beside it, wherever the tool runs
		return nil, fmt.Errorf("kubeconfig %s: %w", kubeconfig, err)
	}
	overrides := &clientcmd.ConfigOverrides{CurrentContext: context}
	config, err := clientcmd.NewNonInteractiveClientConfig(*loaded, context, overrides, nil).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("kubeconfig %s: %w", kubeconfig, err)
	}
	config.Timeout = patience
	config.QPS, config.Burst = 50, 100
	config.UserAgent = "ocp-vsphere-admin"
	config.WarningHandler = rest.NoWarnings{}
	client, err := rest.UnversionedRESTClientFor(dynamic.ConfigFor(config))
	if err != nil {
		return nil, fmt.Errorf("kubeconfig %s: %w", kubeconfig, err)
	}
	return &Cluster{kubeconfig, config.Host, config.Insecure, client, dynamic.New(client)}, nil
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
		items, err := c.read(ctx, o)
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
	pages := pager.New(pager.SimplePageFunc(func(options metav1.ListOptions) (runtime.Object, error) { return from.List(ctx, options) }))
	err := pages.EachListItem(ctx, metav1.ListOptions{}, func(item runtime.Object) error {
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
			"%s: kubeconfig %s may not read %s: %w", c.server, c.from, o, err)
	case apierrors.IsUnauthorized(err):
		return c.refused(err)
	case apierrors.IsNotFound(err):
		return fmt.Errorf("%s has no %s", c.server, o)
	}
	return fmt.Errorf("%s: read %s: %w", c.server, o, withoutURL(err))
}

func (c *Cluster) refused(err error) error {
	return hint.Errorf("log in again: oc login "+c.server, "%s: kubeconfig %s is not accepted: %w", c.server, c.from, err)
}

// withoutURL is why a request got no answer; its method and URL say nothing more.
func withoutURL(err error) error {
	if sent, ok := errors.AsType[*url.Error](err); ok {
		return sent.Err
	}
	return err
}
