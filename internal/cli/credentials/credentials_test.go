package credentials_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/credentials"
)

// program is what the tests run.
var program = clitest.Program{Main: cli.Run, NewRoot: cli.NewCmdRoot}

func TestCredentialsWords(t *testing.T) {
	t.Parallel()
	ignore := cmp.Options{clitest.WordsOf(credentials.ShowOptions{})}
	for words, want := range map[string]*credentials.ShowOptions{
		"": {},
		"--reveal --vcenters a,b --components csi-driver --credentials-file x": {
			File: command.CredentialsFlag{Path: "x"}, VCenters: []string{"a", "b"}, Components: []string{"csi-driver"}, Reveal: true,
		},
	} {
		f := command.NewFactory(termtest.NewFake().Streams, command.Build{})
		var got *credentials.ShowOptions
		cmd := credentials.NewCmdShow(f, func(o *credentials.ShowOptions) error { got = o; return nil })
		if err := program.Parse(t, f, cmd, append([]string{"show"}, strings.Fields(words)...)...); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, ignore); diff != "" {
			t.Errorf("%s: %s", words, diff)
		}
	}
}

func TestCredentialsShow(t *testing.T) {
	t.Parallel()
	path := clitest.WriteFile(t, "credentials", clitest.TwoVCenters, 0o600)
	code, stdout, stderr := program.Run(t, termtest.NewFake(), "credentials", "show", "--credentials-file", path)
	want := "" +
		"VCENTER               COMPONENT         USER                           PASSWORD\n" +
		"vcenter1.example.com  machine-api       ocp-machine-api@vsphere.local  (sensitive value)\n" +
		"vcenter1.example.com  csi-driver        ocp-csi@vsphere.local          (sensitive value)\n" +
		"vcenter1.example.com  installer         administrator@vsphere.local    (sensitive value)\n" +
		"vcenter2.example.com  cloud-controller  CORP\\ccm                       (sensitive value)\n"
	if diff := cmp.Diff(want, stdout); diff != "" || code != 0 {
		t.Errorf("exit code %d, %s%s", code, stderr, diff)
	}

	_, stdout, _ = program.Run(t, termtest.NewFake(), "credentials", "show", "--credentials-file", path, "-o", "json", "--vcenters", "vcenter2.example.com")
	doc := clitest.Document(t, "CredentialList", stdout)
	if len(doc["vcenters"].([]any)) != 1 || strings.Contains(stdout, "ccm2") {
		t.Errorf("%s", stdout)
	}
}

func TestPasswordsAreShownOnATerminalOnly(t *testing.T) {
	t.Parallel()
	path := clitest.WriteFile(t, "credentials", clitest.TwoVCenters, 0o600)
	for _, format := range []string{"table", "json", "yaml"} {
		code, stdout, stderr := program.Run(t, termtest.NewFake(), "credentials", "show", "--credentials-file", path, "--reveal", "-o", format)
		if code != command.ExitFailed || (stdout != "") != (format != "table") || strings.Contains(stdout, "m#1") || !strings.Contains(stderr, "terminal only") {
			t.Errorf("%s in a pipe: exit code %d, %s%s", format, code, stdout, stderr)
		}
	}
	_, stdout, _ := program.Run(t, termtest.NewFake().WithTerminal(120, 40), "credentials", "show", "--credentials-file", path, "--reveal")
	clitest.WantText(t, "on a terminal", stdout, "main;1", "m#1", "c1", "ccm2")
}

