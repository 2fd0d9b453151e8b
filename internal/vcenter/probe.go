package vcenter

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
)

// Certificate shows a vCenter's certificate without trusting it: one connection.
func Certificate(ctx context.Context, c Config) (*x509.Certificate, error) {
	c = c.withDefaults()
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	t, err := c.httpTransport(&http.Transport{Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: 30 * time.Second}).DialContext})
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
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, "https://"+c.endpoint(), nil)
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

// errSeen ends the handshake: nothing is asked of a vCenter that nobody trusts yet.
var errSeen = errors.New("the certificate was seen")

// Time is the vCenter's clock.
func (s *Session) Time(ctx context.Context) (time.Time, error) {
	res, err := methods.CurrentTime(ctx, s, &types.CurrentTime{This: types.ManagedObjectReference{Type: "ServiceInstance", Value: "ServiceInstance"}})
	if err != nil {
		return time.Time{}, s.explain(err)
	}
	return res.Returnval, nil
}

// Privileges are the effective privileges of the session's own account on objects, in their order. The name that the
// vCenter itself gave is used: short names give wrong answers.
func (s *Session) Privileges(ctx context.Context, refs ...inventory.Ref) ([][]string, error) {
	return s.PrivilegesOf(ctx, s.User, refs...)
}

// PrivilegesOf are the effective privileges of any user, DOMAIN\name. For a user that does not exist, and for a group,
// what a vCenter answers is documented nowhere.
func (s *Session) PrivilegesOf(ctx context.Context, user string, refs ...inventory.Ref) ([][]string, error) {
	entities := make([]types.ManagedObjectReference, len(refs))
	for i, ref := range refs {
		entities[i] = MOR(ref)
	}
	res, err := methods.FetchUserPrivilegeOnEntities(ctx, s, &types.FetchUserPrivilegeOnEntities{
		This: *s.Content.AuthorizationManager, UserName: user, Entities: entities,
	})
	if err != nil {
		return nil, err
	}
	rights, told := make([][]string, len(refs)), make([]bool, len(refs))
	for _, r := range res.Returnval {
		for i, ref := range refs {
			if ref == Ref(r.Entity) {
				rights[i], told[i] = r.Privileges, true
			}
		}
	}
	if i := slices.Index(told, false); i >= 0 { // no rights are told too
		return nil, fmt.Errorf("vCenter does not report the privileges of %s on %s", user, refs[i])
	}
	return rights, nil
}
