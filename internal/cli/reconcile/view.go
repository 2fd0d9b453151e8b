package reconcile

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/reconcile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

type reconciliationView struct {
	command.Header
	Release      string               `json:"release"` // "" = not said, or several
	Releases     []releaseView        `json:"releases"`
	Prune        bool                 `json:"prune"`
	Requests     []requestView        `json:"requests"`   // that differ between the releases
	Rows         []rowChangeView      `json:"rows"`       // in which the matrices differ
	Add          []privileges.Added   `json:"add"`        // new entries of privileges.added
	Components   []component.Name     `json:"components"` // that the specification names from now on
	Unneeded     []reconcile.Unneeded `json:"unneeded"`
	Undoes       []string             `json:"undoes"`  // recorded versions that a prune undoes
	Unknown      []unknownView        `json:"unknown"` // asked for, and unknown to a vCenter
	PassedOver   []string             `json:"passedOver"`
	Plan         *plan.Plan           `json:"plan"`
	Verification *verify.Result       `json:"verification,omitempty"`
}

type requestView struct {
	reconcile.Change
	Release string       `json:"release"` // the next one; "" = not said
	Request string       `json:"request"`
	Before  *requestSide `json:"before"`
	After   *requestSide `json:"after"`
}

type requestSide struct {
	Name            string   `json:"name"`
	Secret          string   `json:"secret"`
	ServiceAccounts []string `json:"serviceAccounts,omitempty"`
	FeatureGate     string   `json:"featureGate,omitempty"`
	FeatureSet      string   `json:"featureSet,omitempty"`
}

type rowChangeView struct {
	Change    reconcile.Kind   `json:"change"` // added, removed, changed
	Component component.Name   `json:"component"`
	Scope     privileges.Scope `json:"scope"`
	Privilege string           `json:"privilege"`
	Fields    []string         `json:"fields,omitempty"`
}

func rowChange(d privileges.Difference) rowChangeView {
	kind := reconcile.Changed
	switch {
	case d.A == nil:
		kind = reconcile.Added
	case d.B == nil:
		kind = reconcile.Removed
	}
	return rowChangeView{kind, d.Component, d.Scope, d.Privilege, d.Fields}
}

type unknownView struct {
	Server    string `json:"server"`
	Privilege string `json:"privilege"`
	Text      string `json:"text"`
}

func sideOf(q *release.Request) *requestSide {
	if q == nil {
		return nil
	}
	return &requestSide{q.Name, q.SecretRef.String(), q.ServiceAccounts, q.FeatureGate, q.FeatureSet}
}

func (r *reconciling) view(p *plan.Plan) *reconciliationView {
	v := &reconciliationView{
		Header: command.NewHeader("Reconciliation"), Releases: []releaseView{}, Prune: r.Prune, Plan: p,
		Requests: []requestView{}, Rows: []rowChangeView{}, Add: []privileges.Added{}, Components: []component.Name{},
		Unneeded: []reconcile.Unneeded{}, Undoes: []string{}, Unknown: r.unknownIn(p), PassedOver: []string{},
	}
	if n := r.only(); n != nil {
		v.Release = n.Version
	}
	for _, n := range r.next {
		one := n.view()
		for _, c := range n.alone.Changes {
			v.Requests = append(v.Requests, newRequestView(n, c))
		}
		for _, d := range n.alone.Rows {
			if row := rowChange(d); !slices.ContainsFunc(v.Rows, func(other rowChangeView) bool { return reflect.DeepEqual(other, row) }) {
				v.Rows = append(v.Rows, row)
			}
		}
		v.Releases = append(v.Releases, one)
	}
	for _, u := range r.failed {
		v.Releases = append(v.Releases, releaseView{
			Release: u.Version, Image: u.Image, Changes: []changeView{},
			Unneeded: []reconcile.Unneeded{}, Error: u.err.Error(),
		})
	}
	if len(r.failed) > 0 { // all are updates, whose versions are known
		slices.SortFunc(v.Releases, func(a, b releaseView) int { return a.ref().Compare(b.ref()) })
	}
	v.Add = append(v.Add, r.Add...)
	v.Components = append(v.Components, r.Write.Name...)
	v.Unneeded = append(v.Unneeded, r.Unneeded...)
	v.Undoes = append(v.Undoes, r.Undoes...)
	v.PassedOver = append(v.PassedOver, r.passedOver()...)
	return v
}

func newRequestView(n *next, c reconcile.Change) requestView {
	return requestView{c, n.Version, c.Request(), sideOf(c.Before), sideOf(c.After)}
}

