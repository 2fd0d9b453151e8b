// Command bench sets ocp-vsphere-admin beside the govc script that it replaces: the same vCenters (simulated, with the
// same latency for every request), the same roles, accounts and permissions at the end. It prints ratios of one run and
// the depth of the tool's own commands, each beside its target, and what the tool costs beside
// earlier commits. Nothing here is a test: no exit code depends on time.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

// The targets of the project. A depth is a number of dependent round trips, a ratio has no unit.
const (
	wantSpeedupOne   = 20.0
	wantSpeedupMany  = 200.0
	wantDepthApply   = 8.0
	wantDepthPlan    = 6.0
	wantDepthVerify  = 9.0
	wantDepthReplace = 4.0 // beyond apply
	wantDepthInPlace = 8.0
	wantWallMany     = 1.3
	wantRequestsMany = 1.1
	wantStart        = 1.5 // of the time of the simulation without REST, storage policies and volumes
)

type options struct {
	quick   bool
	layout  string
	latency time.Duration // per request, for the comparison with govc
	probe   time.Duration // per request, for the depth: large, so that the machine's own time disappears beside it
	many    int           // vCenters of the large comparison
	objects int           // inventory objects of the large estate
	noGovc  bool
	bare    string // the commit whose simulation has neither REST nor storage policies; "" = none
	before  string // the commits that cost and start-up are held against, by commas; "" = none
	only    string // the one table to print; "" = all
	script  bool
	fleet   int // clusters of the fleet table; 0 = 20 and 200
}

func main() {
	if len(os.Args) > 3 && os.Args[1] == childFlag {
		os.Exit(child(os.Args[2:]))
	}
	var o options
	flag.BoolVar(&o.quick, "quick", false, "fewer vCenters for govc (3) and in the cost table (20), and fewer objects (2000)")
	flag.StringVar(&o.layout, "layout", "component", "roleLayout of the comparison: component is what the design's script makes, and needs the fewest govc commands")
	flag.DurationVar(&o.latency, "latency", 50*time.Millisecond, "of each request, in the comparison")
	flag.DurationVar(&o.probe, "probe", 200*time.Millisecond, "latency of each request when depth is measured")
	flag.IntVar(&o.many, "vcenters", 20, "how many vCenters the large comparison has")
	flag.IntVar(&o.objects, "objects", 10_000, "inventory objects of the large estate, held against 50")
	flag.BoolVar(&o.noGovc, "no-govc", false, "leave the comparison with govc out")
	flag.StringVar(&o.before, "before", lookAndLanding,
		"commits that the tables of cost and start-up are held against; empty for none")
	flag.StringVar(&o.bare, "bare", "2e08b00", "commit that the start of simulated vCenters is held against; empty for none")
	flag.StringVar(&o.only, "only", "",
		"print one table: depth, rotation, inventory, vcenters, startup, start, fleet, cost or govc")
	flag.IntVar(&o.fleet, "fleet", 0, "clusters of the fleet table, such as 1000; 0 for 20 and 200")
	flag.BoolVar(&o.script, "print-script", false, "print the govc script for one vCenter, and stop")
	flag.Parse()
	if o.quick {
		o.objects = min(o.objects, 2000)
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	dir, err := os.MkdirTemp("", "ocp-vsphere-admin-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bins, err := build(ctx, dir)
	if err != nil {
		return err
	}
	b := &bench{bins: bins, dir: dir, options: o, out: os.Stdout}
	if o.script {
		return b.printScript(ctx)
	}
	known := false
	for _, step := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"depth", b.depth},
		{"rotation", b.rotation},
		{"inventory", b.scale},
		{"vcenters", b.breadth},
		{"startup", b.startups},
		{"start", b.starts},
		{"fleet", b.fleets},
		{"cost", b.costs},
		{"govc", b.compare},
	} {
		if o.only != "" && o.only != step.name || o.only == "" && o.noGovc && step.name == "govc" {
			continue
		}
		known = true
		if err := step.run(ctx); err != nil {
			return err
		}
	}
	if !known {
		return fmt.Errorf("-only %s: there is no such table", o.only)
	}
	return nil
}

// binaries are the programs under measurement; wide is the whole of govc. product is the directory
// of the module that has the first two.
type binaries struct{ tool, lab, govc, wide, product string }

// build makes them from source, so that what is measured is what is checked out: each in its own
// module, with the versions that are pinned there.
func build(ctx context.Context, dir string) (binaries, error) {
	b := binaries{
		tool: filepath.Join(dir, "ocp-vsphere-admin"), lab: filepath.Join(dir, "vcenter-lab"),
		govc: filepath.Join(dir, "govc"), wide: filepath.Join(dir, "govc-all"),
	}
	root, err := command(ctx, nil, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/ocp-vsphere-admin/ocp-vsphere-admin")
	if err != nil {
		return b, err
	}
	b.product = string(bytes.TrimSpace(root))
	for _, t := range []struct{ module, out, pkg string }{
		{b.product, b.tool, "./cmd/ocp-vsphere-admin"},
		{b.product, b.lab, "./cmd/vcenter-lab"},
		{".", b.govc, "./govc"},
		{".", b.wide, "./govc-all"},
	} {
		if err := buildIn(ctx, t.module, t.out, t.pkg); err != nil {
			return b, err
		}
	}
	return b, nil
}
