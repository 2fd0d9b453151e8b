package many

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/fleet"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Change is what a command changes on each cluster.
type Change struct {
	Verb   string // the command
	Asked  any    // the options that decide what it changes
	Covers any    // those of them that its plan's digest covers besides the specification and its steering
	Proves bool   // it asks a cluster what it uses, as proof

	// Do does it for one, as the command does: with --dry-run, or with consent.
	Do func(context.Context, *job.Options) error
	// Verify verifies one, by a kubeconfig what it uses; it notes figures and findings.
	Verify func(ctx context.Context, o *job.Options, kubeconfig string, c *fleet.Cluster) error
}

type waves struct {
	*work
	*WaveFlags
	Change
	store *fleet.Store // nil = none
	began time.Time

	mu      sync.Mutex
	among   map[string]*job.Among // by cluster
	changed []fleet.Member        // by an earlier run, and not to be changed again
	found   map[string]*fleet.Cluster
}

// Run plans the change for all clusters, asks once, and makes it in waves.
func (m *WaveFlags) Run(ctx context.Context, does Change) error {
	w, err := m.begin(ctx, Command{Verb: does.Verb, Asked: does.Asked})
	if err != nil {
		return err
	}
	for i, err := range fleet.Contested(w.members, m.job.Home) {
		if err != nil {
			w.members[i].Spec, w.members[i].Err = nil, err
		}
	}
	x := &waves{work: w, WaveFlags: m, Change: does, began: time.Now(), among: map[string]*job.Among{}, found: map[string]*fleet.Cluster{}}
	if !m.job.DryRun {
		if x.store, err = m.store(does.Verb, does.Asked, true); err != nil {
			return err
		}
	}
	defer x.store.Close()
	defer x.watch()()
	r := x.runner("planning", x.plan)
	if x.store != nil {
		r.Kept = x.before
	}
	planned := r.Run(ctx, x.members)
	x.progress.Close()
	if ctx.Err() != nil {
		return hint.Wrap(context.Cause(ctx), "nothing was done")
	}
	return x.agree(ctx, fleet.New(does.Verb, m.tool(), x.began, nil, planned))
}

