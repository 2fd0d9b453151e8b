package vcenter

import (
	"context"
	"fmt"
	"slices"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
)

// Machines lists the names of the virtual machines below folders or datacenters, sorted, by the nearest of these; templates are
// none. It is one request that reads at most limit objects, folders among them: more tells that there are more.
func (s *Session) Machines(ctx context.Context, folders []inventory.Ref, limit int32) (names map[inventory.Ref][]string, more bool, err error) {
	steps := folderSteps()
	steps["Datacenter"] = []string{"vmFolder"}
	w := walk{types: []string{"VirtualMachine"}, steps: steps, props: map[string][]string{"VirtualMachine": {"config.template"}}}
	var spec types.PropertyFilterSpec
	for _, f := range folders {
		one := w.filter(MOR(f))
		spec.PropSet = one.PropSet
		spec.ObjectSet = append(spec.ObjectSet, one.ObjectSet...)
	}
	contents, more, err := s.RetrieveFirst(ctx, limit, spec)
	if err != nil {
		return nil, false, s.explain(err)
	}
	inv := inventory.NewTree()
	if err := add(inv, named(contents)); err != nil {
		return nil, false, fmt.Errorf("%s: %w", s.Server, err)
	}
	names, seen := map[inventory.Ref][]string{}, map[inventory.Ref]bool{}
	for _, c := range contents {
		o := inv.Object(Ref(c.Obj))
		if c.Obj.Type != "VirtualMachine" || o == nil || seen[o.Ref] || slices.ContainsFunc(c.PropSet, func(p types.DynamicProperty) bool {
			return p.Name == "config.template" && p.Val == true
		}) {
			continue
		}
		seen[o.Ref] = true
		for at := o.Parent; at != nil; at = at.Parent {
			if slices.Contains(folders, at.Ref) {
				names[at.Ref] = append(names[at.Ref], o.Name)
				break
			}
		}
	}
	for _, list := range names {
		slices.Sort(list)
	}
	return names, more, nil
}
