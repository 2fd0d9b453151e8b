package explain

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/refusal"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

type refusalsView struct {
	command.Header
	Matrix   string          `json:"matrix"`
	Refusals []refusalView   `json:"refusals"`
	Known    []refusal.Known `json:"known"` // what else the text says that is known
}

type refusalView struct {
	*refusal.Refusal
	Duties    []dutyView `json:"duties"`   // what needs it
	Rows      []rowView  `json:"rows"`     // that grant it
	Elsewhere []string   `json:"grantsIt"` // other matrices that have a row which does
}

type dutyView struct {
	Component  component.Name         `json:"component"`
	Name       string                 `json:"name"`
	Conditions []privileges.Condition `json:"conditions"` // of the cluster, any of which must hold; empty = none
	Reports    string                 `json:"reports"`    // what is reported when it is refused
	Source     string                 `json:"source"`
}

type rowView struct {
	Component  component.Name         `json:"component"`
	Scope      privileges.Scope       `json:"scope"`
	Privilege  string                 `json:"privilege"`
	Propagate  bool                   `json:"propagate"`
	Conditions []privileges.Condition `json:"conditions"` // one of them has to hold
	Why        string                 `json:"why"`
}

func (o *Options) refusals(path string) error {
	const advice = "give the lines around 'NoPermission', 'Permission to perform this operation was denied' or 'privileges missing'"
	name, text, err := o.ReadText(path, advice)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return hint.Wrap(err, "give a file with the refusal, - for stdin, or the code of a finding")
	case err != nil:
		return err
	}
	m, err := privileges.Load(o.Matrix)
	if err != nil {
		return command.BadFlag("matrix", "%w", err)
	}
	found, known := refusal.Read(text, refusal.Options{Matrix: m, Components: component.Of(o.Components)})
	if len(found)+len(known) == 0 {
		return hint.Errorf(advice, "%s says nothing of a refusal that is known here", name)
	}
	view := refusalsView{Header: command.NewHeader("Refusals"), Matrix: m.Name, Refusals: []refusalView{}, Known: command.OrEmpty(known)}
	for _, r := range found {
		view.Refusals = append(view.Refusals, viewOf(r, m))
	}
	if err := o.Print(o.Output, view, func(w io.Writer) error { return view.print(w, o.Width()) }); err != nil {
		return err
	}
	if len(found) > 0 {
		var who []string
		for _, r := range found {
			if r.Component != "" {
				who = lists.AppendNew(who, string(r.Component))
			}
		}
		own := []string{"-f", command.FilePlaceholder}
		if o.Matrix != spec.DefaultMatrix {
			own = append(own, "--matrix", o.Matrix)
		}
		if len(who) > 0 {
			own = append(own, "--components", strings.Join(who, ","))
		}
		o.Command("whether the account holds it now:", o.CommandLine("verify", nil, own...))
		o.Command("what is not granted yet:", o.CommandLine("plan", nil, own...))
	}
	return nil
}

func viewOf(r *refusal.Refusal, m *privileges.Matrix) refusalView {
	r.Privileges = command.OrEmpty(r.Privileges)
	v := refusalView{Refusal: r, Duties: []dutyView{}, Rows: []rowView{}, Elsewhere: []string{}}
	for _, d := range r.Duties {
		v.Duties = append(v.Duties, dutyView{d.Component, d.Name, slices.Concat([]privileges.Condition{}, d.Conditions), d.Reports, d.Source})
	}
	for _, row := range r.Rows {
		v.Rows = append(v.Rows,
			rowView{row.Component, row.Scope, row.Privilege, row.Propagate, row.Conditions, row.Why})
	}
	if len(r.Rows) > 0 {
		return v
	}
	for _, other := range privileges.Names() {
		if theirs, err := privileges.Load(other); err == nil && theirs.Name != m.Name && grants(theirs, r) {
			v.Elsewhere = append(v.Elsewhere, other)
		}
	}
	return v
}

func grants(m *privileges.Matrix, r *refusal.Refusal) bool {
	return slices.ContainsFunc(m.Rows, func(row privileges.Row) bool {
		return slices.Contains(r.Privileges, row.Privilege) && (r.Component == "" || row.Component == r.Component)
	})
}

