package cli

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"testing"
	"time"
)

// hostileServer answers each request with a status line of hostile text, behind a certificate with these names; it
// returns its address and the certificate.
func hostileServer(t *testing.T, names []string) (address string, certificate []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	who := pkix.Name{CommonName: names[0], Organization: names, OrganizationalUnit: names}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: who, Issuer: who, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		DNSNames: []string{"evil.example.com"}, IsCA: true, BasicConstraintsValid: true,
	}
	certificate, err = x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}}, MinVersion: tls.VersionTLS12,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go answer(conn)
		}
	}()
	return listener.Addr().String(), certificate
}

func answer(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	if n, err := conn.Read(make([]byte, 4096)); n == 0 || err != nil {
		return
	}
	_, _ = conn.Write([]byte("HTTP/1.1 400 " + reason + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"))
}
