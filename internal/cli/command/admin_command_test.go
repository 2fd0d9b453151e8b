//go:build unix

package command_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// printing is an --admin-command that prints a file.
func printing(t *testing.T, text string) string {
	t.Helper()
	return "/bin/cat '" + clitest.WriteFile(t, "answer.json", text, 0o600) + "'"
}

// credential is what a command prints, with some fields otherwise; null takes one away.
func credential(with map[string]any) string {
	fields := map[string]any{"apiVersion": command.APIVersion, "kind": command.CredentialKind, "user": "admin@x", "password": "pw-canary"}
	maps.Copy(fields, with)
	maps.DeleteFunc(fields, func(_ string, v any) bool { return v == "none" })
	text, _ := json.Marshal(fields)
	return string(text)
}

func commanded(t *testing.T, fake *termtest.Fake, line string) *command.Administrators {
	t.Helper()
	f := command.NewFactory(fake.Streams, command.Build{})
	admins, err := (&command.AdminFlags{Command: line}).Resolve(f)
	if err != nil {
		t.Fatal(err)
	}
	return admins
}

func TestAdminCommandAnswers(t *testing.T) {
	t.Parallel()
	later, before := time.Now().Add(time.Hour).Format(time.RFC3339), time.Now().Add(-time.Hour).Format(time.RFC3339)
	for text, want := range map[string]string{
		credential(nil):                                "",
		credential(nil) + "\n\n":                       "",
		credential(map[string]any{"expiresAt": later}): "",
		"":                                "is not one JSON object",
		"pw-canary":                       "is not one JSON object",
		"null":                            "is not one JSON object",
		credential(nil) + credential(nil): "is not one JSON object",
		"[" + credential(nil) + "]":       "is not one JSON object",
		credential(map[string]any{"pw-canary": 1}):                        "has a field beside apiVersion, kind, user, password, expiresAt",
		credential(map[string]any{"Password": "x"}):                       "has a field beside",
		credential(map[string]any{"password": 7}):                         "has a password that is no string",
		credential(map[string]any{"password": nil}):                       "has a password that is no string",
		credential(map[string]any{"password": "none"}):                    "has a password that is empty",
		credential(map[string]any{"password": "pw-canary\nx"}):            "has a password that has more than one line",
		credential(map[string]any{"password": strings.Repeat("x", 2000)}): "has a password that is too long",
		credential(map[string]any{"password": "REPLACE_WITH_PASSWORD"}):   "has a password that is a placeholder",
		credential(map[string]any{"user": ""}):                            "has no user",
		credential(map[string]any{"kind": "ExecCredential"}):              "is not of apiVersion ocp-vsphere-admin/v1 and kind AdministratorCredential",
		credential(map[string]any{"apiVersion": "v1"}):                    "is not of apiVersion",
		credential(map[string]any{"expiresAt": "pw-canary"}):              "has an expiresAt that is no time",
		credential(map[string]any{"expiresAt": before}):                   "expired at ",
		credential(map[string]any{"user": "\xff"}) + "\xff":               "is not UTF-8",
		credential(map[string]any{"user": strings.Repeat("x", 20000)}):    "is larger than",
	} {
		fake := termtest.NewFake()
		got, err := loginOf(commanded(t, fake, printing(t, text)), "vc1")
		if want == "" {
			if got != "admin@x/pw-canary" || err != nil {
				t.Errorf("%s: %s, %v", text, got, err)
			}
			continue
		}
		clitest.WantErr(t, err, "vc1: --admin-command: /bin/cat", want)
		fake.PrintError("p", err)
		if strings.Contains(fake.Stderr.String(), "canary") {
			t.Errorf("an error shows what the command printed: %s", fake.Stderr)
		}
	}
}

