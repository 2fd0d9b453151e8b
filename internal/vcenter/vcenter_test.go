package vcenter_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

func lab(t *testing.T, o vcsim.Options) *vcsim.VCenter {
	t.Helper()
	l, err := vcsim.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l.VCenters[0]
}

var quick = []time.Duration{time.Millisecond, time.Millisecond}

func config(v *vcsim.VCenter) vcenter.Config {
	return vcenter.Config{Server: v.Server(), Address: v.Addr(), Thumbprint: v.Thumbprint(), Retries: quick}
}

func login(t *testing.T, v *vcsim.VCenter) *vcenter.Session {
	t.Helper()
	s, err := vcenter.Connect(t.Context(), config(v))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(context.Background()) })
	if err := s.Login(t.Context(), v.AdminUser(), secret.New(v.AdminPassword())); err != nil {
		t.Fatal(err)
	}
	return s
}

func hints(err error) string {
	var h interface{ Hints() []string }
	if errors.As(err, &h) {
		return strings.Join(h.Hints(), "\n")
	}
	return ""
}

func TestTLS(t *testing.T) {
	v := lab(t, vcsim.Options{})
	old := "AB:CD"
	for name, c := range map[string]struct {
		change    func(*vcenter.Config)
		want      string // part of the error; "" = connects
		wantsHint string
	}{
		"thumbprint":           {change: func(*vcenter.Config) {}},
		"thumbprint lower":     {change: func(c *vcenter.Config) { c.Thumbprint = strings.ToLower(strings.ReplaceAll(c.Thumbprint, ":", "")) }},
		"insecure":             {change: func(c *vcenter.Config) { c.Thumbprint, c.Insecure = "", true }},
		"unknown authority":    {change: func(c *vcenter.Config) { c.Thumbprint = "" }, want: "certificate is not trusted", wantsHint: v.Thumbprint()},
		"another thumbprint":   {change: func(c *vcenter.Config) { c.Thumbprint = old }, want: "not " + old, wantsHint: "renewed"},
		"thumbprint for other": {change: func(c *vcenter.Config) { c.Thumbprint, c.RootCAs = "", []byte("no PEM") }, want: "no PEM certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			conf := config(v)
			c.change(&conf)
			s, err := vcenter.Connect(t.Context(), conf)
			if err == nil {
				s.Close(t.Context())
			}
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(hints(err), c.wantsHint)):
				t.Errorf("error %v, hints %q", err, hints(err))
			}
		})
	}
}

// A refused user of another domain than vCenter's own is told which that is.
func TestLoginOfAnotherDomain(t *testing.T) {
	v := lab(t, vcsim.Options{Domain: "a.sso"})
	s, err := vcenter.Connect(t.Context(), config(v))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(t.Context())
	for user, want := range map[string]string{
		"administrator@vsphere.local": "this vCenter's SSO domain is a.sso: users of vsphere.local get in only if it is one of its identity sources",
		`CORP\admin`:                  "this vCenter's SSO domain is a.sso: users of CORP get in only if it is one of its identity sources",
		"nobody@A.SSO":                "",
		`a.sso\nobody`:                "",
		"nobody":                      "",
	} {
		err := s.Login(t.Context(), user, secret.New("wrong"))
		if got := hints(err); !errors.Is(err, vcenter.ErrLogin) || !strings.HasSuffix(got, want) || strings.Contains(got, "a.sso") != (want != "") {
			t.Errorf("%s: %v, hints %q", user, err, got)
		}
	}
}

