// Package oc runs the OpenShift client, where somebody asked for it: it extracts CredentialsRequests from release images. No shell is
// involved, and the client gets neither the terminal nor what this tool may have in its environment for vCenter.
package oc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

// Client is an oc on this machine.
type Client struct {
	path     string
	registry string // file with the pull secret; "" = oc looks for one itself

	patience time.Duration // how long one extraction may take
	grace    time.Duration // how long it may take to end once it is interrupted
}

// What a release image takes to download on a slow line, and what oc takes to clean up.
const (
	patience = 10 * time.Minute
	grace    = 5 * time.Second
)

// withheld are the beginnings of variables that hold logins of vCenter administrators, and settings of this tool.
var withheld = []string{"OCP_VSPHERE_ADMIN_", "GOVC_"}

// Find looks for oc: path is a file, or a name on PATH; "" = oc. registry is the file with the pull secret for the release images, ""
// = none is handed over. Nothing is run.
func Find(path, registry string) (*Client, error) {
	if path == "" {
		path = "oc"
	}
	found, err := exec.LookPath(path)
	if err != nil {
		return nil, err
	}
	if registry != "" {
		if info, err := os.Stat(registry); err != nil {
			return nil, err
		} else if info.IsDir() {
			return nil, fmt.Errorf("%s is a directory", registry)
		}
	}
	return &Client{path: found, registry: registry, patience: patience, grace: grace}, nil
}

// words are the command that extracts the CredentialsRequests for vSphere of a release into a directory, without the path of oc.
func words(image, dir, registry string) []string {
	words := []string{"adm", "release", "extract", "--credentials-requests", "--cloud=vsphere", "--to=" + dir}
	if registry != "" {
		words = append(words, "--registry-config="+registry)
	}
	return append(words, image)
}

// Line is that command as somebody types it.
func Line(image, dir string) string {
	return script.Line(append([]string{"oc"}, words(image, dir, "")...)...)
}

// Extract writes the CredentialsRequests for vSphere of a release image into a directory. The error has what oc said last. The end of
// ctx interrupts oc, and then kills it.
func (c *Client) Extract(ctx context.Context, image, dir string) error {
	within, stop := context.WithTimeout(ctx, c.patience)
	defer stop()
	said := &tail{}
	cmd := exec.CommandContext(within, c.path, words(image, dir, c.registry)...)
	cmd.Env = slices.DeleteFunc(cmd.Environ(), func(variable string) bool {
		return slices.ContainsFunc(withheld, func(of string) bool { return strings.HasPrefix(variable, of) })
	})
	cmd.Stderr = said
	cmd.WaitDelay = c.grace
	cmd.Cancel = func() error {
		if err := cmd.Process.Signal(os.Interrupt); err != nil { // as on Windows
			return cmd.Process.Kill()
		}
		return nil
	}
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(within.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%s did not end within %s%s", c.path, c.patience, said)
	}
	hints := []string{"run it by hand: " + Line(image, "DIR")}
	if c.registry == "" {
		hints = append(hints, "--registry-config FILE gives oc a pull secret")
	}
	return hint.Wrap(fmt.Errorf("%s: %w%s", c.path, err, said), hints...)
}

// tail keeps the last of what a program says.
type tail struct{ text []byte }

// most is how much of it: a screen full.
const most = 2000

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	if len(t.text) > 2*most {
		t.text = bytes.Clone(t.text[len(t.text)-most:])
	}
	return len(p), nil
}

// String is what was said, on one line, behind what it explains; "" for nothing.
func (t *tail) String() string {
	text := t.text
	if len(text) > most {
		text = text[len(text)-most:]
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	if lines == nil {
		return ""
	}
	return ": " + strings.Join(lines, "; ")
}
