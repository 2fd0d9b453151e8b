package vcsim

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/types"
)

// besideVim is a SOAP service whose callers have a session of vim25.
type besideVim struct {
	*VCenter
	name    string                 // of a [Record]
	session func(*soapCall) string // key of the session that a request names; "" = none
	journal journal
}

// headerSession is the key of the session whose cookie is in the header of a request.
func (v *VCenter) headerSession(c *soapCall) string {
	if c.Header.Cookie == nil {
		return ""
	}
	return v.cookies.key(c.Header.Cookie.Value)
}

// access is what the caller of a request may do; nil for one without a session.
func (s *besideVim) access(c *soapCall) *access {
	ctx := *s.model.Service.Context // it knows the service, which some calls of the simulator need
	ctx.Context = context.WithValue(noContext, calling{}, c.Name)
	key := s.session(c)
	x := (&authorizationManager{a: s.authz}).judgeSession(&ctx, key)
	if x == nil {
		return nil
	}
	ctx.Session = &simulator.Session{
		UserSession: types.UserSession{Key: key, UserName: x.name}, Registry: simulator.NewRegistry(), Map: ctx.Map,
	}
	x.service = s.name
	return x
}

// methodOf makes a method of what a room below serves, which judges the caller itself.
func methodOf[C, Req, Res any](s *besideVim, caller func(*access) C, serve func(C, *Req) (*Res, types.BaseMethodFault)) soapMethod {
	return method(func(c *soapCall, req *Req) (*Res, error) {
		x := s.access(c)
		if x == nil {
			fault := &types.NotAuthenticated{NoPermission: types.NoPermission{Object: &c.This, PrivilegeId: "System.View"}}
			s.journal.call(s.name, c.Name, "", answered(fault))
			return nil, answered(fault)
		}
		res, fault := survived(x.ctx, func() (*Res, types.BaseMethodFault) { return serve(caller(x), req) })
		if x.checked == 0 {
			s.journal.call(s.name, c.Name, x.name, answered(fault))
		}
		return res, answered(fault)
	})
}

// survived makes a fault of a panic of the simulator, and gives up the locks that it left.
func survived[Res any](
	ctx *simulator.Context, serve func() (*Res, types.BaseMethodFault),
) (res *Res, fault types.BaseMethodFault) {
	w := &work{live: 1}
	ctx.Context = context.WithValue(ctx.Context, workKey{}, w)
	defer w.end(ctx)
	defer w.survive(func(f types.BaseMethodFault) { res, fault = nil, f })
	return serve()
}

// answered is a fault as a service beside vim25 answers with it; nil stays nil.
func answered(fault types.BaseMethodFault) error {
	if fault == nil {
		return nil
	}
	err := &soapError{kind: faultName(fault), fault: fault, text: faultText(fault)}
	if _, refused := fault.(*types.NoPermission); refused {
		err.text = err.kind // recorded of both services: kubernetes-sigs/vsphere-csi-driver#292, vmware/terraform-provider-vsphere#1216
	}
	if strings.HasSuffix(reflect.TypeOf(fault).Elem().PkgPath(), "/vim25/types") {
		return vimFault{err}
	}
	return err
}

// datastoresInSight are the datastores that somebody sees, in a stable order.
func (x *access) datastoresInSight() (refs []moref) {
	for _, e := range x.ctx.Map.All("Datastore") {
		if ref := e.Reference(); x.visible(ref) {
			refs = append(refs, ref)
		}
	}
	slices.SortFunc(refs, func(a, b moref) int { return strings.Compare(a.Value, b.Value) })
	return refs
}
