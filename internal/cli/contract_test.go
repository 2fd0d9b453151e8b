package cli

import (
	"encoding/json"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/contract"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcsim/directory"
)

func TestContractWords(t *testing.T) {
	t.Parallel()
	f := NewFactory(term.NewFake().Streams, Build{})
	var got *ContractOptions
	cmd := newCmdContract(f, func(o *ContractOptions) error { got = o; return nil })
	if err := parseWords(t, f, cmd, "contract", "--vcenters", "a,b", "--scratch", "/DC1/vm/x", "--out", "r.json", "--insecure"); err != nil {
		t.Fatal(err)
	}
	if got.Scratch != "/DC1/vm/x" || got.Out != "r.json" || got.Clean != "" || len(got.Connection.Source.VCenters) != 2 || !got.Connection.TLS.Insecure {
		t.Errorf("%+v", got)
	}
	for words, want := range map[string]string{
		"":                       "no vCenter is given",
		"--vcenters a --clean x": `--clean: "x" is no run id`,
		"--vcenters a --clean abcdefgh23 --scratch /x": "--clean and --scratch exclude each other",
		"--vcenters a --clean abcdefgh23 --out x":      "--clean and --out exclude each other",
		"--vcenters a,b --scratch /x":                  "--scratch: one vCenter at a time",
		"--vcenters a,b --clean abcdefgh23":            "--clean: one vCenter at a time",
		"--vcenters a --scratch /x --no-input":         "hint: --yes confirms",
	} {
		code, _, stderr := runWords(t, term.NewFake(), append([]string{"contract"}, strings.Fields(words)...)...)
		if code != ExitFailed {
			t.Errorf("%s: exit code %d", words, code)
		}
		wantText(t, words, stderr, want)
	}
}

// contractLab is a lab with the flags that lead to its vCenter, and the passwords that its SSO domain was told.
func contractLab(t *testing.T, o vcsim.Options) (v *vcsim.VCenter, flags []string, told func() []string) {
	t.Helper()
	lab, err := vcsim.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	v = lab.VCenters[0]
	var mu sync.Mutex
	var passwords []string
	password := regexp.MustCompile(`<(?:newP|p)assword>([^<]*)<`)
	v.SetAnswer(func(a *vcsim.Answer) {
		mu.Lock()
		defer mu.Unlock()
		for _, m := range password.FindAllSubmatch(a.Request, -1) {
			passwords = append(passwords, html.UnescapeString(string(m[1])))
		}
	})
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(v.AdminPassword()), 0o600); err != nil {
		t.Fatal(err)
	}
	flags = []string{
		"--vcenters", v.Server(), "--connect-to", v.Server() + "=" + v.Addr(), "--thumbprint", v.Server() + "=" + v.Thumbprint(),
		"--admin-user", v.AdminUser(), "--admin-password-file", file,
	}
	told = func() []string {
		mu.Lock()
		defer mu.Unlock()
		return passwords
	}
	return v, flags, told
}

