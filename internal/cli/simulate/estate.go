package simulate

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/estate"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcsim/directory"
)

// contents is what an estate means for a lab whose vCenters do not know some privileges: no role holds these then. The
// simulation knows nothing of files, and files nothing of it.
func contents(e *estate.Estate, without []string) (names []string, linked bool, all []vcsim.Contents) {
	for _, v := range e.VCenters {
		c := vcsim.Contents{Domain: v.Domain, Knows: v.Knows, Without: v.Without}
		for _, s := range v.Sources {
			c.Sources = append(c.Sources, directory.IdentitySource{Name: s.Name, Alias: s.Alias, Type: s.Type})
		}
		for _, u := range v.Users {
			c.Users = append(c.Users, vcsim.Account(u))
		}
		for _, g := range v.Groups {
			c.Groups = append(c.Groups, vcsim.Group(g))
		}
		for _, r := range v.Roles {
			known := slices.DeleteFunc(slices.Clone(r.Privileges), func(id string) bool { return slices.Contains(without, id) })
			c.Roles = append(c.Roles, vcsim.Role{Name: r.Name, Privileges: known})
		}
		for _, o := range v.Objects {
			c.Objects = append(c.Objects, vcsim.Object(o))
		}
		for _, p := range v.Permissions {
			c.Permissions = append(c.Permissions, vcsim.Permission{
				Path: p.Object, Principal: p.Principal, Group: p.Group, Role: p.Role, Propagate: p.Propagate,
			})
		}
		names, all = append(names, v.Server), append(all, c)
	}
	return names, e.Linked, all
}
