package tags

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
)

// Contradiction is that an object is to have two tags of a category. What Text says, Remedy ends.
type Contradiction struct{ Text, Remedy string }

// Contradictions are those among wants, one for an object and category: components find one region and one zone of a machine.
func Contradictions(wants []Want) (all []Contradiction) {
	for i, w := range wants {
		if w.Object == nil || slices.ContainsFunc(wants[:i], func(v Want) bool {
			return v.Object == w.Object && v.Category == w.Category
		}) {
			continue
		}
		if c := contradiction(wants, w.Object, w.Category); c != nil {
			all = append(all, *c)
		}
	}
	return all
}

func contradiction(wants []Want, on *inventory.Object, category string) *Contradiction {
	var order []Tag
	domains := map[Tag][]string{}
	for _, w := range wants {
		if w.Category == category && slices.Contains(w.way(), on) {
			order = lists.AppendNew(order, w.Tag)
			domains[w.Tag] = lists.AppendNew(domains[w.Tag], w.For)
		}
	}
	if len(order) < 2 {
		return nil
	}
	var values []string
	for _, t := range order {
		noun := " (failure domain "
		if len(domains[t]) > 1 {
			noun = " (failure domains "
		}
		values = append(values, t.String()+noun+strings.Join(domains[t], ", ")+")")
	}
	remedy := "give these failure domains the same region, or place them in different datacenters"
	if category == Zone {
		remedy = "give these failure domains the same zone, place them in different clusters, " +
			"or make their zones host groups (hostGroup: true)"
	}
	return &Contradiction{on.Path() + " cannot have both " + strings.Join(values, " and "), remedy}
}
