package vcenter

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/url"
	"strconv"
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

func TestHiddenForms(t *testing.T) {
	t.Parallel()
	for _, password := range []string{parroted, "Passw0rd!", `back\slash/und "quotes"`, "zwölf Böxkämpfer", "plain"} {
		h := &hidden{}
		if text := "before " + password; h.Text(text) != text {
			t.Errorf("%q is known before it was learned", password)
		}
		h.Learn(password, "another-one")
		quoted, err := json.Marshal(password)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []string{
			password, html.EscapeString(password), url.QueryEscape(password), url.PathEscape(password), strconv.Quote(password),
			strconv.QuoteToASCII(password), string(quoted), strconv.Quote(string(quoted)), hex.EncodeToString([]byte(password)),
			strings.ToUpper(hex.EncodeToString([]byte(password))), strconv.Quote(html.EscapeString(password)),
		} {
			got := h.Text("<" + form + "> and " + form)
			if strings.Count(got, secret.Redacted) != 2 || len(got) > len("<> and ")+2*len(secret.Redacted)+12 {
				t.Errorf("%s: %s", form, got)
			}
		}
		for shift := range 3 {
			text := h.Text("Basic " + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("u", shift)+password)))
			if len(password) > 6 && (!strings.Contains(text, secret.Redacted) || len(text) > len("Basic ")+len(secret.Redacted)+3) {
				t.Errorf("base64 at %d: %s", shift, text)
			}
		}
	}
	h := &hidden{}
	h.Learn("abc", "")
	if text := "abc is part of anything"; h.Text(text) != text {
		t.Errorf("%s", h.Text(text))
	}
}

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
