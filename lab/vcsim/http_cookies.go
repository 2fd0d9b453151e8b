package vcsim

import (
	"crypto/rand"
	"net/http"
	"sync"

	"github.com/vmware/govmomi/vim25/soap"
)

// sessionCookies keep the cookies of sessions apart from their keys, which whoever may list sessions reads. The simulator
// takes one for the other: behind this it sees keys, before it a client sees cookies.
type sessionCookies struct {
	keys   sync.Map // cookie → session key
	issued sync.Map // session key → cookie
}

// wrap translates the cookies of requests and answers.
func (c *sessionCookies) wrap(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		next(&cookieWriter{ResponseWriter: w, cookies: c}, c.keyed(r))
	}
}

// keyed is a request with session keys for its cookies; what is no cookie of ours is left out.
func (c *sessionCookies) keyed(r *http.Request) *http.Request {
	if _, err := r.Cookie(soap.SessionCookieName); err != nil {
		return r
	}
	out := r.Clone(r.Context())
	out.Header.Del("Cookie")
	for _, cookie := range r.Cookies() {
		if cookie.Name == soap.SessionCookieName {
			key := c.key(cookie.Value)
			if key == "" {
				continue
			}
			cookie.Value = key
		}
		out.AddCookie(cookie)
	}
	return out
}

// key is that of the session of a cookie, "" for what is no cookie of ours.
func (c *sessionCookies) key(cookie string) string {
	found, _ := c.keys.Load(cookie)
	key, _ := found.(string)
	return key
}

// cookie is that of a session.
func (c *sessionCookies) cookie(key string) string {
	made, known := c.issued.LoadOrStore(key, rand.Text())
	cookie, _ := made.(string)
	if !known {
		c.keys.Store(cookie, key)
	}
	return cookie
}

// cookieWriter replaces the session keys that the simulator sets as cookies.
type cookieWriter struct {
	http.ResponseWriter
	cookies *sessionCookies
	done    bool
}

func (w *cookieWriter) WriteHeader(status int) {
	w.translate()
	w.ResponseWriter.WriteHeader(status)
}

func (w *cookieWriter) Write(b []byte) (int, error) {
	w.translate()
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *cookieWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *cookieWriter) translate() {
	if w.done {
		return
	}
	w.done = true
	set := w.Header()["Set-Cookie"]
	if len(set) == 0 {
		return
	}
	w.Header().Del("Set-Cookie")
	for _, line := range set {
		if cookie, err := http.ParseSetCookie(line); err == nil && cookie.Name == soap.SessionCookieName {
			cookie.Value = w.cookies.cookie(cookie.Value)
			line = cookie.String()
		}
		w.Header().Add("Set-Cookie", line)
	}
}
