// Package provision is the job over all vCenters: it reads them, plans the difference to the
// specification, applies it, verifies it and undoes it.
//
// # Size
//
// Each job is a few functions over the same vCenters and their sessions. What can be said without a
// session is in rooms of its own: snapshot, decision, inspect, verify and report.
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
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
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

// Options are a Job's request and how to reach the vCenters. Config and Admin are required.
type Options struct {
	Request Request
	Config  func(spec.VCenter) vcenter.Config                   // how to reach a vCenter
	Admin   func(ctx context.Context, s *vcenter.Session) error // logs in, in parallel with others

	// Accounts gives Verify accounts of others that the credentials file lacks; nil = none.
	Accounts func(server string, c component.Name) (credfile.Account, bool)

	// Instances has the required instance UUIDs, by server: other vCenters get no login; nil = any.
	Instances map[string]string

	Offline  bool // Plan asks no vCenter: see [snapshot.Unread]
	Parallel int  // vCenters at once; default all
	Progress func(server, step string)
	Waits    func(text string)                          // says what all vCenters wait for; nil = nowhere
	Pause    func(context.Context, time.Duration) error // waits, on the sessions too; nil = really
}

// Job reads the vCenters of one request and changes them as decided. Close it.
type Job struct {
	Request *snapshot.Request
	o       Options
	targets []*target
	decided *execution // of the last plan
}

// execution is a decision with the steps that carry it out.
type execution struct {
	decision  *decision.Decision
	work      plan.Steps // makes the changes
	rotations []*rotation
}

// target is one vCenter of a job, with its sessions.
type target struct {
	at        *snapshot.Snapshot // the last one read
	session   *vcenter.Session
	directory directory          // reads and changes accounts
	accounts  []*vcenter.Session // of the accounts to verify
	lost      bool               // doctor has said why it is not read
}

// New makes a job without connecting.
func New(o Options) *Job {
	if o.Pause == nil {
		o.Pause = vcenter.Pause
	}
	vcenters := len(o.Request.Spec.VCenters) // worked on at once
	if o.Parallel > 0 {
		vcenters = min(o.Parallel, vcenters)
	}
	o.Config = sharing(o, vcenters)
	j := &Job{Request: snapshot.NewRequest(o.Request), o: o}
	for _, v := range o.Request.Spec.VCenters {
		j.targets = append(j.targets, &target{at: snapshot.New(j.Request, v)})
	}
	return j
}

// sharing lets all sessions of a job share the results of logins, and its clock.
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

// Close logs out everywhere, on as many vCenters at once as requested.
func (j *Job) Close(ctx context.Context) {
	var wg crash.Group
	wg.Limit(j.o.Parallel)
	for _, t := range j.targets {
		wg.Go(func() { t.close(ctx) })
	}
	wg.Wait()
}

// close logs out of one vCenter. Its snapshot stays.
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

// execute makes the last plan's changes, selected by only, and frees finished connections.
func (j *Job) execute(ctx context.Context, p *plan.Plan, only func(*plan.Change) bool) {
	j.executeAnd(ctx, p, only, j.disconnect)
}

// executeAndClose executes a job's last plan and logs out of each finished vCenter at once.
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

// target returns the vCenter with a name; nil if none.
func (j *Job) target(server string) *target {
	for _, t := range j.targets {
		if t.at.VCenter.Server == server {
			return t
		}
	}
	return nil
}

// disconnect closes a waiting vCenter's connections, not its session, unless all run at once.
func (j *Job) disconnect(t *target) {
	if t.session != nil && j.o.Parallel > 0 && len(j.targets) > j.o.Parallel {
		t.session.Rest()
	}
}

// each reads every vCenter anew for a request with f, in parallel, and keeps each one's error.
func (j *Job) each(ctx context.Context, q *snapshot.Request, f func(context.Context, *target) error) {
	for _, t := range j.targets {
		t.at = snapshot.New(q, t.at.VCenter)
	}
	var group, names crash.Group
	var instances map[string]string
	names.Go(func() { instances = j.instances(ctx, others(q)) })
	group.Limit(j.o.Parallel)
	for _, t := range j.targets {
		group.Go(func() { // a failing vCenter does not stop others
			if err := vcenter.Ended(ctx); err != nil {
				t.at.Err = fmt.Errorf("%s: %w", t.at.VCenter.Server, err)
			} else {
				t.at.Err = crash.TryOn(t.at.VCenter.Server, func() error { return f(ctx, t) })
				j.disconnect(t)
			}
		})
	}
	group.Wait()
	names.Wait()
	if err := q.Name(j.all(), instances); err != nil {
		for _, t := range j.targets {
			t.at.Err = err
		}
	}
}

func (j *Job) progress(server, step string) {
	if j.o.Progress != nil {
		j.o.Progress(server, step)
	}
}

// connect logs the administrator in, and meanwhile asks the lookup service, which needs no login.
func (j *Job) connect(ctx context.Context, t *target) error {
	if t.lost {
		return fmt.Errorf("%s: not read, because a check failed", t.at.VCenter.Server)
	}
	if t.session != nil { // from an earlier plan
		t.reached()
		return nil
	}
	j.progress(t.at.VCenter.Server, "connecting")
	config := j.o.Config(t.at.VCenter)
	config.Discover = true // logins depend on their SSO domains
	var err error
	if t.session, err = vcenter.Connect(ctx, config); err != nil {
		return err
	}
	t.reached()
	if want := j.o.Instances[t.at.VCenter.Server]; want != "" && want != t.at.Instance {
		err = hint.Errorf("check --connect-to and what the name resolves to",
			"%s: this is another vCenter: the plan was saved for instance UUID %s, but this one has %s",
			t.at.VCenter.Server, want, t.at.Instance)
	} else {
		err = j.o.Admin(ctx, t.session)
	}
	if err != nil {
		t.close(ctx)
		return err
	}
	t.at.Administrator = t.session.User
	return nil
}

