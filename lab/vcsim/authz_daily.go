package vcsim

import (
	"sync/atomic"
	"time"

	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// checkInterval is how often a vCenter looks whether the principals of its permissions are still there (Broadcom KB 308836).
const checkInterval = 24 * time.Hour

// dailyCheck drops the permissions of principals that are gone. It happens on the clock of the lab, with the first question
// after its time.
type dailyCheck struct {
	next atomic.Int64 // Unix nanoseconds
}

// check drops what the daily check drops, where its time has come.
func (a *authorization) check() {
	now := a.now().UnixNano()
	due := a.daily.next.Load()
	if now < due {
		return
	}
	passed := (now-due)/int64(checkInterval) + 1
	if !a.daily.next.CompareAndSwap(due, due+passed*int64(checkInterval)) {
		return // another request does it
	}
	_ = a.update(func(st *authzState) types.BaseMethodFault {
		for _, ref := range st.entities() {
			for _, g := range st.grants[ref] {
				if a.gone(g.principal) {
					st.drop(ref, g.key)
				}
			}
		}
		return nil
	})
}

// gone says whether the directory has no such principal. One whose identity source is out of reach may be there (inferred),
// and so may one that vCenter has not heard of yet (R32).
func (a *authorization) gone(p directory.Principal) bool {
	if !a.dir.Reachable(p.Domain) {
		return false
	}
	if p.Group {
		_, ok := a.dir.Group(p.String())
		return !ok
	}
	_, ok := a.dir.User(p.String())
	return !ok
}
