package vcenter

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/vmware/govmomi/fault"
	"github.com/vmware/govmomi/ssoadmin/methods"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"
	vimmethods "github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// Callers read the fields of faults, and govmomi knows a fault only unwrapped: it is cleaned inside.
func TestHiddenInFaults(t *testing.T) {
	t.Parallel()
	h := &hidden{}
	h.Learn(parroted)
	f := &soap.Fault{Code: parroted, String: "no: " + parroted}
	f.Detail.Fault = types.NoPermission{
		SecurityError: types.SecurityError{RuntimeFault: types.RuntimeFault{MethodFault: types.MethodFault{
			FaultCause:   &types.LocalizedMethodFault{Fault: &types.InvalidArgument{InvalidProperty: parroted}, LocalizedMessage: parroted},
			FaultMessage: []types.LocalizableMessage{{Message: parroted, Arg: []types.KeyAnyValue{{Key: "k", Value: parroted}}}},
		}}},
		PrivilegeId: parroted,
	}
	err := h.scrubFault(soap.WrapSoapFault(f))
	if text := fmt.Sprintf("%v %+v", err, f); strings.Contains(text, parroted) || !soap.IsSoapFault(err) {
		t.Errorf("fault %t: %s", soap.IsSoapFault(err), text)
	}
	var missing *types.NoPermission
	if _, ok := fault.As(err, &missing); !ok || missing.PrivilegeId != secret.Redacted || missing.FaultCause.LocalizedMessage != secret.Redacted ||
		missing.FaultCause.Fault.(*types.InvalidArgument).InvalidProperty != secret.Redacted || missing.FaultMessage[0].Arg[0].Value != secret.Redacted {
		t.Errorf("%+v", missing)
	}
	cause := errors.New("cause")
	if err := h.Scrub(fmt.Errorf("%s: %w", parroted, cause)); !errors.Is(err, cause) || err.Error() != secret.Redacted+": cause" {
		t.Error(err)
	}
	if err := h.Scrub(cause); err != cause || h.Scrub(nil) != nil { //nolint:errorlint // what holds no secret stays itself
		t.Error(err)
	}
}

// Every request that holds a password is known by its fields, those too that nobody sends yet.
func TestPasswordsOfRequests(t *testing.T) {
	t.Parallel()
	for want, body := range map[string]soap.HasFault{
		"a": &vimmethods.LoginBody{Req: &types.Login{UserName: "u", Password: "a"}},
		"b": &methods.CreateLocalPersonUserBody{Req: &ssotypes.CreateLocalPersonUser{UserName: "u", Password: "b"}},
		"c": &methods.ResetLocalPersonUserPasswordBody{Req: &ssotypes.ResetLocalPersonUserPassword{UserName: "u", NewPassword: "c"}},
		"e": &methods.ResetSelfLocalPersonUserPasswordBody{Req: &ssotypes.ResetSelfLocalPersonUserPassword{NewPassword: "e"}},
		"":  &vimmethods.LogoutBody{Req: &types.Logout{}},
	} {
		got := passwordsOf(body)
		for _, p := range strings.Fields(want) {
			if !strings.Contains(strings.Join(got, " "), p) || len(got) != len(strings.Fields(want)) {
				t.Errorf("%T: %q, want %q", body, got, want)
			}
		}
	}
}