// before takes what an earlier run has made of a cluster; of one that it only planned, the plan.
func (x *waves) before(m fleet.Member) (fleet.Cluster, bool) {
	c, ok := x.kept(x.store, m)
	if !ok {
		return c, false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if c.Outcome != fleet.Left {
		x.changed = append(x.changed, m)
		return c, true
	}
	earlier := new(plan.Plan)
	if json.Unmarshal(c.Document, earlier) == nil {
		x.among[m.Name] = &job.Among{Earlier: earlier}
	}
	return c, false
}

func (x *waves) plan(ctx context.Context, o *job.Options, m fleet.Member, c *fleet.Cluster) (any, error) {
	if err := x.set(o, m.Name); err != nil {
		return nil, err
	}
	o.DryRun, o.Factory.Output, o.Factory.Quiet = true, term.FormatJSON, true // without words for a reader
	err := x.Do(ctx, o)
	if a := o.Among; a.Plan != nil {
		c.Noted(a.Plan)
		c.Findings = Problems(a.Plan.Findings)
		switch {
		case a.Complete: // killed before it was kept
			x.mu.Lock()
			defer x.mu.Unlock()
			x.changed, err = append(x.changed, m), command.Exit(command.ExitDifferent)
		case err == nil && (a.Differ || a.Stays != nil):
			err = command.Exit(command.ExitDifferent)
		}
		return x.document(a.Plan), err
	}
	return nil, err
}

// document is a plan where somebody reads it; nil = nobody does, and none stays in memory.
func (x *waves) document(p *plan.Plan) any {
	if x.Output == term.FormatTable && x.store == nil {
		return nil
	}
	return p
}

// set gives a command its part in the change and the proof of its cluster.
func (x *waves) set(o *job.Options, name string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.among[name] == nil {
		x.among[name] = &job.Among{}
	}
	x.among[name].Covers = x.Covers
	o.Among, o.Yes = x.among[name], true
	if o.Used.Dump != "" {
		o.Used.Dump = filepath.Join(o.Used.Dump, name+".yaml")
		return nil
	}
	path, err := x.kubeconfig(name)
	if x.Proves && !o.Used.Applied {
		o.Used.Cluster.Kubeconfig = path
	}
	return err
}

// agree shows the plan of all clusters, asks, and makes it.
func (x *waves) agree(ctx context.Context, r *fleet.Result) error {
	planned := *r
	planned.Command += dryRun
	var todo []string
	var stays []*fleet.Cluster // with what this change does not mend
	for i := range r.Clusters {
		c := &r.Clusters[i]
		x.found[c.Name] = c
		if a := x.among[c.Name]; a != nil && a.Stays != nil && c.Outcome == fleet.Different {
			stays = append(stays, c)
		} else if c.Outcome == fleet.Different && !slices.ContainsFunc(x.changed, func(m fleet.Member) bool { return m.Name == c.Name }) {
			todo = append(todo, c.Name)
		}
	}
	show := func() error {
		err := Show(x.Factory, &planned)
		if len(todo) > 0 && x.Output == term.FormatTable && x.Verb != "apply" {
			x.Suggest("to see one of them:", x.forOne(x.found[todo[0]].File))
		}
		return err
	}
	if x.job.DryRun {
		return command.Joined(show(), Judge(x.Factory, r, false))
	}
	refusal := x.refusal(r)
	if refusal != nil || len(todo) > 0 && x.Output == term.FormatTable {
		if err := show(); err != nil || refusal != nil {
			return command.Joined(err, refusal)
		}
	}
	if len(todo) > 0 && !x.Yes {
		if x.Output != term.FormatTable { // stdout is for the report
			x.Infof("%s", Verdict(&planned))
		}
		of := x.cut(todo)
		if err := x.Agree(ctx, command.Consent{Subject: x.Verb, Question: fmt.Sprintf(
			"change %s in %s, %d first?", term.Count(len(todo), "cluster"), term.Count(len(of), "wave"), len(of[0]))}); err != nil {
			return err
		}
	}
	for _, c := range stays {
		c.Fail(x.among[c.Name].Stays)
	}
	return x.make(ctx, r, todo)
}

// forOne is the same command for one cluster, which shows its plan.
func (x *waves) forOne(file string) string {
	words := x.TypedWithout([]string{
		"-f", "--file", "--clusters", "--secrets", "--" + resultsFlag, "--" + digestFlag,
		"--" + canaryFlag, "--" + batchFlag, "--" + maxFailuresFlag, "--" + kubeconfigsFlag,
	}, "--"+resumeFlag, "--yes", "--force", "--dry-run")
	words = slices.DeleteFunc(words, func(w string) bool { return strings.HasPrefix(w, "-f") }) // -fDIR
	return script.Line(slices.Concat([]string{x.Program}, words, []string{"-f", file, "--dry-run"})...)
}

// refusal is why nothing may be done of a plan; nil = it may.
func (x *waves) refusal(r *fleet.Result) error {
	switch {
	case r.Summary.Failed >= x.MaxFailures:
		var good []string
		for _, c := range r.Clusters {
			if c.Outcome != fleet.Failed {
				good = append(good, c.Name)
			}
		}
		err := errors.Join(unseen(x.Factory, r), fmt.Errorf("%s could not be planned (--%s %d); nothing was done",
			term.Count(r.Summary.Failed, "cluster"), maxFailuresFlag, x.MaxFailures))
		if good == nil {
			return err
		}
		return hint.Wrap(err, "mend them, or leave them out: --clusters "+strings.Join(good, ","))
	case x.Digest == "" || x.Digest == r.PlanDigest:
		return nil
	case r.PlanDigest == "":
		return command.BadFlag(digestFlag, "not every cluster could be planned, so the plan cannot be compared; nothing was done")
	}
	return hint.Wrap(command.BadFlag(digestFlag, "the current plan has the digest %s, not the approved one; nothing was done", r.PlanDigest),
		"have the current plan approved; a run with --results that was interrupted goes on with --resume and the same digest")
}

// make changes the clusters wave by wave, and prints the result.
func (x *waves) make(ctx context.Context, r *fleet.Result, todo []string) error {
	for _, name := range todo { // so that a run that is killed goes on with the plans that were agreed to
		c := x.found[name]
		c.Outcome = fleet.Left
		x.store.Keep(*c)
	}
	defer x.watch()()
	failed := r.Summary.Failed + x.proved(ctx, x.changed) // of an earlier run: a file alone proves nothing
	for i, wave := range x.cut(todo) {
		if failed >= x.MaxFailures || ctx.Err() != nil || x.store.Err() != nil {
			break
		}
		now := x.wave(ctx, i+1, wave, x.MaxFailures-failed)
		if failed += now; i == 0 && x.Canary > 0 && now == len(wave) {
			break
		}
	}
	x.progress.Close()
	end := fleet.New(x.Verb, x.tool(), x.began, nil, r.Clusters)
	if end.Summary.OK == end.Summary.Clusters {
		x.store.Finish(end)
	}
	err := command.Joined(Show(x.Factory, end), unkept(x.store))
	x.goOn(end)
	if err == nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return command.Joined(err, x.outcome(end))
}

// outcome is the exit error of a change.
func (x *waves) outcome(r *fleet.Result) error {
	switch s := r.Summary; s.Clusters {
	case s.OK:
		return nil
	case s.Failed + s.Left:
		return exit(x.Factory, r, command.ExitFailed)
	default:
		return exit(x.Factory, r, command.ExitPartly)
	}
}

func (x *waves) member(name string) fleet.Member {
	return x.members[slices.IndexFunc(x.members, func(m fleet.Member) bool { return m.Name == name })]
}

// wave changes its clusters one after the other, verifies those, and counts failures, up to most.
func (x *waves) wave(ctx context.Context, number int, names []string, most int) (failed int) {
	var made []fleet.Member
	for _, name := range names {
		if failed >= most || ctx.Err() != nil {
			break
		}
		m, c := x.member(name), x.found[name]
		c.Wave = number
		became := x.runner("changing", x.change).Run(ctx, []fleet.Member{m})
		if became == nil { // the interrupt cut it off
			c.Fail(errors.New("interrupted"))
			break
		}
		if *c = became[0]; c.Outcome != fleet.OK {
			failed++
			continue
		}
		c.Outcome, c.Digest = fleet.Different, x.digestNow(m) // until it is verified
		x.store.Keep(*c)
		made = append(made, m)
	}
	return failed + x.proved(ctx, made)
}

// digestNow is the digest of a specification with what its change wrote into the state file.
func (x *waves) digestNow(m fleet.Member) string {
	s, err := spec.Load(m.File)
	if err != nil {
		return digest(m.Spec)
	}
	to := x.job.Connection.Source.ConnectTo.ForEach()
	_ = to.Apply(s) // checked before
	return digest(s)
}

// proved verifies clusters that were changed, and counts those that are not as they must be.
func (x *waves) proved(ctx context.Context, made []fleet.Member) (failed int) {
	for _, m := range made {
		c := x.found[m.Name]
		c.Outcome, c.Error = fleet.Different, "it was changed, and not verified: interrupted"
	}
	for _, v := range x.runner("verifying", x.verify).Run(ctx, made) {
		c := x.found[v.Name]
		v.Warnings, v.Document, v.Wave, v.Digest = append(c.Warnings, v.Warnings...), c.Document, c.Wave, c.Digest
		v.Seconds, v.Requests, v.PlanDigest = c.Seconds+v.Seconds, c.Requests+v.Requests, c.PlanDigest
		for i := range v.VCenters {
			for _, before := range c.VCenters {
				if before.Server == v.VCenters[i].Server {
					v.VCenters[i].Changes = before.Changes
				}
			}
		}
		if v.Outcome != fleet.OK { // whatever the reason, it is changed
			v.Outcome = fleet.Different
			failed++
		}
		*c = v
		x.store.Keep(*c)
	}
	return failed
}

func (x *waves) change(ctx context.Context, o *job.Options, m fleet.Member, c *fleet.Cluster) (any, error) {
	if err := x.set(o, m.Name); err != nil {
		return nil, err
	}
	c.Wave, c.PlanDigest = x.found[m.Name].Wave, x.found[m.Name].PlanDigest
	o.Factory.Output, o.Factory.Quiet = term.FormatTable, true // what is left to do, in words
	err := x.Do(ctx, o)
	if p := o.Among.Made; p != nil && p.Kind == plan.KindApplied {
		digest := c.PlanDigest
		c.Noted(p)
		c.PlanDigest, c.Findings = digest, Problems(p.Findings)
		return x.document(p), err
	}
	return nil, err
}

func (x *waves) verify(ctx context.Context, o *job.Options, m fleet.Member, c *fleet.Cluster) (any, error) {
	o.Purpose, o.Used, o.DryRun = job.Purpose{}, command.UsedFlags{}, false
	path, err := x.kubeconfig(m.Name)
	if err == nil {
		err = x.Verify(ctx, o, path, c)
	}
	return nil, err
}

// goOn prints the command that goes on with what is not done. What was changed and does not verify
// is named by [Show], with --resume verified again.
func (x *waves) goOn(r *fleet.Result) {
	var rest []string
	for _, c := range r.Clusters {
		if c.Outcome == fleet.Failed || c.Outcome == fleet.Left || c.Outcome == fleet.Different && x.Results != "" {
			rest = append(rest, c.Name)
		}
	}
	if rest == nil {
		return
	}
	own, words := []string{"--" + resumeFlag}, x.TypedWithout(nil, "--"+resumeFlag)
	if x.Results == "" {
		own = []string{"--clusters", strings.Join(rest, ",")}
		var bare []string
		if x.Digest != "" { // which is not that of the rest: the person is asked
			bare = []string{"--yes"}
		}
		words = x.TypedWithout([]string{"--clusters", "--" + digestFlag}, bare...)
	}
	x.Factory.Command("to go on with "+lists.Few(rest)+":", script.Line(slices.Concat([]string{x.Program}, words, own)...))
}
