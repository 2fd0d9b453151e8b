package held

import (
	"bytes"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
)

func newWorld() *world {
	return &world{servers: []string{"vc1.example.com"}, rotations: map[component.Name]int{}}
}

// made are the secrets of all requests.
func (w *world) made(t *testing.T) []Secret {
	t.Helper()
	list, _, err := Make(w.servers, w.accounts(), requests)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func put(t *testing.T, d Dir, h Secret, want Outcome) {
	t.Helper()
	unlock, err := d.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if got, err := d.Put(h); err != nil || got != want {
		t.Fatalf("%s: %q, %v; want %q", h.At(), got, err, want)
	}
}

// ownDir is a directory that nobody else can change, whatever the umask is.
func ownDir(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "held")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	var got []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s holds %q, want %q", dir, got, want)
	}
}

// What is held once is held as it is now: a rotation in between renews it, and nothing else does.
func TestPut(t *testing.T) {
	t.Parallel()
	w := newWorld()
	d := Dir{Path: filepath.Join(t.TempDir(), "held"), Cluster: "cluster1"}
	h := w.made(t)[0]
	put(t, d, h, Added)
	put(t, d, h, Kept)
	w.rotations[h.Component]++
	h = w.made(t)[0]
	put(t, d, h, Refreshed)
	put(t, d, h, Kept)
	wantFiles(t, d.Path, "cluster.txt", h.File())

	d.Seal = func(plain []byte) ([]byte, error) {
		return []byte(ageHead + base64.StdEncoding.EncodeToString(plain)), nil
	}
	put(t, d, h, Refreshed)
	wantFiles(t, d.Path, "cluster.txt", h.File()+".age") // and not in the clear any more
	put(t, d, h, Refreshed)                              // nobody can compare it
	if _, err := d.Read(); !Closed(err) {
		t.Errorf("read without a key: %v", err)
	}
	d.Open = unwrap
	put(t, d, h, Kept)
	list, err := d.Read()
	if err != nil || len(list) != 1 || !list[0].Sealed || list[0].At() != h.At() || list[0].Request != h.Request || list[0].Component != h.Component || !list[0].same(h.Manifest.Secret.Data) {
		t.Errorf("%+v, %v", list, err)
	}
	info, err := os.Stat(d.Path)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// What is not ours stays: another cluster's directory, and any other file of that name.
func TestPutLeavesAlone(t *testing.T) {
	t.Parallel()
	w := newWorld()
	h := w.made(t)[0]
	other := h.At()
	for name, c := range map[string]struct {
		cluster, text, want string
	}{
		"another cluster":       {"cluster2", "", `has secrets of cluster "cluster2", but this is "cluster1"`},
		"somebody's secret":     {"cluster1", "kind: Secret\nmetadata: {name: " + other.Name + ", namespace: " + other.Namespace + "}\n", "is not a held secret: it does not say for which request and component"},
		"no secret":             {"cluster1", "kind: ConfigMap\n", "is not a held secret: it holds 0 secrets"},
		"an unknown component":  {"cluster1", "kind: Secret\nmetadata: {name: a, namespace: b, annotations: {ocp-vsphere-admin.github.io/component: x, ocp-vsphere-admin.github.io/credentials-request: a/b}}\n", "is not a held secret: its component is not known"},
		"nothing that is YAML":  {"cluster1", "{", "not valid YAML"},
		"a secret of that name": {"cluster1", "kind: Secret\nmetadata: {name: a, namespace: b, annotations: {ocp-vsphere-admin.github.io/component: csi-driver, ocp-vsphere-admin.github.io/credentials-request: a/b}}\ndata: {a.username: YQ==}\n", "holds secret b/a, whose file is b-a-credentials.yaml"},
	} {
		dir := ownDir(t)
		if err := os.WriteFile(filepath.Join(dir, ownerFile), []byte(c.cluster+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, h.File())
		if c.text != "" {
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := Dir{Path: dir, Cluster: "cluster1"}.Put(h)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if now, _ := os.ReadFile(path); string(now) != c.text {
			t.Errorf("%s: %s", name, now)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, h.File()), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, h.File()), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := (Dir{Path: dir}).Put(h); err == nil || !strings.Contains(err.Error(), "insecure permissions") {
		t.Errorf("a file that others read: %v", err)
	}
}

// ccoctl joins namespace and name with the sign that both may hold.
func TestNamesThatCollide(t *testing.T) {
	t.Parallel()
	w := newWorld()
	a, b := requests[0], requests[1]
	a.SecretRef, b.SecretRef = component.At("a-b", "c"), component.At("a", "b-c")
	if _, _, err := Make(w.servers, w.accounts(), []release.Request{a, b}); err == nil || !strings.Contains(err.Error(), "would have one file a-b-c-credentials.yaml") {
		t.Error(err)
	}
	none := a
	none.Component = ""
	if list, warnings, err := Make(w.servers, w.accounts(), []release.Request{none}); list != nil || warnings != nil || err != nil {
		t.Errorf("%v, %q, %v", list, warnings, err)
	}
	if _, warnings, err := Make(w.servers, w.accounts(), []release.Request{a}); len(warnings) > 0 || err != nil {
		t.Errorf("%q, %v", warnings, err)
	}
	if _, _, err := Make(w.servers, openshift.Accounts{}, []release.Request{a}); !errors.Is(err, openshift.ErrNoAccount) {
		t.Error(err)
	}
}

// Without the credentials file a secret is handed out as it was held, and without what we noted on it.
func TestPresentWithoutAccounts(t *testing.T) {
	t.Parallel()
	w := newWorld()
	d := Dir{Path: filepath.Join(t.TempDir(), "held"), Cluster: "cluster1"}
	h := w.made(t)[0]
	put(t, d, h, Added)
	list, err := d.Read()
	if err != nil {
		t.Fatal(err)
	}
	now, stale, unchecked := Present(list, Today{Accounts: openshift.Accounts{}})
	if len(now) != 1 || len(stale) != 0 || !errors.Is(unchecked[h.At()], openshift.ErrNoAccount) {
		t.Fatalf("%v, %v, %v", now, stale, unchecked)
	}
	if !now[0].same(h.Manifest.Secret.Data) || now[0].Manifest.Secret.Annotations != nil {
		t.Errorf("%+v", now[0].Manifest.Secret)
	}
	w.rotations[h.Component]++
	if now, stale, _ := Present(list, Today{Accounts: w.accounts()}); !stale[h.At()] || now[0].same(h.Manifest.Secret.Data) {
		t.Error("a rotation is not seen")
	}
}

// A run that ends while a secret is taken out leaves the one that was held last.
func TestRemoveTakesTheOldFirst(t *testing.T) {
	t.Parallel()
	w := newWorld()
	d := Dir{Path: filepath.Join(t.TempDir(), "held"), Cluster: "cluster1"}
	put(t, d, w.made(t)[0], Added)
	list, err := d.Read()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.MarkPrinted(list); err != nil {
		t.Fatal(err)
	}
	w.rotations[list[0].Component]++
	present := w.made(t)[0]
	put(t, d, present, Added)
	wantFiles(t, filepath.Join(d.Path, printedDir), present.File())
	if list, err = d.Read(); err != nil || len(list) != 1 || list[0].Printed || !list[0].same(present.Manifest.Secret.Data) {
		t.Fatalf("%+v, %v", list, err)
	}
	steps := 1
	dying := d
	dying.step = func(string) error {
		if steps--; steps < 0 {
			return errKilled
		}
		return nil
	}
	if err := dying.Remove(list[0]); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	if list, err = d.Read(); err != nil || len(list) != 1 || !list[0].same(present.Manifest.Secret.Data) {
		t.Fatalf("%+v, %v", list, err)
	}
	if err := d.Remove(list[0]); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, d.Path, "cluster.txt", printedDir)
	wantFiles(t, filepath.Join(d.Path, printedDir))
}

// A file that was delivered is never written over; the same one once more is fine.
func TestDeliver(t *testing.T) {
	t.Parallel()
	w := newWorld()
	d := Dir{Path: filepath.Join(t.TempDir(), "held"), Cluster: "cluster1"}
	out := filepath.Join(t.TempDir(), "out")
	h := w.made(t)[0]
	put(t, d, h, Added)
	first, err := d.Deliver(h, out, nil)
	if err != nil || first != filepath.Join(out, "manifests", h.File()) {
		t.Fatal(first, err)
	}
	wantFiles(t, d.Path, "cluster.txt")
	text, err := os.ReadFile(first)
	if err != nil || bytes.Contains(text, []byte("annotations")) || !bytes.Contains(text, []byte("name: "+h.At().Name)) {
		t.Errorf("%s, %v", text, err)
	}
	put(t, d, h, Added)
	if _, err := d.Deliver(h, out, nil); err != nil {
		t.Error(err)
	}
	w.rotations[h.Component]++
	h = w.made(t)[0]
	put(t, d, h, Added)
	if _, err := d.Deliver(h, out, nil); err == nil || !strings.Contains(err.Error(), "it is not overwritten") {
		t.Error(err)
	}
	wantFiles(t, d.Path, "cluster.txt", h.File())
	if now, _ := os.ReadFile(first); !bytes.Equal(now, text) {
		t.Errorf("%s", now)
	}
}
