package vcsim

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strconv"
)

// Answer is what a vCenter is about to send, after it has served a request.
type Answer struct {
	Method  string // as in [VCenter.Requests]
	Request []byte // the body of the request
	Status  int
	Reason  string // of the status line; "" = the usual one
	Header  http.Header
	Body    []byte // sent as it is, whatever Content-Length and Content-Encoding say
}

// SetAnswer has f change each answer, but those that a fault withholds, before it is sent. f is called
// one request at a time. Nil clears.
func (v *VCenter) SetAnswer(f func(*Answer)) {
	v.front.mu.Lock()
	defer v.front.mu.Unlock()
	v.front.answer = f
}

// EmptyEnvelope is a SOAP answer with neither a result nor a fault in it.
const EmptyEnvelope = envelopeStart + envelopeEnd

// serve lets the services answer, and whoever asked for it change the answer.
func (f *front) serve(next http.Handler, w http.ResponseWriter, r *http.Request, name string, request []byte) {
	f.mu.Lock()
	change := f.answer
	f.mu.Unlock()
	if change == nil {
		next.ServeHTTP(w, r)
		return
	}
	a := &Answer{Method: name, Request: request, Status: http.StatusOK, Header: http.Header{}}
	next.ServeHTTP(&recorder{a}, r)
	f.callback.Lock()
	change(a)
	f.callback.Unlock()
	a.send(w)
}

// recorder keeps an answer for later.
type recorder struct{ a *Answer }

func (r *recorder) Header() http.Header    { return r.a.Header }
func (r *recorder) WriteHeader(status int) { r.a.Status = status }

func (r *recorder) Write(b []byte) (int, error) {
	r.a.Body = append(r.a.Body, b...)
	return len(b), nil
}

func (a *Answer) send(w http.ResponseWriter) {
	if a.Reason == "" {
		maps.Copy(w.Header(), a.Header)
		w.WriteHeader(a.Status)
		_, _ = w.Write(a.Body)
		return
	}
	hijacker, ok := w.(http.Hijacker) // net/http has no way to another reason
	if !ok {
		return
	}
	conn, _, err := hijacker.Hijack()
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	var out bytes.Buffer
	fmt.Fprintf(&out, "HTTP/1.1 %d %s\r\n", a.Status, a.Reason)
	if a.Header.Get("Content-Length") == "" {
		a.Header.Set("Content-Length", strconv.Itoa(len(a.Body)))
	}
	a.Header.Set("Connection", "close")
	_ = a.Header.Write(&out)
	out.WriteString("\r\n")
	out.Write(a.Body)
	_, _ = conn.Write(out.Bytes())
}

// emptyAnswer is said by a server that broke down between the work and its answer.
func emptyAnswer(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	_, _ = io.WriteString(w, EmptyEnvelope)
}
