package provision_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// The canaries: passwords that nothing else looks like, with characters that each way of quoting changes.
const (
	adminCanary = `Kanarie&<vogel>7"geel`
	wrongCanary = `Verkeerd&<sleutel>3"rood`
	weakCanary  = `Zwakke&<gebruiker>5"blauw`
)

// needles are the forms in which a password could leak: raw or a piece of it, quoted, in hexadecimal, and in base64 at
// each of its three alignments.
func needles(password string) []string {
	all := []string{
		password[:min(10, len(password))], password[max(0, len(password)-10):],
		url.QueryEscape(password), url.PathEscape(password), html.EscapeString(password), strconv.Quote(password),
		hex.EncodeToString([]byte(password)),
	}
	var escaped bytes.Buffer
	_ = xml.EscapeText(&escaped, []byte(password))
	all = append(all, escaped.String())
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for shift := range 3 {
			whole := (len(password) + shift) / 3 * 4 // of full groups; what follows depends on what follows the password
			first := []int{0, 2, 3}[shift]           // what comes before depends on what is before it
			all = append(all, encoding.EncodeToString(append(make([]byte, shift), password...))[first:whole])
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// leak is the first password that a text holds in any form, as its number; -1 for none.
func leak(text []byte, passwords []string) int {
	return slices.IndexFunc(passwords, func(p string) bool {
		return slices.ContainsFunc(needles(p), func(n string) bool { return bytes.Contains(text, []byte(n)) })
	})
}

func TestNeedlesAreFound(t *testing.T) {
	t.Parallel()
	for i := range 4 {
		text := strings.Repeat("x", i) + adminCanary + strings.Repeat("y", 3-i)
		for _, s := range []string{
			text, base64.StdEncoding.EncodeToString([]byte(text)), base64.URLEncoding.EncodeToString([]byte(text)),
			hex.EncodeToString([]byte(text)), url.QueryEscape(text), html.EscapeString(text), fmt.Sprintf("%q", text), adminCanary[:12] + "...",
		} {
			if leak([]byte(s), []string{wrongCanary, adminCanary}) != 1 {
				t.Errorf("not found in %s", s)
			}
		}
	}
	if leak([]byte("a text about canaries"), []string{adminCanary}) != -1 {
		t.Error("found where it is not")
	}
}

// cage runs processes of the program and keeps all that they let out.
type cage struct {
	*testing.T
	*desk
	passwords []string          // all that there ever were
	outputs   map[string][]byte // by what they are
	runs      int
}

func newCage(t *testing.T) *cage {
	t.Helper()
	d := newDesk(t, start(t, vcsim.Options{VCenters: 2}), demoSpec)
	c := &cage{T: t, desk: d, passwords: []string{adminCanary, wrongCanary, weakCanary}, outputs: map[string][]byte{}}
	for _, v := range d.lab.VCenters {
		if err := v.Directory().SetPassword(v.AdminUser(), adminCanary); err != nil {
			t.Fatal(err)
		}
	}
	d.administrators(t, adminCanary)
	return c
}

// command runs one with --debug in a process of its own and looks at the process, at its children and at the files while
// it runs and afterwards.
func (c *cage) command(want int, words ...string) (stdout string) {
	c.Helper()
	c.runs++
	name := fmt.Sprintf("run %d (%s)", c.runs, words[0])
	cmd, out, errs, err := c.process(append(words, "--debug")...)
	if err != nil {
		c.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		c.Fatal(err)
	}
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	look := time.NewTicker(5 * time.Millisecond)
	for looking := true; looking; {
		select {
		case <-done:
			looking = false
		case <-look.C:
			c.processes(name, cmd.Process.Pid)
		}
	}
	look.Stop()
	c.learn()
	c.files(name)
	if got := cmd.ProcessState.ExitCode(); got != want {
		c.Errorf("%s: exit code %d, want %d\n%s%s", name, got, want, out, errs)
	}
	c.outputs[name+" stderr"] = errs.Bytes()
	if words[0] != "secrets" {
		c.outputs[name+" stdout"] = out.Bytes()
	}
	return out.String()
}

// processes collects arguments and environment of a process and of its children, where /proc shows them.
func (c *cage) processes(name string, pid int) {
	if runtime.GOOS != "linux" {
		return
	}
	children := []int{pid}
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, file := range threads {
		list, _ := os.ReadFile(file)
		for _, word := range strings.Fields(string(list)) {
			if child, err := strconv.Atoi(word); err == nil {
				children = append(children, child)
			}
		}
	}
	for _, p := range children {
		for _, what := range []string{"cmdline", "environ"} {
			if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", p, what)); err == nil && len(text) > 0 {
				c.outputs[fmt.Sprintf("%s: %s of process %d", name, what, p)] = text
			}
		}
	}
}

// learn takes note of the passwords that stand in the credentials file and in its rotation journal now.
func (c *cage) learn() {
	for _, path := range []string{c.path, c.journal()} {
		f, err := credfile.Open(path)
		if err != nil {
			c.Fatal(err)
		}
		for _, server := range f.Servers() {
			for _, component := range c.spec.ComponentNames() {
				if a, ok := f.Get(server, component); ok && !slices.Contains(c.passwords, a.Password.Reveal()) {
					c.passwords = append(c.passwords, a.Password.Reveal())
				}
			}
		}
	}
}

// files looks into every file but those that are there to hold passwords.
func (c *cage) files(name string) {
	err := filepath.WalkDir(c.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || path == c.path || path == c.journal() || path == c.path+".replaced" || path == c.admins {
			return err
		}
		text, err := os.ReadFile(path)
		if i := leak(text, c.passwords); i >= 0 {
			c.Errorf("%s: %s holds password %d", name, path, i)
		}
		return err
	})
	if err != nil {
		c.Error(err)
	}
}

