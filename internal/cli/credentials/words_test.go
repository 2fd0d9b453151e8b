package credentials_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/advice"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/credentials"
)

func TestCredentialsImportWords(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]*credentials.ImportOptions{
		"-":                            {From: "-"},
		"--install-config f --replace": {InstallConfig: "f", Replace: true},
		"--secrets - --dry-run --vcenters a,b --components csi-driver --credentials-file c": {
			Secrets: "-", DryRun: true, VCenters: []string{"a", "b"}, Components: []string{"csi-driver"}, File: command.CredentialsFlag{Path: "c"},
		},
		"--secrets a --install-config b": {Secrets: "a", Of: command.SourceFlags{InstallConfig: "b"}},
		"a --infrastructure b":           {From: "a", Of: command.SourceFlags{Infrastructure: "b"}},
		"":                               nil,
		"a b":                            nil,
		"a --secrets b":                  nil,
		"--install-config a -f b c":      nil,
		"a --components csidriver":       nil,
		"--secrets a --what-is-this":     nil,
	} {
		f := command.NewFactory(termtest.NewFake().Streams, command.Build{})
		var got *credentials.ImportOptions
		cmd := credentials.NewCmdImport(f, func(o *credentials.ImportOptions) error { got = o; return nil })
		err := program.Parse(t, f, cmd, append([]string{"import"}, strings.Fields(words)...)...)
		if (err == nil) != (want != nil) {
			t.Errorf("%s: %v", words, err)
		}
		if diff := cmp.Diff(want, got, clitest.WordsOf(credentials.ImportOptions{})); diff != "" {
			t.Errorf("%s: %s", words, diff)
		}
	}
}

func TestCredentialsResolveAndValidateWords(t *testing.T) {
	t.Parallel()
	f := command.NewFactory(termtest.NewFake().Streams, command.Build{})
	var resolve *credentials.ResolveOptions
	cmd := credentials.NewCmdResolve(f, func(o *credentials.ResolveOptions) error { resolve = o; return nil })
	if err := program.Parse(t, f, cmd, strings.Fields("resolve --install-config i --vcenters a --components csi-driver --credentials-file c")...); err != nil {
		t.Fatal(err)
	}
	want := &credentials.ResolveOptions{File: command.CredentialsFlag{Path: "c"}, Source: command.SourceFlags{NamesOnly: true, InstallConfig: "i", VCenters: []string{"a"}}, Components: []string{"csi-driver"}}
	if diff := cmp.Diff(want, resolve, clitest.WordsOf(credentials.ResolveOptions{})); diff != "" {
		t.Error(diff)
	}
	f = command.NewFactory(termtest.NewFake().Streams, command.Build{})
	var validate *credentials.ValidateOptions
	cmd = credentials.NewCmdValidate(f, func(o *credentials.ValidateOptions) error { validate = o; return nil })
	if err := program.Parse(t, f, cmd, strings.Fields("validate --login --connect-to a=b:1 --cacert p --vcenters a")...); err != nil {
		t.Fatal(err)
	}
	if !validate.Login || validate.TLS.CACert != "p" || len(validate.Source.ConnectTo.Words) != 1 || validate.Source.ConnectTo.Settled() {
		t.Errorf("%+v", validate)
	}
}

