//go:build unix

package oc

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const image = "quay.io/openshift-release-dev/ocp-release@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

// fake is an oc that does what a script says.
func fake(t *testing.T, registry, does string) *Client {
	t.Helper()
	path := filepath.Join(t.TempDir(), "oc")
	syscall.ForkLock.RLock() // a process that begins meanwhile would have the file open, and it could not be run
	err := os.WriteFile(path, []byte("#!/bin/sh\n"+does+"\n"), 0o700)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
	c, err := Find(path, registry)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// oc gets these words and no others, no word goes through a shell, and no login of ours is in its environment.
func TestExtract(t *testing.T) {
	t.Setenv("OCP_VSPHERE_ADMIN_PASSWORD", "canary")
	t.Setenv("GOVC_PASSWORD", "canary")
	t.Setenv("HTTPS_PROXY", "http://proxy.example.com")
	dir := filepath.Join(t.TempDir(), "a $(touch x); b")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	registry := filepath.Join(dir, "pull secret.json")
	if err := os.WriteFile(registry, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := fake(t, registry, `for w; do case $w in --to=*) to=${w#--to=};; esac; printf '%s\n' "$w"; done >"$0.words"; env >"$0.env"; read x && echo "$x" >>"$0.words"; : >"$to/a.yaml"`)
	if err := c.Extract(t.Context(), image, dir); err != nil {
		t.Fatal(err)
	}
	words, err := os.ReadFile(c.path + ".words")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{"adm", "release", "extract", "--credentials-requests", "--cloud=vsphere", "--to=" + dir, "--registry-config=" + registry, image}, "\n") + "\n"
	if string(words) != want {
		t.Errorf("got %s", words)
	}
	env, err := os.ReadFile(c.path + ".env")
	if err != nil || strings.Contains(string(env), "canary") || !strings.Contains(string(env), "HTTPS_PROXY=http://proxy.example.com") {
		t.Errorf("%v: %s", err, env)
	}
}

// What oc says last is in the error, on one line.
func TestExtractFails(t *testing.T) {
	t.Parallel()
	err := fake(t, "", "i=0; while [ $i -lt 500 ]; do echo warning $i >&2; i=$((i+1)); done; echo 'error: unauthorized' >&2; exit 3").Extract(t.Context(), image, t.TempDir())
	if err == nil || !strings.HasSuffix(err.Error(), "warning 499; error: unauthorized") || !strings.Contains(err.Error(), "exit status 3") || strings.Contains(err.Error(), "\n") || len(err.Error()) > 2*most {
		t.Errorf("%v", err)
	}
	if err := fake(t, "", "exit 1").Extract(t.Context(), image, t.TempDir()); err == nil || !strings.HasSuffix(err.Error(), "exit status 1") {
		t.Errorf("%v", err)
	}
}

// An oc that does not end is interrupted, and one that does not heed that is killed.
func TestExtractEnds(t *testing.T) {
	t.Parallel()
	for name, does := range map[string]string{
		"it heeds the interrupt": `trap 'echo cleaned >&2; exit 1' INT; : >"$0.started"; while :; do sleep 0.01; done`,
		"it does not":            `trap '' INT; : >"$0.started"; while :; do sleep 0.01; done`,
	} {
		c := fake(t, "", does)
		c.grace = 100 * time.Millisecond
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for {
				if _, err := os.Stat(c.path + ".started"); err == nil {
					cancel()
					return
				}
			}
		}()
		if err := c.Extract(ctx, image, t.TempDir()); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		c.patience = time.Millisecond
		if err := c.Extract(t.Context(), image, t.TempDir()); err == nil || !strings.Contains(err.Error(), "did not end within 1ms") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFindRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plain := filepath.Join(dir, "oc")
	if err := os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{plain: "permission denied", filepath.Join(dir, "none"): "no such file", dir: "is a directory"} {
		if _, err := Find(path, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	for registry, want := range map[string]string{filepath.Join(dir, "none"): "no such file", dir: "is a directory"} {
		if _, err := Find("sh", registry); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", registry, err)
		}
	}
}
