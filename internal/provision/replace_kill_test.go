package provision_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// allOpen fails when no password on the disk opens an account of ours of whatever generation: neither the credentials file's
// nor one of the journal. One that is disabled is not tried.
func (h *house) allOpen(t fatalT, when string) {
	t.Helper()
	for _, v := range h.lab.VCenters {
		for _, name := range h.accounts(v) {
			open := false
			for _, c := range component.Names() {
				for _, p := range []string{password(t, h.path, v.Server(), c), password(t, h.journal(), v.Server(), c), password(t, h.journal(), v.Server(), credfile.Earlier(c))} {
					if p != "" {
						_, err := v.Directory().CheckPassword(name, p)
						open = open || err == nil
					}
				}
			}
			// The last request of a killed process may be served only now.
			if u, there := v.Directory().User(name); there && !u.Disabled && !open {
				t.Errorf("%s: %s: no password on the disk opens %s", when, v.Server(), name)
			}
		}
	}
}

var numbered = regexp.MustCompile(`(ocp-cluster1-(?:machine-api|csi-driver))-[0-9]+`)

// unnumbered is what the vCenters hold, whatever generation accounts are of.
func (h *house) unnumbered() string { return numbered.ReplaceAllString(h.snapshot(), "$1") }

// Processes of rotate, rotate undo and rotate finish are killed with SIGKILL at a boundary. At that moment a password on the disk
// opens every account; one more run makes everything as if nothing had happened; and after finish and undo no generation is
// left over.
//
// A plain run takes a sample; LONG=1 takes every change, LONG=all every request, before it arrives and after it was served:
//
//	LONG=all go test -run '^TestKillReplacement$' -timeout 1h ./internal/provision
func TestKillReplacement(t *testing.T) {
	notShort(t, "processes are killed")
	t.Parallel()
	for _, linked := range []bool{false, true} {
		for _, step := range []string{"rotate", "rotate undo", "rotate withdraw", "rotate finish"} {
			t.Run(fmt.Sprintf("linked=%t/%s", linked, step), func(t *testing.T) {
				t.Parallel()
				d := newDesk(t, start(t, vcsim.Options{VCenters: 2, Linked: linked, Releases: mixed}), demoSpec+"components:\n  machine-api: {}\n  csi-driver: {memberOf: made}\n")
				d.must(t, d.words("apply")...)
				before := d.unnumbered()
				command := d.replacement(step)
				d.before(t, step)
				methods := d.watch(func(string) vcsim.Fault { return vcsim.Fault{} })
				d.must(t, command...)
				r := &rehearsal{command: step, methods: methods()}
				d.after(t, step)
				for _, b := range r.sampled() {
					t.Run(b.String(), func(t *testing.T) { d.killReplacement(t, b, step, before) })
				}
			})
		}
	}
}

// replacement is the command line of a step of a rotation.
func (d *desk) replacement(step string) []string {
	words := strings.Fields(step)
	switch step {
	case "rotate finish":
		words = append(words, "--applied", "--grace", "0s")
	case "rotate withdraw":
		words = []string{"rotate", "undo", "--applied", "--grace", "0s"}
	}
	return d.words(words...)
}

// before does what has to be done before a step.
func (d *desk) before(t *testing.T, step string) {
	t.Helper()
	if step != "rotate" {
		d.must(t, d.words("rotate")...)
	}
	if step == "rotate withdraw" {
		d.must(t, d.words("rotate", "undo")...)
	}
}

// after ends a rotation after a step, with nothing left of it.
func (d *desk) after(t *testing.T, step string) {
	t.Helper()
	if step == "rotate" {
		d.must(t, d.words("verify")...) // of both generations
		d.must(t, d.words("rotate", "undo")...)
	}
	if step == "rotate" || step == "rotate undo" {
		d.must(t, d.replacement("rotate withdraw")...)
	}
}

// sampled are the boundaries at which a step of a rotation is killed.
func (r *rehearsal) sampled() (all []boundary) {
	count := 0
	for _, m := range r.methods {
		for _, mutation := range mutations {
			if m == mutation {
				count++
			}
		}
	}
	mutation, request := max(1, count/2), len(r.methods)
	if long() {
		mutation, request = 1, max(1, len(r.methods)/8)
	}
	if whole() {
		request = 1
	}
	for n := 1; n <= count; n += mutation {
		all = append(all, boundary{n: n, mutation: true, late: true})
		if whole() {
			all = append(all, boundary{n: n, mutation: true})
		}
	}
	for n := 1; n <= len(r.methods); n += request {
		all = append(all, boundary{n: n})
		if long() {
			all = append(all, boundary{n: n, late: true})
		}
	}
	return append(append(all, r.ofGroups()...), boundary{n: len(r.methods) - 1}) // near the end
}

func (d *desk) killReplacement(t *testing.T, b boundary, step, before string) {
	d.before(t, step)
	d.killed(t, b, d.replacement(step)...)
	d.allOpen(t, "after the kill")
	if code, stdout, stderr := d.run(d.words("plan")...); code != command.ExitDone {
		t.Errorf("plan after the kill: exit code %d\n%s%s", code, stdout, stderr)
	}
	code, stdout, stderr := d.run(d.replacement(step)...)
	complete := step == "rotate" && code == command.ExitFailed && strings.Contains(stdout, "nothing to change on 2 vCenters; 2 accounts cannot be rotated") &&
		strings.Contains(stderr, "the last rotation is unfinished: first finish it, or undo it")
	if code != command.ExitDone && !complete { // killed when all was done: then the second run would be another rotation
		t.Fatalf("%s again: exit code %d\n%s%s", step, code, stdout, stderr)
	}
	d.allOpen(t, "after the second run")
	d.after(t, step)
	d.locked(t)
	d.tidy(t)
	if _, err := os.Stat(d.journal()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the journal: %v", err)
	}
	if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(d.unnumbered(), "\n")); diff != "" {
		t.Errorf("not as if nothing had happened:\n%s", diff)
	}
	d.must(t, d.words("plan", "--exit-code")...)
}
