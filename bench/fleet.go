package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// fleetShards is how many parts the fleet of the table is also taken in.
const fleetShards = 4

// fleets measures one run over a fleet, a cluster on each vCenter: its time beside that of a command for each cluster, one after the other,
// the requests, and the peak memory of the process, which has the target of one command on as many vCenters. The same in shards, merged,
// has to be the same fleet.
func (b *bench) fleets(ctx context.Context) error {
	sizes := []int{20, 200}
	switch {
	case b.fleet > 0:
		sizes = []int{b.fleet}
	case b.quick:
		sizes = []int{8, 20}
	}
	t := newTable(b.out, fmt.Sprintf("fleet: a cluster on each vCenter, at %v a request", b.latency),
		"command", "clusters", "wall", "one by one", "ratio", "requests per vCenter", "processor time per vCenter", "peak memory", "target", "largest shard of 4", "its peak")
	for _, n := range sizes {
		rows, err := b.fleetOf(ctx, n)
		if err != nil {
			return err
		}
		for _, r := range rows {
			one, ratio, target, largest, peak := "-", "-", "-", "-", "-"
			if r.single > 0 {
				one, ratio = r.single.Round(10*time.Millisecond).String(), fmt.Sprintf("%.2f", r.wall.Seconds()/r.single.Seconds())
			}
			if r.largest > 0 {
				largest, peak = strconv.Itoa(r.largest), mebibytes(r.shardPeak)
			}
			if n >= manySites {
				target = atMost(float64(r.memory)/(1<<20), wantMemory)
			}
			t.row(r.verb, n, r.wall, one, ratio, fmt.Sprintf("%.1f", float64(r.requests)/float64(n)), perVCenter(r.cpu, n),
				mebibytes(r.memory), target, largest, peak)
		}
	}
	return t.flush()
}

// fleetVerbs are the commands of the table in their order: the first provisions the fleet. Those
// that change something verify each cluster, too.
func fleetVerbs() []string {
	return []string{"apply --yes", "plan", "verify", "rotate --in-place --yes"}
}

// fleetCost is what one command over a fleet cost.
type fleetCost struct {
	took
	verb      string
	single    time.Duration // of a command for each cluster; 0 = not measured
	largest   int           // clusters of the largest shard
	shardPeak int64         // bytes
}

// fleetOf measures a fleet of n clusters.
func (b *bench) fleetOf(ctx context.Context, n int) ([]fleetCost, error) {
	s, err := newSite(b.dir, b.bins.tool, siteOptions{vcenters: n})
	if err != nil {
		return nil, err
	}
	defer s.close()
	files, err := s.clusters()
	if err != nil {
		return nil, err
	}
	s.setLatency(b.latency)
	var rows []fleetCost
	for _, verb := range fleetVerbs() {
		r := fleetCost{verb: verb}
		if r.took, err = s.fleet(ctx, verb); err != nil {
			return nil, err
		}
		if strings.Contains(verb, "--yes") {
			rows = append(rows, r)
			continue
		}
		if n <= 20 {
			begin := time.Now()
			for _, file := range files {
				if _, err := command(ctx, s.env(), s.tool, append([]string{verb, "-f", file}, s.words()...)...); err != nil {
					return nil, err
				}
			}
			r.single = time.Since(begin)
		}
		if err := r.shards(ctx, s); err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// shards takes the fleet in parts, and holds what they merge into against one run.
func (r *fleetCost) shards(ctx context.Context, s *site) error {
	var parts []string
	for i := range fleetShards {
		t, err := s.fleet(ctx, r.verb, "--shard", fmt.Sprintf("%d/%d", i, fleetShards), "-o", "json")
		if err != nil {
			return err
		}
		part := filepath.Join(s.home, fmt.Sprintf("shard-%d.json", i))
		parts = append(parts, part)
		if err := os.WriteFile(part, t.out, 0o600); err != nil {
			return err
		}
		found, err := summaryOf(t.out)
		if err != nil {
			return err
		}
		if r.largest < found.Clusters {
			r.largest = found.Clusters
		}
		r.shardPeak = max(r.shardPeak, t.memory)
	}
	merged, err := command(ctx, s.env(), s.tool, append([]string{"report", "merge", "-o", "json"}, parts...)...)
	if err != nil {
		return err
	}
	whole, err := s.fleet(ctx, r.verb, "-o", "json")
	if err != nil {
		return err
	}
	of, err := summaryOf(merged)
	if err != nil {
		return err
	}
	if want, err := summaryOf(whole.out); err != nil || of != want {
		return fmt.Errorf("the shards of %s merge into %+v, and one run finds %+v (%w)", r.verb, of, want, err)
	}
	return nil
}

// fleetSummary is that of a result.
type fleetSummary struct{ Clusters, OK, VCenters, Accounts, Changes, Missing, Excess int }

func summaryOf(document []byte) (fleetSummary, error) {
	var found struct{ Summary fleetSummary }
	err := json.Unmarshal(document, &found)
	return found.Summary, err
}

// clusters writes a provisioning file for a cluster on each vCenter, and gives their paths.
func (s *site) clusters() (paths []string, err error) {
	var whole struct {
		VCenters []json.RawMessage `json:"vcenters"`
	}
	text, err := s.spec(nil)
	if err == nil {
		err = json.Unmarshal(text, &whole)
	}
	for _, dir := range []string{"clusters", "credentials"} {
		if err == nil {
			err = os.Mkdir(filepath.Join(s.home, dir), 0o700)
		}
	}
	for i, v := range whole.VCenters {
		name := fmt.Sprintf("c%04d", i)
		path := filepath.Join(s.home, "clusters", name+".yaml")
		doc := fmt.Sprintf(`{"apiVersion": "ocp-vsphere-admin/v1", "kind": "Provisioning", "cluster": %q, "credentialsFile": "../credentials/%s", "vcenters": [%s]}`, name, name, v)
		if err == nil {
			err = os.WriteFile(path, []byte(doc), 0o600)
		}
		paths = append(paths, path)
	}
	return paths, err
}

// fleet runs a command over all clusters.
func (s *site) fleet(ctx context.Context, verb string, more ...string) (took, error) {
	var u used
	t, err := s.cost(func() (out []byte, err error) {
		args := append(strings.Fields(verb), "-f", filepath.Join(s.home, "clusters"))
		args = append(args, s.words()...)
		out, u, err = measured(ctx, s.home, s.env(), s.tool, append(args, more...)...)
		return out, err
	})
	t.cpu, t.memory = u.CPU, u.Memory
	return t, err
}

// words are the flags of all commands: addresses come from a settings file, which may name vCenters that a command is not about.
func (s *site) words() []string {
	settings := filepath.Join(s.home, "config.yaml")
	if _, err := os.Stat(settings); err != nil {
		text := fmt.Sprintf("cacert: %s\nadmin-credentials: %s\nconnect-to:\n", s.ca, s.admin)
		for _, v := range s.lab.VCenters {
			text += "- " + v.Server() + "=" + v.Addr() + "\n"
		}
		_ = os.WriteFile(settings, []byte(text), 0o600) // the command says what is missing
	}
	return []string{"--config", settings, "--no-input"}
}
