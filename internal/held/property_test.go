package held

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// world is a directory of held secrets, the credentials file that they come from, and the cluster that they are for.
type world struct {
	*rapid.T
	dir        string
	out        string // of Deliver
	servers    []string
	rotations  map[component.Name]int
	namespaces openshift.Namespaces
	cluster    map[component.Ref]corev1.Secret // what `oc apply` took
	ever       map[component.Ref]bool          // held once
}

var errKilled = errors.New("killed")

var requests = []release.Request{
	{Ref: component.At("openshift-cloud-credential-operator", "one"), SecretRef: component.At("openshift-one", "vsphere"), Component: component.CSIDriver},
	{Ref: component.At("openshift-cloud-credential-operator", "two"), SecretRef: component.At("openshift-one", "vsphere-two"), Component: component.MachineAPI},
	{Ref: component.At("openshift-cloud-credential-operator", "three"), SecretRef: component.At("openshift-three", "vsphere"), Component: component.CSIDriver},
	{Ref: component.At("openshift-cloud-credential-operator", "four"), SecretRef: component.At("openshift-four", "creds"), Component: component.Diagnostics},
}

func (w *world) accounts() openshift.Accounts {
	all := openshift.Accounts{}
	for _, server := range w.servers {
		all[server] = map[component.Name]credfile.Account{}
		for _, c := range component.Names() {
			all[server][c] = credfile.Account{User: string(c) + "@vsphere.local", Password: secret.New(fmt.Sprintf("pw-%s-%s-%d", server, c, w.rotations[c]))}
		}
	}
	return all
}

// today is what somebody knows who has the cluster's specification.
func (w *world) today() Today {
	return Today{Accounts: w.accounts(), Servers: w.servers, Ours: func(c component.Name, user string) bool { return user == string(c)+"@vsphere.local" }}
}

// disk is the directory for a run that may be killed before one of its steps, with files in the clear or encrypted.
func (w *world) disk() Dir {
	const head = "age-encryption.org/v1\n"
	d := Dir{Path: w.dir, Cluster: "cluster1", Open: func(_ string, data []byte) ([]byte, error) {
		return base64.StdEncoding.DecodeString(strings.TrimPrefix(string(data), head))
	}}
	if rapid.Bool().Draw(w.T, "encrypted") {
		d.Seal = func(plain []byte) ([]byte, error) {
			return []byte(head + base64.StdEncoding.EncodeToString(plain)), nil
		}
	}
	left := rapid.IntRange(0, 12).Draw(w.T, "steps until it is killed")
	d.step = func(string) error {
		if left--; left < 0 {
			return errKilled
		}
		return nil
	}
	return d
}

// ageHead begins what looks like an age file; what is in it is not secret here.
const ageHead = "age-encryption.org/v1\n"

func wrap(plain []byte) ([]byte, error) {
	return []byte(ageHead + base64.StdEncoding.EncodeToString(plain)), nil
}

func unwrap(_ string, data []byte) ([]byte, error) {
	return base64.StdEncoding.DecodeString(strings.TrimPrefix(string(data), ageHead))
}

func (w *world) alive(err error) bool {
	if err != nil && !errors.Is(err, errKilled) {
		w.Fatal(err)
	}
	return err == nil
}

// hold is what reconcile does for the requests that are new.
func (w *world) hold() {
	d := w.disk()
	chosen := rapid.SliceOfNDistinct(rapid.SampledFrom(requests), 1, len(requests), func(q release.Request) string { return q.Name }).Draw(w.T, "new requests")
	list, _, err := Make(w.servers, w.accounts(), chosen)
	if err != nil {
		w.Fatal(err)
	}
	unlock, err := d.Lock()
	if err != nil {
		w.Fatal(err)
	}
	defer unlock()
	for _, h := range list {
		if _, err := d.Put(h); !w.alive(err) {
			return
		}
		w.ever[h.At()] = true
	}
}

