package vcsim

import (
	"crypto/rand"
	"slices"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// sessionManager is the session manager as one session has it. The simulator takes every session key for a ticket to clone
// the session with, and lists tickets among the sessions.
type sessionManager struct {
	*simulator.SessionManager
	a   *authorization
	key string
}

// Get serves the properties: the property collector asks for it.
func (m *sessionManager) Get() mo.Reference {
	out := &mo.SessionManager{Self: m.Self}
	list := m.list()
	*out = list.SessionManager
	out.CurrentSession = nil
	if i := slices.IndexFunc(out.SessionList, func(s types.UserSession) bool { return s.Key == m.key }); i >= 0 {
		out.CurrentSession = &out.SessionList[i]
	}
	return out
}

// list is the simulator's view of all sessions, which only a session of its own kind gives.
func (m *sessionManager) list() *simulator.SessionManager {
	plain := simulator.Session{Registry: simulator.NewRegistry(), Map: m.a.reg}
	all, ok := plain.Get(m.Self).(*simulator.SessionManager)
	if !ok {
		return m.SessionManager
	}
	return all
}

// AcquireCloneTicket gives a ticket that opens one session of the same account, once.
func (m *sessionManager) AcquireCloneTicket(ctx *simulator.Context, _ *types.AcquireCloneTicket) soap.HasFault {
	return &methods.AcquireCloneTicketBody{Res: &types.AcquireCloneTicketResponse{
		Returnval: m.a.clones.issue(m.a.principal(ctx.Session.UserName, false)),
	}}
}

// AcquireGenericServiceTicket gives a ticket for one request to the files of a datastore, which is checked as the
// account's own would be.
func (m *sessionManager) AcquireGenericServiceTicket(ctx *simulator.Context, _ *types.AcquireGenericServiceTicket) soap.HasFault {
	return &methods.AcquireGenericServiceTicketBody{Res: &types.AcquireGenericServiceTicketResponse{
		Returnval: types.SessionManagerGenericServiceTicket{
			Id: m.a.services.issue(m.a.principal(ctx.Session.UserName, false)), HostName: m.ServiceHostName,
		},
	}}
}

// CloneSession is for clients without a session.
func (m *sessionManager) CloneSession(*simulator.Context, *types.CloneSession) soap.HasFault {
	return &methods.CloneSessionBody{Fault_: soapFault(&types.InvalidLogin{})}
}

// ImpersonateUser needs a session of that user to exist. Source: SessionManager, API reference 8.0.2.
func (m *sessionManager) ImpersonateUser(ctx *simulator.Context, req *types.ImpersonateUser) soap.HasFault {
	body := &methods.ImpersonateUserBody{}
	p, err := m.a.dir.Lookup(req.UserName, false)
	if err != nil || !slices.ContainsFunc(m.list().SessionList, func(s types.UserSession) bool { return s.UserName == p.String() }) {
		body.Fault_ = soapFault(&types.InvalidLogin{})
		return body
	}
	s, fault := m.a.openSession(ctx, p, req.Locale)
	if fault != nil {
		body.Fault_ = soapFault(fault)
		return body
	}
	body.Res = &types.ImpersonateUserResponse{Returnval: s}
	return body
}

// CloneSession opens a session with the ticket of another one, never with its key.
func (m *loginManager) CloneSession(ctx *simulator.Context, req *types.CloneSession) soap.HasFault {
	body := &methods.CloneSessionBody{}
	p, ok := m.a.clones.redeem(req.CloneTicket)
	if !ok {
		body.Fault_ = soapFault(&types.InvalidLogin{})
		return body
	}
	s, fault := m.a.openSession(ctx, p, "")
	if fault != nil {
		body.Fault_ = soapFault(fault)
		return body
	}
	body.Res = &types.CloneSessionResponse{Returnval: s}
	return body
}

// issue makes a ticket for an account.
func (t *tickets) issue(p directory.Principal) string {
	ticket := rand.Text()
	t.issued.Store(ticket, p)
	return ticket
}

// redeem is whose a ticket was. It is worth nothing afterwards.
func (t *tickets) redeem(ticket string) (directory.Principal, bool) {
	who, _ := t.issued.LoadAndDelete(ticket)
	p, ok := who.(directory.Principal)
	return p, ok
}
