package vcsim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// Snapshot is the state of a vCenter as canonical text, one fact per line, sorted: roles with their privileges,
// permissions, SSO accounts and groups with their members, folders, pools, virtual machines and tags. Ids, times and
// passwords are left out. Two snapshots are equal when nobody could tell the states apart.
func (v *VCenter) Snapshot() string {
	var lines []string
	line := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	reg := v.model.Map()

	roles, perms := v.authz.snapshot()
	for name, privileges := range roles {
		privileges = slices.Clone(privileges)
		slices.Sort(privileges)
		line("role %q %s", name, strings.Join(privileges, " "))
	}
	for _, p := range perms {
		if p.Ref == globalObject {
			line("global permission %s role %q propagate %t", storedName(p.Principal), p.Role, p.Propagate)
			continue
		}
		line("permission %q %s role %q propagate %t", distinctPath(reg, p.Ref), storedName(p.Principal), p.Role, p.Propagate)
	}
	for _, u := range v.dir.Users() {
		line("%s description %q name %q %q mail %q disabled %t locked %t expired %t",
			storedName(u.Principal), u.Description, u.FirstName, u.LastName, u.Email, u.Disabled, u.Locked, u.Expired)
	}
	for _, g := range v.dir.Groups() {
		members := make([]string, len(g.Members))
		for i, m := range g.Members {
			members[i] = storedName(m)
		}
		line("%s description %q members %s", storedName(g.Principal), g.Description, strings.Join(members, " "))
	}
	for _, kind := range []string{"Folder", "StoragePod", "ResourcePool", "VirtualApp"} {
		for _, e := range reg.All(kind) {
			line("%s %q", strings.ToLower(kind), inventoryPath(reg, e.Reference()))
		}
	}
	for _, e := range reg.All("VirtualMachine") {
		lines = append(lines, machineLine(reg, e.Reference()))
	}
	for _, l := range v.rest.Labels() {
		line("tag %q", l.Category+"/"+l.Name)
		for _, ref := range l.On {
			line("tag %q on %q", l.Category+"/"+l.Name, distinctPath(reg, ref))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

// storedName is a principal as it is stored: somebody who changes only the case of a name has changed it.
func storedName(p directory.Principal) string {
	if p.Group {
		return "group " + p.String()
	}
	return "account " + p.String()
}

func machineLine(reg *simulator.Registry, ref types.ManagedObjectReference) string {
	template, state := false, types.VirtualMachinePowerState("")
	if vm, ok := reg.Get(ref).(*simulator.VirtualMachine); ok {
		reg.WithLock(&simulator.Context{Map: reg}, vm, func() {
			template, state = vm.Config != nil && vm.Config.Template, vm.Runtime.PowerState
		})
	}
	return fmt.Sprintf("vm %q template %t %s", inventoryPath(reg, ref), template, state)
}

// EffectivePrivileges is what a principal may do on the object at an inventory path, sorted, as this vCenter
// itself computes it. The principal is a user, or else a group, in any form of its name.
func (v *VCenter) EffectivePrivileges(principal, path string) ([]string, error) {
	u, ok := v.dir.User(principal)
	p := u.Principal
	if !ok {
		var g directory.Group
		g, ok = v.dir.Group(principal)
		p = g.Principal
	}
	if !ok {
		return nil, &directory.UnknownPrincipal{Name: principal}
	}
	ref, ok := v.find(path)
	if !ok {
		return nil, fmt.Errorf("%s: no object at %s", v.Server(), path)
	}
	var out []string
	for id, has := range v.authz.effective(p, ref) {
		if has {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out, nil
}

// find is the object at an inventory path.
func (v *VCenter) find(path string) (types.ManagedObjectReference, bool) {
	reg := v.model.Map()
	want := "/" + strings.Trim(path, "/")
	base := want[strings.LastIndex(want, "/")+1:]
	base, _ = strings.CutSuffix(base, " (OpaqueNetwork)")
	for _, e := range reg.All("") {
		ref := e.Reference()
		if (want == "/" || strings.HasPrefix(entityName(reg, ref), base)) && distinctPath(reg, ref) == want {
			return ref, true
		}
	}
	return types.ManagedObjectReference{}, false
}
