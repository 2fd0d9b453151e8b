package vcsim

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/vmware/govmomi/session"
	"github.com/vmware/govmomi/ssoadmin"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

func createFolder(ctx context.Context, c *vim25.Client, name string) error {
	_, err := methods.CreateFolder(ctx, c, &types.CreateFolder{This: c.ServiceContent.RootFolder, Name: name})
	return err
}

// once makes one kind of fault happen to the first request.
func once(kind FaultKind) func(int, string) Fault {
	return func(n int, _ string) Fault {
		if n == 1 {
			return Fault{Kind: kind}
		}
		return Fault{}
	}
}

func TestFaults(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	for _, c := range []struct {
		name   string
		kind   FaultKind
		fails  bool
		served bool // the vCenter did it all the same
	}{
		{"none", None, false, true},
		{"unavailable", Unavailable, true, false},
		{"dropped", Dropped, true, false},
		{"lost reply", LostReply, true, true},
		{"slow", Slow, false, true},
		{"expired session", ExpiredSession, true, false},
		{"refused", Refused, true, false},
		{"502 after serving", ServedBadGateway, true, true},
		{"503 after serving", ServedUnavailable, true, true},
	} {
		client := admin(t, v)
		v.SetFault(once(c.kind))
		err := createFolder(t.Context(), client, c.name)
		v.SetFault(nil)
		if (err != nil) != c.fails {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, served := v.find("/" + c.name); served != c.served {
			t.Errorf("%s: served %t, want %t", c.name, served, c.served)
		}
		var gone *types.NotAuthenticated
		switch c.kind {
		case Unavailable, Dropped, LostReply, Refused, ServedBadGateway, ServedUnavailable:
			if _, ok := errors.AsType[*url.Error](err); !ok {
				t.Errorf("%s: %v is no transport error", c.name, err)
			}
		case ExpiredSession:
			if !isFault(err, &gone) {
				t.Errorf("%s: %v, want NotAuthenticated", c.name, err)
			}
		}
		if c.kind == Refused && !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("refused: %v, want a reset", err)
		}
	}
}

func TestR47ExpiredSessionLogsInAgain(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := admin(t, v)
	v.SetFault(once(ExpiredSession))
	var gone *types.NotAuthenticated
	if err := createFolder(t.Context(), c, "one"); !isFault(err, &gone) {
		t.Fatalf("%v, want NotAuthenticated", err)
	}
	if err := session.NewManager(c).Login(t.Context(), url.UserPassword(v.AdminUser(), v.AdminPassword())); err != nil {
		t.Fatalf("log in again: %v", err)
	}
	if err := createFolder(t.Context(), c, "one"); err != nil {
		t.Errorf("after that: %v", err)
	}
}

func TestR41FirewallPage(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := plain(t, v)
	v.SetFault(func(_ int, method string) Fault {
		if method == "SsoAdminServiceInstance" {
			return Fault{Kind: Blocked}
		}
		return Fault{}
	})
	if _, err := ssoadmin.NewClient(t.Context(), c); err == nil || !strings.Contains(err.Error(), "<html>") {
		t.Errorf("%v, want govmomi's complaint about <html>", err)
	}
}

