package provision_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcsim"
)

// mutations are the calls that change a vCenter.
var mutations = []string{
	"AddAuthorizationRole", "UpdateAuthorizationRole", "RemoveAuthorizationRole", "SetEntityPermissions", "RemoveEntityPermission",
	"CreateLocalPersonUser", "UpdateLocalPersonUserDetails", "ResetLocalPersonUserPassword", "DeleteLocalPrincipal", "CreateFolder",
}

// boundary is where a process is killed: at its n-th request, or its n-th mutation. Requests run in parallel, so the
// n-th is not the same one in each run; over all n each kind of request has its turn. Late kills while the request is
// being served: it takes effect and its answer is lost. Otherwise it never arrives.
type boundary struct {
	n        int
	mutation bool
	late     bool
}

func (b boundary) String() string {
	what, when := "request", "before"
	if b.mutation {
		what = "mutation"
	}
	if b.late {
		when = "after"
	}
	return fmt.Sprintf("%s-%s-%03d", when, what, b.n)
}

// A process of apply, or of destroy, is killed with SIGKILL at a boundary; at that moment the credentials file opens
// every account that exists, and one more run makes everything as if nothing had happened.
//
// Each boundary takes a fresh lab, so a plain run takes a sample of them: every 8th mutation, every 20th request, each
// before and after. KILL_EVERY=1 takes all of them:
//
//	KILL_EVERY=1 go test -run TestKill -timeout 1h ./internal/provision
func TestKill(t *testing.T) {
	for _, linked := range []bool{false, true} {
		for _, command := range []string{"apply", "destroy"} {
			t.Run(fmt.Sprintf("%s/linked=%t", command, linked), func(t *testing.T) {
				k := newKill(t, command, linked)
				for _, b := range k.boundaries(t) {
					t.Run(b.String(), func(t *testing.T) {
						t.Parallel()
						k.at(t, b)
					})
				}
			})
		}
	}
}

// kill is a command, and what comes of it when nobody disturbs it.
type kill struct {
	command  string
	linked   bool
	methods  []string // of its requests
	snapshot string
	accounts string
}

