package vcsim

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcsim/directory"
)

// restHeader carries the token of a session of the REST API.
const restHeader = "vmware-api-session-id"

// restService is the part of a vCenter's REST API that is simulated: sessions, and whether a path exists on its release
// (R47). What the others answer to somebody who is logged in is not known here, and 501 says so; a vCenter never does.
type restService struct {
	dir     *directory.Directory
	now     func() time.Time
	journal journal

	mu       sync.Mutex
	sessions map[string]restSession // by token
}

type restSession struct {
	User     string    `json:"user"`
	Created  time.Time `json:"created_time"`
	Accessed time.Time `json:"last_accessed_time"`

	principal directory.Principal
}

func newREST(dir *directory.Directory, now func() time.Time, j journal) *restService {
	return &restService{dir: dir, now: now, journal: j, sessions: map[string]restSession{}}
}

// register adds the session and the other paths that exist, below /api/.
func (s *restService) register(endpoints map[string]http.Handler, paths []string) {
	for _, path := range append([]string{"session"}, paths...) {
		endpoints["/api/"+path] = s
	}
}

func (s *restService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/api/session" && r.Method == http.MethodPost {
		s.login(w, r)
		return
	}
	token, what := r.Header.Get(restHeader), r.Method+" "+r.URL.Path
	session, ok := s.session(token)
	switch {
	case !ok:
		s.journal.call("rest", what, "", &soapError{kind: "UNAUTHENTICATED"})
		restError(w, http.StatusUnauthorized, "UNAUTHENTICATED", "This method requires authentication.")
	case r.URL.Path != "/api/session":
		s.journal.call("rest", what, session.User, &soapError{kind: "UNIMPLEMENTED"})
		restError(w, http.StatusNotImplemented, "UNIMPLEMENTED", "The simulation knows that this path exists, not what it answers.")
	case r.Method == http.MethodGet:
		s.journal.call("rest", what, session.User, nil)
		restAnswer(w, http.StatusOK, session)
	case r.Method == http.MethodDelete:
		s.journal.call("rest", what, session.User, nil)
		s.mu.Lock()
		delete(s.sessions, token)
		s.mu.Unlock()
		w.WriteHeader(http.StatusNoContent)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

func (s *restService) login(w http.ResponseWriter, r *http.Request) {
	user, password, ok := r.BasicAuth()
	p, err := directory.Principal{}, error(nil)
	if ok {
		p, err = s.dir.Authenticate(user, password)
	}
	if !ok || err != nil {
		s.journal.call("rest", "POST /api/session", user, &soapError{kind: "UNAUTHENTICATED"})
		restError(w, http.StatusUnauthorized, "UNAUTHENTICATED", "Authentication required.")
		return
	}
	s.journal.call("rest", "POST /api/session", p.String(), nil)
	now, token := s.now().UTC(), rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions[token] = restSession{User: p.UPN(), Created: now, Accessed: now, principal: p}
	restAnswer(w, http.StatusCreated, token)
}

// session is the one of a token. An account that is gone or disabled has none.
func (s *restService) session(token string) (restSession, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	session, ok := s.sessions[token]
	if u, there := s.dir.User(session.principal.String()); !ok || !there || u.Disabled {
		return restSession{}, false
	}
	session.Accessed = s.now().UTC()
	s.sessions[token] = session
	return session, true
}

func restAnswer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) //nolint:errchkjson // a caller who is gone gets no answer
}

func restError(w http.ResponseWriter, status int, kind, text string) {
	restAnswer(w, status, map[string]any{
		"error_type": kind, "messages": []map[string]any{{"default_message": text, "id": "ocp-vsphere-admin.simulation", "args": []string{}}},
	})
}
