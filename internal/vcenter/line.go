package vcenter

import (
	"crypto/sha256"
	"net/http"
)

// line is the connections to one vCenter. The sessions of a run share them: a session is a cookie, not a connection, and
// each connection costs a TLS handshake.
type line struct {
	run       *Run
	key       lineKey
	transport *http.Transport
	slots     chan struct{} // one for each request at work, of whichever session
	sessions  int           // that use it; Run.mu guards it
	about     serviceInfo
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
		l = &line{run: r, key: key, transport: t, slots: make(chan struct{}, r.requests(c.Parallel))}
		t.MaxIdleConnsPerHost = cap(l.slots) + spare
		t.MaxConnsPerHost = t.MaxIdleConnsPerHost // else a request whose connection is not there yet takes another's, which opens one more
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

// How many requests all vCenters together get at once, and the least that one gets. HTTP/1.1 takes a connection for each of
// them: a TLS handshake, two goroutines and some 60 KiB. One vCenter alone gets as many as its largest step has; with 32 at
// work it is these connections that cost most, and whatever waits for its turn behind another request keeps no vCenter idle.
const (
	mostRequests   = 256
	fewestRequests = 8
)

// spare are connections beside those for requests with a slot: a login that such a request asks for and the lookup service
// need none.
const spare = 2

// requests is how many go to one vCenter at once.
func (r *Run) requests(parallel int) int {
	return min(parallel, max(fewestRequests, mostRequests/max(1, r.VCenters)))
}
