package command_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// Who logs in is who was named nearest: the command line goes before the environment, and that before the settings file,
// whichever way the login is given. A password goes with the user beside whom it was given, and with nobody else.
func TestNearestAdministrator(t *testing.T) {
	t.Parallel()
	ini := clitest.WriteFile(t, "admin", "[vc1]\nuser = ini@x\npassword = ini-pw\n", 0o600)
	bobs, alices := clitest.WriteFile(t, "bob", "bob-pw\n", 0o600), clitest.WriteFile(t, "alice", "alice-pw\n", 0o600)
	ours := map[string]string{command.EnvAdminUser: "env@x", command.EnvAdminPassword: "env-pw"}
	for _, c := range []struct {
		name, words, settings string
		env                   map[string]string
		server, want          string // "typed" is the answer of the terminal
	}{
		{"user against file of the settings", "--admin-user alice", "admin-credentials: INI", nil, "vc1", "alice/typed"},
		{"user and password against file of the settings", "--admin-user alice --admin-password-file ALICE", "admin-credentials: INI", nil, "vc1", "alice/alice-pw"},
		{"user against file of the environment", "--admin-user alice --admin-password-file ALICE", "", map[string]string{command.EnvName("admin-credentials"): ini}, "vc1", "alice/alice-pw"},
		{"file against user of the settings", "--admin-credentials INI", "admin-user: bob\nadmin-password-file: BOB", nil, "vc1", "ini@x/ini-pw"},
		{"file against user of the environment", "--admin-credentials INI", "", ours, "vc1", "ini@x/ini-pw"},
		{"vCenters that the file does not name", "--admin-credentials INI", "", ours, "vc2", "env@x/env-pw"},
		{"user against the password of another", "--admin-user alice", "admin-user: bob\nadmin-password-file: BOB", nil, "vc1", "alice/typed"},
		{"the same user", "--admin-user bob", "admin-user: bob\nadmin-password-file: BOB", nil, "vc1", "bob/bob-pw"},
		{"a password that stands alone", "--admin-user bob", "admin-password-file: BOB", nil, "vc1", "bob/bob-pw"},
		{"password against that of the settings", "--admin-password-file ALICE", "admin-user: bob\nadmin-password-file: BOB", nil, "vc1", "bob/alice-pw"},
		{"environment against file of the settings", "", "admin-credentials: INI", ours, "vc1", "env@x/env-pw"},
		{"environment against user of the settings", "", "admin-user: bob\nadmin-password-file: BOB", ours, "vc1", "env@x/env-pw"},
		{"environment's user against password of the settings", "", "admin-user: bob\nadmin-password-file: BOB", map[string]string{command.EnvAdminUser: "env@x"}, "vc1", "env@x/typed"},
		{"environment's password against that of the settings", "", "admin-user: bob\nadmin-password-file: BOB", map[string]string{command.EnvAdminPassword: "env-pw"}, "vc1", "bob/env-pw"},
		{"user against the pair of the environment", "--admin-user alice", "", map[string]string{command.EnvAdminUser: "bob", command.EnvName("admin-password-file"): bobs}, "vc1", "alice/typed"},
		{"both of one place, in the order of the help", "", "admin-user: bob\nadmin-password-file: BOB\nadmin-credentials: INI", nil, "vc1", "ini@x/ini-pw"},
		{"the rest of one place", "", "admin-user: bob\nadmin-password-file: BOB\nadmin-credentials: INI", nil, "vc2", "bob/bob-pw"},
		{"govc's come last", "", "admin-credentials: INI", map[string]string{command.GovcUser: "govc@x", command.GovcPassword: "govc-pw"}, "vc1", "ini@x/ini-pw"},
	} {
		paths := strings.NewReplacer("INI", ini, "BOB", bobs, "ALICE", alices)
		fake := termtest.NewFake().WithAnswers("typed")
		maps.Copy(fake.Env, c.env)
		config := clitest.WriteFile(t, "config.yaml", paths.Replace(c.settings)+"\n", 0o600)
		admin := &command.AdminFlags{}
		cmd := &cobra.Command{Use: "probe", RunE: func(*cobra.Command, []string) error { return nil }}
		admin.Register(cmd)
		words := append([]string{"probe", "--config", config}, strings.Fields(paths.Replace(c.words))...)
		if err := program.Parse(t, command.NewFactory(fake.Streams, command.Build{}), cmd, words...); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		admins, err := admin.Resolve(command.NewFactory(fake.Streams, command.Build{}))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got, err := loginOf(admins, c.server); got != c.want || err != nil {
			t.Errorf("%s: %s, %v; want %s", c.name, got, err, c.want)
		}
	}
}

