package wizard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

func (w *wizard) profile(ctx context.Context, _ step) (step, error) {
	next := step{name: "components"}
	q := Choice{
		Message: "profile", Default: slices.Index(openshift.ProfileNames(), w.a.Spec.Profile),
		Help: "How the accounts reach the cluster. kube-system is what the installer and the cloud credential operator read without more.",
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

// offered are the components that have an account in the profile.
func (w *wizard) offered() []component.Name {
	s := w.a.Spec
	s.Components = nil
	return s.ComponentNames()
}

func (w *wizard) components(ctx context.Context, _ step) (step, error) {
	next := step{name: "existing"}
	all := w.offered()
	if len(all) == 1 {
		w.a.Spec.Components = keep(w.a.Spec.Components, nil, all)
		return next, nil
	}
	have := w.a.Spec.ComponentNames()
	chosen, err := some(ctx, w, Choices{
		Message: "components", Check: atLeastOne,
		Help: "Which components get an account: all of them, unless some are cared for elsewhere.",
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
	if len(names) == len(all) {
		names = nil
	}
	w.a.Spec.Components = keep(w.a.Spec.Components, names, all)
	return next, nil
}

// keep narrows the components of a specification to those named. None means all of those offered, which a file says by
// leaving them out, but where one has a principal.
func keep(old map[component.Name]spec.Component, names, offered []component.Name) map[component.Name]spec.Component {
	if len(names) == 0 && slices.ContainsFunc(offered, func(c component.Name) bool { return old[c].Principal != "" }) {
		names = offered
	}
	var kept map[component.Name]spec.Component
	for _, c := range names {
		if kept == nil {
			kept = map[component.Name]spec.Component{}
		}
		kept[c] = old[c]
	}
	return kept
}

// existing asks which accounts are there already.
func (w *wizard) existing(ctx context.Context, _ step) (step, error) {
	next := step{name: "principal"}
	have := w.a.Spec.ComponentNames()
	chosen, err := some(ctx, w, Choices{
		Message: "accounts that exist already",
		Help:    "Components whose account somebody else owns, in a directory perhaps: it is granted what it needs, never created or changed. None, and all are created.",
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
			if old.Principal == "" {
				old.Principal = wanted
			}
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
	text, err := w.line(ctx, Line{
		Message: "account of " + string(name), Default: fallback,
		Help: `name@domain or DOMAIN\name, as an identity source of the vCenter knows it.`,
		Check: func(text string) error {
			if text == "" {
				return errors.New(`a name is needed: name@domain or DOMAIN\name`)
			}
			alone := spec.Spec{
				APIVersion: spec.APIVersion, Kind: spec.Kind, Cluster: "cluster", Profile: w.a.Spec.Profile,
				Privileges: blank().Spec.Privileges, Accounts: blank().Spec.Accounts,
				Components: map[component.Name]spec.Component{name: {Principal: text}},
			}
			return problem(alone)
		},
	})
	if err != nil {
		return next, err
	}
	w.a.Spec.Components[name] = spec.Component{Principal: text, Group: c.Group}
	return next, nil
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
		Help: "{cluster} and {component} are filled in. The accounts are made in the vCenter's own SSO domain, so there is no @domain.",
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

// matrixNotes say what each embedded matrix is.
func matrixNotes() map[string]string {
	return map[string]string{
		"default":          "what the operators call, from their code",
		"enhancement":      "the tables of the design",
		"documented":       "the tables of the documentation",
		"component-scoped": "the design's for component-scoped credentials",
		"installer":        "what the installer checks",
	}
}

func (w *wizard) matrix(ctx context.Context, _ step) (step, error) {
	next := step{name: "conditions"}
	names := privileges.Names()
	slices.SortStableFunc(names, func(a, b string) int { return rank(a == spec.DefaultMatrix) - rank(b == spec.DefaultMatrix) })
	q := Choice{
		Message: "privilege matrix", Default: slices.Index(names, w.a.Spec.Privileges.Matrix),
		Help: "Which privileges each component gets, at which objects. 'privileges show' prints them with their sources.",
	}
	for _, n := range names {
		q.Entries = append(q.Entries, Entry{n, matrixNotes()[n]})
	}
	q.Entries = append(q.Entries, Entry{"a file of my own", ""})
	if q.Default < 0 {
		q.Default = len(names)
	}
	i, err := w.choose(ctx, q)
	switch {
	case err != nil:
		return next, err
	case i == len(names):
		next.name = "matrix file"
	default:
		w.a.Spec.Privileges.Matrix = names[i]
	}
	return next, nil
}

func (w *wizard) matrixFile(ctx context.Context, _ step) (step, error) {
	next := step{name: "conditions"}
	fallback := w.a.Spec.Privileges.Matrix
	if slices.Contains(privileges.Names(), fallback) {
		fallback = ""
	}
	file, err := w.line(ctx, Line{
		Message: "matrix file", Default: fallback,
		Help: "The path of a YAML file with rows like those of the embedded matrices.",
		Check: func(text string) error {
			if info, err := os.Stat(text); err != nil || info.IsDir() {
				return fmt.Errorf("%s is no file", text)
			}
			s := w.a.Spec
			s.Privileges.Matrix = matrixPath(text)
			if err := problem(s); err != nil {
				return err
			}
			_, err := privileges.Load(matrixPath(text))
			return err
		},
	})
	if err == nil {
		w.a.Spec.Privileges.Matrix = matrixPath(file)
	}
	return next, err
}

// matrixPath makes a name a path, which a provisioning file tells from a matrix of the tool by its slash or its end.
func matrixPath(text string) string {
	if strings.ContainsAny(text, `/\`) || strings.HasSuffix(text, ".yaml") || strings.HasSuffix(text, ".yml") {
		return text
	}
	return "./" + text
}

func (w *wizard) conditions(ctx context.Context, _ step) (step, error) {
	next := step{name: "layout"}
	holds := w.a.Spec.Selected()
	matrix, err := privileges.Load(w.a.Spec.Privileges.Matrix)
	if err != nil {
		w.explain(err)
		return step{name: "matrix"}, nil
	}
	var offered []privileges.Condition
	for _, c := range privileges.Selectable() {
		if slices.ContainsFunc(matrix.Rows, func(r privileges.Row) bool { return slices.Contains(r.Conditions, c) }) {
			offered = append(offered, c)
		}
	}
	if len(offered) == 0 {
		w.a.Spec.Privileges.Conditions = nil
		return next, nil
	}
	chosen, err := some(ctx, w, Choices{
		Message: "what the cluster uses",
		Help:    "Rows of the matrix that only some clusters need: choose with space what holds here.",
	}, offered, func(c privileges.Condition) (Entry, bool) { return Entry{string(c), c.Describe()}, holds[c] })
	if err != nil {
		return next, err
	}
	w.a.Spec.Privileges.Conditions = nil
	for i, c := range offered {
		switch on := slices.Contains(chosen, i); {
		case c == privileges.ManagedStorageClass && !on:
			w.a.Spec.Privileges.Conditions = append(w.a.Spec.Privileges.Conditions, "no-"+string(c))
		case c != privileges.ManagedStorageClass && on:
			w.a.Spec.Privileges.Conditions = append(w.a.Spec.Privileges.Conditions, string(c))
		}
	}
	return next, nil
}

func (w *wizard) layout(ctx context.Context, _ step) (step, error) {
	next := step{name: "plan"}
	layouts := []string{"scope", "component"}
	i, err := w.choose(ctx, Choice{
		Message: "roles", Default: max(0, slices.Index(layouts, w.a.Spec.Privileges.RoleLayout)),
		Help: "One role per component and kind of object keeps each grant as small as it can be. One per component is fewer roles, with more on each object.",
		Entries: []Entry{
			{"one per component and kind of object", w.a.Spec.Privileges.RolePrefix + "machine-api-folder, ..."},
			{"one per component", w.a.Spec.Privileges.RolePrefix + "machine-api, ..."},
		},
	})
	if err == nil {
		w.a.Spec.Privileges.RoleLayout = layouts[i]
	}
	return next, err
}
