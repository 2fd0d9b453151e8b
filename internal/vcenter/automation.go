package vcenter

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/vmware/govmomi/vapi/rest"
	"github.com/vmware/govmomi/vim25"
)

// RefusedError is an answer of the REST API other than a success.
type RefusedError struct{ Status int }

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status))
}

// Automation is a session of the REST API. It never sends a request twice. Close it.
type Automation struct {
	session *Session
	token   string
}

// Source: vSphere Automation API reference, cis/session.
const (
	automationSession = "/api/session"
	automationToken   = "vmware-api-session-id" //nolint:gosec // the name of a header
)

// Automation logs in to the REST API with the account of the session.
func (s *Session) Automation(ctx context.Context) (*Automation, error) {
	a := &Automation{session: s}
	err := s.config.Run.send(ctx, attempt{session: s, user: s.user, password: s.password}, func() error {
		return a.send(ctx, http.MethodPost, automationSession, nil, &a.token)
	})
	if err != nil {
		return nil, s.explain(err)
	}
	s.hidden.Learn(a.token)
	return a, nil
}

// Post sends a request below /api and decodes the answer.
func (a *Automation) Post(ctx context.Context, path string, in, out any) error {
	return a.session.explain(a.send(ctx, http.MethodPost, path, in, out))
}

// Get asks for what is at a path below /api.
func (a *Automation) Get(ctx context.Context, path string, out any) error {
	return a.session.explain(a.send(ctx, http.MethodGet, path, nil, out))
}

// Close logs out. Errors are of no use to anybody.
func (a *Automation) Close(ctx context.Context) {
	_ = a.send(ctx, http.MethodDelete, automationSession, nil, nil)
}

func (a *Automation) send(ctx context.Context, method, path string, in, out any) error {
	s := a.session
	release, err := slot(ctx, s.slots, false)
	if err != nil {
		return err
	}
	defer release()
	ctx, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	body := []byte{}
	if in != nil {
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, s.URL("")+path, strings.NewReader(string(body)))
	if err != nil {
		return err
	}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Accept", "application/json")
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if a.token == "" {
		req.SetBasicAuth(s.user, s.password.Reveal())
	} else {
		req.Header.Set(automationToken, a.token)
	}
	res, err := s.line.transport.RoundTrip(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode < 200 || res.StatusCode > 299 {
		_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, limitPage))
		return &RefusedError{res.StatusCode}
	}
	if out == nil {
		return nil
	}
	answer, err := io.ReadAll(io.LimitReader(res.Body, limitAnswer))
	if err := cmp.Or(err, ctx.Err()); err != nil { // an answer to what we cut is none
		return err
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("%s: %w", path, readable(err))
	}
	return nil
}

// restSession is a session of the REST API with govmomi's client for it.
type restSession struct {
	*Automation
	client *rest.Client
}

// REST is govmomi's client of the REST API, logged in once; Close logs it out. Its errors go
// through [Session.ExplainREST].
func (s *Session) REST(ctx context.Context) (*rest.Client, error) {
	r, err := s.rest.get(func() (restSession, error) {
		a, err := s.Automation(ctx)
		if err != nil {
			return restSession{}, err
		}
		return restSession{a, s.restClient(a.token)}, nil
	})
	return r.client, err
}

func (s *Session) restClient(token string) *rest.Client {
	c := rest.NewClient(&vim25.Client{Client: s.soap})
	s.tap(c.Client, limitAnswer)
	c.SessionID(token)
	return c
}

// ExplainREST adds the vCenter's name to an error of the REST API, and the privilege to a refusal.
func (s *Session) ExplainREST(err error, privilege string) error {
	if err == nil {
		return nil
	}
	if rest.IsStatusError(err, http.StatusForbidden) {
		err = fmt.Errorf("%s has no privilege %s: %w", s.User, privilege, err)
	}
	switch late := s.config.late(); { // govmomi hands on texts of errors alone
	case strings.Contains(err.Error(), late.Error()):
		err = late
	case strings.Contains(err.Error(), "json: cannot unmarshal"):
		err = unreadable(err)
	}
	return s.explain(err)
}
