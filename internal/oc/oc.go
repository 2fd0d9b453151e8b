// Package oc runs the OpenShift client, where somebody asked for it: it extracts CredentialsRequests from release images. No shell is
// involved, and the client gets neither the terminal nor what this tool may have in its environment for vCenter.
package oc

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/program"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
)

// Client is an oc on this machine.
type Client struct {
	path     string
	registry string // file with the pull secret; "" = oc looks for one itself

	patience time.Duration // how long one extraction may take
	grace    time.Duration // how long it may take to end once it is interrupted
}

// patience is what a release image takes to download on a slow line.
const patience = 10 * time.Minute

// Find looks for oc: path is a file, or a name on PATH; "" = oc. registry is the file with the pull secret for the release images, ""
// = none is handed over. Nothing is run.
func Find(path, registry string) (*Client, error) {
	found, err := program.Find(cmp.Or(path, "oc"))
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
	return &Client{path: found, registry: registry, patience: patience, grace: program.Grace}, nil
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
	said := &tail{}
	err := program.Command{Path: c.path, Args: words(image, dir, c.registry), Err: said, Patience: c.patience, Grace: c.grace}.Run(ctx)
	if err == nil || ctx.Err() != nil {
		return err
	}
	err = fmt.Errorf("%w%s", err, said)
	if errors.Is(err, program.ErrPatience) {
		return err
	}
	hints := []string{"run it by hand: " + Line(image, "DIR")}
	if c.registry == "" {
		hints = append(hints, "--registry-config FILE gives oc a pull secret")
	}
	return hint.Wrap(err, hints...)
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
