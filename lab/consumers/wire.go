package consumers

import (
	"context"
	"net/http"
	"net/url"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/find"
	vimsession "github.com/vmware/govmomi/session"
	"github.com/vmware/govmomi/vapi/rest"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/types"
)

// refused is why a workload cannot work whose login was refused.
const refused = "its login was refused"

// session is one on a vCenter, and with which account it was opened.
type session struct {
	client  *vim25.Client
	account account
}

// login opens a session, as often as its containers do and in both APIs; the last one is kept. why is "" when all went well.
func (r *reader) login(ctx context.Context, a account) (s *session, why string) {
	for range r.logins {
		client, err := r.at.Login(ctx, a.user, a.password)
		switch {
		case fault.Is(err, &types.InvalidLogin{}):
			r.note(a)
			why = refused // another container does not know that
			continue
		case err != nil:
			why = err.Error()
			continue
		}
		if s != nil {
			_ = s.end(ctx)
		}
		s = &session{client, a}
	}
	if s != nil && r.rest && why == "" {
		why = r.restLogin(ctx, s.client, a)
	}
	if s != nil && why != "" {
		_ = s.end(ctx)
	}
	return s, why
}

// restLogin opens a session of the REST API.
func (r *reader) restLogin(ctx context.Context, client *vim25.Client, a account) (why string) {
	err := rest.NewClient(client).Login(ctx, url.UserPassword(a.user, a.password))
	switch {
	case rest.IsStatusError(err, http.StatusUnauthorized):
		r.note(a)
		return refused
	case err != nil:
		return err.Error()
	}
	return ""
}

// note records a refused login.
func (r *reader) note(a account) {
	at := r.cluster.clock.Now()
	r.cluster.note(func(c *Cluster) {
		c.refused = append(c.refused, Refusal{At: at, Workload: r.name, Server: r.at.Server(), User: a.user})
	})
}

// alive reports whether the vCenter still knows the session.
func (s *session) alive(ctx context.Context) bool {
	user, err := vimsession.NewManager(s.client).UserSession(ctx)
	return err == nil && user != nil
}

// work is what every one of them does first: it looks for the datacenter.
func (s *session) work(ctx context.Context) (why string) {
	all, err := find.NewFinder(s.client).DatacenterList(ctx, "*")
	if err != nil {
		return err.Error()
	}
	if len(all) == 0 {
		return "it sees no datacenter"
	}
	return ""
}

// end logs out. A session that is gone already is no error.
func (s *session) end(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	if !s.alive(ctx) {
		return nil
	}
	return vimsession.NewManager(s.client).Logout(ctx)
}
