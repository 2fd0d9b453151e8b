package cli

import (
	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// topologyFlags say what is assumed of failure domains that are not known yet.
type topologyFlags struct {
	Folder    string // existing, created
	Pool      string // existing, root
	HostGroup bool
	Template  bool
}

// The words of --folder and --pool.
const (
	topologyExisting = "existing"
	topologyCreated  = "created"
	topologyRoot     = "root"
)

// Register adds the flags to cmd.
func (t *topologyFlags) Register(cmd *cobra.Command) {
	t.Folder, t.Pool = topologyExisting, topologyRoot
	folders, pools := []string{topologyExisting, topologyCreated}, []string{topologyExisting, topologyRoot}
	p := cmd.Flags()
	p.Var(newChoice(&t.Folder, folders), "folder", "without failure domains: the VM folder exists, or the installer creates it")
	p.Var(newChoice(&t.Pool, pools), "pool", "without failure domains: a resource pool exists for the machines, or they are in the cluster's root pool")
	p.BoolVar(&t.HostGroup, "host-groups", false, "without failure domains: zones are host groups of one cluster")
	p.BoolVar(&t.Template, "template", false, "without failure domains: a template stands outside the VM folder")
	completeValues(cmd, "folder", folders)
	markSettings(cmd, "folder", "pool", "host-groups", "template")
	completeValues(cmd, "pool", pools)
}

// assumed is what the flags stand for.
func (t *topologyFlags) assumed() privileges.RoleSetOptions {
	return privileges.RoleSetOptions{Template: t.Template, Holds: map[privileges.Condition]bool{
		privileges.FolderExisting: t.Folder == topologyExisting,
		privileges.FolderCreated:  t.Folder == topologyCreated,
		privileges.PoolExisting:   t.Pool == topologyExisting,
		privileges.PoolRoot:       t.Pool == topologyRoot,
		privileges.HostGroup:      t.HostGroup,
	}}
}
