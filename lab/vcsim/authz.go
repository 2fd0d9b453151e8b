package vcsim

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/automation"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// authzOptions shape the authorization of one simulated vCenter.
type authzOptions struct {
	Without   []string         // privilege ids that this vCenter does not know
	Release   release          // default: the default one
	Knows     []string         // privilege ids that it knows besides the recorded ones
	Now       func() time.Time // default time.Now
	Journal   journal          // what was asked; nil = nothing is recorded
	RoleDelay time.Duration    // R8: so long after its answer an update of a role takes effect
	Roles     string           // vCenters with the same word here give their roles the same ids; default: their InstanceUuid
}

// authorization is who may do what on one vCenter: roles, permissions and the rights that follow from them.
// Its state is an immutable value that writers replace, so that requests read it without locks.
type authorization struct {
	reg     *simulator.Registry
	dir     *directory.Directory
	now     func() time.Time
	content types.ServiceContent
	root    types.ManagedObjectReference // the root folder
	self    types.ManagedObjectReference // the AuthorizationManager
	catalog *catalogue
	methods methodTable
	release release
	owners  ownerIndex

	// tokenPrincipal verifies the SAML token of a LoginByToken. Nil refuses every token.
	tokenPrincipal func(*simulator.Context) (directory.Principal, error)

	// peer is the vCenter of the laboratory with an instance id; nil if none has it.
	peer func(instance string) *authorization

	// destroying is told of machines that are about to be destroyed. May be nil.
	destroying func(*simulator.Context, types.ManagedObjectReference)

	journal journal
	times   *taskTimes // of tasks; nil = they end at once
	closed  closedMethods
	exports exports
	checks  *automation.Checks
	write   sync.Mutex // serialises writers of state
	daily   dailyCheck
	state   atomic.Pointer[authzState]
	lag     roleLag

	sessions sync.Map // session key → Principal, for HasPrivilegeOnEntity
	clones   tickets  // open a session
	services tickets  // open the files of datastores
	names    naming
}

// tickets are what sessions asked for to be known by once, elsewhere: ticket → Principal.
type tickets struct{ issued sync.Map }

// permissionView is one permission as Snapshot shows it.
type permissionView struct {
	Ref       types.ManagedObjectReference
	Principal directory.Principal
	Role      string
	Propagate bool
}

// installAuthorization replaces the authorization manager, request handler, search index and property
// collector of a model. Call it after Create and before NewServer.
// The root folder carries the two permissions that every vCenter starts with (R34).
func installAuthorization(m *simulator.Model, d *directory.Directory, o authzOptions) (*authorization, error) {
	reg := m.Map()
	service, ok := reg.Get(vim25.ServiceInstance).(interface{ ServiceContent() types.ServiceContent })
	if !ok || service.ServiceContent().AuthorizationManager == nil {
		return nil, errors.New("install the authorization: the model has not been created, or is no vCenter")
	}
	content := service.ServiceContent()
	var err error
	a := &authorization{
		reg: reg, dir: d, journal: o.Journal, checks: automation.NewChecks(0), now: o.Now,
		content: content, root: content.RootFolder, self: *content.AuthorizationManager,
	}
	a.peer = func(string) *authorization { return nil }
	if a.now == nil {
		a.now = time.Now
	}
	if a.release = o.Release; a.release.name == "" {
		if a.release, err = (&Options{}).releaseOf(0, 1); err != nil {
			return nil, err
		}
	}
	if a.catalog, err = newCatalogue(slices.Concat(o.Without, a.release.without), slices.Concat(o.Knows, a.release.with)); err != nil {
		return nil, err
	}
	if a.methods, err = newMethodTable(); err != nil {
		return nil, err
	}
	a.lag.effect = o.RoleDelay
	st := newState(a.catalog, roleSeed(cmp.Or(o.Roles, content.About.InstanceUuid)))
	administrators := []directory.Principal{
		{Domain: d.Domain(), Name: "Administrator"},
		{Domain: d.Domain(), Name: "Administrators", Group: true},
	}
	st.startGlobal(administrators)
	for _, p := range administrators {
		st.set(a.root, grant{key: p.Key(), principal: p, role: adminRole, propagate: true})
	}
	a.state.Store(st)
	a.daily.next.Store(a.now().Add(checkInterval).UnixNano())

	manager := &authorizationManager{a: a}
	manager.Self = a.self
	reg.Put(manager)
	reg.AddHandler(&permissionSweeper{a: a})
	sm := reg.SessionManager()
	sm.DefaultLocale, sm.SupportedLocaleList, sm.MessageLocaleList = "en", []string{"en"}, []string{"en"}
	sm.ValidLogin = func(*types.Login) bool { return false } // logins go through loginManager
	reg.Handler = a.admit
	return a, nil
}

// effective is the set of privileges that p has on an object (R21 to R27).
func (a *authorization) effective(p directory.Principal, ref types.ManagedObjectReference) map[string]bool {
	out := map[string]bool{}
	for _, r := range a.evaluate(a.background(), p).rights(ref) {
		for id := range r.has {
			out[id] = true
		}
	}
	return out
}

// allowed says whether the owner of a session (its UserName) has a privilege on an object.
func (a *authorization) allowed(userName string, ref types.ManagedObjectReference, privilege string) bool {
	return a.evaluate(a.background(), a.principal(userName, false)).holds(ref, privilege)
}

// addRole makes a role as an administrator would.
func (a *authorization) addRole(name string, privs []string) (int32, error) {
	var id int32
	fault := a.change(func(st *authzState) types.BaseMethodFault {
		var fault types.BaseMethodFault
		id, fault = st.addRole(a.catalog, name, privs)
		return fault
	})
	return id, faultError(fault)
}

// setPermission grants a role as an administrator would.
func (a *authorization) setPermission(ref types.ManagedObjectReference, p directory.Principal, roleID int32, propagate bool) error {
	if fault := a.assignable(a.background(), ref); fault != nil {
		return faultError(fault)
	}
	return faultError(a.changeOf(ref, func(st *authzState) types.BaseMethodFault {
		if fault := st.grantable(roleID); fault != nil {
			return fault
		}
		st.set(ref, grant{key: p.Key(), principal: p, role: roleID, propagate: propagate})
		return nil
	}))
}

// snapshot lists the roles by name with their privileges, and all permissions in a stable order.
func (a *authorization) snapshot() (roles map[string][]string, perms []permissionView) {
	st := a.current()
	roles = make(map[string][]string, len(st.roles))
	for _, r := range st.roles {
		roles[r.name] = append([]string{}, r.list...)
	}
	for _, ref := range st.entities() {
		for _, g := range st.grants[ref] {
			perms = append(perms, permissionView{ref, g.principal, st.roles[g.role].name, g.propagate})
		}
	}
	return roles, perms
}

// background is a context for questions asked outside a request. Each caller gets its own,
// because the simulator's locks are shared by all who hold one context.
func (a *authorization) background() *simulator.Context {
	return &simulator.Context{Context: noContext, Map: a.reg}
}
