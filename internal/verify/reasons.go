package verify

import (
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
	// RemedyMatrix is that of everything which another matrix or profile explains.
	RemedyMatrix = "the account was made with another matrix or profile"
	remedyNamed  = "remove it with destroy, the accounts.username and the credentials file that it was made with"
	remedyAsk    = "ask the vSphere administrator to run apply" // without an administrator's login
	// CompareSecret is what to do about an account of a cluster that is refused.
	CompareSecret = "compare the Secret with the account that you received, and do not try often; a vSphere administrator sees whether it is locked, disabled or expired"
)

func (o *Object) because(ids []string, remedy, format string, args ...named) {
	r := Reason{Privileges: ids, Remedy: remedy, format: format, args: args}
	r.Why = r.said()
	o.Reasons = append(o.Reasons, r)
}

// at names an object in a reason.
func at(o *inventory.Object) named { return named{"path", o.Path()} }

func (c *comparison) explainMissing() {
	if len(c.Missing) == 0 {
		return
	}
	if c.HiddenBy != "" && c.hidden != c.at {
		remedy, matrix := c.apply(), ""
		if len(c.Granted(c.who, c.hidden)) == 0 { // the matrix does not ask for it
			remedy = "ask a vCenter administrator to grant it ReadOnly on " + c.hidden.Carrier().Path()
			var components []component.Name // that need something as the account
			for _, p := range c.Satisfying(c.who) {
				components = lists.AppendNew(components, p.Components...)
			}
			if matrix = sighted(components); matrix != "" {
				remedy += ", or use matrix " + matrix + ", which has a rule for ancestors (--matrix " + matrix + ")"
			}
		}
		c.because(c.Missing, remedy, "it cannot find %s, because it cannot see %s", at(c.at), at(c.hidden))
		c.Reasons[len(c.Reasons)-1].matrix = matrix
		return
	}
	if c.Own {
		c.unheld()
		return
	}
	var counts []named
	for _, e := range c.Explain(c.holder, c.at) {
		if e.Counts {
			counts = append(counts, c.words(e.Permission, e.At)...)
		}
	}
	w := c.At(c.who.Key, c.at.Carrier())
	var present *perms.Permission
	if w != nil {
		present = c.Standing(w)
	}
	switch {
	case w != nil && present == nil:
		c.because(c.Missing, remedyApply, "it has no permission on %s", at(w.At))
	case present != nil && w.Propagate && !present.Propagate:
		c.because(c.Missing, remedyApply, "its permission on %s does not propagate", at(w.At))
	case len(counts) == 0:
		c.because(c.Missing, remedyApply, "no permission applies to it")
	default:
		c.because(c.Missing, remedyApply, "the effective permission is "+standing+strings.Repeat(", "+standing, len(counts)/5-1), counts...)
	}
}

