package release

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// NoAccount is the word of [Requests.Assign] for a request that must not be served.
const NoAccount = "none"

// Assign gives requests, by their names, the account of a component, or with [NoAccount] none.
func (r *Requests) Assign(words map[string]string) error {
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(words)) {
		word := words[name]
		i := slices.IndexFunc(r.List, func(q Request) bool { return q.Name == name || q.String() == name })
		switch {
		case i < 0:
			var known []string
			for _, q := range r.List {
				known = append(known, q.Name)
			}
			errs = append(errs, fmt.Errorf("no CredentialsRequest %q among %s", name, strings.Join(known, ", ")))
		case word == NoAccount:
			if r.unassigned == nil {
				r.unassigned = map[string]bool{}
			}
			r.List[i].Component = ""
			r.unassigned[r.List[i].Name] = true
		case !slices.Contains(component.Names(), component.Name(word)):
			errs = append(errs, fmt.Errorf("%s: %q is not one of %s, %s", name, word, strings.Join(component.Words(component.Names()), ", "), NoAccount))
		default:
			r.List[i].Component = component.Name(word)
		}
	}
	return errors.Join(errs...)
}

// None reports whether a request was given [NoAccount].
func (r *Requests) None(request string) bool { return r.unassigned[request] }

// For are the requests of a cluster with these components: a known request of a named opt-in
// component gets its account, one with an extra word for it that of machine-api, unless it was
// assigned (see [Requests.Assign]). It returns a copy.
func (r *Requests) For(named []component.Name, extra []string) *Requests {
	whole := *r
	whole.List = slices.Clone(r.List)
	for i, q := range whole.List {
		known, ok := ConsumerNamed(q.Name)
		switch {
		case !ok || q.Component != "" || r.unassigned[q.Name] || !known.Component.OptIn():
		case slices.Contains(named, known.Component):
			whole.List[i].Component = known.Component
		case slices.Contains(extra, known.File):
			whole.List[i].Component = component.MachineAPI
		}
	}
	return &whole
}

// Inherit gives requests without an account that of a request of another release for the same
// secret, which has only another name.
func (r *Requests) Inherit(from *Requests) {
	for i, q := range r.List {
		if q.Component != "" || r.unassigned[q.Name] {
			continue
		}
		same := slices.IndexFunc(from.List, func(f Request) bool { return f.SecretRef == q.SecretRef })
		if same >= 0 {
			r.List[i].Component = from.List[same].Component
		}
	}
}

// Uncovered names the requests without an account, a line each; nil if none. It skips an opt-in
// component's behind a feature gate, which clusters without the component ignore.
func (r *Requests) Uncovered() error {
	var errs []error
	var example, ways string
	for _, q := range r.List {
		if q.Component != "" || r.unassigned[q.Name] {
			continue
		}
		why, accounts := "is not known", []component.Name{component.MachineAPI}
		if known, ok := ConsumerNamed(q.Name); ok {
			if q.FeatureGate != "" {
				continue
			}
			accounts = append([]component.Name{known.Component}, accounts...)
			why = fmt.Sprintf("is that of %s, which has an account only if component %s is listed",
				known.Who, known.Component)
		}
		if q.FeatureGate != "" {
			why += ", behind feature gate " + q.FeatureGate
		}
		if example == "" {
			example = q.Name
			for _, c := range accounts {
				ways += fmt.Sprintf("--assign %s=%s to give it the account of %s, ", example, c, c)
			}
		}
		errs = append(errs, fmt.Errorf("%s: CredentialsRequest %s (secret %s) %s", q.File, q.Name, q.SecretRef, why))
	}
	if errs == nil {
		return nil
	}
	return hint.Wrap(errors.Join(errs...),
		fmt.Sprintf("use %s--assign %s=none to give it none", ways, example))
}

// RequestNamespace is where all CredentialsRequests live.
const RequestNamespace = "openshift-cloud-credential-operator"

// Consumer is a known CredentialsRequest of vSphere.
type Consumer struct {
	component.Request
	Component component.Name
	Secret    string // in kube-system, which the enhancement's operator finds by its name
}

// Consumers are the requests of the releases, in the order of their components.
func Consumers() []Consumer {
	var all []Consumer
	for _, c := range component.All() {
		if in := c.InCluster; in != nil {
			all = append(all, Consumer{in.Request, c.Name, in.Secret})
		}
	}
	return all
}

// ConsumerNamed finds a known request by its name.
func ConsumerNamed(request string) (Consumer, bool) {
	all := Consumers()
	i := slices.IndexFunc(all, func(k Consumer) bool { return k.Name == request })
	if i < 0 {
		return Consumer{}, false
	}
	return all[i], true
}
