package vcenter

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// Session is a connection to one vCenter, logged in after Login. Its methods are safe in parallel.
// As a soap.RoundTripper it works with all of govmomi's methods package.
type Session struct {
	Server  string
	Content types.ServiceContent
	User    string // as vCenter spells it, DOMAIN\name; set by Login

	config    Config
	soap      *soap.Client
	line      *line
	leave     func() // the line, once
	closed    sync.Once
	transport *transport
	slots     chan struct{} // one for each request at work
	hidden    *hidden
	user      string
	password  secret.Secret

	sso           onceResult[*SSO]
	rest          onceResult[restSession]
	registrations onceResult[[]registration]
	discovering   atomic.Bool // the lookup service was asked
}

// onceResult computes a value once, however many ask.
type onceResult[T any] struct {
	once  sync.Once
	value T
	err   error
}

func (o *onceResult[T]) get(f func() (T, error)) (T, error) {
	o.once.Do(func() {
		o.err = crash.Try(func() (err error) {
			o.value, err = f()
			return err
		})
	})
	return o.value, o.err
}

// Connect reads the service content without a login: one request, two at once with Config.Discover,
// none if another session of the run did. An error names the server and a remedy.
func Connect(ctx context.Context, c Config) (*Session, error) {
	c = c.withDefaults()
	client := c.soapClient()
	line, err := c.Run.line(c, client.DefaultTransport())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Server, err)
	}
	s := &Session{
		Server: c.Server, config: c, soap: client, line: line, leave: sync.OnceFunc(line.leave),
		slots: line.slots, hidden: &hidden{},
	}
	s.tap(client, limitAnswer)
	s.transport = s.newTransport(client, s.relogin)
	asking, stop := context.WithCancel(ctx)
	defer stop()
	var asked crash.Group
	if c.Discover {
		asked.Go(func() { _ = s.Discover(asking) }) // later calls return its error
	}
	s.Content, err = line.about.get(ctx,
		func() (types.ServiceContent, error) { return methods.GetServiceContent(ctx, s) })
	if err != nil {
		stop()
	}
	asked.Wait()
	if err != nil {
		s.leave()
		return nil, s.explain(err)
	}
	if s.Content.About.ApiType != "VirtualCenter" {
		s.leave()
		return nil, fmt.Errorf("%s: is not a vCenter (%s)", c.Server, s.Content.About.FullName)
	}
	if err := checkContent(s.Content); err != nil {
		s.leave()
		return nil, fmt.Errorf("%s: %w", c.Server, err)
	}
	return s, nil
}

// RoundTrip implements soap.RoundTripper.
func (s *Session) RoundTrip(ctx context.Context, req, res soap.HasFault) error {
	return s.transport.RoundTrip(ctx, req, res)
}

// Login logs in with a password in one request, sent once, because a wrong one counts towards the
// lock-out. If the same user and password were refused before (see [Run]), the error is an
// ErrNotTried.
func (s *Session) Login(ctx context.Context, user string, password secret.Secret) error {
	return s.enter(ctx, attempt{user: user, password: password})
}

// LoginTyped is Login with a password typed for this vCenter although another refused it. It is
// sent only if no vCenter of this SSO domain is known or suspected to have refused it.
func (s *Session) LoginTyped(ctx context.Context, user string, password secret.Secret) error {
	return s.enter(ctx, attempt{user: user, password: password, typed: true})
}

// LoginLike logs in like another session, even if another SSO domain refused the password.
func (s *Session) LoginLike(ctx context.Context, other *Session) error {
	return s.Login(ctx, other.user, other.password)
}

func (s *Session) enter(ctx context.Context, a attempt) error {
	s.user, s.password = a.user, a.password
	s.hidden.Learn(a.password.Reveal())
	name, err := s.login(ctx, a)
	if err != nil {
		return s.otherDomain(ctx, s.explain(err))
	}
	s.User = name
	return nil
}