func TestCredentialsFileIsFound(t *testing.T) {
	t.Parallel()
	fake := termtest.NewFake()
	code, _, stderr := program.Run(t, fake, "credentials", "show")
	clitest.WantText(t, "without a home", stderr, "--credentials-file")
	if code != command.ExitFailed {
		t.Errorf("exit code %d", code)
	}
	fake = termtest.NewFake()
	fake.Home = t.TempDir()
	code, _, stderr = program.Run(t, fake, "credentials", "show")
	clitest.WantText(t, "default", stderr, fake.Home+"/.vsphere/credentials does not exist")
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	fake = termtest.NewFake()
	fake.Env["VSPHERE_CREDENTIALS_FILE"] = clitest.WriteFile(t, "c", clitest.TwoVCenters, 0o600)
	if _, stdout, _ := program.Run(t, fake, "credentials", "show"); !strings.Contains(stdout, "vcenter2") {
		t.Errorf("the variable is not read: %s", stdout)
	}
	for _, words := range []string{"show", "show -o json", "resolve", "resolve --vcenters vc1", "export --recipient age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"} {
		fake = termtest.NewFake()
		fake.Env["VSPHERE_CREDENTIALS_FILE"] = t.TempDir() + "/mistyped"
		code, stdout, stderr := program.Run(t, fake, append([]string{"credentials"}, strings.Fields(words)...)...)
		if code != command.ExitFailed || stdout != "" != strings.Contains(words, "json") {
			t.Errorf("%s: exit code %d, %s", words, code, stdout)
		}
		clitest.WantText(t, words, stderr, "credentials file "+fake.Env["VSPHERE_CREDENTIALS_FILE"]+" does not exist")
	}
}

func TestCredentialsValidate(t *testing.T) {
	t.Parallel()
	good := "[vc1]\nuser = a@b\npassword = 1\ncsi-driver.user = c@b\ncsi-driver.password = 2\n"
	for name, c := range map[string]struct {
		text  string
		mode  os.FileMode
		words string
		code  int
		want  []string
	}{
		"fine":           {good, 0o600, "--components csi-driver", 0, []string{"0 problems, 0 notes"}},
		"loose mode":     {good, 0o644, "", 2, []string{"insecure permissions 644", "chmod 600"}},
		"does not parse": {"[vc1]\nuser = `a\n", 0o600, "", 2, []string{"problem"}},
		"no section":     {good, 0o600, "--vcenters vc2", 2, []string{"vc2", "has no section", "is not one of the requested vCenters"}},
		"other case":     {good, 0o600, "--vcenters VC1", 2, []string{"is written [vc1]"}},
		"falls back":     {good, 0o600, "--vcenters vc1 --components machine-api", 2, []string{"set both machine-api.user and machine-api.password; 'secrets emit' gives it the main account a@b only with --main-account-for"}},
		"nothing to use": {"[vc1]\ncsi-driver.user = c@b\ncsi-driver.password = 2\n", 0o600, "--vcenters vc1 --components machine-api", 2, []string{"has no account: set both"}},
		"compared": {good + "[vc2]\nmachine-api.user = m@b\nmachine-api.password = 3\n", 0o600, "", 2, []string{
			"problem  vc1      machine-api       has no account, unlike on vc2: set both",
			"problem  vc2      csi-driver        has no account, unlike on vc1: set both", "6 problems",
		}},
		"half an account":    {"[vc1]\ncsi-driver.user = c@b\n", 0o600, "--vcenters vc1 --components csi-driver", 2, []string{"csi-driver.user is set alone"}},
		"cut off":            {"[vc1]\nuser = a@b\npassword = x#y\n", 0o600, "", 2, []string{"line 3: password is cut off"}},
		"a comment, perhaps": {"[vc1]\nuser = a@b\npassword = x #y\n", 0o600, "--components installer", 0, []string{"line 3: password is followed by a comment"}},
		"inherited":          {good + "[vc1.example]\ncsi-driver.user = d@b\n", 0o600, "", 2, []string{"inherits keys from [vc1]", "write the account in [vc1.example]"}},
		"wrong key":          {good + "csi-driver.username = x\n", 0o600, "", 2, []string{"csi-driver.username is not read: the key is csi-driver.user"}},
		"misspelt section":   {good, 0o600, "--vcenters vd1", 2, []string{"has no section: did you mean [vc1]?", `did you mean "vd1"?`}},
		"misspelt key":       {good + "csi-drivr.user = x\n", 0o600, "", 2, []string{"csi-drivr.user is not read: the key is csi-driver.user"}},
		"beside each other":  {good + "[VC1]\nuser = a@b\npassword = 1\n", 0o600, "", 2, []string{"line 1: also exists as [VC1]", "line 6: also exists as [vc1]"}},
		"bad lines": {
			"nothing\n" + good + "[broken\ndiagnostics.user = root\ndiagnostics.password = 1\n", 0o600, "--vcenters vc1,vc2", 2,
			[]string{"line 1: neither a section", "line 7: section header without", `user "root" has no domain`, "vc2", "has no section"},
		},
		"no login":          {good, 0o600, "--insecure", 1, []string{"hint: add --login"}},
		"bare name":         {"[vc1]\nuser = root\npassword = 1\n", 0o600, "", 2, []string{`user "root" has no domain`}},
		"plus in the name":  {"[vc1]\nuser = a+b@c\npassword = 1\n", 0o600, "", 2, []string{"the CSI driver takes", "a+b@c"}},
		"empty password":    {"[vc1]\nuser = a@b\npassword =\n", 0o600, "", 2, []string{"the password is empty"}},
		"empty user":        {"[vc1]\nuser =\npassword = x\n", 0o600, "", 2, []string{"the user name is empty"}},
		"shared account":    {"[vc1]\nuser = a@b\npassword = 1\ncsi-driver.user = A@b\ncsi-driver.password = 1\n", 0o600, "--components csi-driver", 0, []string{"shares the account"}},
		"no key of secrets": {"[fd00::1]\nuser = a@b\npassword = 1\n", 0o600, "", 2, []string{"cannot be part of a secret's key"}},
	} {
		path := clitest.WriteFile(t, "credentials", c.text, c.mode)
		args := append([]string{"credentials", "validate", "--credentials-file", path}, strings.Fields(c.words)...)
		code, stdout, stderr := program.Run(t, termtest.NewFake(), args...)
		if code != c.code {
			t.Errorf("%s: exit code %d, want %d", name, code, c.code)
		}
		clitest.WantText(t, name, stdout+stderr, c.want...)
	}
	code, stdout, _ := program.Run(t, termtest.NewFake(), "credentials", "validate", "--credentials-file", "/nowhere/credentials", "-o", "json")
	if doc := clitest.Document(t, "CredentialValidation", stdout); code != command.ExitFailed || len(doc["findings"].([]any)) != 1 {
		t.Errorf("a missing file: exit code %d, %s", code, stdout)
	}
}

