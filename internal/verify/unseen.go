package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Unseen is an object that accounts do not see, and so nothing below it by its path.
type Unseen struct {
	Path       string
	Components []string // whose accounts do not see it
	Objects    []string // from there down, on which these need something
	Privileges int      // that these need there, for each account
	Matrix     string   // one that comes along and lets them see it; "" = none, or the one in use does
	Remedy     string   // see [Reason]
}

// String is what is so, for a subject of any number.
func (u Unseen) String() string {
	return fmt.Sprintf("cannot see %s (no ReadOnly there), so %s on %s from there down are of no use",
		u.Path, term.Count(u.Privileges, "privilege"), term.Count(len(u.Objects), "object"))
}

// Unseen is what an account does not see of what its components need, and needs itself for that.
func (a Account) Unseen() []Unseen {
	var all []Unseen
	for _, o := range a.Objects {
		if o.HiddenBy != "" && len(o.Missing) > 0 {
			all = append(all, Unseen{
				Path: o.HiddenBy, Components: []string{a.Component}, Objects: []string{o.Path}, Privileges: len(o.Missing),
			})
			why := func(r Reason) bool { return slices.Equal(r.Privileges, o.Missing) }
			if i, u := slices.IndexFunc(o.Reasons, why), &all[len(all)-1]; i >= 0 {
				u.Matrix, u.Remedy = o.Reasons[i].matrix, o.Reasons[i].Remedy
			}
		}
	}
	return Together(all)
}

// Unseen is what accounts do not see on a vCenter; those that do not see the same stand together.
func (v *VCenter) Unseen() []Unseen {
	var all []Unseen
	for _, a := range v.Accounts {
		all = append(all, a.Unseen()...)
	}
	return Together(all)
}

// Unseen are the objects that wanted permissions hide on the way to what components need.
func (e *Expected) Unseen(components []component.Name, who access.Subject) []Unseen {
	var all []Unseen
	rights := e.Rights(who)
	for _, o := range e.Objects(who) {
		hidden := rights.HiddenBy(o)
		if hidden == nil {
			continue
		}
		if needed := slices.DeleteFunc(e.Needed(who, o), func(id string) bool { return !e.knows(id) }); len(needed) > 0 {
			all = append(all, Unseen{
				Path: hidden.Path(), Components: component.Words(components), Objects: []string{o.Path()}, Privileges: len(needed),
				Matrix: sighted(components),
			})
		}
	}
	return Together(all)
}

// Unexplained are what a component cannot do for another reason than what is not seen.
func Unexplained(all []Cannot, unseen []Unseen) []Cannot {
	return slices.DeleteFunc(slices.Clone(all), func(c Cannot) bool {
		return slices.ContainsFunc(unseen, func(u Unseen) bool { return u.Path == c.HiddenBy })
	})
}

// Together joins those of one object with the same remedy.
func Together(each []Unseen) []Unseen {
	var all []Unseen
	for _, u := range each {
		i := slices.IndexFunc(all, func(had Unseen) bool { return had.Path == u.Path && had.Remedy == u.Remedy })
		if i < 0 {
			all = append(all, u)
			continue
		}
		all[i].Components = lists.AppendNew(slices.Clip(all[i].Components), u.Components...)
		all[i].Objects = lists.AppendNew(slices.Clip(all[i].Objects), u.Objects...)
		all[i].Privileges += u.Privileges
	}
	return all
}

// sighted is an embedded matrix with a rule for ancestors of components; "" = none.
func sighted(components []component.Name) string {
	for _, name := range append([]string{"default"}, privileges.Names()...) {
		rule := embedded(name).Ancestors
		if rule != nil && !slices.ContainsFunc(components,
			func(c component.Name) bool { return !slices.Contains(rule.Components, c) }) {
			return name
		}
	}
	return ""
}

// Computed says, once, whose rights were not proved by a login.
func (v *Result) Computed() []*finding.Finding {
	f := finding.New(finding.ComputedRights, "", "")
	var where []string
	for _, vc := range v.VCenters {
		for _, a := range vc.Accounts {
			if a.Login != LoginComputed {
				continue
			}
			where = lists.AppendNew(where, vc.Server)
			for _, name := range strings.Split(a.Component, ",") {
				f.Accounts = append(f.Accounts,
					finding.Account{Server: vc.Server, Component: component.Name(name), Principal: a.Principal})
			}
		}
	}
	if where == nil {
		return nil
	}
	n := len(f.Principals())
	f.Text = "what " + term.Count(n, "account") + " may do on " + lists.Few(where) +
		" is computed by vCenter from roles and permissions, not verified: nobody logged in, because the passwords are not known here"
	return []*finding.Finding{f}
}

// Asked are the objects, with all above them, on which rights tell what an account sees.
func Asked(objects []*inventory.Object) []inventory.Ref {
	var refs []inventory.Ref
	for _, o := range objects {
		for _, step := range append([]*inventory.Object{o}, o.Ancestors()...) {
			if step.Known() {
				refs = lists.AppendNew(refs, step.Ref)
			}
		}
	}
	return refs
}

// Told is what an account sees by the rights that vCenter reports on [Asked] objects. The first
// object from the root down without System.View hides those below.
func Told(objects []*inventory.Object, refs []inventory.Ref, rights [][]string) map[*inventory.Object]Seen {
	held := map[inventory.Ref][]string{}
	for i, ref := range refs {
		held[ref] = rights[i]
	}
	seen := map[*inventory.Object]Seen{}
	for _, o := range objects {
		saw := Seen{Held: held[o.Ref]}
		for _, step := range slices.Backward(append([]*inventory.Object{o}, o.Ancestors()...)) {
			if step.Known() && !slices.Contains(held[step.Ref], "System.View") {
				saw.Hidden = step
				break
			}
		}
		seen[o] = saw
	}
	return seen
}
