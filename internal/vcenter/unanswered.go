package vcenter

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
)

// interruptedError is context.Canceled in a word for people.
type interruptedError struct{}

// Error implements error.
func (interruptedError) Error() string { return "interrupted" }

// Is makes it context.Canceled for errors.Is.
func (interruptedError) Is(target error) bool { return target == context.Canceled }

// Ended is why a context ended, in words for people; its error is context.Canceled after an
// interrupt. It is nil while the context lives.
func Ended(ctx context.Context) error {
	if err := ctx.Err(); !errors.Is(err, context.Canceled) {
		return err
	}
	return interruptedError{}
}

// unansweredError is a request without an answer, in words that are equal for equal causes:
// net/http adds the method, the URL and the local port.
type unansweredError struct{ words, cause error }

// Error implements error.
func (e *unansweredError) Error() string { return e.words.Error() }

// Unwrap gives errors.Is and errors.As both what is said and what happened.
func (e *unansweredError) Unwrap() []error { return []error{e.words, e.cause} }

// unanswered rewrites the failure of an exchange; it keeps answers of a vCenter as they are.
func (c Config) unanswered(err error) error {
	if err == nil {
		return nil
	}
	if already, ok := errors.AsType[*unansweredError](err); ok {
		return already
	}
	words := c.inWords(err)
	if words == nil {
		return err
	}
	return &unansweredError{words, err}
}

// inWords says why a request got no answer, with a remedy; nil if it got one.
func (c Config) inWords(err error) error {
	var certificate *tls.CertificateVerificationError
	var promised *ThumbprintError
	var plain tls.RecordHeaderError
	var dns *net.DNSError
	var op *net.OpError
	var sent *url.Error
	var refused proxyError
	address := c.withDefaults().dialAddress()
	switch {
	case errors.Is(err, context.Canceled):
		return interruptedError{}
	case errors.As(err, &refused):
		return hint.Errorf(refused.way()+", or except this vCenter from it: NO_PROXY="+c.Server, "%w: %w", ErrUnreached, refused)
	case errors.As(err, &op) && op.Op == "proxyconnect":
		return hint.Errorf("correct HTTPS_PROXY, or except this vCenter from it: NO_PROXY="+c.Server,
			"%w through the proxy of HTTPS_PROXY: %w", ErrUnreached, bare(op.Err))
	case errors.As(err, &certificate) && len(certificate.UnverifiedCertificates) > 0:
		return c.untrusted(certificate)
	case errors.As(err, &plain):
		return hint.Errorf("is "+address+" its https port, and is there no proxy between?",
			"%w: %s answers without TLS", ErrUnreached, address)
	case errors.As(err, &promised):
		return hint.Wrap(fmt.Errorf("%w: %w", ErrUntrusted, promised),
			"the certificate was renewed, or the connection is intercepted; compare it before you trust the new one")
	case errors.As(err, &dns) && !dns.IsNotFound:
		return hint.Errorf("do the name servers answer? Else set an address with --connect-to "+c.Server+"=HOST:PORT",
			"%w: its name cannot be looked up: %s", ErrUnreached, dns.Err)
	case errors.As(err, &dns):
		return hint.Errorf("check the name, or set an address with --connect-to "+c.Server+"=HOST:PORT",
			"%w: %s", ErrUnreached, "no such host")
	case errors.As(err, &op) && op.Op == "dial":
		return hint.Errorf("is "+address+" open from here, past firewalls and proxies?",
			"%w at %s: %w", ErrUnreached, address, bare(op.Err))
	case strings.Contains(strings.ToLower(err.Error()), "but have <html>"):
		return hint.Errorf("something other than a vCenter answers there, perhaps a firewall or a proxy",
			"answered with a web page instead of SOAP")
	case errors.Is(err, context.DeadlineExceeded):
		return c.late()
	case errors.As(err, &op):
		return fmt.Errorf("the connection broke: %w", bare(op.Err))
	case errors.As(err, &sent) && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)):
		return errors.New("the connection was closed before an answer came")
	case errors.As(err, &sent):
		return sent.Err
	}
	return nil
}

// proxyError is a proxy that makes no connection to a vCenter.
type proxyError struct {
	proxy  string // host:port
	status int
}

// Error implements error.
func (p proxyError) Error() string {
	return fmt.Sprintf("the proxy %s answers HTTP %d (%s)", p.proxy, p.status, http.StatusText(p.status))
}

