package serve

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/estate"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// open gives accounts of an estate the passwords that a credentials file and its journal have for them, by the names of the vCenters.
func open(path string, names []string, all []vcsim.Contents) error {
	file, err := credfile.OpenToRead(path)
	if err == nil && command.Missing(path) {
		err = fmt.Errorf("%s does not exist", path)
	}
	if err != nil {
		return command.BadFlag("copy-credentials", "%w", err)
	}
	journal, err := file.Journal()
	if err != nil {
		return err
	}
	known := accounts.Files{Credentials: file, Journal: journal}
	for i, server := range names {
		for _, c := range component.Names() {
			of := known.Section(server, c)
			for _, a := range []credfile.Account{of.File, of.Journal, of.Earlier} {
				u := slices.IndexFunc(all[i].Users, func(u vcsim.Account) bool { return strings.EqualFold(u.Name, a.User) })
				if u >= 0 && all[i].Users[u].Password == "" {
					all[i].Users[u].Password = a.Password.Reveal()
				}
			}
		}
	}
	return nil
}

// contents is what an estate means for a lab whose vCenters do not know some privileges: no role holds these then. The
// simulation knows nothing of files, and files nothing of it.
func contents(e *estate.Estate, without []string) (names []string, all []vcsim.Contents) {
	for _, v := range e.VCenters {
		c := vcsim.Contents{
			Domain: v.Domain, LinkedWith: v.LinkedWith, Knows: v.Knows, Without: v.Without, Guests: v.Guests,
		}
		for _, s := range v.Sources {
			c.Sources = append(c.Sources, directory.IdentitySource{Name: s.Name, Alias: s.Alias, Type: s.Type})
		}
		for _, u := range v.Users {
			c.Users = append(c.Users, vcsim.Account{Name: u.Name, Disabled: u.Disabled, Description: u.Mark})
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
		for _, t := range v.Tags {
			c.Tags = append(c.Tags, vcsim.Tag(t))
		}
		names, all = append(names, v.Server), append(all, c)
	}
	return names, all
}
