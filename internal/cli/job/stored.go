package job

import (
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

// Stores reports whether a credentials file has an account of the run that apply created.
func (r *Run) Stores(file *credfile.File) bool {
	for server, of := range openshift.FromFile(file, command.Servers(r.Wanted)) {
		for c, a := range of {
			if r.Wanted.At(server).Account(c).Makes(a.User) {
				return true
			}
		}
	}
	return false
}

// PrintFormers names the files that still have such accounts because an import replaced them.
func (r *Run) PrintFormers() {
	for _, path := range credfile.Formers(r.Credentials) {
		if file, err := credfile.OpenToRead(path); err == nil && r.Stores(file) {
			r.Command(path+" still has passwords of cluster "+r.Wanted.Cluster+
				" that an import replaced; if nothing else in it is needed:", script.Line("rm", path))
		}
	}
}
