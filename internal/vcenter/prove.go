package vcenter

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/vmware/govmomi/sts"
	"github.com/vmware/govmomi/vim25/soap"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// ProvePassword tells whether a password opens an account (name@domain), with one login at the token service of this
// vCenter's SSO domain, which asks for no permission on the vCenter; the session itself need not be logged in. A refusal
// is an answer: false without an error. It does not say why: a locked or disabled account and an expired password refuse
// the right password too. An error means that nothing was decided: the token service was out of reach, or its answer was
// lost. The login is sent once, because a wrong password counts towards the lock-out.
func (s *Session) ProvePassword(ctx context.Context, user string, password secret.Secret) (opened bool, err error) {
	_, path, err := s.ssoEndpoints(ctx)
	if err != nil {
		return false, s.config.explain(user, err)
	}
	_, err = s.issuer(path).Issue(ctx, sts.TokenRequest{Userinfo: url.UserPassword(user, password.Reveal())})
	switch {
	case err == nil:
		return true, nil
	case authenticationFailed(err):
		return false, nil
	}
	return false, s.config.explain(user, fmt.Errorf("%s: %w", s.URL(path), err))
}

// issuer is a client of the token service.
func (s *Session) issuer(path string) *sts.Client {
	client := s.soap.NewServiceClient(path, sts.Namespace)
	return &sts.Client{Client: client, RoundTripper: &transport{inner: client, config: s.config, slots: s.transport.slots}}
}

// authenticationFailed tells whether the token service refused a user and password. WS-Trust 1.3, 11, gives the code;
// the prefix before it and the text behind it are the server's.
func authenticationFailed(err error) bool {
	if !soap.IsSoapFault(err) {
		return false
	}
	code := soap.ToSoapFault(err).Code
	return code[strings.LastIndex(code, ":")+1:] == "FailedAuthentication"
}
