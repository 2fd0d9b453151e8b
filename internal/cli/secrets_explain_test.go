package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// The room below knows the profiles by the same names.
func TestProfilesHaveOneName(t *testing.T) {
	t.Parallel()
	want := []string{openshift.ProfileKubeSystem, openshift.ProfileComponentScoped, openshift.ProfileManual, openshift.ProfilePassthrough}
	if diff := cmp.Diff(want, openshift.ProfileNames()); diff != "" {
		t.Error(diff)
	}
}

func TestSecretsExplainWords(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]*SecretsExplainOptions{
		"-f dump.yaml": {Dump: "dump.yaml"},
		"-f - --credentials-requests d --enable-tech-preview --assign a=machine-api --vcenters a,b --verify --connect-to a=b:1 --insecure": {
			Dump: "-", Requests: requestsFlags{"d", true, []string{"a=machine-api"}}, VCenters: []string{"a", "b"}, Verify: true,
			ConnectTo: addressFlag{Words: []string{"a=b:1"}}, TLS: tlsFlags{Insecure: true},
		},
	} {
		f := NewFactory(term.NewFake().Streams, Build{})
		var got *SecretsExplainOptions
		cmd := newCmdSecretsExplain(f, func(o *SecretsExplainOptions) error { got = o; return nil })
		if err := parseWords(t, f, cmd, append([]string{"explain"}, strings.Fields(words)...)...); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, wordsOf(SecretsExplainOptions{})); diff != "" {
			t.Errorf("%s: %s", words, diff)
		}
	}
}

const explainDump = `{kind: Secret, metadata: {namespace: kube-system, name: vsphere-creds}, stringData: {vc1.username: a@b, vc1.password: canary-pw-1}}
`

func TestSecretsExplain(t *testing.T) {
	t.Parallel()
	good := writeFile(t, "dump.yaml", explainDump, 0o600)
	for _, c := range []struct {
		words  string
		code   int
		stdout []string
		stderr []string
	}{
		{"-f " + good, ExitDone, []string{"csi-driver", "root", "a@b"}, []string{"0 problems"}},
		{"-f " + good + " --vcenters vc2", ExitDifferent, []string{"missing", "no account for vc2"}, []string{"4 problems"}},
		{"-f " + good + " --verify --connect-to vc1=127.0.0.1:1", ExitDifferent, []string{"vc1", "cannot be reached at 127.0.0.1:1"}, []string{"1 account tried, 1 failed"}},
		{"-f " + good + " --verify --connect-to vc3=127.0.0.1:1", ExitFailed, nil, []string{`--connect-to: "vc3" is not one of vc1`}},
		{"-f " + good + " --assign a=b", ExitFailed, nil, []string{"hint: add --credentials-requests DIR"}},
	} {
		code, stdout, stderr := runWords(t, term.NewFake(), append([]string{"secrets", "explain"}, strings.Fields(c.words)...)...)
		if code != c.code {
			t.Errorf("%s: exit code %d, want %d: %s", c.words, code, c.code, stderr)
		}
		wantText(t, c.words, stdout, c.stdout...)
		wantText(t, c.words, stderr, c.stderr...)
		if strings.Contains(stdout+stderr, "canary-pw") {
			t.Errorf("%s: a password is shown", c.words)
		}
	}
}

// A file that the settings name is the provisioning file of other commands, never a dump.
func TestSecretsExplainIgnoresTheSettingFile(t *testing.T) {
	t.Parallel()
	fake := term.NewFake()
	fake.Env["OCP_VSPHERE_ADMIN_FILE"] = writeFile(t, "dump.yaml", explainDump, 0o600)
	code, _, stderr := runWords(t, fake, "secrets", "explain")
	if code != ExitFailed {
		t.Errorf("exit code %d", code)
	}
	wantText(t, "stderr", stderr, "-f FILE (a dump of secrets) or --kubeconfig FILE is required")
}

func TestAssignCompletes(t *testing.T) {
	t.Parallel()
	r := requestsFlags{Dir: t.TempDir()}
	if words, _ := r.complete("x"); words != nil {
		t.Errorf("%q", words)
	}
	if words, _ := r.complete("x="); !slices.Contains(words, "x=machine-api") || !slices.Contains(words, "x=none") {
		t.Errorf("%q", words)
	}
}
