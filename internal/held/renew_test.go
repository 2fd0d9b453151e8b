package held

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// A credentials file that has another account for the component is another cluster's, or has none: nothing of it is handed out.
func TestNoOtherAccountsPassword(t *testing.T) {
	t.Parallel()
	w := newWorld()
	h := w.made(t)[0]
	account := func(user string) openshift.Accounts {
		return openshift.Accounts{w.servers[0]: {
			h.Component:         {User: user, Password: secret.New("pw-next")},
			component.Installer: {User: "installer@vsphere.local", Password: secret.New("pw-main")},
		}}
	}
	main := account("")
	delete(main[w.servers[0]], h.Component)
	next := func(c component.Name, user string) bool {
		return c == h.Component && (user == string(h.Component)+"-2@vsphere.local" || user == string(h.Component)+"@vsphere.local")
	}
	for name, c := range map[string]struct {
		accounts openshift.Accounts
		ours     func(component.Name, string) bool
		want     error
	}{
		"the same":               {account(string(h.Component) + "@vsphere.local"), nil, nil},
		"in capitals":            {account(strings.ToUpper(string(h.Component)) + "@VSPHERE.local"), nil, nil},
		"another cluster's":      {account("other-" + string(h.Component) + "@vsphere.local"), next, ErrOtherAccount},
		"its next generation":    {account(string(h.Component) + "-2@vsphere.local"), next, nil},
		"one that nobody knows":  {account(string(h.Component) + "-2@vsphere.local"), nil, ErrOtherAccount},
		"another domain's":       {account(string(h.Component) + "@corp.example.com"), nil, ErrOtherAccount},
		"the main account alone": {main, next, openshift.ErrNoAccount},
	} {
		now, stale, unchecked := Present([]Secret{h}, Today{Accounts: c.accounts, Ours: c.ours})
		if err := unchecked[h.At()]; !errors.Is(err, c.want) || stale[h.At()] != (c.want == nil) {
			t.Errorf("%s: %v, stale %v", name, err, stale)
		}
		if kept := now[0].same(h.Manifest.Secret.Data); kept != (c.want != nil) {
			t.Errorf("%s: as it was held: %v", name, kept)
		}
		if err := unchecked[h.At()]; err != nil && strings.Contains(err.Error(), "pw-") {
			t.Error(err)
		}
	}
}

// A held file that says another component than the one whose account it holds gets nothing of that one.
func TestNoOtherComponentsAccount(t *testing.T) {
	t.Parallel()
	w := newWorld()
	h := w.made(t)[0]
	h.Component = component.Installer
	accounts := openshift.Accounts{w.servers[0]: {component.Installer: {User: "installer@vsphere.local", Password: secret.New("pw-main")}}}
	ours := func(c component.Name, user string) bool { return user == string(c)+"@vsphere.local" }
	if now, _, err := h.Current(Today{Accounts: accounts, Ours: ours}); !errors.Is(err, ErrOtherAccount) || !now.same(h.Manifest.Secret.Data) {
		t.Errorf("handed out: %v", err)
	}
}

// A link, or a pipe that would be waited for, is no held secret.
func TestOnlyRegularFilesAreHeld(t *testing.T) {
	t.Parallel()
	d := Dir{Path: ownDir(t)}
	if err := os.Symlink(filepath.Join(d.Path, "elsewhere"), filepath.Join(d.Path, "a-b-credentials.yaml")); err != nil {
		t.Skip(err)
	}
	if list, err := d.Read(); len(list) > 0 || err == nil || !strings.Contains(err.Error(), "a-b-credentials.yaml is not a regular file") {
		t.Errorf("%v, %v", list, err)
	}
}

