package vcenter

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"reflect"
	"strings"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/ssoadmin"
	ssomethods "github.com/vmware/govmomi/ssoadmin/methods"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"
	"github.com/vmware/govmomi/sts"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// SSO is a login on the SSO administration, a soap.RoundTripper for govmomi's ssoadmin/methods.
type SSO struct {
	Domain  string // the vCenter's own SSO domain, never assumed
	Content ssotypes.AdminServiceContent

	session   *Session
	client    *ssoadmin.Client
	transport *transport
	issuer    *sts.Client
	why       error // see NoSSO
}

// NoSSO is one that was not reached: whatever is asked of it ends with the reason.
func NoSSO(why error) *SSO { return &SSO{why: why} }

// RoundTrip implements soap.RoundTripper.
func (o *SSO) RoundTrip(ctx context.Context, req, res soap.HasFault) error {
	if o.why != nil {
		return o.why
	}
	return o.transport.RoundTrip(context.WithValue(ctx, types.ID{}, ""), req, res)
}

// SSO logs in on the SSO administration once: three round trips (lookup, token, login) where
// govmomi's client takes ten.
func (s *Session) SSO(ctx context.Context) (*SSO, error) {
	return s.sso.get(func() (*SSO, error) {
		o, err := s.openSSO(ctx)
		if err != nil {
			return nil, s.explainSSO(err)
		}
		return o, nil
	})
}

// SSODomain is the name of the vCenter's own SSO domain. The lookup service tells it to everybody.
func (s *Session) SSODomain(ctx context.Context) (string, error) {
	admin, _, err := s.ssoEndpoints(ctx)
	if err != nil {
		return "", s.explainSSO(err)
	}
	return path.Base(admin), nil
}

func (s *Session) openSSO(ctx context.Context) (*SSO, error) {
	admin, issuer, err := s.ssoEndpoints(ctx)
	if err != nil {
		return nil, err
	}
	sc := s.service(admin, ssoadmin.Namespace, ssoadmin.Version, limitAnswer)
	sc.Types = ssoTypes(sc.Types)
	o := &SSO{Domain: path.Base(admin), session: s, issuer: s.issuer(issuer)}
	o.transport = s.newTransport(sc, o.login)
	o.client = &ssoadmin.Client{Client: sc, RoundTripper: o.transport, Domain: o.Domain}

	// The token and the service's content do not depend on each other.
	var wg crash.Group
	var contentErr error
	wg.Go(func() {
		var res *ssotypes.SsoAdminServiceInstanceResponse
		res, contentErr = ssomethods.SsoAdminServiceInstance(ctx, o,
			&ssotypes.SsoAdminServiceInstance{This: ssoadmin.ServiceInstance})
		if contentErr == nil {
			o.Content = res.Returnval
		}
	})
	token, tokenErr := o.token(ctx, false)
	wg.Wait()
	if tokenErr != nil {
		return nil, fmt.Errorf("%s: %w", s.URL(issuer), tokenErr)
	}
	if contentErr != nil {
		return nil, fmt.Errorf("%s: %w", s.URL(admin), contentErr)
	}
	if err := checkSSOContent(o.Content); err != nil {
		return nil, fmt.Errorf("%s: %w", s.URL(admin), err)
	}
	o.client.ServiceContent = o.Content
	if err := o.present(ctx, token); err != nil {
		return nil, err
	}
	return o, nil
}

// token logs in at the token service with the session's password; it counts like any login.
func (o *SSO) token(ctx context.Context, again bool) (token *sts.Signer, err error) {
	s := o.session
	err = s.config.Run.send(ctx, attempt{session: s, user: s.user, password: s.password, again: again}, func() error {
		release, err := slot(ctx, s.slots, again)
		if err != nil {
			return err
		}
		defer release()
		token, err = o.issuer.Issue(ctx, sts.TokenRequest{Userinfo: url.UserPassword(s.user, s.password.Reveal())})
		return err
	})
	switch {
	case err != nil:
		return nil, s.hidden.Scrub(s.config.unanswered(err)) // not all of them come out of the transport
	case !strings.Contains(token.Token, "Assertion"):
		return nil, errors.New("the answer contains no token")
	}
	s.hidden.Learn(token.Token)
	return token, nil
}

func (o *SSO) present(ctx context.Context, token *sts.Signer) error {
	return o.client.Login(o.client.WithHeader(ctx, soap.Header{Security: token}))
}

func (o *SSO) login(ctx context.Context) error {
	token, err := o.token(ctx, true)
	if err != nil {
		return err
	}
	return o.present(ctx, token)
}

func (s *Session) explainSSO(err error) error {
	if refusal(err) != nil || errors.Is(err, ErrNotTried) {
		return s.explain(err)
	}
	if fault.Is(err, &types.NoPermission{}) {
		return hint.Errorf("use an account of the SSO group Administrators",
			"%s: %w (%s)", s.Server, ErrCannotSSO, s.User)
	}
	if none, ok := errors.AsType[*unansweredError](s.config.unanswered(err)); ok {
		err = none
	}
	return hint.Wrap(s.hidden.Scrub(fmt.Errorf("%s: %w: %w", s.Server, ErrNoSSO, err)),
		"/sso-adminserver, /sts and /lookupservice must be reachable on port 443",
		"ocp-vsphere-admin doctor --vcenters "+s.Server)
}

// InvalidPrincipal is the fault of the SSO administration for a principal that is missing, exists
// already or has the wrong kind: a group for a user, or the implicit Everyone. The method tells
// which. It is in the service's WSDL (vmware/PowerCLI-Example-Scripts, SsoAdminServiceReference),
// but not in govmomi 0.56.
type InvalidPrincipal struct {
	types.MethodFault

	Principal string `xml:"principal"` // as the request spelled it
}

// IsInvalidPrincipal reports whether the SSO administration refused a principal.
func IsInvalidPrincipal(err error) bool { return fault.Is(err, &InvalidPrincipal{}) }

// ssoTypes adds to the types that answers of the SSO administration are decoded with.
func ssoTypes(known types.Func) types.Func {
	return func(name string) (reflect.Type, bool) {
		if name[strings.LastIndex(name, ":")+1:] == "SsoFaultInvalidPrincipalFault" {
			return reflect.TypeFor[InvalidPrincipal](), true
		}
		return known(name)
	}
}
