package vcsim

import (
	"crypto/tls"
	"crypto/x509"
	"testing"
)

// Clients in FIPS mode (GODEBUG=fips140=on) offer the curves of NIST alone.
func TestCurvesOfTLS(t *testing.T) {
	l := start(t, Options{})
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(l.CA)
	for _, curve := range []tls.CurveID{tls.X25519, tls.CurveP256, tls.CurveP384, tls.CurveP521} {
		c, err := tls.Dial("tcp", l.VCenters[0].Addr(), &tls.Config{RootCAs: roots, CurvePreferences: []tls.CurveID{curve}})
		if err != nil {
			t.Errorf("%s: %v", curve, err)
			continue
		}
		if got := c.ConnectionState().CurveID; got != curve {
			t.Errorf("%s was offered, %s was taken", curve, got)
		}
		_ = c.Close()
	}
}