// Where the cluster's vCenters are known, a secret gets an account on each of them and on no other, if they are this cluster's.
func TestVCentersOfToday(t *testing.T) {
	t.Parallel()
	w := newWorld()
	w.servers = []string{"vc1.example.com", "vc2.example.com"}
	h := w.made(t)[0]
	ours := func(c component.Name, user string) bool { return user == string(c)+"@vsphere.local" }
	for name, c := range map[string]struct {
		servers []string
		without string
		ours    func(component.Name, string) bool
		want    []string
		err     error
	}{
		"nobody knows":                      {nil, "", ours, w.servers, nil},
		"the same":                          {w.servers, "", ours, w.servers, nil},
		"one more":                          {append(w.servers, "vc3.example.com"), "", ours, append(w.servers, "vc3.example.com"), nil},
		"one less":                          {w.servers[1:], "", ours, w.servers[1:], nil},
		"one more, without an account":      {append(w.servers, "vc3.example.com"), "vc3.example.com", ours, w.servers, openshift.ErrNoAccount},
		"one more, with another's account":  {append(w.servers, "vc3.example.com"), "", func(component.Name, string) bool { return false }, w.servers, ErrOtherAccount},
		"one that is gone has no account":   {w.servers[:1], "vc2.example.com", ours, w.servers[:1], nil},
		"an account is gone, nobody knows":  {nil, "vc2.example.com", ours, w.servers, openshift.ErrNoAccount},
		"an account is gone, and is needed": {w.servers, "vc2.example.com", ours, w.servers, openshift.ErrNoAccount},
	} {
		all := &world{servers: []string{"vc1.example.com", "vc2.example.com", "vc3.example.com"}, rotations: w.rotations}
		accounts := all.accounts()
		delete(accounts[c.without], h.Component)
		now, stale, unchecked := Present([]Secret{h}, Today{Accounts: accounts, Servers: c.servers, Ours: c.ours})
		if got := now[0].Servers(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if err := unchecked[h.At()]; !errors.Is(err, c.err) || err != nil && c.without != "" && !strings.Contains(err.Error(), c.without) {
			t.Errorf("%s: %v", name, err)
		}
		if stale[h.At()] != (len(now[0].Servers()) != len(h.Servers())) {
			t.Errorf("%s: stale %v", name, stale)
		}
	}
}

// A secret is made of the component's own account on every vCenter, opt-in or not: the main account is never put in its place.
func TestMakeTakesNoMainAccount(t *testing.T) {
	t.Parallel()
	servers := []string{"vc1.example.com", "vc2.example.com"}
	for _, c := range []component.Name{component.CSIDriver, component.ClusterAPI} {
		accounts := openshift.Accounts{}
		for _, server := range servers {
			accounts[server] = map[component.Name]credfile.Account{
				component.Installer: {User: "installer@vsphere.local", Password: secret.New("pw-main")},
				c:                   {User: "a@vsphere.local", Password: secret.New("pw-a")},
			}
		}
		q := requests[0]
		q.Component = c
		if list, _, err := Make(servers, accounts, []release.Request{q}); err != nil || len(list) != 1 {
			t.Errorf("%s: %v, %v", c, list, err)
		}
		delete(accounts[servers[1]], c)
		if list, _, err := Make(servers, accounts, []release.Request{q}); !errors.Is(err, openshift.ErrNoAccount) || !strings.Contains(err.Error(), "vc2.example.com") {
			t.Errorf("%s on one vCenter: %v, %v", c, list, err)
		}
		delete(accounts[servers[0]], c)
		if list, _, err := Make(servers, accounts, []release.Request{q}); !errors.Is(err, openshift.ErrNoAccount) {
			t.Errorf("%s nowhere: %v, %v", c, list, err)
		}
	}
}

// What was printed with the present password is what is noted as printed, also when an older one was printed before.
func TestPrintedIsWhatWasPrinted(t *testing.T) {
	t.Parallel()
	for _, seal := range []func([]byte) ([]byte, error){nil, wrap} {
		w := newWorld()
		d := Dir{Path: filepath.Join(t.TempDir(), "held"), Cluster: "cluster1", Seal: seal, Open: unwrap}
		put(t, d, w.made(t)[0], Added)
		for range 2 { // held and rotated, then printed and rotated
			w.rotations[w.made(t)[0].Component]++
			list, err := d.Read()
			if err != nil {
				t.Fatal(err)
			}
			list, stale, _ := Present(list, Today{Accounts: w.accounts()})
			if gone, _, err := d.Applied(list, stale); len(gone) > 0 || err != nil {
				t.Fatal("it was never printed like this", gone, err)
			}
			if err := d.MarkPrinted(list); err != nil {
				t.Fatal(err)
			}
			wantFiles(t, d.Path, "cluster.txt", printedDir)
			if list, err = d.Read(); err != nil || len(list) != 1 || !list[0].Printed || !list[0].same(w.made(t)[0].Manifest.Secret.Data) || list[0].Sealed != (seal != nil) {
				t.Fatalf("%+v, %v", list, err)
			}
			wantFiles(t, filepath.Join(d.Path, printedDir), list[0].File())
		}
		list, err := d.Read()
		if err != nil {
			t.Fatal(err)
		}
		list, stale, _ := Present(list, Today{Accounts: w.accounts()})
		if gone, stay, err := d.Applied(list, stale); len(gone) != 1 || len(stay) != 0 || err != nil {
			t.Fatal(gone, stay, err)
		}
	}
}

// What was held encrypted is not noted in the clear: without a key to encrypt to, the older one stays noted.
func TestPrintedStaysEncrypted(t *testing.T) {
	t.Parallel()
	w := newWorld()
	d := Dir{Path: filepath.Join(t.TempDir(), "held"), Cluster: "cluster1", Seal: wrap, Open: unwrap}
	h := w.made(t)[0]
	put(t, d, h, Added)
	d.Seal = nil
	w.rotations[h.Component]++
	list, err := d.Read()
	if err != nil {
		t.Fatal(err)
	}
	list, _, _ = Present(list, Today{Accounts: w.accounts()})
	if d.Notes(list[0]) {
		t.Error("it is noted in the clear")
	}
	if err := d.MarkPrinted(list); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, filepath.Join(d.Path, printedDir), h.File()+sealedEnd)
	if now, err := d.Read(); err != nil || !now[0].same(h.Manifest.Secret.Data) || !now[0].Printed {
		t.Errorf("%+v, %v", now, err)
	}
}

