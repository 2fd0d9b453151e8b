package openshift

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/resolution"
)

// Who chooses an account for a consumer. A dump does not say which operator the cluster has, so each is asked.
const (
	ByEnhancement = "enhancement" // cloud-credential-operator of openshift/enhancements#1931
	ByRelease     = "release"     // that of a release: it knows the root secret alone
	ByNow         = "now"         // nobody: what the consumer's own secret holds, which is all there is in Manual mode
)

// Resolution is what one consumer gets on one vCenter from the secrets of a cluster, when By chooses.
type Resolution struct {
	By      string `json:"by"`
	Request string `json:"request"` // namespace/name of the CredentialsRequest; "" for direct readers of the root secret
	resolution.Resolution
}

// Resolve tells who gets which account from the secrets of a cluster: each request and each direct reader of the root secret,
// on each vCenter, from each that may choose. Requests that are not in every cluster are left out unless the secrets or
// the options show them.
func Resolve(secrets []corev1.Secret, o ExplainOptions) []Resolution {
	w := newExplainer(secrets, o)
	w.collect()
	w.servers = o.Servers
	if w.servers == nil {
		w.servers = w.settleServers(w.relevant)
	}
	return w.resolutions()
}

func (w *explainer) resolutions() []Resolution {
	all, choose := []Resolution{}, []string{ByEnhancement, ByRelease, ByNow}
	if w.manual() {
		choose = []string{ByNow} // no operator does
	}
	for _, q := range w.requests {
		if !w.has(q) {
			continue
		}
		for _, server := range w.servers {
			for _, by := range choose {
				all = append(all, Resolution{by, q.String(), w.resolve(q, server, by)})
			}
		}
	}
	for _, who := range directNames() {
		for _, server := range w.servers {
			all = append(all, Resolution{ByNow, "", w.direct(who, server)})
		}
	}
	return all
}

// has reports whether the cluster has a request, as far as anybody says so.
func (w *explainer) has(q release.Request) bool {
	if q.Component != "" && q.FeatureGate == "" || q.File != "" || w.at[q.SecretRef] != nil {
		return true
	}
	return w.enhancement(q, false).Step == StepAnnotation
}

// consumerOf is what a consumer is called.
func consumerOf(q release.Request) string { return cmp.Or(string(q.Component), q.Name) }

// resolve goes the way of one that may choose.
func (w *explainer) resolve(q release.Request, server, by string) resolution.Resolution {
	var rungs []rung
	switch by {
	case ByEnhancement:
		rungs = w.ladder(q, false)
	case ByRelease:
		rungs = w.shared(q)
	default:
		rungs = w.own(q)
	}
	return w.climb(consumerOf(q), server, rungs)
}

// direct is what a reader of the root secret gets.
func (w *explainer) direct(who, server string) resolution.Resolution {
	var rungs []rung
	if s := w.at[root]; s != nil {
		rungs = []rung{{step: StepDirect, from: s, takes: true}}
	}
	return w.climb(who, server, rungs)
}

// climb reads the account for a server from each secret on the way.
func (w *explainer) climb(consumer, server string, rungs []rung) resolution.Resolution {
	var sources []resolution.Source
	used := ""
	for _, r := range rungs {
		at, why := component.At(r.from.Namespace, r.from.Name).String(), r.why
		switch {
		case !r.takes:
		case used == "":
			used = at + " (" + r.step + ")"
		default:
			why = used + " takes precedence"
		}
		account, _ := w.contents[r.from].account(consumer, server)
		sources = append(sources, resolution.Source{
			Takes:     r.takes,
			Candidate: resolution.Candidate{Step: r.step, From: at, User: account.User, Instance: recorded(r.from)[server], Why: why},
		})
	}
	return resolution.Resolve(consumer, server, sources...)
}

// directNames are the readers of kube-system/vsphere-creds that have no CredentialsRequest for it.
func directNames() []string { return []string{"machine-config-operator", "cluster-capi-operator"} }