// A command is run once for a vCenter, however often it is needed, with the vCenter's name; those of several run at once. What one says
// on stderr is passed on, and one that fails leaves the others alone.
func TestAdminCommandRunsOnce(t *testing.T) {
	t.Parallel()
	count := clitest.WriteFile(t, "count", "", 0o600)
	fake := termtest.NewFake()
	admins := commanded(t, fake, fmt.Sprintf(`/bin/sh -c 'echo $OCP_VSPHERE_ADMIN_SERVER >>%s
		case $OCP_VSPHERE_ADMIN_SERVER in vc2) echo pw-canary; echo no such entry >&2; exit 3;; esac
		echo "{\"apiVersion\":\"ocp-vsphere-admin/v1\",\"kind\":\"AdministratorCredential\",\"user\":\"admin@$OCP_VSPHERE_ADMIN_SERVER\",\"password\":\"p\"}"'`, count))
	if err := admins.Ask(t.Context(), []string{"vc1", "vc2", "vc3"}, false, nil); err != nil {
		t.Fatal(err)
	}
	var all crash.Group
	for range 4 {
		all.Go(func() { // as one that is linked to a vCenter of the specification
			if got, err := loginOf(admins, "vc4"); got != "admin@vc4/p" || err != nil {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
	all.Wait()
	for range 2 {
		tries := 0
		err := admins.Admit(t.Context(), "vc1", func(l command.AdminLogin, typed bool) error {
			tries++
			return fmt.Errorf("vc1: %w", vcenter.ErrLogin)
		})
		if !errors.Is(err, vcenter.ErrLogin) || tries != 1 {
			t.Errorf("%v after %d logins", err, tries)
		}
		_, err = loginOf(admins, "vc2")
		clitest.WantErr(t, err, "vc2: --admin-command: /bin/sh: exit status 3")
	}
	data, err := os.ReadFile(count)
	if lines := strings.Fields(string(data)); err != nil || len(lines) != 4 {
		t.Errorf("run for %v, %v", lines, err)
	}
	if said := fake.Stderr.String(); said != "vc2: sh: no such entry\n" {
		t.Errorf("said: %q", said)
	}
}

// A command ends with the run, and by --timeout.
func TestAdminCommandEnds(t *testing.T) {
	t.Parallel()
	f := command.NewFactory(termtest.NewFake().Streams, command.Build{})
	f.Timeout = time.Millisecond
	admins, err := (&command.AdminFlags{Command: "/bin/sleep 600"}).Resolve(f)
	if err != nil {
		t.Fatal(err)
	}
	_, err = loginOf(admins, "vc1")
	clitest.WantErr(t, err, "vc1: --admin-command: /bin/sleep did not end within 1ms")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := admins.Ask(ctx, []string{"vc2"}, false, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestWrongAdminCommand(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		" ": "--admin-command: it names no program", "/bin/cat 'x": "a ' is not closed",
		"/bin/cat x | /bin/cat": "no shell runs it", "/nowhere/vault x": "/nowhere/vault",
	} {
		_, err := (&command.AdminFlags{Command: line}).Resolve(command.NewFactory(termtest.NewFake().Streams, command.Build{}))
		clitest.WantErr(t, err, want)
	}
}

// A command is as near as the place that names it, and of one place there is one source.
func TestNearestAdminCommand(t *testing.T) {
	t.Parallel()
	run := printing(t, credential(nil))
	ini := clitest.WriteFile(t, "admin", "[vc1]\nuser = ini@x\npassword = ini-pw\n", 0o600)
	env := map[string]string{command.EnvAdminUser: "env@x", command.EnvAdminPassword: "env-pw"}
	const commands = "admin@x/pw-canary"
	for name, c := range map[string]struct {
		words    []string
		settings string
		env      map[string]string
		want     string // a login, or what the error has
	}{
		"command line before variables": {[]string{"--admin-command", run}, "admin-credentials: " + ini, env, commands},
		"variable before settings":      {nil, "admin-credentials: " + ini, map[string]string{command.EnvName("admin-command"): run}, commands},
		"settings before govc":          {nil, `admin-command: "` + run + `"`, map[string]string{command.GovcUser: "g", command.GovcPassword: "p"}, commands},
		"variables before settings":     {nil, `admin-command: "` + run + `"`, env, "env@x/env-pw"},
		"a file on the line before it":  {[]string{"--admin-credentials", ini}, `admin-command: "` + run + `"`, nil, "ini@x/ini-pw"},
		"two of the command line":       {[]string{"--admin-credentials", ini, "--admin-command", run}, "", nil, "none of the others can be"},
		"two of the environment":        {nil, "", map[string]string{command.EnvName("admin-command"): run, command.EnvAdminUser: "u"}, "none of the others can be"},
		"two of the settings":           {nil, "admin-user: u\nadmin-command: x", nil, "none of the others can be"},
		"a list in the settings file":   {nil, "admin-command: [cat, x]", nil, "must be one value, not a list"},
	} {
		fake := termtest.NewFake()
		maps.Copy(fake.Env, c.env)
		config := clitest.WriteFile(t, "config.yaml", c.settings+"\n", 0o600)
		admin := &command.AdminFlags{}
		cmd := &cobra.Command{Use: "probe", RunE: func(*cobra.Command, []string) error { return nil }}
		admin.Register(cmd)
		f := command.NewFactory(fake.Streams, command.Build{})
		err := program.Parse(t, f, cmd, append([]string{"probe", "--config", config}, c.words...)...)
		got := ""
		if err == nil {
			var admins *command.Administrators
			if admins, err = admin.Resolve(f); err == nil {
				got, err = loginOf(admins, "vc1")
			}
		}
		if got != c.want && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %s, %v; want %s", name, got, err, c.want)
		}
	}
}
