package vcenter

import (
	"context"
	"io"
	"net/http"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
)

// faultKey is where a request's context has a *string for the type of the fault that answers it.
type faultKey struct{}

// WithFaultName returns a context whose calls write the type of the fault that answers them into name, as the vCenter
// spells it and without its prefix: SsoFaultInvalidPrincipalFault. It is "" after an answer without a typed fault. The
// types that govmomi does not know leave no other trace; whoever decides by a known one uses package fault.
func WithFaultName(ctx context.Context, name *string) context.Context {
	return context.WithValue(ctx, faultKey{}, name)
}

// faultType finds the type of the first element of a fault's detail.
var faultType = pattern.Of(`<(?:[\w.-]+:)?detail[^>]*>\s*<[^>]*?\s(?:[\w.-]+:)?type="(?:[\w.-]+:)?(\w+)"`)

// nameFault tells whoever asked for it which fault an answer holds.
func nameFault(ctx context.Context, status int, answer []byte) {
	name, ok := ctx.Value(faultKey{}).(*string)
	if !ok {
		return
	}
	*name = ""
	if status == http.StatusOK {
		return
	}
	if m := faultType().FindSubmatch(answer); m != nil {
		*name = string(m[1])
	}
}

// Status sends a request for a path of the vCenter, which may have a query, without credentials and returns the HTTP status: 401 where something is served to
// those who log in, 404 where nothing is.
func (s *Session) Status(ctx context.Context, method, path string) (int, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, s.URL("")+path, http.NoBody)
	if err != nil {
		return 0, err
	}
	req.Header.Set("User-Agent", userAgent)
	res, err := s.line.transport.RoundTrip(req)
	if err != nil {
		return 0, s.explain(err)
	}
	defer func() { _ = res.Body.Close() }()
	_, err = io.Copy(io.Discard, io.LimitReader(res.Body, limitPage))
	return res.StatusCode, err
}
