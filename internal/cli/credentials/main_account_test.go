package credentials_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
)

// Who asks what becomes of a section's plain user and password gets one answer: in help texts, where it matters, and on the page.
func TestOneAnswerOnTheMainAccount(t *testing.T) {
	t.Parallel()
	plain := func(text string) string { // without what differs between a page and a terminal
		text = regexp.MustCompile(`<!--.*?-->`).ReplaceAllString(text, "")
		return strings.Join(strings.Fields(strings.NewReplacer("`", "", "'", "").Replace(text)), " ")
	}
	says := func(what, text string) {
		if !strings.Contains(plain(text), plain(credfile.MainAccount)) {
			t.Errorf("%s does not say: %s", what, credfile.MainAccount)
		}
	}
	for _, words := range []string{"credentials show", "credentials validate", "credentials resolve", "secrets emit", "install-config render"} {
		_, stdout, _ := program.Run(t, termtest.NewFake(), append(strings.Fields(words), "--help")...)
		says(words+" --help", stdout)
	}
	file := clitest.WriteFile(t, "credentials", "[vc1]\nuser = main@d\npassword = 1\n", 0o600)
	config := clitest.WriteFile(t, "config.yaml", "platform:\n  vsphere:\n    vcenters:\n    - server: vc1\n", 0o600)
	for words, code := range map[string]int{
		"credentials show": 0, "credentials validate": command.ExitDifferent, "credentials resolve": 0,
		"secrets emit --main-account-for machine-api,csi-driver,cloud-controller,diagnostics":  0,
		"credentials resolve --install-config " + config:                                       command.ExitDifferent,
		"credentials import " + clitest.WriteFile(t, "other.yaml", clitest.SmallConfig, 0o600): 0,
	} {
		got, _, stderr := program.Run(t, termtest.NewFake(), append(strings.Fields(words), "--credentials-file", file)...)
		if says(words, stderr); got != code {
			t.Errorf("%s: exit code %d: %s", words, got, stderr)
		}
	}
	page, err := os.ReadFile("../../../docs/credentials.md")
	if err != nil {
		t.Fatal(err)
	}
	says("docs/credentials.md", string(page))
}

// It is not said where nobody is in doubt.
func TestNoAnswerUnasked(t *testing.T) {
	t.Parallel()
	file := clitest.WriteFile(t, "credentials", "[vcenter1.example.com]\nuser = installer@vsphere.local\npassword = p\n", 0o600)
	config := clitest.WriteFile(t, "config.yaml",
		"platform:\n  vsphere:\n    vcenters:\n    - {server: vcenter1.example.com, user: Installer@vsphere.local, password: p}\n", 0o600)
	for _, words := range []string{"resolve --install-config " + config, "resolve --components csi-driver", "show --components csi-driver", "validate --components installer"} {
		_, _, stderr := program.Run(t, termtest.NewFake(), append([]string{"credentials"}, append(strings.Fields(words), "--credentials-file", file)...)...)
		if strings.Contains(stderr, credfile.MainAccount) {
			t.Errorf("%s: %s", words, stderr)
		}
	}
}

