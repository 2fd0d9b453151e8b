package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

const smallConfig = `platform:
  vsphere:
    vcenters:
    - server: vcenter1.example.com   # ours
      user: administrator@vsphere.local
      password: old
`

func TestInstallConfigWords(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]*InstallConfigRenderOptions{
		"render f":                                  {Config: "f"},
		"render - --profile manual --out o":         {Config: "-", Profile: "manual", Output: configOutput{Out: "o"}},
		"render f --in-place --credentials-file c":  {Config: "f", Output: configOutput{InPlace: true}, File: credentialsFlag{Path: "c"}},
		"render f --profile component-scoped":       {Config: "f", Profile: "component-scoped"},
		"render f g":                                nil,
		"render - --in-place":                       nil,
		"render f --out o --in-place":               nil,
		"render f --profile capv":                   nil,
		"render f -o json":                          nil,
		"render f --reveal-what-is-not-even-a-flag": nil,
	} {
		f := NewFactory(term.NewFake().Streams, Build{})
		var got *InstallConfigRenderOptions
		cmd := newCmdInstallConfigRender(f, func(o *InstallConfigRenderOptions) error { got = o; return nil })
		err := parseWords(t, f, cmd, strings.Fields(words)...)
		if (err == nil) != (want != nil) {
			t.Errorf("%s: %v", words, err)
		}
		if diff := cmp.Diff(want, got, wordsOf(InstallConfigRenderOptions{})); diff != "" {
			t.Errorf("%s: %s", words, diff)
		}
	}
	for words, want := range map[string]*InstallConfigExtractOptions{
		"extract f":                                {Config: "f"},
		"extract f --strip --in-place --replace":   {Config: "f", Strip: true, Replace: true, Output: configOutput{InPlace: true}},
		"extract - --dry-run":                      {Config: "-", DryRun: true},
		"extract - --strip --in-place":             nil,
		"extract f --out o":                        nil,
		"extract f --strip --dry-run":              nil,
		"extract f --strip -o json":                nil,
		"extract f --strip -o json --out stripped": {Config: "f", Strip: true, Output: configOutput{Out: "stripped"}},
	} {
		f := NewFactory(term.NewFake().Streams, Build{})
		var got *InstallConfigExtractOptions
		cmd := newCmdInstallConfigExtract(f, func(o *InstallConfigExtractOptions) error { got = o; return nil })
		err := parseWords(t, f, cmd, strings.Fields(words)...)
		if (err == nil) != (want != nil) {
			t.Errorf("%s: %v", words, err)
		}
		if diff := cmp.Diff(want, got, wordsOf(InstallConfigExtractOptions{})); diff != "" {
			t.Errorf("%s: %s", words, diff)
		}
	}
}

func TestInstallConfigInPlaceKeepsTheLink(t *testing.T) {
	t.Parallel()
	credentials := writeFile(t, "credentials", twoVCenters, 0o600)
	target := writeFile(t, "real.yaml", smallConfig, 0o644)
	link := filepath.Join(t.TempDir(), "link.yaml")
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err)
	}
	code, stdout, stderr := runWords(t, term.NewFake(), "install-config", "render", link, "--in-place", "--credentials-file", credentials)
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
	wantText(t, "the file behind the link", string(text), "vcenter1.example.com   # ours\n", "password: 'main;1'\n", "csiDriver:\n", "password: 'm#1'\n")
	if strings.Contains(stderr, "m#1") || strings.Contains(stderr, "main;1") {
		t.Errorf("a password is on stderr: %s", stderr)
	}
}

