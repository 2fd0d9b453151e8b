package kubetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// programs are the paths of what the tests run.
type programs struct{ dir, etcd, apiserver, kubectl, product, lab string }

// need finds the servers and kubectl where `make kube` leaves them (KUBEBIN says otherwise; an etcd of the system will
// do) and builds the product. What is missing, more included, skips the test in one line, or fails it where KUBETEST=required.
func need(t *testing.T, more ...string) programs {
	t.Helper()
	dir := os.Getenv("KUBEBIN")
	if dir == "" {
		dir = filepath.Join("..", "bin", "kube")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	p := programs{
		dir: dir, etcd: filepath.Join(dir, "etcd"), apiserver: filepath.Join(dir, "kube-apiserver"), kubectl: filepath.Join(dir, "kubectl"),
	}
	if _, err := os.Stat(p.etcd); err != nil {
		if system, err := exec.LookPath("etcd"); err == nil {
			p.etcd = system
		}
	}
	paths := []string{p.etcd, p.apiserver, p.kubectl}
	for _, name := range more {
		paths = append(paths, filepath.Join(dir, name))
	}
	var missing []string
	for _, path := range paths {
		if _, err := exec.LookPath(path); err != nil {
			missing = append(missing, filepath.Base(path))
		}
	}
	if len(missing) > 0 {
		stop := t.Skipf
		if os.Getenv("KUBETEST") == "required" {
			stop = t.Fatalf
		}
		stop("no %s in %s: 'make kube' puts them there", strings.Join(missing, ", no "), dir)
	}
	bin := t.TempDir()
	p.product, p.lab = filepath.Join(bin, "ocp-vsphere-admin"), filepath.Join(bin, "vcenter-lab")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", bin, "./cmd/...")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return p
}