// release hands out, to stdout or to files.
func (w *world) release(toFiles, known bool) {
	d := w.disk()
	list, err := d.Read()
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if !w.alive(err) {
		return
	}
	list, _, unchecked := Present(list, w.today())
	if len(unchecked) > 0 {
		w.Fatal(unchecked)
	}
	var dump *cluster.Cluster
	if known {
		var all []corev1.Secret
		for _, s := range w.cluster {
			all = append(all, s)
		}
		dump = cluster.Of(all...)
	}
	r := Decide(list, w.namespaces, dump, nil)
	for _, h := range r.Applied {
		if !w.alive(d.Remove(h)) {
			return
		}
	}
	if toFiles {
		for _, h := range r.Due {
			w.leaves(h)
			if _, err := d.Deliver(h, w.out, nil); err != nil {
				if errors.Is(err, errKilled) {
					return
				}
				// Its password changed between two runs; the person looks at the file, and removes it.
				if err := os.Remove(filepath.Join(w.out, filepath.FromSlash(h.Manifest.File))); err != nil {
					w.Fatal(err)
				}
			}
		}
		return
	}
	if len(r.Due) == 0 || rapid.Bool().Draw(w.T, "stdout breaks") {
		return
	}
	for _, h := range r.Due {
		w.leaves(h)
	}
	if rapid.Bool().Draw(w.T, "the cluster takes it") {
		for _, h := range r.Due {
			w.cluster[h.At()] = *h.Manifest.Secret
		}
	}
	w.alive(d.MarkPrinted(r.Due))
}

// leaves checks what is handed out: not early, and with the present passwords on the present vCenters.
func (w *world) leaves(h Secret) {
	if err := w.namespaces.Takes(h.At().Namespace); err != nil {
		w.Fatalf("%s leaves early: %v", h.At(), err)
	}
	if h.Manifest.Secret.Annotations != nil {
		w.Fatalf("%s leaves with %v", h.At(), h.Manifest.Secret.Annotations)
	}
	accounts := w.accounts()
	if got := h.Servers(); !slices.Equal(got, w.servers) {
		w.Fatalf("%s leaves with accounts on %q instead of %q", h.At(), got, w.servers)
	}
	for _, server := range w.servers {
		if got, want := string(h.Manifest.Secret.Data[server+".password"]), accounts[server][h.Component].Password.Reveal(); got != want {
			w.Fatalf("%s leaves with %q instead of %q", h.At(), got, want)
		}
	}
}

// applied is --applied, said by somebody who speaks the truth: the cluster has all that was handed out last.
func (w *world) applied() {
	d := w.disk()
	list, err := d.Read()
	if errors.Is(err, fs.ErrNotExist) || !w.alive(err) {
		return
	}
	for _, h := range list {
		if _, there := w.cluster[h.At()]; h.Printed && !there {
			return
		}
	}
	_, stale, _ := Present(list, w.today())
	_, _, err = d.Applied(list, stale)
	w.alive(err)
}

// live checks that holding ends, wherever the runs before ended: what is due is printed, the cluster takes it, and --applied says so.
func (w *world) live() {
	d := Dir{Path: w.dir, Cluster: "cluster1", Open: unwrap}
	list, err := d.Read()
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		w.Fatal(err)
	}
	if slices.ContainsFunc(list, func(h Secret) bool { return h.Sealed }) {
		d.Seal = wrap
	}
	list, _, _ = Present(list, w.today())
	for _, h := range Decide(list, w.namespaces, nil, nil).Due {
		w.leaves(h)
		w.cluster[h.At()] = *h.Manifest.Secret
		w.alive(d.MarkPrinted([]Secret{h}))
	}
	if list, err = d.Read(); err != nil {
		w.Fatal(err)
	}
	list, stale, _ := Present(list, w.today())
	due := Decide(list, w.namespaces, nil, nil).Due
	if _, stay, err := d.Applied(due, stale); err != nil || len(stay) > 0 {
		w.Fatalf("%+v stay held: %v", stay, err)
	}
	if list, err = d.Read(); err != nil || len(Decide(list, w.namespaces, nil, nil).Due) > 0 {
		w.Fatalf("%+v, %v", list, err)
	}
}

