package provision

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
)

// Role layouts of the specification.
const layoutComponent = "component"

// name gives every entry the role that it will have: the system's ReadOnly where nothing but reading is wanted, else one
// named after component and scope (openshift-csi-driver-datastore). Names follow from the failure domain that asks, not
// from its neighbours, so that adding one renames nothing.
func (b *binder) name() {
	for _, e := range b.out.entries {
		if len(e.privileges) == 0 {
			e.role = roles.ReadOnly
			continue
		}
		p := b.job.o.Spec.Privileges
		e.role = b.job.o.Matrix.RoleName(p.RoleLayout, p.RolePrefix, e.components, e.naming, e.variants)
		b.sayUnion(e)
	}
}

func (b *binder) sayUnion(e *entry) {
	var scopes []string
	for _, s := range e.naming {
		scopes = append(scopes, string(s))
	}
	if len(scopes) > 1 {
		e.note("one permission for scopes " + strings.Join(scopes, ", "))
	}
	if len(e.components) > 1 {
		e.note(fmt.Sprintf("one permission for %d components that share the account", len(e.components)))
	}
}

// roles collects the roles of the entries. In the component layout a role holds what its component needs anywhere, and
// the excess on each object is said. In the scope layout two entries with one name and different privileges, which only
// a matrix of the user's own can produce, get names that tell them apart.
func (b *binder) roles() {
	union := map[string][]string{}
	if b.job.o.Spec.Privileges.RoleLayout == layoutComponent {
		for _, e := range b.out.entries {
			if e.role != roles.ReadOnly {
				union[e.role] = privileges.Strip(append(union[e.role], e.privileges...))
			}
		}
		for _, e := range b.out.entries {
			if all := union[e.role]; len(all) > len(e.privileges) {
				e.note(fmt.Sprintf("%d privileges more than needed here", len(all)-len(e.privileges)))
				e.privileges = all
			}
		}
	}
	variants := map[string]map[string][]string{}
	for _, e := range b.out.entries {
		if len(e.privileges) == 0 { // also where everything was unknown to the vCenter
			e.role = roles.ReadOnly
			continue
		}
		if variants[e.role] == nil {
			variants[e.role] = map[string][]string{}
		}
		variants[e.role][digest(e.privileges)] = e.privileges
	}
	for _, e := range b.out.entries {
		if len(variants[e.role]) > 1 {
			e.role += "-" + digest(e.privileges)
		}
		if e.role != roles.ReadOnly && !slices.ContainsFunc(b.out.roles, func(w roles.Want) bool { return w.Name == e.role }) {
			b.out.roles = append(b.out.roles, roles.Want{Name: e.role, Privileges: e.privileges, Optional: b.optional(e)})
		}
	}
	slices.SortFunc(b.out.roles, func(x, y roles.Want) int { return strings.Compare(x.Name, y.Name) })
}

// optional is what the matrix gives the accounts of an entry at its scopes under whatever condition, and whichever of the
// components that share an account are named: another cluster may name more of them.
func (b *binder) optional(e *entry) []string {
	var ids []string
	for _, row := range b.job.whole.Rows {
		if slices.Contains(e.components, row.Component) && !row.Unknown &&
			(b.job.o.Spec.Privileges.RoleLayout == layoutComponent || slices.Contains(e.naming, row.Scope)) {
			ids = append(ids, row.Privilege)
		}
	}
	return privileges.Strip(ids)
}

func digest(ids []string) string {
	sum := sha256.Sum256([]byte(strings.Join(ids, "\n")))
	return hex.EncodeToString(sum[:3])
}

// isOurs tells whether a role name is one that bind gives, whole: openshift-csi-driver-datastore is,
// openshift-csi-driver-datastore-team7 is somebody else's.
func (j *Job) isOurs(name string) bool {
	var components, scopes []string
	for _, c := range j.o.Spec.ComponentNames() {
		components = append(components, regexp.QuoteMeta(j.o.Matrix.RoleWord(c)))
	}
	for _, s := range append(privileges.Scopes(), scopeTemplate) {
		scopes = append(scopes, string(s))
	}
	pattern := "^" + regexp.QuoteMeta(j.o.Spec.Privileges.RolePrefix) + alternatives("", components) + alternatives("-", components) + "*"
	if j.o.Spec.Privileges.RoleLayout != layoutComponent {
		pattern += alternatives("-", scopes) + "+(-" + string(privileges.HostGroup) + ")?(-[0-9a-f]{6})?"
	}
	return regexp.MustCompile(pattern + "$").MatchString(name)
}

func alternatives(before string, words []string) string {
	return "(" + before + strings.Join(words, "|"+before) + ")"
}
