package command

import (
	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// TopologyFlags say what is assumed of failure domains that are not known yet.
type TopologyFlags struct {
	Folder    string // existing, created
	Pool      string // existing, root
	HostGroup bool
	Template  bool
}

// The words of --folder and --pool.
const (
	topologyExisting = "existing"
	TopologyCreated  = "created"
	topologyRoot     = "root"
)

// Register adds the flags to cmd.
func (t *TopologyFlags) Register(cmd *cobra.Command) {
	t.Folder, t.Pool = topologyExisting, topologyRoot
	p := cmd.Flags()
	RegisterChoice(cmd, &t.Folder, "folder", "without failure domains: the VM folder exists, or the installer creates it", []string{topologyExisting, TopologyCreated})
	RegisterChoice(cmd, &t.Pool, "pool", "without failure domains: the machines have an existing resource pool, or use the cluster's root pool", []string{topologyExisting, topologyRoot})
	p.BoolVar(&t.HostGroup, "host-groups", false, "without failure domains: zones are host groups of one cluster")
	p.BoolVar(&t.Template, "template", false, "without failure domains: the template is outside the VM folder")
	MarkSettings(cmd, "folder", "pool", "host-groups", "template")
}

// Assumed is what the flags stand for.
func (t *TopologyFlags) Assumed() privileges.RoleSetOptions {
	return privileges.RoleSetOptions{Template: t.Template, Holds: map[privileges.Condition]bool{
		privileges.FolderExisting: t.Folder == topologyExisting,
		privileges.FolderCreated:  t.Folder == TopologyCreated,
		privileges.PoolExisting:   t.Pool == topologyExisting,
		privileges.PoolRoot:       t.Pool == topologyRoot,
		privileges.HostGroup:      t.HostGroup,
	}}
}
