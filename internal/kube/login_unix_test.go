//go:build unix

package kube_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/program"
)

// plugin is a user who logs in with what a shell script prints.
func plugin(t *testing.T, script, more string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plugin")
	write(t, path, "#!/bin/sh\n"+script+"\n")
	if err := os.Chmod(path, 0o700); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`{exec: {apiVersion: client.authentication.k8s.io/v1, command: %q, args: [a b, canary], env: [{name: GIVEN, value: "yes"}], interactiveMode: IfAvailable%s}}`, path, more)
}

// credential is what a plug-in prints.
func credential(status string) string {
	return `printf '%s' '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{` + status + `}}'`
}

// empty is an API server without secrets, for who has the token.
func empty(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.Header.Get("Authorization") != "Bearer "+token {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no ` + r.Header.Get("Authorization") + `","reason":"Unauthorized","code":401}`))
		return
	}
	_, _ = w.Write([]byte(`{"apiVersion":"v1","kind":"SecretList","metadata":{},"items":[]}`))
}

// A plug-in is run once, with its words and variables and what the kubeconfig has it told, and without ours.
func TestLogin(t *testing.T) {
	t.Setenv("OCP_VSPHERE_ADMIN_PASSWORD", "canary")
	t.Setenv("GOVC_PASSWORD", "canary")
	dir := t.TempDir()
	c := at(t, plugin(t, `env >`+dir+`/env; echo "$1" >>`+dir+`/runs; echo open a browser >&2; `+credential(`"token":"`+token+`"`), ", provideClusterInfo: true"), empty)
	var said bytes.Buffer
	c.Talk(&said)
	for range 2 {
		if dump, err := c.Dump(t.Context(), secrets()); err != nil || len(names(t, dump)) > 0 {
			t.Fatalf("%s, %v", dump, err)
		}
	}
	env, err := os.ReadFile(filepath.Join(dir, "env"))
	runs, runsErr := os.ReadFile(filepath.Join(dir, "runs"))
	if err := errors.Join(err, runsErr); err != nil || string(runs) != "a b\n" || said.String() != "open a browser\n" {
		t.Errorf("%v, %q, %q", err, runs, said.String())
	}
	if strings.Contains(string(env), "canary") || !strings.Contains(string(env), "GIVEN=yes\n") {
		t.Errorf("%s", env)
	}
	_, info, _ := strings.Cut(string(env), "KUBERNETES_EXEC_INFO=")
	info, _, _ = strings.Cut(info, "\n")
	var told struct {
		APIVersion, Kind string
		Spec             struct {
			Interactive bool
			Cluster     struct {
				Server   string
				Insecure bool `json:"insecure-skip-tls-verify"`
			}
		}
	}
	if err := json.Unmarshal([]byte(info), &told); err != nil || told.Kind != "ExecCredential" || told.APIVersion != "client.authentication.k8s.io/v1" ||
		told.Spec.Interactive || told.Spec.Cluster.Server != c.Server() || !told.Spec.Cluster.Insecure {
		t.Errorf("%+v, %v", told, err)
	}
}

// A token that has ended, or was refused, is asked for again.
func TestLoginAgain(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]string{
		"ended":   credential(`"token":"` + token + `","expirationTimestamp":"2001-01-01T00:00:00Z"`),
		"refused": credential(`"token":"another-one"`),
	} {
		mark := filepath.Join(t.TempDir(), "mark")
		c := at(t, plugin(t, `if [ -e `+mark+` ]; then `+credential(`"token":"`+token+`"`)+`; echo x >>`+mark+`; else : >`+mark+`; `+first+`; fi`, ""), empty)
		_, err := c.Dump(t.Context(), secrets())
		if (err == nil) != (name == "ended") || err != nil && strings.Contains(err.Error(), "another-one") {
			t.Errorf("%s: %v", name, err)
		}
		for range 2 {
			if _, err := c.Dump(t.Context(), secrets()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if again, err := os.ReadFile(mark); err != nil || string(again) != "x\n" {
			t.Errorf("%s: %q, %v", name, again, err)
		}
	}
}

// No error of a plug-in has what it printed, or its words.
func TestLoginErrors(t *testing.T) {
	t.Parallel()
	for want, user := range map[string]string{
		"exit status 3":                           plugin(t, "echo canary; echo canary >&2; exit 3", ""),
		"is not an ExecCredential of":             plugin(t, "echo canary", ""),
		"has neither a token nor a":               plugin(t, credential(`"clientKeyData":"canary"`), ""),
		"failed to find any PEM data":             plugin(t, credential(`"clientCertificateData":"canary","clientKeyData":"canary"`), ""),
		"its output is larger than":               plugin(t, "while echo canary; do :; done", ""),
		"is not an ExecCredential of client.auth": plugin(t, `echo '{"apiVersion":"canary","kind":"ExecCredential","status":{"token":"canary"}}'`, ""),
		"/nowhere: no such file or directory":     `{exec: {apiVersion: client.authentication.k8s.io/v1, command: /nowhere, interactiveMode: Never}}`,
	} {
		_, err := at(t, user, empty).Dump(t.Context(), secrets())
		if err == nil || !strings.Contains(err.Error(), "login plug-in ") || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%v: does not say %q", err, want)
		}
	}
}

// A plug-in that hangs ends with its time, and with ours.
func TestLoginHangs(t *testing.T) {
	t.Parallel()
	mark := filepath.Join(t.TempDir(), "mark")
	c := at(t, plugin(t, "echo $$ >"+mark+"; exec sleep 600", ""), empty)
	c.HurryLogin(time.Millisecond)
	if _, err := c.Dump(t.Context(), secrets()); !errors.Is(err, program.ErrPatience) {
		t.Error(err)
	}
	c.HurryLogin(time.Hour)
	ctx, cancel := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted")
	var ended atomic.Bool
	go func() {
		for !ended.Load() {
			if text, err := os.ReadFile(mark); err == nil && len(text) > 0 {
				cancel(interrupted)
			}
		}
	}()
	defer ended.Store(true)
	if _, err := c.Dump(ctx, secrets()); !errors.Is(err, interrupted) {
		t.Error(err)
	}
}
