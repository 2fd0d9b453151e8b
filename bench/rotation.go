package main

import (
	"context"
	"fmt"
)

// rotation measures the steps of rotations as depth does, each beside what it is held to, and new passwords for the accounts of
// many vCenters beside a loop of govc's sso.user.update, which proves nothing, keeps nothing and sets the password that it is given.
func (b *bench) rotation(ctx context.Context) error {
	verbs := []string{
		"apply", "plan", "rotate", "rotate status", "rotate undo", "rotate",
		"rotate finish --applied --grace=0s", "rotate --in-place",
	}
	all, err := b.depths(ctx, verbs)
	if err != nil {
		return err
	}
	apply, plan := all[0].depth, all[1].depth
	t := newTable(b.out, fmt.Sprintf("rotation: dependent round trips on one vCenter (wall beyond that of 0 ms, by %v a request)", b.probe),
		"command", "requests", "wall at 0 ms", "wall", "depth", "target")
	for i, row := range []struct {
		title  string
		target float64
	}{
		{"apply", 0},
		{"plan, nothing to do", 0},
		{"rotate, by replacement", apply + wantDepthReplace},
		{"rotate status", plan},
		{"rotate undo", 0},
		{"rotate, once more", apply + wantDepthReplace},
		{"rotate finish", 0},
		{"rotate --in-place", wantDepthInPlace},
	} {
		d := all[i]
		t.row(row.title, d.slow.requests, d.still.wall, d.slow.wall, fmt.Sprintf("%.1f", d.depth), atMost(d.depth, row.target))
	}
	if err := t.flush(); err != nil {
		return err
	}
	return b.newPasswords(ctx)
}

func (b *bench) newPasswords(ctx context.Context) error {
	if b.noGovc {
		return nil
	}
	n := b.many
	if b.quick {
		n = min(n, 3)
	}
	s, err := b.site(siteOptions{vcenters: n})
	if err != nil {
		return err
	}
	defer s.close()
	plan, err := s.do(ctx, "plan")
	if err != nil {
		return err
	}
	created, err := script(plan.out, password)
	if err != nil {
		return err
	}
	if _, err := s.do(ctx, "apply"); err != nil {
		return err
	}
	commands, count := map[string][][]string{}, 0
	for server, of := range created {
		for _, c := range of {
			if c[0] == "sso.user.create" {
				commands[server] = append(commands[server], []string{"sso.user.update", "-p", password + "2", c[len(c)-1]})
				count++
			}
		}
	}
	s.setLatency(b.latency)
	ours, err := s.do(ctx, "rotate --in-place")
	if err != nil {
		return err
	}
	loop, err := s.runScript(ctx, b.bins.govc, commands)
	if err != nil {
		return err
	}
	t := newTable(b.out, fmt.Sprintf("new passwords of %d accounts on %d vCenters, at %v a request", count, n, b.latency),
		"client", "commands", "requests", "wall", "ratio")
	t.row("govc sso.user.update", count, loop.requests, loop.wall, "")
	t.row("rotate --in-place", 1, ours.requests, ours.wall, fmt.Sprintf("%.1fx", loop.wall.Seconds()/ours.wall.Seconds()))
	return t.flush()
}
