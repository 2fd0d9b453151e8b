package vcenter

import (
	"crypto/sha256"
	"net/http"
	"sync"
)

// line is the connections to one vCenter. The sessions of a run share them: a session is a cookie, not a connection, and
// each connection costs a TLS handshake.
type line struct {
	run       *Run
	key       lineKey
	transport *http.Transport
	sessions  int // that use it; Run.mu guards it
}

// lineKey is all that connections depend on. Sessions that do not trust the same certificates share none.
type lineKey struct {
	endpoint, address, thumbprint string
	insecure                      bool
	roots                         [sha256.Size]byte
	parallel                      int
}

// line gives the connections of a vCenter; leave gives them back.
func (r *Run) line(c Config, begin *http.Transport) (*line, error) {
	key := lineKey{c.endpoint(), c.dialAddress(), c.Thumbprint, c.Insecure, sha256.Sum256(c.RootCAs), c.Parallel}
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.lines[key]
	if l == nil {
		t, err := c.httpTransport(begin)
		if err != nil {
			return nil, err
		}
		l = &line{run: r, key: key, transport: t}
		if r.lines == nil {
			r.lines = map[lineKey]*line{}
		}
		r.lines[key] = l
	}
	l.sessions++
	return l, nil
}

// leave closes the connections that nobody uses any more.
func (l *line) leave() {
	l.run.mu.Lock()
	defer l.run.mu.Unlock()
	if l.sessions--; l.sessions == 0 {
		delete(l.run.lines, l.key)
		l.transport.CloseIdleConnections()
	}
}

// leaving is leave for whoever may come twice.
func (l *line) leaving() func() { return sync.OnceFunc(l.leave) }
