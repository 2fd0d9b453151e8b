package cli

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
)

// said is what a command line of a command of root says.
func said(t *testing.T, f *command.Factory, root *cobra.Command, words ...string) command.Invocation {
	t.Helper()
	cmd, rest, err := root.Find(words)
	if err == nil {
		err = cmd.ParseFlags(rest)
	}
	if err == nil && f.Config == "" {
		err = f.LoadSettings(cmd)
	}
	if err == nil {
		err = cmd.ValidateFlagGroups()
	}
	if err != nil {
		t.Fatalf("%q: %v", words, err)
	}
	return command.InvocationOf(cmd.Flags())
}

func TestNextSaysWhatTheNextCommandHasToKnow(t *testing.T) {
	t.Parallel()
	everything := "--yes --exit-code --out p.json -v -o json --no-color --thumbprint vc=AA --components csi-driver,machine-api" +
		" --create-folders --additive --strict --insecure=false --conditions vsan-file --matrix ./m.yaml --vcenters a,b --file s.yaml" +
		" --connect-to a=x:1 --connect-to b=y:1 --credentials-file c --admin-user u --admin-password-file - --cacert ca --timeout 5s"
	for _, c := range []struct{ words, next, want string }{
		{"plan -f a'b.yaml", "apply", `-f 'a'\''b.yaml'`},
		{"plan -f -", "apply", "-f FILE"},
		{"plan -f s.yaml --components= --vcenters= --admin-user=", "apply", "-f s.yaml --admin-user ''"},
		{
			"plan " + everything, "apply",
			"-f s.yaml --vcenters a,b --components csi-driver,machine-api --matrix ./m.yaml --conditions vsan-file --additive" +
				" --admin-password-file - --admin-user u --cacert ca --connect-to a=x:1 --connect-to b=y:1 --create-folders" +
				" --credentials-file c --insecure=false --strict --thumbprint vc=AA --timeout 5s",
		},
		{"rotate --in-place -f s.yaml --profile manual --vcenters a", "secrets emit", "-f s.yaml --vcenters a --profile manual"},
		{"install-config render i.yaml --profile manual --credentials-file c", "rotate", "--credentials-file c"},
		// --strict of verify is about something else.
		{"apply -f s.yaml --strict --additive --create-folders", "verify", "-f s.yaml --create-folders"},
		// roles have no passwords, and permissions no topology that is assumed.
		{"users create -f s.yaml --credentials-file c", "roles list", "-f s.yaml"},
		{"roles create -f s.yaml --folder created --strict", "users create", "-f s.yaml"},
		{"roles create --vcenters a --folder created --strict", "roles diff", "--vcenters a --folder created"},
		// a dump of secrets is no provisioning file; an install-config is of the cluster, also for an import.
		{"secrets explain -f dump.yaml --vcenters a", "verify", ""},
		{"credentials import --install-config c.yaml --vcenters a --components csi-driver --credentials-file x", "credentials validate", "--install-config c.yaml --vcenters a --components csi-driver --credentials-file x"},
	} {
		fake := termtest.NewFake()
		fake.Env["OCP_VSPHERE_ADMIN_PARALLEL"] = "3" // the next command finds it there
		f := command.NewFactory(fake.Streams, command.Build{})
		asked := said(t, f, NewCmdRoot(f), strings.Fields(c.words)...)
		want := strings.TrimSpace(command.Program + " " + c.next + " " + c.want)
		if diff := cmp.Diff(want, f.CommandLine(c.next, asked)); diff != "" {
			t.Errorf("%s, then %s: %s", c.words, c.next, diff)
		}
	}
}

// No digest covers what a saved plan says for the next command: whoever edits it gets no other setting into a hint.
func TestInvocationOfAnEditedPlan(t *testing.T) {
	t.Parallel()
	f := command.NewFactory(termtest.NewFake().Streams, command.Build{})
	NewCmdRoot(f)
	edited := command.Invocation{"file": {"x; rm -rf y"}, "insecure": {"true"}, "create-folders": {}, "admin-command": {"sh x"}, "no such": {"z"}, command.ConnectToFlag: {}}
	if diff := cmp.Diff(command.Program+" verify -f 'x; rm -rf y'", f.CommandLine("verify", edited.Only(job.SavedFlags()...).Then(nil))); diff != "" {
		t.Error(diff)
	}
}

// Whatever a command line says can be said to any other command: as far as that has the settings, it reads the same.
func TestEveryCommandCanFollowEveryOther(t *testing.T) {
	t.Parallel()
	f := command.NewFactory(termtest.NewFake().Streams, command.Build{})
	root := NewCmdRoot(f)
	tried := map[string]bool{} // many commands have the same settings
	for _, from := range runnable(root) {
		key := strings.Join(command.SortedKeys(f.Settings()[from]), " ")
		if tried[key] {
			continue
		}
		tried[key] = true
		for _, left := range [][]string{
			{"install-config", "infrastructure", "cluster", "prune", "admin-command"},
			{"file", "infrastructure", "cluster", "additive", "admin-command"},
			{"file", "install-config", "cluster", "prune", "admin-command"},
			{"file", "install-config", "infrastructure", "prune", "admin-credentials", "admin-user", "admin-password-file"},
		} {
			asked := said(t, f, NewCmdRoot(f), append(strings.Fields(from), settingsOf(t, from, left)...)...)
			g := command.NewFactory(termtest.NewFake().Streams, command.Build{})
			others := NewCmdRoot(g) // each command of it is given one line
			for _, to := range runnable(root) {
				words := append(strings.Fields(to), asked.Words(f.Settings()[to])...)
				want := maps.Clone(asked)
				maps.DeleteFunc(want, func(name string, _ []string) bool { return f.Settings()[to][name] == "" })
				if diff := cmp.Diff(want, said(t, g, others, words...)); diff != "" {
					t.Errorf("%s, then %s: %s", from, f.CommandLine(to, asked), diff)
				}
			}
		}
	}
}

