package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// turns is how often each start is taken: the median counts.
const turns = 5

// starts measures how long simulated vCenters take until all of them answer, beside those of a commit that had neither the REST API nor
// storage policies and volumes, one after the other.
func (b *bench) starts(ctx context.Context) error {
	if b.bare == "" {
		return nil
	}
	old, err := b.serveAt(ctx, b.bare)
	if err != nil {
		return err
	}
	var now, before []time.Duration
	for range turns {
		for _, t := range []struct {
			serve []string
			all   *[]time.Duration
		}{{old, &before}, {[]string{b.bins.lab, "serve"}, &now}} {
			wall, err := b.start(ctx, t.serve)
			if err != nil {
				return err
			}
			*t.all = append(*t.all, wall)
		}
	}
	slices.Sort(now)
	slices.Sort(before)
	ratio := float64(now[turns/2]) / float64(before[turns/2])
	t := newTable(b.out, fmt.Sprintf("start: until %d simulated vCenters answer, median of %d", b.many, turns), "now", "before", "ratio", "target")
	t.row(now[turns/2], before[turns/2], fmt.Sprintf("%.2f", ratio), atMost(ratio, wantStart))
	return t.flush()
}

// start is the time until the vCenters of a new process answer, which a command serves.
func (b *bench) start(ctx context.Context, serve []string) (wall time.Duration, err error) {
	dir, err := os.MkdirTemp(b.dir, "lab-")
	if err != nil {
		return 0, err
	}
	ready := filepath.Join(dir, "ready.json")
	args := append(slices.Clone(serve[1:]), "--vcenters", fmt.Sprint(b.many),
		"--dir", filepath.Join(dir, "lab"), "--ready-file", ready)
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, serve[0], args...)
	cmd.Stderr = &stderr
	cmd.Env = append(os.Environ(), "HOME="+dir)
	ended, began := make(chan error, 1), time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			return 0, fmt.Errorf("%s ended before its vCenters answered (%w)\n%s",
				strings.Join(serve, " "), err, bytes.TrimSpace(stderr.Bytes()))
		case <-time.After(time.Millisecond):
		}
		if _, err := os.Stat(ready); err == nil {
			wall = time.Since(began)
			_ = cmd.Process.Signal(syscall.SIGINT)
			<-ended //nolint:errcheck // it was told to end
			return wall, nil
		}
	}
}
