package reconcile

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/reconcile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// The view of one release of several.
type (
	releaseView struct {
		Release  string               `json:"release"`  // "" = not said
		Image    string               `json:"image"`    // "" = not said
		Requests string               `json:"requests"` // a directory, a cluster, or the release
		Changes  []changeView         `json:"changes"`  // none: it asks for what the running release does
		Unneeded []reconcile.Unneeded `json:"unneeded"`
		Error    string               `json:"error,omitempty"` // why it is not prepared
	}
	// changeView is the difference of a component from the running release.
	changeView struct {
		Component         component.Name `json:"component"` // "" = a request without an account
		Change            []changeKind   `json:"change"`
		Requests          []string       `json:"requests"`
		PrivilegesAdded   []string       `json:"privilegesAdded"`
		PrivilegesRemoved []string       `json:"privilegesRemoved"`
		FeatureGates      []string       `json:"featureGates"`
		what              []string       // for people
	}
)

func (r releaseView) ref() release.Ref { return release.Ref{Version: r.Release, Image: r.Image} }

type changeKind string

const (
	isNew     changeKind = "new"     // it had no request, or no account, before
	isGrown   changeKind = "grown"   // it needs more
	isReduced changeKind = "reduced" // it needs less: nothing is taken away before the upgrade
	isGated   changeKind = "gated"   // a request counts behind a feature gate or set only
	isChanged changeKind = "changed" // anything else: a name, a secret, service accounts
)

// view is a release's difference from the running one, by component, or else what it lacks.
func (n *next) view() releaseView {
	v := releaseView{
		Release: n.Version, Image: n.Image, Requests: n.to.Dir, Changes: []changeView{},
		Unneeded: append([]reconcile.Unneeded{}, n.alone.Unneeded...),
	}
	of := func(c component.Name, request string) *changeView {
		for i, had := range v.Changes {
			if had.Component == c && (c != "" || slices.Contains(had.Requests, request)) {
				return &v.Changes[i]
			}
		}
		v.Changes = append(v.Changes, changeView{
			Component: c, Change: []changeKind{}, Requests: []string{},
			PrivilegesAdded: []string{}, PrivilegesRemoved: []string{}, FeatureGates: []string{},
		})
		return &v.Changes[len(v.Changes)-1]
	}
	for _, change := range n.alone.Changes {
		c := of(change.Component, change.Request())
		c.Requests = lists.AppendNew(c.Requests, change.Request())
		c.PrivilegesAdded = lists.AppendNew(c.PrivilegesAdded, change.PrivilegesAdded...)
		c.PrivilegesRemoved = lists.AppendNew(c.PrivilegesRemoved, change.PrivilegesRemoved...)
		if change.Component == "" {
			c.what = lists.AppendNew(c.what, "request "+change.Request())
		}
		c.what = lists.AppendNew(c.what, newRequestView(n, change).what()...)
		switch {
		case change.Kind == reconcile.Added:
			c.add(isNew)
		case change.Kind == reconcile.Removed:
			c.add(isReduced)
			c.what = lists.AppendNew(c.what, "request "+change.Request()+" is gone")
		case !slices.Equal(change.Fields, []string{"privileges"}):
			c.add(isChanged)
		}
	}
	for _, d := range n.alone.Rows {
		c := of(d.Component, "")
		switch word := d.Privilege + " (" + string(d.Scope) + ")"; {
		case d.A == nil:
			c.PrivilegesAdded = lists.AppendNew(c.PrivilegesAdded, d.Privilege)
			c.what = lists.AppendNew(c.what, "+ "+word)
		case d.B == nil:
			c.PrivilegesRemoved = lists.AppendNew(c.PrivilegesRemoved, d.Privilege)
			c.what = lists.AppendNew(c.what, "- "+word)
		default:
			c.add(isChanged)
			c.what = lists.AppendNew(c.what, word+": "+strings.Join(d.Fields, ", "))
		}
	}
	if n.alone.Changes == nil && n.alone.Rows == nil {
		for _, a := range n.alone.Add {
			c := of(a.Component, "")
			c.PrivilegesAdded = lists.AppendNew(c.PrivilegesAdded, a.Privileges...)
			for _, id := range a.Privileges {
				c.what = lists.AppendNew(c.what, "+ "+id)
			}
		}
	}
	for _, name := range n.alone.Write.Name {
		of(name, "").add(isNew)
	}
	for _, q := range n.to.List {
		if q.FeatureGate+q.FeatureSet == "" {
			continue
		}
		c := of(q.Component, q.Name)
		c.Requests = lists.AppendNew(c.Requests, q.Name)
		for _, gate := range []struct{ what, name string }{{"feature gate ", q.FeatureGate}, {"feature set ", q.FeatureSet}} {
			if gate.name != "" {
				c.FeatureGates = lists.AppendNew(c.FeatureGates, gate.name)
				c.what = lists.AppendNew(c.what, "applies only with "+gate.what+gate.name)
			}
		}
	}
	for i := range v.Changes {
		c := &v.Changes[i]
		for _, k := range []struct {
			kind changeKind
			is   bool
		}{{isGrown, len(c.PrivilegesAdded) > 0}, {isReduced, len(c.PrivilegesRemoved) > 0}, {isGated, len(c.FeatureGates) > 0}} {
			if k.is {
				c.add(k.kind)
			}
		}
	}
	return v
}

func (c *changeView) add(kind changeKind) { c.Change = lists.AppendNew(c.Change, kind) }

func (c *compared) reduces() bool {
	return slices.ContainsFunc(c.next, func(n *next) bool {
		return slices.ContainsFunc(n.view().Changes, func(c changeView) bool {
			return slices.Contains(c.Change, isReduced)
		})
	})
}

// releaseTable has the changes of releases by component. Equal releases share a row.
func (v *reconciliationView) releaseTable() *term.Table {
	t := term.NewTable("release", "component", "change", "what")
	type row struct {
		component, change string
		what              []string
	}
	var all [][]row
	names := map[int][]string{}
	for _, r := range v.Releases {
		var mine []row
		for _, c := range r.Changes {
			mine = append(mine, row{componentWord(c.Component), strings.Join(component.Words(c.Change), ", "), c.what})
		}
		switch {
		case r.Error != "":
			mine = []row{{"", "unknown", []string{"its requests could not be extracted"}}}
		case mine == nil:
			mine = []row{{"", "same", nil}}
		}
		i := slices.IndexFunc(all, func(other []row) bool { return reflect.DeepEqual(other, mine) })
		if i < 0 {
			i, all = len(all), append(all, mine)
		}
		names[i] = append(names[i], cmp.Or(r.Release, r.Requests))
	}
	for i, some := range all {
		of := term.Lines(names[i])
		for _, row := range some {
			t.Row(of, row.component, row.change, term.Lines(row.what))
			of = nil
		}
	}
	return t
}
