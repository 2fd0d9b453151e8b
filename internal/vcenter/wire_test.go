package vcenter_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	lookupmethods "github.com/vmware/govmomi/lookup/methods"
	lookuptypes "github.com/vmware/govmomi/lookup/types"
	ssomethods "github.com/vmware/govmomi/ssoadmin/methods"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// only has a change made to the answers of one method.
func only(method string, change func(*vcsim.Answer)) func(*vcsim.Answer) {
	return func(a *vcsim.Answer) {
		if a.Method == method {
			change(a)
		}
	}
}

func becomes(body string) func(*vcsim.Answer) { return func(a *vcsim.Answer) { a.Body = []byte(body) } }

// An answer with neither a result nor a fault is an error that names the method, also of methods whose result is an
// empty element, and nobody takes it for a refusal: the request may have been served.
func TestEmptyAnswer(t *testing.T) {
	v := lab(t, vcsim.Options{})
	s := login(t, v)
	o, err := s.SSO(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	vim := types.ManagedObjectReference{Type: "AuthorizationManager", Value: "AuthorizationManager"}
	for _, c := range []struct {
		rt       soap.RoundTripper
		req, res soap.HasFault
	}{
		{s, &methods.CurrentTimeBody{Req: &types.CurrentTime{This: vim}}, &methods.CurrentTimeBody{}},
		{s, &methods.LoginBody{Req: &types.Login{This: vim}}, &methods.LoginBody{}},
		{s, &methods.LogoutBody{Req: &types.Logout{This: vim}}, &methods.LogoutBody{}},
		{s, &methods.RetrievePropertiesExBody{Req: &types.RetrievePropertiesEx{This: vim}}, &methods.RetrievePropertiesExBody{}},
		{s, &methods.ContinueRetrievePropertiesExBody{Req: &types.ContinueRetrievePropertiesEx{This: vim}}, &methods.ContinueRetrievePropertiesExBody{}},
		{s, &methods.CancelRetrievePropertiesExBody{Req: &types.CancelRetrievePropertiesEx{This: vim}}, &methods.CancelRetrievePropertiesExBody{}},
		{s, &methods.FindByInventoryPathBody{Req: &types.FindByInventoryPath{This: vim}}, &methods.FindByInventoryPathBody{}},
		{s, &methods.FetchUserPrivilegeOnEntitiesBody{Req: &types.FetchUserPrivilegeOnEntities{This: vim}}, &methods.FetchUserPrivilegeOnEntitiesBody{}},
		{s, &methods.RetrieveAllPermissionsBody{Req: &types.RetrieveAllPermissions{This: vim}}, &methods.RetrieveAllPermissionsBody{}},
		{s, &methods.SetEntityPermissionsBody{Req: &types.SetEntityPermissions{This: vim}}, &methods.SetEntityPermissionsBody{}},
		{s, &methods.RemoveEntityPermissionBody{Req: &types.RemoveEntityPermission{This: vim}}, &methods.RemoveEntityPermissionBody{}},
		{s, &methods.AddAuthorizationRoleBody{Req: &types.AddAuthorizationRole{This: vim}}, &methods.AddAuthorizationRoleBody{}},
		{s, &methods.UpdateAuthorizationRoleBody{Req: &types.UpdateAuthorizationRole{This: vim}}, &methods.UpdateAuthorizationRoleBody{}},
		{s, &methods.RemoveAuthorizationRoleBody{Req: &types.RemoveAuthorizationRole{This: vim}}, &methods.RemoveAuthorizationRoleBody{}},
		{s, &methods.CreateFolderBody{Req: &types.CreateFolder{This: vim}}, &methods.CreateFolderBody{}},
		{s, &lookupmethods.ListBody{Req: &lookuptypes.List{This: vim}}, &lookupmethods.ListBody{}},
		{o, &ssomethods.FindPersonUserBody{Req: &ssotypes.FindPersonUser{This: vim}}, &ssomethods.FindPersonUserBody{}},
		{o, &ssomethods.CreateLocalPersonUserBody{Req: &ssotypes.CreateLocalPersonUser{This: vim}}, &ssomethods.CreateLocalPersonUserBody{}},
		{o, &ssomethods.ResetLocalPersonUserPasswordBody{Req: &ssotypes.ResetLocalPersonUserPassword{This: vim}}, &ssomethods.ResetLocalPersonUserPasswordBody{}},
		{o, &ssomethods.DeleteLocalPrincipalBody{Req: &ssotypes.DeleteLocalPrincipal{This: vim}}, &ssomethods.DeleteLocalPrincipalBody{}},
	} {
		method := strings.TrimSuffix(fmt.Sprintf("%T", c.req)[strings.Index(fmt.Sprintf("%T", c.req), ".")+1:], "Body")
		for _, answer := range []string{"", "<soapenv:Body/>", "<Body></Body>", vcsim.EmptyEnvelope, fmt.Sprintf(`<other xmlns="urn:nobody"><%sResponse/></other>`, method)} {
			body := answer
			if strings.HasPrefix(body, "<") && !strings.HasPrefix(body, "<?xml") {
				body = `<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/">` + body + `</soapenv:Envelope>`
			}
			v.SetFault(func(int, string) vcsim.Fault { return vcsim.Fault{Kind: vcsim.Empty} })
			v.SetAnswer(becomes(body))
			v.ResetRequests()
			err := c.rt.RoundTrip(t.Context(), c.req, c.res)
			if err == nil || vcenter.Refused(err) || body != "" && !strings.Contains(err.Error(), method+": the answer contains neither a result nor a fault") {
				t.Errorf("%s, answer %q: %v", method, body, err)
			}
			if n := v.Requests()[method]; n != 1 && body != "" {
				t.Errorf("%s, answer %q: sent %d times", method, body, n)
			}
		}
	}
}

// A result with the status of a failure is no success.
func TestResultOfAFailure(t *testing.T) {
	v := lab(t, vcsim.Options{})
	s := login(t, v)
	v.SetAnswer(func(a *vcsim.Answer) { a.Status = http.StatusInternalServerError })
	if _, err := s.Time(t.Context()); err == nil || !strings.Contains(err.Error(), "CurrentTime: a result with the failure status HTTP 500") {
		t.Error(err)
	}
}

// What the tool takes from the service contents is missed when it connects, not where it is used.
func TestServiceContent(t *testing.T) {
	v := lab(t, vcsim.Options{})
	for _, name := range []string{"sessionManager", "authorizationManager", "searchIndex", "propertyCollector", "rootFolder", "instanceUuid"} {
		element := regexp.MustCompile(`(?s)<` + name + `\b.*?</` + name + `>`)
		v.SetAnswer(only("RetrieveServiceContent", func(a *vcsim.Answer) { a.Body = element.ReplaceAll(a.Body, nil) }))
		s, err := vcenter.Connect(t.Context(), config(v))
		if err == nil {
			s.Close(t.Context())
		}
		want := name
		if name == "instanceUuid" {
			want = "the instance UUID"
		}
		if err == nil || !strings.HasPrefix(err.Error(), v.Server()+": its service content lacks "+want) {
			t.Errorf("without %s: %v", name, err)
		}
	}
	for _, name := range []string{"principalManagementService", "passwordPolicyService"} {
		element := regexp.MustCompile(`(?s)<` + name + `\b.*?</` + name + `>`)
		v.SetAnswer(only("SsoAdminServiceInstance", func(a *vcsim.Answer) { a.Body = element.ReplaceAll(a.Body, nil) }))
		s := login(t, v)
		if _, err := s.SSO(t.Context()); err == nil || !strings.Contains(err.Error(), "the SSO service content lacks "+name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

func zipped(t *testing.T, begin string, size int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(begin))
	chunk := bytes.Repeat([]byte("x"), 1<<20)
	for range size >> 20 {
		_, _ = z.Write(chunk)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// An answer is read up to a limit, whatever comes out of its compression, and the memory for it is bounded.
func TestAnswersAreBounded(t *testing.T) {
	v := lab(t, vcsim.Options{})
	s := login(t, v)
	const text = `<?xml version="1.0"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body><CurrentTimeResponse xmlns="urn:vim25"><returnval>`
	bomb, some := zipped(t, text, 256<<20), zipped(t, text, 2<<20)
	compressed := func(body []byte, kind string) func(*vcsim.Answer) {
		return func(a *vcsim.Answer) {
			a.Header.Set("Content-Encoding", "gzip")
			a.Header.Set("Content-Type", kind)
			a.Header.Set("Content-Length", fmt.Sprint(len(body)))
			a.Body = body
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	v.SetAnswer(only("CurrentTime", compressed(bomb, "text/xml")))
	_, err := s.Time(t.Context())
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), v.Server()+": CurrentTime: the answer is larger than 64 MiB") || hints(err) == "" {
		t.Errorf("256 MiB: %v", err)
	}
	// All that was allocated on the way: buffers that grow take a multiple of 64 MiB, under the race detector twice that;
	// without a limit it would be a multiple of 256 MiB.
	if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 800 {
		t.Errorf("256 MiB took %d MiB", took)
	}
	v.SetAnswer(only("CurrentTime", compressed(bomb, "text/html; charset=utf-8")))
	if _, err := s.Time(t.Context()); err == nil || !strings.Contains(err.Error(), "larger than 64 KiB") {
		t.Errorf("a web page: %v", err)
	}
	v.SetAnswer(only("CurrentTime", func(a *vcsim.Answer) { a.Header.Set("X-Long", strings.Repeat("x", 2<<20)) }))
	if _, err := s.Time(t.Context()); err == nil {
		t.Error("a header of 2 MiB was read")
	}
	v.SetAnswer(only("RequestSecurityToken", compressed(some, "text/xml")))
	if _, err := login(t, v).SSO(t.Context()); err == nil || !strings.Contains(err.Error(), "larger than 1 MiB") {
		t.Errorf("a token of 2 MiB: %v", err)
	}
	v.SetAnswer(only("List", compressed(bomb, "text/xml")))
	if err := login(t, v).Discover(t.Context()); err == nil || !strings.Contains(err.Error(), "larger than 16 MiB") {
		t.Errorf("a lookup service: %v", err)
	}
}

// Pages end: with a token that was there before, and with a page that brings nothing.
func TestPages(t *testing.T) {
	v := lab(t, vcsim.Options{})
	s := login(t, v)
	object := `<objects><obj type="Folder">group-d1</obj></objects>`
	page := func(method, token, objects string) string {
		return `<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body><` + method +
			`Response xmlns="urn:vim25"><returnval>` + token + objects + `</returnval></` + method + `Response></soapenv:Body></soapenv:Envelope>`
	}
	for name, c := range map[string]struct {
		first, rest string
		requests    int
		want        string
		objects     int
	}{
		"all at once":    {first: object, requests: 1, objects: 1},
		"same token":     {first: "<token>a</token>" + object, rest: "<token>a</token>" + object, requests: 2, want: "twice"},
		"circle":         {first: "<token>a</token>" + object, rest: "<token>b</token>" + object, requests: 3, want: "twice"},
		"empty":          {first: "<token>a</token>", requests: 1, want: "empty page"},
		"empty later":    {first: "<token>a</token>" + object, rest: "<token>b</token>", requests: 2, want: "empty page"},
		"two pages":      {first: "<token>a</token>" + object, rest: object, requests: 2, objects: 2},
		"last one empty": {first: "<token>a</token>" + object, rest: "", requests: 2, objects: 1},
	} {
		v.ResetRequests()
		v.SetAnswer(func(a *vcsim.Answer) {
			a.Status = http.StatusOK
			switch a.Method {
			case "RetrievePropertiesEx":
				a.Body = []byte(page(a.Method, "", c.first))
			case "ContinueRetrievePropertiesEx":
				a.Body = []byte(page(a.Method, "", c.rest))
			}
		})
		got, err := s.Retrieve(t.Context(), types.PropertyFilterSpec{})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || len(got) != c.objects || v.Total() != c.requests {
			t.Errorf("%s: %d objects, %d requests, %v", name, len(got), v.Total(), err)
		}
	}
}

// An inventory that goes round ends too.
func TestInventoryGoesUp(t *testing.T) {
	v := lab(t, vcsim.Options{})
	s := login(t, v)
	parent := regexp.MustCompile(`<val type="Folder"([^>]*)>group-d1</val>`)
	changed := false
	v.SetAnswer(only("RetrievePropertiesEx", func(a *vcsim.Answer) {
		changed = changed || parent.Match(a.Body)
		a.Body = parent.ReplaceAll(a.Body, []byte(`<val type="Datacenter"$1>datacenter-1</val>`))
	}))
	_, err := s.Find(t.Context(), []string{"/DC1/vm"})
	if !changed {
		t.Fatal("the answer holds no parent of a datacenter: look at it")
	}
	if err == nil || !strings.Contains(err.Error(), "below itself") {
		t.Error(err)
	}
}

// A vCenter that never answers is given up on after --timeout, once.
func TestHang(t *testing.T) {
	v := lab(t, vcsim.Options{})
	c := config(v)
	c.Timeout = 200 * time.Millisecond
	s, err := vcenter.Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	v.SetFault(func(int, string) vcsim.Fault { return vcsim.Fault{Kind: vcsim.Slow, Delay: time.Hour} })
	v.ResetRequests()
	_, err = s.Time(t.Context())
	if err == nil || !strings.Contains(err.Error(), "did not answer within 200ms") || v.Total() != 1 {
		t.Errorf("%d requests, %v", v.Total(), err)
	}
	if err := s.Login(t.Context(), v.AdminUser(), secret.New("Some-secret-1")); err == nil || v.Total() != 2 {
		t.Errorf("%d requests, %v", v.Total(), err)
	}
}
