package access

import (
	"maps"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// Answers says what each of some components cannot do with a matrix in the failure domain that options describe, on a vCenter that
// knows Known alone (nil = all). Components may share an account: of gives the one whose account a component works with, to which the
// matrix has to be folded.
func Answers(m *privileges.Matrix, o privileges.RoleSetOptions, of func(component.Name) component.Name) map[component.Name][]Inability {
	return answers(m, Assumed(o), o, of)
}

func answers(m *privileges.Matrix, d Domain, o privileges.RoleSetOptions, of func(component.Name) component.Name) map[component.Name][]Inability {
	var accounts []Account
	for _, c := range m.Components() {
		accounts = append(accounts, Account{Component: c, Key: string(c), Principal: Principal{Name: string(c)}})
	}
	w := Permissions(Bind(m, accounts, []Domain{d}))
	w.Know(o.Known)
	knows := func(id string) bool {
		_, known := slices.BinarySearch(o.Known, id)
		return known || o.Known == nil
	}
	all := map[component.Name][]Inability{}
	for _, c := range o.Components {
		all[c] = WorkIn(d).Unable(privileges.Duties(c), w.Rights(Subject{Key: string(of(c))}), knows)
	}
	return all
}

// Gaps are the answers of all kinds of failure domains, where the conditions of o hold and where one of those of a duty does beside
// them.
func Gaps(m *privileges.Matrix, o privileges.RoleSetOptions, of func(component.Name) component.Name) (gaps []*privileges.Gap) {
	for _, topology := range privileges.Topologies() {
		one := o
		one.Template = topology[privileges.FolderExisting]
		one.Holds = maps.Clone(topology)
		maps.Copy(one.Holds, o.Holds)
		base := Answers(m, one, of)
		for _, when := range conditionsOf(o.Components) {
			all := base
			if !one.Holds[when] && when != "" {
				more := one
				more.Holds = maps.Clone(one.Holds)
				more.Holds[when] = true
				all = Answers(m, more, of)
			}
			for _, c := range o.Components {
				for _, i := range all[c] {
					if slices.Contains(selectable(i.Duty), when) {
						g := gap(i, when, topology)
						if k := slices.IndexFunc(gaps, g.Same); k >= 0 {
							gaps[k].In = append(gaps[k].In, g.In...)
						} else {
							gaps = append(gaps, g)
						}
					}
				}
			}
		}
	}
	return gaps
}

// conditionsOf are those that a specification may name and duties of components have; "" for duties that have none.
func conditionsOf(components []component.Name) (all []privileges.Condition) {
	for _, c := range components {
		for _, d := range privileges.Duties(c) {
			all = lists.AppendNew(all, selectable(d)...)
		}
	}
	return all
}

// selectable are the conditions of a duty that a specification may name; "" alone where it has none.
func selectable(d *privileges.Duty) []privileges.Condition {
	all := slices.DeleteFunc(slices.Clone(d.Conditions), privileges.Condition.Topology)
	if len(all) == 0 {
		return []privileges.Condition{""}
	}
	return all
}

func gap(i Inability, when privileges.Condition, topology map[privileges.Condition]bool) *privileges.Gap {
	g := &privileges.Gap{Duty: i.Duty, Ask: i.Ask, When: when, Missing: i.Missing, In: []map[privileges.Condition]bool{topology}}
	if i.Hidden != nil {
		if g.Hidden = i.Hidden.Name; !i.Hidden.Exists() {
			g.Hidden = string(i.Ask.Scope)
		}
	}
	return g
}
