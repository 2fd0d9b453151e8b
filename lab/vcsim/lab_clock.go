package vcsim

import (
	"time"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

// serviceInstance tells the lab's time.
type serviceInstance struct {
	*simulator.ServiceInstance
	now func() time.Time
}

// CurrentTime overrides the simulator's, which is always right.
func (s *serviceInstance) CurrentTime(*types.CurrentTime) soap.HasFault {
	return &methods.CurrentTimeBody{Res: &types.CurrentTimeResponse{Returnval: s.now()}}
}

func installClock(reg *simulator.Registry, now func() time.Time) {
	if s, ok := reg.Get(vim25.ServiceInstance).(*simulator.ServiceInstance); ok {
		reg.Put(&serviceInstance{ServiceInstance: s, now: now})
	}
}