func TestDatastoreFilesNeedPrivileges(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	d := v.Directory()
	if err := d.AddUser("reader", goodPassword, directory.Details{}); err != nil {
		t.Fatal(err)
	}
	role, err := v.authz.addRole("browse", []string{"Datastore.Browse"})
	if err != nil {
		t.Fatal(err)
	}
	ds, ok := v.find("/DC1/datastore/ds1")
	if !ok {
		t.Fatal("no datastore")
	}
	if err := v.authz.setPermission(ds, directory.Principal{Domain: d.Domain(), Name: "reader"}, role, false); err != nil {
		t.Fatal(err)
	}
	reader, err := v.Login(t.Context(), "reader", goodPassword)
	if err != nil {
		t.Fatal(err)
	}
	get := func(c *vim25.Client, method, ds string) int {
		req, err := http.NewRequestWithContext(t.Context(), method, "https://"+v.Server()+"/folder/x/file?dcPath=DC1&dsName="+ds, strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.Client.Client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res.StatusCode
	}
	for _, c := range []struct {
		name   string
		client *vim25.Client
		method string
		ds     string
		want   int
	}{
		{"nobody", plain(t, v), "GET", "ds1", http.StatusUnauthorized},
		{"a reader writes", reader, "PUT", "ds1", http.StatusForbidden},
		{"the administrator writes", admin(t, v), "PUT", "ds1", http.StatusOK},
		{"a reader reads", reader, "GET", "ds1", http.StatusOK},
		{"a reader reads elsewhere", reader, "GET", "other", http.StatusForbidden},
		{"no such datastore", reader, "GET", "none", http.StatusNotFound},
	} {
		if got := get(c.client, c.method, c.ds); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestClockOfTheVCenter(t *testing.T) {
	c := &clock{t: time.Date(2031, 2, 3, 4, 5, 6, 0, time.UTC)}
	got, err := methods.GetCurrentTime(t.Context(), admin(t, start(t, Options{Now: c.now}).VCenters[0]))
	if err != nil || !got.Equal(c.t) {
		t.Errorf("%v, %v; want %v", got, err, c.t)
	}
}

func TestFaultSeesEachRequestOnce(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	c := admin(t, v)
	seen := map[int]string{}
	v.SetFault(func(n int, method string) Fault { seen[n] = method; return Fault{} })
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := methods.GetCurrentTime(t.Context(), c); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	v.SetFault(nil)
	if len(seen) != 8 || seen[1] != "CurrentTime" || seen[8] != "CurrentTime" {
		t.Errorf("%v", seen)
	}
	v.SetFault(func(n int, _ string) Fault { seen[100+n] = ""; return Fault{} })
	if _, err := methods.GetCurrentTime(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if _, ok := seen[101]; !ok {
		t.Error("a new fault does not count from 1")
	}
}

func TestRequestsAreCounted(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	administrate(t, v)
	v.ResetRequests()
	c := admin(t, v)
	if _, err := issue(t, v, v.AdminUser(), v.AdminPassword()); err != nil {
		t.Fatal(err)
	}
	if err := createFolder(t.Context(), c, "x"); err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DialTLSContext: v.lab.DialTLSContext}}
	res, err := client.Get("https://" + v.Server() + "/api/session")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	want := map[string]int{
		"RetrieveServiceContent": 3, // two clients and the lookup service
		"Login":                  1, "QueryOptions": 1, "List": 1, "RequestSecurityToken": 1,
		"CreateFolder": 1, "GET /api/session": 1,
	}
	got := v.Requests()
	delete(want, "QueryOptions") // needs a session, which the STS client has not
	delete(got, "QueryOptions")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if v.Total() == 0 {
		t.Error("no total")
	}
	v.ResetRequests()
	if v.Total() != 0 || len(v.Requests()) != 0 {
		t.Error("still counting")
	}
}

func TestLatencyCanBeSetWhileRunning(t *testing.T) {
	v := start(t, Options{Latency: time.Microsecond}).VCenters[0]
	c := admin(t, v)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			v.SetLatency(time.Duration(i) * time.Microsecond)
			if _, err := methods.GetCurrentTime(t.Context(), c); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	// A request that waits ends with its client.
	v.SetLatency(time.Hour)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := methods.GetCurrentTime(ctx, c); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want the deadline", err)
	}
}

func TestCloseEndsService(t *testing.T) {
	l, err := Start(Options{})
	if err != nil {
		t.Fatal(err)
	}
	addr := l.VCenters[0].Addr()
	l.Close()
	l.Close()
	if c, err := net.Dial("tcp", addr); err == nil {
		_ = c.Close()
		t.Error("still listening")
	}
}

// What a fault and the reason of a status say is anybody's text, newlines and escape sequences included.
func TestFaultsSayWhatTheyAreTold(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	client := admin(t, v)
	const text = "no\n+ \u202eforged\u009b2J"
	v.SetFault(func(int, string) Fault { return Fault{Kind: Worded, Text: text} })
	if err := createFolder(t.Context(), client, "x"); err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("a fault says %q", err)
	}
	const reason = "Bad\x1b[2J \u202eRequest"
	v.SetFault(func(int, string) Fault { return Fault{Kind: Reasoned, Text: reason} })
	if err := createFolder(t.Context(), client, "x"); err == nil || !strings.Contains(err.Error(), reason) {
		t.Errorf("a status says %q", err)
	}
}

func TestSuffixOfNames(t *testing.T) {
	const suffix = " \u202e\u200b"
	v := start(t, Options{Estate: EstateOptions{Suffix: suffix}}).VCenters[0]
	dc := v.Estate().Datacenters[0]
	for _, path := range []string{dc.Path, dc.Clusters[0].Path, dc.Datastores[0], dc.Networks[1].Path, dc.Templates[0], dc.Folders[0]} {
		if !strings.HasSuffix(path, suffix) {
			t.Errorf("%q", path)
		}
	}
}
