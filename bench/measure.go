package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"
)

// password satisfies the default policy of the simulated vCenters. govc wants it on its command line.
const password = "Bench-Passw0rd!"

type bench struct {
	bins binaries
	dir  string
	out  io.Writer
	options
}

func (b *bench) site(o siteOptions) (*site, error) { return newSite(b.dir, b.bins.tool, o) }

// depth measures how many round trips wait for one another: the wall time that latency adds, divided by the latency.
// It runs the same commands on a fresh site without latency, and takes the difference: the program's own time, TLS
// handshakes and process starts fall out.
func (b *bench) depth(ctx context.Context) error {
	verbs := []struct {
		title, verb string
		target      float64
	}{
		{"plan, nothing there yet", "plan", 0},
		{"apply", "apply", wantDepthApply},
		{"plan, nothing to do", "plan", wantDepthPlan},
		{"verify", "verify", wantDepthVerify},
		{"apply, nothing to do", "apply", 0},
	}
	names := make([]string, len(verbs))
	for i, v := range verbs {
		names[i] = v.verb
	}
	depths, err := b.depths(ctx, names)
	if err != nil {
		return err
	}
	t := newTable(b.out, fmt.Sprintf("depth: dependent round trips on one vCenter (wall beyond that of 0 ms, by %v a request)", b.probe),
		"command", "requests", "wall at 0 ms", "wall", "depth", "target")
	for i, v := range verbs {
		d := depths[i]
		t.row(v.title, d.slow.requests, d.still.wall, d.slow.wall, fmt.Sprintf("%.1f", d.depth), atMost(d.depth, v.target))
	}
	return t.flush()
}

// deep is what one command took, without latency and with it.
type deep struct {
	still, slow took
	depth       float64 // dependent round trips
}

// depths runs commands one after the other on a fresh site, without latency and with it.
func (b *bench) depths(ctx context.Context, verbs []string) ([]deep, error) {
	all := make([]deep, len(verbs))
	for _, latency := range []time.Duration{0, b.probe} {
		s, err := b.site(siteOptions{vcenters: 1, latency: latency})
		if err != nil {
			return nil, err
		}
		for i, verb := range verbs {
			t, err := s.do(ctx, verb)
			if err != nil {
				s.close()
				return nil, err
			}
			if latency == 0 {
				all[i].still = t
			} else {
				all[i].slow = t
				all[i].depth = float64(t.wall-all[i].still.wall) / float64(b.probe)
			}
		}
		s.close()
	}
	return all, nil
}

// scale holds a large inventory against a small one: requests must not grow with what is there.
func (b *bench) scale(ctx context.Context) error {
	t := newTable(b.out, fmt.Sprintf("inventory: requests on one vCenter with 50 and %d objects", b.objects),
		"command", "requests of 50", fmt.Sprintf("requests of %d", b.objects), "ratio", "target")
	verbs := []string{"apply", "plan", "verify"}
	costs := map[int][]int{}
	for _, n := range []int{50, b.objects} {
		s, err := b.site(siteOptions{vcenters: 1, objects: n})
		if err != nil {
			return err
		}
		for _, verb := range verbs {
			cost, err := s.do(ctx, verb)
			if err != nil {
				s.close()
				return err
			}
			costs[n] = append(costs[n], cost.requests)
		}
		s.close()
	}
	for i, verb := range verbs {
		small, large := costs[50][i], costs[b.objects][i]
		ratio := float64(large) / float64(small)
		t.row(verb, small, large, fmt.Sprintf("%.2f", ratio), atMost(ratio, wantRequestsMany))
	}
	return t.flush()
}

// breadth holds many vCenters against one: they run side by side. The simulated vCenters share this machine's
// processors with the tool, which real ones would not: their processor time is printed, and what it does to the wall.
func (b *bench) breadth(ctx context.Context) error {
	verbs := []string{"apply", "plan", "verify"}
	one, err := b.best(ctx, 1, verbs)
	if err != nil {
		return err
	}
	many, err := b.best(ctx, b.many, verbs)
	if err != nil {
		return err
	}
	t := newTable(b.out, fmt.Sprintf("vCenters: wall of 1 and %d, at %v a request, best of %d", b.many, b.latency, rounds),
		"command", "wall of 1", fmt.Sprintf("wall of %d", b.many), "ratio", "target", "processor time: tool", "simulated vCenters")
	var why strings.Builder
	for i, verb := range verbs {
		ratio := many[i].wall.Seconds() / one[i].wall.Seconds()
		t.row(verb, one[i].wall, many[i].wall, fmt.Sprintf("%.2f", ratio), atMost(ratio, wantWallMany), many[i].cpu, many[i].simCPU)
		if busy := (many[i].cpu + many[i].simCPU) / time.Duration(runtime.NumCPU()); ratio > wantWallMany && busy > one[i].wall/2 {
			fmt.Fprintf(&why, "%s: %v of work for each of the %d processors here, of which the simulated vCenters are %.0f %%, against %v of wall for one vCenter\n",
				verb, busy.Round(time.Millisecond), runtime.NumCPU(),
				100*many[i].simCPU.Seconds()/(many[i].cpu+many[i].simCPU).Seconds(), one[i].wall.Round(time.Millisecond))
		}
	}
	if err := t.flush(); err != nil || why.Len() == 0 {
		return err
	}
	_, err = fmt.Fprint(b.out, "why missed: this machine computes, it does not wait\n", why.String())
	return err
}

