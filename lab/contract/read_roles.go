package contract

import (
	"context"
	"math"
	"slices"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// implicit are the privileges that every custom role has.
var implicit = []string{"System.Anonymous", "System.Read", "System.View"}

// administrator is the id of the system role that holds everything.
const administrator = -1

// systemRoles are the names of the system roles by id.
var systemRoles = map[int32]string{
	-1: "Admin", -2: "ReadOnly", -3: "View", -4: "Anonymous", -5: "NoAccess",
	-6: "NoCryptoAdmin", -7: "TrustedAdmin", -8: "NoTrustedAdmin",
}

// readRoles are the rules about roles and privileges that reading tries.
func readRoles() []Rule {
	return []Rule{
		{ID: "R1", Case: "existing roles", Says: "Every custom role has System.Anonymous, System.View and System.Read.", try: tryExistingRoles},
		{ID: "R6", Case: "system roles", Says: "The system roles have the ids -1 to -8 and names that never change.", try: trySystemRoles},
		{ID: "R9", Case: "catalogue", Says: "privilegeList contains every privilege: the Administrator role has no others.", try: tryCatalogue},
		{ID: "R20", Case: "own permissions", Says: "A listed permission names the object on which it is set.", try: tryOwnPermissions},
		{ID: "R20", Case: "inherited permissions", Says: "Of parents, only permissions that propagate are listed.", try: tryInheritedPermissions},
		{ID: "R20", Case: "unknown role", Says: "The permissions of an unknown role cannot be listed: NotFound.", try: tryUnknownRole},
		{ID: "R48", Case: "privileges on the parent", Says: "Delete privileges are marked as required on the parent too.", try: tryOnParent},
	}
}

func tryExistingRoles(ctx context.Context, p *probe) outcome {
	roles, a := p.roles(ctx)
	if !a.ok() {
		return a.unready()
	}
	custom := 0
	for _, r := range roles {
		if r.System {
			continue
		}
		custom++
		for _, id := range implicit {
			if !slices.Contains(r.Privilege, id) {
				return differs("a custom role lacks %s", id)
			}
		}
	}
	if custom == 0 {
		return untried("there is no custom role")
	}
	return holds()
}

func trySystemRoles(ctx context.Context, p *probe) outcome {
	roles, a := p.roles(ctx)
	if !a.ok() {
		return a.unready()
	}
	for id := int32(-1); id >= -8; id-- {
		i := slices.IndexFunc(roles, func(r types.AuthorizationRole) bool { return r.RoleId == id })
		switch {
		case i < 0:
			return differs("no role has the id %d", id)
		case !roles[i].System:
			return differs("role %d is no system role", id)
		case roles[i].Name != systemRoles[id]:
			return differs("role %d is not called %s", id, systemRoles[id])
		}
	}
	return holds()
}

func tryCatalogue(ctx context.Context, p *probe) outcome {
	found, a := p.read(ctx, *p.Content.AuthorizationManager, "privilegeList", "roleList")
	if !a.ok() {
		return a.unready()
	}
	list, _ := found["privilegeList"].(types.ArrayOfAuthorizationPrivilege)
	roles, _ := found["roleList"].(types.ArrayOfAuthorizationRole)
	known := map[string]bool{}
	for _, priv := range list.AuthorizationPrivilege {
		known[priv.PrivId] = true
	}
	p.report.Privileges = compared(known)
	if len(known) == 0 {
		return differs("privilegeList is empty")
	}
	for _, r := range roles.AuthorizationRole {
		if r.RoleId != administrator {
			continue
		}
		for _, id := range r.Privilege {
			if !known[id] {
				return differs("the Administrator role has a privilege that privilegeList lacks")
			}
		}
		return when(len(r.Privilege) > 0, "the Administrator role is empty")
	}
	return differs("there is no Administrator role")
}

// compared holds a catalogue against the recorded one.
func compared(known map[string]bool) Catalogue {
	c := Catalogue{Known: len(known), Lacks: []string{}}
	recorded := 0
	for _, id := range privileges.Catalogue() {
		if known[id] {
			recorded++
		} else if len(known) > 0 {
			c.Lacks = append(c.Lacks, id)
		}
	}
	slices.Sort(c.Lacks)
	c.Unrecorded = len(known) - recorded
	return c
}

func (p *probe) permissions(ctx context.Context, obj types.ManagedObjectReference, inherited bool) ([]types.Permission, answer) {
	res, a := send(ctx, p, methods.RetrieveEntityPermissions, &types.RetrieveEntityPermissions{
		This: *p.Content.AuthorizationManager, Entity: obj, Inherited: inherited,
	})
	return res.Returnval, a
}

func tryOwnPermissions(ctx context.Context, p *probe) outcome {
	root := p.Content.RootFolder
	list, a := p.permissions(ctx, root, false)
	if !a.ok() {
		return a.unready()
	}
	if len(list) == 0 {
		return untried("no permission on the root folder can be seen")
	}
	for _, perm := range list {
		if perm.Entity == nil || *perm.Entity != root {
			return differs("a permission of the root folder does not name it")
		}
	}
	return holds()
}

func tryInheritedPermissions(ctx context.Context, p *probe) outcome {
	dc, got, ok := p.datacenter(ctx)
	if !ok {
		return got
	}
	all, a := p.permissions(ctx, dc.ref, true)
	if !a.ok() {
		return a.unready()
	}
	above := 0
	for _, perm := range all {
		if perm.Entity == nil || *perm.Entity == dc.ref {
			continue
		}
		if above++; !perm.Propagate {
			return differs("a permission that does not propagate is inherited")
		}
	}
	if above == 0 {
		return untried("no permission above a datacenter can be seen")
	}
	return holds()
}

func tryUnknownRole(ctx context.Context, p *probe) outcome {
	id, a := p.unusedRole(ctx)
	if !a.ok() {
		return a.unready()
	}
	_, a = send(ctx, p, methods.RetrieveRolePermissions, &types.RetrieveRolePermissions{This: *p.Content.AuthorizationManager, RoleId: id})
	return a.with("NotFound")
}

// unusedRole is an id that no role has.
func (p *probe) unusedRole(ctx context.Context) (int32, answer) {
	roles, a := p.roles(ctx)
	id := int32(math.MaxInt32 - 17)
	for slices.ContainsFunc(roles, func(r types.AuthorizationRole) bool { return r.RoleId == id }) {
		id--
	}
	return id, a
}

// deleting are privileges that ManagedEntity.Destroy_Task asks for on the parent as well, in every release.
var deleting = []string{"Datacenter.Delete", "Folder.Delete", "Resource.DeletePool", "VirtualMachine.Inventory.Delete"}

func tryOnParent(ctx context.Context, p *probe) outcome {
	found, a := p.read(ctx, *p.Content.AuthorizationManager, "privilegeList")
	if !a.ok() {
		return a.unready()
	}
	list, _ := found["privilegeList"].(types.ArrayOfAuthorizationPrivilege)
	marked := map[string]bool{}
	for _, priv := range list.AuthorizationPrivilege {
		if priv.OnParent {
			marked[priv.PrivId] = true
		}
	}
	for _, id := range deleting {
		if !marked[id] {
			return differs("%s is not marked", id)
		}
	}
	return holds()
}
