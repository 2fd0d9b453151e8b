package kube

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientauth "k8s.io/client-go/pkg/apis/clientauthentication/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/program"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// A plug-in may have a person log in with a browser.
const (
	patienceLogin = 2 * time.Minute
	limitLogin    = 1 << 20 // bytes of its output
)

// login is the program that a kubeconfig names for logging in, run as client-go runs it, but with an end, as a group of its own, without
// the terminal and without what our environment has for vCenter. nil = none is needed.
type login struct {
	exec   *api.ExecConfig
	info   *clientauth.Cluster // what it is told of the cluster; nil = nothing
	hidden *secret.Hidden
	within time.Duration
	talk   io.Writer // where what it says goes; nil = it is dropped

	mu    sync.Mutex
	token string
	cert  *tls.Certificate
	until time.Time // zero = it does not end
	known bool
}

// newLogin takes the plug-in out of a configuration; nil where there is none.
func newLogin(config *rest.Config, hidden *secret.Hidden) (*login, error) {
	exec := config.ExecProvider
	if exec == nil {
		return nil, nil //nolint:nilnil // none is a fine answer
	}
	l := &login{exec: exec, hidden: hidden, within: patienceLogin}
	if v := exec.APIVersion; v != clientauth.SchemeGroupVersion.String() && v != "client.authentication.k8s.io/v1beta1" {
		return nil, fmt.Errorf("login plug-in %s: apiVersion %q is unknown", exec.Command, v)
	}
	if exec.InteractiveMode == api.AlwaysExecInteractiveMode {
		return nil, fmt.Errorf("login plug-in %s asks on the terminal, which it does not get: use a kubeconfig with a token", exec.Command)
	}
	if exec.ProvideClusterInfo {
		of, err := rest.ConfigToExecCluster(config)
		if err != nil {
			return nil, err
		}
		l.info = &clientauth.Cluster{
			Server: of.Server, TLSServerName: of.TLSServerName, InsecureSkipTLSVerify: of.InsecureSkipTLSVerify,
			CertificateAuthorityData: of.CertificateAuthorityData, ProxyURL: of.ProxyURL, DisableCompression: of.DisableCompression,
			Config: runtime.RawExtension{Object: of.Config},
		}
	}
	config.ExecProvider = nil
	return l, nil
}

// ready runs the plug-in, unless what it gave still counts.
func (l *login) ready(ctx context.Context) error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known && (l.until.IsZero() || time.Now().Before(l.until)) {
		return nil
	}
	status, err := l.run(ctx)
	if err != nil {
		return fmt.Errorf("login plug-in %w", err)
	}
	l.known, l.token, l.until, l.cert = true, status.Token, time.Time{}, nil
	if status.ExpirationTimestamp != nil {
		l.until = status.ExpirationTimestamp.Time
	}
	if status.ClientCertificateData != "" {
		pair, err := tls.X509KeyPair([]byte(status.ClientCertificateData), []byte(status.ClientKeyData))
		if err != nil {
			return fmt.Errorf("login plug-in %s: its certificate and key are none", l.exec.Command)
		}
		l.cert = &pair
	}
	return nil
}

// run runs the plug-in. No error has what it wrote.
func (l *login) run(ctx context.Context) (*clientauth.ExecCredentialStatus, error) {
	path, err := program.Find(l.exec.Command)
	if err != nil {
		return nil, err
	}
	asked, err := json.Marshal(clientauth.ExecCredential{
		TypeMeta: metav1.TypeMeta{APIVersion: l.exec.APIVersion, Kind: "ExecCredential"}, Spec: clientauth.ExecCredentialSpec{Cluster: l.info},
	})
	if err != nil {
		return nil, err
	}
	env := []string{"KUBERNETES_EXEC_INFO=" + string(asked)}
	for _, v := range l.exec.Env {
		env = append(env, v.Name+"="+v.Value)
	}
	out := &program.Limited{Most: limitLogin}
	err = program.Command{
		Path: path, Args: l.exec.Args, Env: env, Out: out, Err: l.talk, Patience: l.within, Grace: program.Grace,
	}.Run(ctx)
	var answer clientauth.ExecCredential
	switch {
	case out.Over:
		return nil, fmt.Errorf("%s: its output is larger than %d bytes", path, out.Most)
	case err != nil:
		return nil, err
	case json.Unmarshal(out.Text, &answer) != nil || answer.Kind != "ExecCredential" || answer.Status == nil:
		return nil, errors.New(path + ": its output is no ExecCredential as JSON")
	case answer.APIVersion != l.exec.APIVersion:
		return nil, fmt.Errorf("%s: its output is not of apiVersion %s, as the kubeconfig has it", path, l.exec.APIVersion)
	case answer.Status.Token == "" && (answer.Status.ClientCertificateData == "" || answer.Status.ClientKeyData == ""):
		return nil, errors.New(path + ": its output has neither a token nor a certificate with its key")
	}
	return answer.Status, nil
}

// sign gives a request the token of the plug-in.
func (l *login) sign(req *http.Request) (_ *http.Request, token string) {
	if l == nil {
		return req, ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.token != "" {
		req = req.Clone(req.Context())
		req.Header.Set("Authorization", "Bearer "+l.token)
	}
	return req, l.token
}

// forget has the plug-in run again before the next operation: what it gave was refused.
func (l *login) forget(token string) {
	if l != nil {
		l.mu.Lock()
		l.known = l.known && l.token != token
		l.mu.Unlock()
	}
}

// certificate is what the plug-in gave; nil = none.
func (l *login) certificate() (*tls.Certificate, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cert, nil
}