// lab is a fresh one, ready for the command.
func (k *kill) lab(t *testing.T) *desk {
	t.Helper()
	d := newDesk(t, start(t, vcsim.Options{VCenters: 2, Linked: k.linked}), demoSpec)
	if k.command == "destroy" {
		if _, err := d.apply(t); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func newKill(t *testing.T, command string, linked bool) *kill {
	t.Helper()
	k := &kill{command: command, linked: linked}
	d := k.lab(t)
	before := d.snapshot()
	methods := d.watch(func(string) vcsim.Fault { return vcsim.Fault{} })
	d.must(t, d.words(command)...)
	k.methods, k.snapshot, k.accounts = methods(), d.snapshot(), d.accounts(t)
	if before == k.snapshot {
		t.Fatalf("%s does nothing", command)
	}
	return k
}

// watch calls f for every request to any of the vCenters, one call at a time, until the returned function is called,
// which gives the methods.
func (d *desk) watch(f func(method string) vcsim.Fault) (stop func() []string) {
	var mu sync.Mutex
	var methods []string
	for _, v := range d.lab.VCenters {
		v.SetFault(func(_ int, method string) vcsim.Fault {
			mu.Lock()
			defer mu.Unlock()
			methods = append(methods, method)
			return f(method)
		})
	}
	return func() []string {
		for _, v := range d.lab.VCenters {
			v.SetFault(nil)
		}
		mu.Lock()
		defer mu.Unlock()
		return methods
	}
}

func (k *kill) boundaries(t *testing.T) []boundary {
	t.Helper()
	everyMutation, everyRequest := 8, 20
	if text := os.Getenv("KILL_EVERY"); text != "" {
		every, err := strconv.Atoi(text)
		if err != nil || every < 1 {
			t.Fatalf("KILL_EVERY=%s: must be a number from 1", text)
		}
		everyMutation, everyRequest = every, every
	}
	count := 0
	for _, m := range k.methods {
		if slices.Contains(mutations, m) {
			count++
		}
	}
	if count < 40 || len(k.methods) < count+10 {
		t.Fatalf("%d mutations in %d requests: are these all?", count, len(k.methods))
	}
	t.Logf("%d requests, %d of them mutations", len(k.methods), count)
	var all []boundary
	for _, late := range []bool{false, true} {
		for n := 1; n <= count; n += everyMutation {
			all = append(all, boundary{n, true, late})
		}
		for n := 1; n <= len(k.methods); n += everyRequest {
			all = append(all, boundary{n, false, late})
		}
	}
	return all
}

func (k *kill) at(t *testing.T, b boundary) {
	d := k.lab(t)
	d.killed(t, b, d.words(k.command)...)

	d.locked(t)
	d.tidy(t)
	d.must(t, d.words(k.command)...)
	d.locked(t)
	d.tidy(t)
	if k.command == "apply" {
		d.must(t, d.words("verify")...)
	}
	if k.command == "apply" {
		d.must(t, d.words("plan", "--exit-code")...)
	}
	if diff := cmp.Diff(strings.Split(k.snapshot, "\n"), strings.Split(d.snapshot(), "\n")); diff != "" {
		t.Errorf("not as if nothing had happened:\n%s", diff)
	}
	if diff := cmp.Diff(k.accounts, d.accounts(t)); diff != "" {
		t.Errorf("credentials file:\n%s", diff)
	}
}

// killed runs a command in a process of its own and kills it at a boundary. From then on nothing of it arrives.
func (d *desk) killed(t *testing.T, b boundary, words ...string) {
	t.Helper()
	cmd, stdout, stderr, err := d.process(words...)
	if err != nil {
		t.Fatal(err)
	}
	started, gone := make(chan struct{}), make(chan struct{})
	n, dead, struck := 0, false, ""
	stop := d.watch(func(method string) vcsim.Fault {
		if dead {
			return vcsim.Fault{Kind: vcsim.Dropped}
		}
		if !b.mutation || slices.Contains(mutations, method) {
			n++
		}
		if n < b.n {
			return vcsim.Fault{}
		}
		dead, struck = true, method
		<-started
		_ = cmd.Process.Kill()
		<-gone // nothing of the process runs any more when this request is served, or is not
		if b.late {
			return vcsim.Fault{Kind: vcsim.LostReply}
		}
		return vcsim.Fault{Kind: vcsim.Dropped}
	})
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	close(started)
	err = cmd.Wait()
	close(gone)
	stop()
	switch {
	case struck == "" && err != nil:
		t.Fatalf("%v without being killed:\n%s%s", err, stdout, stderr)
	case struck == "":
		t.Logf("this run came to its end with fewer requests")
	case cmd.ProcessState.ExitCode() != -1:
		t.Fatalf("killed at %s, and yet: %s", struck, cmd.ProcessState)
	}
	d.settled()
}

// settled waits until what was being served when the process died has been served: until the state has not changed for
// two looks at it, each of which takes the locks that a call takes.
func (d *desk) settled() {
	for last := ""; ; {
		now := d.snapshot()
		if now == last {
			return
		}
		last = now
	}
}

// tidy fails when a run left more than the credentials file and its lock.
func (d *desk) tidy(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(filepath.Dir(d.path), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && path != d.path && path != d.path+".lock" {
			t.Errorf("%s was left behind", path)
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Error(err)
	}
	if info, err := os.Stat(d.path); err == nil && info.Mode().Perm() != 0o600 {
		t.Errorf("the credentials file has mode %v", info.Mode())
	}
	if left, err := os.ReadDir(d.tmp); err != nil || len(left) > 0 {
		t.Errorf("temporary files were left behind: %v %v", left, err)
	}
}
