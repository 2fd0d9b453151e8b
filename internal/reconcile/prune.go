package reconcile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

// stay are the entries, or their parts, that the release still needs. Those of omitted components
// stay, and so do an administrator's: in the provisioning file, or with another reason than
// [matrixHas] or [requestAsks].
func (o Options) stay(have, needed []privileges.Added) []privileges.Added {
	var all []privileges.Added
	for _, a := range have {
		kept := a
		own := len(privileges.Others([]privileges.Added{a}, o.Spec.Privileges.Own)) == 0
		if own || !strings.HasPrefix(a.Reason, requestAsks) && !strings.HasPrefix(a.Reason, matrixHas) {
			all = append(all, a)
			continue
		}
		if slices.Contains(o.Spec.Named(), a.Component) || !o.names(a.Component) {
			kept.Privileges = nil
			for _, id := range a.Privileges {
				one := a
				one.Privileges = []string{id}
				if o.stays(one, needed) {
					kept.Privileges = append(kept.Privileges, id)
				}
			}
		}
		if kept.Privileges != nil {
			all = append(all, kept)
		}
	}
	return all
}

// stays reports whether the release needs the one privilege of an entry there. One that was placed
// by hand (or --place) stays there; one placed by a matrix moves with the matrix. Without requests,
// a requested one stays unless the next matrix has it in the same place.
func (o Options) stays(one privileges.Added, needed []privileges.Added) bool {
	if o.NoRequests && strings.HasPrefix(one.Reason, requestAsks) &&
		!rowCovers(cmp.Or(o.MatrixTo, o.Matrix), one) {
		return true
	}
	if o.anew(one) {
		return slices.ContainsFunc(needed, func(n privileges.Added) bool {
			return samePlace(n, one) && slices.Equal(n.Conditions, one.Conditions)
		})
	}
	forced := o.Place[one.Privileges[0]]
	return asksFor(needed, one.Component, one.Privileges[0]) &&
		(len(forced) == 0 || slices.Contains(forced, one.Scope))
}

// samePlace reports whether an entry grants another's privilege there, under any conditions.
func samePlace(have, one privileges.Added) bool {
	return have.Component == one.Component && have.Scope == one.Scope &&
		have.Propagate == one.Propagate && slices.Contains(have.Privileges, one.Privileges[0])
}

func asksFor(list []privileges.Added, c component.Name, id string) bool {
	return slices.ContainsFunc(list,
		func(a privileges.Added) bool { return a.Component == c && slices.Contains(a.Privileges, id) })
}

// dropped are the specification's components that lose their last request; none without From.
func (o Options) dropped() []component.Name {
	if o.From == nil {
		return nil
	}
	of := func(r *release.Requests, c component.Name) bool {
		return slices.ContainsFunc(r.List, func(q release.Request) bool { return q.Component == c })
	}
	var all []component.Name
	for _, c := range o.Spec.Named() {
		waits := slices.ContainsFunc(o.To.Skipped,
			func(s release.Skipped) bool { return s.Component == c && !s.Deleted })
		if c != component.Installer && of(o.From, c) && !of(o.To, c) && !waits {
			all = append(all, c)
		}
	}
	return all
}

// unneeded is what a prune removes: entries, rows of a replaced matrix, and components.
func (o Options) unneeded(next *privileges.Matrix, have, needed, stay []privileges.Added, dropped []component.Name) []Unneeded {
	var all []Unneeded
	where := o.where()
	for _, a := range have {
		for _, id := range a.Privileges {
			still := slices.ContainsFunc(stay, func(b privileges.Added) bool {
				one := a
				one.Privileges = []string{id}
				return samePlace(b, one)
			})
			if still {
				continue
			}
			why := "no CredentialsRequest of the release requires it beyond its matrix"
			switch {
			case o.anew(a) && asksFor(needed, a.Component, id):
				why = fmt.Sprintf("matrix %s grants it elsewhere", next.Name)
			case next.HasAt(a.Component, id, where):
				why = fmt.Sprintf("matrix %s grants it for %s", next.Name, a.Component)
			}
			all = collect(all, Unneeded{a.Component, a.Scope, []string{id}, a.Release, why})
		}
	}
	if o.MatrixTo != nil {
		for _, r := range o.Matrix.Rows {
			has := slices.ContainsFunc(next.Rows, func(n privileges.Row) bool {
				return n.Component == r.Component && n.Scope == r.Scope && n.Privilege == r.Privilege
			})
			if !has && !r.Unknown && !asksFor(stay, r.Component, r.Privilege) &&
				slices.Contains(o.Spec.Named(), r.Component) {
				all = collect(all, Unneeded{r.Component, r.Scope, []string{r.Privilege}, "", fmt.Sprintf("matrix %s does not have it there", next.Name)})
			}
		}
	}
	for _, c := range dropped {
		all = append(all, Unneeded{Component: c, Why: "the release no longer has a CredentialsRequest for it"})
	}
	return all
}

// undoes are the reconciled releases that the accounts no longer fit after a prune: those after
// Release, still possible upgrades. Without Release, entries added for a recorded release tell.
func (o Options) undoes(unneeded []Unneeded) []string {
	var all []string
	for _, r := range slices.SortedFunc(slices.Values(o.Spec.ReconciledUpdates), release.Ref.Compare) {
		later := o.Release != "" && r.After(o.Release)
		added := o.Release == "" &&
			slices.ContainsFunc(unneeded, func(u Unneeded) bool { return u.Release == r.Version })
		if (later || added) && !slices.Contains(all, r.Version) {
			all = append(all, r.Version)
		}
	}
	return all
}

// collect puts privileges of one place and one reason together.
func collect(all []Unneeded, u Unneeded) []Unneeded {
	for i, have := range all {
		if have.Component == u.Component && have.Scope == u.Scope && have.Release == u.Release &&
			have.Why == u.Why {
			if !slices.Contains(have.Privileges, u.Privileges[0]) {
				all[i].Privileges = append(all[i].Privileges, u.Privileges[0])
			}
			return all
		}
	}
	return append(all, u)
}
