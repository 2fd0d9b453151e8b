package installconfig

import (
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// Named are the accounts of components that nothing but this file names: a command that is given the file without them takes the names that
// it would give. The main account stays in a file that is stripped. It is nil where the file is no specification.
func (f *File) Named() (users []string) {
	s, err := spec.ParseServers(f.name, f.data)
	if err != nil {
		return nil
	}
	given := f.Given()
	for _, e := range f.entries {
		for _, c := range component.Names() {
			if a, ok := given.accounts[e.server][c]; ok && c != component.Installer && !s.Account(c).MayBe(a.User) {
				users = lists.AppendNew(users, a.User)
			}
		}
	}
	return users
}
