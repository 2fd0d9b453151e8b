package provision

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// prove looks with an account's own eyes and judges what it sees. A difference is read again for a while before it is
// believed.
func (t *target) prove(ctx context.Context, d *desired, a *account, objects []*inventory.Object, ours func(perms.Permission) bool, checks []check, results []PreflightCheck) (VerifiedAccount, error) {
	v := VerifiedAccount{
		Component: strings.Join(component.Words(a.components), ","), Principal: a.principal(), Member: a.member, Login: a.result, Reason: a.reason, Objects: []VerifiedObject{},
	}
	leftovers := t.leftovers(d, a, ours)
	if a.session == nil || a.result != login.OK {
		v.Objects = append(v.Objects, leftovers...)
		return v, nil
	}
	v.Permissions = len(d.Satisfying(a.who))
	for _, p := range a.principals {
		groups := t.groupsOf(p)
		v.Administrator = t.administrating(groups)
		if group := cmp.Or(v.Administrator, t.empowering(groups)); group != "" {
			v.Reason = "a member of " + group
			break
		}
	}
	needed := d.Objects(a.who)
	for _, c := range checks {
		if c.account == a {
			needed = lists.AppendNew(needed, c.object)
		}
	}
	relevant := slices.Concat(needed, objects)
	for _, o := range a.work(d) {
		needed = lists.AppendNew(needed, o)
	}
	who := t.withGroups(a)
	for n := 0; ; n++ {
		seen, err := a.look(ctx, d, needed, objects)
		if vcenter.Unanswered(err) {
			return v, err
		}
		if err != nil {
			v.Login = strings.ReplaceAll(err.Error(), "\n", "; ")
			return v, nil
		}
		v.Objects = []VerifiedObject{}
		for _, o := range t.inOrder(seen) {
			if !slices.Contains(relevant, o) {
				continue
			}
			saw := seen[o]
			if v.Administrator != "" { // what it holds besides is everything
				saw.held = slices.DeleteFunc(slices.Clone(saw.held), func(id string) bool { return !slices.Contains(d.Needed(a.who, o), id) })
			}
			judged := t.judge(d, a.who, who, o, saw)
			left := slices.ContainsFunc(leftovers, func(l VerifiedObject) bool { return l.Path == judged.Path })
			if !left || judged.Scope != ScopeBelow { // else it is said once
				v.Objects = append(v.Objects, judged)
			}
		}
		v.Cannot = t.cannot(d, a.components, seenRights{t.snapshot, who, seen})
		failed := v.Failed() && v.Administrator == "" || len(v.Cannot) > len(t.cannot(d, a.components, d.Rights(a.who)))
		for i, c := range checks {
			if c.account == a {
				results[i] = c.replay(seen)
				failed = failed || len(results[i].Missing) > 0
			}
		}
		if !failed || !again(ctx, a.session, n) {
			v.Objects = append(v.Objects, leftovers...)
			return v, nil
		}
	}
}

// inOrder are objects by path.
func (s *snapshot) inOrder(seen map[*inventory.Object]sight) []*inventory.Object {
	byPath := map[string]*inventory.Object{}
	for o := range seen {
		byPath[o.Path()] = o
	}
	var all []*inventory.Object
	for _, p := range sorted(byPath) {
		all = append(all, byPath[p])
	}
	return all
}

// withGroups is the account with all groups that it is known to be in.
func (s *snapshot) withGroups(a *account) access.Subject {
	who := a.who
	who.Groups = slices.Clone(who.Groups)
	for _, p := range a.principals {
		who.Groups = append(who.Groups, s.subject(p, s.groupsOf(p)).Groups...)
	}
	return who
}

// judge compares what an account holds on an object with what it needs there. who is the account as the needs know it, held
// the same with all groups that it is known to be in.
func (s *snapshot) judge(d *desired, who, holder access.Subject, o *inventory.Object, saw sight) VerifiedObject {
	v := VerifiedObject{Path: o.Path(), Scope: scopeAt(d, who, o), Missing: []string{}, Excess: []string{}}
	needed := d.Needed(who, o)
	if v.Scope == "" {
		v.Scope = ScopeBelow
	} else if saw.hidden != nil {
		v.HiddenBy = saw.hidden.Path()
	}
	for _, id := range needed {
		switch {
		case !s.knows(id):
			v.Unknown = append(v.Unknown, id)
		case v.HiddenBy != "" || !slices.Contains(saw.held, id):
			v.Missing = append(v.Missing, id)
		}
	}
	granted := d.Granted(who, o)
	for _, id := range lists.Without(saw.held, needed) {
		if slices.Contains(granted, id) {
			v.Unavoidable = append(v.Unavoidable, id)
		} else {
			v.Excess = append(v.Excess, id)
		}
	}
	v.Missing = append(v.Missing, s.stopsShort(d, who, o, v.Missing)...)
	s.explainUnknown(&v)
	s.explainMissing(d, who, holder, o, saw.hidden, &v)
	s.explainExcess(d, holder, o, &v)
	explainUnavoidable(d, who, o, &v)
	return v
}

