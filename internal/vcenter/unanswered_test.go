package vcenter

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// A request that got no answer says the same as every other one with the same fate: no method, no URL, no port of ours.
func TestUnanswered(t *testing.T) {
	t.Parallel()
	c := Config{Server: "vcenter1.example.com", Address: "192.0.2.1:8443"}
	post := func(err error) error {
		return fmt.Errorf("role x: %w", &url.Error{Op: "Post", URL: "https://vcenter1.example.com/sdk", Err: err})
	}
	call := func(name string, errno syscall.Errno) error { return os.NewSyscallError(name, errno) }
	for name, test := range map[string]struct {
		err  error
		want string
		is   error
	}{
		"dial":        {&net.OpError{Op: "dial", Err: call("connect", syscall.ECONNREFUSED)}, "cannot be reached at 192.0.2.1:8443: connection refused", ErrUnreached},
		"name":        {&net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", IsNotFound: true}}, "cannot be reached: no such host", ErrUnreached},
		"name server": {&net.OpError{Op: "dial", Err: &net.DNSError{Err: "server misbehaving", Name: "vcenter1.example.com", Server: "192.0.2.53:53", IsTemporary: true}}, "cannot be reached: its name cannot be looked up: server misbehaving", ErrUnreached},
		"slow name":   {&net.OpError{Op: "dial", Err: &net.DNSError{Err: "i/o timeout", Name: "vcenter1.example.com", Server: "192.0.2.53:53", IsTimeout: true}}, "cannot be reached: its name cannot be looked up: i/o timeout", ErrUnreached},
		"reset":       {&net.OpError{Op: "read", Source: &net.TCPAddr{Port: 51234}, Err: call("read", syscall.ECONNRESET)}, "the connection broke: connection reset by peer", syscall.ECONNRESET},
		"closed":      {io.EOF, "the connection was closed before an answer came", io.EOF},
		"cut":         {io.ErrUnexpectedEOF, "the connection was closed before an answer came", io.ErrUnexpectedEOF},
		"slow":        {context.DeadlineExceeded, "did not answer within 1m0s", context.DeadlineExceeded},
		"interrupted": {context.Canceled, "interrupted", context.Canceled},
		"busy":        {errors.New("503 Service Unavailable"), "503 Service Unavailable", nil},
	} {
		sent := post(test.err)
		got := c.unanswered(sent)
		if got.Error() != test.want || !errors.Is(got, sent) || test.is != nil && !errors.Is(got, test.is) {
			t.Errorf("%s: %q, want %q, with the cause in it", name, got, test.want)
		}
		if again := c.unanswered(fmt.Errorf("on the way: %w", got)); again.Error() != test.want {
			t.Errorf("%s: put into words again it is %q", name, again)
		}
		if explained := c.explain("somebody", got).Error(); explained != "vcenter1.example.com: "+test.want {
			t.Errorf("%s: explained %q", name, explained)
		}
	}
	for _, answer := range []error{nil, errors.New("role x: exists"), soap.WrapSoapFault(&soap.Fault{String: "no"})} {
		if got := c.unanswered(answer); got != answer { //nolint:errorlint // the very same
			t.Errorf("%v became %v", answer, got)
		}
	}
}

// What several requests to one vCenter say that got no answer is said once; what a single one says keeps what it was about.
func TestJoin(t *testing.T) {
	t.Parallel()
	s := &Session{Server: "vcenter1.example.com", config: Config{Server: "vcenter1.example.com"}, hidden: &hidden{}}
	dead := func(what string) error {
		return fmt.Errorf("%s: %w", what, s.config.unanswered(&url.Error{Op: "Post", URL: "https://x/sdk", Err: io.EOF}))
	}
	const closed = "the connection was closed before an answer came"
	for want, errs := range map[string][]error{
		"vcenter1.example.com: " + closed + "\nnot found": {dead("roles"), nil, dead("permissions"), errors.New("not found"), dead("SSO")},
		"roles: " + closed + "\nnot found":                {dead("roles"), errors.New("not found")},
	} {
		if got := s.Join(errs...); got == nil || got.Error() != want {
			t.Errorf("%v, want %q", got, want)
		}
	}
	if err := s.Join(nil, nil); err != nil {
		t.Error(err)
	}
}

// What is put into words is cleaned as what it came from is.
func TestUnansweredKeepsSecrets(t *testing.T) {
	t.Parallel()
	const word = "Corr3ct-Horse"
	h := &hidden{}
	h.Learn(word)
	broken := exchanger(func() error {
		return &url.Error{Op: "Post", URL: "https://x/sdk", Err: errors.New("malformed: " + word)}
	})
	tr := &transport{inner: broken, config: Config{Server: "vcenter1.example.com"}.withDefaults(), slots: make(chan struct{}, 1), hidden: h}
	err := tr.RoundTrip(t.Context(), &methods.CurrentTimeBody{}, &methods.CurrentTimeBody{})
	if err == nil || !strings.HasPrefix(err.Error(), "malformed: ") || strings.Contains(err.Error(), word) {
		t.Errorf("%v", err)
	}
}

// exchanger fails every request.
type exchanger func() error

func (e exchanger) RoundTrip(context.Context, soap.HasFault, soap.HasFault) error { return e() }

// A certificate of another name, an expired one and plain http each have their own words; the
// thumbprint of one with other names is never offered.
func TestUntrusted(t *testing.T) {
	t.Parallel()
	c := Config{Server: "vcenter1", Address: "192.0.2.1:443"}
	from := time.Date(2020, 1, 2, 3, 0, 0, 0, time.UTC)
	whole := &x509.Certificate{DNSNames: []string{"other.example.com", "VCenter1.example.com"}}
	leaf := &x509.Certificate{DNSNames: []string{"vcenter2.example.com"}, IPAddresses: []net.IP{net.IPv4(192, 0, 2, 2)}, NotBefore: from, NotAfter: from.AddDate(1, 0, 0)}
	bad := func(leaf *x509.Certificate, err error) error {
		return &url.Error{Op: "Post", URL: "https://vcenter1/sdk", Err: &tls.CertificateVerificationError{UnverifiedCertificates: []*x509.Certificate{leaf}, Err: err}}
	}
	for name, test := range map[string]struct {
		err       error
		want      string
		hints     []string
		trustable bool
	}{
		"another name": {bad(leaf, x509.HostnameError{Certificate: leaf, Host: "vcenter1"}), "certificate is not trusted: it is for vcenter2.example.com, 192.0.2.2, not for vcenter1", []string{"if that is this vCenter, write that name instead"}, false},
		"short name":   {bad(whole, x509.HostnameError{Certificate: whole, Host: "vcenter1"}), "certificate is not trusted: it is for VCenter1.example.com, of which vcenter1 is the short name", []string{"write the whole name, as the cluster does: VCenter1.example.com"}, false},
		"proxy":        {&url.Error{Err: proxyError{"proxy:3128", 407}}, "cannot be reached: the proxy proxy:3128 answers HTTP 407 (Proxy Authentication Required)", []string{"write the proxy's user and password into HTTPS_PROXY, or except this vCenter from it: NO_PROXY=vcenter1"}, false},
		"no name":      {bad(&x509.Certificate{}, x509.HostnameError{Certificate: &x509.Certificate{}, Host: "vcenter1"}), "certificate is not trusted: it has no name, so not vcenter1", []string{"have a certificate made"}, false},
		"expired":      {bad(leaf, x509.CertificateInvalidError{Cert: leaf, Reason: x509.Expired}), "certificate is not trusted: it is valid from 2020-01-02 to 2021-01-02, and here it is ", []string{"renew it on the vCenter", "until then: compare the thumbprint"}, true},
		"another CA":   {bad(leaf, x509.UnknownAuthorityError{Cert: leaf}), "certificate is not trusted: x509: certificate signed by unknown authority", []string{"pass its CA with --cacert FILE", "or compare the thumbprint"}, true},
		"plain http":   {&url.Error{Err: tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake"}}, "cannot be reached: 192.0.2.1:443 answers without TLS", []string{"is 192.0.2.1:443 its https port"}, false},
	} {
		got := c.unanswered(test.err)
		var h *hint.Error
		if !errors.As(got, &h) || !strings.HasPrefix(got.Error(), test.want) || len(h.Hints()) != len(test.hints) {
			t.Errorf("%s: %q", name, got)
			continue
		}
		for i, want := range test.hints {
			if !strings.HasPrefix(h.Hints()[i], want) {
				t.Errorf("%s: hint %q, want %q", name, h.Hints()[i], want)
			}
		}
		if strings.Contains(strings.Join(h.Hints(), " "), "--thumbprint") != test.trustable {
			t.Errorf("%s: %q", name, h.Hints())
		}
	}
}

// A certificate with names is said with the name to write, where the file has an address.
func TestAddressInPlaceOfName(t *testing.T) {
	t.Parallel()
	leaf := &x509.Certificate{DNSNames: []string{"vcenter1.example.com"}}
	err := Config{Server: "192.0.2.1"}.unanswered(&tls.CertificateVerificationError{
		UnverifiedCertificates: []*x509.Certificate{leaf}, Err: x509.HostnameError{Certificate: leaf, Host: "192.0.2.1"},
	})
	var h *hint.Error
	if !errors.As(err, &h) || err.Error() != "certificate is not trusted: it is for vcenter1.example.com, not for the address 192.0.2.1" ||
		!strings.HasSuffix(h.Hints()[0], "--connect-to vcenter1.example.com=192.0.2.1:443") {
		t.Errorf("%v %v", err, h)
	}
}