// rounds is how often breadth measures; the best counts, because whatever else runs on the machine only adds.
const rounds = 3

func (b *bench) best(ctx context.Context, vcenters int, verbs []string) ([]took, error) {
	best := make([]took, len(verbs))
	for range rounds {
		s, err := b.site(siteOptions{vcenters: vcenters, latency: b.latency})
		if err != nil {
			return nil, err
		}
		for i, verb := range verbs {
			t, err := s.do(ctx, verb)
			if err != nil {
				s.close()
				return nil, err
			}
			if best[i].wall == 0 || t.wall < best[i].wall {
				best[i] = t
			}
		}
		s.close()
	}
	return best, nil
}

// scripted makes a site and the govc commands that provision it, without latency so far.
func (b *bench) scripted(ctx context.Context, vcenters int) (*site, map[string][][]string, error) {
	s, err := b.site(siteOptions{vcenters: vcenters, privileges: map[string]string{"matrix": "enhancement", "roleLayout": b.layout}})
	if err != nil {
		return nil, nil, err
	}
	plan, err := s.do(ctx, "plan")
	if err != nil {
		s.close()
		return nil, nil, err
	}
	commands, err := script(plan.out, password)
	if err != nil {
		s.close()
		return nil, nil, err
	}
	return s, commands, nil
}

// compare runs the govc script and apply on vCenters of the same make, and says how much faster the second was.
func (b *bench) compare(ctx context.Context) error {
	t := newTable(b.out, fmt.Sprintf("the govc script beside apply, at %v a request (enhancement matrix, role layout %s)", b.latency, b.layout),
		"vCenters", "client", "commands", "requests", "wall", "ratio", "target")
	for _, n := range []int{1, b.many} {
		govcVCenters := n
		if b.quick {
			govcVCenters = min(n, 3)
		}
		old, commands, left, err := b.byScript(ctx, govcVCenters)
		if err != nil {
			return err
		}
		ours, err := b.byApply(ctx, n)
		if err != nil {
			return err
		}
		want := wantSpeedupOne
		if n > 1 {
			want = wantSpeedupMany
		}
		ratio := old.wall.Seconds() / ours.wall.Seconds()
		note := atLeast(ratio, want)
		if govcVCenters != n {
			ratio *= float64(n) / float64(govcVCenters)
			note = atLeast(ratio, want) + fmt.Sprintf(" (govc extrapolated from %d: a sequential script)", govcVCenters)
		}
		t.row(govcVCenters, "govc script", commands, old.requests, old.wall, "", fmt.Sprintf("%d changes left for apply", left))
		t.row(n, "apply", 1, ours.requests, ours.wall, fmt.Sprintf("%.1fx", ratio), note)
	}
	return t.flush()
}

// byScript returns what the script cost, of how many commands it consists, and how many changes a plan still finds
// afterwards: none, when both sides did the same work.
func (b *bench) byScript(ctx context.Context, vcenters int) (cost took, count, left int, err error) {
	s, commands, err := b.scripted(ctx, vcenters)
	if err != nil {
		return took{}, 0, 0, err
	}
	defer s.close()
	for _, c := range commands {
		count += len(c)
	}
	s.setLatency(b.latency)
	if cost, err = s.runScript(ctx, b.bins.govc, commands); err != nil {
		return took{}, 0, 0, err
	}
	s.setLatency(0)
	plan, err := s.do(ctx, "plan")
	if err != nil {
		return took{}, 0, 0, err
	}
	left, err = changesIn(plan.out)
	return cost, count, left, err
}

func (b *bench) byApply(ctx context.Context, vcenters int) (took, error) {
	s, err := b.site(siteOptions{
		vcenters: vcenters, latency: b.latency,
		privileges: map[string]string{"matrix": "enhancement", "roleLayout": b.layout},
	})
	if err != nil {
		return took{}, err
	}
	defer s.close()
	return s.do(ctx, "apply")
}
