package vcenter

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path"

	"github.com/vmware/govmomi/vapi/rest"
	"github.com/vmware/govmomi/vim25"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// REST is a client of the vCenter's REST API, which logs in once, as this session did: with a password that the vCenter has
// accepted. Close logs it out. Its errors go through [Session.ExplainREST].
func (s *Session) REST(ctx context.Context) (*rest.Client, error) {
	return s.rest.get(func() (*rest.Client, error) {
		c := rest.NewClient(&vim25.Client{Client: s.soap})
		s.tap(c.Client, limitAnswer)
		ctx, cancel := context.WithTimeout(ctx, s.config.Timeout)
		defer cancel()
		if err := c.Login(ctx, url.UserPassword(s.user, s.password.Reveal())); err != nil {
			return nil, hint.Wrap(s.ExplainREST(err), path.Join(rest.Path, "com/vmware/cis")+" must be reachable on port 443")
		}
		return c, nil
	})
}

// ExplainREST is an error of the REST API with the vCenter's name, or what the account lacks.
func (s *Session) ExplainREST(err error, privileges ...string) error {
	switch {
	case err == nil:
		return nil
	case rest.IsStatusError(err, http.StatusForbidden) && len(privileges) > 0:
		return fmt.Errorf("%s: %s has no privilege %s: %w", s.Server, s.User, privileges[0], s.hidden.scrub(err))
	}
	return s.hidden.scrub(fmt.Errorf("%s: REST API: %w", s.Server, err))
}