// A file that is silenced is not even opened: that it is not there, or open to others, is no matter now.
func TestSilencedFileIsNotOpened(t *testing.T) {
	t.Parallel()
	pw := clitest.WriteFile(t, "pw", "p\n", 0o600)
	admin := &command.AdminFlags{User: "u", PasswordFile: pw, Credentials: "/nowhere", Level: levels("admin-user=line admin-password-file=line admin-credentials=file")}
	if _, err := admin.Resolve(command.NewFactory(termtest.NewFake().Streams, command.Build{})); err != nil {
		t.Error(err)
	}
}

func TestWordIsNearerThanTheMatrixOfTheSettings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ words, settings, want string }{
		{"enhancement", "matrix: default", "enhancement"},
		{"", "matrix: default", "default"},
		{"enhancement --matrix documented", "matrix: default", "enhancement documented"},
	} {
		f := command.NewFactory(termtest.NewFake().Streams, command.Build{})
		got := ""
		cmd := privileges.NewCmdLint(f, func(o *privileges.LintOptions) error {
			got = strings.Join(o.Matrices, " ")
			return nil
		})
		config := clitest.WriteFile(t, "config.yaml", c.settings+"\n", 0o600)
		if err := program.Parse(t, f, cmd, append([]string{"lint", "--config", config}, strings.Fields(c.words)...)...); err != nil || got != c.want {
			t.Errorf("%s with %s: %s, %v; want %s", c.words, c.settings, got, err, c.want)
		}
	}
}

// levels makes a level function of words like "cacert=file".
func levels(words string) func(string) command.Level {
	at := map[string]command.Level{}
	for _, w := range strings.Fields(words) {
		flag, where, _ := strings.Cut(w, "=")
		at[flag] = map[string]command.Level{"file": command.OfSettingsFile, "env": command.OfEnvironment, "line": command.OfCommandLine}[where]
	}
	return func(flag string) command.Level { return at[flag] }
}

// Who is trusted is said by the nearest that says it; what was set once for all does not undo what is typed now.
func TestNearestTrust(t *testing.T) {
	t.Parallel()
	lab, err := vcsim.Start(vcsim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer lab.Close()
	ca := clitest.WriteFile(t, "ca.pem", string(lab.CA), 0o600)
	thumbprint := "vc1=" + strings.Repeat("0f", 20)
	for _, c := range []struct {
		given, govc, want string
	}{
		{given: "cacert=line insecure=file", want: "cacert"},
		{given: "cacert=line insecure=env", want: "cacert"},
		{given: "cacert=env insecure=file", want: "cacert"},
		{given: "thumbprint=line insecure=file", want: "thumbprint"},
		{given: "thumbprint=env insecure=file cacert=file", want: "cacert thumbprint"},
		{given: "insecure=line cacert=file thumbprint=file", want: "insecure"},
		{given: "insecure=line cacert=env thumbprint=line", want: "insecure thumbprint"},
		{given: "cacert=line thumbprint=file", want: "cacert"},
		{given: "cacert=file thumbprint=line", want: "cacert thumbprint"},
		{given: "cacert=file thumbprint=file", want: "cacert thumbprint"},
		{given: "cacert=line insecure=line", want: "cacert insecure"},
		{given: "cacert=file", govc: "true", want: "cacert"},
		{given: "thumbprint=file", govc: "true", want: "thumbprint"},
		{govc: "true", want: "insecure"},
	} {
		tls := command.TLSFlags{Level: levels(c.given), Insecure: strings.Contains(c.given, "insecure")}
		if strings.Contains(c.given, "cacert") {
			tls.CACert = ca
		}
		if strings.Contains(c.given, "thumbprint") {
			tls.Thumbprint = []string{thumbprint}
		}
		fake := termtest.NewFake()
		fake.Env["GOVC_INSECURE"] = c.govc
		out, err := tls.Resolve(fake.Streams, []string{"vc1"})
		var got []string
		for name, on := range map[string]bool{"cacert": len(out.CACerts) > 0, "insecure": out.Insecure, "thumbprint": len(out.Thumbprints) > 0} {
			if on {
				got = append(got, name)
			}
		}
		slices.Sort(got)
		if said := strings.Join(got, " "); said != c.want || err != nil {
			t.Errorf("%s, GOVC_INSECURE=%s: %s, %v; want %s", c.given, c.govc, said, err, c.want)
		}
	}
}