func (s *snapshot) knows(id string) bool {
	_, known := slices.BinarySearch(s.roles.Catalogue(), id)
	return known
}

// scopeAt is what an object is for an account, "" where it is nothing. What is needed for itself is not called an ancestor too.
func scopeAt(d *desired, who access.Subject, o *inventory.Object) string {
	var scopes []privileges.Scope
	for _, key := range append([]string{who.Key}, who.Groups...) {
		for _, s := range d.ScopesAt(key, o) {
			scopes = lists.AppendNew(scopes, s)
		}
	}
	if len(scopes) > 1 {
		scopes = slices.DeleteFunc(scopes, func(s privileges.Scope) bool { return s == access.ScopeAncestor })
	}
	return strings.Join(component.Words(scopes), "+")
}

// stopsShort is what the account's own permission on an object would have to hand down and does not, where nothing is below
// yet that would show it.
func (s *snapshot) stopsShort(d *desired, who access.Subject, o *inventory.Object, had []string) []string {
	w := d.At(who.Key, o)
	if w == nil || !w.Propagate {
		return nil
	}
	p := s.standing(w)
	if p == nil || p.Propagate {
		return nil
	}
	var ids []string
	for _, n := range w.Needs {
		if n.Propagate && s.knows(n.Row.Privilege) && !slices.Contains(had, n.Row.Privilege) {
			ids = lists.AppendNew(ids, n.Row.Privilege)
		}
	}
	slices.Sort(ids)
	return ids
}

func (v *VerifiedObject) because(ids []string, remedy, format string, args ...any) {
	v.Reasons = append(v.Reasons, Reason{Privileges: ids, Why: fmt.Sprintf(format, args...), Remedy: remedy})
}

// Remedies that this tool has.
const (
	remedyApply = "fix it with apply"
	remedyPrune = "remove it with apply --prune"
	// RemedyMatrix is that of everything which another matrix explains.
	RemedyMatrix = "the account was made with another matrix"
	remedyNamed  = "remove it with destroy, the accounts.username and the credentials file that it was made with"
)

func (s *snapshot) explainUnknown(v *VerifiedObject) {
	for _, id := range v.Unknown {
		v.because([]string{id}, "use a newer release of vCenter", "unknown to this vCenter (%s): the component cannot %s",
			s.version, cmp.Or(privileges.Operation(id), "do what needs it"))
	}
}