func TestWayOutOfALostFile(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"": "-f FILE", "-f -": "-f FILE", "-f spec.yaml": "-f spec.yaml", "--install-config i.yaml": "--install-config i.yaml",
		"-f spec.yaml --login --cacert ca.pem --connect-to vc1=a:1 --connect-to vc2=b:1": "-f spec.yaml --cacert ca.pem --connect-to vc1=a:1",
	} {
		f := command.NewFactory(termtest.NewFake().Streams, command.Build{})
		got := ""
		cmd := credentials.NewCmdValidate(f, func(o *credentials.ValidateOptions) error {
			hints := advice.Of(f, &o.Source, nil).IfNone("my creds")
			got = hints[len(hints)-1]
			return nil
		})
		if err := program.Parse(t, f, cmd, append([]string{"validate", "--credentials-file", "my creds", "--components", "csi-driver", "--vcenters", "vc1"}, strings.Fields(words)...)...); err != nil {
			t.Fatal(err)
		}
		_, line, _ := strings.Cut(got, ": ")
		if diff := cmp.Diff(command.Program+" rotate --in-place --components csi-driver --vcenters vc1 "+want+" --credentials-file 'my creds'", line); diff != "" {
			t.Errorf("%s: %s", words, diff)
		}
		program.Parses(t, line)
	}
}

func TestHandoverWords(t *testing.T) {
	t.Parallel()
	f := command.NewFactory(termtest.NewFake().Streams, command.Build{})
	var got *credentials.ExportOptions
	cmd := credentials.NewCmdExport(f, func(o *credentials.ExportOptions) error { got = o; return nil })
	words := []string{"export", "--recipient", "ssh-ed25519 AAAA, me", "--recipient", "age1a", "--recipients-file", "a,b", "--recipients-file", "c", "--out", "x", "--components", "csi-driver", "--vcenters", "v"}
	if err := program.Parse(t, f, cmd, words...); err != nil {
		t.Fatal(err)
	}
	want := &credentials.ExportOptions{
		Source: command.SourceFlags{NamesOnly: true, VCenters: []string{"v"}}, Components: []string{"csi-driver"}, Out: "x",
		Recipients: command.RecipientFlags{Keys: []string{"ssh-ed25519 AAAA, me", "age1a"}, Files: []string{"a,b", "c"}},
	}
	if diff := cmp.Diff(want, got, clitest.WordsOf(credentials.ExportOptions{})); diff != "" {
		t.Error(diff)
	}
	for words, want := range map[string]string{
		"credentials export":                            "credentials export requires a recipient",
		"apply --recipient age1a":                       "--recipient: --out is required",
		"apply --out x":                                 "--out: --recipient or --recipients-file is required",
		"credentials import --identity x":               "reads one source, got 0",
		"credentials export --recipient age1a extra":    "extra",
		"credentials export --recipients-file /nowhere": "--recipients-file: /nowhere does not exist",
	} {
		code, stdout, stderr := program.Run(t, termtest.NewFake(), strings.Fields(words)...)
		if code != command.ExitFailed || stdout != "" {
			t.Errorf("%s: exit code %d, %s", words, code, stdout)
		}
		clitest.WantText(t, words, stderr, want)
	}
}

// A word, and what is typed, is nearer than a setting.
func TestNearestSourceOfImport(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ words, settings, want string }{
		{"FILE", "install-config: c\nsecrets: s", "FILE"},
		{"--secrets t", "install-config: c\nsecrets: s", "t"},
		{"--install-config d", "secrets: s", "d"},
		{"", "install-config: c", "c"},
		{"", "install-config: c\nsecrets: s", "one source, got 2"},
		{"FILE --secrets t", "", "one source, got 2"},
		{"FILE --secrets t --install-config d", "", "one source, got 3"},
	} {
		fake := termtest.NewFake()
		f := command.NewFactory(fake.Streams, command.Build{})
		got := ""
		cmd := credentials.NewCmdImport(f, func(o *credentials.ImportOptions) error {
			got = o.From + o.InstallConfig + o.Secrets
			return nil
		})
		config := clitest.WriteFile(t, "config.yaml", c.settings+"\n", 0o600)
		err := program.Parse(t, f, cmd, append([]string{"import", "--config", config}, strings.Fields(c.words)...)...)
		if err != nil {
			got = err.Error()
		}
		if !strings.HasSuffix(got, c.want) {
			t.Errorf("%s with %q: %s, want %s", c.words, c.settings, got, c.want)
		}
	}
}