func runnable(root *cobra.Command) (names []string) {
	command.EachCommand(root, func(cmd *cobra.Command) {
		if cmd.RunE != nil && !cmd.HasSubCommands() && cmd.Name() != "help" {
			names = append(names, command.Spoken(cmd))
		}
	})
	return names
}

// settingsOf gives every setting of a command, but for those left out, a value.
func settingsOf(t *testing.T, name string, left []string) (words []string) {
	t.Helper()
	cmd, _, err := NewCmdRoot(command.NewFactory(termtest.NewFake().Streams, command.Build{})).Find(strings.Fields(name))
	if err != nil {
		t.Fatal(err)
	}
	given := func(fl *pflag.Flag) {
		if !command.IsSetting(fl) || slices.Contains(left, fl.Name) {
			return
		}
		value := "a b'c"
		choice, chosen := fl.Value.(interface{ Words() []string })
		switch kind := fl.Value.Type(); {
		case chosen: // the last word
			value = choice.Words()[len(choice.Words())-1]
		case kind == "bool":
			value = "true"
		case kind == "int":
			value = "7"
		case kind == "duration":
			value = "7s"
		case kind == "stringArray":
			words = append(words, "--"+fl.Name, "vc1=AA:BB")
			value = "vc2=CC:DD"
		case kind == "stringSlice":
			value = "x,y"
		}
		words = append(words, "--"+fl.Name+"="+value)
	}
	cmd.InheritedFlags() // brings them into the others
	cmd.Flags().VisitAll(given)
	return words
}

// A flag that several commands have is a setting, which means the same for all of them, or it is listed here because it does
// not, or steers one run.
func TestSharedFlagsAreSettingsOrNot(t *testing.T) {
	t.Parallel()
	own := strings.Fields("account-passwords against all allow clusters resume results shard applied ask-passwords assign brief completion-of component connect-to context controller-namespace" +
		" cluster-version credentials-requests digest dir displace domain dry-run dump enable-tech-preview event every exit-code expiring-within explain file force format from full grace held html" +
		" help identity in-place infrastructure install-config kubeconfig latency linked listen markdown matrix-from matrix-to metrics name namespaces no-verify object out output-dir place plan principal" +
		" privileges profile recipient recipients-file release renew replace requests scope secrets since strict switch to vcenter-ids vcenters verify version")
	kinds := map[string]map[string]bool{} // of settings
	others := map[string]int{}
	eachCommand(func(cmd *cobra.Command) {
		cmd.LocalNonPersistentFlags().VisitAll(func(fl *pflag.Flag) {
			if !command.IsSetting(fl) {
				others[fl.Name]++
				return
			}
			if kinds[fl.Name] == nil {
				kinds[fl.Name] = map[string]bool{}
			}
			kinds[fl.Name][fl.Value.Type()] = true
		})
	})
	for name, of := range kinds {
		if len(of) != 1 {
			t.Errorf("--%s has several types: %v", name, slices.Collect(maps.Keys(of)))
		}
	}
	for name, n := range others {
		if n > 1 && !slices.Contains(own, name) {
			t.Errorf("--%s is a flag of %d commands: mark it as a setting, or name it here", name, n)
		}
	}
}

// Nobody else spells what to run next.
func TestNextIsSaidInOnePlace(t *testing.T) {
	t.Parallel()
	files := sources(t)
	if len(files) < 50 {
		t.Fatalf("%d files", len(files))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if says := strings.Contains(string(text), `"next:`); says != (file == "command/next.go") && !strings.HasSuffix(file, "_test.go") {
			t.Errorf("%s says what is next: %v", file, says)
		}
	}
}

// A file takes the place of an install-config or an Infrastructure where only a file says what is needed: they exclude each other.
func TestFileInPlaceOfInstallConfig(t *testing.T) {
	t.Parallel()
	said := command.Invocation{"install-config": {"i.yaml"}, "vcenters": {"a"}}
	if diff := cmp.Diff(command.Invocation{"file": {command.FilePlaceholder}, "vcenters": {"a"}}, (&command.SourceFlags{InstallConfig: "i.yaml"}).OfFile(said)); diff != "" {
		t.Error(diff)
	}
	said = command.Invocation{"infrastructure": {"i.yaml"}, "vcenters": {"a"}}
	if diff := cmp.Diff(command.Invocation{"file": {command.FilePlaceholder}, "vcenters": {"a"}}, (&command.SourceFlags{Infrastructure: "i.yaml"}).OfFile(said)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(command.Invocation{}, (&command.SourceFlags{File: "of the environment"}).OfFile(command.Invocation{})); diff != "" {
		t.Error(diff)
	}
}
