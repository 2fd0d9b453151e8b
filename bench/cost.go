package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// The targets of the cost table. Processor time is held against earlier commits, built and run
// beside this one in the same run, because seconds of one machine say nothing on another.
const (
	wantShare  = 1.1 // of the processor time of each earlier commit: that much differs between runs
	wantMemory = 512 // MiB, for manySites vCenters
	manySites  = 1000
)

// costSizes are the numbers of vCenters of the cost table.
func (o options) costSizes() []int {
	if o.quick {
		return []int{1, 20}
	}
	return []int{1, 20, 200}
}

// costs measures what one run of the tool costs this machine: processor time and peak memory of the tool's own process,
// without limits and with the default of --parallel, beside those of
// earlier commits on vCenters of the same make.
func (b *bench) costs(ctx context.Context) error {
	tools := []string{b.bins.tool}
	columns := []any{"command", "vCenters", "processor time per vCenter"}
	memories := []any{"target", "peak memory"}
	for _, commit := range b.earlier() {
		old, err := b.buildAt(ctx, commit, "ocp-vsphere-admin")
		if err != nil {
			return err
		}
		tools = append(tools, old)
		columns, memories = append(columns, "at "+commit, "ratio"), append(memories, "at "+commit)
	}
	verbs := []string{"plan", "apply", "plan", "verify", "destroy"}
	titles := []string{"plan, nothing there yet", "apply", "plan, nothing to do", "verify", "destroy"}
	t := newTable(b.out, fmt.Sprintf("cost: processor time and peak memory of the tool's process, at %v a request", b.latency),
		append(columns, memories...)...)
	for _, n := range b.costSizes() {
		costs, err := b.cheapest(ctx, tools, n, verbs)
		if err != nil {
			return err
		}
		for v, title := range titles {
			now := costs[0][v]
			cells, target := []any{title, n, perVCenter(now.cpu, n)}, "-"
			memory, most := []any{mebibytes(now.memory)}, 0.0
			for _, of := range costs[1:] {
				old := of[v]
				share := now.cpu.Seconds() / old.cpu.Seconds()
				most = max(most, share)
				cells = append(cells, perVCenter(old.cpu, n), fmt.Sprintf("%.2f", share))
				target, memory = atMost(most, wantShare), append(memory, mebibytes(old.memory))
			}
			t.row(append(append(cells, target), memory...)...)
		}
	}
	if err := t.flush(); err != nil {
		return err
	}
	if len(tools) > 1 {
		fmt.Fprintln(b.out, "verify: an earlier commit may find fault with what the simulation "+
			"has learnt since, and reads differences again before it believes them")
	}
	if b.quick {
		return nil
	}
	return b.memory(ctx)
}

// memory measures the peaks of manySites vCenters in one specification.
func (b *bench) memory(ctx context.Context) error {
	verbs := []string{"apply", "plan", "verify", "rotate --in-place"}
	all, err := b.run(ctx, b.bins.tool, manySites, verbs)
	if err != nil {
		return err
	}
	t := newTable(b.out, fmt.Sprintf("memory: %d vCenters in one specification", manySites), "command", "processor time per vCenter", "peak memory", "target")
	for i, verb := range verbs {
		t.row(verb, perVCenter(all[i].cpu, manySites), mebibytes(all[i].memory), atMost(float64(all[i].memory)/(1<<20), wantMemory))
	}
	return t.flush()
}

// found is the exit code of a verify that worked and found something.
const found = 2

// cheapest runs the commands with each tool in turn, a few times unless that takes long: of each
// command the least processor time counts, because whatever else runs on the machine only adds.
func (b *bench) cheapest(
	ctx context.Context, tools []string, n int, verbs []string,
) ([][]took, error) {
	turns, costs := rounds, make([][]took, len(tools))
	if n > 20 {
		turns = 1
	}
	for range turns {
		for i, tool := range tools {
			all, err := b.run(ctx, tool, n, verbs)
			if err != nil {
				return nil, err
			}
			for v, before := range costs[i] {
				if before.cpu < all[v].cpu {
					all[v] = before
				}
			}
			costs[i] = all
		}
	}
	return costs, nil
}

// run is some commands, one after the other, on fresh vCenters.
func (b *bench) run(ctx context.Context, tool string, vcenters int, verbs []string) ([]took, error) {
	s, err := newSite(b.dir, tool, siteOptions{vcenters: vcenters, latency: b.latency})
	if err != nil {
		return nil, err
	}
	defer s.close()
	s.earlier = tool != b.bins.tool
	var all []took
	for _, verb := range verbs {
		t, err := s.do(ctx, verb)
		exit := (*exec.ExitError)(nil)
		if s.earlier && verb == "verify" && errors.As(err, &exit) && exit.ExitCode() == found {
			err = nil // it finds fault with what the simulation has learnt since, and did the work
		}
		if err != nil {
			return nil, fmt.Errorf("%s, %d vCenters: %w", filepath.Base(tool), vcenters, err)
		}
		all = append(all, t)
	}
	return all, nil
}

func perVCenter(cpu time.Duration, n int) string {
	return milliseconds(cpu / time.Duration(n))
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.1f ms", d.Seconds()*1000) }

func mebibytes(n int64) string { return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20)) }

// used is what a process cost.
type used struct {
	CPU, Wall time.Duration
	Memory    int64 // bytes, at the peak; at least those of child, some 20 MiB
}

// childFlag has this program run another one and tell what that cost. A process begins with the peak memory of the one
// that it was forked from: begun by the process of the simulated vCenters, the tool would be charged with theirs.
const childFlag = "-child-of-bench"

// child is the program between: childFlag, the file for the cost, the program and its arguments.
func child(args []string) int {
	cmd := exec.CommandContext(context.Background(), args[1], args[2:]...) //nolint:gosec // its arguments are what it is for
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	began := time.Now()
	runErr := cmd.Run()
	wall := time.Since(began)
	if cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, runErr)
		return 127
	}
	text, err := json.Marshal(costOf(cmd.ProcessState, wall))
	if err == nil {
		err = os.WriteFile(args[0], text, 0o600) //nolint:gosec // the bench names the file
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 127
	}
	return cmd.ProcessState.ExitCode()
}

func costOf(p *os.ProcessState, wall time.Duration) used {
	u := used{CPU: p.UserTime() + p.SystemTime(), Wall: wall}
	if r, ok := p.SysUsage().(*syscall.Rusage); ok {
		u.Memory = int64(r.Maxrss) //nolint:unconvert // 32 bits on some systems
		if runtime.GOOS != "darwin" {
			u.Memory <<= 10
		}
	}
	return u
}

// measured runs a program through child.
func measured(ctx context.Context, dir string, env []string, name string, args ...string) ([]byte, used, error) {
	var u used
	self, err := os.Executable()
	if err != nil {
		return nil, u, err
	}
	file := filepath.Join(dir, "cost.json")
	_ = os.Remove(file) // of the program before
	out, runErr := command(ctx, env, self, append([]string{childFlag, file, name}, args...)...)
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &u)
	}
	if runErr != nil { // what a program cost that failed is told all the same
		err = fmt.Errorf("%s %s: %w", filepath.Base(name), strings.Join(args[:min(1, len(args))], ""), runErr)
	}
	return out, u, err
}