func (s *snapshot) explainMissing(d *desired, who, holder access.Subject, o, hidden *inventory.Object, v *VerifiedObject) {
	if len(v.Missing) == 0 {
		return
	}
	if v.HiddenBy != "" && hidden != o {
		remedy := remedyApply
		if len(d.Granted(who, hidden)) == 0 { // the matrix does not ask for it
			remedy = "ask a vCenter administrator to grant it ReadOnly on " + hidden.Carrier().Path() + ", or use a matrix with a rule for ancestors (privileges.matrix)"
		}
		v.because(v.Missing, remedy, "it cannot find %s, because it cannot see %s", v.Path, v.HiddenBy)
		return
	}
	var counts []string
	for _, e := range s.explain(holder, o) {
		if e.Counts {
			counts = append(counts, s.named(e.Permission, e.At))
		}
	}
	w := d.At(who.Key, o.Carrier())
	var standing *perms.Permission
	if w != nil {
		standing = s.standing(w)
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

// named is a permission in words.
func (s *snapshot) named(p perms.Permission, at *inventory.Object) string {
	return fmt.Sprintf("%s of %s on %s", s.roles.Name(p.RoleID), heldBy(p), at.Path())
}

// removes is the remedy for a permission that is not wanted.
func (d *desired) removes(p perms.Permission) string {
	if d.named[p.Entity] {
		return remedyApply
	}
	return remedyPrune
}

func (s *snapshot) explainExcess(d *desired, holder access.Subject, o *inventory.Object, v *VerifiedObject) {
	left := v.Excess
	if len(left) == 0 {
		return
	}
	for _, e := range s.explain(holder, o) {
		if !e.Counts {
			continue
		}
		var ids []string
		held := lists.Union(privileges.ImplicitIDs(), s.roles.Privileges(s.roles.Name(e.Permission.RoleID)))
		for _, id := range left {
			if slices.Contains(held, id) {
				ids = append(ids, id)
			}
		}
		if len(ids) == 0 {
			continue
		}
		left = lists.Without(left, ids)
		remedy := d.removes(e.Permission)
		switch adopted := slices.ContainsFunc(d.All, func(w *access.Permission) bool { return w.Account.Key == e.Permission.Key && w.Account.Adopted }); {
		case s.administers(e.Permission) && adopted: // whoever that is keeps what he has
			remedy = "it administers this vCenter: give the component an account of its own"
		case s.administers(e.Permission):
			remedy = revoking(e.Permission)
		}
		if e.Permission.Group && e.Permission.Key != holder.Key {
			remedy = "remove the account from the group, or remove the group's permission"
		}
		v.because(ids, remedy, "through %s", s.named(e.Permission, e.At))
	}
	if len(left) > 0 {
		v.because(left, "check its groups and global permissions", "no permission listed by vCenter explains it")
	}
}

// explainUnavoidable says which of the wanted permissions bring something along that is not needed.
func explainUnavoidable(d *desired, who access.Subject, o *inventory.Object, v *VerifiedObject) {
	left := v.Unavoidable
	if len(left) == 0 {
		return
	}
	for _, w := range d.Counting(who, o) {
		var layout, carried, further, reaches []string
		for _, id := range left {
			switch {
			case !slices.Contains(lists.Union(privileges.ImplicitIDs(), w.Holds), id):
				continue
			case !slices.Contains(lists.Union(privileges.ImplicitIDs(), w.Privileges), id):
				layout = append(layout, id)
			case o.OneWith(w.At):
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

// leftovers are the permissions of ours that an account has and nothing needs, wherever they stand, and those that propagate
// without need.
func (s *snapshot) leftovers(d *desired, a *account, ours func(perms.Permission) bool) []VerifiedObject {
	var all []VerifiedObject
	for _, p := range s.perms.All {
		o := s.inventory.Object(p.Entity)
		if p.Key != a.who.Key || o == nil {
			continue
		}
		w := d.At(a.who.Key, o)
		switch {
		case !ours(p):
		case w == nil:
			all = append(all, s.leftover(p, o, d.removes(p), "its permission on %s is not needed (%s)"))
		case p.Propagate && !w.Propagate:
			all = append(all, s.leftover(p, o, remedyApply, "its permission on %s propagates (%s) but does not need to"))
		}
	}
	return all
}

func (s *snapshot) leftover(p perms.Permission, o *inventory.Object, remedy, format string) VerifiedObject {
	role := s.roles.Name(p.RoleID)
	v := VerifiedObject{Path: o.Path(), Scope: ScopeLeftover, Missing: []string{}, Excess: s.roles.Privileges(role)}
	if len(v.Excess) == 0 {
		v.Excess = privileges.ImplicitIDs()
	}
	v.because(v.Excess, remedy, format, v.Path, "role "+role)
	return v
}

// unspecified are accounts with our mark for this cluster that the specification does not name: whatever they hold is in
// excess. Those whose password is not here may be another cluster's of the same name.
func (e *estate) unspecified(s *snapshot) []VerifiedAccount {
	var all []VerifiedAccount
	for _, u := range e.dropped(s) {
		if !e.storedHere(s, u) {
			continue
		}
		v := VerifiedAccount{Component: string(u.component), Principal: u.principal(s), Login: LoginUnverified, Reason: "not in the specification", Objects: []VerifiedObject{}}
		remedy := remedyPrune
		if in, ok := e.Credentials.Get(s.spec.Server, u.component); ok && e.Spec.Whole().Has(u.component) && strings.EqualFold(in.User, v.Principal) { // apply refuses such a file
			remedy = remedyNamed
		}
		for _, p := range s.perms.Held(s.userKey(u.principal(s))) {
			if o := s.inventory.Object(p.Entity); o != nil {
				v.Objects = append(v.Objects, s.leftover(p, o, remedy, "the account is not in the specification (%s)"))
			}
		}
		all = append(all, v)
	}
	return all
}
