package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

func TestUnknownWordsNameTheNearest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		words string
		want  []string
	}{
		{"versoin", []string{`unknown command "versoin" for 'ocp-vsphere-admin'`, `hint: did you mean "version"?`, "--help"}},
		{"import", []string{`unknown command "import"`, `hint: did you mean "ocp-vsphere-admin credentials import"?`, "--help"}},
		{"-h validate", []string{`did you mean "ocp-vsphere-admin install-config validate"?`, `did you mean "ocp-vsphere-admin spec validate"?`}},
		{"privileges shwo", []string{`unknown command "shwo" for 'ocp-vsphere-admin privileges'`, `did you mean "show"?`}},
		{"privileges show --matrx default", []string{`unknown flag --matrx for 'ocp-vsphere-admin privileges show'`, `did you mean "--matrix"?`}},
		{"version -o jsn", []string{`"jsn" is not one of table, json, yaml`, `did you mean "json"?`}},
		{"version --parallel 0", []string{"--parallel: 0"}},
		{"version --timeout -1s", []string{"--timeout: -1s"}},
		{"completion", []string{"needs one shell"}},
		{"completion bash -o json", []string{"--output: a completion script has one format"}},
		{"credentials export --recipient k -o yaml", []string{"--output: the accounts are printed as an encrypted file"}},
		{"completion bsh", []string{`did you mean "bash"?`}},
	} {
		fake := termtest.NewFake()
		code, stdout, stderr := program.Run(t, fake, strings.Fields(c.words)...)
		if code != command.ExitFailed || (stdout != "") != (strings.Contains(c.words, " -o ") && !strings.Contains(c.words, "jsn")) {
			t.Errorf("%s: exit code %d, stdout %q", c.words, code, stdout)
		}
		clitest.WantText(t, c.words, stderr, c.want...)
		if !strings.HasPrefix(stderr, "ocp-vsphere-admin: ") {
			t.Errorf("%s: stderr begins otherwise:\n%s", c.words, stderr)
		}
	}
}

// An error of a flag is a document as well, wherever the words or a variable ask for one.
func TestFlagErrorsAreDocuments(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"plan --foo -o json": "{", "plan --parallel x -ojson": "{", "plan --timeout x --output=yaml": "apiVersion: ", "plan --foo --output json": "{",
		"plan --foo -o=json": "{", "plan --foo -o": "", "plan --foo json": "", "plan --foo": "", "plan --foo -o jsn": "",
	} {
		_, stdout, _ := program.Run(t, termtest.NewFake(), strings.Fields(words)...)
		if (stdout == "") != (want == "") || !strings.HasPrefix(stdout, want) {
			t.Errorf("%s: %q", words, stdout)
		}
	}
	fake := termtest.NewFake()
	fake.Env["OCP_VSPHERE_ADMIN_OUTPUT"] = "json"
	if _, stdout, _ := program.Run(t, fake, "plan", "--foo"); !strings.Contains(stdout, `"kind": "Failure"`) {
		t.Errorf("%q", stdout)
	}
}

func TestHelpIsData(t *testing.T) {
	t.Parallel()
	for _, words := range []string{"", "--help", "privileges", "help privileges show"} {
		code, stdout, stderr := program.Run(t, termtest.NewFake(), strings.Fields(words)...)
		if code != command.ExitDone || stderr != "" || !strings.Contains(stdout, "ocp-vsphere-admin") {
			t.Errorf("%q: exit code %d, stderr %q, stdout:\n%s", words, code, stderr, stdout)
		}
	}
}

func TestUsageOfANoun(t *testing.T) {
	t.Parallel()
	_, stdout, _ := program.Run(t, termtest.NewFake(), "privileges")
	clitest.WantText(t, "help", stdout, "Usage:\n  ocp-vsphere-admin privileges <command> [flags]\n\n")
}

func TestEveryCommandExplainsItself(t *testing.T) {
	t.Parallel()
	eachCommand(func(cmd *cobra.Command) {
		if cmd.Name() == "help" || strings.HasPrefix(cmd.Name(), "__") || cmd.IsAdditionalHelpTopicCommand() {
			return
		}
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: short help %q", cmd.CommandPath(), cmd.Short)
		}
		if cmd.Example == "" || cmd.Long == "" {
			t.Errorf("%s has no example, or no sentence that explains it", cmd.CommandPath())
		}
		if cmd.Parent() != nil && !cmd.Parent().HasParent() && cmd.GroupID == "" {
			t.Errorf("%s is in no group of the help", cmd.CommandPath())
		}
		for _, name := range flagNames(cmd) {
			fl := cmd.Flags().Lookup(name)
			_, isPath := fl.Annotations[cobra.BashCompFilenameExt]
			if strings.Contains(name, "password") && !isPath && fl.Value.Type() != "bool" {
				t.Errorf("%s has a flag --%s: no flag holds a password; one that names a file is marked so", cmd.CommandPath(), name)
			}
			if v := command.EnvName(name); v == command.EnvAdminUser || v == command.EnvAdminPassword {
				t.Errorf("%s: the variable of --%s is one of the administrator's credentials", cmd.CommandPath(), name)
			}
		}
	})
}