// apply is the remedy of what the permissions that are wanted would give.
func (c *comparison) apply() string {
	switch {
	case len(c.Others[c.who.Key]) > 0:
		return ownAccount(c.Others[c.who.Key])
	case c.Own:
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

// unheld says what is missing as the account sees it, with the CredentialsRequest that asks for it.
func (c *comparison) unheld() {
	var asked []string
	for _, n := range c.Needs {
		if n.Row.Added && n.Account.Key == c.who.Key && slices.Contains(c.Missing, n.Row.Privilege) {
			asked = lists.AppendNew(asked, n.Row.Why)
		}
	}
	const less = "it does not hold all that it needs"
	switch {
	case c.HiddenBy != "":
		c.because(c.Missing, c.apply(), "it cannot see %s", at(c.at))
	case asked != nil:
		c.because(c.Missing, c.apply(), less+": %s", named{"text", strings.Join(asked, "; ")})
	default:
		c.because(c.Missing, c.apply(), less)
	}
}

// standing is a permission as people read it, of the five that [Expected.words] gives.
const standing = "%s of %s%s%s%s"

// words are a permission's role, its principal, and where it stands.
func (e *Expected) words(p perms.Permission, o *inventory.Object) []named {
	group, on, place := named{}, named{"word", " on "}, at(o)
	if p.Group {
		group = named{"word", "group "}
	}
	if o == inventory.Global {
		on, place = named{"word", ", a global permission"}, named{}
	}
	return []named{{"role", e.Roles.Name(p.RoleID)}, group, {"principal", p.Principal}, on, place}
}

// removes is the remedy for an unwanted or too wide permission: a plain apply keeps former ones.
func (e *Expected) removes(p perms.Permission) string {
	o := e.Inventory.Object(p.Entity)
	wanted := e.Named[p.Entity] || o != nil && e.At(p.Key, o) != nil
	if !wanted || e.Kept != nil && e.Kept(p) {
		return remedyPrune
	}
	return remedyApply
}

func (c *comparison) explainExcess() {
	left := c.Excess
	if len(left) == 0 {
		return
	}
	for _, e := range c.Explain(c.holder, c.at) {
		if !e.Counts {
			continue
		}
		var ids []string
		held := lists.Union(privileges.ImplicitIDs(), c.Roles.Privileges(c.Roles.Name(e.Permission.RoleID)))
		for _, id := range left {
			if slices.Contains(held, id) {
				ids = append(ids, id)
			}
		}
		if len(ids) == 0 {
			continue
		}
		left = lists.Without(left, ids)
		remedy := c.removes(e.Permission)
		switch adopted := slices.ContainsFunc(c.All, func(w *access.Permission) bool {
			return w.Account.Key == e.Permission.Key && w.Account.Adopted
		}); {
		case c.Administers(e.Permission) && adopted: // it stays
			remedy = "it administers this vCenter: give the component an account of its own"
		case c.Administers(e.Permission):
			remedy = e.Permission.Removal("/")
		}
		if e.Permission.Group && e.Permission.Key != c.holder.Key {
			remedy = "remove the account from the group, or remove the group's permission"
		}
		if e.At == inventory.Global {
			remedy = perms.GlobalRemedy
		}
		c.because(ids, remedy, "through "+standing, c.words(e.Permission, e.At)...)
	}
	switch {
	case len(left) == 0:
	case len(c.Others[c.who.Key]) > 0:
		c.because(left, c.apply(), "it holds what nothing needs")
	case c.Own:
		c.because(left, remedyAsk+", or to check its groups and global permissions", "it holds what nothing needs")
	default:
		remedy := "check its groups"
		if c.Perms.Unseen != "" {
			remedy += " and global permissions"
		}
		c.because(left, remedy, "no permission listed by vCenter explains it")
		c.Reasons[len(c.Reasons)-1].unexplained = true
	}
}

// explainUnavoidable says which of the wanted permissions bring something along that is not needed.
func (c *comparison) explainUnavoidable() {
	left := c.Unavoidable
	if len(left) == 0 {
		return
	}
	for _, w := range c.Counting(c.who, c.at) {
		var layout, carried, further, reaches []string
		for _, id := range left {
			switch {
			case !slices.Contains(lists.Union(privileges.ImplicitIDs(), w.Holds), id):
				continue
			case !slices.Contains(lists.Union(privileges.ImplicitIDs(), w.Privileges), id):
				layout = append(layout, id)
			case c.at.OneWith(w.At):
				carried = append(carried, id)
			case slices.Contains(w.Further, id):
				further = append(further, id)
			default:
				reaches = append(reaches, id)
			}
		}
		left = lists.Without(left, slices.Concat(layout, carried, further, reaches))
		if len(layout) > 0 {
			c.because(layout, "", "role %s serves all scopes of its component", named{"role", w.Role})
		}
		if len(carried) > 0 {
			half := c.at // which takes no permissions
			for _, n := range w.Needs {
				if half == w.At && n.Place != half && slices.Contains(carried, n.Row.Privilege) {
					half = n.Place
				}
			}
			c.because(carried, "", "permissions cannot be set on %s itself: it has those of %s", at(half), at(w.At))
		}
		if len(further) > 0 {
			c.because(further, "", "one permission on %s serves needs that propagate and others", at(w.At))
		}
		if len(reaches) > 0 {
			c.because(reaches, "", "the permission on %s propagates to everything below", at(w.At))
		}
	}
}
