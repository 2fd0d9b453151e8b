package vcsim

import (
	"bytes"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	ssoPath = "/sso-adminserver"
	stsPath = "/sts/STSService"
)

// FaultKind is what goes wrong with a request.
type FaultKind int

// The kinds of faults.
const (
	None              FaultKind = iota // served as always
	Unavailable                        // 503, not served
	Dropped                            // the connection is closed before serving
	LostReply                          // served, then the connection is closed without an answer
	Slow                               // served after Delay
	ExpiredSession                     // the request's sessions, vim25 and SSO, end before it is served
	Refused                            // the connection is reset before serving
	Blocked                            // a firewall answers with a page of HTML (R41)
	ServedBadGateway                   // served, but the gateway lost the answer and says 502
	ServedUnavailable                  // served, but the gateway gave up waiting and says 503
	Empty                              // not served, and the answer is 200 with an empty SOAP body
	Worded                             // a SOAP fault that says Text, not served
	Reasoned                           // an answer of status 400 whose reason, in the status line, is Text; not served
)

// Fault is one failure. Delay is waited first, whatever the kind.
type Fault struct {
	Kind  FaultKind
	Delay time.Duration
	Text  string // of Worded and Reasoned
}

// front is what every request to one vCenter passes first: counts, latency and faults.
type front struct {
	next    http.Handler
	expire  func(*http.Request) // ends the request's sessions
	latency atomic.Int64

	mu     sync.Mutex
	counts map[string]int
	total  int
	fault  func(n int, method string) Fault
	n      int
	answer func(*Answer)

	callback sync.Mutex // one call of fault at a time, so that it may keep plain state
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client went away
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	name := methodName(r, body)
	fault := f.arrive(name)
	if !wait(r, time.Duration(f.latency.Load())+fault.Delay) {
		panic(http.ErrAbortHandler) // the client went away: nothing is answered, not even an empty 200
	}
	if name == "CreateResourcePool" || name == "CreateVApp" { // the simulator writes the name into a summary that all vCenters share
		creation.Lock()
		defer creation.Unlock()
	}
	switch fault.Kind {
	case Unavailable:
		http.Error(w, "503 Service Unavailable (the service is starting)", http.StatusServiceUnavailable)
	case Blocked:
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html><body><h1>Access blocked by policy</h1></body></html>")
	case Worded:
		w.Header().Set("Content-Type", "text/xml")
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, wordedFault(fault.Text))
	case Reasoned:
		answerRaw(w, "HTTP/1.1 400 "+fault.Text+"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	case Dropped:
		hangUp(w, false)
	case Refused:
		hangUp(w, true)
	case LostReply:
		f.next.ServeHTTP(&lostReply{header: http.Header{}}, r)
		hangUp(w, false)
	case ServedBadGateway, ServedUnavailable:
		f.next.ServeHTTP(&lostReply{header: http.Header{}}, r)
		code := http.StatusBadGateway
		if fault.Kind == ServedUnavailable {
			code = http.StatusServiceUnavailable
		}
		http.Error(w, "upstream request timeout", code)
	case ExpiredSession:
		f.expire(r)
		f.serve(f.next, w, r, name, body)
	case Empty:
		f.serve(http.HandlerFunc(emptyAnswer), w, r, name, body)
	default:
		f.serve(f.next, w, r, name, body)
	}
}

// arrive counts a request and asks what is to go wrong with it.
func (f *front) arrive(name string) Fault {
	f.mu.Lock()
	f.counts[name]++
	f.total++
	fault, n := f.fault, 0
	if fault != nil {
		f.n++
		n = f.n
	}
	f.mu.Unlock()
	if fault == nil {
		return Fault{}
	}
	f.callback.Lock()
	defer f.callback.Unlock()
	return fault(n, name)
}

func wait(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

var bodyElement = regexp.MustCompile(`<(?:[\w.-]+:)?Body(?:\s[^>]*)?>\s*<(?:[\w.-]+:)?([\w.-]+)`)

// methodName is the first element of a SOAP body, or "METHOD path" of anything else.
func methodName(r *http.Request, body []byte) string {
	if r.Method == http.MethodPost && soapPath(r.URL.Path) {
		if m := bodyElement.FindSubmatch(body); m != nil {
			return string(m[1])
		}
	}
	return r.Method + " " + r.URL.Path
}

func soapPath(path string) bool {
	for _, prefix := range []string{"/sdk", ssoPath, "/sts/", "/lookupservice", "/pbm", "/vslm", "/vsanHealth", "/sms"} {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

// lostReply takes an answer that nobody will read.
type lostReply struct{ header http.Header }

func (l *lostReply) Header() http.Header         { return l.header }
func (l *lostReply) WriteHeader(int)             {}
func (l *lostReply) Write(b []byte) (int, error) { return len(b), nil }
