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
			if r.left == nil {
				r.left = map[string]bool{}
			}
			r.List[i].Component = ""
			r.left[r.List[i].Name] = true
		case !slices.Contains(component.Names(), component.Name(word)):
			errs = append(errs, fmt.Errorf("%s: %q is not one of %s, %s", name, word, strings.Join(component.Words(component.Names()), ", "), NoAccount))
		default:
			r.List[i].Component = component.Name(word)
		}
	}
	return errors.Join(errs...)
}

// None reports whether a request was given [NoAccount].
func (r *Requests) None(request string) bool { return r.left[request] }

// For are the requests of a cluster that names these components: a known request of a component that is opt-in gets the
// account of that component, where it is named and nobody has settled the request otherwise (see [Requests.Assign]). The
// receiver stays as it is.
func (r *Requests) For(named []component.Name) *Requests {
	whole := *r
	whole.List = slices.Clone(r.List)
	for i, q := range whole.List {
		known, ok := ConsumerNamed(q.Name)
		if ok && q.Component == "" && !r.left[q.Name] && known.Component.OptIn() && slices.Contains(named, known.Component) {
			whole.List[i].Component = known.Component
		}
	}
	return &whole
}

// Inherit gives requests that no account is known for that of the request of another release which wants the same secret: it is the same
// request under another name.
func (r *Requests) Inherit(from *Requests) {
	for i, q := range r.List {
		if q.Component != "" || r.left[q.Name] {
			continue
		}
		same := slices.IndexFunc(from.List, func(f Request) bool { return f.SecretRef == q.SecretRef })
		if same >= 0 {
			r.List[i].Component = from.List[same].Component
		}
	}
}

// Uncovered names the requests that no account is known for, a line each; nil when there are none. That of an opt-in component
// which counts only behind a feature gate is not among them: a cluster without the component need not settle it.
func (r *Requests) Uncovered() error {
	var errs []error
	var example, account string
	for _, q := range r.List {
		if q.Component != "" || r.left[q.Name] {
			continue
		}
		why, of := "is not known", component.MachineAPI
		if known, ok := ConsumerNamed(q.Name); ok {
			why = fmt.Sprintf("is that of %s, which has no account of its own", known.Who)
			if known.Component.OptIn() {
				if q.FeatureGate != "" {
					continue
				}
				of = known.Component
				why = fmt.Sprintf("is that of %s, which has an account only if component %s is listed", known.Who, known.Component)
			}
		}
		if q.FeatureGate != "" {
			why += ", behind feature gate " + q.FeatureGate
		}
		if example == "" {
			example, account = q.Name, string(of)
		}
		errs = append(errs, fmt.Errorf("%s: CredentialsRequest %s (secret %s) %s", q.File, q.Name, q.SecretRef, why))
	}
	if errs == nil {
		return nil
	}
	return hint.Wrap(errors.Join(errs...), fmt.Sprintf("use --assign %s=%s to give it that account, --assign %s=none to give it none", example, account, example))
}
