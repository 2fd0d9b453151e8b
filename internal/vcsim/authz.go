package vcsim

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

// authzOptions shape the authorization of one simulated vCenter.
type authzOptions struct {
	Without []string         // privilege ids that this vCenter does not know
	Now     func() time.Time // default time.Now
}

// authorization is who may do what on one vCenter: roles, permissions and the rights that follow from them.
// Its state is an immutable value that writers replace, so that requests read it without locks.
type authorization struct {
	reg   *simulator.Registry
	dir   *Directory
	now   func() time.Time
	write sync.Mutex // serialises writers of state
	state atomic.Pointer[authzState]
}

type authzState struct{}

// permissionView is one permission as Snapshot shows it.
type permissionView struct {
	Ref       types.ManagedObjectReference
	Principal Principal
	Role      string
	Propagate bool
}

// installAuthorization replaces the authorization manager, request handler, search index and property
// collector of a model. Call it after Create and before NewServer.
func installAuthorization(m *simulator.Model, d *Directory, o authzOptions) (*authorization, error) {
	return &authorization{reg: m.Map(), dir: d, now: o.Now}, nil
}

// effective is the set of privileges that p has on an object (R21 to R27).
func (a *authorization) effective(p Principal, ref types.ManagedObjectReference) map[string]bool {
	return nil
}

// addRole makes a role as an administrator would.
func (a *authorization) addRole(name string, privs []string) (int32, error) { return 0, nil }

// setPermission grants a role as an administrator would.
func (a *authorization) setPermission(ref types.ManagedObjectReference, p Principal, roleID int32, propagate bool) error {
	return nil
}

// snapshot lists the roles by name with their privileges, and all permissions in a stable order.
func (a *authorization) snapshot() (roles map[string][]string, perms []permissionView) {
	return nil, nil
}

// openSession starts a session for a principal whose identity has been proved, R42 included. Its fault is the login's answer.
func (a *authorization) openSession(ctx *simulator.Context, p Principal, locale string) (types.UserSession, types.BaseMethodFault) {
	return types.UserSession{}, nil
}
