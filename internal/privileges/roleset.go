package privileges

import (
	"maps"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// Layouts of roles: one per component and object, or one per component.
const (
	LayoutScope     = "scope"
	LayoutComponent = "component"
)

// ScopeTemplate names the role on the folder of a template that stands outside the folder for virtual machines. No matrix has
// it: what stands there are the [Cloning] privileges of the scope folder.
const ScopeTemplate Scope = "template"

// Cloning returns what a clone needs on its template. Source: vSphere Web Services API, CloneVM_Task.
func Cloning() []string {
	return []string{"VirtualMachine.Provisioning.Clone", "VirtualMachine.Provisioning.DeployTemplate"}
}

// RoleSetOptions describe one failure domain as far as roles depend on it.
type RoleSetOptions struct {
	Components []component.Name   // empty = those of the matrix
	Holds      map[Condition]bool // FolderExisting, PoolExisting and HostGroup say how the failure domain looks; the rest as in Grants
	Layout     string             // LayoutScope (also "") or LayoutComponent
	Prefix     string             // of role names; it may be empty
	Known      []string           // privileges of the vCenter; nil = it knows all of them
	Template   bool               // the template is outside the folder that FolderExisting speaks of
}

// RoleDef is one role as it has to be made.
type RoleDef struct {
	Name       string // see Sealed
	Component  component.Name
	Variants   []string
	Scopes     []Scope  // what the role is for: it names them in LayoutScope; ScopeTemplate may be among them
	Propagate  bool     // whether a permission with this role propagates, on one object at least
	Privileges []string // sorted, without the implicit ones, never empty
	Rows       []Row    // all behind it, those that read only included
}

// TopologyOf makes the conditions of folder and pool exclude each other, as those of a failure domain do.
func TopologyOf(holds map[Condition]bool) map[Condition]bool {
	out := map[Condition]bool{}
	maps.Copy(out, holds)
	out[FolderCreated], out[PoolRoot] = !out[FolderExisting], !out[PoolExisting]
	return out
}
