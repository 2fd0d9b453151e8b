package kubetest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// authority signs the certificates of one test.
type authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// newAuthority makes a certificate authority and writes its certificate to ca.crt in dir.
func newAuthority(t *testing.T, dir string) *authority {
	t.Helper()
	a := &authority{dir: dir, key: newKey(t)}
	a.cert = a.sign(t, "ca", &x509.Certificate{
		Subject: pkix.Name{CommonName: "kubetest"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}, a.key)
	return a
}

// server writes NAME.crt and NAME.key for a server on the loopback address.
func (a *authority) server(t *testing.T, name string) {
	t.Helper()
	a.issue(t, name, &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
}

// client writes NAME.crt and NAME.key for a user of the API server in the given groups.
func (a *authority) client(t *testing.T, name string, groups ...string) {
	t.Helper()
	a.issue(t, name, &x509.Certificate{
		Subject: pkix.Name{CommonName: name, Organization: groups}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

func (a *authority) issue(t *testing.T, name string, template *x509.Certificate) {
	t.Helper()
	key := newKey(t)
	writeKey(t, filepath.Join(a.dir, name+".key"), key)
	template.KeyUsage = x509.KeyUsageDigitalSignature
	a.sign(t, name, template, key)
}

func (a *authority) sign(t *testing.T, name string, template *x509.Certificate, key *ecdsa.PrivateKey) *x509.Certificate {
	t.Helper()
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber = serial
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour)
	parent := a.cert
	if parent == nil {
		parent = template
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	writePEM(t, filepath.Join(a.dir, name+".crt"), "CERTIFICATE", der)
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func writeKey(t *testing.T, path string, key *ecdsa.PrivateKey) {
	t.Helper()
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	writePEM(t, path, "EC PRIVATE KEY", der)
}

func writePEM(t *testing.T, path, kind string, der []byte) {
	t.Helper()
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
}