// check is what holds at every moment.
func (w *world) check() {
	d := Dir{Path: w.dir, Cluster: "cluster1", Open: unwrap}
	list, err := d.Read()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.Fatal(err)
	}
	for at := range w.ever {
		isHeld := slices.ContainsFunc(list, func(h Secret) bool { return h.At() == at })
		_, inCluster := w.cluster[at]
		_, err := os.Stat(filepath.Join(w.out, filepath.FromSlash(openshift.RequestFile(at))))
		if !isHeld && !inCluster && err != nil {
			w.Fatalf("%s is lost", at)
		}
	}
	for _, root := range []string{w.dir, w.out} {
		_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return nil //nolint:nilerr // not there yet
			}
			info, _ := e.Info()
			if mode := info.Mode().Perm(); mode != 0o600 && !e.IsDir() || mode != 0o700 && e.IsDir() {
				w.Fatalf("%s has mode %o", path, mode)
			}
			return nil
		})
	}
}

// Held secrets are neither lost nor early, nor handed out with a password that was rotated away or without a vCenter that was
// added: in whatever order they are held, rotated, handed out and applied, and wherever a run ends in between.
func TestHeldSecretsAreNeitherLostNorEarly(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	runs := 0
	rapid.Check(t, func(t *rapid.T) {
		runs++
		w := &world{
			T: t, dir: filepath.Join(root, fmt.Sprint(runs), "held"), out: filepath.Join(root, fmt.Sprint(runs), "out"),
			servers: []string{"vc1.example.com", "vc2.example.com"}, rotations: map[component.Name]int{},
			namespaces: openshift.Namespaces{"default": openshift.Active}, cluster: map[component.Ref]corev1.Secret{}, ever: map[component.Ref]bool{},
		}
		t.Repeat(map[string]func(*rapid.T){
			"hold":   func(t *rapid.T) { w.T = t; w.hold() },
			"rotate": func(t *rapid.T) { w.rotations[rapid.SampledFrom(component.Names()).Draw(t, "component")]++ },
			"vCenters": func(t *rapid.T) {
				w.servers = []string{"vc1.example.com", "vc2.example.com", "vc3.example.com"}[:rapid.IntRange(1, 3).Draw(t, "number")]
			},
			"upgrade": func(t *rapid.T) {
				q := rapid.SampledFrom(requests).Draw(t, "namespace of")
				w.namespaces[q.SecretRef.Namespace] = rapid.SampledFrom([]openshift.Phase{openshift.Active, openshift.Active, openshift.Terminating}).Draw(t, "phase")
			},
			"deleted": func(t *rapid.T) {
				delete(w.namespaces, rapid.SampledFrom(requests).Draw(t, "namespace of").SecretRef.Namespace)
			},
			"print":          func(t *rapid.T) { w.T = t; w.release(false, false) },
			"print, known":   func(t *rapid.T) { w.T = t; w.release(false, true) },
			"deliver":        func(t *rapid.T) { w.T = t; w.release(true, rapid.Bool().Draw(t, "known")) },
			"applied":        func(t *rapid.T) { w.T = t; w.applied() },
			"all is applied": func(t *rapid.T) { w.T = t; w.live() },
			"":               func(t *rapid.T) { w.T = t; w.check() },
		})
	})
}

// Any file is a held secret, which reads the same once more, or an error without a value.
func FuzzHeld(f *testing.F) {
	w := &world{servers: []string{"vc1.example.com"}, rotations: map[component.Name]int{}}
	list, _, err := Make(w.servers, w.accounts(), requests)
	if err != nil {
		f.Fatal(err)
	}
	for _, h := range list {
		text, err := h.text()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte("kind: Secret\nmetadata: {name: ../x, namespace: y, annotations: {ocp-vsphere-admin.github.io/component: csi-driver, ocp-vsphere-admin.github.io/credentials-request: a/b}}\ndata: {a.username: YQ==}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := parseHeld("file", data)
		if err != nil {
			if bytes.Contains([]byte(err.Error()), []byte("pw-vc1")) || !strings.HasPrefix(err.Error(), "file:") {
				t.Error(err)
			}
			return
		}
		text, err := h.text()
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseHeld("file", text)
		if err != nil || again.At() != h.At() || again.Request != h.Request || again.Component != h.Component || !again.same(h.Manifest.Secret.Data) {
			t.Errorf("%+v, %v", again, err)
		}
		if strings.ContainsAny(h.File(), `/\`) {
			t.Errorf("%q", h.File())
		}
	})
}
