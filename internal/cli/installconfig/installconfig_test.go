package installconfig_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/installconfig"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// program is what the tests run.
var program = clitest.Program{Main: cli.Run, NewRoot: cli.NewCmdRoot}

func TestInstallConfigWords(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]*installconfig.RenderOptions{
		"render f":                                  {Config: "f"},
		"render - --profile manual --out o":         {Config: "-", Profile: "manual", Output: installconfig.Output{Out: "o"}},
		"render f --in-place --credentials-file c":  {Config: "f", Output: installconfig.Output{InPlace: true}, File: command.CredentialsFlag{Path: "c"}},
		"render f --profile component-scoped":       {Config: "f", Profile: "component-scoped"},
		"render f g":                                nil,
		"render - --in-place":                       nil,
		"render f --out o --in-place":               nil,
		"render f --profile capv":                   nil,
		"render f -o json":                          nil,
		"render f --reveal-what-is-not-even-a-flag": nil,
	} {
		f := command.NewFactory(termtest.NewFake().Streams, command.Build{})
		var got *installconfig.RenderOptions
		cmd := installconfig.NewCmdRender(f, func(o *installconfig.RenderOptions) error { got = o; return nil })
		err := program.Parse(t, f, cmd, strings.Fields(words)...)
		if (err == nil) != (want != nil) {
			t.Errorf("%s: %v", words, err)
		}
		if diff := cmp.Diff(want, got, clitest.WordsOf(installconfig.RenderOptions{})); diff != "" {
			t.Errorf("%s: %s", words, diff)
		}
	}
	for words, want := range map[string]*installconfig.ExtractOptions{
		"extract f":                                {Config: "f"},
		"extract f --strip --in-place --replace":   {Config: "f", Strip: true, Replace: true, Output: installconfig.Output{InPlace: true}},
		"extract - --dry-run":                      {Config: "-", DryRun: true},
		"extract - --strip --in-place":             nil,
		"extract f --out o":                        nil,
		"extract f --strip --dry-run":              nil,
		"extract f --strip -o json":                nil,
		"extract f --strip -o json --out stripped": {Config: "f", Strip: true, Output: installconfig.Output{Out: "stripped"}},
	} {
		f := command.NewFactory(termtest.NewFake().Streams, command.Build{})
		var got *installconfig.ExtractOptions
		cmd := installconfig.NewCmdExtract(f, func(o *installconfig.ExtractOptions) error { got = o; return nil })
		err := program.Parse(t, f, cmd, strings.Fields(words)...)
		if (err == nil) != (want != nil) {
			t.Errorf("%s: %v", words, err)
		}
		if diff := cmp.Diff(want, got, clitest.WordsOf(installconfig.ExtractOptions{})); diff != "" {
			t.Errorf("%s: %s", words, diff)
		}
	}
}

func TestInstallConfigInPlaceKeepsTheLink(t *testing.T) {
	t.Parallel()
	credentials := clitest.WriteFile(t, "credentials", clitest.TwoVCenters, 0o600)
	target := clitest.WriteFile(t, "real.yaml", clitest.SmallConfig, 0o644)
	link := filepath.Join(t.TempDir(), "link.yaml")
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	code, stdout, stderr := program.Run(t, termtest.NewFake(), "install-config", "render", link, "--in-place", "--credentials-file", credentials)
	info, err := os.Stat(target)
	if code != 0 || stdout != "" || err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("exit code %d, %s, %v, %v", code, stderr, info, err)
	}
	if l, err := os.Lstat(link); err != nil || l.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
	text, err := os.ReadFile(target)
	if err != nil {
		t.Fatal(err)
	}
	clitest.WantText(t, "the file behind the link", string(text), "vcenter1.example.com   # ours\n", "password: 'main;1'\n", "csiDriver:\n", "password: 'm#1'\n")
	if strings.Contains(stderr, "m#1") || strings.Contains(stderr, "main;1") {
		t.Errorf("a password is on stderr: %s", stderr)
	}
}

