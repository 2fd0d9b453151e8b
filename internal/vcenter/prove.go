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

// ProvePassword reports whether a password opens an account (name@domain), with one login at the token service of this
// vCenter's SSO domain, which asks for no permission on the vCenter; the session itself need not be logged in. A refusal
// is an answer: false without an error. It does not say why: a locked or disabled account and an expired password refuse
// the right password too. An error means that nothing was decided: the token service was out of reach, or its answer was
// lost. The login is sent once, because a wrong password counts towards the lock-out, but it is sent even where the password
// was refused before: call it when there is a reason to expect another answer, which then holds for the whole [Run].
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

// authenticationFailed is the fault with which the token service refused a user and password, nil where it did not. WS-Trust
// 1.3, 11, gives the code; the prefix before it and the text behind it are the server's.
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
