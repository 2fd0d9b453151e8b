// Package vcsimtests holds the binary to its promises from outside: each script in testdata/script starts simulated
// vCenters, runs ocp-vsphere-admin as a person or a pipeline would, and looks at exit codes, output, files and the
// vCenters themselves. A script begins with the promise that it keeps.
//
// Run one script: go test ./vcsim-tests -run 'TestPromises/job$'
// Take over new output where a script compares with cmp: go test ./vcsim-tests -update
package vcsimtests

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	labcli "github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/cli"
)

var update = flag.Bool("update", false, "write what cmp sees into the scripts")

const (
	program    = "ocp-vsphere-admin"
	labProgram = "vcenter-lab"
	scripts    = "testdata/script"
)

func TestMain(m *testing.M) {
	testscript.Main(overlapping{m}, map[string]func(){
		program:                 func() { main(cli.Run) },
		"oc-vsphere_admin":      func() { main(cli.Run) },
		"kubectl-vsphere_admin": func() { main(cli.Run) },
		labProgram:              func() { main(labcli.Run) },
		program + "-worker":     work,
		program + "-disk-full":  func() { fillDisk(); main(cli.Run) },
		program + "-no-root":    execWithoutRoot,
		"vcsim":                 standIn,
	})
}

// overlapping runs more scripts at once than there are processors: some wait for retries most of the time.
type overlapping struct{ *testing.M }

// Run implements testscript.TestingM.
func (o overlapping) Run() int {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		if err := flag.Set("test.parallel", strconv.Itoa(3*runtime.GOMAXPROCS(0))); err != nil {
			panic(err)
		}
	}
	code := o.M.Run()
	if err := dismissAll(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	if ageDir != "" {
		_ = os.RemoveAll(ageDir)
	}
	return code
}

// main is that of a program. The terminal of whoever runs the tests is out of its reach: questions would
// wait for him.
func main(run func(context.Context, *term.Streams, []string) int) {
	leaveTerminal()
	streams := term.System()
	ctx, stop := streams.Interrupts(context.Background())
	code := run(ctx, streams, os.Args[1:])
	stop()
	os.Exit(code)
}

// processEnvironment is for processes that live a moment: hundreds would sleep a second each, and collect garbage that
// their end takes with it.
func processEnvironment() []string { return []string{"GORACE=atexit_sleep_ms=20", "GOGC=400"} }

func TestPromises(t *testing.T) {
	t.Parallel()
	govcDir = t.TempDir()
	testscript.Run(t, testscript.Params{
		Files:               scriptFiles(t),
		Setup:               setup,
		Condition:           condition,
		Cmds:                commands(),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// scriptFiles are all scripts; with -short, for the race detector, every fourth.
func scriptFiles(t *testing.T) (files []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(scripts, "*.txtar"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no scripts in %s: %v", scripts, err)
	}
	for i, file := range all {
		if !testing.Short() || i%4 == 0 {
			files = append(files, file)
		}
	}
	return files
}

func setup(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	env.Setenv("HOME", home)
	env.Setenv("NO_COLOR", "1")
	for _, variable := range processEnvironment() {
		name, value, _ := strings.Cut(variable, "=")
		env.Setenv(name, value)
	}
	env.Setenv("COMPONENTS", strings.Join(component.Words(component.Names()), ", "))
	env.Setenv("REQUESTS", strconv.Itoa(len(release.Consumers())))
	if err := setRoles(env); err != nil {
		return err
	}
	b := &bench{}
	env.Values[labKey{}] = b
	env.Defer(func() {
		if err := b.dismiss(); err != nil {
			env.T().Fatal(err)
		}
	})
	return os.MkdirAll(home, 0o700)
}

func condition(name string) (bool, error) {
	switch name {
	case "unprivileged": // whether files can be kept from the program, even though root runs the tests
		return canDropRoot(), nil
	case "disk-full":
		return runtime.GOOS != "windows", nil
	case "ipv6":
		l, err := net.Listen("tcp", "[::1]:0")
		return err == nil && l.Close() == nil, nil
	case "govc": // whether the real one can be built here
		_, err := govc()
		return err == nil, nil
	}
	return false, nil
}

// Every script says in its first line what it promises, so that a failing one tells what was broken.
func TestScriptsNameTheirPromise(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(scripts, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		line, _ := bufio.NewReader(f).ReadString('\n')
		f.Close()
		if !strings.HasPrefix(line, "# Promise: ") {
			t.Errorf("%s: the first line must be '# Promise: ...'", path)
		}
	}
}