// otherDomain adds to a refused login that the user's domain is not the SSO domain, which the token
// service's address ends with.
func (s *Session) otherDomain(ctx context.Context, refused error) error {
	domain, _, _ := strings.Cut(s.user, `\`)
	if _, after, ok := strings.Cut(s.user, "@"); ok {
		domain = after
	}
	if !errors.Is(refused, ErrLogin) || errors.Is(refused, ErrNotTried) || domain == s.user {
		return refused
	}
	_, issuer, err := s.ssoEndpoints(WithFaultName(ctx, new(string))) // the caller's is the login's
	if own := path.Base(issuer); err == nil && strings.Contains(own, ".") && !strings.EqualFold(own, domain) {
		return hint.Wrap(refused, fmt.Sprintf("this vCenter's SSO domain is %s: users of %s get in only if it is one of its identity sources", own, domain))
	}
	return refused
}

func (s *Session) relogin(ctx context.Context) error {
	_, err := s.login(ctx, attempt{user: s.user, password: s.password, again: true})
	return err
}

func (s *Session) login(ctx context.Context, a attempt) (name string, err error) {
	a.session = s
	err = s.config.Run.send(ctx, a, func() error {
		release, err := slot(ctx, s.slots, a.again)
		if err != nil {
			return err
		}
		defer release()
		res, err := methods.Login(ctx, s, &types.Login{
			This:     *s.Content.SessionManager,
			UserName: a.user,
			Password: a.password.Reveal(),
		})
		if err == nil {
			name = res.Returnval.UserName
			s.config.Run.opened(res.Returnval.Key)
		}
		return err
	})
	if err == nil && name == "" {
		err = errors.New("Login: the answer has no user name")
	}
	return name, err
}

// Rest closes idle connections. The session stays logged in and reconnects when needed.
func (s *Session) Rest() { s.line.transport.CloseIdleConnections() }

// Close logs out of the SSO and of the vCenter, and frees the connections. It ignores errors; a
// second call does nothing.
func (s *Session) Close(ctx context.Context) { s.closed.Do(func() { s.close(ctx) }) }

func (s *Session) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	var wg crash.Group
	if sso := s.sso.value; sso != nil {
		wg.Go(func() { _ = sso.client.Logout(ctx) })
	}
	if api := s.rest.value.Automation; api != nil {
		wg.Go(func() { api.Close(ctx) })
	}
	if s.User != "" {
		wg.Go(func() { _, _ = methods.Logout(ctx, s, &types.Logout{This: *s.Content.SessionManager}) })
	}
	wg.Wait()
	s.leave()
}

// URL of a path on this vCenter, for messages.
func (s *Session) URL(path string) string {
	return (&url.URL{Scheme: "https", Host: s.config.endpoint(), Path: path}).String()
}

// Retrieve reads the properties of objects and follows continuation tokens. A property that cannot
// be read is an error, so that it is not taken for empty.
func (s *Session) Retrieve(ctx context.Context, specs ...types.PropertyFilterSpec) ([]types.ObjectContent, error) {
	res, err := methods.RetrievePropertiesEx(ctx, s, &types.RetrievePropertiesEx{
		This:    s.Content.PropertyCollector,
		SpecSet: specs,
	})
	if err != nil || res.Returnval == nil {
		return nil, err
	}
	objects, err := s.pages(ctx, *res.Returnval)
	if err != nil {
		return nil, err
	}
	for _, o := range objects {
		for _, m := range o.MissingSet {
			return nil, s.hidden.Scrub(fmt.Errorf("%s of %s cannot be read: %s", m.Path, o.Obj,
				m.Fault.LocalizedMessage))
		}
	}
	return objects, nil
}

// RetrieveFirst reads at most limit objects. more tells that there are others, as an answer may be
// shorter than limit.
func (s *Session) RetrieveFirst(ctx context.Context, limit int32,
	spec types.PropertyFilterSpec,
) (objects []types.ObjectContent, more bool, err error) {
	res, err := methods.RetrievePropertiesEx(ctx, s, &types.RetrievePropertiesEx{
		This:    s.Content.PropertyCollector,
		SpecSet: []types.PropertyFilterSpec{spec},
		Options: types.RetrieveOptions{MaxObjects: limit},
	})
	if err != nil || res.Returnval == nil {
		return nil, false, err
	}
	if token := res.Returnval.Token; token != "" {
		// What was asked for is here; what is not dropped now ends with the session.
		_, _ = methods.CancelRetrievePropertiesEx(ctx, s, &types.CancelRetrievePropertiesEx{
			This: s.Content.PropertyCollector, Token: token,
		})
	}
	return res.Returnval.Objects, res.Returnval.Token != "", nil
}

// serviceInfo is the service content of the vCenter, the same for every session: those that ask at
// the same time share an answer or failure. A failure is not kept.
type serviceInfo struct {
	mu      sync.Mutex
	asking  *asking
	content *types.ServiceContent
}

// asking is a request under way.
type asking struct {
	done chan struct{}
	err  error
}

func (s *serviceInfo) get(ctx context.Context, ask func() (types.ServiceContent, error)) (types.ServiceContent, error) {
	s.mu.Lock()
	if s.content != nil {
		defer s.mu.Unlock()
		return *s.content, nil
	}
	if a := s.asking; a != nil {
		s.mu.Unlock()
		select {
		case <-a.done:
		case <-ctx.Done():
			return types.ServiceContent{}, Ended(ctx)
		}
		if errors.Is(a.err, context.Canceled) { // only the other call was interrupted
			return ask()
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.content == nil {
			return types.ServiceContent{}, a.err
		}
		return *s.content, nil
	}
	a := &asking{done: make(chan struct{}), err: errUnanswered} // unless ask says another
	s.asking = a
	s.mu.Unlock()
	var content types.ServiceContent
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if a.err == nil {
			s.content = &content
		}
		s.asking = nil
		close(a.done)
	}()
	content, a.err = ask()
	return content, a.err
}
