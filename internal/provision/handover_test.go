package provision_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"
	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	agefile "github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sealed"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

// recipient is somebody on the other side of a hand-over.
type recipient struct {
	public string
	key    string // path of the private one
	opens  []agefile.Identity
}

func newRecipient(t *testing.T) *recipient {
	t.Helper()
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	r := &recipient{public: key.Recipient().String(), key: filepath.Join(t.TempDir(), "key.txt")}
	if err := os.WriteFile(r.key, []byte(key.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.opens, err = agefile.ReadIdentities(r.key, func(string) (secret.Secret, error) { return secret.Secret{}, os.ErrInvalid })
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// open is what an encrypted file holds; nil where there is no file.
func (r *recipient) open(t *testing.T, path string) *credfile.File {
	t.Helper()
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	plain, err := agefile.Open(path, data, r.opens)
	if err != nil {
		t.Fatalf("what is on the disk cannot be opened: %v", err)
	}
	f, err := credfile.Parse(path, plain)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// opened tells for every account of ours that exists which of the files, the first that fits, has the password that opens it.
// It fails where none has.
func (d *desk) opened(t *testing.T, r *recipient, paths ...string) map[string]string {
	t.Helper()
	by := map[string]string{}
	for _, v := range d.lab.VCenters {
		for _, c := range d.spec.ComponentNames() {
			name := d.spec.Account(c).Name + "@" + v.Directory().Domain()
			if _, exists := v.Directory().User(name); !exists {
				continue
			}
			at := v.Server() + " " + name
			for _, path := range paths {
				f := r.open(t, path)
				if f == nil || by[at] != "" {
					continue
				}
				if a, ok := f.Get(v.Server(), c); ok && strings.EqualFold(a.User, name) {
					if _, err := v.Directory().CheckPassword(name, a.Password.Reveal()); err == nil {
						by[at] = path
					}
				}
			}
			if by[at] == "" {
				t.Errorf("%s: account %s exists, and no encrypted file opens it", v.Server(), name)
			}
		}
	}
	return by
}

// handover is the command line of an apply that hands over.
func (d *desk) handover(r *recipient, out string) []string {
	return d.words("apply", "--recipient", r.public, "--out", out)
}

// Processes of an apply that keeps no password are killed with SIGKILL at a boundary. At that moment every account that
// exists opens with a password in an encrypted file. The same command again loses and makes nothing twice; with another file
// it makes what is missing, and who takes in both files has every password.
//
// A plain run has two components and takes a sample. LONG=1 has all five and takes every change, LONG=all every request.
func TestKillHandover(t *testing.T) {
	notShort(t, "processes are killed")
	wanted := demoSpec + "components:\n  machine-api: {}\n  csi-driver: {}\n"
	if long() {
		wanted = demoSpec
	}
	for _, linked := range []bool{false, true} {
		t.Run(fmt.Sprintf("linked=%t", linked), func(t *testing.T) {
			t.Parallel()
			apply, _ := rehearse(t, linked, wanted)
			all := apply.boundaries(t, linked)
			d := newDesk(t, start(t, vcsim.Options{VCenters: 2, Linked: linked, Releases: mixed}), wanted)
			r := newRecipient(t)
			halves, took := 0, 0
			for i, b := range all {
				if !long() && i%4 > 0 {
					continue
				}
				t.Run(b.String(), func(t *testing.T) { halves += d.killHandover(t, r, apply, b) })
				took++
			}
			// Requests run in parallel, and which ones come first differs: go on until a kill was between two accounts.
			for n := 2; n <= 16 && halves == 0 && !linked; n++ {
				b := boundary{n: n, mutation: true, late: true}
				t.Run("between accounts/"+b.String(), func(t *testing.T) { halves += d.killHandover(t, r, apply, b) })
			}
			if took < 3 || halves == 0 && !linked { // else nothing of the above was tried
				t.Errorf("%d kills, %d of them with some accounts made and others not", took, halves)
			}
		})
	}
}

// killHandover gives 1 where the kill left some accounts made and others not.
func (d *desk) killHandover(t *testing.T, r *recipient, apply *rehearsal, b boundary) (half int) {
	t.Helper()
	dir := t.TempDir()
	first, second := filepath.Join(dir, "first.age"), filepath.Join(dir, "second.age")
	d.killed(t, b, d.handover(r, first)...)
	made := d.opened(t, r, first)
	before, _ := os.ReadFile(first)

	code, stdout, stderr := d.run(d.handover(r, first)...)
	if after, _ := os.ReadFile(first); before != nil && !bytes.Equal(before, after) {
		t.Error("the encrypted file was overwritten")
	}
	d.opened(t, r, first)
	if code != command.ExitDone {
		if before == nil || !strings.Contains(stderr, first+" exists and may be the only copy of passwords of existing accounts; nothing was done") {
			t.Fatalf("exit code %d\n%s%s", code, stdout, stderr)
		}
		d.must(t, d.handover(r, second)...)
		half = min(1, len(made))
	}
	if _, err := os.Stat(d.path); !os.IsNotExist(err) {
		t.Errorf("there is a credentials file: %v", err)
	}
	for at, path := range d.opened(t, r, first, second) {
		if made[at] != "" && path != first {
			t.Errorf("%s was made, and has another password now", at)
		}
	}
	d.tidy(t)
	if left, err := os.ReadDir(dir); err != nil || len(left) > 2+1 { // and the lock of the run that was killed
		t.Errorf("left behind: %v, %v", left, err)
	}

	// The other side.
	for _, path := range []string{first, second} {
		if r.open(t, path) != nil {
			d.must(t, "credentials", "import", "--identity", r.key, "--replace", path)
		}
	}
	if n := d.locked(t); n == 0 {
		t.Error("there are no accounts")
	}
	if diff := cmp.Diff(strings.Split(apply.accounts+apply.snapshot, "\n"), strings.Split(d.accounts(t)+d.snapshot(), "\n")); diff != "" {
		t.Errorf("not as if nothing had happened (-want +got):\n%s", diff)
	}
	d.must(t, d.words("verify")...)
	former, err := filepath.Glob(d.path + ".replaced*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range former { // as import says, now that the accounts log in
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	}
	d.must(t, d.words("plan", "--exit-code")...)
	d.must(t, d.words("destroy")...)
	return half
}

// No disk, no account: where the encrypted file cannot be written, nothing is made.
func TestHandoverNeedsItsFile(t *testing.T) {
	t.Parallel()
	d := newDesk(t, start(t, vcsim.Options{VCenters: 2}), demoSpec)
	before, r := d.snapshot(), newRecipient(t)
	nowhere := filepath.Join(d.dir, "file")
	d.write(t, nowhere, "")
	for _, out := range []string{filepath.Join(nowhere, "out.age"), nowhere} {
		code, _, stderr := d.run(d.handover(r, out)...)
		if code != command.ExitFailed || d.snapshot() != before {
			t.Errorf("%s: exit code %d, or something was made: %s", out, code, stderr)
		}
	}
	if text, err := os.ReadFile(nowhere); len(text) > 0 || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

// Permissions that are displaced are recorded where destroy looks for them, though no credentials file is written, and given back.
func TestHandoverGivesBackWhatItDisplaces(t *testing.T) {
	t.Parallel()
	const who = "svc-diag@vsphere.local"
	d := newDesk(t, start(t, vcsim.Options{VCenters: 1}), strings.Split(demoSpec, "- server: vcenter2")[0]+
		"components:\n  csi-driver: {}\n  diagnostics: {principal: "+who+"}\n")
	v := d.lab.VCenters[0]
	if err := v.Directory().AddUser("svc-diag", "Som3thing!else-long", directory.Details{}); err != nil {
		t.Fatal(err)
	}
	permit(t, d.admin(t), "/DC1/datastore/ds1", who, "NoAccess", false)
	before := d.snapshot()
	r, out := newRecipient(t), filepath.Join(d.dir, "handover.age")
	d.must(t, append(d.handover(r, out), "--displace")...)
	f := r.open(t, out)
	if d.snapshot() == before || f == nil {
		t.Fatal("nothing was done")
	}
	if _, ok := f.Get(v.Server(), component.CSIDriver); !ok {
		t.Error("the password is not in the file")
	}
	if _, err := os.Stat(d.path + ".displaced"); err != nil {
		t.Error(err)
	}
	d.must(t, d.words("destroy")...)
	if d.snapshot() != before {
		t.Error("not as before")
	}
}
