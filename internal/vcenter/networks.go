package vcenter

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
)

// FindNamed is Find for paths as they are printed: [inventory.Tree.TellApart] may have ended them.
func (s *Session) FindNamed(ctx context.Context, paths []string) (*inventory.Tree, error) {
	inv, err := s.Find(ctx, paths)
	for _, p := range paths {
		if err == nil && inv.At(p) == nil {
			err = s.networkOfType(ctx, inv, p)
		}
	}
	return inv, err
}

func (s *Session) networkOfType(ctx context.Context, inv *inventory.Tree, p string) error {
	bare := p[:max(0, strings.LastIndex(p, " ("))]
	dir := path.Dir(bare)
	if bare == "" {
		return nil
	}
	in, err := s.Find(ctx, []string{dir})
	if err != nil || in.At(dir) == nil {
		return err
	}
	for _, o := range in.At(dir).Ancestors() {
		if o.Ref.Type != "Datacenter" {
			continue
		}
		all, err := s.Browse(ctx, Networks, Item{Ref: MOR(o.Ref), Path: o.Path()})
		for _, it := range all {
			ref := Ref(it.Ref)
			if it.Path == bare && (p == bare+" ("+ref.Type+")" || p == bare+" ("+ref.String()+")") {
				err = s.Include(ctx, inv, []inventory.Ref{ref})
				inv.SetPath(p, inv.Object(ref))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
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
