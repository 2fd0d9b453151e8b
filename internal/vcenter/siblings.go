package vcenter

import (
	"context"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
)

// below are the properties that hold the objects one level below.
var below = map[string][]string{
	"Folder":                 {"childEntity"},
	"StoragePod":             {"childEntity"},
	"Datacenter":             {"vmFolder", "hostFolder", "datastoreFolder", "networkFolder"},
	"ClusterComputeResource": {"resourcePool", "host"},
	"ComputeResource":        {"resourcePool", "host"},
	"ResourcePool":           {"resourcePool"},
	"VirtualApp":             {"resourcePool"},
}

// Below reads at most limit objects one level below o, with their names.
func (s *Session) Below(ctx context.Context, o *inventory.Object, limit int32, props ...string) ([]*inventory.Object, error) {
	if len(props) == 0 {
		props = below[o.Ref.Type]
	}
	if len(props) == 0 {
		return nil, nil
	}
	spec := types.PropertyFilterSpec{
		PropSet:   []types.PropertySpec{{Type: "ManagedEntity", PathSet: []string{"name", "parent"}}},
		ObjectSet: []types.ObjectSpec{{Obj: MOR(o.Ref), Skip: new(true)}},
	}
	for _, prop := range props {
		spec.ObjectSet[0].SelectSet = append(spec.ObjectSet[0].SelectSet, &types.TraversalSpec{Type: o.Ref.Type, Path: prop})
	}
	contents, _, err := s.RetrieveFirst(ctx, limit, spec)
	if err != nil {
		return nil, err
	}
	var all []*inventory.Object
	for _, content := range contents {
		child := &inventory.Object{Ref: Ref(content.Obj), Parent: o}
		for _, p := range content.PropSet {
			if name, ok := p.Val.(string); ok {
				child.Name = name
			}
		}
		all = append(all, child)
	}
	return all, nil
}

// sibling is the name below o that is most like name, "" when none is near.
func (s *Session) sibling(ctx context.Context, o *inventory.Object, name string) string {
	children, err := s.Below(ctx, o, 2000)
	if err != nil {
		return ""
	}
	best, bestDistance := "", len([]rune(name))/2+1
	for _, child := range children {
		if d := hint.Distance(strings.ToLower(child.Name), strings.ToLower(name)); d < bestDistance {
			best, bestDistance = child.Name, d
		}
	}
	return best
}
