package wizard

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

func (w *wizard) profile(ctx context.Context, _ step) (step, error) {
	next := step{name: "components"}
	q := Choice{
		Message: "profile", Default: slices.Index(openshift.ProfileNames(), w.a.Spec.Profile),
		Help: "How the accounts reach the cluster. passthrough works with every release, with one account for all components. " +
			"kube-system needs the installer and the cloud-credential-operator of the enhancement, which no release has yet. " +
			"component-scoped and manual are for clusters in Manual mode, kubernetes for clusters without OpenShift.",
	}
	profiles := openshift.Profiles()
	for _, p := range profiles {
		q.Entries = append(q.Entries, Entry{p.Name, p.Note})
	}
	i, err := w.choose(ctx, q)
	if err == nil {
		w.a.Spec.Profile = profiles[i].Name
	}
	return next, err
}

// offered are the components with an account in the profile, and those that have one by default.
func (w *wizard) offered() (all, usual []component.Name) {
	s := w.a.Spec
	s.Components = nil
	usual = s.ComponentNames()
	s.Components = map[component.Name]spec.Component{}
	for _, c := range component.Names() {
		if profile, _ := openshift.FindProfile(s.Profile); profile.Has(c) {
			s.Components[c] = spec.Component{}
		}
	}
	return s.ComponentNames(), usual
}

func (w *wizard) components(ctx context.Context, _ step) (step, error) {
	next := step{name: "existing"}
	all, usual := w.offered()
	if len(all) == 1 {
		w.a.Spec.Components = keep(w.a.Spec.Components, nil, all)
		return next, nil
	}
	have := w.a.Spec.ComponentNames()
	chosen, err := some(ctx, w, Choices{
		Message: "components", Check: atLeastOne,
		Help: "Which components get an account. The selected ones are in every cluster; select the others if this cluster has them.",
	}, all, func(c component.Name) (Entry, bool) {
		of, _ := component.Find(c)
		return Entry{string(c), of.Short}, slices.Contains(have, c)
	})
	if err != nil {
		return next, err
	}
	var names []component.Name
	for _, i := range chosen {
		names = append(names, all[i])
	}
	if slices.Equal(names, usual) {
		names = nil
	}
	w.a.Spec.Components = keep(w.a.Spec.Components, names, usual)
	return next, nil
}

// keep narrows a specification's components to those named. No names stand for all offered ones,
// which a file leaves out, except those with a principal.
func keep(old map[component.Name]spec.Component, names, offered []component.Name) map[component.Name]spec.Component {
	if len(names) == 0 && slices.ContainsFunc(offered,
		func(c component.Name) bool { return old[c].Principal != "" }) {
		names = offered
	}
	if len(names) == 0 {
		return nil
	}
	kept := map[component.Name]spec.Component{}
	for _, c := range names {
		kept[c] = old[c]
	}
	return kept
}

// existing asks which accounts are there already.
func (w *wizard) existing(ctx context.Context, _ step) (step, error) {
	next := step{name: "principal"}
	have := w.a.Spec.ComponentNames()
	chosen, err := some(ctx, w, Choices{
		Message: "components that use existing accounts",
		Help:    "An existing account, such as one from a directory, is granted what it needs, but is never created or changed. Select none to create all accounts.",
	}, have, func(c component.Name) (Entry, bool) {
		principal := w.a.Spec.Components[c].Principal
		return Entry{string(c), principal}, principal != ""
	})
	if err != nil {
		return next, err
	}
	for i, c := range have {
		old, named := w.a.Spec.Components[c]
		if slices.Contains(chosen, i) {
			if !named && len(w.a.Spec.Components) == 0 {
				w.a.Spec.Components = map[component.Name]spec.Component{}
				for _, all := range have {
					w.a.Spec.Components[all] = spec.Component{}
				}
			}
			old.Principal = cmp.Or(old.Principal, wanted)
			w.a.Spec.Components[c] = old
		} else if named {
			w.a.Spec.Components[c] = spec.Component{}
		}
	}
	return next, nil
}

// wanted marks a component whose account is asked for next.
const wanted = "?"

// principal asks for the name of the account of the component of its number.
func (w *wizard) principal(ctx context.Context, s step) (step, error) {
	have := w.a.Spec.ComponentNames()
	if s.fd >= len(have) {
		return step{name: "username"}, nil
	}
	next := step{name: "principal", fd: s.fd + 1}
	name := have[s.fd]
	c := w.a.Spec.Components[name]
	if c.Principal == "" {
		return next, nil
	}
	fallback := c.Principal
	if fallback == wanted {
		fallback = ""
	}
	q := Line{
		Message: "account of " + string(name), Default: fallback,
		Help: `name@domain or DOMAIN\name, as in an identity source of the vCenter.`,
		Check: func(text string) error {
			if text == "" {
				return errors.New(`a name is required: name@domain or DOMAIN\name`)
			}
			alone := spec.Spec{
				APIVersion: spec.APIVersion, Kind: spec.Kind, Cluster: "cluster", Profile: w.a.Spec.Profile,
				Privileges: blank().Spec.Privileges, Accounts: blank().Spec.Accounts,
				Components: map[component.Name]spec.Component{name: {Principal: text}},
			}
			return problem(alone)
		},
	}
	for {
		text, err := w.line(ctx, q)
		if err != nil {
			return next, err
		}
		kept := w.there(ctx, text, c.Group, "components."+string(name))
		if !kept {
			kept, err = w.confirm(ctx, Choice{
				Message: "keep " + text + "?",
				Help:    "An account that its directory will have later can be kept: plan --work-order writes the request. Until then, plan is an error without it.",
			}, false)
		}
		switch {
		case errors.Is(err, errBack): // to its name
		case err != nil:
			return next, err
		case kept:
			w.a.Spec.Components[name] = spec.Component{Principal: text, Group: c.Group}
			return next, nil
		}
		q.Default = text
	}
}

// there looks for an account on the vCenters that were reached, and says what is wrong with it. What
// the login may not read is left to the plan.
func (w *wizard) there(ctx context.Context, principal string, group *bool, field string) bool {
	done := w.o.Ask.Busy("looking for " + principal)
	var wrong error
	for _, v := range w.a.Spec.VCenters {
		if s := w.sites[v.Server]; s != nil && wrong == nil {
			if _, state, err := sso.Read(ctx, s.session, sso.Query{Principals: []string{principal}}); err == nil {
				wrong = state.Check(principal, group, field)
			}
		}
	}
	done()
	if wrong != nil {
		w.explain(wrong)
	}
	return wrong == nil
}

// username asks how the accounts are called that are created.
func (w *wizard) username(ctx context.Context, _ step) (step, error) {
	next := step{name: "matrix"}
	created := slices.ContainsFunc(w.a.Spec.ComponentNames(), func(c component.Name) bool {
		return w.a.Spec.Components[c].Principal == ""
	})
	if !created {
		return next, nil
	}
	text, err := w.line(ctx, Line{
		Message: "account names", Default: w.a.Spec.Accounts.Username,
		Help: "{cluster} and {component} are replaced. The accounts are created in the vCenter's own SSO domain, so omit @domain.",
		Check: func(text string) error {
			s := w.a.Spec
			s.Accounts.Username = text
			return s.CheckAccounts()
		},
	})
	if err == nil {
		w.a.Spec.Accounts.Username = text
	}
	return next, err
}
