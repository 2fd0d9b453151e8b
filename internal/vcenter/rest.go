package vcenter

import (
	"context"
	"fmt"
	"net/http"

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
		c := rest.NewClient(&vim25.Client{Client: s.soap})
		s.tap(c.Client, limitAnswer)
		c.SessionID(a.token)
		return restSession{a, c}, nil
	})
	return r.client, err
}

// ExplainREST is an error of the REST API with the vCenter's name, and the privilege without which a vCenter refuses what was asked.
func (s *Session) ExplainREST(err error, privilege string) error {
	if err == nil {
		return nil
	}
	if rest.IsStatusError(err, http.StatusForbidden) {
		err = fmt.Errorf("%s has no privilege %s: %w", s.User, privilege, err)
	}
	return s.hidden.Scrub(fmt.Errorf("%s: %w", s.Server, err))
}
