package vcenter_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// Whoever answers for a vCenter cannot send a request on to another server: neither the logins with their passwords (307 and
// 308 would repeat a POST with its body), nor any other.
func TestRedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(elsewhere.Close)
	v := lab(t, vcsim.Options{})
	if err := work(t, v); err != nil {
		t.Fatal(err)
	}
	for _, status := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		for _, method := range []string{"RetrieveServiceContent", "Login", "RequestSecurityToken"} {
			redirected := 0
			v.SetAnswer(only(method, func(a *vcsim.Answer) {
				redirected++
				a.Status, a.Header, a.Body = status, http.Header{"Location": {elsewhere.URL}}, nil
			}))
			if err := work(t, v); err == nil {
				t.Errorf("%d for %s is no error", status, method)
			}
			if redirected == 0 {
				t.Errorf("%d: there was no %s", status, method)
			}
		}
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("%d requests reached the other server", n)
	}
}

// work connects, logs in and gets a token.
func work(t *testing.T, v *vcsim.VCenter) error {
	t.Helper()
	c := config(v)
	host, port, err := net.SplitHostPort(c.Address)
	if err != nil {
		t.Fatal(err)
	}
	c.Server, c.Address = host, "" // an address would be where every connection goes
	if c.Port, err = strconv.Atoi(port); err != nil {
		t.Fatal(err)
	}
	s, err := vcenter.Connect(t.Context(), c)
	if err != nil {
		return err
	}
	defer s.Close(context.Background())
	if err := s.Login(t.Context(), v.AdminUser(), secret.New(v.AdminPassword())); err != nil {
		return err
	}
	_, err = s.SSO(t.Context())
	return err
}
