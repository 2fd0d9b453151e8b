package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
)

// An empty value of a flag is refused before anything is read, for every flag of every command that takes text: an unset variable of
// the shell does not switch off what a flag is there to hold back.
func TestEmptyValuesAreRefused(t *testing.T) {
	t.Parallel()
	behind := map[string]string{ // what a command needs beside its flags to be run at all
		"completion": "bash", "vcenter-lab completion": "bash", "install-config render": "x", "install-config extract": "x", "install-config validate": "x", "privileges diff": "a b", "privileges show": "csi-driver", "plan show": "x", "report check": "x",
		"report merge": "x",
	}
	tried := 0
	eachCommand(func(cmd *cobra.Command) {
		if !cmd.Runnable() || cmd.HasSubCommands() && !command.IsItself(cmd) || cmd.Name() == "help" {
			return
		}
		var names []string
		add := func(fl *pflag.Flag) {
			if _, takesEmpty := fl.Annotations[command.TakesEmpty]; strings.HasPrefix(fl.Value.Type(), "string") && !takesEmpty {
				names = append(names, fl.Name)
			}
		}
		cmd.LocalFlags().VisitAll(add)
		cmd.InheritedFlags().VisitAll(add)
		slices.Sort(names) // as pflag visits them
		tried += len(names)
		args, want := strings.Fields(words(cmd)+" "+behind[words(cmd)]), ""
		for _, name := range names {
			args = append(args, "--"+name, "")
			want += cmd.Root().Name() + ": --" + name + ": the value is empty\n"
		}
		code, stdout, stderr := program.Run(t, termtest.NewFake(), args...)
		want += "hint: a shell variable that is not set gives an empty value: set it, or leave the flag out\n"
		if len(names) > 0 && (code != command.ExitFailed || stdout != "" || stderr != want) {
			t.Errorf("%q: exit code %d, stdout %q, stderr:\n%s\nwant:\n%s", args, code, stdout, stderr, want)
		}
	})
	if tried < 300 {
		t.Errorf("only %d flags were tried", tried)
	}
}

// A list is refused for one empty value in it, several flags are named at once, and a flag whose empty value means something takes it.
// An empty setting counts as not set.
func TestEmptyPartsOfValues(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"plan --vcenters a,":                            "--vcenters: one of the values is empty",
		"plan --connect-to a=b:1 --connect-to=":         "--connect-to: one of the values is empty",
		"destroy --secrets= --components=":              "--components: the value is empty\nocp-vsphere-admin: --secrets: the value is empty\nhint: ",
		"privileges export --format csv --role-prefix=": "",
	} {
		fake := termtest.NewFake()
		fake.Env[command.EnvName("components")] = ""
		code, _, stderr := program.Run(t, fake, strings.Fields(words)...)
		if (code == command.ExitFailed) != (want != "") || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, stderr:\n%s", words, code, stderr)
		}
	}
}