// What is missing depends on the profile: the main account stands in for components in some, and is all there is in one.
func TestCredentialsValidateFollowsTheProfile(t *testing.T) {
	t.Parallel()
	for profile, c := range map[string]struct {
		text, want string
		code       int
	}{
		"kube-system":      {"user = a@b\npassword = x\n", "'secrets emit' gives it the main account a@b only with --main-account-for", 2},
		"component-scoped": {"user = a@b\npassword = x\n", "set both csi-driver.user and csi-driver.password", 2},
		"passthrough":      {"csi-driver.user = a@b\ncsi-driver.password = x\n", "profile passthrough has no fallback: set both user and password", 2},
	} {
		path := clitest.WriteFile(t, "credentials", "[vcenter1.example.com]\n"+c.text+"[vcenter2.example.com]\n"+c.text, 0o600)
		file := clitest.WriteFile(t, "spec.yaml", clitest.SmallSpec+"profile: "+profile+"\n", 0o600)
		code, stdout, stderr := program.Run(t, termtest.NewFake(), "credentials", "validate", "--credentials-file", path, "-f", file)
		clitest.WantText(t, profile, stdout+stderr, c.want)
		if code != c.code {
			t.Errorf("%s: exit code %d, want %d: %s%s", profile, code, c.code, stdout, stderr)
		}
	}
}
