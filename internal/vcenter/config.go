// Package vcenter is a session on one vCenter: TLS, login, SSO token, retries, inventory paths and the identity of its
// SSO domain.
package vcenter

import (
	"context"
	"crypto/sha1" //nolint:gosec // vSphere still prints SHA-1 thumbprints; the caller chooses
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/soap"
)

// Config says how to reach one vCenter. Only Server is required.
type Config struct {
	Server     string                                             // name that the certificate is checked against
	Port       int                                                // default 443
	Address    string                                             // host:port to dial instead of Server:Port
	RootCAs    []byte                                             // PEM; default the system's roots
	Thumbprint string                                             // SHA-256 or SHA-1 of the leaf, AA:BB:..; replaces the check of roots and names
	Insecure   bool                                               // no check at all
	Parallel   int                                                // requests at once of all sessions of a Run; default 64, more than the largest step of a verify has. Fewer where many vCenters are at work, see Run
	Timeout    time.Duration                                      // of one request with its retries; default 60 s
	Retries    []time.Duration                                    // pauses between attempts; default 0.1, 0.4 and 1.5 s
	TLSCache   tls.ClientSessionCache                             // shared by the sessions of one vCenter, it saves handshakes; default one of its own
	Pause      func(context.Context, time.Duration) error         // lets time pass between attempts; default the function Pause
	Trace      func(method string, took time.Duration, err error) // method names only; never bodies
	Discover   bool                                               // have Connect ask the lookup service at the same time; see Session.Discover
	Run        *Run                                               // shared by all sessions of a run; default one of its own
}

func (c Config) withDefaults() Config {
	if c.Port == 0 {
		c.Port = 443
	}
	if c.Parallel <= 0 {
		c.Parallel = 64
	}
	if c.Timeout <= 0 {
		c.Timeout = time.Minute
	}
	if c.Run == nil {
		c.Run = &Run{}
	}
	if c.Pause == nil {
		c.Pause = Pause
	}
	if c.Retries == nil {
		c.Retries = []time.Duration{100 * time.Millisecond, 400 * time.Millisecond, 1500 * time.Millisecond}
	}
	return c
}

func (c Config) endpoint() string {
	if c.Port == 443 {
		return strings.TrimSuffix(net.JoinHostPort(c.Server, ""), ":")
	}
	return net.JoinHostPort(c.Server, strconv.Itoa(c.Port))
}

// dialAddress is what is dialled: Address where given.
func (c Config) dialAddress() string {
	if c.Address != "" {
		return c.Address
	}
	return net.JoinHostPort(c.Server, strconv.Itoa(c.Port))
}

// userAgent is what sessions show in a vCenter's list of sessions and in its log.
const userAgent = "ocp-vsphere-admin"

// soapClient builds the HTTP side, without connections of its own. Thumbprints are checked by a TLS hook of our own:
// govmomi's is ignored behind an HTTP proxy and accepts only one spelling.
func (c Config) soapClient() *soap.Client {
	u := &url.URL{Scheme: "https", Host: c.endpoint(), Path: vim25.Path}
	client := soap.NewClient(u, c.Insecure)
	client.Namespace = "urn:" + vim25.Namespace
	client.Version = vim25.Version
	client.UserAgent = userAgent // before it is shared: the client would set its own when it is first used
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client
}

// httpTransport makes the connections of a vCenter. What it begins with is govmomi's.
func (c Config) httpTransport(t *http.Transport) (*http.Transport, error) {
	tlsConfig, err := c.tlsConfig()
	if err != nil {
		return nil, err
	}
	t.TLSClientConfig = tlsConfig
	t.DialTLSContext = nil
	t.MaxIdleConns = 0
	t.MaxResponseHeaderBytes = limitHeader
	if c.Address != "" {
		t.Proxy = nil
		dialer := &net.Dialer{Timeout: 30 * time.Second}
		t.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, c.Address)
		}
	}
	return t, nil
}

func (c Config) tlsConfig() (*tls.Config, error) {
	t := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: c.Insecure} //nolint:gosec // asked for by --insecure
	if t.ClientSessionCache = c.TLSCache; t.ClientSessionCache == nil {
		t.ClientSessionCache = tls.NewLRUClientSessionCache(0)
	}
	if len(c.RootCAs) > 0 {
		t.RootCAs = x509.NewCertPool()
		if !t.RootCAs.AppendCertsFromPEM(c.RootCAs) {
			return nil, errors.New("the CA file contains no PEM certificate")
		}
	}
	if c.Thumbprint != "" && !c.Insecure {
		t.InsecureSkipVerify = true
		t.VerifyConnection = func(state tls.ConnectionState) error {
			leaf := state.PeerCertificates[0]
			if matchThumbprint(leaf, c.Thumbprint) {
				return nil
			}
			return &ThumbprintError{Want: c.Thumbprint, Got: Thumbprint(leaf)}
		}
	}
	return t, nil
}

// ThumbprintError says that the certificate is not the one that was promised.
type ThumbprintError struct{ Want, Got string }

// Error implements error.
func (e *ThumbprintError) Error() string {
	return fmt.Sprintf("the certificate's thumbprint is %s, not %s", e.Got, e.Want)
}

// Thumbprint is the SHA-256 of a certificate as vSphere prints it: AA:BB:..
func Thumbprint(cert *x509.Certificate) string {
	sum := sha256.Sum256(cert.Raw)
	return colons(sum[:])
}

// matchThumbprint compares with a SHA-256 or SHA-1 thumbprint, whatever its case and separators.
func matchThumbprint(cert *x509.Certificate, thumbprint string) bool {
	bare := func(s string) string {
		return strings.ToUpper(strings.NewReplacer(":", "", " ", "", "-", "").Replace(s))
	}
	old := sha1.Sum(cert.Raw) //nolint:gosec // see above
	want := bare(thumbprint)
	return want == bare(Thumbprint(cert)) || want == bare(colons(old[:]))
}

func colons(sum []byte) string {
	parts := make([]string, len(sum))
	for i, b := range sum {
		parts[i] = fmt.Sprintf("%02X", b)
	}
	return strings.Join(parts, ":")
}