// check holds everything that came out against every password.
func (c *cage) check() {
	c.Helper()
	for name, text := range c.outputs {
		if i := leak(text, c.passwords); i >= 0 {
			c.Errorf("%s holds password %d:\n%s", name, i, text)
		}
	}
}

// Passwords of an administrator and of the accounts, over a whole life of a cluster with failures in between and with
// --debug, are found nowhere but in the credentials file and on the stdout of secrets emit.
func TestCanary(t *testing.T) {
	notShort(t, "about what is printed and stored")
	t.Parallel()
	c := newCage(t)
	saved := filepath.Join(c.dir, "plan.json")
	c.command(command.ExitDone, c.words("doctor")...)
	c.command(command.ExitDone, c.words("doctor", "-o", "json")...)
	c.command(command.ExitDone, c.words("plan", "--out", saved)...)
	c.command(command.ExitDone, c.words("plan", "-o", "json")...)
	c.command(command.ExitDone, c.words("plan", "-o", "yaml")...)
	if !strings.Contains(string(c.outputs["run 3 (plan) stderr"]), "method=Login") {
		t.Errorf("--debug says nothing:\n%s", c.outputs["run 3 (plan) stderr"])
	}

	c.administrators(t, wrongCanary)
	for _, verb := range []string{"plan", "apply", "verify", "destroy", "doctor"} {
		want := command.ExitFailed
		if verb == "doctor" {
			want = command.ExitDifferent
		}
		c.command(want, c.words(verb)...)
	}
	c.administrators(t, adminCanary)
	c.weak()

	stop := c.faults(vcsim.Dropped, vcsim.Unavailable, vcsim.ExpiredSession)
	c.command(command.ExitFailed, c.words("apply", "-o", "json")...)
	stop()
	c.command(command.ExitDone, c.words("apply", "-o", "yaml")...)
	if len(c.passwords) < 13 {
		t.Fatalf("only %d passwords are known", len(c.passwords))
	}
	c.command(command.ExitDone, c.words("verify")...)
	c.command(command.ExitDone, c.words("verify", "-o", "json")...)
	c.command(command.ExitDone, "credentials", "show", "-o", "yaml")
	c.command(command.ExitDone, "credentials", "validate")
	emitted, found := c.command(command.ExitDone, "secrets", "emit", "-f", c.file), 0
	for _, p := range c.passwords[3:] {
		if leak([]byte(emitted), []string{p}) == 0 {
			found++
		}
	}
	if found != 8 { // four components on two vCenters; the installer's own account is in no secret
		t.Errorf("secrets emit holds %d passwords, or the search for them finds too little", found)
	}

	// An account whose password somebody changed: the one in the file is tried and refused.
	v := c.lab.VCenters[0]
	user := "ocp-cluster1-csi-driver@" + v.Directory().Domain()
	f, err := credfile.Open(c.path)
	if err != nil {
		t.Fatal(err)
	}
	account, _ := f.Get(v.Server(), "csi-driver")
	if err := v.Directory().SetPassword(user, weakCanary); err != nil {
		t.Fatal(err)
	}
	c.command(command.ExitDifferent, c.words("verify")...)
	c.command(command.ExitDone, c.words("plan")...)
	if err := v.Directory().SetPassword(user, account.Password.Reveal()); err != nil {
		t.Fatal(err)
	}

	stop = c.faults(vcsim.LostReply, vcsim.Refused, vcsim.ExpiredSession)
	c.command(command.ExitFailed, c.words("destroy", "-o", "json")...)
	stop()
	c.command(command.ExitDone, c.words("destroy")...)
	c.check()
}

