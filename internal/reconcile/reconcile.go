package reconcile

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// Options say what is reconciled with which releases. Spec, Matrix and To are required.
type Options struct {
	Spec   *spec.Spec
	Matrix *privileges.Matrix // that the specification names

	From *release.Requests // of the running release; nil = it is not compared
	To   *release.Requests // of the release that the accounts are to fit

	NoRequests bool // none are given: To is empty, and what the release asks for is not known

	MatrixTo   *privileges.Matrix // what To needs; nil = Matrix
	MatrixAs   string             // how the specification is to name it
	MatrixFrom *privileges.Matrix // what MatrixTo is compared with, to be shown; nil = nothing is

	Assigned []component.Name // get requests of To, and so are named from now on

	Release string                        // the version of To; "" = not said
	Place   map[string][]privileges.Scope // where privileges are granted, whatever the matrices say
	Prune   bool                          // what To does not need is taken away
}

// Result is what a specification becomes.
type Result struct {
	Changes  []Change                // of the requests, against From; none without it
	Rows     []privileges.Difference // differences of MatrixFrom and MatrixTo
	Add      []privileges.Added
	Gone     []privileges.Added // entries to remove, unchanged
	Unneeded []Unneeded         // what To does not need; only prune removes it
	Undoes   []string           // reconciled versions that a prune would undo, in order
	Notes    []string
	Write    spec.Reconciled
	Spec     *spec.Spec // with Write
}

// Unneeded is of no use to a release. A whole component has neither Scope nor Privileges.
type Unneeded struct {
	Component  component.Name   `json:"component"`
	Scope      privileges.Scope `json:"scope,omitempty"`
	Privileges []string         `json:"privileges,omitempty"`
	Release    string           `json:"release,omitempty"` // that they were added for
	Why        string           `json:"why"`
}

// Reconcile returns what a specification becomes for a release. Without prune it only grows; with
// it, it loses what earlier reconciliations wrote needlessly. The error names all without a place.
func Reconcile(o Options) (*Result, error) {
	if err := checkPlace(o.Place, o.To); err != nil {
		return nil, err
	}
	r := &Result{}
	var wants []component.Name
	if o.From != nil {
		r.Changes = Diff(o.From, o.To)
		for _, q := range NetNew(o.From, o.To) {
			wants = append(wants, q.Component)
		}
	}
	if o.MatrixFrom != nil && o.MatrixTo != nil {
		r.Rows, _ = privileges.Diff(o.MatrixFrom, o.MatrixTo)
		r.Rows = slices.DeleteFunc(r.Rows,
			func(d privileges.Difference) bool { return !slices.Contains(o.Spec.Named(), d.Component) })
	}
	for _, c := range append(wants, o.Assigned...) {
		if !o.names(c) && !slices.Contains(r.Write.Name, c) {
			r.Write.Name = append(r.Write.Name, c)
		}
	}
	next, have := cmp.Or(o.MatrixTo, o.Matrix), o.Spec.Privileges.Added
	needed, err := o.needed(next, r)
	if err != nil {
		return nil, err
	}
	stay, dropped := o.stay(have, needed), o.dropped()
	r.Unneeded = o.unneeded(next, have, needed, stay, dropped)
	r.Undoes = o.undoes(r.Unneeded)
	for i, u := range r.Unneeded {
		if slices.Contains(r.Undoes, u.Release) {
			r.Unneeded[i].Why += fmt.Sprintf("; it was added for %s, which is recorded as reconciled", u.Release)
		}
	}
	kept, wanted := have, append(slices.Clone(needed), o.rows(r)...)
	if o.Prune {
		kept, wanted, r.Write.Drop = stay, needed, dropped
		if o.MatrixTo != nil {
			r.Write.Matrix = o.MatrixAs
		}
		r.Write.Added, r.Add = o.combine(next, kept, wanted)
	} else {
		r.Write.Added, r.Add = o.combine(o.Matrix, kept, wanted)
	}
	r.Gone = privileges.Others(have, r.Write.Added)
	r.Spec = o.Spec.Reconcile(r.Write)
	return r, nil
}

// names reports whether the whole specification names a component.
func (o Options) names(c component.Name) bool { return o.Spec.Whole().Has(c) }

// checkPlace refuses placements of what no request of any release asks for.
func checkPlace(place map[string][]privileges.Scope, releases ...*release.Requests) error {
	var asked, dirs []string
	for _, r := range releases {
		asked, dirs = append(asked, r.Privileges()...), append(dirs, r.Dir)
	}
	var errs []error
	for _, id := range slices.Sorted(maps.Keys(place)) {
		if !slices.Contains(asked, id) {
			errs = append(errs, fmt.Errorf("no CredentialsRequest in %s requires privilege %s, so it is not granted%s", strings.Join(dirs, ", "), hint.Quote(id),
				hint.Suggest(id, asked)))
		}
	}
	return errors.Join(errs...)
}

