// Package provision is the job over all vCenters: it reads them, plans the difference to the specification, applies it, verifies
// it and undoes it.
//
// # Size
//
// Each job is a few functions over the same vCenters and their sessions. What can be said without a session is in rooms of its own:
// snapshot, decision, inspect, verify and report.
package provision

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/accounts"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/decision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/tags"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Request is what is asked of the vCenters of a specification.
type Request = snapshot.Request

// Options are everything that a Job needs: the request, and how to reach the vCenters. Config and Admin are required.
type Options struct {
	Request
	Config func(spec.VCenter) vcenter.Config                   // how to reach a vCenter
	Admin  func(ctx context.Context, s *vcenter.Session) error // logs the administrator in to a vCenter, in parallel to others

	// Accounts gives Verify the accounts of others' that the credentials file does not hold; nil = none.
	Accounts func(server string, c component.Name) (credfile.Account, bool)

	// Instances names the instance UUIDs that vCenters must have, by server: nobody logs in to another one; nil = any.
	Instances map[string]string

	Parallel int // vCenters at once; default all
	Progress func(server, step string)
	Pause    func(context.Context, time.Duration) error // lets time pass, on the sessions too; nil = really
}

// Job reads the vCenters of one request, and does on them what is decided. It is all that talks to a vCenter: what is decided
// is a function of [snapshot.Request] and [snapshot.Snapshot]. Close it.
type Job struct {
	*snapshot.Request
	o       Options
	targets []*target
	decided *execution // what the last plan came to
}

// execution is a decision on its way to the vCenters.
type execution struct {
	*decision.Decision
	work      plan.Steps // what does the changes
	rotations []*rotation
}

// target is one vCenter of a job, with the sessions on it.
type target struct {
	*snapshot.Snapshot // as it was read last
	session            *vcenter.Session
	directory          directory          // answers to what is asked later, and does what changes of accounts say
	accounts           []*vcenter.Session // of the accounts that are verified
}

// New checks nothing and reaches for nothing yet.
func New(o Options) *Job {
	if o.Pause == nil {
		o.Pause = vcenter.Pause
	}
	vcenters := len(o.Spec.VCenters) // that are worked on at once
	if o.Parallel > 0 {
		vcenters = min(o.Parallel, vcenters)
	}
	o.Config = sharing(o, vcenters)
	j := &Job{Request: snapshot.NewRequest(o.Request), o: o}
	for _, v := range o.Spec.VCenters {
		j.targets = append(j.targets, &target{Snapshot: snapshot.New(j.Request, v)})
	}
	return j
}

// sharing has all sessions of a job know what became of the others' logins, and wait as it does.
func sharing(o Options, vcenters int) func(spec.VCenter) vcenter.Config {
	run := &vcenter.Run{VCenters: vcenters}
	return func(v spec.VCenter) vcenter.Config {
		c := o.Config(v)
		if c.Run == nil {
			c.Run = run
		}
		if c.Pause == nil {
			c.Pause = o.Pause
		}
		return c
	}
}

// Close logs out everywhere where somebody is still logged in, on as many vCenters at once as asked for.
func (j *Job) Close(ctx context.Context) {
	var wg crash.Group
	wg.Limit(j.o.Parallel)
	for _, t := range j.targets {
		wg.Go(func() { t.close(ctx) })
	}
	wg.Wait()
}

// close logs out of one vCenter, at once. What was read of it stays.
func (t *target) close(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	var wg crash.Group
	for _, session := range append(t.accounts, t.session) {
		if session != nil {
			wg.Go(func() { session.Close(ctx) })
		}
	}
	wg.Wait()
	t.accounts, t.session = nil, nil
}

// execute does the changes of the last plan, all that are not done or those of only, and lets vCenters rest on which nothing is left to do.
func (j *Job) execute(ctx context.Context, p *plan.Plan, only func(*plan.Change) bool) {
	j.executeAnd(ctx, p, only, j.rest)
}

// executeAndClose is execute for a job that ends with it: it closes the sessions of a vCenter on which nothing is left to do, as a
// thousand of them need not stay open until the last one is done.
func (j *Job) executeAndClose(ctx context.Context, p *plan.Plan) {
	j.executeAnd(ctx, p, nil, func(t *target) { t.close(ctx) })
}

func (j *Job) executeAnd(ctx context.Context, p *plan.Plan, only func(*plan.Change) bool, finished func(*target)) {
	p.Execute(ctx, j.decided.work, plan.ExecuteOptions{Parallel: j.o.Parallel, Only: only, Done: j.counting(p), Finished: func(server string) {
		if t := j.target(server); t != nil {
			finished(t)
		}
	}})
}

// target is the vCenter with a name; nil if the job has none.
func (j *Job) target(server string) *target {
	for _, t := range j.targets {
		if t.VCenter.Server == server {
			return t
		}
	}
	return nil
}

// rest closes the connections of a vCenter that waits for the others to be read. It stays logged in. Where all vCenters
// are at work at once, the connections are needed again at once.
func (j *Job) rest(t *target) {
	if t.session != nil && j.o.Parallel > 0 && len(j.targets) > j.o.Parallel {
		t.session.Rest()
	}
}

