package vcenter

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
)

// FindNamed is Find for paths as they are printed: [inventory.Tree.TellApart] may have ended them.
// A path that several networks have is an error.
func (s *Session) FindNamed(ctx context.Context, paths []string) (*inventory.Tree, error) {
	wanted := slices.Clone(paths)
	for _, p := range paths {
		if strings.Contains(p, "/network/") {
			wanted = append(wanted, path.Dir(p))
		}
	}
	inv, err := s.Find(ctx, wanted)
	for _, p := range paths {
		if err == nil && strings.Contains(p, "/network/") {
			err = s.oneNetwork(ctx, inv, p)
		}
	}
	return inv, err
}

// oneNetwork finds the network of a printed path, whose directory was found.
func (s *Session) oneNetwork(ctx context.Context, inv *inventory.Tree, p string) error {
	dir := inv.At(path.Dir(p))
	if dir == nil {
		return nil
	}
	in := slices.IndexFunc(dir.Ancestors(), func(o *inventory.Object) bool { return o.Ref.Type == "Datacenter" })
	if in < 0 {
		return nil
	}
	dc := dir.Ancestors()[in]
	all, err := s.Browse(ctx, Networks, Item{Ref: MOR(dc.Ref), Path: dc.Path()})
	var refs []inventory.Ref
	for _, it := range all {
		if it.Path == p || strings.HasPrefix(p, it.Path+" (") {
			refs = append(refs, Ref(it.Ref))
		}
	}
	if err == nil {
		err = s.Include(ctx, inv, refs)
	}
	var printed []string
	for _, ref := range refs {
		o := inv.Object(ref)
		switch {
		case o == nil:
		case o.Path() == p:
			inv.SetPath(p, o)
			return err
		case strings.HasPrefix(o.Path(), p):
			printed = append(printed, o.Path())
		}
	}
	if len(printed) > 1 {
		slices.Sort(printed)
		return hint.Errorf("name one of them as it stands here, in quotes", "%s: %s is %s", s.Server, p, strings.Join(printed, " and "))
	}
	return err
}

// networkNames are the names of what lies in network folders.
func networkNames(paths []string) (names []string) {
	for _, p := range paths {
		if strings.Contains(p, "/network/") {
			names = append(names, path.Base(p))
		}
	}
	return names
}

// networkByName finds a network that lies in a folder below its datacenter's, by its name alone, as
// openshift-install and machine-api do: the first that a compute cluster lists, else the only one
// of the datacenter. Source: openshift/installer, pkg/asset/installconfig/vsphere (GetNetworkMo).
func (s *Session) networkByName(ctx context.Context, inv *inventory.Tree, paths []string, p string) error {
	dc := inv.At(path.Dir(path.Dir(p)))
	if path.Base(path.Dir(p)) != "network" || dc == nil || dc.Ref.Type != "Datacenter" {
		return nil
	}
	found := func(o *inventory.Object) {
		inv.SetPath(p, o)
		inv.SetPath(o.Path(), o)
	}
	for _, at := range paths {
		if cluster := inv.At(at); cluster != nil {
			for _, o := range cluster.Networks {
				if o.Name == path.Base(p) && o.Within(dc) {
					found(o)
					return nil
				}
			}
		}
	}
	all, err := s.Browse(ctx, Networks, Item{Ref: MOR(dc.Ref), Path: dc.Path()})
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(it Item) bool { return path.Base(it.Path) != path.Base(p) })
	if len(all) != 1 {
		return nil
	}
	if err := s.Include(ctx, inv, []inventory.Ref{Ref(all[0].Ref)}); err != nil {
		return err
	}
	if o := inv.Object(Ref(all[0].Ref)); o != nil {
		found(o)
	}
	return nil
}