func TestExtractWritesNothingThatItCannotStrip(t *testing.T) {
	t.Parallel()
	credentials := filepath.Join(t.TempDir(), "credentials")
	config := writeFile(t, "c.yaml", "platform: {vsphere: {vcenters: [{server: vc, user: a@b, password: c, componentCredentials: {csiDriver: {user: d@b, password: e}}}]}}\n", 0o600)
	code, _, stderr := runWords(t, term.NewFake(), "install-config", "extract", config, "--strip", "--credentials-file", credentials)
	if code != ExitFailed || !missing(credentials) {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	wantText(t, "stderr", stderr, "is written in braces")
	code, _, stderr = runWords(t, term.NewFake(), "install-config", "extract", config, "--credentials-file", credentials)
	if code != 0 || missing(credentials) {
		t.Errorf("without --strip: exit code %d, %s", code, stderr)
	}
}

func TestSectionsOfAnotherCaseAreNamed(t *testing.T) {
	t.Parallel()
	credentials := writeFile(t, "credentials", "[VCENTER1.example.com]\nuser = a@b\npassword = c\n", 0o600)
	config := writeFile(t, "c.yaml", smallConfig, 0o600)
	code, stdout, stderr := runWords(t, term.NewFake(), "install-config", "render", config, "--credentials-file", credentials)
	wantText(t, "stderr", stderr, "section [VCENTER1.example.com] is not vcenter1.example.com")
	if code != ExitFailed || stdout != "" {
		t.Errorf("exit code %d, %s", code, stdout)
	}
}

func TestKindsOfAccounts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"INI":               {"# x\n[vc.example]\nuser = a\n", kindINI},
		"INI of an address": {"[10.0.0.1] # lab\n", kindINI},
		"config":            {smallConfig, kindConfig},
		"config with lists": {"a:\n  [x]\n" + "apiVersion: v1\nplatform:\n  vsphere: {}\n", kindConfig},
		"JSON config":       {`{"platform": {"vsphere": {}}}`, kindConfig},
		"secrets":           {"apiVersion: v1\nkind: Secret\nmetadata: {}\n", kindSecrets},
		"list":              {"apiVersion: v1\nitems: []\nkind: List\n", kindSecrets},
		"JSON list":         {"{\n    \"apiVersion\": \"v1\",\n    \"kind\": \"List\"\n}", kindSecrets},
		"one line":          {`{"apiVersion":"v1","kind":"Secret"}`, kindSecrets},
	} {
		if got := kindOf([]byte(c.text)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestCredentialsImportWords(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]*CredentialsImportOptions{
		"-":                            {From: "-"},
		"--install-config f --replace": {InstallConfig: "f", Replace: true},
		"--secrets - --dry-run --vcenters a,b --components csi-driver --credentials-file c": {
			Secrets: "-", DryRun: true, VCenters: []string{"a", "b"}, Components: []string{"csi-driver"}, File: credentialsFlag{Path: "c"},
		},
		"":                           nil,
		"a b":                        nil,
		"a --secrets b":              nil,
		"--install-config a b":       nil,
		"a --components csidriver":   nil,
		"--secrets a --what-is-this": nil,
	} {
		f := NewFactory(term.NewFake().Streams, Build{})
		var got *CredentialsImportOptions
		cmd := newCmdCredentialsImport(f, func(o *CredentialsImportOptions) error { got = o; return nil })
		err := parseWords(t, f, cmd, append([]string{"import"}, strings.Fields(words)...)...)
		if (err == nil) != (want != nil) {
			t.Errorf("%s: %v", words, err)
		}
		if diff := cmp.Diff(want, got, wordsOf(CredentialsImportOptions{})); diff != "" {
			t.Errorf("%s: %s", words, diff)
		}
	}
}

func TestCredentialsResolveAndValidateWords(t *testing.T) {
	t.Parallel()
	f := NewFactory(term.NewFake().Streams, Build{})
	var resolve *CredentialsResolveOptions
	cmd := newCmdCredentialsResolve(f, func(o *CredentialsResolveOptions) error { resolve = o; return nil })
	if err := parseWords(t, f, cmd, strings.Fields("resolve --install-config i --vcenters a --components csi-driver --credentials-file c")...); err != nil {
		t.Fatal(err)
	}
	want := &CredentialsResolveOptions{File: credentialsFlag{Path: "c"}, Source: sourceFlags{InstallConfig: "i", VCenters: []string{"a"}}, Components: []string{"csi-driver"}}
	if diff := cmp.Diff(want, resolve, wordsOf(CredentialsResolveOptions{})); diff != "" {
		t.Error(diff)
	}
	f = NewFactory(term.NewFake().Streams, Build{})
	var validate *CredentialsValidateOptions
	cmd = newCmdCredentialsValidate(f, func(o *CredentialsValidateOptions) error { validate = o; return nil })
	if err := parseWords(t, f, cmd, strings.Fields("validate --login --connect-to a=b:1 --cacert p --vcenters a")...); err != nil {
		t.Fatal(err)
	}
	if !validate.Login || validate.TLS.CACert != "p" || len(validate.Source.ConnectTo.Words) != 1 || validate.Source.ConnectTo.settled() {
		t.Errorf("%+v", validate)
	}
}

func TestDirectoriesAreNoFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, words := range [][]string{{"credentials", "import", dir}, {"install-config", "render", dir}, {"credentials", "resolve", "--install-config", dir}} {
		fake := term.NewFake()
		fake.Home = t.TempDir()
		code, _, stderr := runWords(t, fake, words...)
		wantText(t, strings.Join(words[:2], " "), stderr, dir+" is a directory")
		if code != ExitFailed {
			t.Errorf("exit code %d", code)
		}
	}
}

// With one account for all components, an install-config warns as the secrets do.
func TestRenderWarnsOfASharedAccount(t *testing.T) {
	t.Parallel()
	credentials := writeFile(t, "credentials", "[vcenter1.example.com]\nuser = x@d\npassword = p\ncsi-driver.user = c@d\ncsi-driver.password = p\n", 0o600)
	config := writeFile(t, "c.yaml", smallConfig, 0o600)
	_, _, emitted := runWords(t, term.NewFake(), "secrets", "emit", "--profile", "passthrough", "--credentials-file", credentials)
	for _, want := range []string{
		"warning: all components use this account, so it needs the privileges of all of them\n",
		"warning: profile passthrough uses only the main account, not those of csi-driver\n",
	} {
		if !strings.Contains(emitted, want) {
			t.Fatalf("secrets emit does not say %q:\n%s", want, emitted)
		}
		code, _, stderr := runWords(t, term.NewFake(), "install-config", "render", config, "--profile", "passthrough", "--credentials-file", credentials)
		if code != ExitDone || strings.Count(stderr, want) != 1 {
			t.Errorf("exit code %d, no %q:\n%s", code, want, stderr)
		}
		if _, _, stderr := runWords(t, term.NewFake(), "install-config", "render", config, "--profile", "kube-system", "--credentials-file", credentials); strings.Contains(stderr, want) {
			t.Errorf("profile kube-system warns of a shared account:\n%s", stderr)
		}
	}
}
