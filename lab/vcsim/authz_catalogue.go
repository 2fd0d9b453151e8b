package vcsim

import (
	"bufio"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vmware/govmomi/simulator/esx"
	"github.com/vmware/govmomi/vim25/types"
)

//go:embed data/privileges.txt
var privilegeData string

// Ids of the system roles (R6).
const (
	adminRole     int32 = -1
	viewRole      int32 = -3
	anonymousRole int32 = -4
)

// implicitPrivileges are in every custom role, asked for or not (R1).
var implicitPrivileges = []string{"System.Anonymous", "System.Read", "System.View"}

// privilegesOnParent are also checked on the parent of the object that goes away (R48).
// Source: ManagedEntity.Destroy_Task in the vSphere Web Services API reference; of Unregister, vSphere
// Security 8.0, Virtual Machine Edit Inventory Privileges and vApp Privileges.
var privilegesOnParent = map[string]bool{
	"DVPortgroup.Delete": true, "DVSwitch.Delete": true, "Datacenter.Delete": true, "Folder.Delete": true,
	"Host.Inventory.DeleteCluster": true, "Host.Inventory.RemoveHostFromCluster": true, "Resource.DeletePool": true,
	"VApp.Delete": true, "VApp.Unregister": true, "VirtualMachine.Inventory.Delete": true,
	"VirtualMachine.Inventory.Unregister": true,
}

// catalogue is the set of privileges that one vCenter knows (R9).
type catalogue struct {
	ids   []string // sorted
	known map[string]bool

	description *types.AuthorizationDescription
}

func newCatalogue(without, with []string) (*catalogue, error) {
	c := &catalogue{known: map[string]bool{}}
	lines := bufio.NewScanner(strings.NewReader(privilegeData))
	for lines.Scan() {
		if id := strings.TrimSpace(lines.Text()); id != "" && id[0] != '#' {
			c.known[id] = true
		}
	}
	for _, id := range without {
		if slices.Contains(implicitPrivileges, id) {
			return nil, fmt.Errorf("privilege %s cannot be omitted: every role has it", id)
		}
		delete(c.known, id)
	}
	for _, id := range with {
		if !slices.Contains(without, id) {
			c.known[id] = true
		}
	}
	c.ids = slices.Sorted(maps.Keys(c.known))
	c.description = describe(c.ids)
	return c, nil
}

func (c *catalogue) knowsAll(ids []string) bool {
	return !slices.ContainsFunc(ids, func(id string) bool { return !c.known[id] })
}

// vim is the privilegeList property.
func (c *catalogue) vim() []types.AuthorizationPrivilege {
	out := make([]types.AuthorizationPrivilege, 0, len(c.ids))
	for _, id := range c.ids {
		in, name := group(id)
		out = append(out, types.AuthorizationPrivilege{PrivId: id, OnParent: privilegesOnParent[id], Name: name, PrivGroupName: in})
	}
	return out
}

// describe is the description property: what clients show instead of ids. No recording of a vCenter's texts is known, so these are the words of
// the ids.
func describe(ids []string) *types.AuthorizationDescription {
	d := &types.AuthorizationDescription{}
	element := func(key, text string) types.BaseElementDescription {
		return &types.ElementDescription{Description: types.Description{Label: text, Summary: text}, Key: key}
	}
	groups := map[string]bool{}
	for _, id := range ids {
		in, name := group(id)
		d.Privilege = append(d.Privilege, element(id, spaced(name)))
		groups[in] = true
	}
	for _, id := range slices.Sorted(maps.Keys(groups)) {
		_, name := group(id)
		d.PrivilegeGroup = append(d.PrivilegeGroup, element(id, spaced(name)))
	}
	return d
}

// group cuts an id into its group and its name there.
func group(id string) (in, name string) {
	dot := strings.LastIndexByte(id, '.')
	return id[:max(dot, 0)], id[dot+1:]
}

// systemRoles are the roles that no administrator can change (R5, R6), cut down to the catalogue.
// Names, labels and privileges are those that govmomi's simulator recorded.
func systemRoles(c *catalogue) []*role {
	var out []*role
	for _, recorded := range esx.RoleList {
		info := recorded.Info.GetDescription()
		r := &role{
			id: recorded.RoleId, name: recorded.Name, label: info.Label, summary: info.Summary,
			system: true, has: map[string]bool{},
		}
		privs := recorded.Privilege
		if r.id == adminRole {
			privs = c.ids
		}
		for _, id := range privs {
			if c.known[id] {
				r.has[id] = true
			}
		}
		r.list = slices.Sorted(maps.Keys(r.has))
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b *role) int { return int(b.id) - int(a.id) })
	return out
}
