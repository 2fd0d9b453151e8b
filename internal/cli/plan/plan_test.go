package plan_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli/kit"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// program is what the tests run.
var program = clitest.Program{Main: cli.Run, NewRoot: cli.NewCmdRoot}

// What is wrong with a specification is said once to a person: by the map, which the error leaves it to where both go to the same
// terminal. Whoever keeps them apart or reads JSON gets it as an error with hints.
func TestPlanSaysOnceWhatIsWrong(t *testing.T) {
	t.Parallel()
	lab, err := vcsim.Start(vcsim.Options{VCenters: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.Close)
	dir := t.TempDir()
	files, err := kit.Write(lab, dir, "")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(files.Spec)
	if err != nil {
		t.Fatal(err)
	}
	both := strings.ReplaceAll(string(text), "VM Network", "VM Networks")
	for _, c := range []struct {
		name, spec string
		code       int
		short      string
	}{
		{"no vCenter", both, command.ExitFailed, "ocp-vsphere-admin: 2 vCenters could not be planned; see attention\n"},
		{"one of two", strings.Replace(string(text), "VM Network", "VM Networks", 1), command.ExitPartly, "ocp-vsphere-admin: 1 vCenter could not be planned; see attention\n"},
	} {
		spec := clitest.WriteFile(t, "spec.yaml", c.spec, 0o600)
		run := func(fake *termtest.Fake, words ...string) (stdout, stderr string) {
			fake.Env["TERM"] = "dumb" // no live lines
			fake.Env[command.EnvName("config")], fake.Env["VSPHERE_CREDENTIALS_FILE"] = files.Settings, filepath.Join(dir, "credentials")
			code, stdout, stderr := program.Run(t, fake, append([]string{"plan", "-f", spec, "--no-color"}, words...)...)
			if code != c.code {
				t.Errorf("%s: exit code %d", c.name, code)
			}
			return stdout, stderr
		}
		stdout, stderr := run(termtest.NewFake().WithTerminal(100, 40))
		if stderr != c.short || strings.Count(stdout, "! vcenter1: there is no /DC1/network/VM Networks\n  hint: did you mean /DC1/network/VM Network?") != 1 {
			t.Errorf("%s:\n%s%s", c.name, stdout, stderr)
		}
		const whole = "ocp-vsphere-admin: vcenter1.example.com: there is no /DC1/network/VM Networks\nhint: did you mean /DC1/network/VM Network?\n"
		for _, words := range [][]string{nil, {"-o", "json"}} {
			fake := termtest.NewFake()
			if words != nil {
				fake.WithTerminal(400, 40)
			}
			if _, stderr := run(fake, words...); !strings.HasPrefix(stderr, whole) {
				t.Errorf("%s %q:\n%s", c.name, words, stderr)
			}
		}
	}
}
