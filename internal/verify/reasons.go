package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// Remedies that this tool has.
const (
	remedyApply = "fix it with apply"
	remedyPrune = "remove it with apply --prune"
	// RemedyMatrix is that of everything which another matrix explains.
	RemedyMatrix = "the account was made with another matrix"
	remedyNamed  = "remove it with destroy, the accounts.username and the credentials file that it was made with"
	remedyAsk    = "ask the vSphere administrator to run apply" // where nobody else is there
	// CompareSecret is what to do about an account of a cluster that is refused.
	CompareSecret = "compare the Secret with the account that you received, and do not try often; a vSphere administrator sees whether it is locked, disabled or expired"
)

func (v *Object) because(ids []string, remedy, format string, args ...any) {
	v.Reasons = append(v.Reasons, Reason{Privileges: ids, Why: fmt.Sprintf(format, args...), Remedy: remedy})
}

func (v *comparison) explainMissing() {
	if len(v.Missing) == 0 {
		return
	}
	if v.HiddenBy != "" && v.hidden != v.at {
		remedy, matrix := v.apply(), ""
		if len(v.Granted(v.who, v.hidden)) == 0 { // the matrix does not ask for it
			remedy = "ask a vCenter administrator to grant it ReadOnly on " + v.hidden.Carrier().Path()
			var components []component.Name // that need something as the account
			for _, p := range v.Satisfying(v.who) {
				components = lists.AppendNew(components, p.Components...)
			}
			if matrix = sighted(components); matrix != "" {
				remedy += ", or use matrix " + matrix + ", which has a rule for ancestors (--matrix " + matrix + ")"
			}
		}
		v.because(v.Missing, remedy, "it cannot find %s, because it cannot see %s", v.Path, v.HiddenBy)
		v.Reasons[len(v.Reasons)-1].matrix = matrix
		return
	}
	if v.Own {
		v.because(v.Missing, v.apply(), "%s", v.unheld())
		return
	}
	var counts []string
	for _, e := range v.Explain(v.holder, v.at) {
		if e.Counts {
			counts = append(counts, v.words(e.Permission, e.At))
		}
	}
	w := v.At(v.who.Key, v.at.Carrier())
	var standing *perms.Permission
	if w != nil {
		standing = v.Standing(w)
	}
	switch {
	case w != nil && standing == nil:
		v.because(v.Missing, remedyApply, "it has no permission on %s", w.At.Path())
	case standing != nil && w.Propagate && !standing.Propagate:
		v.because(v.Missing, remedyApply, "its permission on %s does not propagate", w.At.Path())
	case len(counts) == 0:
		v.because(v.Missing, remedyApply, "no permission applies to it")
	default:
		v.because(v.Missing, remedyApply, "the effective permission is %s", strings.Join(counts, ", "))
	}
}

// apply is the remedy of what the permissions that are wanted would give.
func (v *comparison) apply() string {
	switch {
	case len(v.Others[v.who.Key]) > 0:
		return ownAccount(v.Others[v.who.Key])
	case v.Own:
		return remedyAsk
	}
	return remedyApply
}

// ownAccount is the remedy where components work with an account that is made for another one.
func ownAccount(of []component.Name) string {
	if len(of) > 1 {
		return "put the own accounts of " + strings.Join(component.Words(of), ", ") + " into their secrets"
	}
	return "put " + string(of[0]) + "'s own account into its secret"
}

// unheld says what is missing as the account itself sees it, and which CredentialsRequest asks for it, where one does.
func (v *comparison) unheld() string {
	if v.HiddenBy != "" {
		return "it cannot see " + v.Path
	}
	var asked []string
	for _, n := range v.Needs {
		if n.Row.Added && n.Account.Key == v.who.Key && slices.Contains(v.Missing, n.Row.Privilege) {
			asked = lists.AppendNew(asked, n.Row.Why)
		}
	}
	if asked != nil {
		return "it does not hold all that it needs: " + strings.Join(asked, "; ")
	}
	return "it does not hold all that it needs"
}