func (p proxyError) way() string {
	switch p.status {
	case http.StatusProxyAuthRequired:
		return "write the proxy's user and password into HTTPS_PROXY"
	case http.StatusForbidden:
		return "have the proxy let this vCenter through"
	}
	return "correct HTTPS_PROXY"
}

// untrusted says what is wrong with a certificate. One with other names may be another vCenter's, so
// trusting its thumbprint is no way out.
func (c Config) untrusted(certificate *tls.CertificateVerificationError) error {
	leaf := certificate.UnverifiedCertificates[0]
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	trust := "compare the thumbprint with vCenter's own and trust it: --thumbprint " + c.Server + "=" + Thumbprint(leaf)
	switch {
	case errors.As(certificate.Err, &name):
		names := leaf.DNSNames
		for _, ip := range leaf.IPAddresses {
			names = append(names, ip.String())
		}
		if len(names) == 0 {
			return hint.Errorf("have a certificate made with its name", "%w: it has no name, so not %s", ErrUntrusted, c.Server)
		}
		short := slices.IndexFunc(names, func(n string) bool {
			return strings.HasPrefix(strings.ToLower(n), strings.ToLower(c.Server)+".")
		})
		switch {
		case net.ParseIP(c.Server) != nil && len(leaf.DNSNames) > 0:
			to := leaf.DNSNames[0] + "=" + c.withDefaults().dialAddress()
			return hint.Errorf("write the name of the certificate as server; where it leads nowhere: --connect-to "+to,
				"%w: it is for %s, not for the address %s", ErrUntrusted, lists.Few(names), c.Server)
		case short >= 0:
			return hint.Errorf("write the whole name, as the cluster does: "+names[short],
				"%w: it is for %s, of which %s is the short name", ErrUntrusted, names[short], c.Server)
		}
		return hint.Errorf("if that is this vCenter, write that name instead, as the cluster does; if not, "+c.Server+" leads to another one: check the name, or --connect-to",
			"%w: it is for %s, not for %s", ErrUntrusted, lists.Few(names), c.Server)
	case errors.As(certificate.Err, &invalid) && invalid.Reason == x509.Expired:
		return hint.Wrap(fmt.Errorf("%w: it is valid from %s to %s, and here it is %s", ErrUntrusted, day(leaf.NotBefore), day(leaf.NotAfter), day(time.Now())),
			"renew it on the vCenter, or correct this machine's clock", "until then: "+trust)
	}
	if proxy, err := http.ProxyFromEnvironment(&http.Request{URL: &url.URL{Scheme: "https", Host: c.endpoint()}}); err == nil &&
		proxy != nil && c.Address == "" {
		return hint.Wrap(fmt.Errorf("%w: %w", ErrUntrusted, certificate.Err), "the proxy "+proxy.Host+" may intercept the connection: except this vCenter from it: NO_PROXY="+c.Server, "or pass its CA with --cacert FILE", "or "+trust)
	}
	return hint.Wrap(fmt.Errorf("%w: %w", ErrUntrusted, certificate.Err), "pass its CA with --cacert FILE", "or "+trust)
}

func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// late is a vCenter that took too long.
func (c Config) late() error {
	return hint.Errorf("allow more time with --timeout", "did not answer within %s", c.withDefaults().Timeout)
}

// arrived reports whether a request that failed may have reached the vCenter all the same.
func (c Config) arrived(err error) bool {
	err = c.unanswered(err)
	return !errors.Is(err, ErrUnreached) && !errors.Is(err, ErrUntrusted) && !errors.Is(err, context.Canceled)
}

// bare is an error of the system without the name of the call that it came from.
func bare(err error) error {
	if call, ok := err.(*os.SyscallError); ok { //nolint:errorlint // the outermost only
		return call.Err
	}
	return err
}

// Unanswered reports whether a request got no answer, or was not sent after an interrupt, so that
// its outcome is unknown.
func Unanswered(err error) bool {
	_, ok := errors.AsType[*unansweredError](err)
	return ok || errors.Is(err, context.Canceled)
}

// Join is errors.Join of parallel requests to this vCenter; equal causes of missing answers are
// said once.
func (s *Session) Join(errs ...error) error {
	times := map[string]int{}
	words := make([]string, len(errs))
	for i, err := range errs {
		if none, ok := errors.AsType[*unansweredError](err); ok {
			words[i] = none.Error()
			times[words[i]]++
		}
	}
	var all []error
	for i, err := range errs {
		switch n := times[words[i]]; {
		case words[i] == "" || n == 1:
			all = append(all, err)
		case n > 1:
			all = append(all, s.explain(err))
			times[words[i]] = 0
		}
	}
	return errors.Join(all...)
}
