package vcsim

import (
	"crypto/rand"
	"errors"
	"strings"

	"github.com/vmware/govmomi/simulator"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// loginManager takes the session manager's place while nobody is logged in. It cannot be registered instead
// of it, because the simulator insists on its own type; the request handler returns it for the login calls.
type loginManager struct {
	mo.SessionManager
	a *authorization
}

// Login refuses what the directory refuses, and a right password of somebody without any permission (R42).
func (m *loginManager) Login(ctx *simulator.Context, req *types.Login) soap.HasFault {
	body := &methods.LoginBody{}
	var s types.UserSession
	var fault types.BaseMethodFault
	if p, err := m.a.dir.Authenticate(req.UserName, req.Password); err != nil {
		fault = loginFault(err)
	} else {
		s, fault = m.a.openSession(ctx, p, req.Locale)
	}
	m.a.note(ctx, &simulator.Method{Name: "Login", This: req.This}, req.UserName, fault)
	if fault != nil {
		body.Fault_ = soapFault(fault)
		return body
	}
	body.Res = &types.LoginResponse{Returnval: s}
	return body
}

// loginFault tells nobody why, but for an expired password, which has a fault of its own since vSphere API 6.7.2 (R42).
func loginFault(err error) types.BaseMethodFault {
	if errors.Is(err, directory.ErrExpired) {
		return &types.PasswordExpired{}
	}
	return &types.InvalidLogin{}
}

// LoginByToken trusts a token only when the directory's token service vouches for it.
func (m *loginManager) LoginByToken(ctx *simulator.Context, req *types.LoginByToken) soap.HasFault {
	body := &methods.LoginByTokenBody{}
	if m.a.tokenPrincipal == nil {
		body.Fault_ = soapFault(&types.InvalidLogin{})
		return body
	}
	p, err := m.a.tokenPrincipal(ctx)
	if err != nil {
		body.Fault_ = soapFault(&types.InvalidLogin{})
		return body
	}
	s, fault := m.a.openSession(ctx, p, req.Locale)
	m.a.note(ctx, &simulator.Method{Name: "LoginByToken", This: req.This}, p.String(), fault)
	if fault != nil {
		body.Fault_ = soapFault(fault)
		return body
	}
	body.Res = &types.LoginByTokenResponse{Returnval: s}
	return body
}

// openSession starts a session for a principal whose identity has been proved, R42 included.
// Its fault is the login's answer.
func (a *authorization) openSession(ctx *simulator.Context, p directory.Principal,
	locale string,
) (types.UserSession, types.BaseMethodFault) {
	if !a.evaluate(ctx, p).anywhere("System.View") {
		return types.UserSession{}, a.denied([]need{{a.root, "System.View"}})
	}
	if locale == "" {
		locale = "en_US"
	}
	now := a.now().UTC()
	s := simulator.Session{
		UserSession: types.UserSession{
			Key: rand.Text(), UserName: p.String(), FullName: p.Name,
			LoginTime: now, LastActiveTime: now, Locale: locale, MessageLocale: locale,
		},
		Registry: simulator.NewRegistry(),
		Map:      ctx.Map,
	}
	a.equip(s.Registry, s.Key)
	a.sessions.Store(s.Key, p)
	ctx.SetSession(s, true)
	return s.UserSession, nil
}

// qualified: name@domain or DOMAIN\name.
func qualified(name string) bool { return strings.ContainsAny(name, `\@`) }
