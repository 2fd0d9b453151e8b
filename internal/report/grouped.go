package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// reason is privileges of components in a scope that are needed for the same reason.
type reason struct {
	Grant
	Components, Privileges []string
	Sources                []int // numbers of the page's sources, from 1
}

// reasons are those of the grants, each once, and the privileges in other words, each once.
func (r *Report) reasons() (all []reason, words []Grant) {
	var each []reason
	for _, g := range r.Grants {
		i := slices.IndexFunc(each, func(o reason) bool { return o.Component == g.Component && o.as(g) })
		if i < 0 {
			i = len(each)
			each = append(each, reason{Grant: g, Components: []string{g.Component}})
		}
		each[i].Privileges = append(each[i].Privileges, g.Privilege)
		if !slices.ContainsFunc(words, func(o Grant) bool { return o.Privilege == g.Privilege }) {
			words = append(words, g)
		}
	}
	for _, e := range each {
		i := slices.IndexFunc(all, func(o reason) bool { return o.as(e.Grant) && slices.Equal(o.Privileges, e.Privileges) })
		if i < 0 {
			all = append(all, e)
		} else {
			all[i].Components = append(all[i].Components, e.Component)
		}
	}
	slices.SortFunc(words, func(a, b Grant) int { return strings.Compare(a.Privilege, b.Privilege) })
	return all, words
}

// as reports whether a grant has the scope and the reason of this one.
func (g Grant) as(o Grant) bool {
	return g.Scope == o.Scope && g.Why == o.Why && g.Source == o.Source && g.Evidence == o.Evidence &&
		slices.Equal(g.Conditions, o.Conditions)
}

// abuse is what somebody who has the password of an account can do on some objects.
func (v VCenter) abuse() (all []Power) {
	for _, p := range v.Powers {
		i := slices.IndexFunc(all, func(o Power) bool {
			return o.Principal == p.Principal && slices.Equal(o.Objects, p.Objects)
		})
		if i < 0 {
			all = append(all, p)
		} else {
			all[i].Can += "; " + p.Can
		}
	}
	return all
}

// needRow is objects on which a component needs the same.
type needRow struct {
	Component, Scopes string
	Objects           []string
}

// needRows are what components need, by the scopes that the grants of a report are for.
func (r *Report) needRows(v VCenter) (rows []needRow) {
	for _, d := range v.Needs {
		var scopes, parts []string
		count := map[string]int{}
		for _, g := range d.Grants {
			scope := r.Grants[g].Scope
			scopes = lists.AppendNew(scopes, scope)
			count[scope]++
		}
		for _, scope := range scopes {
			parts = append(parts, fmt.Sprintf("%s: %d", scope, count[scope]))
		}
		row := needRow{d.Component, strings.Join(parts, ", "), nil}
		i := slices.IndexFunc(rows, func(o needRow) bool { return o.Component == row.Component && o.Scopes == row.Scopes })
		if i < 0 {
			i = len(rows)
			rows = append(rows, row)
		}
		rows[i].Objects = append(rows[i].Objects, d.Object)
	}
	return rows
}

// effect is what an account holds beyond its needs, and cannot help holding.
type effect struct {
	Server, Principal, Why          string
	Components, Objects, Privileges []string
}

// effects are the side effects of all accounts; objects with the same ones stand together.
func (r *Report) effects() (all []effect) {
	if r.Verification == nil {
		return nil
	}
	for _, v := range r.Verification.VCenters {
		for _, a := range v.Accounts {
			for _, o := range a.Objects {
				left := o.Unavoidable
				add := func(ids []string, why string) {
					e := effect{v.Server, a.Principal, why, strings.Split(a.Component, ","), nil, ids}
					i := slices.IndexFunc(all, func(had effect) bool {
						return had.Server == e.Server && had.Principal == e.Principal && had.Why == why && slices.Equal(had.Privileges, ids)
					})
					if i < 0 {
						i = len(all)
						all = append(all, e)
					}
					all[i].Objects = append(all[i].Objects, o.Path)
				}
				for _, because := range o.Reasons {
					if len(lists.Without(because.Privileges, left)) == 0 {
						add(because.Privileges, because.Why)
						left = lists.Without(left, because.Privileges)
					}
				}
				if len(left) > 0 {
					add(left, "the reason is not known")
				}
			}
		}
	}
	return all
}

// events are the changes of a vCenter, and apart from them those that made what stands and is wanted.
func (v VCenter) events() (others, made []Event) {
	wanted := map[[3]string]bool{} // principal, object, role
	for _, n := range v.Map {
		for i, c := range n.Cells {
			for _, e := range c.Entries {
				if c.State == inspect.PermissionWanted && e.From == "" && e.Through == "" {
					wanted[[3]string{plain(v.Columns[i].Principal), n.Path, e.Role}] = true
					wanted[[3]string{"", "", e.Role}] = true
				}
			}
		}
	}
	for _, e := range v.History.Events {
		if strings.HasSuffix(e.What, " added") && wanted[[3]string{plain(e.Principal), e.Object, e.Role}] {
			made = append(made, e)
		} else {
			others = append(others, e)
		}
	}
	return others, made
}

// plain is an account in one of its two spellings, in lower case.
func plain(principal string) string {
	if domain, name, ok := strings.Cut(principal, `\`); ok {
		principal = name + "@" + domain
	}
	return strings.ToLower(principal)
}

// madeBy says how many changes of each kind somebody made, and when.
func madeBy(events []Event) string {
	var parts []string
	count := map[string]int{}
	for _, e := range events {
		text := e.What + " by " + e.By
		parts = lists.AppendNew(parts, text)
		count[text]++
	}
	for i, text := range parts {
		parts[i] = fmt.Sprintf("%d × %s", count[text], text)
	}
	return fmt.Sprintf("%s, from %s to %s", strings.Join(parts, ", "), formatTime(events[len(events)-1].Time), formatTime(events[0].Time))
}

// longest is how wide a name may be; of a longer one the middle is left out, and its title has all.
const longest = 64

// short is a name as a cell shows it.
func short(name string) string { return cut(name, longest/2, longest/2-1) }

// whole is a name that is not shown as a whole; "" = it is.
func whole(name string) string {
	if short(name) == name {
		return ""
	}
	return name
}

// cut leaves out what is between the beginning and the end of a text, where it is wider than both.
func cut(text string, head, tail int) string {
	if term.Width(text) <= head+tail+1 {
		return text
	}
	from, to := []rune(text), []rune(text)
	for len(from) > 0 && term.Width(string(from)) > head {
		from = from[:len(from)-1]
	}
	for len(to) > 0 && term.Width(string(to)) > tail {
		to = to[1:]
	}
	return string(from) + "…" + string(to)
}
