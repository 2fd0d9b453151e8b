package vcenter_test

import (
	"net/http"
	"testing"

	ssomethods "github.com/vmware/govmomi/ssoadmin/methods"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// The type of a fault is told as the vCenter spells it, whether govmomi knows it or not, and forgotten after a result.
func TestFaultName(t *testing.T) {
	t.Parallel()
	v := lab(t, vcsim.Options{})
	s := login(t, v)
	sso, err := s.SSO(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	name := "of an earlier call"
	ctx := vcenter.WithFaultName(t.Context(), &name)
	remove := types.RemoveAuthorizationRole{This: *s.Content.AuthorizationManager, RoleId: 987654}
	if _, err := methods.RemoveAuthorizationRole(ctx, s, &remove); err == nil || name != "NotFound" {
		t.Errorf("role that is not there: %q, %v", name, err)
	}
	v.SetAnswer(func(a *vcsim.Answer) {
		if a.Method == "FindUser" {
			a.Status = http.StatusInternalServerError
			a.Body = []byte(vcsimFault(`<ns2:OddFault xmlns:ns2="urn:sso" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="ns2:OddFault"/>`))
		}
	})
	find := ssotypes.FindUser{This: sso.Content.PrincipalDiscoveryService}
	if _, err := ssomethods.FindUser(ctx, sso, &find); err == nil || name != "OddFault" {
		t.Errorf("fault that govmomi does not know: %q, %v", name, err)
	}
	if _, err := methods.CurrentTime(ctx, s, &types.CurrentTime{This: types.ManagedObjectReference{Type: "ServiceInstance", Value: "ServiceInstance"}}); err != nil || name != "" {
		t.Errorf("after a result: %q, %v", name, err)
	}
}

func vcsimFault(detail string) string {
	return `<?xml version="1.0"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body><soapenv:Fault>` +
		`<faultcode>ServerFaultCode</faultcode><faultstring>odd</faultstring><detail>` + detail + `</detail></soapenv:Fault></soapenv:Body></soapenv:Envelope>`
}

// Status says what a path answers to somebody who has not logged in.
func TestStatus(t *testing.T) {
	t.Parallel()
	v := lab(t, vcsim.Options{})
	s := login(t, v)
	for path, want := range map[string]int{"/api/there/is/nothing": http.StatusNotFound, "/api/session": http.StatusUnauthorized} {
		if status, err := s.Status(t.Context(), http.MethodGet, path); err != nil || status != want {
			t.Errorf("%s: %d, %v", path, status, err)
		}
	}
}