func TestLoginIsSentOnce(t *testing.T) {
	v := lab(t, vcsim.Options{})
	s, err := vcenter.Connect(t.Context(), config(v))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(t.Context())
	v.ResetRequests()
	err = s.Login(t.Context(), v.AdminUser(), secret.New("wrong-c4n4ry"))
	if !errors.Is(err, vcenter.ErrLogin) || strings.Contains(err.Error(), "c4n4ry") {
		t.Errorf("error is %v", err)
	}
	for _, kind := range []vcsim.FaultKind{vcsim.LostReply, vcsim.Unavailable, vcsim.ServedUnavailable, vcsim.ServedBadGateway} {
		v.SetFault(func(_ int, method string) vcsim.Fault {
			return vcsim.Fault{Kind: map[bool]vcsim.FaultKind{true: kind}[method == "Login"]}
		})
		v.ResetRequests()
		if err := s.Login(t.Context(), v.AdminUser(), secret.New("wrong-c4n4ry")); err == nil || errors.Is(err, vcenter.ErrLogin) {
			t.Errorf("fault %d: %v", kind, err)
		}
		if n := v.Requests()["Login"]; n != 1 {
			t.Errorf("fault %d: %d logins were sent for one", kind, n)
		}
	}
}

func TestRetries(t *testing.T) {
	v := lab(t, vcsim.Options{})
	s := login(t, v)
	for _, kind := range []vcsim.FaultKind{vcsim.Unavailable, vcsim.Dropped, vcsim.LostReply, vcsim.Refused, vcsim.ExpiredSession, vcsim.ServedBadGateway, vcsim.ServedUnavailable} {
		v.SetFault(func(n int, _ string) vcsim.Fault {
			if n == 1 {
				return vcsim.Fault{Kind: kind}
			}
			return vcsim.Fault{}
		})
		if _, err := s.Time(t.Context()); err != nil {
			t.Errorf("fault %d: %v", kind, err)
		}
		inv, err := s.Find(t.Context(), []string{"/DC1"})
		if err != nil || inv.At("/DC1") == nil {
			t.Errorf("fault %d: %v", kind, err)
		}
	}
	v.SetFault(func(int, string) vcsim.Fault { return vcsim.Fault{Kind: vcsim.Unavailable} })
	v.ResetRequests()
	if _, err := s.Time(t.Context()); err == nil || v.Total() != 1+len(quick) {
		t.Errorf("%d attempts, error %v", v.Total(), err)
	}
}

func TestParallelIsBounded(t *testing.T) {
	v := lab(t, vcsim.Options{})
	v.SetLatency(20 * time.Millisecond)
	type call struct{ from, to time.Time }
	var mu sync.Mutex
	var calls []call
	c := config(v)
	c.Parallel = 3
	c.Trace = func(_ string, took time.Duration, _ error) {
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		calls = append(calls, call{now.Add(-took), now})
	}
	s, err := vcenter.Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	if err := s.Login(t.Context(), v.AdminUser(), secret.New(v.AdminPassword())); err != nil {
		t.Fatal(err)
	}
	paths := []string{"/DC1", "/DC1/vm", "/DC1/host", "/DC1/datastore", "/DC1/network", "/DC1/host/C1", "/DC1/vm/legacy", "/DC1/vm/templates"}
	inv, err := s.Find(t.Context(), paths)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		if o := inv.At(p); o == nil || o.Path() != p {
			t.Errorf("%s is %v", p, o)
		}
	}
	most := 0
	for _, a := range calls {
		n := 0
		for _, b := range calls {
			if !b.from.After(a.from) && b.to.After(a.from) {
				n++
			}
		}
		most = max(most, n)
	}
	if most < 2 || most > 3 {
		t.Errorf("%d requests at once, want some and at most 3", most)
	}
}

