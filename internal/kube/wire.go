package kube

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientauth "k8s.io/client-go/pkg/apis/clientauthentication/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/program"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// Bounds of one request to the API server with its retries. An object of etcd has 1.5 MiB at most.
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

// lists is for a large cluster, with 30 MiB of secrets and more if Helm keeps releases in them.
var lists = limits{5 * time.Minute, 128 << 20, 2000}

// wire is HTTP for all requests to one API server. It follows no redirect, which would leak secrets
// and the token, and bounds the answers.
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
	// client-go logs errors of reads
	whole, err := io.ReadAll(io.LimitReader(res.Body, of.most-of.had+1))
	if of.had += int64(len(whole)); of.had > of.most {
		err = tooLargeError(of.most)
	}
	if err := cmp.Or(err, req.Context().Err()); err != nil { // an answer to what we cut is none
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

// call runs an operation, after a plug-in's login if needed, with bounds of time and bytes. Its
// error is why there was no answer, or what the API server says, without secrets.
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

// login is a kubeconfig's login program. client-go would run it without a deadline.
type login struct {
	*api.ExecConfig
	info   *clientauth.Cluster // what it is told of the cluster; nil = nothing
	within time.Duration       // how long it may take; a person may log in with a browser
	talk   io.Writer           // where what it says goes; nil = it is dropped
}

// limitLogin is how many bytes a plug-in may print.
const limitLogin = 1 << 20

// newLogin takes the plug-in out of a configuration; nil where there is none.
func newLogin(config *rest.Config) (*login, error) {
	l := &login{ExecConfig: config.ExecProvider, within: 2 * time.Minute}
	switch {
	case l.ExecConfig == nil || config.BearerToken != "" || config.Username != "" ||
		config.CertFile != "" || config.CertData != nil:
		config.ExecProvider = nil // as client-go has it
		return nil, nil           //nolint:nilnil // none is a fine answer
	case l.InteractiveMode == api.AlwaysExecInteractiveMode:
		return nil, fmt.Errorf("login plug-in %s asks on the terminal, which it does not get: use a kubeconfig with a token", l.Command)
	case l.ProvideClusterInfo:
		of, err := rest.ConfigToExecCluster(config)
		if err != nil {
			return nil, err
		}
		l.info = &clientauth.Cluster{
			Server: of.Server, TLSServerName: of.TLSServerName, InsecureSkipTLSVerify: of.InsecureSkipTLSVerify, ProxyURL: of.ProxyURL,
			CertificateAuthorityData: of.CertificateAuthorityData, Config: runtime.RawExtension{Object: of.Config},
		}
	}
	config.ExecProvider = nil
	return l, nil
}

// run runs the plug-in in a group of its own, without terminal and without our variables for
// vCenter. Errors repeat neither its output nor its arguments.
func (l *login) run(ctx context.Context) (*clientauth.ExecCredentialStatus, error) {
	path, err := program.Find(l.Command)
	if err != nil {
		return nil, err
	}
	asked, err := json.Marshal(clientauth.ExecCredential{
		TypeMeta: metav1.TypeMeta{APIVersion: l.APIVersion, Kind: "ExecCredential"}, Spec: clientauth.ExecCredentialSpec{Cluster: l.info},
	})
	if err != nil {
		return nil, err
	}
	env := []string{"KUBERNETES_EXEC_INFO=" + string(asked)}
	for _, v := range l.Env {
		env = append(env, v.Name+"="+v.Value)
	}
	out := &program.Limited{Most: limitLogin}
	err = program.Command{Path: path, Args: l.Args, Env: env, Out: out, Err: l.talk, Patience: l.within, Grace: program.Grace}.Run(ctx)
	var answer clientauth.ExecCredential
	switch {
	case out.Over:
		return nil, fmt.Errorf("%s: its output is larger than %d bytes", path, out.Most)
	case err != nil:
		return nil, err
	case json.Unmarshal(out.Text, &answer) != nil || answer.Kind != "ExecCredential" ||
		answer.APIVersion != l.APIVersion || answer.Status == nil:
		return nil, fmt.Errorf("%s: its output is not an ExecCredential of %s as JSON", path, l.APIVersion)
	case answer.Status.Token == "" &&
		(answer.Status.ClientCertificateData == "" || answer.Status.ClientKeyData == ""):
		return nil, errors.New(path + ": its output has neither a token nor a certificate with its key")
	}
	return answer.Status, nil
}
