package estate

import (
	"cmp"
	"slices"
	"strings"
)

// sort puts everything in the order in which it is written: names without case, paths from above.
func (v *VCenter) sort() {
	slices.SortFunc(v.Sources, func(a, b Source) int { return byName(a.Name, b.Name) })
	slices.SortFunc(v.Users, func(a, b User) int { return byName(a.Name, b.Name) })
	slices.SortFunc(v.Groups, func(a, b Group) int { return byName(a.Name, b.Name) })
	slices.SortFunc(v.Roles, func(a, b Role) int { return byName(a.Name, b.Name) })
	slices.SortStableFunc(v.Objects, func(a, b Object) int { return byPath(a.Path, b.Path) })
	slices.SortFunc(v.Tags, func(a, b Tag) int { return cmp.Or(byName(a.Category, b.Category), byName(a.Name, b.Name)) })
	slices.SortStableFunc(v.Permissions, func(a, b Permission) int {
		group := map[bool]int{true: 1}
		return cmp.Or(byPath(a.Object, b.Object), byName(a.Principal, b.Principal), group[a.Group]-group[b.Group])
	})
}

func byPath(a, b string) int { return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/")) }

func byName(a, b string) int {
	return cmp.Or(strings.Compare(strings.ToLower(a), strings.ToLower(b)), strings.Compare(a, b))
}