func (v refusalsView) print(w io.Writer, width int) error {
	var paragraphs []string
	for _, r := range v.Refusals {
		lines := []string{r.title()}
		for _, text := range r.sentences(v.Matrix) {
			lines = append(lines, term.Prose("  "+text, width, 4))
		}
		paragraphs = append(paragraphs, strings.Join(lines, "\n")+"\n")
	}
	for _, k := range v.Known {
		paragraphs = append(paragraphs, fmt.Sprintf("%s (%s)\n%s\n%s\n", k.Says, linesText(k.Lines),
			term.Prose("  "+k.Means, width, 2), term.Prose("  "+k.Do, width, 2)))
	}
	_, err := io.WriteString(w, strings.Join(paragraphs, "\n"))
	return err
}

func linesText(lines []int) string {
	if len(lines) == 1 {
		return fmt.Sprintf("line %d", lines[0])
	}
	return fmt.Sprintf("line %d and %s", lines[0], term.Count(len(lines)-1, "more line"))
}

func (r refusalView) title() string {
	who, what := string(r.Component), "a privilege that the text does not name"
	if who == "" {
		who = "the account"
	}
	switch {
	case r.Named:
		what = r.Privileges[0]
		if label := privileges.UIName(what); label != "" {
			what += " (" + label + ")"
		}
	case len(r.Privileges) == 1:
		what = r.Privileges[0] + ", which the text does not name"
	}
	text := who + " lacks " + what
	if r.Object != "" {
		text += " on " + r.Object
	}
	return text + " (" + linesText(r.Lines) + ")"
}

func (r refusalView) sentences(matrix string) (all []string) {
	if r.Named && privileges.Implicit(r.Privileges[0]) {
		return []string{"it sees nothing there: no permission of the account reaches the object, or it has none anywhere. Every permission that apply sets has this privilege"}
	}
	if !r.Named && len(r.Privileges) > 1 {
		all = append(all, r.Call+" needs "+strings.Join(r.Privileges, ", ")+": one of these at least is missing")
	}
	if len(r.Privileges) == 0 {
		first := ""
		if r.Component == "" {
			first = "name the component with --components; "
		}
		all = append(all, first+"verify logs in as its account, and names what it lacks")
	}
	seen := map[string]bool{}
	for _, d := range r.Duties {
		when := ""
		if len(d.Conditions) > 0 {
			when = ", where " + strings.Join(component.Words(d.Conditions), " or ") + " holds"
		}
		text := fmt.Sprintf("%s needs it to %s%s; refused, it is reported as: %s", d.Component, d.Name,
			when, d.Reports)
		if !seen[text] {
			all, seen[text] = append(all, text), true
		}
	}
	for _, row := range r.Rows {
		where := fmt.Sprintf("matrix %s grants it to %s on %s", matrix, row.Component, row.Scope)
		if !r.Named {
			where = fmt.Sprintf("matrix %s grants %s to %s on %s", matrix, row.Privilege, row.Component, row.Scope)
		}
		if row.Propagate {
			where += " and below"
		}
		if !slices.Contains(row.Conditions, privileges.Always) {
			where += ", if " + strings.Join(component.Words(row.Conditions), " or ") + " holds"
		}
		if row.Why != "" {
			where += ": " + row.Why
		}
		all = append(all, where)
	}
	if len(r.Rows) == 0 && len(r.Duties) == 0 && r.Component == component.Diagnostics &&
		slices.ContainsFunc(privileges.Alarms(), func(d *privileges.Duty) bool {
			return slices.ContainsFunc(r.Privileges, func(id string) bool {
				return slices.Contains(d.Privileges(""), id)
			})
		}) {
		return append(all, "the problem detector holds its own account against the privileges of a machine installation and does not need this one: verify says which of its checks fail for ever (docs/troubleshooting.md)")
	}
	if len(r.Rows) == 0 && len(r.Privileges) > 0 {
		to := ""
		if r.Component != "" {
			to = " to " + string(r.Component)
		}
		text := "no row of matrix " + matrix + " grants it" + to
		if len(r.Elsewhere) > 0 {
			text += "; " + strings.Join(r.Elsewhere, ", ") + " would"
		} else {
			text += ", nor one of another matrix of the program: a matrix file of your own can"
		}
		all = append(all, text)
	}
	return all
}
