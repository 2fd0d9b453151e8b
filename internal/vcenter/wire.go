package vcenter

import (
	gobytes "bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/vmware/govmomi/vim25/soap"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
)

// Bounds of an answer in bytes, decompressed. The widest question, all names and places, gets 25
// MiB from a vCenter of the largest supported size (45,000 registered virtual machines, VMware
// Configuration Maximums). The lookup service of 15 linked vCenters, the maximum, sends about 3
// MiB; a token is a few KiB with a large chain of certificates; a web page is no answer.
const (
	limitAnswer = 64 << 20
	limitLookup = 16 << 20
	limitToken  = 1 << 20
	limitPage   = 64 << 10
	limitHeader = 1 << 20
)

// tooLargeError says that an answer was cut off. The number is of bytes.
type tooLargeError int64

// Error implements error.
func (e tooLargeError) Error() string {
	return fmt.Sprintf("the answer is larger than %s and was not read to the end", bytes(int64(e)))
}

// Hints are the remedies, as package hint has them.
func (tooLargeError) Hints() []string {
	return []string{"too large for a vCenter: check that a vCenter answers at this address"}
}

// wire is HTTP below the SOAP of one service: it bounds answers and hides passwords in them.
type wire struct {
	inner  http.RoundTripper
	limit  int64  // bytes of an answer, decompressed
	config Config // its Timeout counts for an exchange: REST has no other deadline
	hidden *hidden

	answers *sync.Pool // of *bytes.Buffer, for all vCenters of a run: it reads thousands of answers
}

// service is a client of another service on the same vCenter.
func (s *Session) service(path, namespace, version string, limit int64) *soap.Client {
	c := s.soap.NewServiceClient(path, namespace)
	c.Version = version
	s.tap(c, limit)
	return c
}

// tap puts the wire between a client and its connections.
func (s *Session) tap(c *soap.Client, limit int64) {
	c.Transport = &wire{inner: s.line.transport, limit: limit, config: s.config, hidden: s.hidden, answers: &s.config.Run.answers}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
}

// statusKey is where a request's context has an *int for the HTTP status of its answer.
type statusKey struct{}

// RoundTrip implements http.RoundTripper.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	req, err := sized(req)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(req.Context(), w.config.Timeout)
	defer stop()
	res, err := w.read(req.WithContext(ctx))
	if err != nil && req.Context().Err() == nil && ctx.Err() != nil {
		err = w.config.late()
	}
	return res, err
}

// read sends a request and reads the answer to its end.
func (w *wire) read(req *http.Request) (*http.Response, error) {
	res, err := w.inner.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if status, ok := req.Context().Value(statusKey{}).(*int); ok {
		*status = res.StatusCode
	}
	if res.Status != fmt.Sprintf("%d %s", res.StatusCode, http.StatusText(res.StatusCode)) {
		res.Status = w.hidden.Text(res.Status)
	}
	limit := w.limit
	if strings.Contains(strings.ToLower(res.Header.Get("Content-Type")), "html") {
		limit = limitPage
	}
	whole, ok := w.answers.Get().(*gobytes.Buffer)
	if !ok {
		whole = &gobytes.Buffer{}
	}
	_, err = whole.ReadFrom(io.LimitReader(res.Body, limit+1)) // too large: not decoded
	_ = res.Body.Close()
	if int64(whole.Len()) > limit {
		err = tooLargeError(limit)
	}
	// A server answers a connection that we cut, too: with nothing, and HTTP 200.
	if err := cmp.Or(err, req.Context().Err()); err != nil {
		return nil, err
	}
	nameFault(req.Context(), res.StatusCode, whole.Bytes())
	if c, ok := req.Context().Value(cutKey{}).(cutter); ok {
		c.cut(whole)
	}
	res.Body = &answer{Buffer: whole, pool: w.answers}
	return res, nil
}

// sized is a request with its length, instead of chunks of 32 KiB.
func sized(req *http.Request) (*http.Request, error) {
	if req.Body == nil || req.ContentLength > 0 {
		return req, nil
	}
	text, err := io.ReadAll(req.Body)
	_ = req.Body.Close()
	if err != nil {
		return nil, err
	}
	req = req.WithContext(req.Context()) // a copy: a round tripper leaves what it is given
	req.Body, req.ContentLength = io.NopCloser(gobytes.NewReader(text)), int64(len(text))
	return req, nil
}

// mostPooled is the largest buffer to keep, in bytes; a vCenter's privileges fit.
const mostPooled = 512 << 10

// answer is an answer that was read whole, byte by byte for a decoder, which buffers others again.
// Its buffer is used again once it is closed.
type answer struct {
	*gobytes.Buffer
	pool *sync.Pool
}

// Close implements io.Closer.
func (a *answer) Close() error {
	whole := a.Buffer
	if a.Buffer = (&gobytes.Buffer{}); whole.Cap() <= mostPooled {
		whole.Reset()
		a.pool.Put(whole)
	}
	return nil
}

// errUnanswered is not a fault: the request may have been served.
var errUnanswered = errors.New("the answer contains neither a result nor a fault")

// exchange sends a request once. An answer counts only when it says what became of the request.
func (t *transport) exchange(ctx context.Context, method string, req, res soap.HasFault) error {
	t.hidden.Learn(passwordsOf(req)...)
	status := 0
	ctx = context.WithValue(ctx, statusKey{}, &status)
	if c, ok := ctx.Value(cutterKey{}).(cutter); ok && c.of() == method {
		ctx = context.WithValue(ctx, cutKey{}, c)
	}
	// What the decoder cannot take makes it panic here and there.
	err := readable(crash.Try(func() error { return t.inner.RoundTrip(ctx, req, res) }))
	var large tooLargeError
	switch {
	case errors.As(err, &large):
		err = fmt.Errorf("%s: %w", method, large)
	case err != nil:
	case resultOf(res) == nil:
		err = fmt.Errorf("%s: %w", method, errUnanswered)
	case status != 0 && status != http.StatusOK:
		err = fmt.Errorf("%s: a result with the failure status HTTP %d", method, status)
	}
	return t.hidden.scrubFault(err)
}
