package vcsim

import (
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// role is immutable: an update puts another value in its place.
type role struct {
	id             int32
	name           string
	label, summary string
	system         bool
	list           []string // sorted
	has            map[string]bool
}

// grant is one permission on an entity.
type grant struct {
	key       string // of the principal
	principal directory.Principal
	role      int32
	propagate bool
}

// authzState is one consistent version of all roles and permissions. Once it is stored nobody changes it.
type authzState struct {
	roles  map[int32]*role
	former map[int32]formerRole // of roles that were updated lately (R8)
	order  []int32              // role ids in the order of creation
	grants map[types.ManagedObjectReference][]grant
	seed   uint64 // of the next role id
}

func newState(c *catalogue, seed uint64) *authzState {
	st := &authzState{roles: map[int32]*role{}, former: map[int32]formerRole{}, grants: map[types.ManagedObjectReference][]grant{}, seed: seed}
	for _, r := range systemRoles(c) {
		st.roles[r.id] = r
		st.order = append(st.order, r.id)
	}
	return st
}

func (st *authzState) clone() *authzState {
	return &authzState{
		roles: maps.Clone(st.roles), former: maps.Clone(st.former), order: slices.Clone(st.order),
		grants: maps.Clone(st.grants), seed: st.seed,
	}
}

// set adds or replaces the permission of one principal on one entity (R11).
func (st *authzState) set(ref types.ManagedObjectReference, g grant) {
	list := slices.Clone(st.grants[ref]) // the stored slice belongs to older states too
	for i := range list {
		if list[i].key == g.key {
			list[i] = g
			st.grants[ref] = list
			return
		}
	}
	st.grants[ref] = append(list, g)
}

// drop removes the permission of one principal from one entity, if there is one.
func (st *authzState) drop(ref types.ManagedObjectReference, key string) {
	i := slices.IndexFunc(st.grants[ref], func(g grant) bool { return g.key == key })
	if i < 0 {
		return
	}
	list := slices.Delete(slices.Clone(st.grants[ref]), i, i+1)
	if len(list) == 0 {
		delete(st.grants, ref)
	} else {
		st.grants[ref] = list
	}
}

// get is the permission of a principal on an entity.
func (st *authzState) get(ref types.ManagedObjectReference, key string) (grant, bool) {
	for _, g := range st.grants[ref] {
		if g.key == key {
			return g, true
		}
	}
	return grant{}, false
}

// entities that carry permissions, in an order that does not change between calls (R20).
func (st *authzState) entities() []types.ManagedObjectReference {
	refs := make([]types.ManagedObjectReference, 0, len(st.grants))
	for ref := range st.grants {
		refs = append(refs, ref)
	}
	sort.Slice(refs, func(i, j int) bool {
		a, b := refs[i], refs[j]
		if a.Type != b.Type {
			return a.Type < b.Type
		}
		if len(a.Value) != len(b.Value) {
			return len(a.Value) < len(b.Value) // group-d2 before group-d10
		}
		return a.Value < b.Value
	})
	return refs
}

// administered says whether somebody is still Administrator of the whole vCenter (R19).
func (st *authzState) administered(root types.ManagedObjectReference) bool {
	return slices.ContainsFunc(st.grants[root], func(g grant) bool { return g.role == adminRole && g.propagate })
}

func (st *authzState) used(id int32) bool {
	for _, list := range st.grants {
		if slices.ContainsFunc(list, func(g grant) bool { return g.role == id }) {
			return true
		}
	}
	return false
}

// nameTaken: names that differ only in case are taken for the same (R3).
func (st *authzState) nameTaken(name string, except int32) bool {
	for id, r := range st.roles {
		if id != except && strings.EqualFold(r.name, name) {
			return true
		}
	}
	return false
}

// addRole obeys R1 to R3.
func (st *authzState) addRole(c *catalogue, name string, privs []string) (int32, types.BaseMethodFault) {
	if fault := roleName(name); fault != nil {
		return 0, fault
	}
	if !c.knowsAll(privs) {
		return 0, &types.InvalidArgument{InvalidProperty: "privIds"}
	}
	if st.nameTaken(name, 0) {
		return 0, &types.AlreadyExists{Name: name}
	}
	r := newRole(st.nextID(), name, privs)
	st.roles[r.id] = r
	st.order = append(st.order, r.id)
	return r.id, nil
}

// updateRole obeys R1 to R5. No privileges at all leaves the list as it is (R4).
func (st *authzState) updateRole(c *catalogue, id int32, name string, privs []string) types.BaseMethodFault {
	old := st.roles[id]
	if old == nil {
		return &types.NotFound{}
	}
	if old.system {
		return &types.InvalidArgument{InvalidProperty: "roleId"}
	}
	if fault := roleName(name); fault != nil {
		return fault
	}
	if !c.knowsAll(privs) {
		return &types.InvalidArgument{InvalidProperty: "privIds"}
	}
	if st.nameTaken(name, id) {
		return &types.AlreadyExists{Name: name}
	}
	if len(privs) == 0 {
		privs = old.list
	}
	st.roles[id] = newRole(id, name, privs)
	return nil
}

// removeRole obeys R5 and R7. A role that is removed by force takes its permissions with it.
func (st *authzState) removeRole(id int32, failIfUsed bool) types.BaseMethodFault {
	r := st.roles[id]
	if r == nil {
		return &types.NotFound{}
	}
	if r.system {
		return &types.InvalidArgument{InvalidProperty: "roleId"}
	}
	if st.used(id) {
		if failIfUsed {
			return &types.RemoveFailed{}
		}
		for ref, list := range st.grants {
			for _, g := range list {
				if g.role == id {
					st.drop(ref, g.key)
				}
			}
		}
	}
	delete(st.roles, id)
	delete(st.former, id)
	st.order = slices.DeleteFunc(st.order, func(o int32) bool { return o == id })
	return nil
}

// grantable says whether a permission may carry the role (R15).
func (st *authzState) grantable(id int32) types.BaseMethodFault {
	switch {
	case st.roles[id] == nil:
		return &types.NotFound{}
	case id == viewRole || id == anonymousRole:
		return &types.InvalidArgument{InvalidProperty: "permission.roleId"}
	}
	return nil
}

// nextID is a role id as a vCenter gives them: any 32-bit number, negative ones too (R5).
func (st *authzState) nextID() int32 {
	for {
		st.seed += 0x9e3779b97f4a7c15
		z := st.seed
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		id := int32(z >> 33 << 1)
		if st.roles[id] == nil && (id > 16 || id < -16) { // the system's ids stay its own
			return id
		}
	}
}

func roleName(name string) types.BaseMethodFault {
	// 80 characters is vCenter's limit for names of entities; a role's is not documented.
	if strings.TrimSpace(name) == "" || len([]rune(name)) > 80 {
		return &types.InvalidName{Name: name}
	}
	return nil
}

// newRole adds what every role has (R1).
func newRole(id int32, name string, privs []string) *role {
	r := &role{id: id, name: name, label: name, summary: name, has: map[string]bool{}}
	for _, p := range append(slices.Clone(implicitPrivileges), privs...) {
		r.has[p] = true
	}
	r.list = slices.Sorted(maps.Keys(r.has))
	return r
}

func (r *role) vim() types.AuthorizationRole {
	return types.AuthorizationRole{
		RoleId: r.id, System: r.system, Name: r.name, Privilege: r.list,
		Info: &types.Description{Label: r.label, Summary: r.summary},
	}
}
