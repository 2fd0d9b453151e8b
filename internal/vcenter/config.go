// Package vcenter is a session on one vCenter: TLS, login, SSO token, retries, inventory paths and
// the identity of its SSO domain.
package vcenter

import (
	"context"
	"crypto/fips140"
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
	Server     string                                             // name in the certificate
	Port       int                                                // default 443
	Address    string                                             // host:port to dial instead of Server:Port
	RootCAs    []byte                                             // PEM; default the system's roots
	Thumbprint string                                             // SHA-256 or SHA-1 of the leaf; replaces roots and names
	Insecure   bool                                               // no check at all
	Parallel   int                                                // requests at once of a Run; default 64, fewer for many vCenters
	Timeout    time.Duration                                      // of one request with its retries; default 60 s
	Retries    []time.Duration                                    // pauses between attempts; default 0.1, 0.4 and 1.5 s
	TLSCache   tls.ClientSessionCache                             // default one of its own
	Pause      func(context.Context, time.Duration) error         // between attempts; default Pause
	Trace      func(method string, took time.Duration, err error) // method names only; never bodies
	Discover   bool                                               // Connect also calls Session.Discover
	Run        *Run                                               // shared by sessions; default one of its own
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

// soapClient builds the HTTP client without connections. We check thumbprints ourselves: govmomi
// ignores them behind an HTTP proxy and accepts only one spelling.
func (c Config) soapClient() *soap.Client {
	u := &url.URL{Scheme: "https", Host: c.endpoint(), Path: vim25.Path}
	client := soap.NewClient(u, c.Insecure)
	client.Namespace = "urn:" + vim25.Namespace
	client.Version = vim25.Version
	client.UserAgent = userAgent // before its first use
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
	t.OnProxyConnectResponse = func(_ context.Context, proxy *url.URL, _ *http.Request, res *http.Response) error {
		if res.StatusCode == http.StatusOK {
			return nil
		}
		return proxyError{proxy.Host, res.StatusCode}
	}
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
	want := bare(thumbprint)
	if len(want) != 2*sha1.Size || fips140.Enforced() { // as GODEBUG=fips140=only has it
		return want == bare(Thumbprint(cert))
	}
	old := sha1.Sum(cert.Raw) //nolint:gosec // see above
	return want == bare(colons(old[:]))
}

func colons(sum []byte) string {
	parts := make([]string, len(sum))
	for i, b := range sum {
		parts[i] = fmt.Sprintf("%02X", b)
	}
	return strings.Join(parts, ":")
}

// line is the connections to one vCenter. Sessions of a run share them, because each connection
// costs a TLS handshake.
type line struct {
	run       *Run
	key       lineKey
	transport *http.Transport
	slots     chan struct{} // one for each request at work, of whichever session
	sessions  int           // that use it; Run.mu guards it
	about     serviceInfo
}

// lineKey is all that connections depend on, such as the trusted certificates.
type lineKey struct {
	endpoint, address, thumbprint string
	insecure                      bool
	roots                         [sha256.Size]byte
	parallel                      int
}

// line gives the connections of a vCenter; leave gives them back.
func (r *Run) line(c Config, begin *http.Transport) (*line, error) {
	key := lineKey{c.endpoint(), c.dialAddress(), c.Thumbprint, c.Insecure, sha256.Sum256(c.RootCAs), c.Parallel}
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.lines[key]
	if l == nil {
		t, err := c.httpTransport(begin)
		if err != nil {
			return nil, err
		}
		l = &line{run: r, key: key, transport: t, slots: make(chan struct{}, r.requests(c.Parallel))}
		t.MaxIdleConnsPerHost = cap(l.slots) + spare
		t.MaxConnsPerHost = t.MaxIdleConnsPerHost // else requests open more
		if r.lines == nil {
			r.lines = map[lineKey]*line{}
		}
		r.lines[key] = l
	}
	l.sessions++
	return l, nil
}

// leave closes idle connections after the last session.
func (l *line) leave() {
	l.run.mu.Lock()
	defer l.run.mu.Unlock()
	if l.sessions--; l.sessions == 0 {
		delete(l.run.lines, l.key)
		l.transport.CloseIdleConnections()
	}
}

// Requests at once to all vCenters together, and at least to one. Each takes a connection: a TLS
// handshake, two goroutines and some 60 KiB. One vCenter alone gets what its largest step has; with
// 32, connections cost most, and a request that waits behind another keeps no vCenter idle.
const (
	mostRequests   = 256
	fewestRequests = 8
)

// spare connections are for logins within a request and for the lookup service, which have no slot.
const spare = 2

// requests is how many go to one vCenter at once.
func (r *Run) requests(parallel int) int {
	return min(parallel, max(fewestRequests, mostRequests/max(1, r.VCenters)))
}
