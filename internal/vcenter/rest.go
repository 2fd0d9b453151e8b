package vcenter

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/vmware/govmomi/vapi/rest"
	"github.com/vmware/govmomi/vim25"
)

// restSession is a session of the REST API with govmomi's client for it.
type restSession struct {
	*Automation
	client *rest.Client
}

// REST is govmomi's client of the vCenter's REST API, logged in once; Close logs it out. Its errors go through [Session.ExplainREST].
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

// restClient is the client of the session with a token.
func (s *Session) restClient(token string) *rest.Client {
	c := rest.NewClient(&vim25.Client{Client: s.soap})
	s.tap(c.Client, limitAnswer)
	c.SessionID(token)
	return c
}

// ExplainREST is an error of the REST API with the vCenter's name, and the privilege without which a vCenter refuses what was asked.
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
