package contract_test

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

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli"
	contractcmd "github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli/contract"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli/serve"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/contract"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// program is what the tests run.
var program = clitest.Program{Name: "vcenter-lab", Main: cli.Run, NewRoot: cli.NewCmdRoot}

func TestContractWords(t *testing.T) {
	t.Parallel()
	f := command.NewFactory(termtest.NewFake().Streams, command.Build{})
	var got *contractcmd.Options
	cmd := contractcmd.NewCmd(f, func(o *contractcmd.Options) error { got = o; return nil })
	if err := program.Parse(t, f, cmd, "contract", "--vcenters", "a,b", "--scratch", "/DC1/vm/x", "--out", "r.json", "--insecure"); err != nil {
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
		code, _, stderr := program.Run(t, termtest.NewFake(), append([]string{"contract"}, strings.Fields(words)...)...)
		if code != command.ExitFailed {
			t.Errorf("%s: exit code %d", words, code)
		}
		clitest.WantText(t, words, stderr, want)
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
	code, stdout, stderr := program.Run(t, termtest.NewFake(), append([]string{"contract", "-v", "--yes", "--scratch", v.Estate().Datacenters[0].Folders[0], "--out", out}, flags...)...)
	if code != command.ExitDone && code != command.ExitDifferent {
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
	clitest.WantText(t, "the clean command", stderr, "if the run is killed: vcenter-lab contract --clean ", "--vcenters "+v.Server())

	fake := termtest.NewFake()
	f := command.NewFactory(fake.Streams, command.Build{})
	var like *serve.Options
	if err := program.Parse(t, f, serve.NewCmd(f, func(o *serve.Options) error { like = o; return nil }), "serve", "--like", out); err != nil {
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
	like.Resemble(lab)
	ignored := func(p directory.PasswordPolicy) directory.PasswordPolicy { p.Description = ""; return p }
	if diff := cmp.Diff(ignored(policy), ignored(lab.VCenters[0].Directory().PasswordPolicy())); diff != "" {
		t.Errorf("password policy:\n%s", diff)
	}
	if got := lab.VCenters[0].Directory().LockoutPolicy(); got.MaxFailed != 9 || got.Within != lockout.Within {
		t.Errorf("lockout policy %+v", got)
	}
}

// A vCenter that cannot be asked is in the report as well, by its number.
func TestContractUnread(t *testing.T) {
	t.Parallel()
	v, flags, _ := contractLab(t, vcsim.Options{})
	flags[1] += ",other.example.com"
	flags = append(flags, "--connect-to", "other.example.com=127.0.0.1:1")
	code, stdout, stderr := program.Run(t, termtest.NewFake(), append([]string{"contract", "-o", "json"}, flags...)...)
	var view contractcmd.View
	if err := json.Unmarshal([]byte(stdout), &view); err != nil || code != command.ExitPartly {
		t.Fatalf("exit code %d, %v: %s", code, err, stderr)
	}
	if len(view.VCenters) != 2 || view.VCenters[0].VCenter != "vcenter-1" || view.VCenters[0].Count(contract.Holds) < 20 {
		t.Fatalf("%+v", view.VCenters)
	}
	if other := view.VCenters[1]; other.VCenter != "vcenter-2" || other.Error != "it cannot be reached" {
		t.Errorf("%+v", other)
	}
	clitest.WantText(t, "stderr", stderr, "other.example.com: cannot be reached")
	if strings.Contains(stdout, "example.com") || strings.Contains(stdout, v.Addr()) {
		t.Error("the report holds a name")
	}
}
