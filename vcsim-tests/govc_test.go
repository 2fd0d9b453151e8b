package vcsimtests

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// govcDir is where govc is built, once the tests have made it.
var govcDir string

// govc and wideGovc build govmomi's own govc once, in the module of the bench, which has what it needs; the wide one has more
// commands.
var (
	govc     = sync.OnceValues(func() (string, error) { return buildGovc(govcDir, "govc") })
	wideGovc = sync.OnceValues(func() (string, error) { return buildGovc(govcDir, "govc-wide") })
)

func buildGovc(dir, name string) (string, error) {
	path := filepath.Join(dir, name)
	if out, err := exec.Command("go", "build", "-C", filepath.Join("..", "bench"), "-o", path, "./"+name).CombinedOutput(); err != nil {
		return "", fmt.Errorf("govc cannot be built here: %w: %s", err, out)
	}
	return path, nil
}

// cmdGovc runs a shell script with the real govc as the lab's administrator: govc SCRIPT. A script that names no vCenter is
// pointed at the first.
func cmdGovc(ts *testscript.TestScript, neg bool, args []string) { runGovc(ts, govc, neg, args) }

// cmdWideGovc is cmdGovc with the wide one.
func cmdWideGovc(ts *testscript.TestScript, neg bool, args []string) {
	runGovc(ts, wideGovc, neg, args)
}

func runGovc(ts *testscript.TestScript, build func() (string, error), neg bool, args []string) {
	path, err := build()
	ts.Check(err)
	for key, value := range map[string]string{
		"GOVC":              path,
		"GOVC_URL":          "https://" + benchOf(ts).lab.VCenters[0].Addr(),
		"GOVC_USERNAME":     ts.Getenv("ADMIN"),
		"GOVC_PASSWORD":     ts.Getenv("ADMIN_PASSWORD"),
		"GOVC_TLS_CA_CERTS": ts.MkAbs("ca.pem"),
		"GOVMOMI_HOME":      ts.MkAbs("govmomi"),
	} {
		ts.Setenv(key, value)
	}
	err = ts.Exec("sh", args...)
	if (err != nil) != neg {
		ts.Fatalf("%v: %v", args, err)
	}
}
