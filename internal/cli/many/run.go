// Package many does the same for many clusters, for the commands that take several specifications.
package many

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/savedplan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/decision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/fleet"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/heap"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Command is what one run does for each cluster.
type Command struct {
	Verb      string // [fleet.Plan], [fleet.Verify] or [fleet.Report]
	Asked     any    // the options that decide what is found
	Steering  savedplan.Steering
	Differing bool     // a difference is an exit code
	Own       []string // options of the same command for one that differs
	Documents bool     // After needs them

	// Look does it for one: it returns its document and exit error, and fills in figures.
	Look   func(ctx context.Context, w *job.Run, c *fleet.Cluster) (document any, err error)
	Before func([]fleet.Member) error // refuses before anything is read; nil = nothing
	After  func(*fleet.Result) error  // does something with the result; nil = nothing
}

type work struct {
	Command
	*command.Factory
	flags *Flags

	members []fleet.Member
	admin   *command.Administrators
	tls     command.TLSOptions
	logins  *vcenter.Run // of the whole run: one that was refused is not tried again

	progress *term.Progress // live lines of the clusters
}

func (m *Flags) begin(ctx context.Context, does Command) (*work, error) {
	w := &work{Command: does, Factory: m.job.Factory, flags: m, logins: &vcenter.Run{VCenters: m.job.Parallel}}
	var err error
	if w.members, err = m.members(); err != nil {
		return nil, err
	}
	if does.Verb == fleet.Plan { // which apply refuses
		for _, err := range fleet.Contested(w.members, m.job.Home) {
			if err != nil {
				w.Warnf("%s", err)
			}
		}
	}
	if does.Before != nil {
		if err := does.Before(w.members); err != nil {
			return nil, err
		}
	}
	w.silenced()
	all, from := servers(w.members), &m.job.Connection
	admin, adminErr := from.Admin.Resolve(w.Factory, all...)
	tls, tlsErr := from.TLS.Resolve(w.Streams, all)
	if err := errors.Join(adminErr, tlsErr); err != nil {
		return nil, err
	}
	w.admin, w.tls = admin, tls
	switch {
	case !admin.NeedAsking(all): // a vCenter without a login is the error of its cluster
		return w, nil
	case m.asked != nil: // for an earlier run
		w.admin = m.asked
		return w, nil
	}
	everything := &spec.Spec{}
	for _, of := range w.members {
		if of.Spec != nil {
			everything.VCenters = append(everything.VCenters, of.Spec.VCenters...)
		}
	}
	err = w.AskLogins(ctx, admin, everything, w.Reach(everything, from.Source.ConnectTo, tls))
	admin.Asked, m.asked = true, admin
	return w, err
}

func (w *work) run(ctx context.Context) (*fleet.Result, error) {
	began := time.Now()
	store, err := w.flags.store(w.Verb, w.Asked, false)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	defer w.watch()()
	r := w.runner(map[string]string{fleet.Plan: "planning", fleet.Verify: "verifying", fleet.Report: "reporting"}[w.Verb], w.look(store != nil))
	if store != nil {
		r.Kept = func(m fleet.Member) (fleet.Cluster, bool) { return w.kept(store, m) }
		r.Keep = store.Keep
	}
	found := r.Run(ctx, w.members)
	w.progress.Close()
	if ctx.Err() != nil && len(found) < len(w.members) {
		return nil, w.interrupted(ctx, len(found))
	}
	result := fleet.New(w.Verb, w.flags.tool(), began, w.flags.shard(), found)
	store.Finish(result)
	err = unkept(store)
	if w.After != nil {
		err = errors.Join(err, w.After(result))
	}
	return result, err
}

// watch shows live lines of the clusters, which questions hide, until stop.
func (w *work) watch() (stop func()) {
	var names []string
	for _, m := range w.members {
		names = append(names, m.Name)
	}
	w.progress = w.Progress(names)
	w.admin.Hold = w.progress.Hold
	if len(names) > w.Parallel {
		heap.Bound(len(names))
	}
	return w.progress.Close
}

// does something for a cluster and notes what comes of it; the document is what -o json prints of it.
type does func(ctx context.Context, o *job.Options, m fleet.Member, c *fleet.Cluster) (document any, err error)

// runner does it for clusters, several at once; doing is what live lines call it.
func (w *work) runner(doing string, do does) fleet.Runner {
	r := fleet.Runner{Parallel: w.Parallel}
	r.Look = func(ctx context.Context, m fleet.Member, c *fleet.Cluster) {
		w.progress.Set(m.Name, doing)
		w.one(ctx, m, c, r.Weight(m), do)
		w.progress.Done(m.Name, string(c.Outcome))
	}
	return r
}