// unknownIn lists requested privileges that a vCenter does not know.
func (r *reconciling) unknownIn(p *plan.Plan) []unknownView {
	all := []unknownView{}
	if p == nil {
		return all
	}
	asked := r.privileges()
	for _, a := range r.Spec.Privileges.Added {
		asked = append(asked, a.Privileges...)
	}
	for _, f := range p.Findings {
		if f.Code == finding.OmittedPrivilege && slices.Contains(asked, f.Object.Name) {
			all = append(all, unknownView{f.Server, f.Object.Name, f.Text})
		}
	}
	return all
}

// unknown is the error of privileges that vCenters do not know; nil = none. The rest was done.
func (v *reconciliationView) unknown() error {
	if len(v.Unknown) == 0 {
		return nil
	}
	var errs []error
	var failed []string
	for _, u := range v.Unknown {
		near := ""
		if !slices.Contains(privileges.Catalogue(), u.Privilege) {
			near = hint.Suggest(u.Privilege, privileges.Catalogue())
		}
		errs = append(errs, fmt.Errorf("%s: privilege %s, which the release requests, is %s%s", u.Server, hint.Quote(u.Privilege), u.Text, near))
		if !slices.Contains(failed, u.Server) {
			failed = append(failed, u.Server)
		}
	}
	err := hint.Wrap(errors.Join(errs...),
		"the cluster would lack it after the upgrade: upgrade vCenter first to a release that has it")
	return command.Partly(len(failed) < len(v.Plan.VCenters), err)
}

// render prints the differences of the releases and their effects, without the plan.
func (v *reconciliationView) render(w io.Writer, width int) error {
	type part struct {
		head  string
		table *term.Table
	}
	parts := []part{{"requests", v.requestTable()}, {"matrix", v.rowTable()}, {"to add", v.addTable()}, {"not needed by the release", v.unneededTable()}}
	if len(v.Releases) > 1 {
		parts = []part{{"releases", v.releaseTable()}, {"to add", v.addTable()}, {"not needed by any of these releases", v.unneededTable()}}
	}
	for _, part := range parts {
		if part.table.Len() == 0 {
			continue
		}
		term.Fprintf(w, "%s\n", part.head)
		if err := part.table.RenderWhole(w, width); err != nil {
			return err
		}
		term.Fprintf(w, "\n")
	}
	return nil
}

func (v *reconciliationView) requestTable() *term.Table {
	t := term.NewTable("change", "request", "component", "what")
	for _, c := range v.Requests {
		t.Row(c.Kind, c.Request, componentWord(c.Component), term.Lines(c.what()))
	}
	return t
}

// what are the differences, a line each.
func (r requestView) what() []string {
	var what []string
	if r.Before != nil && r.After != nil {
		if r.Before.Name != r.After.Name {
			what = append(what, "was "+r.Before.Name)
		}
		if r.Before.Secret != r.After.Secret {
			what = append(what, "secret "+r.Before.Secret+" -> "+r.After.Secret)
		}
		if !slices.Equal(r.Before.ServiceAccounts, r.After.ServiceAccounts) {
			what = append(what, "service accounts "+wordsOrNone(r.Before.ServiceAccounts)+" -> "+wordsOrNone(r.After.ServiceAccounts))
		}
	} else if r.After != nil {
		what = append(what, "secret "+r.After.Secret)
	}
	for _, id := range r.PrivilegesAdded {
		what = append(what, "+ "+id)
	}
	for _, id := range r.PrivilegesRemoved {
		what = append(what, "- "+id)
	}
	if r.Note != "" {
		what = append(what, r.Note)
	}
	return what
}

func (v *reconciliationView) rowTable() *term.Table {
	t := term.NewTable("change", "component", "scope", "privilege", "what")
	for _, d := range v.Rows {
		t.Row(d.Change, d.Component, d.Scope, d.Privilege, strings.Join(d.Fields, ", "))
	}
	return t
}

func wordsOrNone(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}

func (v *reconciliationView) addTable() *term.Table {
	t := term.NewTable("component", "scope", "privileges", "reason")
	for _, c := range v.Components {
		t.Row(c, "", "", "added to the specification")
	}
	for _, a := range v.Add {
		scope := string(a.Scope)
		if a.Propagate {
			scope += " and below"
		}
		if len(a.Conditions) > 0 {
			scope += " (" + strings.Join(component.Words(a.Conditions), ", ") + ")"
		}
		t.Row(a.Component, scope, term.Lines(a.Privileges), a.Reason)
	}
	return t
}

func (v *reconciliationView) unneededTable() *term.Table {
	t := term.NewTable("component", "scope", "privileges", "why")
	for _, u := range v.Unneeded {
		t.Row(u.Component, u.Scope, term.Lines(u.Privileges), u.Why)
	}
	return t
}
