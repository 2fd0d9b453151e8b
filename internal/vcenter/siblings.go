package vcenter

import (
	"context"
	"strings"

	"github.com/vmware/govmomi/vim25/types"

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
	contents, err := s.RetrieveFirst(ctx, limit, spec)
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
		if d := distance(strings.ToLower(child.Name), strings.ToLower(name)); d < bestDistance {
			best, bestDistance = child.Name, d
		}
	}
	return best
}

// distance is Levenshtein's.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	row := make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	for i := range s {
		diagonal := row[0]
		row[0] = i + 1
		for j := range t {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(t)]
}
