package initcmd_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/initcmd"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/wizard"
)

// program is what the tests run.
var program = clitest.Program{Main: cli.Run, NewRoot: cli.NewCmdRoot}

func parsedInit(t *testing.T, fake *termtest.Fake, words string) *initcmd.Options {
	t.Helper()
	f := command.NewFactory(fake.Streams, command.Build{})
	var got *initcmd.Options
	cmd := initcmd.NewCmd(f, func(o *initcmd.Options) error {
		got = o
		return nil
	})
	if err := program.Parse(t, f, cmd, append([]string{"init"}, strings.Fields(words)...)...); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestInitWords(t *testing.T) {
	t.Parallel()
	fake := termtest.NewFake()
	fake.Env[command.GovcUser] = "govc@x"
	o := parsedInit(t, fake, "--vcenters a.example.com,b.example.com:8443 --connect-to a.example.com=127.0.0.1:1 --out x/../y.yaml --thumbprint a.example.com="+strings.Repeat("ab", 32))
	i := initcmd.NewInterview(t, o)
	options := initcmd.WizardOptions(i, t.Context(), nil)
	if diff := cmp.Diff([]string{"a.example.com", "b.example.com:8443"}, options.Servers); diff != "" {
		t.Error(diff)
	}
	if options.Out != "y.yaml" || options.User != "govc@x" || options.Addresses["a.example.com"] != "127.0.0.1:1" {
		t.Errorf("%+v", options)
	}
	print256 := strings.TrimSuffix(strings.Repeat("AB:", 32), ":")
	if options.Thumbprints["a.example.com"] != print256 {
		t.Errorf("thumbprints %v", options.Thumbprints)
	}
	c := options.Config(spec.VCenter{Server: "c", Port: 9, Address: "d:1"}, print256, []byte("PEM"))
	if c.Server != "c" || c.Port != 9 || c.Address != "d:1" || c.Thumbprint != print256 || string(c.RootCAs) != "PEM" || c.Timeout != o.Timeout {
		t.Errorf("%+v", c)
	}
}

// A login that the flags give in full is not asked for; half of one is no error, for the wizard asks.
func TestInitLogin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ user, password, want string }{{"u@x", "pw", "u@x/pw"}, {"u@x", "", ""}, {"", "", ""}} {
		fake := termtest.NewFake()
		fake.Env[command.EnvAdminUser], fake.Env[command.EnvAdminPassword] = c.user, c.password
		i := initcmd.NewInterview(t, parsedInit(t, fake, ""))
		l, ok := initcmd.WizardOptions(i, t.Context(), nil).Login("vc")
		if got := l.User + "/" + l.Password.Reveal(); ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%+v: %s, %v", c, got, ok)
		}
	}
}

// What was asked becomes the flags of the next command, and nothing secret does.
func TestInitNamesTheNextCommand(t *testing.T) {
	t.Parallel()
	o := parsedInit(t, termtest.NewFake(), "--vcenters vc1 --connect-to vc1=127.0.0.1:1 --credentials-file creds --out my.yaml")
	s, err := spec.FromServers([]string{"vc1"})
	if err != nil {
		t.Fatal(err)
	}
	j := wizard.Job{
		Spec: s, File: "my.yaml", CreateFolders: true, Agreed: "digest", Thumbprints: map[string]string{"vc1": "AA:BB"}, CACert: "ca.pem",
		Logins: map[string]wizard.Login{"vc1": {User: "root@x", Password: secret.New("canary")}},
	}
	i := initcmd.NewInterview(t, o)
	for name, want := range map[string]string{
		"verify":       "-f my.yaml --cacert ca.pem --create-folders --credentials-file creds --thumbprint vc1=AA:BB",
		"apply":        "-f my.yaml --cacert ca.pem --create-folders --credentials-file creds --thumbprint vc1=AA:BB",
		"secrets emit": "-f my.yaml --credentials-file creds", // it connects only to try accounts
	} {
		if diff := cmp.Diff(command.Program+" "+name+" "+want, o.CommandLine(name, initcmd.InvocationFor(i, j))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// The way on after an apply that failed is the file that init has written: init itself would not overwrite it.
func TestInitNamesApplyForTheRest(t *testing.T) {
	t.Parallel()
	fake := termtest.NewFake()
	s, err := spec.FromServers([]string{"vc1"})
	if err != nil {
		t.Fatal(err)
	}
	s.Privileges.Matrix = "./nowhere.yaml"
	i := initcmd.NewInterview(t, parsedInit(t, fake, ""))
	if err := initcmd.Apply(i, context.Background(), wizard.Job{Spec: s, File: "my.yaml", Thumbprints: map[string]string{"vc1": "AA:BB"}}); err == nil {
		t.Error("applied")
	}
	if got, want := fake.Stderr.String(), "next: ocp-vsphere-admin apply -f my.yaml --thumbprint vc1=AA:BB\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// An interrupted apply or verify goes on with itself, too.
func TestInitInterrupted(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancelCause(context.Background())
	interrupt(term.ErrInterrupted)
	s, err := spec.FromServers([]string{"vc1"})
	if err != nil {
		t.Fatal(err)
	}
	s.VCenters[0].FailureDomains = []spec.FailureDomain{{Name: "a", Datacenter: "DC1", ComputeCluster: "/DC1/host/C1", Datastore: "/DC1/datastore/ds1", Networks: []string{"VM Network"}}}
	job := wizard.Job{Spec: s, File: "my.yaml", Thumbprints: map[string]string{"vc1": "AA:BB"}, Logins: map[string]wizard.Login{"vc1": {User: "a@b"}}}
	for name, run := range map[string]func(*initcmd.Interview) error{
		"apply": func(i *initcmd.Interview) error {
			return initcmd.GoesOn(i, ctx, "apply", job, fmt.Errorf("vc1: %w", context.Canceled))
		}, // apply itself needs a terminal
		"verify": func(i *initcmd.Interview) error { return initcmd.Verify(i, ctx, job) },
	} {
		fake := termtest.NewFake()
		i := initcmd.NewInterview(t, parsedInit(t, fake, "--credentials-file "+filepath.Join(t.TempDir(), "c")))
		err := run(i)
		exit, ok := errors.AsType[*command.ExitError](err)
		want := "interrupted: run the next command\nnext: ocp-vsphere-admin " + name + " -f my.yaml "
		if got := fake.Stderr.String(); !ok || exit.Code != command.ExitInterrupted || exit.Err != nil || !strings.HasPrefix(got, want) || strings.Count(got, "\n") != 2 {
			t.Errorf("%s: %v, %q, want %q", name, err, got, want)
		}
	}
}

// A file that is there is not yet what the plan is about, so no command names it.
func TestInitNamesNoFileThatIsAnother(t *testing.T) {
	t.Parallel()
	there := filepath.Join(t.TempDir(), "old.yaml")
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ file, want string }{{there, command.FilePlaceholder}, {there + ".new", there + ".new"}} {
		if got := initcmd.Unwritten(wizard.Job{File: c.file}).File; got != c.want {
			t.Errorf("%s: %s, want %s", c.file, got, c.want)
		}
	}
}