// each reads every vCenter anew for a request with f, as many at once as asked for, and keeps each one's error to itself.
func (j *Job) each(ctx context.Context, q *snapshot.Request, f func(context.Context, *target) error) {
	for _, t := range j.targets {
		t.Snapshot = snapshot.New(q, t.VCenter)
	}
	var group, names crash.Group
	var instances map[string]string
	names.Go(func() { instances = j.instances(ctx, others(q)) })
	group.Limit(j.o.Parallel)
	for _, t := range j.targets {
		group.Go(func() { // one failing vCenter stops no other
			if err := vcenter.Ended(ctx); err != nil {
				t.Err = fmt.Errorf("%s: %w", t.VCenter.Server, err)
			} else {
				t.Err = crash.TryOn(t.VCenter.Server, func() error { return f(ctx, t) })
				j.rest(t)
			}
		})
	}
	group.Wait()
	names.Wait()
	if err := q.Name(j.all(), instances); err != nil {
		for _, t := range j.targets {
			t.Err = err
		}
	}
}

func (j *Job) progress(server, step string) {
	if j.o.Progress != nil {
		j.o.Progress(server, step)
	}
}

// connect logs the administrator in; the lookup service is asked meanwhile, because it needs no login.
func (j *Job) connect(ctx context.Context, t *target) error {
	if t.session != nil { // from an earlier plan
		t.reached()
		return nil
	}
	j.progress(t.VCenter.Server, "connecting")
	config := j.o.Config(t.VCenter)
	config.Discover = true // logins of several vCenters need to know whose SSO domain it is
	var err error
	if t.session, err = vcenter.Connect(ctx, config); err != nil {
		return err
	}
	t.reached()
	if want := j.o.Instances[t.VCenter.Server]; want != "" && want != t.Instance {
		err = hint.Errorf("check --connect-to and what the name resolves to",
			"%s: this is another vCenter: the plan was saved for instance UUID %s, but this one has %s", t.VCenter.Server, want, t.Instance)
	} else {
		err = j.o.Admin(ctx, t.session)
	}
	if err != nil {
		t.close(ctx)
		return err
	}
	t.Administrator = t.session.User
	return nil
}

// reached notes what a vCenter says of itself.
func (t *target) reached() {
	content := t.session.Content
	t.Version, t.Instance, t.Root, t.Administrator = content.About.Version, content.About.InstanceUuid, vcenter.Ref(content.RootFolder), t.session.User
}

// identify works out which SSO domain the vCenter belongs to. Vcenters with the same key share accounts.
func (j *Job) identify(ctx context.Context, t *target) error {
	peers, err := t.session.Peers(ctx)
	if err != nil {
		return err
	}
	d := &snapshot.Domain{DomainKey: strings.ToLower(t.SSO.Domain) + " " + slices.Min(peers), Peers: len(peers)}
	registered, err := t.session.Registered(ctx)
	if err != nil {
		return err
	}
	for _, r := range registered {
		d.Registered = append(d.Registered, snapshot.Registered(r))
	}
	t.Domain = d
	t.Request.Recognize(d, []*snapshot.Snapshot{t.Snapshot})
	t.Request.Generate(d, []*snapshot.Snapshot{t.Snapshot})
	return nil
}

// read gathers what the plan of a request needs, of all vCenters; linked ones are read too where what they hold decides what
// may be removed or disabled.
func (j *Job) read(ctx context.Context, q *snapshot.Request) *decision.Snapshots {
	j.each(ctx, q, j.gather)
	e := j.snapshots(q)
	e.Removes = true
	j.readDomains(ctx, e, q.Undoing || q.Prune || q.Op != accounts.Keep || e.MustDisableAny())
	if q.RecordPath() != "" && q.Undoing || q.Does(plan.Permission) && (q.Prune || len(q.Spec.Whole().Components) > 0 || q.Spec.NamesAccounts()) { // else no component works with somebody else's account
		if e.Displaced, e.DisplacedErr = credfile.OpenDisplaced(q.RecordPath(), q.Spec.Cluster); e.DisplacedErr != nil {
			e.Displaced = nil
		}
	}
	return e
}

// snapshots is what was read of the vCenters last.
func (j *Job) snapshots(q *snapshot.Request) *decision.Snapshots {
	e := decision.SnapshotsOf(q, j.all())
	e.Join()
	return e
}

func (j *Job) all() (all []*snapshot.Snapshot) {
	for _, t := range j.targets {
		all = append(all, t.Snapshot)
	}
	return all
}

// gather reads everything that the plan needs of one vCenter. Nothing waits for what it does not need: five dependent round
// trips.
func (j *Job) gather(ctx context.Context, t *target) error {
	if err := j.connect(ctx, t); err != nil {
		return err
	}
	j.progress(t.VCenter.Server, "reading")
	var wg crash.Group
	errs := make([]error, 4)
	wg.Go(func() { t.Inventory, errs[0] = t.session.Find(ctx, t.Request.Paths(t.VCenter)) })
	var all []perms.Permission
	wg.Go(func() { t.Roles, errs[1] = roles.Read(ctx, t.session) })
	wg.Go(func() { all, errs[2] = perms.Read(ctx, t.session) })
	var global perms.Global
	wg.Go(func() { global = perms.ReadGlobal(ctx, t.session) })
	wg.Go(func() { errs[3] = j.readSSO(ctx, t) })
	wg.Wait()
	if err := t.session.Join(errs...); err != nil {
		return err
	}
	t.Perms = perms.Of(t.VCenter.Server, all, t.KeyOf).With(global, t.KeyOf)
	t.Facts = t.Request.Classify(t.Roles)
	if t.Request.CreateTags {
		var err error
		if t.Tags, err = tags.Read(ctx, t.session, t.Tagged()); err != nil {
			return err
		}
	}
	if t.Request.Looking {
		t.Presume()
		if err := t.reads(ctx); err != nil {
			return err
		}
	}
	if err := t.trace(ctx); err != nil {
		return err
	}
	wait := j.askNeeding(ctx, t)
	defer wait()
	return t.session.Include(ctx, t.Inventory, t.Concerned())
}
