package kube

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// What one request to the API server may take, with what is sent again. An object of etcd has 1.5 MiB at most.
const (
	patience    = 30 * time.Second
	limitAnswer = 16 << 20 // bytes of the answer, decompressed
)

// limits are what a list may take, with all its pages.
type limits struct {
	time  time.Duration
	bytes int64 // decompressed
	pages int
}

// lists has room for a large cluster, which has some 30 MiB of secrets, more where Helm keeps releases in them.
var lists = limits{5 * time.Minute, 128 << 20, 2000}

// wire is HTTP to one API server; each request goes through it. It follows no redirect, which would take secrets and the token
// elsewhere, and bounds the answers.
type wire struct {
	inner  http.RoundTripper
	hidden *secret.Hidden
}

// WrappedRoundTripper has client-go find what cancels requests.
func (w *wire) WrappedRoundTripper() http.RoundTripper { return w.inner }

// budgetKey is where a request's context has the *budget of its operation.
type budgetKey struct{}

// budget is how many bytes the answers to an operation may have, and how many they had.
type budget struct{ most, had int64 }

// RoundTrip implements http.RoundTripper.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	_, token, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	w.hidden.Learn(token)
	res, err := w.inner.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode >= 300 && res.StatusCode <= 399 {
		to, _, _ := strings.Cut(res.Header.Get("Location"), "?") // behind which may be a secret
		return nil, hint.Errorf("correct server: in the kubeconfig: an API server redirects nobody, but a proxy or a login page does",
			"it redirects to %s, which is not followed", to)
	}
	of, ok := req.Context().Value(budgetKey{}).(*budget)
	if !ok {
		of = &budget{most: limitAnswer}
	}
	whole, err := io.ReadAll(io.LimitReader(res.Body, of.most-of.had+1)) // client-go logs what goes wrong while it reads
	if of.had += int64(len(whole)); of.had > of.most {
		err = tooLargeError(of.most)
	}
	if err != nil {
		return nil, err
	}
	read := *res
	read.Body = io.NopCloser(bytes.NewReader(whole))
	return &read, nil
}

// tooLargeError says that an answer was cut off. The number is of bytes.
type tooLargeError int64

// Error implements error.
func (e tooLargeError) Error() string {
	return fmt.Sprintf("it sends more than %d MiB, which was not read to the end", e>>20)
}

// Hints are the remedies, as package hint has them.
func (tooLargeError) Hints() []string {
	return []string{"check that an API server answers at this address, or pass a dump without what is large"}
}

// call logs in where that takes a plug-in, and has an operation, with all the requests that it makes, end within a time and a number
// of bytes. An error is why there was no answer, or what the API server says, without a secret.
func (c *Cluster) call(ctx context.Context, within time.Duration, most int64, operation func(context.Context) error) error {
	err := c.ready(ctx)
	bounds, stop := context.WithTimeout(context.WithValue(ctx, budgetKey{}, &budget{most: most}), within)
	defer stop()
	if err == nil {
		err = operation(bounds)
	}
	sent, unanswered := errors.AsType[*url.Error](err)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case bounds.Err() != nil:
		err = fmt.Errorf("it did not answer within %s", within)
	case unanswered && sent.Timeout():
		err = fmt.Errorf("it did not answer within %s", c.timeout)
	case unanswered: // its method and URL say nothing more
		err = sent.Err
	case apierrors.IsUnauthorized(err):
		c.until = time.Now() // what a plug-in gave is not tried again
	}
	return c.hidden.Scrub(err)
}
