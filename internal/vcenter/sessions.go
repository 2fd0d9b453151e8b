package vcenter

import (
	"context"
	"fmt"
	"time"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"
)

// UserSession is somebody's session on a vCenter. A session outlives the account that opened it.
type UserSession struct {
	User       string // as the vCenter spells it: DOMAIN\name
	key        string
	LastActive time.Time
	Ours       bool // this run opened it
}

// Sessions lists all sessions on the vCenter. It takes Sessions.TerminateSession: where the session's own account lacks it, as
// administrators of hosted vCenters do, known is false.
func (s *Session) Sessions(ctx context.Context) (all []UserSession, known bool, err error) {
	found, _, err := s.RetrieveFirst(ctx, 1, types.PropertyFilterSpec{
		PropSet:   []types.PropertySpec{{Type: "SessionManager", PathSet: []string{"sessionList"}}},
		ObjectSet: []types.ObjectSpec{{Obj: *s.Content.SessionManager}},
	})
	if err != nil {
		return nil, false, s.explain(err)
	}
	for _, o := range found {
		for _, m := range o.MissingSet {
			if _, lacks := m.Fault.Fault.(*types.NoPermission); lacks {
				return nil, false, nil
			}
			return nil, false, s.hidden.Scrub(fmt.Errorf("%s: sessions: %s", s.Server, m.Fault.LocalizedMessage))
		}
		for _, p := range o.PropSet {
			if list, ok := p.Val.(types.ArrayOfUserSession); ok {
				known = true
				for _, u := range list.UserSession {
					all = append(all, UserSession{u.UserName, u.Key, u.LastActiveTime, s.config.Run.has(u.Key)})
				}
			}
		}
	}
	return all, known, nil
}

// EndSessions ends sessions that [Session.Sessions] listed, all that it can. One that has ended by itself is no error.
func (s *Session) EndSessions(ctx context.Context, sessions []UserSession) error {
	var first error
	for _, u := range sessions { // one by one: a session that is gone would keep the others of a request
		_, err := methods.TerminateSession(ctx, s, &types.TerminateSession{This: *s.Content.SessionManager, SessionId: []string{u.key}})
		if err != nil && first == nil && !fault.Is(err, &types.NotFound{}) {
			first = s.explain(err) // the others have the same cause
		}
	}
	return first
}
