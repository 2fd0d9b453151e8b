package provision_test

import (
	"bytes"
	"context"
	"encoding/pem"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// asProgram makes this test binary behave as the program itself, so that there is a real process to kill.
const asProgram = "PROVISION_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	switch os.Getenv(asProgram) {
	case "":
		os.Exit(m.Run())
	case "panic":
		os.Exit(panicProgram())
	}
	streams := term.System()
	ctx, stop := streams.Interrupts(context.Background())
	code := cli.Run(ctx, streams, os.Args[1:])
	stop()
	os.Exit(code)
}

// desk is a house with the files on disk that the command line takes.
type desk struct {
	*house
	dir                   string
	tmp, ca, admins, file string
	flags                 []string
}

func newDesk(t testing.TB, lab *vcsim.Lab, text string) *desk {
	t.Helper()
	dir := t.TempDir()
	d := &desk{
		house: open(t, lab, dir, parse(t, text)), dir: dir,
		tmp: filepath.Join(dir, "tmp"), ca: filepath.Join(dir, "ca.pem"), admins: filepath.Join(dir, "admins.ini"), file: filepath.Join(dir, "spec.yaml"),
	}
	if block, _ := pem.Decode(lab.CA); block == nil {
		t.Fatal("the lab's CA is no PEM")
	}
	if err := os.Mkdir(d.tmp, 0o700); err != nil {
		t.Fatal(err)
	}
	d.write(t, d.ca, string(lab.CA))
	d.write(t, d.file, text)
	d.administrators(t, "")
	d.flags = []string{"-f", d.file, "--cacert", d.ca, "--admin-credentials", d.admins, "--no-input", "--yes"}
	for _, v := range lab.VCenters {
		d.flags = append(d.flags, "--connect-to", v.Server()+"="+v.Addr())
	}
	return d
}

func (d *desk) write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// checkAdministrators writes their logins: the real ones, or all with this password.
func (d *desk) administrators(t testing.TB, password string) {
	t.Helper()
	_ = os.Remove(d.admins)
	f, err := credfile.Open(d.admins)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range d.lab.VCenters {
		p := password
		if p == "" {
			p = v.AdminPassword()
		}
		if err := f.Set(v.Server(), component.Installer, credfile.Account{User: v.AdminUser(), Password: secret.New(p)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Save(); err != nil {
		t.Fatal(err)
	}
}

// words are a command line against the lab.
func (d *desk) words(command ...string) []string {
	if command[0] == "destroy" { // no cluster is left
		command = append(command, "--applied")
	}
	return append(command, d.flags...)
}

// environ is what a process of the program gets: nothing of the developer's own.
func (d *desk) environ() map[string]string {
	return map[string]string{"HOME": d.dir, "TMPDIR": d.tmp, credfile.Variable: d.path}
}

// run does a command in this process.
func (d *desk) run(words ...string) (code int, stdout, stderr string) {
	fake := termtest.NewFake()
	fake.Env, fake.Home = d.environ(), d.dir
	code = cli.Run(context.Background(), fake.Streams, words)
	return code, fake.Stdout.String(), fake.Stderr.String()
}

// must does a command that has to succeed.
func (d *desk) must(t fatalT, words ...string) (stdout string) {
	t.Helper()
	code, stdout, stderr := d.run(words...)
	if code != command.ExitDone {
		t.Fatalf("%s: exit code %d\n%s%s", words[0], code, stdout, stderr)
	}
	return stdout
}

// process is a command in a process of its own, not yet started.
func (d *desk) process(words ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, nil, err
	}
	cmd = exec.Command(self, words...)
	cmd.Dir, cmd.Env = d.dir, []string{asProgram + "=1", "GORACE=atexit_sleep_ms=0"}
	for k, v := range d.environ() {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	return cmd, stdout, stderr, nil
}

// accounts lists the credentials file as "server component user", without passwords, sorted by server.
func (d *desk) accounts(t fatalT) string {
	t.Helper()
	f, err := credfile.Open(d.path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, server := range f.Servers() {
		for _, c := range d.spec.ComponentNames() {
			if a, ok := f.Get(server, c); ok {
				fmt.Fprintln(&b, server, c, a.User)
			}
		}
	}
	return b.String()
}

// locked fails when an account of ours exists that no password in the credentials file opens.
func (d *desk) locked(t fatalT) (accounts int) {
	t.Helper()
	f, err := credfile.Open(d.path)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range d.lab.VCenters {
		for _, c := range d.spec.ComponentNames() {
			name := d.spec.Account(c).Name + "@" + v.Directory().Domain()
			if _, exists := v.Directory().User(name); !exists {
				continue
			}
			accounts++
			a, ok := f.Get(v.Server(), c)
			if !ok || !strings.EqualFold(a.User, name) {
				t.Errorf("%s: account %s exists, and its password is not in the credentials file", v.Server(), name)
			} else if _, err := v.Directory().CheckPassword(name, a.Password.Reveal()); err != nil {
				t.Errorf("%s: account %s: the password in the credentials file: %v", v.Server(), name, err)
			}
		}
	}
	return accounts
}
