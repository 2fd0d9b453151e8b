package provision_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// mutations are the calls that change a vCenter.
var mutations = []string{
	"AddAuthorizationRole", "UpdateAuthorizationRole", "RemoveAuthorizationRole", "SetEntityPermissions", "RemoveEntityPermission",
	"CreateLocalPersonUser", "UpdateLocalPersonUserDetails", "ResetLocalPersonUserPassword", deletePrincipal, "CreateFolder",
	"DisableUserAccount", "EnableUserAccount", createGroup, joinGroup, "RemovePrincipalsFromLocalGroup",
}

const createGroup, joinGroup, deletePrincipal = "CreateLocalGroup", "AddUserToLocalGroup", "DeleteLocalPrincipal"

// mixed are the releases of two vCenters of a run that is killed: what one has the other lacks.
var mixed = []string{"9.0", "7.0.3"}

// boundary is where a process is killed: at its n-th request, or its n-th mutation. Requests run in parallel, so the
// n-th is not the same one in each run; over all n each kind of request has its turn. Late kills while the request is
// being served: it takes effect and its answer is lost. Otherwise it never arrives.
type boundary struct {
	n        int
	mutation bool
	late     bool
	method   string // the n-th of these; "" = of all
}

func (b boundary) String() string {
	what, when := "request", "before"
	if b.mutation {
		what = "mutation"
	}
	if b.method != "" {
		what = b.method
	}
	if b.late {
		when = "after"
	}
	return fmt.Sprintf("%s-%s-%03d", when, what, b.n)
}

// Processes of apply and of destroy are killed with SIGKILL at a boundary. At that moment the credentials file opens
// every account that exists, and one more run makes everything as if nothing had happened.
//
// A plain run has two components and takes a sample: every third mutation of an apply at the moment when it is served and
// its answer is lost, and fewer of the moments before, which differ from the one after the mutation before only in what the
// process has heard, of the reads, of destroy, and of linked vCenters. LONG=1 has all five components and
// takes every mutation, LONG=all every request too:
//
//	LONG=all go test -run '^TestKill$' -timeout 1h ./internal/provision
func TestKill(t *testing.T) {
	notShort(t, "processes are killed")
	wanted := demoSpec + "components:\n  machine-api: {}\n  csi-driver: {memberOf: made}\n"
	if long() {
		wanted = demoSpec + "components:\n  machine-api: {}\n  csi-driver: {memberOf: made}\n  diagnostics: {}\n  cloud-controller: {}\n  installer: {}\n"
	}
	for _, linked := range []bool{false, true} {
		t.Run(fmt.Sprintf("linked=%t", linked), func(t *testing.T) {
			apply, destroy := rehearse(t, linked, wanted)
			rounds := apply.boundaries(t, linked)
			others := destroy.boundaries(t, linked)
			if len(apply.ofGroups()) == 0 || len(destroy.ofGroups()) == 0 {
				t.Fatal("no group is made or removed")
			}
			const chains = 2 // each with a lab, which apply and destroy bring back to where it was
			for chain := range chains {
				t.Run(fmt.Sprintf("chain=%d", chain), func(t *testing.T) {
					t.Parallel()
					var d *desk
					for i := chain; i < max(len(rounds), len(others)); i += chains {
						if d == nil || t.Failed() {
							d = newDesk(t, start(t, vcsim.Options{VCenters: 2, Linked: linked, Releases: mixed}), wanted)
						}
						apply.kill(t, d, rounds, i)
						destroy.kill(t, d, others, i)
					}
				})
			}
		})
	}
}

// rehearsal is a command, and what comes of it when nobody disturbs it.
type rehearsal struct {
	command  string
	methods  []string // of its requests
	snapshot string
	accounts string
}

func rehearse(t *testing.T, linked bool, wanted string) (apply, destroy *rehearsal) {
	t.Helper()
	d := newDesk(t, start(t, vcsim.Options{VCenters: 2, Linked: linked, Releases: mixed}), wanted)
	before := d.snapshot()
	var all []*rehearsal
	for _, command := range []string{"apply", "destroy"} {
		methods := d.watch(func(string) vcsim.Fault { return vcsim.Fault{} })
		d.must(t, d.words(command)...)
		all = append(all, &rehearsal{command: command, methods: methods(), snapshot: d.snapshot(), accounts: d.accounts(t)})
	}
	if all[0].snapshot == before || all[1].snapshot != before || all[1].accounts != "" {
		t.Fatal("apply does nothing, or destroy does not undo it")
	}
	return all[0], all[1]
}

