package openshift

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/resolution"
)

// The steps by which an account comes to who reads it: those by which cloud-credential-operator finds a secret for a request,
// root is the secret with the one account that releases share among all components.
var root = component.RootSecret()

// then those of who reads a secret himself.
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

	from *corev1.Secret
}

func choice(step string, from *corev1.Secret) Choice {
	return Choice{component.At(from.Namespace, from.Name).String(), step, from}
}

// dump is the secrets of a cluster by where they are.
type dump struct {
	at     map[component.Ref]*corev1.Secret
	system []*corev1.Secret // those of kube-system, by name, which is the order in which the API server lists them
	mode   *bool            // whether it is Manual: nobody copies then; nil = nobody says
}

func newDump(secrets []corev1.Secret, mode *bool) *dump {
	d := &dump{at: map[component.Ref]*corev1.Secret{}, mode: mode}
	for i := range secrets {
		s := &secrets[i]
		d.at[component.At(s.Namespace, s.Name)] = s
	}
	for at, s := range d.at {
		if at.Namespace == root.Namespace {
			d.system = append(d.system, s)
		}
	}
	slices.SortFunc(d.system, func(a, b *corev1.Secret) int { return cmp.Compare(a.Name, b.Name) })
	return d
}

// manual reports whether the cluster is known to be in Manual mode; else it may be.
func (d *dump) manual() bool { return d.mode != nil && *d.mode }

// copies reports whether the cluster is known to be in another mode, in which cloud-credential-operator copies.
func (d *dump) copies() bool { return d.mode != nil && !*d.mode }

// annotated are the secrets of kube-system with the annotation of a request.
func (d *dump) annotated(q release.Request) []*corev1.Secret {
	var list []*corev1.Secret
	for _, s := range d.system {
		if s.Annotations[requestKey] == q.String() {
			list = append(list, s)
		}
	}
	return list
}

// labelled are those of them that the enhancement's selector finds: the value is "yes", not the operator's "true".
func (d *dump) labelled(q release.Request) []*corev1.Secret {
	return slices.DeleteFunc(d.annotated(q), func(s *corev1.Secret) bool { return s.Labels[requestKey] != LabelYes })
}

// named is the secret that the enhancement's table names for a request.
func (d *dump) named(q release.Request) *corev1.Secret {
	known, ok := release.ConsumerNamed(q.Name)
	if !ok || known.Secret == "" {
		return nil
	}
	return d.at[component.At(root.Namespace, known.Secret)]
}

// rung is a secret on the way of an operator that looks for the account of a request.
type rung struct {
	step  string
	from  *corev1.Secret
	takes bool   // whether the operator takes it if nothing takes precedence
	why   string // else why it does not
}

// own is the way of a component that nobody copies for: it has what its secret holds.
func (d *dump) own(q release.Request) []rung {
	if s := d.at[q.SecretRef]; s != nil {
		return []rung{{step: StepTarget, from: s, takes: true}}
	}
	return nil
}

// shared is the lookup of the releases: the root secret alone. In Manual mode they look for none.
func (d *dump) shared(q release.Request) []rung {
	if d.manual() {
		return d.own(q)
	}
	if s := d.at[root]; s != nil {
		return []rung{{step: StepRoot, from: s, takes: true}}
	}
	return nil
}

// ladder is the lookup of openshift/enhancements#1931, the most specific secret first; rewritten: after the operator's label
// controller has made "true" of every label "yes". In Manual mode it looks for none.
func (d *dump) ladder(q release.Request, rewritten bool) []rung {
	if d.manual() {
		return d.own(q)
	}
	var rungs []rung
	named := d.named(q)
	onWay := func(s *corev1.Secret) bool {
		return slices.ContainsFunc(rungs, func(r rung) bool { return r.from == s })
	}
	if !rewritten {
		for _, s := range d.labelled(q) {
			rungs = append(rungs, rung{step: StepAnnotation, from: s, takes: true})
		}
	}
	for _, s := range d.annotated(q) {
		if !onWay(s) && s != named {
			why := fmt.Sprintf("its label is %q, and the enhancement looks for %q", s.Labels[requestKey], LabelYes)
			rungs = append(rungs, rung{step: StepAnnotation, from: s, why: why})
		}
	}
	if named != nil && !onWay(named) {
		rungs = append(rungs, rung{step: StepName, from: named, takes: true})
	}
	if s := d.at[root]; s != nil && !onWay(s) {
		rungs = append(rungs, rung{step: StepRoot, from: s, takes: true})
	}
	return rungs
}

// enhancement is what the lookup of openshift/enhancements#1931 comes to.
func (d *dump) enhancement(q release.Request, rewritten bool) Choice {
	return taken(d.ladder(q, rewritten))
}

// mainline is what the lookup of the releases comes to.
func (d *dump) mainline(q release.Request) Choice { return taken(d.shared(q)) }

// taken is the first secret on a way that is taken.
func taken(rungs []rung) Choice {
	for _, r := range rungs {
		if r.takes {
			return choice(r.step, r.from)
		}
	}
	return Choice{Step: StepNone}
}