// The report names nothing and no output holds a password; what it found, simulate takes over.
func TestContractReport(t *testing.T) {
	t.Parallel()
	v, flags, told := contractLab(t, vcsim.Options{Releases: []string{"8.0.1"}, Without: []string{"Cns.Searchable", "Zone.Manage"}, UserDelay: 2 * time.Second})
	policy, lockout := v.Directory().PasswordPolicy(), v.Directory().LockoutPolicy()
	policy.MinLength, policy.LifetimeDays, lockout.MaxFailed = 12, 45, 9
	if err := v.Directory().SetPasswordPolicy(policy); err != nil {
		t.Fatal(err)
	}
	v.Directory().SetLockoutPolicy(lockout)
	before := v.Snapshot()
	out := filepath.Join(t.TempDir(), "report.json")
	code, stdout, stderr := runWords(t, term.NewFake(), append([]string{"contract", "-v", "--yes", "--scratch", v.Estate().Datacenters[0].Folders[0], "--out", out}, flags...)...)
	if code != ExitDone && code != ExitDifferent {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if diff := cmp.Diff(before, v.Snapshot()); diff != "" {
		t.Errorf("the vCenter changed:\n%s", diff)
	}
	saved, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	passwords := told()
	if len(passwords) < 10 {
		t.Fatalf("%d passwords were sent: the test no longer sees them", len(passwords))
	}
	for _, p := range passwords {
		for what, text := range map[string]string{"stdout": stdout, "stderr": stderr, "the report": string(saved)} {
			if p != "" && strings.Contains(text, p) {
				t.Errorf("a password is in %s", what)
			}
		}
	}
	for _, name := range []string{v.Server(), v.Addr(), "127.0.0.1", v.AdminUser(), `\Administrator`, "vsphere.local", v.Estate().Datacenters[0].Folders[0]} {
		for what, text := range map[string]string{"stdout": stdout, "the report": string(saved)} {
			if strings.Contains(text, name) {
				t.Errorf("%q is in %s", name, what)
			}
		}
	}
	wantText(t, "the clean command", stderr, "if the run is killed: ocp-vsphere-admin contract --clean ", "--vcenters "+v.Server())

	fake := term.NewFake()
	f := NewFactory(fake.Streams, Build{})
	var like *SimulateOptions
	if err := parseWords(t, f, newCmdSimulate(f, func(o *SimulateOptions) error { like = o; return nil }), "simulate", "--like", out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Cns.Searchable", "Zone.Manage"}, like.Lab.Without); diff != "" {
		t.Error(diff)
	}
	if like.Lab.UserDelay <= 0 { // what is left of the delay when it is first tried depends on the machine
		t.Error("no delay of accounts was measured")
	}
	if diff := cmp.Diff([]string{"8.0.1"}, like.Lab.Releases); diff != "" {
		t.Error(diff)
	}
	lab, err := vcsim.Start(like.Lab)
	if err != nil {
		t.Fatal(err)
	}
	defer lab.Close()
	like.resemble(lab)
	ignored := func(p directory.PasswordPolicy) directory.PasswordPolicy { p.Description = ""; return p }
	if diff := cmp.Diff(ignored(policy), ignored(lab.VCenters[0].Directory().PasswordPolicy())); diff != "" {
		t.Errorf("password policy:\n%s", diff)
	}
	if got := lab.VCenters[0].Directory().LockoutPolicy(); got.MaxFailed != 9 || got.Within != lockout.Within {
		t.Errorf("lockout policy %+v", got)
	}
}

// What the simulation cannot be made like is said; a report of nothing, or of something else, is refused.
func TestSimulateLikeSaysWhatItCannot(t *testing.T) {
	t.Parallel()
	view := contractView{header: newHeader("Contract"), VCenters: []*contract.Report{
		contract.Unread(os.ErrDeadlineExceeded),
		{
			Product:    contract.Product{Version: "6.7.0"},
			Privileges: contract.Catalogue{Unrecorded: 3, Lacks: []string{"Zone.Manage"}},
			Passwords:  &contract.Passwords{MinLength: 1, MinAlphabetic: 4},
			Rules:      []contract.Result{{Rule: "R3", Case: "case", Verdict: contract.Differs, Detail: "it was accepted"}, {Rule: "R9", Verdict: contract.Holds}},
		},
	}}
	dir := t.TempDir()
	write := func(name string, v any) string {
		text, err := json.Marshal(v)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return filepath.Join(dir, name)
	}
	fake := term.NewFake()
	f := NewFactory(fake.Streams, Build{})
	var o *SimulateOptions
	words := []string{"simulate", "--like", write("report.json", view), "--without", "Cns.Searchable"}
	if err := parseWords(t, f, newCmdSimulate(f, func(got *SimulateOptions) error { o = got; return nil }), words...); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Cns.Searchable"}, o.Lab.Without); diff != "" {
		t.Errorf("the flag counts more: %s", diff)
	}
	lab, err := vcsim.Start(o.Lab)
	if err != nil {
		t.Fatal(err)
	}
	defer lab.Close()
	o.resemble(lab)
	wantText(t, "what is not simulated", fake.Stderr.String(),
		"the password policy of the report is not simulated", "version 6.7.0", "3 privileges unknown to the simulation", "R3 case: it was accepted")
	if strings.Contains(fake.Stderr.String(), "R9") {
		t.Errorf("a rule that holds is named: %s", fake.Stderr.String())
	}
	other, none := view, view
	other.Kind, none.VCenters = "Plan", view.VCenters[:1]
	for name, want := range map[string]string{
		write("other.json", other): "is not a contract report",
		write("more.json", map[string]any{"apiVersion": apiVersion, "kind": "Contract", "surplus": 1}): "is not a contract report",
		write("none.json", none): "no vCenter in it could be reached",
		filepath.Join(dir, "x"):  "--like",
	} {
		code, _, stderr := runWords(t, term.NewFake(), "simulate", "--like", name)
		if code != ExitFailed {
			t.Errorf("%s: exit code %d", name, code)
		}
		wantText(t, name, stderr, want)
	}
}

// A vCenter that cannot be asked is in the report as well, by its number.
func TestContractUnread(t *testing.T) {
	t.Parallel()
	v, flags, _ := contractLab(t, vcsim.Options{})
	flags[1] += ",other.example.com"
	flags = append(flags, "--connect-to", "other.example.com=127.0.0.1:1")
	code, stdout, stderr := runWords(t, term.NewFake(), append([]string{"contract", "-o", "json"}, flags...)...)
	var view contractView
	if err := json.Unmarshal([]byte(stdout), &view); err != nil || code != ExitPartly {
		t.Fatalf("exit code %d, %v: %s", code, err, stderr)
	}
	if len(view.VCenters) != 2 || view.VCenters[0].VCenter != "vcenter-1" || view.VCenters[0].Count(contract.Holds) < 20 {
		t.Fatalf("%+v", view.VCenters)
	}
	if other := view.VCenters[1]; other.VCenter != "vcenter-2" || other.Error != "it cannot be reached" {
		t.Errorf("%+v", other)
	}
	wantText(t, "stderr", stderr, "other.example.com: cannot be reached")
	if strings.Contains(stdout, "example.com") || strings.Contains(stdout, v.Addr()) {
		t.Error("the report holds a name")
	}
}

func TestNearestRelease(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{
		"7.0.3": "7.0.3", "7.0.2": "7.0.3", "8.0.0": "8.0.1", "8.0.2": "8.0.1", "8.0.3": "8.0.3", "8.0.10": "8.0.3", "9.0.1": "9.0", "6.7.0": "", "": "",
	} {
		if got := nearestRelease(version); got != want {
			t.Errorf("%q: %q, not %q", version, got, want)
		}
	}
}