func TestVersion(t *testing.T) {
	t.Parallel()
	_, stdout, _ := program.Run(t, termtest.NewFake(), "version")
	clitest.WantText(t, "version", stdout, "version", "commit", "date", "go1")
	_, stdout, _ = program.Run(t, termtest.NewFake(), "version", "-o", "json")
	doc := clitest.Document(t, "Version", stdout)
	if matrices, _ := doc["matrices"].([]any); len(matrices) != len(privileges.Names()) || doc["openshift"] != "4.22" || doc["vsphere"] != privileges.APIReference {
		t.Errorf("tables: %v of OpenShift %v, vSphere %v", doc["matrices"], doc["openshift"], doc["vsphere"])
	}
	if doc["version"] == "" || doc["go"] == "" {
		t.Errorf("empty: %v", doc)
	}
	_, stdout, _ = program.Run(t, termtest.NewFake(), "version", "-o", "yaml")
	clitest.WantText(t, "yaml", stdout, "apiVersion: ocp-vsphere-admin/v1\n", "kind: Version\n")
}

func TestCompletionScripts(t *testing.T) {
	t.Parallel()
	for shell, sign := range map[string]string{"bash": "complete -o", "zsh": "#compdef", "fish": "complete -c", "powershell": "Register-ArgumentCompleter"} {
		code, stdout, stderr := program.Run(t, termtest.NewFake(), "completion", shell)
		if code != 0 || stderr != "" {
			t.Errorf("%s: exit code %d, %s", shell, code, stderr)
		}
		clitest.WantText(t, shell, stdout, sign)
	}
}

func TestCompletionOfValues(t *testing.T) {
	t.Parallel()
	for words, want := range map[string][]string{
		"version -o ":                           {"table", "json", "yaml"},
		"help f":                                {"flags\t"},
		"help pr":                               {"privileges\t", "proof\t"},
		"help rotate ":                          {"finish\t", "status\t"},
		"completion ":                           {"bash", "powershell"},
		"privileges show ":                      {"machine-api", "installer"},
		"privileges show --matrix ":             {"enhancement", "default"},
		"secrets emit --components csi-driver,": {"csi-driver,machine-api", "csi-driver,installer"},
		"verify --allow unable,":                {"unable,unseen", "unable,unverified", "unable,fallback=csi-driver"},
		"secrets emit --format ":                {"hive", "openshift", "vcf-migration"},
		"privileges show --conditions vsan-file,no-managed-": {"vsan-file,no-managed-storageclass"},
		"privileges show --scope ":                           {"vcenter", "resource-pool"},
	} {
		args := append([]string{"__complete"}, strings.Split(words, " ")...)
		_, stdout, _ := program.Run(t, termtest.NewFake(), args...)
		clitest.WantText(t, words, stdout, want...)
	}
}

// Where a file says what there is, the shell offers it.
func TestCompletionOfWhatFilesHold(t *testing.T) {
	t.Parallel()
	file := clitest.WriteFile(t, "spec.yaml", "apiVersion: ocp-vsphere-admin/v1\nkind: Provisioning\ncluster: c\ncomponents:\n  diagnostics: {principal: svc-diag@corp.example.com}\n"+
		"vcenters:\n- server: vc1.example.com\n  failureDomains:\n  - {name: a, datacenter: DC1, computeCluster: /DC1/host/C1, datastore: /DC1/datastore/ds1, networks: [net]}\n- server: vc2.example.com\n", 0o600)
	credentials := clitest.WriteFile(t, "credentials", clitest.TwoVCenters, 0o600)
	for words, want := range map[string][]string{
		"plan -f " + file + " --vcenters ":                                    {"vc1.example.com\n", "vc2.example.com\n"},
		"plan -f " + file + " --vcenters vc1.example.com,":                    {"vc1.example.com,vc2.example.com\n"},
		"plan -f " + file + " --connect-to vc2":                               {"vc2.example.com=\n"},
		"plan -f " + file + " --thumbprint ":                                  {"vc1.example.com=\n"},
		"permissions check -f " + file + " --object /DC1/h":                   {"/DC1/host/C1\n"},
		"permissions check -f " + file + " --principal s":                     {"svc-diag@corp.example.com\n"},
		"credentials show --credentials-file " + credentials + " --vcenters ": {"vcenter1.example.com\n", "vcenter2.example.com\n"},
		"users list -f " + file + " --vcenters ":                              {"vc2.example.com\n"},
		"roles create --profile pass":                                         {"passthrough\n"},
	} {
		_, stdout, stderr := program.Run(t, termtest.NewFake(), append([]string{"__complete"}, strings.Split(words, " ")...)...)
		clitest.WantText(t, words+stderr, stdout, want...)
	}
	fake := termtest.NewFake()
	fake.Env["OCP_VSPHERE_ADMIN_FILE"] = file
	_, stdout, _ := program.Run(t, fake, "__complete", "plan", "--vcenters", "")
	clitest.WantText(t, "file of the environment", stdout, "vc1.example.com\n")
	_, stdout, _ = program.Run(t, termtest.NewFake(), "__complete", "plan", "-f", "/nowhere", "--vcenters", "")
	if !strings.HasPrefix(stdout, ":") {
		t.Errorf("a file that is not there: %q", stdout)
	}
}

