package secrets_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/secrets"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// The room below knows the profiles by the same names.
func TestProfilesHaveOneName(t *testing.T) {
	t.Parallel()
	want := []string{openshift.ProfileKubeSystem, openshift.ProfileComponentScoped, openshift.ProfileManual, openshift.ProfilePassthrough, openshift.ProfileKubernetes}
	if diff := cmp.Diff(want, openshift.ProfileNames()); diff != "" {
		t.Error(diff)
	}
}

func TestSecretsExplainWords(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]*secrets.ExplainOptions{
		"-f dump.yaml": {Dump: "dump.yaml"},
		"-f - --credentials-requests d --enable-tech-preview --assign a=machine-api --vcenters a,b --allow fallback=csi-driver --verify --connect-to a=b:1 --insecure": {
			Dump: "-", Requests: secrets.RequestsFlags{"d", true, []string{"a=machine-api"}, ""}, VCenters: []string{"a", "b"}, Allow: command.Allowed{"fallback=csi-driver"}, Verify: true,
			ConnectTo: command.AddressFlag{Words: []string{"a=b:1"}}, TLS: command.TLSFlags{Insecure: true},
		},
	} {
		f := command.NewFactory(termtest.NewFake().Streams, command.Build{})
		var got *secrets.ExplainOptions
		cmd := secrets.NewCmdExplain(f, func(o *secrets.ExplainOptions) error { got = o; return nil })
		if err := program.Parse(t, f, cmd, append([]string{"explain"}, strings.Fields(words)...)...); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, clitest.WordsOf(secrets.ExplainOptions{})); diff != "" {
			t.Errorf("%s: %s", words, diff)
		}
	}
}

func TestSecretsExplain(t *testing.T) {
	t.Parallel()
	good := clitest.WriteFile(t, "dump.yaml", clitest.SecretsDump, 0o600)
	secret := func(at string) string {
		namespace, name, _ := strings.Cut(at, "/")
		return "---\n{kind: Secret, metadata: {namespace: " + namespace + ", name: " + name + "}, stringData: {vc1.username: " + name + "@b, vc1.password: canary-pw-1}}\n"
	}
	fallback := clitest.WriteFile(t, "fallback.yaml", clitest.SecretsDump+secret("kube-system/vsphere-creds-machine-api"), 0o600)
	manual := clitest.WriteFile(t, "manual.yaml", clitest.SecretsDump+secret("kube-system/vsphere-creds-machine-api")+
		"---\n{apiVersion: operator.openshift.io/v1, kind: CloudCredential, metadata: {name: cluster}, spec: {credentialsMode: Manual}}\n", 0o600)
	for _, c := range []struct {
		words  string
		code   int
		stdout []string
		stderr []string
	}{
		{
			"-f " + fallback, command.ExitDifferent,
			[]string{
				"secret-fallback", "csi-driver falls back to kube-system/vsphere-creds, and nothing gives an error",
				"ocp-vsphere-admin secrets emit --profile kube-system --components csi-driver --verify --vcenters vc1 | oc apply -f -",
			},
			[]string{"3 problems"},
		},
		{"-f " + fallback + " --allow fallback=csi-driver,fallback=cloud-controller,fallback=diagnostics", command.ExitDone, nil, []string{"0 problems"}},
		{"-f " + fallback + " --allow fallback=csi", command.ExitFailed, nil, []string{`"fallback=csi" is not one of fallback=machine-api`}},
		{"-f " + manual, command.ExitDone, nil, []string{"0 problems"}},
		{"-f " + good, command.ExitDone, []string{"csi-driver", "root", "a@b"}, []string{"0 problems"}},
		{"-f " + good + " --vcenters vc2", command.ExitDifferent, []string{"missing", "no account for vc2"}, []string{"4 problems"}},
		{"-f " + good + " --verify --connect-to vc1=127.0.0.1:1", command.ExitDifferent, []string{"vc1", "cannot be reached at 127.0.0.1:1"}, []string{"1 account tried, 1 failed"}},
		{"-f " + good + " --verify --connect-to vc3=127.0.0.1:1", command.ExitFailed, nil, []string{`--connect-to: "vc3" is not one of vc1`}},
		{"-f " + good + " --assign a=b", command.ExitFailed, nil, []string{"hint: add --credentials-requests DIR"}},
	} {
		code, stdout, stderr := program.Run(t, termtest.NewFake(), append([]string{"secrets", "explain"}, strings.Fields(c.words)...)...)
		if code != c.code {
			t.Errorf("%s: exit code %d, want %d: %s", c.words, code, c.code, stderr)
		}
		clitest.WantText(t, c.words, stdout, c.stdout...)
		clitest.WantText(t, c.words, stderr, c.stderr...)
		if strings.Contains(stdout+stderr, "canary-pw") {
			t.Errorf("%s: a password is shown", c.words)
		}
	}
}

// A file that the settings name is the provisioning file of other commands, never a dump.
func TestSecretsExplainIgnoresTheSettingFile(t *testing.T) {
	t.Parallel()
	fake := termtest.NewFake()
	fake.Env["OCP_VSPHERE_ADMIN_FILE"] = clitest.WriteFile(t, "dump.yaml", clitest.SecretsDump, 0o600)
	code, _, stderr := program.Run(t, fake, "secrets", "explain")
	if code != command.ExitFailed {
		t.Errorf("exit code %d", code)
	}
	clitest.WantText(t, "stderr", stderr, "-f FILE (a dump of secrets) or --kubeconfig FILE is required")
}