// look opens the job of a cluster that is only looked at; kept = its document is.
func (w *work) look(kept bool) does {
	documents := !w.flags.Brief && (w.Output != term.FormatTable || kept || w.Documents)
	params := job.Params{Looking: true}
	if w.Verb != fleet.Plan { // plan logs in with no account
		params.Accounts = &job.AccountFlags{}
	}
	return func(ctx context.Context, o *job.Options, m fleet.Member, c *fleet.Cluster) (any, error) {
		run, err := o.Open(ctx, job.Request{
			Params: params, Steering: w.Steering, Invocation: o.Said, Wanted: m.Spec, Admin: w.admin, TLS: w.tls,
		})
		if err != nil {
			return nil, err
		}
		defer run.Finish()
		found, err := w.Look(ctx, run, c)
		if !documents {
			found = nil
		}
		return found, err
	}
}

// kept is what an interrupted run found of a cluster.
func (w *work) kept(store *fleet.Store, m fleet.Member) (fleet.Cluster, bool) {
	if !w.flags.Resume || m.Spec == nil {
		return fleet.Cluster{}, false
	}
	c, ok := store.Kept(m.Name, digest(m.Spec), time.Now())
	if ok {
		w.progress.Done(m.Name, string(c.Outcome)+", as kept")
	}
	return c, ok
}

// interrupted says how to continue a run that was cut off. Its incomplete result is dropped.
func (w *work) interrupted(ctx context.Context, done int) error {
	if w.flags.Results == "" {
		return context.Cause(ctx)
	}
	again := "run the same command again to go on"
	if !w.flags.Resume {
		again = "run the same command with --" + resumeFlag + " to go on"
	}
	return hint.Errorf(again, "interrupted: %d of %s done", done, term.Count(len(w.members), "cluster"))
}

func (w *work) one(ctx context.Context, m fleet.Member, c *fleet.Cluster, parallel int, do does) {
	c.Digest = digest(m.Spec)
	talk := &lines{}
	credentials, err := m.Spec.CredentialsPath(w.Home) // without the variable, which is no cluster's
	if err != nil {
		c.Fail(err)
		return
	}
	c.Credentials = credentials
	f := w.Apart(ofCluster(w.Factory, m.File, command.Servers(m.Spec), credentials), talk, parallel)
	f.Logins = w.logins
	o := *w.flags.job
	o.Factory, o.CredentialsFile.Path, o.Connection.Shared = f, credentials, &command.Shared{Admin: w.admin, TLS: w.tls}
	source := &o.Connection.Source
	source.File, source.Files, source.ConnectTo = m.File, nil, source.ConnectTo.ForEach()
	found, err := do(ctx, &o, m, c)
	if found != nil {
		var encoded error
		c.Document, encoded = json.Marshal(found)
		err = command.Joined(err, encoded)
	}
	c.Requests, c.Warnings = f.Calls.Load(), talk.all()
	var coded *command.ExitError
	switch {
	case err == nil:
		c.Outcome = fleet.OK
	case errors.As(err, &coded) && coded.Code == command.ExitDifferent:
		c.Outcome = fleet.Different
	case coded != nil && coded.Err == nil:
		hints := []string{"accept it with --allow unseen", decision.LetSee}
		if w.Verb == fleet.Report {
			hints = hints[1:]
		}
		c.Fail(hint.Wrap(errors.New("accounts and groups of the SSO domain could not be read"), hints...))
	default:
		c.Fail(err)
	}
}

// ofCluster is the invocation for one cluster, with the credentials file despite a variable.
func ofCluster(f *command.Factory, file string, servers []string, credentials string) command.Invocation {
	inv := f.Said.About(servers).With("file", file)
	if credentials != "" && f.Getenv(credfile.Variable) != "" {
		inv = inv.With(command.CredentialsFileFlag, credentials)
	}
	return inv
}

// silenced warns once that a variable names one credentials file for all clusters.
func (w *work) silenced() {
	if w.Getenv(credfile.Variable) == "" {
		return
	}
	for _, m := range w.members {
		if m.Spec != nil && m.Spec.CredentialsFile != "" {
			w.Warnf("%s is set and not read where a specification names its credentials file; commands for one cluster read it: unset it", credfile.Variable)
			return
		}
	}
}

type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

var _ io.Writer = (*lines)(nil)

func (l *lines) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(text)
}

// all are the lines, each once.
func (l *lines) all() (all []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.text.String()) {
		if line = strings.TrimRight(line, "\n"); line != "" && !slices.Contains(all, line) {
			all = append(all, line)
		}
	}
	return all
}