// weak tries the job as a user who may only read.
func (c *cage) weak() {
	c.Helper()
	ctx := context.Background()
	f, err := credfile.Open(c.admins)
	if err != nil {
		c.Fatal(err)
	}
	for _, v := range c.lab.VCenters {
		if err := v.Directory().AddUser("weak", weakCanary, directory.Details{}); err != nil {
			c.Fatal(err)
		}
		client, err := v.Login(ctx, v.AdminUser(), adminCanary)
		if err != nil {
			c.Fatal(err)
		}
		err = object.NewAuthorizationManager(client).SetEntityPermissions(ctx, client.ServiceContent.RootFolder,
			[]types.Permission{{Principal: "weak@" + v.Directory().Domain(), RoleId: -2, Propagate: true}})
		if err != nil {
			c.Fatal(err)
		}
		f.Remove(v.Server(), component.Installer)
		weak := credfile.Account{User: "weak@" + v.Directory().Domain(), Password: secret.New(weakCanary)}
		if err := f.Set(v.Server(), component.Installer, weak); err != nil {
			c.Fatal(err)
		}
	}
	if err := f.Save(); err != nil {
		c.Fatal(err)
	}
	c.command(command.ExitFailed, c.words("apply")...)
	c.command(command.ExitPartly, c.words("doctor")...) // accounts and groups stay unseen
	c.administrators(c.T, adminCanary)
}

// faults lets every call be made once, and from the 45th request on makes most of them fail.
func (c *cage) faults(kinds ...vcsim.FaultKind) (stop func()) {
	for _, v := range c.lab.VCenters {
		v.SetFault(func(n int, _ string) vcsim.Fault {
			if n < 45 || n%7 == 0 {
				return vcsim.Fault{}
			}
			return vcsim.Fault{Kind: kinds[n%len(kinds)]}
		})
	}
	return func() {
		for _, v := range c.lab.VCenters {
			v.SetFault(nil)
		}
	}
}

// A panic in the middle of the job, with every password in scope and printed by the verbs that people reach for, prints
// none.
func TestCanaryPanic(t *testing.T) {
	t.Parallel()
	d := newDesk(t, start(t, vcsim.Options{}), strings.Split(demoSpec, "- server: vcenter2")[0])
	cmd, out, errs, err := d.process(d.words("apply")...)
	if err != nil {
		t.Fatal(err)
	}
	v := d.lab.VCenters[0]
	cmd.Env = append(cmd.Env, asProgram+"=panic", "PROVISION_TEST_ADDRESS="+v.Addr(), "PROVISION_TEST_CA="+d.ca, "PROVISION_TEST_SPEC="+d.file, "GOTRACEBACK=system")
	if err := v.Directory().SetPassword(v.AdminUser(), adminCanary); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Run(); err == nil || !strings.Contains(errs.String(), "panic: internal error: the job: map[") {
		t.Fatalf("no panic: %v\n%s%s", err, out, errs)
	}
	f, err := credfile.Open(d.path)
	if err != nil {
		t.Fatal(err)
	}
	passwords := []string{adminCanary}
	for _, c := range d.spec.ComponentNames() {
		if a, ok := f.Get(v.Server(), c); ok {
			passwords = append(passwords, a.Password.Reveal())
		}
	}
	if len(passwords) != 6 {
		t.Errorf("%d passwords are known", len(passwords))
	}
	if i := leak(append(out.Bytes(), errs.Bytes()...), passwords); i >= 0 {
		t.Errorf("password %d is in:\n%s", i, errs)
	}
}

// panicProgram runs an apply that panics when the first account is made.
func panicProgram() int {
	text, err := os.ReadFile(os.Getenv("PROVISION_TEST_SPEC"))
	if err != nil {
		panic(err)
	}
	ca, err := os.ReadFile(os.Getenv("PROVISION_TEST_CA"))
	if err != nil {
		panic(err)
	}
	wanted, err := spec.Parse("spec.yaml", text)
	if err != nil {
		panic(err)
	}
	matrix, err := privileges.Load(wanted.Privileges.Matrix)
	if err != nil {
		panic(err)
	}
	file, err := credfile.Open(os.Getenv(credfile.Variable))
	if err != nil {
		panic(err)
	}
	admin := secret.New(adminCanary)
	var job *provision.Job
	job = provision.New(provision.Options{
		Request: provision.Request{Spec: wanted, Matrix: matrix, Credentials: file},
		Config: func(v spec.VCenter) vcenter.Config {
			return vcenter.Config{Server: v.Server, Address: os.Getenv("PROVISION_TEST_ADDRESS"), RootCAs: ca}
		},
		Admin: func(ctx context.Context, s *vcenter.Session) error {
			return s.Login(ctx, "administrator@vsphere.local", admin)
		},
		Progress: func(_, step string) {
			if strings.Contains(step, "user ocp-") {
				accounts := map[string]any{"job": job, "admin": admin, "admins": []secret.Secret{admin}, "file": file}
				text := fmt.Sprintf("the job: %v %+v %#v %q %x %s", accounts, accounts, accounts, accounts, accounts, accounts)
				fmt.Fprintln(os.Stderr, text) // the panic's own is cut
				panic(text)
			}
		},
	})
	p := job.Plan(context.Background())
	if err := errors.Join(p.Err(), job.Apply(context.Background(), p)); err != nil {
		panic(err)
	}
	return 0
}
