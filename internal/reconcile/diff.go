// Package reconcile compares what two releases of OpenShift need, and says what a specification
// becomes for it: pure functions over values.
//
// [Diff] compares the CredentialsRequests. [Reconcile] returns a specification's privileges,
// components and matrix: before the upgrade what both releases need, after it ([Options.Prune])
// what the next one does.
package reconcile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// Kind says what became of a request from one release to the next.
type Kind string

// The kinds of changes.
const (
	Added   Kind = "added"
	Removed Kind = "removed"
	Renamed Kind = "renamed"
	Changed Kind = "changed"
)

// Change is a request in which two releases differ.
type Change struct {
	Kind      Kind             `json:"change"`
	Component component.Name   `json:"component"` // whose account it gets; "" = none
	Before    *release.Request `json:"-"`         // nil: the running release has no such request
	After     *release.Request `json:"-"`         // nil: the next one has none
	Fields    []string         `json:"fields"`    // what differs: name, secret, privileges ...
	Note      string           `json:"note,omitempty"`

	PrivilegesAdded   []string `json:"privilegesAdded"`
	PrivilegesRemoved []string `json:"privilegesRemoved"`
}

// Request is the change's name: the next release's, or else the former.
func (c Change) Request() string { return cmp.Or(c.After, c.Before).Name }

// Diff compares the requests of two releases, by component and name. A removed and an added one are
// the same, renamed, if they want the same secret or are their component's only ones.
func Diff(from, to *release.Requests) []Change {
	gone, come, both := sides(from, to)
	var all []Change
	for _, pair := range both {
		if c, differs := compare(pair[0], pair[1]); differs {
			all = append(all, c)
		}
	}
	for _, same := range []func(a, b *release.Request) bool{
		func(a, b *release.Request) bool { return a.SecretRef == b.SecretRef },
		func(a, b *release.Request) bool {
			return a.Component != "" && a.Component == b.Component && only(gone, a) && only(come, b)
		},
	} {
		var unmatched []*release.Request
		for _, a := range gone {
			i := slices.IndexFunc(come, func(b *release.Request) bool { return same(a, b) })
			if i < 0 {
				unmatched = append(unmatched, a)
				continue
			}
			c, _ := compare(a, come[i])
			all, come = append(all, c), slices.Delete(come, i, i+1)
		}
		gone = unmatched
	}
	for _, a := range gone {
		all = append(all, Change{Kind: Removed, Component: a.Component, Before: a, Note: whyGone(a, to), PrivilegesRemoved: a.Privileges})
	}
	for _, b := range come {
		all = append(all, Change{
			Kind: Added, Component: b.Component, After: b,
			Note: whenItApplies(&release.Request{}, b), PrivilegesAdded: b.Privileges,
		})
	}
	for i := range all {
		for _, list := range []*[]string{&all[i].Fields, &all[i].PrivilegesAdded, &all[i].PrivilegesRemoved} {
			*list = append([]string{}, *list...)
		}
	}
	slices.SortFunc(all, func(a, b Change) int {
		return cmp.Or(order(a.Component, b.Component), cmp.Compare(a.Request(), b.Request()))
	})
	return all
}

// order puts components into their usual order, requests without one last.
func order(a, b component.Name) int {
	place := func(c component.Name) int {
		if i := slices.Index(component.Names(), c); i >= 0 {
			return i
		}
		return len(component.Names())
	}
	return cmp.Compare(place(a), place(b))
}

// sides are the requests that only one of the releases has, and those that both have by name.
func sides(from, to *release.Requests) (gone, come []*release.Request, both [][2]*release.Request) {
	come = pointers(to)
	for _, a := range pointers(from) {
		i := slices.IndexFunc(come, func(b *release.Request) bool { return a.Ref == b.Ref })
		if i < 0 {
			gone = append(gone, a)
			continue
		}
		both, come = append(both, [2]*release.Request{a, come[i]}), slices.Delete(come, i, i+1)
	}
	return gone, come, both
}

func pointers(r *release.Requests) []*release.Request {
	if r == nil {
		return nil
	}
	var all []*release.Request
	for i := range r.List {
		all = append(all, &r.List[i])
	}
	return all
}

// only reports whether no other request of a list has the component of one.
func only(list []*release.Request, of *release.Request) bool {
	return !slices.ContainsFunc(list,
		func(r *release.Request) bool { return r != of && r.Component == of.Component })
}

// compare tells in what a request differs from that of the next release.
func compare(a, b *release.Request) (c Change, differs bool) {
	c = Change{Kind: Changed, Component: cmp.Or(b.Component, a.Component), Before: a, After: b}
	c.PrivilegesAdded, c.PrivilegesRemoved = lists.Without(b.Privileges, a.Privileges),
		lists.Without(a.Privileges, b.Privileges)
	for _, field := range []struct {
		name  string
		other bool
	}{
		{"name", a.Ref != b.Ref},
		{"secret", a.SecretRef != b.SecretRef},
		{"service accounts", !slices.Equal(a.ServiceAccounts, b.ServiceAccounts)},
		{"privileges", len(c.PrivilegesAdded)+len(c.PrivilegesRemoved) > 0},
		{"feature gate", a.FeatureGate != b.FeatureGate || a.FeatureSet != b.FeatureSet},
	} {
		if field.other {
			c.Fields = append(c.Fields, field.name)
		}
	}
	if a.Ref != b.Ref {
		c.Kind = Renamed
	}
	c.Note = whenItApplies(a, b)
	return c, len(c.Fields) > 0
}

// whenItApplies says which feature gate or set a request has got or lost, "" if neither.
func whenItApplies(a, b *release.Request) string {
	var parts []string
	for _, of := range []struct{ what, before, after string }{
		{"feature gate ", a.FeatureGate, b.FeatureGate}, {"feature set ", a.FeatureSet, b.FeatureSet},
	} {
		switch {
		case of.before == of.after:
		case of.after != "":
			parts = append(parts, "applies only with "+of.what+of.after)
		default:
			parts = append(parts, "was behind "+of.what+of.before)
		}
	}
	return strings.Join(parts, "; ")
}

// whyGone says what the next release says of a request that it does not have, "" if nothing.
func whyGone(a *release.Request, to *release.Requests) string {
	if to == nil {
		return ""
	}
	for _, s := range to.Skipped {
		if s.Ref == a.Ref {
			return fmt.Sprintf("the next release has it, and it %s", s.Reason)
		}
	}
	return ""
}

// NetNew are the requests that need an account and that a cluster of the running release may lack:
// those of the next release alone, and those behind a feature gate, whose state is unknown.
func NetNew(from, to *release.Requests) []release.Request {
	certain := *from
	certain.List = slices.DeleteFunc(slices.Clone(from.List),
		func(q release.Request) bool { return q.FeatureGate != "" })
	var all []release.Request
	for _, c := range Diff(&certain, to) {
		if c.Kind == Added && c.Component != "" {
			all = append(all, *c.After)
		}
	}
	return all
}
