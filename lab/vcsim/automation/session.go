package automation

import (
	"crypto/rand"
	"net/http"
	"sync"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// sessionID is the name of the header and of the cookie that carry the token of a session.
const sessionID = "vmware-api-session-id"

// sessionOperations are those of sessions, in both forms: govmomi of every release uses the one below /rest.
var sessionOperations = []operation{
	{method: http.MethodPost, path: "/api/session", id: "com.vmware.cis.session.create", anybody: true, status: http.StatusCreated, serve: (*Service).login},
	{method: http.MethodGet, path: "/api/session", id: "com.vmware.cis.session.get", serve: (*Service).session},
	{method: http.MethodDelete, path: "/api/session", id: "com.vmware.cis.session.delete", status: http.StatusNoContent, serve: (*Service).logout},
	{method: http.MethodPost, path: "/rest/com/vmware/cis/session", id: "com.vmware.cis.session.create", anybody: true, serve: (*Service).login},
	{method: http.MethodPost, path: "/rest/com/vmware/cis/session", action: "get", id: "com.vmware.cis.session.get", serve: (*Service).session},
	{method: http.MethodDelete, path: "/rest/com/vmware/cis/session", id: "com.vmware.cis.session.delete", serve: (*Service).logout},
}

// session is one of an account.
type session struct {
	User     string    `json:"user"`
	Created  time.Time `json:"created_time"`
	Accessed time.Time `json:"last_accessed_time"`

	principal directory.Principal
	token     string
}

// sessions are all, by token.
type sessions struct {
	dir *directory.Directory
	now func() time.Time

	mu  *sync.Mutex
	all map[string]session
}

func newSessions(dir *directory.Directory, now func() time.Time) sessions {
	return sessions{dir, now, &sync.Mutex{}, map[string]session{}}
}

// of is the session of a request, which names it in a header or a cookie. An account that is gone or disabled has none.
func (s *sessions) of(r *http.Request) (session, bool) {
	token := r.Header.Get(sessionID)
	if cookie, err := r.Cookie(sessionID); token == "" && err == nil {
		token = cookie.Value
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.all[token]
	if !ok {
		return session{}, false
	}
	if u, there := s.dir.User(found.principal.String()); !there || u.Disabled {
		delete(s.all, token)
		return session{}, false
	}
	found.Accessed = s.now().UTC()
	s.all[token] = found
	return found, true
}

// Sessions counts those of an account, name@domain. A client that logs out of the SOAP API alone leaves them.
func (s *Service) Sessions(user string) (n int) {
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	for _, one := range s.sessions.all {
		if one.User == user {
			n++
		}
	}
	return n
}

// login opens a session by name and password. That it needs no permission anywhere, as a login over SOAP does (R42), is inferred.
func (s *Service) login(c *call) (any, *failure) {
	user, password, ok := c.r.BasicAuth()
	p, err := directory.Principal{}, error(nil)
	if ok {
		p, err = s.Directory.Authenticate(user, password)
	}
	if !ok || err != nil {
		s.Note(c.id, user, string(unauthenticated))
		return nil, failed(unauthenticated, "Authentication required.")
	}
	s.Note(c.id, p.String(), "")
	now, token := s.Now().UTC(), rand.Text()
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	s.sessions.all[token] = session{User: p.UPN(), Created: now, Accessed: now, principal: p, token: token}
	http.SetCookie(c.w, &http.Cookie{Name: sessionID, Value: token, Path: "/", Secure: true, HttpOnly: true})
	return token, nil
}

func (s *Service) session(c *call) (any, *failure) {
	s.Note(c.id, c.who.User, "")
	return c.who, nil
}

func (s *Service) logout(c *call) (any, *failure) {
	s.Note(c.id, c.who.User, "")
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	delete(s.sessions.all, c.who.token)
	return nil, nil //nolint:nilnil // neither a result nor an error
}