// needed are the requested privileges that the release's matrix does not place.
func (o Options) needed(matrix *privileges.Matrix, r *Result) ([]privileges.Added, error) {
	var all []privileges.Added
	var errs []error
	where, before := o.where(), (&privileges.Matrix{}).With(o.Spec.Privileges.Added)
	for _, q := range o.To.List {
		switch {
		case q.Component == "":
			continue
		case slices.Contains(r.Write.Name, q.Component), slices.Contains(o.Spec.Named(), q.Component):
		case o.names(q.Component): // narrowed
			continue
		case o.Prune: // its account would seem unneeded
			errs = append(errs, hint.Errorf(fmt.Sprintf("add %s to components of the provisioning file, or exclude the request with --assign %s=none", q.Component, q.Name),
				"CredentialsRequest %s needs an account of %s, which is not in the specification: a prune would remove the account that the cluster uses", q.Name, q.Component))
			continue
		default:
			r.Notes = append(r.Notes, fmt.Sprintf("CredentialsRequest %s: the specification has no account for %s, so nothing is added for it", q.Name, q.Component))
			continue
		}
		for _, id := range q.Privileges {
			_, forced := o.Place[id]
			var entries []privileges.Added
			switch {
			case forced:
			case matrix.HasAt(q.Component, id, where):
				continue
			case before.HasAt(q.Component, id, where):
				entries = of(o.Spec.Privileges.Added, q.Component, id)
			}
			if slices.ContainsFunc(entries, func(a privileges.Added) bool { return !o.anew(a) }) {
				all = append(all, entries...)
				continue
			}
			placed, err := o.place(matrix, q, id)
			switch {
			case err != nil && entries != nil: // the next matrix does not say where
				all = append(all, entries...)
			case err != nil:
				errs = append(errs, err)
			}
			for _, p := range placed {
				all = gather(all, privileges.Added{
					Component: q.Component, Scope: p.Scope, Propagate: p.Propagate, Conditions: p.Conditions, Privileges: []string{id},
					Release: o.Release, Reason: fmt.Sprintf(requestAsks+"%s requires it; %s", q.Name, p.Basis),
				})
			}
		}
	}
	return all, errors.Join(errs...)
}

// of are the entries of one privilege of a component, with it alone.
func of(added []privileges.Added, c component.Name, id string) []privileges.Added {
	var all []privileges.Added
	for _, a := range added {
		if a.Component == c && slices.Contains(a.Privileges, id) {
			a.Privileges = []string{id}
			all = append(all, a)
		}
	}
	return all
}

// place says where a request gets a privilege.
func (o Options) place(matrix *privileges.Matrix, q release.Request, id string) ([]privileges.Placement, error) {
	var placed []privileges.Placement
	for _, scope := range o.Place[id] {
		placed = append(placed, privileges.At(scope, byHand))
	}
	if placed != nil {
		return placed, nil
	}
	placed, candidates, err := privileges.Place(matrix, q.Component, id)
	if err != nil || placed != nil {
		return placed, err
	}
	why := "no matrix has it, and no method in the vSphere API reference needs it"
	if len(candidates) > 0 {
		why = "the methods that need it are called on several kinds of objects"
	} else {
		candidates = privileges.Scopes()
	}
	near := ""
	if !slices.Contains(privileges.Catalogue(), id) {
		near = hint.Suggest(id, privileges.Catalogue())
	}
	return nil, hint.Errorf(fmt.Sprintf("set its scope with --place %s=SCOPE: %s", id,
		strings.Join(component.Words(candidates), ", ")),
		"%s: CredentialsRequest %s requires privilege %s, but its scope is not known: %s%s", q.File,
		q.Name, hint.Quote(id), why, near)
}

// rows are those of the next release's matrix, as entries.
func (o Options) rows(r *Result) []privileges.Added {
	if o.MatrixTo == nil {
		return nil
	}
	var all []privileges.Added
	if _, above := privileges.Diff(o.Matrix, o.MatrixTo); above != nil && !o.Prune {
		r.Notes = append(r.Notes, fmt.Sprintf("matrices %s and %s grant different privileges on the containers above the objects; --prune changes that", o.Matrix.Name, o.MatrixTo.Name))
	}
	for _, row := range o.MatrixTo.Rows {
		if row.Unknown || !slices.Contains(o.Spec.Named(), row.Component) &&
			!slices.Contains(r.Write.Name, row.Component) {
			continue
		}
		a := privileges.Added{
			Component: row.Component, Scope: row.Scope, Propagate: row.Propagate, Privileges: []string{row.Privilege},
			Release: o.Release, Reason: fmt.Sprintf(matrixHas+"%s has it: %s", o.MatrixTo.Name, cmp.Or(row.Why, "no reason is given")),
		}
		if !slices.Contains(row.Conditions, privileges.Always) {
			a.Conditions = row.Conditions
		}
		all = gather(all, a)
	}
	return all
}
