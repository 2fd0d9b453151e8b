package vcsim

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/vmware/govmomi/session"
	"github.com/vmware/govmomi/ssoadmin"
	"github.com/vmware/govmomi/sts"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// byToken logs in to vim25 with a token.
func byToken(t *testing.T, v *VCenter, token *sts.Signer) (string, error) {
	t.Helper()
	c := plain(t, v)
	m := session.NewManager(c)
	if err := m.LoginByToken(c.WithHeader(t.Context(), soap.Header{Security: token})); err != nil {
		return "", err
	}
	s, err := m.UserSession(t.Context())
	if err != nil || s == nil {
		t.Fatal(s, err)
	}
	return s.UserName, nil
}

func TestTokensAreForWhoAsked(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	d := v.Directory()
	if err := d.AddUser("Second", goodPassword, directory.Details{}); err != nil {
		t.Fatal(err)
	}
	if err := d.AddMember("Administrators", "second", false); err != nil {
		t.Fatal(err)
	}
	first, err := issue(t, v, v.AdminUser(), v.AdminPassword())
	if err != nil {
		t.Fatal(err)
	}
	for _, user := range []string{"second@vsphere.local", `VSPHERE.LOCAL\SECOND`, "second"} { // R28
		second, err := issue(t, v, user, goodPassword)
		if err != nil {
			t.Fatal(err)
		}
		if first.Token == second.Token {
			t.Error("everybody gets one token")
		}
		if name, err := byToken(t, v, second); err != nil || name != `VSPHERE.LOCAL\Second` {
			t.Errorf("the token of %s is for %s, %v", user, name, err)
		}
	}
	if name, err := byToken(t, v, first); err != nil || name != `VSPHERE.LOCAL\Administrator` {
		t.Errorf("the administrator's token is for %s, %v", name, err)
	}
	if left := time.Until(first.Lifetime.Expires); left <= 0 || left > 6*time.Minute {
		t.Errorf("the token lives for %v", left)
	}
}

func TestWrongPasswordGetsNoToken(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	for _, c := range [][2]string{{v.AdminUser(), "wrong"}, {"nobody@vsphere.local", "x"}, {v.AdminUser(), ""}} {
		_, err := issue(t, v, c[0], c[1])
		if err == nil || !soap.IsSoapFault(err) {
			t.Errorf("%s: %v, want a SOAP fault", c[0], err)
		}
	}
}

func TestForgedTokensAreRefused(t *testing.T) {
	c := &clock{t: time.Now()}
	l := start(t, Options{VCenters: 2, Now: c.now})
	v, apart := l.VCenters[0], l.VCenters[1]
	if err := v.Directory().AddUser("user", goodPassword, directory.Details{}); err != nil {
		t.Fatal(err)
	}
	good, err := issue(t, v, v.AdminUser(), v.AdminPassword())
	if err != nil {
		t.Fatal(err)
	}
	mine, err := issue(t, v, "user@vsphere.local", goodPassword)
	if err != nil {
		t.Fatal(err)
	}
	id := good.Token[strings.Index(good.Token, `ID="`)+4:][:37]
	for what, token := range map[string]string{
		"another id":      strings.Replace(good.Token, id, "_00000000-0000-4000-8000-000000000000", 1),
		"another subject": strings.Replace(mine.Token, "user@vsphere.local</saml2:NameID>", "Administrator@vsphere.local</saml2:NameID>", 1),
		"nothing":         "",
		"no assertion":    "<x/>",
	} {
		var invalid *types.InvalidLogin
		if _, err := byToken(t, v, &sts.Signer{Token: token}); !isFault(err, &invalid) {
			t.Errorf("vim25 with %s: %v", what, err)
		}
		sso, err := ssoadmin.NewClient(t.Context(), plain(t, v))
		if err != nil {
			t.Fatal(err)
		}
		if err := sso.Login(sso.WithHeader(t.Context(), soap.Header{Security: &sts.Signer{Token: token}})); !isFault(err, &invalid) {
			t.Errorf("SSO with %s: %v", what, err)
		}
	}
	if _, err := byToken(t, apart, good); err == nil {
		t.Error("a token of another SSO domain is taken")
	}
	if _, err := byToken(t, v, good); err != nil {
		t.Errorf("the untouched token: %v", err)
	}
	c.advance(time.Hour)
	if _, err := byToken(t, v, good); err == nil {
		t.Error("an expired token is taken")
	}
}

func TestTokenRenewal(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c, err := sts.NewClient(t.Context(), plain(t, v))
	if err != nil {
		t.Fatal(err)
	}
	who := url.UserPassword(v.AdminUser(), v.AdminPassword())
	first, err := c.Issue(t.Context(), sts.TokenRequest{Userinfo: who, Renewable: true})
	if err != nil {
		t.Fatal(err)
	}
	renewed, err := c.Renew(t.Context(), sts.TokenRequest{Userinfo: who, Token: first.Token, Lifetime: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if name, err := byToken(t, v, renewed); err != nil || renewed.Token == first.Token || name != `VSPHERE.LOCAL\Administrator` {
		t.Errorf("the renewed token is for %s, %v", name, err)
	}
	if left := time.Until(renewed.Lifetime.Expires); left < 50*time.Minute {
		t.Errorf("the renewed token lives for %v", left)
	}
	if err := v.Directory().SetDisabled("administrator", true); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Renew(t.Context(), sts.TokenRequest{Userinfo: who, Token: renewed.Token}); err == nil {
		t.Error("a disabled account renews its token")
	}
	if _, err := byToken(t, v, renewed); err == nil {
		t.Error("the token of a disabled account is good")
	}
}

func TestTerminatedSession(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	victim, other := admin(t, v), admin(t, v)
	s, err := session.NewManager(victim).UserSession(t.Context())
	if err != nil || s == nil {
		t.Fatal(s, err)
	}
	if err := session.NewManager(other).TerminateSession(t.Context(), []string{s.Key}); err != nil {
		t.Fatal(err)
	}
	var gone *types.NotAuthenticated
	if err := createFolder(t.Context(), victim, "x"); !isFault(err, &gone) {
		t.Errorf("%v, want NotAuthenticated", err)
	}
}