// IGNORED names what differs and loses: no equal account, none that nobody would get, and no password.
func TestIgnoredIsWhatDiffers(t *testing.T) {
	t.Parallel()
	const file = "[vc1]\nuser = main@d\npassword = main-pw\nmachine-api.user = m@d\nmachine-api.password = m-pw\ncsi-driver.user = c@d\ncsi-driver.password = c-pw\n"
	for name, c := range map[string]struct{ of, want string }{
		"equal":            {"{server: vc1, user: main@d, password: main-pw, componentCredentials: {machineAPI: {user: M@d, password: m-pw}}}", ""},
		"another user":     {"{server: vc1, user: main@d, password: main-pw, componentCredentials: {machineAPI: {user: x@d, password: m-pw}}}", "m@d of --credentials-file: the install-config takes precedence"},
		"another password": {"{server: vc1, user: main@d, password: main-pw, componentCredentials: {csiDriver: {user: c@d, password: x-pw}}}", "another password in --credentials-file: the install-config takes precedence"},
		"another main":     {"{server: vc1, user: x@d, password: main-pw}", "main@d of --credentials-file: " + credfile.MainUnread},
		"no main":          {"{server: vc1}", ""},
	} {
		path := clitest.WriteFile(t, "credentials", file, 0o600)
		config := clitest.WriteFile(t, "config.yaml", "platform:\n  vsphere:\n    vcenters:\n    - "+c.of+"\n", 0o600)
		words := []string{"credentials", "resolve", "--install-config", config, "--credentials-file", path}
		_, stdout, _ := program.Run(t, termtest.NewFake(), words...)
		var ignored []string
		for _, line := range strings.Split(stdout, "\n") {
			if at := strings.Index(strings.Split(stdout, "\n")[0], "IGNORED"); len(line) > at && !strings.Contains(line, "IGNORED") {
				ignored = append(ignored, line[at:])
			}
		}
		if got := strings.Join(ignored, "\n"); got != c.want || strings.Contains(stdout, "-pw") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		_, stdout, _ = program.Run(t, termtest.NewFake(), append(words, "-o", "json")...)
		if conflicts := strings.Count(stdout, `"conflict": true`); conflicts != min(1, len(c.want)) {
			t.Errorf("%s: %d conflicts: %s", name, conflicts, stdout)
		}
	}
}

// What secrets emit refuses is a problem of credentials validate, and what it does not refuse is none: both judge a file by one function
// (openshift.TestFindingsAgreeWithManifests tries more accounts), with the same servers, components and profile.
func TestValidateAgreesWithEmit(t *testing.T) {
	t.Parallel()
	const csi, machines = "csi-driver.user = c@b\ncsi-driver.password = 2\n", "machine-api.user = m@b\nmachine-api.password = 2\n"
	for name, c := range map[string]struct {
		one, two, words string // the sections
		fits            bool
	}{
		"main accounts":        {"user = a@b\npassword = 1\n", "user = a@b\npassword = 1\n", "", false},
		"one main account":     {"user = a@b\npassword = 1\n", csi, "", false},
		"narrowed to it":       {"user = a@b\npassword = 1\n", csi, "--vcenters vcenter1.example.com", false},
		"narrowed to others":   {"user = a@b\npassword = 1\n", csi, "--vcenters vcenter2.example.com", false},
		"partial":              {csi, csi, "", false},
		"the component of it":  {csi, csi, "--components csi-driver", true},
		"different components": {csi, machines, "--components csi-driver", false},
		"half":                 {csi, "csi-driver.user = a@b\n", "--components csi-driver", false},
		"empty":                {csi, "csi-driver.user = a@b\ncsi-driver.password =\n", "--components csi-driver", false},
		"placeholder":          {csi, "csi-driver.user = a@b\ncsi-driver.password = REPLACE_ME\n", "--components csi-driver", false},
		"odd main account":     {"user = a+x@b\npassword = 1\n", "user = a@b\npassword = 1\n", "", false},
		"passthrough":          {"user = a@b\npassword = 1\n", csi, "-f passthrough", false},
		"component-scoped":     {"user = a@b\npassword = 1\n", "user = a@b\npassword = 1\n", "-f component-scoped", false},
	} {
		path := clitest.WriteFile(t, "credentials", "[vcenter1.example.com]\n"+c.one+"[vcenter2.example.com]\n"+c.two, 0o600)
		words := append(strings.Fields(c.words), "--credentials-file", path)
		if words[0] == "-f" {
			words[1] = clitest.WriteFile(t, words[1], clitest.SmallSpec+"profile: "+words[1]+"\n", 0o600)
		}
		emits, _, _ := program.Run(t, termtest.NewFake(), append([]string{"secrets", "emit"}, words...)...)
		judged, stdout, _ := program.Run(t, termtest.NewFake(), append([]string{"credentials", "validate"}, words...)...)
		if (emits == command.ExitDone) != c.fits || (judged == command.ExitDone) != c.fits {
			t.Errorf("%s: emit %d, validate %d, and it fits: %t: %s", name, emits, judged, c.fits, stdout)
		}
	}
}
