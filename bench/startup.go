package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// The start-up of the tool, as a share of that of govc.
const wantStartup = 2.0

// starting is a program of the table of start-up, and what `version` cost it in each turn.
type starting struct {
	title, path, module, pkg string
	walls                    []time.Duration
	peaks                    []int64
}

// startups measures what programs cost before they do anything: `version` of the tool, as it is and
// at earlier commits, beside govc's. They take turns, so that whatever else runs here meets all.
func (b *bench) startups(ctx context.Context) error {
	const cmd = "./cmd/ocp-vsphere-admin"
	all := []*starting{
		{title: "govc, all commands", path: b.bins.wide, module: ".", pkg: "./govc-all"},
		{title: "ocp-vsphere-admin", path: b.bins.tool, module: b.bins.product, pkg: cmd},
	}
	for _, commit := range b.earlier() {
		old, err := b.buildAt(ctx, commit, "ocp-vsphere-admin")
		if err != nil {
			return err
		}
		source := filepath.Join(b.dir, commit)
		all = append(all, &starting{title: "at " + commit, path: old, module: source, pkg: cmd})
	}
	turns, env := 101, (&site{home: b.dir}).env()
	if b.quick {
		turns = 31
	}
	for range turns {
		for _, p := range all {
			_, u, err := measured(ctx, b.dir, env, p.path, "version")
			if err != nil {
				return err
			}
			p.walls, p.peaks = append(p.walls, u.Wall), append(p.peaks, u.Memory)
		}
	}
	t := newTable(b.out, fmt.Sprintf("start-up: `version`, median of %d turns", turns),
		"program", "wall", "of govc's", "target", "peak memory", "of govc's", "target", "size",
		"packages")
	for i, p := range all {
		size, err := os.Stat(p.path)
		if err != nil {
			return err
		}
		packages, err := packagesIn(ctx, p.module, p.pkg)
		if err != nil {
			return err
		}
		slices.Sort(p.walls)
		slices.Sort(p.peaks)
		wall, peak, want := p.walls[turns/2], p.peaks[turns/2], wantStartup
		if i != 1 {
			want = 0
		}
		slower := wall.Seconds() / all[0].walls[turns/2].Seconds()
		larger := float64(peak) / float64(all[0].peaks[turns/2])
		t.row(p.title, milliseconds(wall), fmt.Sprintf("%.2f", slower), atMost(slower, want),
			mebibytes(peak), fmt.Sprintf("%.2f", larger), atMost(larger, want),
			mebibytes(size.Size()), packages)
	}
	return t.flush()
}
