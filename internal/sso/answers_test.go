package sso_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// A policy that nobody can have set takes no memory.
func TestPolicyBeyondReason(t *testing.T) {
	for _, p := range []sso.Policy{
		{MinLength: math.MaxInt32},
		{MinUpper: math.MaxInt32},
		{MinLower: math.MaxInt32},
		{MinNumeric: math.MaxInt32},
		{MinSpecial: math.MaxInt32},
		{MinAlphabetic: math.MaxInt32},
	} {
		if _, err := p.Generate(); err == nil || !strings.Contains(err.Error(), "2147483647 characters") {
			t.Errorf("%+v: %v", p, err)
		}
	}
	if password, err := (sso.Policy{MinLength: 40}).Generate(); err != nil || len(password.Reveal()) != 40 {
		t.Errorf("40 characters: %v", err)
	}
}

// A vCenter that tells of a new group each time is left at some point.
func TestGroupsWithoutEnd(t *testing.T) {
	lab, err := vcsim.Start(vcsim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	v, ctx := lab.VCenters[0], context.Background()
	if err := v.Directory().AddGroup("first", ""); err != nil {
		t.Fatal(err)
	}
	s, err := vcenter.Connect(ctx, vcenter.Config{Server: v.Server(), Address: v.Addr(), RootCAs: lab.CA})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(ctx) })
	if err := s.Login(ctx, v.AdminUser(), secret.New(v.AdminPassword())); err != nil {
		t.Fatal(err)
	}
	client, state, err := sso.Read(ctx, s, sso.Query{})
	if err != nil {
		t.Fatal(err)
	}
	first, err := client.Resolve(ctx, "first@"+state.Domain, true)
	if err != nil || first == nil {
		t.Fatal(first, err)
	}
	asked := 0
	v.SetAnswer(func(a *vcsim.Answer) {
		asked++
		a.Status = http.StatusOK
		a.Body = fmt.Appendf(nil, `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><FindDirectParentGroupsResponse xmlns="urn:sso">`+
			`<returnval><id><name>g%d</name><domain>vsphere.local</domain></id></returnval></FindDirectParentGroupsResponse></e:Body></e:Envelope>`, asked)
	})
	if _, err := client.Groups(ctx, first); err == nil || !strings.Contains(err.Error(), "more than 1010") || asked < 1000 || asked > 1100 {
		t.Errorf("after %d requests: %v", asked, err)
	}
}
