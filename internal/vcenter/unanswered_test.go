package vcenter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/soap"
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
