package cli

import (
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
)

// Names that spaces separate, as scripts have them, are what --vcenters with commas names, wherever they come from.
func TestSpacedVCenters(t *testing.T) {
	t.Parallel()
	p := clitest.Program{Main: Run, NewRoot: NewCmdRoot}
	path := clitest.WriteFile(t, "credentials", clitest.TwoVCenters, 0o600)
	words := []string{"credentials", "show", "--credentials-file", path}
	_, want, _ := p.Run(t, termtest.NewFake(), append(words, "--vcenters", "vcenter1.example.com,vcenter2.example.com")...)
	for _, names := range []string{"vcenter1.example.com vcenter2.example.com", "vcenter1.example.com, vcenter2.example.com", " vcenter1.example.com  vcenter2.example.com\n"} {
		if code, got, stderr := p.Run(t, termtest.NewFake(), append(words, "--vcenters", names)...); code != 0 || got != want || want == "" {
			t.Errorf("--vcenters %q: exit code %d, %s%s", names, code, got, stderr)
		}
		fake := termtest.NewFake()
		fake.Env[command.EnvName("vcenters")] = names
		if code, got, stderr := p.Run(t, fake, words...); code != 0 || got != want {
			t.Errorf("variable %q: exit code %d, %s%s", names, code, got, stderr)
		}
	}
}

// Variables of govc and of scripts are not read, and named where no vCenter is given; of a URL only the host.
func TestVariablesOfScripts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, value, want string }{
		{"VCENTERS", "vc-a.example.com vc-b.example.com", "--vcenters vc-a.example.com,vc-b.example.com"},
		{"VCENTERS", "vc-a.example.com", "--vcenters vc-a.example.com"},
		{"GOVC_URL", "vc-a.example.com", "--vcenters vc-a.example.com"},
		{"GOVC_URL", "https://vc-a.example.com:8443/sdk", "--vcenters vc-a.example.com:8443"},
		{"GOVC_URL", "https://canary:canary@vc-a.example.com/sdk", "--vcenters vc-a.example.com"},
		{"GOVC_URL", "canary@vsphere.local:can@ary/#?@vc-a.example.com", "--vcenters vc-a.example.com"},
		{"GOVC_URL", "https://canary:canary@/sdk", ""},
		{"GOVC_URL", "user:canary", ""},
		{"VCENTERS", "https://user:canary@host", ""},
		{"VCENTERS", "", ""},
	} {
		fake := termtest.NewFake()
		fake.Env[c.name] = c.value
		fake.Home = t.TempDir()
		code, _, stderr := clitest.Program{Main: Run, NewRoot: NewCmdRoot}.Run(t, fake, "plan")
		clitest.WantText(t, c.value, stderr, "no vCenter is given\nhint: set -f FILE, --install-config FILE, --infrastructure FILE or --vcenters a,b\n")
		said := strings.Contains(stderr, "hint: "+c.name+" is not read")
		if code != command.ExitFailed || said != (c.want != "") || !strings.Contains(stderr, c.want) || strings.Contains(stderr, "canary") {
			t.Errorf("%s=%s: exit code %d\n%s", c.name, c.value, code, stderr)
		}
	}
}
