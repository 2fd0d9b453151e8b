package cluster

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/resolution"
)

// root is the secret with the one account that releases share among all components.
var root = component.RootSecret()

// The steps to an account: those of cloud-credential-operator, then those of direct readers.
const (
	StepAnnotation = "annotation" // labelled "yes", and annotated with the request
	StepName       = "name"       // the name that the enhancement's table gives the request
	StepRoot       = "root"       // kube-system/vsphere-creds
	StepTarget     = "target"     // the secret of the request's secretRef, which the component reads
	StepDirect     = "direct"     // kube-system/vsphere-creds, read without a request
	StepNone       = resolution.None
)

// Choice is the secret that an operator takes for a request.
type Choice struct {
	Secret string `json:"secret"` // namespace/name, "" for StepNone
	Step   string `json:"step"`

	From *Object `json:"-"` // nil for StepNone
}

// Chosen is the choice of a secret by a step.
func Chosen(step string, from *Object) Choice { return Choice{from.At().String(), step, from} }

// Annotated are the secrets of kube-system with the annotation of a request.
func (c *Cluster) Annotated(q release.Request) []*Object {
	var list []*Object
	for _, s := range c.system {
		if s.Annotations[openshift.RequestKey] == q.String() {
			list = append(list, s)
		}
	}
	return list
}

// Labelled are those that the enhancement selects: the value is "yes", not the operator's "true".
func (c *Cluster) Labelled(q release.Request) []*Object {
	return slices.DeleteFunc(c.Annotated(q),
		func(s *Object) bool { return s.Labels[openshift.RequestKey] != openshift.LabelYes })
}

// Named is the secret in the enhancement's table for a request; nil = none, or missing.
func (c *Cluster) Named(q release.Request) *Object {
	known, ok := release.ConsumerNamed(q.Name)
	if !ok || known.Secret == "" {
		return nil
	}
	return c.objects[component.At(root.Namespace, known.Secret)]
}

// Component is the secret's: by annotation or name in kube-system, or as its reader; or "".
func (o *Object) Component() component.Name {
	dedicated := o.Namespace == root.Namespace
	if ns, request, ok := strings.Cut(o.Annotations[openshift.RequestKey], "/"); ok && dedicated &&
		ns == release.RequestNamespace {
		if k, known := release.ConsumerNamed(request); known {
			return k.Component
		}
	}
	if c := openshift.AtHome(o.At()); c != "" {
		return c
	}
	for _, k := range release.Consumers() {
		if k.Target == o.At() || dedicated && k.Secret == o.Name {
			return k.Component
		}
	}
	return ""
}

// rung is a secret on the way of an operator that looks for the account of a request.
type rung struct {
	step  string
	from  *Object
	takes bool   // whether the operator takes it if nothing takes precedence
	why   string // else why it does not
}

// own is the way of a component without copies: its own secret.
func (c *Cluster) own(q release.Request) []rung {
	if s := c.objects[q.SecretRef]; s != nil {
		return []rung{{step: StepTarget, from: s, takes: true}}
	}
	return nil
}

// shared is the lookup of the releases: the root secret alone. In Manual mode they look for none.
func (c *Cluster) shared(q release.Request) []rung {
	if c.IsManual() || atHome(q) {
		return c.own(q)
	}
	if s := c.Root(); s != nil {
		return []rung{{step: StepRoot, from: s, takes: true}}
	}
	return nil
}

// ladder is the lookup of openshift/enhancements#1931, the most specific secret first; empty in
// Manual mode. rewritten: after the operator's label controller changed labels "true" to "yes".
func (c *Cluster) ladder(q release.Request, rewritten bool) []rung {
	if c.IsManual() || atHome(q) {
		return c.own(q)
	}
	var rungs []rung
	named := c.Named(q)
	onWay := func(s *Object) bool {
		return slices.ContainsFunc(rungs, func(r rung) bool { return r.from == s })
	}
	if !rewritten {
		for _, s := range c.Labelled(q) {
			rungs = append(rungs, rung{step: StepAnnotation, from: s, takes: true})
		}
	}
	for _, s := range c.Annotated(q) {
		if !onWay(s) && s != named {
			why := fmt.Sprintf("its label is %q, and the enhancement looks for %q",
				s.Labels[openshift.RequestKey], openshift.LabelYes)
			rungs = append(rungs, rung{step: StepAnnotation, from: s, why: why})
		}
	}
	if named != nil && !onWay(named) {
		rungs = append(rungs, rung{step: StepName, from: named, takes: true})
	}
	if s := c.Root(); s != nil && !onWay(s) {
		rungs = append(rungs, rung{step: StepRoot, from: s, takes: true})
	}
	return rungs
}

// Enhancement is what the lookup of openshift/enhancements#1931 comes to for a request.
func (c *Cluster) Enhancement(q release.Request) Choice { return taken(c.ladder(q, false)) }

// Rewritten is Enhancement after the label controller changed labels "true" to "yes".
func (c *Cluster) Rewritten(q release.Request) Choice { return taken(c.ladder(q, true)) }

// Release is what the lookup of the releases comes to.
func (c *Cluster) Release(q release.Request) Choice { return taken(c.shared(q)) }

// taken is the first secret on a way that is taken.
func taken(rungs []rung) Choice {
	for _, r := range rungs {
		if r.takes {
			return Chosen(r.step, r.from)
		}
	}
	return Choice{Step: StepNone}
}

// Consumed are the given requests, else all known ones, including those behind gates.
func (c *Cluster) Consumed() []release.Request {
	var list []release.Request
	if !c.Plain() {
		list = Requests()
	}
	if c.Requests != nil {
		list = c.Requests.For(component.Names(), nil).List
	}
	for _, o := range c.order {
		if of := openshift.AtHome(o.At()); of != "" {
			list = append(list, release.Request{Ref: o.At(), SecretRef: o.At(), Component: of})
		}
	}
	return list
}

// Plain reports whether all that is here is Kubernetes without OpenShift.
func (c *Cluster) Plain() bool {
	plain := false
	for _, o := range c.order {
		if o.At() == root || strings.HasPrefix(o.Namespace, "openshift-") {
			return false
		}
		plain = plain || openshift.AtHome(o.At()) != ""
	}
	return plain && c.Platform == ""
}

// atHome reports whether a request stands for a reader in Kubernetes without OpenShift, which has
// no request and reads its own secret.
func atHome(q release.Request) bool { return openshift.AtHome(q.Ref) != "" }

// Requests are all requests that we know, those behind gates too.
func Requests() []release.Request {
	var list []release.Request
	for _, k := range release.Consumers() {
		list = append(list, release.Request{
			Ref: component.At(release.RequestNamespace, k.Name), SecretRef: k.Target, FeatureGate: k.Gate, Component: k.Component,
		})
	}
	return list
}

// Has reports whether the cluster has a request, as far as anything says so.
func (c *Cluster) Has(q release.Request) bool {
	if !q.Component.OptIn() || q.File != "" || c.objects[q.SecretRef] != nil {
		return true
	}
	return c.Enhancement(q).Step == StepAnnotation
}

// Relevant are the secrets with a chooser or reader, each once.
func (c *Cluster) Relevant() []*Object {
	var all []*Object
	seen := map[*Object]bool{nil: true}
	take := func(list ...*Object) {
		for _, s := range list {
			if !seen[s] {
				seen[s] = true
				all = append(all, s)
			}
		}
	}
	for _, q := range c.Consumed() {
		take(c.Annotated(q)...)
		take(c.Named(q))
	}
	take(c.Root())
	for _, q := range c.Consumed() {
		take(c.objects[q.SecretRef])
	}
	return all
}
