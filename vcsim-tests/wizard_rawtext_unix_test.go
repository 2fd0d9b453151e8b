//go:build unix

package vcsimtests

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vmware/govmomi/object"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// Signs that hide or steer; survey's own escape sequences begin otherwise.
const (
	hidingSigns  = "\u202e\u2066\u200b\u061c\u00ad"
	hostileSigns = hidingSigns + "\u009b2J\u2028\ufeff\n? cluster name"
)

// harmless fails when such a sign was written to the terminal.
func (c *terminal) harmless() {
	c.t.Helper()
	if i := strings.IndexAny(c.printed(), strings.Split(hostileSigns, "2J")[0]+"\u2028\ufeff"); i >= 0 {
		c.t.Errorf("%q was printed", c.printed()[max(0, i-60):i+8])
	}
}

// Names of the inventory neither hide nor steer the wizard's lists, and the file that comes of them names the objects
// exactly.
func TestWizardOnAHostileEstate(t *testing.T) {
	t.Parallel()
	l := newWizardLab(t, vcsim.Options{Estate: vcsim.EstateOptions{Suffix: hidingSigns}})
	v := l.VCenters[0]
	dc := v.Estate().Datacenters[0]
	client, err := v.Login(context.Background(), v.AdminUser(), v.AdminPassword())
	if err != nil {
		t.Fatal(err)
	}
	ref, err := object.NewSearchIndex(client).FindByInventoryPath(context.Background(), dc.Path+"/vm")
	if err != nil || ref == nil {
		t.Fatal(ref, err)
	}
	if _, err := object.NewFolder(client, ref.Reference()).CreateFolder(context.Background(), "aaa"+hostileSigns); err != nil {
		t.Fatal(err)
	}
	c := l.open(t, 120, 40)
	c.answer("cluster name", "c9")
	c.login(v, "vCenter")
	c.answer("failure domain", "zone")
	c.answer("zone: datacenter", "")
	c.answer("zone: cluster", "")
	c.answer("zone: resource pool", "")
	c.asks("zone: VM folder")
	c.shows(`aaa\u202e\u2066\u200b\u061c\u00ad\u009b2J\u2028\ufeff\x0a? cluster name`)
	c.types("openshift" + keyEnter)
	c.answer("zone: datastore", "ds1")
	c.asks("zone: networks")
	c.shows(`\u202e`)
	c.types(keyCtrlC)
	c.ends(130)
	c.harmless()
	draft, err := os.ReadFile(filepath.Join(l.dir, "provisioning.yaml.draft"))
	if err != nil || strings.ContainsAny(string(draft), hidingSigns) || !strings.Contains(string(draft), `/DC1\u202e\u2066\u200b\u061c\u00ad/datastore/ds1\u202e`) {
		t.Errorf("%v\n%s", err, draft)
	}
	s, err := spec.Parse("x", (&spec.Spec{APIVersion: spec.APIVersion, Kind: spec.Kind, Cluster: "c", VCenters: []spec.VCenter{{
		Server: "v", Port: 443, FailureDomains: []spec.FailureDomain{{
			Name: "z", Datacenter: dc.Path, ComputeCluster: dc.Clusters[0].Path, Datastore: dc.Datastores[0], Networks: []string{dc.Networks[1].Path},
		}},
	}}}).YAML())
	if err != nil || s.VCenters[0].FailureDomains[0].Datastore != dc.Datastores[0] {
		t.Errorf("the file does not name what was chosen: %v", err)
	}
}

// A certificate that nobody trusts yet is shown before anybody agreed to anything.
func TestWizardShowsAHostileCertificate(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "evil" + hostileSigns, Organization: []string{"\x1b[2J"}},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"evil.example.com"},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	server, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	go func() {
		for {
			conn, err := server.Accept()
			if err != nil {
				return
			}
			go func() {
				if conn, ok := conn.(*tls.Conn); ok {
					_ = conn.HandshakeContext(context.Background())
				}
				_ = conn.Close()
			}()
		}
	}()
	c := openTerminal(t, 120, 40, t.TempDir(), []string{"HOME=" + t.TempDir()}, "init", "--connect-to", "vc.example.com="+server.Addr().String())
	c.answer("cluster name", "c9")
	c.answer("vCenter", "vc.example.com")
	c.asks("is this thumbprint")
	c.shows(`evil\u202e\u2066\u200b\u061c\u00ad\u009b2J\u2028\ufeff\x0a? cluster name`)
	c.types(keyCtrlC)
	c.ends(130)
	c.harmless()
}
