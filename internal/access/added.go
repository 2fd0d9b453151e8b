package access

import (
	"cmp"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// spot is where one account has a permission.
type spot struct {
	key string
	at  *inventory.Object
}

// inherit keeps what a release adds from taking something away. A permission hides what the account inherits from above; where
// there is one, or one that propagates, only because of added rows, what it hides is needed there too.
func (b *binder) inherit() {
	if !slices.ContainsFunc(b.needs, func(n Need) bool { return n.Added }) {
		return
	}
	on := map[spot][]Need{}
	var spots []spot
	put := func(n Need) {
		n.Place, n.Propagate = n.carrier()
		s := spot{n.Account.Key, n.Place}
		if on[s] == nil {
			spots = append(spots, s)
		}
		on[s] = append(on[s], n)
	}
	for _, n := range b.needs {
		put(n)
	}
	slices.SortStableFunc(spots, func(x, y spot) int { return cmp.Compare(len(x.at.Ancestors()), len(y.at.Ancestors())) })
	reaching := map[spot]bool{}
	for _, s := range spots { // from above: what one takes over it hands down
		here := on[s]
		var handed []Need
		for _, above := range s.at.Ancestors() {
			if up := (spot{s.key, above}); reaching[up] {
				handed = on[up]
				break
			}
		}
		own := slices.DeleteFunc(slices.Clone(here), func(n Need) bool { return n.Added })
		reaching[s] = reaches(here, handed != nil)
		if len(own) > 0 && reaching[s] == reaches(own, handed != nil) {
			continue
		}
		for _, n := range handed {
			if n.Propagate {
				n.Scope, n.Place, n.Propagate, n.Added = here[0].Scope, s.at, reaching[s], true
				b.add(n)
				put(n)
			}
		}
	}
}

// reaches reports whether the permission for needs on one object propagates; see [placing.propagation].
func reaches(needs []Need, inherits bool) bool {
	read, more, stays := false, false, false
	for _, n := range needs {
		implicit := privileges.Implicit(n.Row.Privilege)
		read = read || n.Propagate && implicit
		more = more || n.Propagate && !implicit
		stays = stays || !n.Propagate && !implicit
	}
	return more || read && !(stays && inherits)
}
