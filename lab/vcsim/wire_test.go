package vcsim

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
	"github.com/vmware/govmomi/vim25/xml"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// wire is a client that sees answers as they are on the wire.
type wire struct {
	testing.TB
	v      *VCenter
	http   *http.Client
	cookie string
	action string
}

func newWire(t testing.TB, v *VCenter) *wire {
	transport := &http.Transport{DialTLSContext: v.lab.DialTLSContext}
	t.Cleanup(transport.CloseIdleConnections)
	return &wire{TB: t, v: v, http: &http.Client{Transport: transport}}
}

// call sends a request body and returns the answer's.
func (w *wire) call(name, body string) string {
	w.Helper()
	text, err := w.try(name, body)
	if err != nil {
		w.Fatalf("%s: %v", name, err)
	}
	return text
}

func (w *wire) try(name, body string) (string, error) {
	return w.raw(name, `<`+name+` xmlns="urn:vim25">`+body+`</`+name+`>`)
}

// raw sends what is in the body of an envelope.
func (w *wire) raw(name, request string) (string, error) {
	envelope := `<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"` +
		` xmlns:xsd="http://www.w3.org/2001/XMLSchema"><Body>` + request + `</Body></Envelope>`
	r, err := http.NewRequestWithContext(w.Context(), http.MethodPost, "https://"+w.v.Server()+"/sdk", strings.NewReader(envelope))
	if err != nil {
		return "", err
	}
	if w.action != "" {
		r.Header.Set("SOAPAction", w.action)
	}
	if w.cookie != "" {
		r.AddCookie(&http.Cookie{Name: soap.SessionCookieName, Value: w.cookie})
	}
	res, err := w.http.Do(r)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	for _, c := range res.Cookies() {
		if c.Name == soap.SessionCookieName {
			w.cookie = c.Value
		}
	}
	text, err := io.ReadAll(res.Body)
	if err == nil && len(text) == 0 {
		err = errors.New(name + ": no answer")
	}
	return string(text), err
}

// login opens a session and returns its key.
func (w *wire) login(user, password string) string {
	w.Helper()
	w.cookie = ""
	answer := w.call("Login", element("_this", "SessionManager", "SessionManager")+text("userName", user)+text("password", password))
	return between(w, answer, "<key>", "</key>")
}

// fetch reads one property.
func (w *wire) fetch(ref types.ManagedObjectReference, prop string) string {
	w.Helper()
	return w.call("Fetch", element("_this", ref.Type, ref.Value)+text("prop", prop))
}

func element(name, kind, value string) string {
	return "<" + name + ` type="` + kind + `">` + value + "</" + name + ">"
}

func text(name, value string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(value))
	return "<" + name + ">" + b.String() + "</" + name + ">"
}

func between(t testing.TB, s, before, after string) string {
	t.Helper()
	_, s, ok := strings.Cut(s, before)
	s, _, closed := strings.Cut(s, after)
	if !ok || !closed {
		t.Fatalf("no %s...%s in the answer", before, after)
	}
	return s
}

// reader makes an account with ReadOnly on one place and below.
func (w *wire) reader(path string) (user, password string) {
	w.Helper()
	user, password = "reader@"+w.v.Directory().Domain(), "Read3r!only-one"
	grantReadOnly(w, w.v, "reader", password, path)
	return user, password
}

func grantReadOnly(t testing.TB, v *VCenter, name, password, path string) {
	t.Helper()
	if err := v.Directory().AddUser(name, password, directory.Details{}); err != nil {
		t.Fatal(err)
	}
	p, err := v.Directory().Lookup(name, false)
	if err != nil {
		t.Fatal(err)
	}
	ref, ok := v.find(path)
	if !ok {
		t.Fatalf("no %s", path)
	}
	if err := v.authz.setPermission(ref, p, -2, true); err != nil {
		t.Fatal(err)
	}
}

func nameOf(path string) string { return path[strings.LastIndex(path, "/")+1:] }