// Each flag of a few words offers them, and each flag has a meaning in the help.
func TestFlagsExplainThemselves(t *testing.T) {
	t.Parallel()
	eachCommand(func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(fl *pflag.Flag) {
			if fl.Usage == "" || strings.HasSuffix(strings.TrimSuffix(fl.Usage, "..."), ".") {
				t.Errorf("%s --%s: %q", cmd.CommandPath(), fl.Name, fl.Usage)
			}
			choice, ok := fl.Value.(interface{ Words() []string })
			if !ok {
				return
			}
			if kind := fl.Value.Type(); kind != strings.Join(choice.Words(), "|") && !strings.HasSuffix(fl.Usage, ": "+strings.Join(choice.Words(), ", ")) {
				t.Errorf("%s --%s %s: %q does not say the words", cmd.CommandPath(), fl.Name, kind, fl.Usage)
			}
			complete, there := cmd.GetFlagCompletionFunc(fl.Name)
			if !there {
				t.Errorf("%s --%s: its words are not completed", cmd.CommandPath(), fl.Name)
				return
			}
			if words, _ := complete(cmd, nil, ""); !slices.Equal(words, choice.Words()) {
				t.Errorf("%s --%s: completes %s, takes %s", cmd.CommandPath(), fl.Name, words, choice.Words())
			}
		})
	})
}

// A flag that went, or is another tool's, is answered with what is meant, on every command that had it.
func TestFlagsOfEarlierVersionsAreAnswered(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"secrets emit -f x --renew --against -":               `hint: did you mean "ocp-vsphere-admin secrets renew"?`,
		"secrets emit --with-root-secret":                     "hint: it is a field of the provisioning file: secrets: {rootSecret: true}",
		"secrets diff --with-extra cluster-api":               "hint: it is a field of the provisioning file: secrets: {extra: [cluster-api]}",
		"secrets sync --cco-label=yes":                        `hint: it is a field of the provisioning file: secrets: {ccoLabel: "yes"}`,
		"verify --allow-unable":                               `hint: did you mean "--allow unable"?`,
		"plan -f x --allow-unseen":                            `hint: did you mean "--allow unseen"?`,
		"verify -f x --allow-unverified":                      `hint: did you mean "--allow unverified"?`,
		"secrets emit --allow-disabled":                       `hint: did you mean "--allow disabled"?`,
		"doctor --secrets - --allow-fallback csi-driver":      `hint: did you mean "--allow fallback=COMPONENT"?`,
		"plan --dry-run":                                      `hint: did you mean "ocp-vsphere-admin plan"?`,
		"verify --json":                                       `hint: did you mean "-o json"?`,
		"status --json":                                       `hint: did you mean "-o json"?`,
		"roles list --yaml":                                   `hint: did you mean "-o yaml"?`,
		"identity emit --allow all":                           "what it took in earlier versions is a value of --namespaces now",
		"verify --allow unabel":                               `"unabel" is not one of unable, unseen, unverified, fallback=machine-api`,
		"plan -f x --allow unseen,unverified":                 `"unverified" is not one of unseen`,
		"verify --allow fallback=csi-driver -f x":             "require the secrets of a cluster",
		"verify --allow unverified -f x --secrets dump":       "--allow: unverified is about passwords of the credentials file",
		"doctor --allow fallback=csi-driver -f x":             "--allow fallback=COMPONENT requires the secrets of a cluster",
		"install-config render x --allow unverified,disabled": `"unverified" is not one of disabled`,
		"secrets manifests --allow-disabled --requests x":     `hint: did you mean "--allow disabled"?`,
		"secrets explain -f - --allow-fallback=csi-driver":    `hint: did you mean "--allow fallback=COMPONENT"?`,
	} {
		code, _, stderr := program.Run(t, termtest.NewFake(), strings.Fields(words)...)
		if code != command.ExitFailed {
			t.Errorf("%s: exit code %d", words, code)
		}
		clitest.WantText(t, words, stderr, want)
	}
}
