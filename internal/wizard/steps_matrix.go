package wizard

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// matrixNotes say what each embedded matrix of whole clusters is.
func matrixNotes() map[string]string {
	return map[string]string{
		"default":          "the design's tables, and what operators need beyond them",
		"enhancement":      "the tables of the design",
		"documented":       "the tables of the documentation",
		"component-scoped": "the tables of the design for component-scoped credentials",
		"minimal":          "what the components' calls need, from their code; supported by nobody",
	}
}

func (w *wizard) matrix(ctx context.Context, _ step) (step, error) {
	next := step{name: "conditions"}
	names := slices.DeleteFunc(privileges.Names(), func(n string) bool {
		m, err := privileges.Load(n)
		return err != nil || len(lists.Without(component.Default(), m.Components())) > 0
	})
	slices.SortStableFunc(names,
		func(a, b string) int { return rank(a == spec.DefaultMatrix) - rank(b == spec.DefaultMatrix) })
	q := Choice{
		Message: "privilege matrix", Default: slices.Index(names, w.a.Spec.Privileges.Matrix),
		Help: "Which privileges each component gets on which objects. 'privileges show' prints them with their sources.",
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
				return fmt.Errorf("%s is not a file", text)
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

// matrixPath makes a name a path: a slash or an extension tells it from one of the tool's matrices.
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
		if slices.ContainsFunc(matrix.Rows,
			func(r privileges.Row) bool { return slices.Contains(r.Conditions, c) }) {
			offered = append(offered, c)
		}
	}
	if len(offered) == 0 {
		w.a.Spec.Privileges.Conditions = nil
		return next, nil
	}
	chosen, err := some(ctx, w, Choices{
		Message: "what the cluster uses",
		Help:    "Some privileges are needed only by some clusters. Press space to select what this cluster uses.",
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
		Help: "One role per component and kind of object grants the least on each object. One role per component means fewer roles, and more privileges on each object.",
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
