package openshift

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// NoAccount is the word of [Requests.Assign] for a request that shall not be served.
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
			errs = append(errs, fmt.Errorf("%s: %q is not one of %s, %s", name, word, names(component.Names()), NoAccount))
		default:
			r.List[i].Component = component.Name(word)
		}
	}
	return errors.Join(errs...)
}

// Uncovered names the requests that no account is known for, a line each; nil when there are none.
func (r *Requests) Uncovered() error {
	var errs []error
	var example string
	for _, q := range r.List {
		if q.Component != "" || r.left[q.Name] {
			continue
		}
		why := "is not known"
		if known, ok := consumerNamed(q.Name); ok {
			why = fmt.Sprintf("is that of %s, which has no account of its own", known.Who)
		}
		if q.FeatureGate != "" {
			why += ", behind feature gate " + q.FeatureGate
		}
		if example == "" {
			example = q.Name
		}
		errs = append(errs, fmt.Errorf("%s: CredentialsRequest %s (secret %s) %s", q.File, q.Name, q.SecretRef, why))
	}
	if errs == nil {
		return nil
	}
	return hint.Wrap(errors.Join(errs...), fmt.Sprintf("--assign %s=machine-api gives it that account, --assign %s=none leaves it without", example, example))
}
