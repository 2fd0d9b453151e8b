package vcenter

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/vmware/govmomi/sts"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// Certificate shows a vCenter's certificate without trusting it: one connection.
func Certificate(ctx context.Context, c Config) (*x509.Certificate, error) {
	c = c.withDefaults()
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	t, err := c.httpTransport(&http.Transport{
		Proxy:       http.ProxyFromEnvironment,
		DialContext: (&net.Dialer{Timeout: 30 * time.Second}).DialContext,
	})
	if err != nil {
		return nil, c.explain("", err)
	}
	defer t.CloseIdleConnections()
	seen := make(chan *x509.Certificate, 1)
	t.TLSClientConfig = &tls.Config{
		ServerName: c.Server, InsecureSkipVerify: true, //nolint:gosec // it is only shown
		VerifyConnection: func(s tls.ConnectionState) error {
			seen <- s.PeerCertificates[0]
			return errSeen
		},
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, "https://"+c.endpoint(), http.NoBody)
	if err != nil {
		return nil, c.explain("", err)
	}
	answer, err := t.RoundTrip(request)
	if err == nil {
		_ = answer.Body.Close()
	}
	select {
	case cert := <-seen:
		return cert, nil
	default:
		return nil, c.explain("", err)
	}
}

// errSeen ends the handshake before any request to a vCenter that is not trusted yet.
var errSeen = errors.New("the certificate was seen")

// Time is the vCenter's clock.
func (s *Session) Time(ctx context.Context) (time.Time, error) {
	res, err := methods.CurrentTime(ctx, s, &types.CurrentTime{This: types.ManagedObjectReference{Type: "ServiceInstance", Value: "ServiceInstance"}})
	if err != nil {
		return time.Time{}, s.explain(err)
	}
	return res.Returnval, nil
}

// Privileges are the session's effective privileges on objects, in their order. Each list is sorted,
// and shared by all vCenters of a [Run]: do not change it. It asks with the user name from the
// vCenter, because short names give wrong answers.
func (s *Session) Privileges(ctx context.Context, refs ...inventory.Ref) ([][]string, error) {
	return s.PrivilegesOf(ctx, s.User, refs...)
}

// PrivilegesOf are the effective privileges of any user, DOMAIN\name. The answer for a group or an
// unknown user is not documented.
func (s *Session) PrivilegesOf(ctx context.Context, user string, refs ...inventory.Ref) ([][]string, error) {
	entities := make([]types.ManagedObjectReference, len(refs))
	for i, ref := range refs {
		entities[i] = MOR(ref)
	}
	told := entitiesText{lists: &s.config.Run.lists}
	res, err := methods.FetchUserPrivilegeOnEntities(context.WithValue(ctx, cutterKey{}, &told), s, &types.FetchUserPrivilegeOnEntities{
		This: *s.Content.AuthorizationManager, UserName: user, Entities: entities,
	})
	if err != nil {
		return nil, err
	}
	for _, r := range res.Returnval { // what was not taken out of the answer
		told.all = append(told.all, entityText{Entity: r.Entity, holds: told.lists.of(r.Privileges)})
	}
	rights, answered := make([][]string, len(refs)), make([]bool, len(refs))
	for _, e := range told.all {
		for i, ref := range refs {
			if ref == Ref(e.Entity) {
				rights[i], answered[i] = e.holds.all, true
			}
		}
	}
	if i := slices.Index(answered, false); i >= 0 { // no rights are told too
		return nil, fmt.Errorf("vCenter does not report the privileges of %s on %s", user, refs[i])
	}
	return rights, nil
}

// ProvePassword reports whether a password opens an account (name@domain), with one login at the
// token service of the SSO domain, which takes no permission; the session needs no login. False
// without an error is a refusal: a wrong or expired password, a locked or disabled account. An
// error means that no answer came. A wrong password counts towards the lock-out, so it is sent
// once, but also if it was refused before: call it only with a reason to expect another answer,
// which then holds for the [Run].
func (s *Session) ProvePassword(ctx context.Context, user string, password secret.Secret) (opened bool, err error) {
	_, path, err := s.ssoEndpoints(ctx)
	if err != nil {
		return false, s.config.explain(user, err)
	}
	s.hidden.Learn(password.Reveal())
	err = s.config.Run.send(ctx, attempt{session: s, user: user, password: password, anyway: true}, func() error {
		_, err := s.issuer(path).Issue(ctx, sts.TokenRequest{Userinfo: url.UserPassword(user, password.Reveal())})
		return s.hidden.Scrub(err)
	})
	switch {
	case err == nil:
		return true, nil
	case refusal(err) != nil:
		return false, nil //nolint:nilerr // a refusal is an answer
	}
	return false, s.hidden.Scrub(s.config.explain(user, fmt.Errorf("%s: %w", s.URL(path), err)))
}

// issuer is a client of the token service.
func (s *Session) issuer(path string) *sts.Client {
	client := s.service(path, sts.Namespace, "", limitToken)
	return &sts.Client{Client: client, RoundTripper: s.newTransport(client, nil)}
}

// authenticationFailed is the token service's fault for a wrong user or password, nil if it is
// none. WS-Trust 1.3, 11, gives the code; prefix and text are the server's.
func authenticationFailed(err error) *soap.Fault {
	if err != nil && soap.IsSoapFault(err) { // govmomi's faults are not found by errors.As
		f := soap.ToSoapFault(err)
		if f.Code[strings.LastIndex(f.Code, ":")+1:] == "FailedAuthentication" {
			return f
		}
		return nil
	}
	switch wrapped := err.(type) { //nolint:errorlint // this is the walk
	case interface{ Unwrap() error }:
		return authenticationFailed(wrapped.Unwrap())
	case interface{ Unwrap() []error }:
		for _, err := range wrapped.Unwrap() {
			if f := authenticationFailed(err); f != nil {
				return f
			}
		}
	}
	return nil
}

// Instances returns the instance UUIDs of vCenters by server, without a login, and the errors of
// the others.
func Instances(ctx context.Context, configs []Config) (ids map[string]string, errs map[string]error) {
	found, failed := make([]string, len(configs)), make([]error, len(configs))
	var group crash.Group
	group.Limit(32)
	for i, c := range configs {
		group.Go(func() { // one that fails stops no other
			failed[i] = crash.Try(func() error {
				session, err := Connect(ctx, c)
				if err != nil {
					return err
				}
				found[i] = session.Content.About.InstanceUuid
				session.Close(context.WithoutCancel(ctx))
				return nil
			})
		})
	}
	group.Wait()
	ids, errs = map[string]string{}, map[string]error{}
	for i, c := range configs {
		switch {
		case failed[i] != nil:
			errs[c.Server] = failed[i]
		case found[i] == "":
			errs[c.Server] = fmt.Errorf("%s: reports no instance UUID", c.Server)
		default:
			ids[c.Server] = found[i]
		}
	}
	return ids, errs
}
