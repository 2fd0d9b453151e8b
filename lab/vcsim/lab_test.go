package vcsim

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/url"
	"slices"
	"sync"
	"testing"

	"github.com/vmware/govmomi/object"
	"github.com/vmware/govmomi/session"
	"github.com/vmware/govmomi/ssoadmin"
	"github.com/vmware/govmomi/sts"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim/directory"
)

func start(t *testing.T, o Options) *Lab {
	t.Helper()
	l, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	return l
}

// plain is a client without a session.
func plain(t *testing.T, v *VCenter) *vim25.Client {
	t.Helper()
	c, err := v.Client(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// admin is a client with the administrator's session.
func admin(t *testing.T, v *VCenter) *vim25.Client {
	t.Helper()
	c, err := v.Login(t.Context(), v.AdminUser(), v.AdminPassword())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// issue asks the stock STS client for a token.
func issue(t *testing.T, v *VCenter, user, password string) (*sts.Signer, error) {
	t.Helper()
	c, err := sts.NewClient(t.Context(), plain(t, v))
	if err != nil {
		t.Fatal(err)
	}
	return c.Issue(t.Context(), sts.TokenRequest{Userinfo: url.UserPassword(user, password)})
}

// ssoClient is the stock SSO client, logged in as somebody.
func ssoClient(t *testing.T, v *VCenter, user, password string) *ssoadmin.Client {
	t.Helper()
	c, err := ssoadmin.NewClient(t.Context(), plain(t, v))
	if err != nil {
		t.Fatal(err)
	}
	token, err := issue(t, v, user, password)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Login(c.WithHeader(t.Context(), soap.Header{Security: token})); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTwoVCentersAreApart(t *testing.T) {
	l := start(t, Options{VCenters: 2})
	a, b := l.VCenters[0], l.VCenters[1]
	if err := a.Directory().AddUser("only-a", "Secret!pass1", directory.Details{}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Directory().Lookup("only-a", false); err == nil {
		t.Error("an account of one SSO domain is known to another")
	}
	ca, cb := admin(t, a), admin(t, b)
	if ca.ServiceContent.About.InstanceUuid == cb.ServiceContent.About.InstanceUuid {
		t.Error("two vCenters have one InstanceUuid")
	}
	for _, c := range []struct {
		v    *VCenter
		c    *vim25.Client
		path string
	}{{a, ca, "/DC1"}, {b, cb, "/DC2"}} {
		res, err := methods.FindByInventoryPath(t.Context(), c.c, &types.FindByInventoryPath{This: *c.c.ServiceContent.SearchIndex, InventoryPath: c.path})
		if err != nil || res.Returnval == nil {
			t.Errorf("%s has no %s: %v", c.v.Server(), c.path, err)
		}
		opts, err := methods.QueryOptions(t.Context(), c.c, &types.QueryOptions{This: *c.c.ServiceContent.Setting, Name: "config.vpxd.sso.sts.uri"})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := opts.Returnval[0].GetOptionValue().Value, "https://"+c.v.Server()+"/sts/STSService/vsphere.local"; got != want {
			t.Errorf("sts.uri of %s is %v, want %s", c.v.Server(), got, want)
		}
	}
	// A session of one is nothing to the other.
	u := cb.URL()
	cb.Jar.SetCookies(u, ca.Jar.Cookies(ca.URL()))
	mine, err := session.NewManager(cb).UserSession(t.Context())
	if err == nil && mine != nil {
		t.Error("a session cookie of one vCenter opens the other")
	}
}

func TestManyVCentersAtOnce(t *testing.T) {
	l := start(t, Options{VCenters: 4, Domain: "openshift.sso"})
	var wg sync.WaitGroup
	for _, v := range l.VCenters {
		for range 3 {
			wg.Go(func() {
				c, err := v.Login(context.Background(), v.AdminUser(), v.AdminPassword())
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := methods.GetCurrentTime(context.Background(), c); err != nil {
					t.Error(err)
				}
				v.Snapshot()
			})
		}
	}
	wg.Wait()
	for _, v := range l.VCenters {
		if n := v.Requests()["Login"]; n != 3 {
			t.Errorf("%s counted %d logins, want 3", v.Server(), n)
		}
	}
}

// Labs come and go beside each other; it is the race detector that judges.
func TestLabsBesideEachOther(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			l, err := Start(Options{VCenters: 2, Estate: EstateOptions{Seed: uint64(i)}})
			if err != nil {
				t.Error(err)
				return
			}
			defer l.Close()
			for _, v := range l.VCenters {
				c, err := v.Login(context.Background(), v.AdminUser(), v.AdminPassword())
				if err != nil {
					t.Error(err)
					continue
				}
				if err := createFolder(context.Background(), c, "beside"); err != nil {
					t.Error(err)
				}
				ref, _ := v.find(v.Estate().Datacenters[0].VMs[0])
				vm := object.NewVirtualMachine(c, ref)
				task, err := vm.PowerOn(context.Background())
				if err == nil {
					err = task.Wait(context.Background())
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestCertificateBearsTheServerName(t *testing.T) {
	l := start(t, Options{Names: []string{"vc.lab.example"}})
	v := l.VCenter("VC.lab.example")
	if v == nil {
		t.Fatal("the lab does not know its vCenter")
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(l.CA) {
		t.Fatal("the CA is no PEM")
	}
	for _, name := range []string{"vc.lab.example", "localhost", "127.0.0.1"} {
		c, err := tls.Dial("tcp", v.Addr(), &tls.Config{RootCAs: pool, ServerName: name})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := thumbprint(c.ConnectionState().PeerCertificates[0].Raw); got != v.Thumbprint() {
			t.Errorf("thumbprint %s, want %s", got, v.Thumbprint())
		}
		_ = c.Close()
	}
	if _, err := tls.Dial("tcp", v.Addr(), &tls.Config{RootCAs: pool, ServerName: "other.example"}); err == nil {
		t.Error("the certificate is good for any name")
	}
}

func TestStartRefusesAName(t *testing.T) {
	if _, err := Start(Options{Names: []string{"a.example.com", "A.example.com"}}); err == nil {
		t.Error("one name for two vCenters")
	}
}

func TestR28LoginForms(t *testing.T) {
	v := start(t, Options{Domain: "corp.sso"}).VCenters[0]
	for _, user := range []string{"administrator@corp.sso", `CORP.SSO\Administrator`, "ADMINISTRATOR@Corp.SSO", "administrator"} {
		c, err := v.Login(t.Context(), user, v.AdminPassword())
		if err != nil {
			t.Errorf("%s: %v", user, err)
			continue
		}
		s, err := session.NewManager(c).UserSession(t.Context())
		if err != nil || s == nil || s.UserName != `CORP.SSO\Administrator` {
			t.Errorf("%s: session of %+v, %v", user, s, err)
		}
	}
}

func TestSnapshotTellsStatesApart(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	last := v.Snapshot()
	if again := v.Snapshot(); again != last {
		t.Fatal("two snapshots of one state differ")
	}
	d := v.Directory()
	c := admin(t, v)
	if again := v.Snapshot(); again != last {
		t.Error("a login changes the snapshot")
	}
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"new account", func() error { return d.AddUser("x", "Secret!pass1", directory.Details{Description: "one"}) }},
		{"description", func() error { return d.SetDetails("x", directory.Details{Description: "two"}) }},
		{"disabled", func() error { return d.SetDisabled("x", true) }},
		{"group", func() error { return d.AddGroup("g", "") }},
		{"member", func() error { return d.AddMember("g", "x", false) }},
		{"folder", func() error {
			ref, ok := v.find("/DC1/vm/legacy")
			if !ok {
				t.Fatal("no folder")
			}
			_, err := methods.CreateFolder(t.Context(), c, &types.CreateFolder{This: ref, Name: "new one"})
			return err
		}},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.what, err)
		}
		now := v.Snapshot()
		if now == last {
			t.Errorf("%s does not change the snapshot", step.what)
		}
		last = now
	}
	if err := d.SetPassword("x", "Other!pass2"); err != nil {
		t.Fatal(err)
	}
	if v.Snapshot() != last {
		t.Error("a password changes the snapshot")
	}
}

func TestEffectivePrivilegesOfAPrincipal(t *testing.T) {
	v := start(t, Options{}).VCenters[0]
	got, err := v.EffectivePrivileges(`vsphere.local\ADMINISTRATOR`, "/DC1/vm/openshift/cluster1")
	if err != nil || !slices.Contains(got, "VirtualMachine.Inventory.Create") {
		t.Errorf("the administrator may %d things, %v", len(got), err)
	}
	if _, err := v.EffectivePrivileges("nobody", "/DC1"); err == nil {
		t.Error("nobody has privileges")
	}
	if _, err := v.EffectivePrivileges("administrator", "/DC1/vm/none"); err == nil {
		t.Error("an absent object has privileges")
	}
}