func (t *target) reached() {
	content := t.session.Content
	t.at.Version, t.at.Instance, t.at.Root, t.at.Administrator = content.About.Version, content.About.InstanceUuid,
		vcenter.Ref(content.RootFolder), t.session.User
}

// identify finds the vCenter's SSO domain. vCenters with the same key share accounts.
func (j *Job) identify(ctx context.Context, t *target) error {
	peers, err := t.session.Peers(ctx)
	if err != nil {
		return err
	}
	d := &snapshot.Domain{Key: strings.ToLower(t.at.SSO.Domain) + " " + slices.Min(peers), Peers: len(peers)}
	registered, err := t.session.Registered(ctx)
	if err != nil {
		return err
	}
	for _, r := range registered {
		d.Registered = append(d.Registered, snapshot.Registered(r))
	}
	t.at.Domain = d
	t.at.Request.Recognize(d, []*snapshot.Snapshot{t.at})
	t.at.Request.Generate(d, []*snapshot.Snapshot{t.at})
	return nil
}

// read gathers what a request's plan needs, also of linked vCenters that decide about removal.
func (j *Job) read(ctx context.Context, q *snapshot.Request) *decision.Snapshots {
	if j.o.Offline {
		for _, t := range j.targets {
			t.at = snapshot.Unread(q, t.at.VCenter)
		}
	} else {
		j.each(ctx, q, j.gather)
	}
	e := j.snapshots(q)
	e.Removes = true
	j.readDomains(ctx, e, q.Undoing || q.Prune || q.Op != accounts.Keep || e.MustDisableAny())
	// else no component uses an account of others
	if q.RecordPath() != "" && q.Undoing || q.Does(plan.Permission) &&
		(q.Prune || len(q.Spec.Whole().Components) > 0 || q.Spec.NamesAccounts()) {
		if e.Displaced, e.DisplacedErr = credfile.OpenDisplaced(q.RecordPath(), q.Spec.Cluster); e.DisplacedErr != nil {
			e.Displaced = nil
		}
	}
	return e
}

func (j *Job) snapshots(q *snapshot.Request) *decision.Snapshots {
	e := decision.SnapshotsOf(q, j.all())
	e.Join()
	return e
}

func (j *Job) all() (all []*snapshot.Snapshot) {
	for _, t := range j.targets {
		all = append(all, t.at)
	}
	return all
}

// gather reads what the plan needs of one vCenter, in parallel: five dependent round trips.
func (j *Job) gather(ctx context.Context, t *target) error {
	if err := j.connect(ctx, t); err != nil {
		return err
	}
	j.progress(t.at.VCenter.Server, "reading")
	var wg crash.Group
	errs := make([]error, 2)
	var all []perms.Permission
	request := t.at.Request // settled by its accounts meanwhile
	wg.Go(func() { all, errs[0] = t.readObjects(ctx, request) })
	var global perms.Global
	wg.Go(func() { global = perms.ReadGlobal(ctx, t.session) })
	wg.Go(func() { errs[1] = j.readSSO(ctx, t) })
	wg.Wait()
	if err := t.session.Join(errs...); err != nil {
		return err
	}
	t.at.Perms = perms.Of(t.at.VCenter.Server, all, t.at.KeyOf).With(global, t.at.KeyOf)
	if t.at.Request.ReadsTags() {
		t.at.Tags, t.at.TagsErr = tags.Read(ctx, t.session, t.at.Tagged())
		if t.at.TagsErr != nil && t.at.Request.CreateTags {
			return t.at.TagsErr
		}
	}
	if t.at.Request.Looking {
		t.at.Presume()
		if err := t.reads(ctx); err != nil {
			return err
		}
	}
	if err := t.trace(ctx); err != nil {
		return err
	}
	wait := j.askNeeding(ctx, t)
	defer wait()
	return t.session.Include(ctx, t.at.Inventory, t.at.Concerned())
}

// readObjects reads roles, permissions and objects: specified ones and those with roles of ours.
func (t *target) readObjects(ctx context.Context, q *snapshot.Request) (all []perms.Permission, err error) {
	var wg crash.Group
	errs := make([]error, 3)
	wg.Go(func() { t.at.Inventory, errs[0] = t.session.Find(ctx, q.Paths(t.at.VCenter)) })
	wg.Go(func() { t.at.Roles, errs[1] = roles.Read(ctx, t.session) })
	wg.Go(func() { all, errs[2] = perms.Read(ctx, t.session) })
	wg.Wait()
	if err := t.session.Join(errs...); err != nil {
		return nil, err
	}
	t.at.Facts = q.Classify(t.at.Roles)
	if at := q.Unkeyed(t.at.VCenter, t.at.Inventory); len(at) > 0 {
		wg.Go(func() { t.at.Encrypted, errs[1] = t.session.Encrypted(ctx, at, mostMachines) })
	}
	var refs []inventory.Ref
	for _, p := range all {
		if t.at.Facts[p.RoleID].Ours() {
			refs = append(refs, p.Entity)
		}
	}
	errs[0] = t.session.Include(ctx, t.at.Inventory, refs)
	wg.Wait()
	return all, t.session.Join(errs...)
}