func TestExtractWritesNothingThatItCannotStrip(t *testing.T) {
	t.Parallel()
	credentials := filepath.Join(t.TempDir(), "credentials")
	config := clitest.WriteFile(t, "c.yaml", "platform: {vsphere: {vcenters: [{server: vc, user: a@b, password: c, componentCredentials: {csiDriver: {user: d@b, password: e}}}]}}\n", 0o600)
	code, _, stderr := program.Run(t, termtest.NewFake(), "install-config", "extract", config, "--strip", "--credentials-file", credentials)
	if code != command.ExitFailed || !command.Missing(credentials) {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	clitest.WantText(t, "stderr", stderr, "is written in braces")
	code, _, stderr = program.Run(t, termtest.NewFake(), "install-config", "extract", config, "--credentials-file", credentials)
	if code != 0 || command.Missing(credentials) {
		t.Errorf("without --strip: exit code %d, %s", code, stderr)
	}
}

func TestSectionsOfAnotherCaseAreNamed(t *testing.T) {
	t.Parallel()
	credentials := clitest.WriteFile(t, "credentials", "[VCENTER1.example.com]\nuser = a@b\npassword = c\n", 0o600)
	config := clitest.WriteFile(t, "c.yaml", clitest.SmallConfig, 0o600)
	code, stdout, stderr := program.Run(t, termtest.NewFake(), "install-config", "render", config, "--credentials-file", credentials)
	clitest.WantText(t, "stderr", stderr, "section [VCENTER1.example.com] is not vcenter1.example.com")
	if code != command.ExitFailed || stdout != "" {
		t.Errorf("exit code %d, %s", code, stdout)
	}
}

// With one account for all components, an install-config warns as the secrets do.
func TestRenderWarnsOfASharedAccount(t *testing.T) {
	t.Parallel()
	credentials := clitest.WriteFile(t, "credentials", "[vcenter1.example.com]\nuser = x@d\npassword = p\ncsi-driver.user = c@d\ncsi-driver.password = p\n", 0o600)
	config := clitest.WriteFile(t, "c.yaml", clitest.SmallConfig, 0o600)
	_, _, emitted := program.Run(t, termtest.NewFake(), "secrets", "emit", "--profile", "passthrough", "--credentials-file", credentials)
	for _, want := range []string{
		"warning: all components use this account, so it needs the privileges of all of them\n",
		"warning: profile passthrough uses only the main account, not those of csi-driver\n",
	} {
		if !strings.Contains(emitted, want) {
			t.Fatalf("secrets emit does not say %q:\n%s", want, emitted)
		}
		code, _, stderr := program.Run(t, termtest.NewFake(), "install-config", "render", config, "--profile", "passthrough", "--credentials-file", credentials)
		if code != command.ExitDone || strings.Count(stderr, want) != 1 {
			t.Errorf("exit code %d, no %q:\n%s", code, want, stderr)
		}
		if _, _, stderr := program.Run(t, termtest.NewFake(), "install-config", "render", config, "--profile", "kube-system", "--credentials-file", credentials); strings.Contains(stderr, want) {
			t.Errorf("profile kube-system warns of a shared account:\n%s", stderr)
		}
	}
}

// Whose password stands in the install-config alone is not written over.
func TestRenderInPlaceLosesNoPassword(t *testing.T) {
	t.Parallel()
	section := "[vcenter1.example.com]\n"
	for _, c := range []string{"", "machine-api.", "csi-driver.", "cloud-controller.", "diagnostics."} {
		section += c + "user = x@d\n" + c + "password = p\n"
	}
	credentials := clitest.WriteFile(t, "credentials", section, 0o600)
	for _, profile := range []string{openshift.ProfileKubeSystem, openshift.ProfileComponentScoped, openshift.ProfilePassthrough} {
		config := clitest.WriteFile(t, "c.yaml", clitest.SmallConfig, 0o600)
		words := []string{"install-config", "render", config, "--credentials-file", credentials, "--profile", profile}
		for _, over := range [][]string{{"--in-place"}, {"--out=" + config, "--force"}} {
			code, _, stderr := program.Run(t, termtest.NewFake(), append(words, over...)...)
			text, err := os.ReadFile(config)
			if code != command.ExitFailed || err != nil || string(text) != clitest.SmallConfig ||
				!strings.Contains(stderr, config+" is not overwritten: it has the only copy of the password of administrator@vsphere.local") {
				t.Errorf("%s %s: exit code %d, %v, %s%s", profile, over, code, err, stderr, text)
			}
		}
		if code, _, stderr := program.Run(t, termtest.NewFake(), append(words, "--out", config+".new")...); code != 0 {
			t.Errorf("%s: exit code %d, %s", profile, code, stderr)
		}
	}
}
