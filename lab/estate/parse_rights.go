package estate

import (
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/yamldoc"
)

// longestRole is how many characters the name of a role may have: vCenter's limit for names of entities.
const longestRole = 80

// rights reads who there is on a vCenter, and what they may do.
type rights struct {
	*reader
	v       *VCenter
	domains map[string]string // lower-case domain or alias → lower-case domain
	known   map[string]bool   // privilege ids
	misses  int               // ids that are not known
}

func (w *rights) sources(o yamldoc.Object) {
	for _, own := range []string{w.v.Domain, localOS} {
		w.domains[strings.ToLower(own)] = strings.ToLower(own)
	}
	items, _ := o.List("identitySources")
	for _, item := range items {
		s := item.Object("name", "alias", "type")
		name, alias := s.Text("name"), s.Text("alias")
		w.missing(name)
		for _, t := range []yamldoc.Text{name, alias} {
			if t.Value == "" {
				continue
			}
			if !plain(t.Value) {
				w.At(t.Place, "%s is not the name of a domain", hint.Quote(t.Value))
			}
			if other, taken := w.domains[strings.ToLower(t.Value)]; taken && !strings.EqualFold(other, name.Value) || taken && t == name {
				w.At(t.Place, "%s is an identity source already; the SSO domain and %s need not be listed", hint.Quote(t.Value), localOS)
			}
			w.domains[strings.ToLower(t.Value)] = strings.ToLower(name.Value)
		}
		w.v.Sources = append(w.v.Sources, Source{name.Value, alias.Value, s.Choice("type", sourceTypes()[0], sourceTypes()...)})
	}
}

func (w *rights) privileges(o yamldoc.Object) {
	w.known = map[string]bool{}
	for _, id := range privileges.Catalogue() {
		w.known[id] = true
	}
	knows, _ := o.Texts("knows")
	for _, t := range knows {
		if w.known[t.Value] {
			w.At(t.Place, "%s is in the catalogue of this tool, or listed twice: omit it", hint.Quote(t.Value))
		}
		w.known[t.Value] = true
		w.v.Knows = append(w.v.Knows, t.Value)
	}
	without, _ := o.Texts("without")
	for _, t := range without {
		switch {
		case slices.Contains(privileges.ImplicitIDs(), t.Value):
			w.At(t.Place, "%s cannot be omitted: every role has it", hint.Quote(t.Value))
		case !w.known[t.Value]:
			w.At(t.Place, "%s is not in the catalogue of this tool, or listed twice%s", hint.Quote(t.Value), w.near(t.Value))
		}
		delete(w.known, t.Value)
		w.v.Without = append(w.v.Without, t.Value)
	}
}

// near is the end of an error about an id that is not known. Looking for the nearest takes its time: a file full of errors
// gets it for the first ones.
func (w *rights) near(id string) string {
	const mostMisses, longest = 10, 100
	if w.misses++; w.misses > mostMisses || len(id) > longest {
		return ""
	}
	if near := hint.Nearest(id, slices.Sorted(maps.Keys(w.known))); near != "" {
		return "; did you mean " + hint.Quote(near) + "?"
	}
	return ""
}

func (w *rights) principals(o yamldoc.Object) {
	users, groups := unique{}, unique{}
	items, _ := o.List("users")
	for _, item := range items {
		u := item.Object("name", "disabled", "mark")
		name := u.Text("name")
		if key, ok := w.principal(name); ok {
			users.check(w.reader, name, key)
		}
		mark := u.Text("mark")
		if mark.Value != "" && knownBy(mark.Value) != mark.Value {
			w.At(mark.Place, "%s is not how this tool marks an account; omit it: other descriptions are not part of an estate", hint.Quote(mark.Value))
		}
		w.v.Users = append(w.v.Users, User{name.Value, u.Truth("disabled"), mark.Value})
	}
	items, _ = o.List("groups")
	for _, item := range items {
		g := item.Object("name", "users", "groups")
		name := g.Text("name")
		group := Group{Name: name.Value}
		key, ok := w.principal(name)
		if ok {
			groups.check(w.reader, name, key)
		}
		members := func(field string, group bool) (out []string) {
			list, _ := g.Texts(field)
			seen := unique{}
			for _, t := range list {
				if of, ok := w.principal(t); ok && seen.check(w.reader, t, of) && group && of == key {
					w.At(t.Place, "a group cannot be a member of itself")
				}
				out = append(out, t.Value)
			}
			return out
		}
		group.Users, group.Groups = members("users", false), members("groups", true)
		w.v.Groups = append(w.v.Groups, group)
	}
}

