package vcsim

import "github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcsim/directory"

// What [VCenter.Directory] takes and returns, so that who starts a lab needs no second import.
type (
	Directory      = directory.Directory
	Details        = directory.Details
	IdentitySource = directory.IdentitySource
	LockoutPolicy  = directory.LockoutPolicy
)
