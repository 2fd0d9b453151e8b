package provision_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// Processes of rotate are killed with SIGKILL at a boundary, every second time with the credentials file lost before. At
// that moment a password on the disk opens every account; where the journal is left, plan says so first; and one more run
// makes everything as if nothing had happened.
//
// A plain run takes a sample; LONG=1 takes every change, LONG=all every request, before it arrives and after it was served:
//
//	LONG=all go test -run '^TestKillRotation$' -timeout 1h ./internal/provision
func TestKillRotation(t *testing.T) {
	notShort(t, "processes are killed")
	t.Parallel()
	for _, linked := range []bool{false, true} {
		t.Run(fmt.Sprintf("linked=%t", linked), func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, start(t, vcsim.Options{VCenters: 2, Linked: linked, Releases: mixed}), demoSpec+"components:\n  machine-api: {}\n  csi-driver: {}\n")
			d.must(t, d.words("apply")...)
			snapshot, accounts := d.snapshot(), d.accounts(t)
			methods := d.watch(func(string) vcsim.Fault { return vcsim.Fault{} })
			d.must(t, d.words("rotate", "--in-place")...)
			called := methods()
			for i, b := range rotationBoundaries(t, called, linked) {
				t.Run(b.String(), func(t *testing.T) { d.killRotation(t, b, i%2 == 1, snapshot, accounts) })
			}
			d.must(t, d.words("verify")...)
			d.must(t, d.words("plan", "--exit-code")...)
		})
	}
}

func rotationBoundaries(t *testing.T, methods []string, linked bool) (all []boundary) {
	t.Helper()
	count := 0
	for _, m := range methods {
		if slices.Contains(mutations, m) {
			count++
		}
	}
	if want := map[bool]int{false: 8, true: 4}[linked]; count != want { // a reset and a note of the day for each account
		t.Fatalf("%d mutations in %d requests, want %d", count, len(methods), want)
	}
	mutation, request := max(1, count/4), 16
	if long() {
		mutation, request = 1, 8
	}
	if whole() {
		request = 1
	}
	for n := 1; n <= count; n += mutation {
		all = append(all, boundary{n: n, mutation: true, late: true})
		if long() || n == 1 {
			all = append(all, boundary{n: n, mutation: true})
		}
	}
	for n := 1; n <= len(methods); n += request {
		all = append(all, boundary{n: n}, boundary{n: n, late: true})
	}
	return all
}

func (d *desk) killRotation(t *testing.T, b boundary, lost bool, snapshot, accounts string) {
	if lost {
		if err := os.Remove(d.path); err != nil {
			t.Fatal(err)
		}
	}
	d.killed(t, b, d.words("rotate", "--in-place")...)
	_, err := os.Stat(d.journal())
	begun := err == nil
	_, err = os.Stat(d.path)
	there := err == nil
	if there { // else no password of before is known, and the journal's may not be set yet
		d.opens(t, "after the kill")
	}
	code, stdout, stderr := d.run(d.words("plan", "--exit-code")...)
	said := strings.HasPrefix(stdout, "attention\n! the rotation of ") || !there && strings.HasPrefix(stdout, "attention\n! the passwords of ")
	switch {
	case begun && (code != command.ExitDifferent || !said || !strings.Contains(stdout, " until the new secrets are applied: ocp-vsphere-admin rotate --in-place --components ")):
		t.Errorf("a rotation is unfinished: exit code %d\n%s%s", code, stdout, stderr)
	case !begun && there != (code == command.ExitDone):
		t.Errorf("nothing was begun, or all was done: exit code %d\n%s%s", code, stdout, stderr)
	}
	d.must(t, d.words("rotate", "--in-place")...)
	d.locked(t)
	d.tidy(t)
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(d.path), "*")); err != nil || len(left) != 1 {
		t.Errorf("beside the credentials file: %v %v", left, err)
	}
	if _, err := os.Stat(d.journal()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the journal: %v", err)
	}
	if diff := cmp.Diff(strings.Split(snapshot, "\n"), strings.Split(d.snapshot(), "\n")); diff != "" {
		t.Errorf("not as if nothing had happened:\n%s", diff)
	}
	if diff := cmp.Diff(accounts, d.accounts(t)); diff != "" {
		t.Errorf("credentials file:\n%s", diff)
	}
}