// words are a permission as people read it.
func (e *Expected) words(p perms.Permission, at *inventory.Object) string {
	if at == inventory.Global {
		return fmt.Sprintf("%s of %s, a global permission", e.Roles.Name(p.RoleID), access.Principal{Name: p.Principal, Group: p.Group})
	}
	return fmt.Sprintf("%s of %s on %s", e.Roles.Name(p.RoleID), access.Principal{Name: p.Principal, Group: p.Group}, at.Path())
}

// removes is the remedy for a permission that is not wanted, or not so wide: a plain apply keeps what left the specification.
func (e *Expected) removes(p perms.Permission) string {
	o := e.Inventory.Object(p.Entity)
	wanted := e.Named[p.Entity] || o != nil && e.At(p.Key, o) != nil
	if !wanted || e.Kept != nil && e.Kept(p) {
		return remedyPrune
	}
	return remedyApply
}

func (v *comparison) explainExcess() {
	left := v.Excess
	if len(left) == 0 {
		return
	}
	for _, e := range v.Explain(v.holder, v.at) {
		if !e.Counts {
			continue
		}
		var ids []string
		held := lists.Union(privileges.ImplicitIDs(), v.Roles.Privileges(v.Roles.Name(e.Permission.RoleID)))
		for _, id := range left {
			if slices.Contains(held, id) {
				ids = append(ids, id)
			}
		}
		if len(ids) == 0 {
			continue
		}
		left = lists.Without(left, ids)
		remedy := v.removes(e.Permission)
		switch adopted := slices.ContainsFunc(v.All, func(w *access.Permission) bool { return w.Account.Key == e.Permission.Key && w.Account.Adopted }); {
		case v.Administers(e.Permission) && adopted: // whoever that is keeps what he has
			remedy = "it administers this vCenter: give the component an account of its own"
		case v.Administers(e.Permission):
			remedy = e.Permission.Removal("/")
		}
		if e.Permission.Group && e.Permission.Key != v.holder.Key {
			remedy = "remove the account from the group, or remove the group's permission"
		}
		if e.At == inventory.Global {
			remedy = perms.GlobalRemedy
		}
		v.because(ids, remedy, "through %s", v.words(e.Permission, e.At))
	}
	switch {
	case len(left) == 0:
	case len(v.Others[v.who.Key]) > 0:
		v.because(left, v.apply(), "it holds what nothing needs")
	case v.Own:
		v.because(left, remedyAsk+", or to check its groups and global permissions", "it holds what nothing needs")
	default:
		remedy := "check its groups"
		if v.Perms.Unseen != "" {
			remedy += " and global permissions"
		}
		v.because(left, remedy, "no permission listed by vCenter explains it")
		v.Reasons[len(v.Reasons)-1].unexplained = true
	}
}

// explainUnavoidable says which of the wanted permissions bring something along that is not needed.
func (v *comparison) explainUnavoidable() {
	left := v.Unavoidable
	if len(left) == 0 {
		return
	}
	for _, w := range v.Counting(v.who, v.at) {
		var layout, carried, further, reaches []string
		for _, id := range left {
			switch {
			case !slices.Contains(lists.Union(privileges.ImplicitIDs(), w.Holds), id):
				continue
			case !slices.Contains(lists.Union(privileges.ImplicitIDs(), w.Privileges), id):
				layout = append(layout, id)
			case v.at.OneWith(w.At):
				carried = append(carried, id)
			case slices.Contains(w.Further, id):
				further = append(further, id)
			default:
				reaches = append(reaches, id)
			}
		}
		left = lists.Without(left, slices.Concat(layout, carried, further, reaches))
		if len(layout) > 0 {
			v.because(layout, "", "role %s serves all scopes of its component", w.Role)
		}
		if len(carried) > 0 {
			v.because(carried, "", "permissions cannot be set on %s itself: it has those of the object that it belongs to", w.At.Path())
		}
		if len(further) > 0 {
			v.because(further, "", "one permission on %s serves needs that propagate and others", w.At.Path())
		}
		if len(reaches) > 0 {
			v.because(reaches, "", "the permission on %s propagates to everything below", w.At.Path())
		}
	}
}