// boundaries are where the command is killed.
func (r *rehearsal) boundaries(t *testing.T, linked bool) (all []boundary) {
	t.Helper()
	count := 0
	for _, m := range r.methods {
		if slices.Contains(mutations, m) {
			count++
		}
	}
	if count < 20 || len(r.methods) < count+10 {
		t.Fatalf("%s: %d mutations in %d requests: are these all?", r.command, count, len(r.methods))
	}
	t.Logf("%s: %d requests, %d of them mutations", r.command, len(r.methods), count)
	lateMutations, earlyMutations, requests := 3, 20, 40
	switch {
	case whole():
		lateMutations, earlyMutations, requests = 1, 1, 1
	case long():
		lateMutations, earlyMutations, requests = 1, 4, 8
	case linked:
		lateMutations, requests = 12, 60
	case r.command == "destroy":
		lateMutations = 6
	}
	for n := 1; n <= count; n += lateMutations {
		all = append(all, boundary{n: n, mutation: true, late: true})
	}
	for n := 1; n <= count; n += earlyMutations {
		all = append(all, boundary{n: n, mutation: true})
	}
	for n := 1; n <= len(r.methods); n += requests {
		all = append(all, boundary{n: n}, boundary{n: n, late: true})
	}
	return append(all, r.ofGroups()...)
}

// ofGroups are the boundaries at each call that makes a group or a membership, and at the removal of the last principal of a destroy,
// which is a group.
func (r *rehearsal) ofGroups() (all []boundary) {
	calls := map[string]int{}
	for _, m := range r.methods {
		calls[m]++
		last := m == deletePrincipal && r.command == "destroy" && calls[m] == r.calls(deletePrincipal)
		if last || m == createGroup || m == joinGroup {
			all = append(all, boundary{n: calls[m], method: m}, boundary{n: calls[m], method: m, late: true})
		}
	}
	return all
}

// calls is how often the command calls a method.
func (r *rehearsal) calls(method string) (n int) {
	for _, m := range r.methods {
		if m == method {
			n++
		}
	}
	return n
}

// kill runs the command, killed at the i-th boundary, and once more to its end. Behind the last boundary it just runs.
func (r *rehearsal) kill(t *testing.T, d *desk, all []boundary, i int) {
	if i >= len(all) {
		d.must(t, d.words(r.command)...)
		return
	}
	t.Run(r.command+"-"+all[i].String(), func(t *testing.T) {
		d.killed(t, all[i], d.words(r.command)...)
		d.locked(t)
		d.tidy(t, ".rotation") // announces the accounts that are being made
		d.must(t, d.words(r.command)...)
		d.locked(t)
		d.tidy(t)
		if diff := cmp.Diff(strings.Split(r.snapshot, "\n"), strings.Split(d.snapshot(), "\n")); diff != "" {
			t.Errorf("not as if nothing had happened:\n%s", diff)
		}
		if diff := cmp.Diff(r.accounts, d.accounts(t)); diff != "" {
			t.Errorf("credentials file:\n%s", diff)
		}
		// The same state passes and has nothing to change; that the same state is the same is looked at now and then.
		if r.command == "apply" && i%8 == 0 {
			d.must(t, d.words("verify")...)
			d.must(t, d.words("plan", "--exit-code")...)
		}
	})
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
		if b.method == method || b.method == "" && (!b.mutation || slices.Contains(mutations, method)) {
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

// tidy fails when a run left more than the credentials file, its lock and what is named.
func (d *desk) tidy(t *testing.T, besides ...string) {
	t.Helper()
	byGroup := func(c component.Name) bool { return d.spec.Account(c).ByGroup() }
	if _, err := os.Stat(d.path); err == nil && slices.ContainsFunc(d.spec.ComponentNames(), byGroup) {
		besides = append(besides, ".displaced") // says that the group had nothing before
	}
	err := filepath.WalkDir(filepath.Dir(d.path), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !slices.Contains(append(besides, "", ".lock"), strings.TrimPrefix(path, d.path)) {
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
