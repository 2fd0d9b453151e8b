package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

func TestFaultWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Fault{
		"SetEntityPermissions=lost-reply":     {Method: "SetEntityPermissions", Kind: vcsim.LostReply},
		"vc1/CreateLocalPersonUser=dropped@2": {Server: "vc1", Method: "CreateLocalPersonUser", Kind: vcsim.Dropped, Call: 2},
		"*=unavailable@7":                     {Method: "*", Kind: vcsim.Unavailable, Call: 7},
	} {
		got, err := parseFault(text)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", text, err, diff)
		}
	}
	for text, want := range map[string]string{
		"SetEntityPermissions": "must be [SERVER/]METHOD=KIND[@N]",
		"=dropped":             "must be [SERVER/]METHOD=KIND[@N]",
		"Login=lost":           `"lost" is not one of`,
		"Login=dropped@0":      `the number of the call, from 1, not "0"`,
	} {
		if _, err := parseFault(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]directory.LockoutPolicy{
		"off":       {},
		"3":         {MaxFailed: 3, Within: 180 * time.Second, UnlockAfter: 300 * time.Second},
		"3,1m":      {MaxFailed: 3, Within: time.Minute, UnlockAfter: 300 * time.Second},
		"3,1m,10s":  {MaxFailed: 3, Within: time.Minute, UnlockAfter: 10 * time.Second},
		"10,90s,0s": {MaxFailed: 10, Within: 90 * time.Second},
	} {
		got, err := parseLockout(text)
		got.Description = ""
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", text, err, diff)
		}
	}
	for _, text := range []string{"", "0", "never", "3,soon", "3,1m,10s,2s", "3,-1s"} {
		if _, err := parseLockout(text); err == nil {
			t.Errorf("%q is taken for a lockout policy", text)
		}
	}
}

// What was asked for goes wrong, at the call that was named and nowhere else; a stricter lockout holds; and every call is in the
// recording, without a password.
func TestSimulateGoesWrongAsAsked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "calls.jsonl")
	o := &Options{Factory: command.NewFactory(termtest.NewFake().Streams, command.Build{}), Lab: vcsim.Options{VCenters: 2}, Record: path}
	if err := o.Faults.Set("vcenter1.example.com/SessionIsActive=empty"); err != nil {
		t.Fatal(err)
	}
	if err := o.Lockout.Set("1"); err != nil {
		t.Fatal(err)
	}
	calls, err := o.record()
	if err != nil {
		t.Fatal(err)
	}
	lab, err := vcsim.Start(o.Lab)
	if err != nil {
		t.Fatal(err)
	}
	defer lab.Close()
	if err := o.afflict(lab); err != nil {
		t.Fatal(err)
	}
	enter := func(v *vcsim.VCenter, user, password string) (*vcenter.Session, error) {
		s, err := vcenter.Connect(t.Context(), vcenter.Config{Server: v.Server(), Address: v.Addr(), RootCAs: lab.CA})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close(context.Background()) })
		err = s.Login(t.Context(), user, secret.New(password))
		return s, err
	}
	first := lab.VCenters[0]
	if err := first.Directory().AddUser("mallory@vsphere.local", "Mallory-1-pass", directory.Details{}); err != nil {
		t.Fatal(err)
	}
	for _, password := range []string{"Wrong-1-pass", "Mallory-1-pass"} { // one failure locks
		if _, err := enter(first, "mallory@vsphere.local", password); !errors.Is(err, vcenter.ErrLogin) {
			t.Errorf("%v", err)
		}
	}
	for _, v := range lab.VCenters {
		s, err := enter(v, v.AdminUser(), v.AdminPassword())
		if err != nil {
			t.Fatal(err)
		}
		for n := range 3 {
			_, err := s.Privileges(t.Context(), vcenter.Ref(s.Content.RootFolder))
			if err != nil {
				t.Errorf("%s, call %d: %v", v.Server(), n, err)
			}
		}
	}
	if err := calls.close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	lines := bufio.NewScanner(strings.NewReader(string(data)))
	for lines.Scan() {
		var r vcsim.Record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("%v: %s", err, lines.Text())
		}
		seen[r.Server+" "+r.Method+" "+r.Verdict]++
	}
	if seen["vcenter1.example.com Login InvalidLogin"] != 2 || seen["vcenter2.example.com Login "+vcsim.VerdictServed] != 1 {
		t.Errorf("%v", seen)
	}
	for _, word := range []string{"Wrong-1-pass", "Mallory-1-pass", first.AdminPassword()} {
		if strings.Contains(string(data), word) {
			t.Error("a password is in the recording")
		}
	}
	if _, err := o.record(); err == nil || !strings.Contains(err.Error(), "exists: it is not overwritten") {
		t.Errorf("a recording is written over: %v", err)
	}
	o.Faults[0].Server = "vc9"
	if err := o.afflict(lab); err == nil || !strings.Contains(err.Error(), "no vCenter vc9 in this simulation") {
		t.Errorf("%v", err)
	}
}

// A fault of one call is that call's, of its method on its vCenter.
func TestFaultsOfCalls(t *testing.T) {
	t.Parallel()
	f := faultsOf([]Fault{{Method: "Login", Kind: vcsim.Dropped, Call: 2}, {Method: "*", Kind: vcsim.Slow, Call: 4}, {Method: "Logout", Kind: vcsim.Empty}})
	var got []vcsim.FaultKind
	for n, method := range []string{"Login", "Find", "Login", "Login", "Logout", "Logout"} {
		got = append(got, f(n+1, method).Kind)
	}
	want := []vcsim.FaultKind{vcsim.None, vcsim.None, vcsim.Dropped, vcsim.Slow, vcsim.Empty, vcsim.Empty}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
