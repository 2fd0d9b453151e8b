package kubetest

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// startLimit is how long the API server may take to be ready: three seconds on an idle machine, a minute on a crowded one.
const startLimit = 5 * time.Minute

// cluster is an etcd and a kube-apiserver, and a kubectl that is its administrator. All files are in one directory
// that only this user can enter.
type cluster struct {
	dir     string
	kubectl string
	etcd    string // the socket, as etcd and its clients name it, relative to dir
	url     string
}

// start starts a control plane without controllers and nodes: secrets, namespaces and roles need none.
func start(t *testing.T, p programs) *cluster {
	t.Helper()
	c := &cluster{dir: privateDir(t), kubectl: p.kubectl, etcd: "unix://client:0"}
	ca := newAuthority(t, c.dir)
	ca.server(t, "apiserver")
	ca.client(t, "admin", "system:masters")
	writeKey(t, filepath.Join(c.dir, "accounts.key"), newKey(t))

	// etcd speaks through sockets in the directory: no port to collide with, nobody else can read the secrets there.
	launch(t, c.dir, p.etcd, "--data-dir=data", "--name=kubetest", "--unsafe-no-fsync",
		"--listen-client-urls="+c.etcd, "--advertise-client-urls="+c.etcd,
		"--listen-peer-urls=unix://peer:0", "--initial-advertise-peer-urls=unix://peer:0", "--initial-cluster=kubetest=unix://peer:0")
	// Between finding a free port and listening on it somebody else can take it: try again with another.
	for try := 1; ; try++ {
		err := c.serve(t, p.apiserver, ca.cert)
		if err == nil {
			break
		}
		if try == 3 || !strings.Contains(err.Error(), "address already in use") {
			t.Fatal(err)
		}
	}
	c.writeKubeconfig(t)
	return c
}

// privateDir is a directory with a short name: that of a socket has at most 104 characters on some systems.
func privateDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "kubetest") //nolint:usetesting // TempDir's name is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func (c *cluster) serve(t *testing.T, apiserver string, ca *x509.Certificate) error {
	t.Helper()
	port, err := freePort(t.Context())
	if err != nil {
		return err
	}
	c.url = "https://127.0.0.1:" + port
	p := launch(t, c.dir, apiserver, "--etcd-servers="+c.etcd, "--bind-address=127.0.0.1", "--secure-port="+port,
		"--tls-cert-file=apiserver.crt", "--tls-private-key-file=apiserver.key", "--client-ca-file=ca.crt",
		"--authorization-mode=RBAC", "--anonymous-auth=true", "--allow-privileged=true", "--service-cluster-ip-range=10.0.0.0/24", "--endpoint-reconciler-type=none",
		"--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file=accounts.key",
		"--service-account-signing-key-file=accounts.key")
	roots := x509.NewCertPool()
	roots.AddCert(ca)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}}
	defer client.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(t.Context(), startLimit)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	said := errors.New("never asked")
	for {
		select {
		case <-p.done:
			return fmt.Errorf("kube-apiserver ended before it was ready:\n%s", p.log())
		case <-ctx.Done():
			return fmt.Errorf("kube-apiserver is not ready after %s: %w\n%s", startLimit, said, p.log())
		case <-tick.C:
		}
		if _, said = answer(ctx, client, c.url+"/readyz?verbose"); said == nil {
			return nil
		}
	}
}

// answer is what a server says to GET, which has to be with status 200.
func answer(ctx context.Context, client *http.Client, url string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return "", err
	}
	res, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", res.Status, body)
	}
	return string(body), err
}

func freePort(ctx context.Context) (string, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, errors.Join(err, l.Close())
}

// process is a server that ends with the test.
type process struct {
	name string
	done chan struct{}
}

// launch starts a server in dir, where its output goes to a file: it is worth reading only when something fails.
func launch(t *testing.T, dir, path string, args ...string) *process {
	t.Helper()
	p := &process{name: filepath.Join(dir, filepath.Base(path)+".log"), done: make(chan struct{})}
	out, err := os.OpenFile(p.name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...) // not bound to the test's context: that ends before the clean-up, and etcd would go first
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.done)
		_ = cmd.Wait()
		_ = out.Close()
	}()
	t.Cleanup(func() {
		select {
		case <-p.done:
			t.Logf("%s ended by itself, its last words:\n%s", filepath.Base(path), p.log())
			return
		default:
		}
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-p.done:
		case <-time.After(10 * time.Second):
			_ = cmd.Process.Kill()
			<-p.done
		}
	})
	return p
}

// log is the end of what the server said.
func (p *process) log() string {
	text, err := os.ReadFile(p.name)
	if err != nil {
		return err.Error()
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-25):], nil))
}