func TestFind(t *testing.T) {
	v := lab(t, vcsim.Options{})
	s := login(t, v)
	v.ResetRequests()
	inv, err := s.Find(t.Context(), []string{"/", "/DC1", "/DC1/network/ocp-net", "/DC1/host/C1", "/DC1/host/C1/Resources", "/DC1/vm/openshift/cluster1", "/DC1/nothing"})
	if err != nil {
		t.Fatal(err)
	}
	if n := v.Total(); n != 5 {
		t.Errorf("%d requests, want 4 look-ups and 1 read", n)
	}
	for p, want := range map[string]string{"/DC1": "Datacenter", "/DC1/host/C1": "ClusterComputeResource"} {
		if o := inv.At(p); o == nil || o.Ref.Type != want {
			t.Errorf("%s, above others, is %v", p, o)
		}
	}
	if inv.At("/DC1/nothing") != nil || inv.At("/") != inv.Root {
		t.Error("found what is not there, or not the root")
	}
	if sw := inv.At("/DC1/network/ocp-net").Switch; sw == nil || sw.Path() != "/DC1/network/dvs0" {
		t.Errorf("the port group's switch is %v", sw)
	}
	got := map[string]string{}
	for _, p := range []string{"/DC1/network/ocp-net", "/DC1/host/C1/Resources", "/DC1/vm/openshift/cluster1"} {
		o := inv.At(p)
		for _, at := range append(o.Ancestors(), o, o.Switch) {
			if at == nil {
				continue
			}
			if instead, _ := at.Unassignable(); instead != nil {
				got[at.Path()] = instead.Path()
			}
		}
	}
	want := map[string]string{
		"/DC1/network": "/DC1", "/DC1/network/dvs0": "/DC1", "/DC1/host": "/DC1", "/DC1/host/C1/Resources": "/DC1/host/C1", "/DC1/vm": "/DC1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What a missing path leads through is found all the same, in one round more.
func TestFindAboveWhatIsMissing(t *testing.T) {
	v := lab(t, vcsim.Options{})
	s := login(t, v)
	v.ResetRequests()
	paths := []string{"/DC1", "/DC1/vm", "/DC1/vm/openshift", "/DC1/vm/openshift/new", "/DC1/vm/none", "/DC1/vm/none/below"}
	inv, err := s.Find(t.Context(), paths)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, p := range paths {
		if o := inv.At(p); o != nil && o.Within(inv.Root) {
			got[p] = o.Path()
		}
	}
	want := map[string]string{"/DC1": "/DC1", "/DC1/vm": "/DC1/vm", "/DC1/vm/openshift": "/DC1/vm/openshift"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if n := v.Total(); n != 2+1+4+1 {
		t.Errorf("%d requests", n)
	}
}

func TestNearest(t *testing.T) {
	s := login(t, lab(t, vcsim.Options{}))
	for p, want := range map[string]string{
		"/DC1/host/C2":           "did you mean /DC1/host/C1?",
		"/DC1/datastore/ds11":    "did you mean /DC1/datastore/ds1?",
		"/dc1/host/C1":           "did you mean /DC1?",
		"/DC1/vm/openshift/x/y":  "the nearest existing path is /DC1/vm/openshift",
		"/Elsewhere/vm/anything": "the nearest existing path is /",
		"/DC1/vm/cluster1":       "did you mean /DC1/vm/openshift/cluster1?",
	} {
		kind := ""
		if strings.HasSuffix(p, "/cluster1") {
			kind = "Folder"
		}
		found, err := s.Nearest(t.Context(), p, kind)
		if found != (kind != "") {
			t.Errorf("%s: found elsewhere %v", p, found)
		}
		if err == nil || !strings.HasSuffix(err.Error(), "there is no "+p) || hints(err) != want {
			t.Errorf("%s: %v, %q", p, err, hints(err))
		}
	}
}

func TestBelowReadsOnePage(t *testing.T) {
	v := lab(t, vcsim.Options{Estate: vcsim.EstateOptions{Objects: 500}})
	s := login(t, v)
	inv, err := s.Find(t.Context(), []string{"/DC1/vm"})
	if err != nil {
		t.Fatal(err)
	}
	children, err := s.Below(t.Context(), inv.At("/DC1/vm"), 2)
	if err != nil || len(children) != 2 {
		t.Fatalf("%d children, %v", len(children), err)
	}
	for _, c := range children {
		if c.Name == "" || c.Parent.Path() != "/DC1/vm" {
			t.Errorf("child %+v", c)
		}
	}
}

func TestUnreadableProperty(t *testing.T) {
	v := lab(t, vcsim.Options{})
	s := login(t, v)
	// Everything is read, or the caller hears of it: here the session ends behind the tool's back and comes again.
	v.SetFault(func(n int, _ string) vcsim.Fault {
		if n == 1 {
			return vcsim.Fault{Kind: vcsim.ExpiredSession}
		}
		return vcsim.Fault{}
	})
	contents, err := s.Retrieve(t.Context(), types.PropertyFilterSpec{
		PropSet:   []types.PropertySpec{{Type: "AuthorizationManager", PathSet: []string{"roleList"}}},
		ObjectSet: []types.ObjectSpec{{Obj: *s.Content.AuthorizationManager}},
	})
	if err != nil || len(contents) != 1 || len(contents[0].PropSet) != 1 {
		t.Errorf("%d objects, %v", len(contents), err)
	}
}

func TestMissingPrivileges(t *testing.T) {
	v := lab(t, vcsim.Options{})
	if err := v.Directory().AddUser("reader", "Secret-123x", directory.Details{}); err != nil {
		t.Fatal(err)
	}
	admin := login(t, v)
	_, err := methods.SetEntityPermissions(t.Context(), admin, &types.SetEntityPermissions{
		This: *admin.Content.AuthorizationManager, Entity: admin.Content.RootFolder,
		Permission: []types.Permission{{Principal: "reader@vsphere.local", RoleId: -2, Propagate: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := vcenter.Connect(t.Context(), config(v))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	if err := s.Login(t.Context(), "reader@vsphere.local", secret.New("Secret-123x")); err != nil {
		t.Fatal(err)
	}
	_, err = methods.AddAuthorizationRole(t.Context(), s, &types.AddAuthorizationRole{This: *s.Content.AuthorizationManager, Name: "x"})
	want := []vcenter.Missing{{Privileges: []string{"Authorization.ModifyRoles"}, Object: s.Content.RootFolder}}
	if diff := cmp.Diff(want, vcenter.MissingPrivileges(err)); diff != "" {
		t.Error(diff)
	}
}

func TestPeers(t *testing.T) {
	for _, linked := range []bool{true, false} {
		l, err := vcsim.Start(vcsim.Options{VCenters: 2, Linked: linked})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(l.Close)
		var lists [][]string
		for _, v := range l.VCenters {
			peers, err := login(t, v).Peers(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			lists = append(lists, peers)
		}
		if same := cmp.Equal(lists[0], lists[1]); same != linked || len(lists[0]) != map[bool]int{true: 2, false: 1}[linked] {
			t.Errorf("linked %v: %v", linked, lists)
		}
	}
}

func TestUnseenAncestor(t *testing.T) {
	v := lab(t, vcsim.Options{})
	if err := v.Directory().AddUser("reader", "Secret-123x", directory.Details{}); err != nil {
		t.Fatal(err)
	}
	admin := login(t, v)
	inv, err := admin.Find(t.Context(), []string{"/DC1/vm/openshift/cluster1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range []types.ManagedObjectReference{admin.Content.RootFolder, vcenter.MOR(inv.At("/DC1/vm/openshift/cluster1").Ref)} {
		_, err := methods.SetEntityPermissions(t.Context(), admin, &types.SetEntityPermissions{
			This: *admin.Content.AuthorizationManager, Entity: ref,
			Permission: []types.Permission{{Principal: "reader@vsphere.local", RoleId: -2}},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	s, err := vcenter.Connect(t.Context(), config(v))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	if err := s.Login(t.Context(), "reader@vsphere.local", secret.New("Secret-123x")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Find(t.Context(), []string{"/DC1/vm/openshift/cluster1"}); err == nil || !strings.Contains(err.Error(), "but not all objects above it") {
		t.Errorf("error is %v", err)
	}
}

// When a session ends after the password was changed, one refusal is enough for all requests: each counts.
func TestRefusedAgainOnce(t *testing.T) {
	v := lab(t, vcsim.Options{})
	s := login(t, v)
	if err := v.Directory().SetPassword(v.AdminUser(), "Changed-Secret-1x"); err != nil {
		t.Fatal(err)
	}
	v.SetFault(func(int, string) vcsim.Fault { return vcsim.Fault{Kind: vcsim.ExpiredSession} })
	v.ResetRequests()
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			if _, err := s.Find(t.Context(), []string{"/DC1"}); err == nil {
				t.Error("found something without a session")
			}
		})
	}
	wg.Wait()
	if n := v.Requests()["Login"]; n != 1 {
		t.Errorf("%d logins with a password that is wrong by now", n)
	}
}