// principal checks name@domain or DOMAIN\name; key is equal for all spellings.
func (w *rights) principal(t yamldoc.Text) (key string, ok bool) {
	w.missing(t)
	if t.Value == "" {
		return "", false
	}
	name, domain := splitPrincipal(t.Value)
	switch {
	case domain == "" || name == "" || strings.ContainsAny(name, "@\\\""):
		w.At(t.Place, "%s is not a principal: write name@domain", hint.Quote(t.Value))
	case w.domains[strings.ToLower(domain)] == "":
		w.At(t.Place, "no identity source has the domain %s: add it under identitySources", hint.Quote(domain))
	default:
		return strings.ToLower(name) + "@" + w.domains[strings.ToLower(domain)], true
	}
	return "", false
}

func splitPrincipal(principal string) (name, domain string) {
	if domain, name, ok := strings.Cut(principal, `\`); ok {
		return name, domain
	}
	if i := strings.LastIndexByte(principal, '@'); i >= 0 {
		return principal[:i], principal[i+1:]
	}
	return principal, ""
}

func (w *rights) roles(o yamldoc.Object) {
	names := unique{} // names that differ only in case are taken for the same by a vCenter
	items, _ := o.List("roles")
	for _, item := range items {
		f := item.Object("name", "privileges")
		name := f.Text("name")
		w.missing(name)
		switch {
		case slices.ContainsFunc(SystemRoles(), func(s string) bool { return strings.EqualFold(s, name.Value) }):
			w.At(name.Place, "%s is a system role, which every vCenter has: omit it", hint.Quote(name.Value))
		case name.Value != "" && strings.TrimSpace(name.Value) == "", len([]rune(name.Value)) > longestRole:
			w.At(name.Place, "is empty or longer than %d characters", longestRole)
		case name.Value != "":
			names.check(w.reader, name, name.Value)
		}
		role := Role{Name: name.Value}
		ids, _ := f.Texts("privileges")
		for _, t := range ids {
			if !w.known[t.Value] {
				w.At(t.Place, "%s is a privilege that this vCenter does not know%s; list it under privileges.knows if it does",
					hint.Quote(t.Value), w.near(t.Value))
			}
			role.Privileges = append(role.Privileges, t.Value)
		}
		w.v.Roles = append(w.v.Roles, role)
	}
}

func (w *rights) permissions(o yamldoc.Object, places *places) {
	roles := slices.Clone(SystemRoles())
	for _, role := range w.v.Roles {
		roles = append(roles, role.Name)
	}
	seen := unique{}
	items, _ := o.List("permissions")
	for _, item := range items {
		f := item.Object("object", "principal", "group", "role", "propagate")
		at, who, role := f.Text("object"), f.Text("principal"), f.Text("role")
		p := Permission{at.Value, who.Value, f.Truth("group"), role.Value, f.Truth("propagate")}
		places.assignable(at)
		if key, ok := w.principal(who); ok {
			kind := map[bool]string{true: "group ", false: "user "}[p.Group]
			if first, twice := seen[at.Value+" "+kind+key]; twice {
				w.At(who.Place, "%s already has a permission on %s, on line %d: remove one", hint.Quote(who.Value), hint.Quote(at.Value), first)
			}
			seen[at.Value+" "+kind+key] = who.Line
		}
		w.missing(role)
		switch {
		case role.Value == "":
		case ungrantable(role.Value):
			w.At(role.Place, "role %s cannot be used in a permission: choose another", role.Value)
		case !slices.Contains(roles, role.Value):
			w.At(role.Place, "role %s does not exist: list it under roles, with its privileges%s", hint.Quote(role.Value), hint.Suggest(role.Value, roles))
		}
		w.v.Permissions = append(w.v.Permissions, p)
	}
}
