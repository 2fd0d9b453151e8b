package vcsim

import (
	"hash/fnv"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/vmware/govmomi/vim25/types"
)

// roleLag is how roles change late: an update takes effect a little after its answer (R8), and linked vCenters hear
// of a new, changed or removed role later still (R40).
type roleLag struct {
	effect      time.Duration // R8, 0 = at once
	replication time.Duration // R40; without peers it says nothing
	peers       []*authorization

	mu    sync.Mutex
	inbox []roleNews
}

// roleNews is a change of a role on its way to a linked vCenter.
type roleNews struct {
	at   time.Time
	id   int32
	role *role // nil: removed
}

// formerRole is what permissions with a role are still worth after the role was updated (R8).
type formerRole struct {
	role  *role
	until time.Time
}

// linkRoles makes authorizations replicate their roles to each other from now on. They start with the same roles
// (authzOptions.Roles) and give different ids to new ones.
func linkRoles(all []*authorization, delay time.Duration) {
	for _, a := range all {
		a.lag.replication = delay
		a.state.Load().seed = roleSeed(a.content.About.InstanceUuid)
		for _, other := range all {
			if other != a {
				a.lag.peers = append(a.lag.peers, other)
			}
		}
	}
}

func roleSeed(of string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(of))
	return h.Sum64()
}

// current is the state with all that has arrived from linked vCenters, after the daily check.
func (a *authorization) current() *authzState {
	a.check()
	if len(a.lag.peers) > 0 {
		a.write.Lock()
		defer a.write.Unlock()
		a.receive()
	}
	return a.state.Load()
}

// receive applies the news whose time has come. Call it with a.write held.
func (a *authorization) receive() {
	now := a.now()
	var due []roleNews
	a.lag.mu.Lock()
	a.lag.inbox = slices.DeleteFunc(a.lag.inbox, func(n roleNews) bool {
		if n.at.After(now) {
			return false
		}
		due = append(due, n)
		return true
	})
	a.lag.mu.Unlock()
	if due == nil {
		return
	}
	st := a.state.Load().clone()
	for _, n := range due {
		st.adopt(n)
	}
	a.state.Store(st)
}

// adopt takes over a role as a linked vCenter has it now. What happens to two roles that were given one name on two
// vCenters at the same time is not documented: here each vCenter keeps its own.
func (st *authzState) adopt(n roleNews) {
	switch {
	case n.role == nil:
		_ = st.removeRole(n.id, false) // its permissions here go with it
	case !st.nameTaken(n.role.name, n.id):
		if st.roles[n.id] == nil {
			st.order = append(st.order, n.id)
		}
		st.roles[n.id] = n.role
	}
}

// rolesChanged notes what a change of the state means for roles that lag behind. Call it with a.write held.
func (a *authorization) rolesChanged(before, after *authzState) {
	if a.lag.effect == 0 && len(a.lag.peers) == 0 {
		return
	}
	now := a.now()
	inForce := before.inForce(now)
	for id, r := range after.roles {
		if before.roles[id] == r {
			continue
		}
		if a.lag.effect > 0 && inForce[id] != nil {
			after.former[id] = formerRole{inForce[id], now.Add(a.lag.effect)}
		}
		a.tell(roleNews{now.Add(a.lag.replication), id, r})
	}
	for id := range before.roles {
		if after.roles[id] == nil {
			a.tell(roleNews{now.Add(a.lag.replication), id, nil})
		}
	}
}

func (a *authorization) tell(n roleNews) {
	for _, peer := range a.lag.peers {
		peer.lag.mu.Lock()
		peer.lag.inbox = append(peer.lag.inbox, n)
		peer.lag.mu.Unlock()
	}
}

// inForce are the roles as they count for rights at a time; the list of roles may be ahead of them (R8).
func (st *authzState) inForce(now time.Time) map[int32]*role {
	if len(st.former) == 0 {
		return st.roles
	}
	roles := maps.Clone(st.roles)
	for id, f := range st.former {
		if now.Before(f.until) {
			roles[id] = f.role
		}
	}
	return roles
}

// change replaces the state by what f makes of a copy, unless f reports a fault.
func (a *authorization) change(f func(*authzState) types.BaseMethodFault) types.BaseMethodFault {
	a.check()
	return a.update(f)
}

func (a *authorization) update(f func(*authzState) types.BaseMethodFault) types.BaseMethodFault {
	a.write.Lock()
	defer a.write.Unlock()
	a.receive()
	before := a.state.Load()
	after := before.clone()
	if fault := f(after); fault != nil {
		return fault
	}
	a.rolesChanged(before, after)
	a.state.Store(after)
	return nil
}