// An encrypted file differs each time: it is what an earlier run wrote if it says the same.
func TestDeliverEncrypted(t *testing.T) {
	t.Parallel()
	w := newWorld()
	n := 0
	random := func(plain []byte) ([]byte, error) {
		n++
		return wrap(append([]byte("# "+strings.Repeat("x", n)+"\n"), plain...))
	}
	opened := func(name string, data []byte) ([]byte, error) {
		plain, err := unwrap(name, data)
		_, plain2, _ := strings.Cut(string(plain), "\n")
		return []byte(plain2), err
	}
	d := Dir{Path: filepath.Join(t.TempDir(), "held"), Cluster: "cluster1"}
	out := filepath.Join(t.TempDir(), "out")
	h := w.made(t)[0]
	put(t, d, h, Added)
	path, err := d.Deliver(h, out, random)
	if err != nil {
		t.Fatal(err)
	}
	put(t, d, h, Added) // as if the run had ended before it was taken out
	if _, err := d.Deliver(h, out, random); err == nil || !strings.Contains(err.Error(), path+" exists and is encrypted, so it cannot be compared and is not overwritten") {
		t.Error(err)
	}
	d.Open = opened
	if _, err := d.Deliver(h, out, random); err != nil {
		t.Error(err)
	}
	wantFiles(t, d.Path, "cluster.txt")
	w.rotations[h.Component]++
	h = w.made(t)[0]
	put(t, d, h, Added)
	before, _ := os.ReadFile(path)
	if _, err := d.Deliver(h, out, random); err == nil || !strings.Contains(err.Error(), "exists with other content: it is not overwritten") {
		t.Error(err)
	}
	if now, _ := os.ReadFile(path); !bytes.Equal(now, before) {
		t.Errorf("%s", now)
	}
}
