package job

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/diagnosis"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// ReadOnly are the options of a command that only reads one kind and needs only a vCenter's name.
func ReadOnly(f *command.Factory, kind plan.Kind) Options {
	return Options{Factory: f, Purpose: Purpose{Only: kind, ReadOnly: true}}
}

// RegisterReadOnly adds its flags.
func (o *Options) RegisterReadOnly(cmd *cobra.Command) {
	o.Register(cmd)
	if o.Only != plan.Role {
		o.RegisterCluster(cmd)
	}
}

// Wants reports whether --components is empty or names a component.
func (o *Options) Wants(component string) bool {
	only := o.Connection.Source.Components
	return len(only) == 0 || slices.Contains(only, component)
}

// ReportUnread prints what is unknown. Its error has exit code 3 if other vCenters were read.
func (o *Options) ReportUnread(results inspect.Results) error {
	if o.Output == term.FormatTable {
		var notes []string
		at := map[string][]string{}
		for _, r := range results {
			for _, n := range r.Notes {
				notes, at[n] = lists.AppendNew(notes, n), append(at[n], r.Server)
			}
		}
		for _, n := range notes { // each once, however many vCenters it is about
			o.Infof("%s: %s", lists.Few(at[n]), n)
		}
	}
	return command.Partly(results.Partial(), results.Err())
}

// UnreadRows adds a row for each unread vCenter.
func UnreadRows(t *term.Table, results inspect.Results) {
	for _, r := range results {
		if r.Error != "" {
			t.Row(r.Server, "not read, see below")
		}
	}
}

// CheckPrincipals refuses principals without a domain (openshift/installer#6596).
func CheckPrincipals(flag string, principals ...string) error {
	for _, p := range principals {
		if p != "" && !strings.ContainsAny(p, `@\`) {
			return hint.Wrap(command.BadFlag(flag, "%s has no domain", p), "write "+p+`@vsphere.local or CORP\`+p)
		}
	}
	return nil
}

// CheckPaths refuses paths that do not begin at the root folder.
func CheckPaths(flag string, paths []string) error {
	for _, p := range paths {
		if !strings.HasPrefix(p, "/") {
			return hint.Wrap(command.BadFlag(flag, "%s is not an inventory path", p),
				"use a path such as /DC1/host/Cluster1; / is the root folder")
		}
	}
	return nil
}

// CompleteNothing keeps the shell from offering files for values that only a vCenter knows.
func CompleteNothing(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		command.CompleteValues(cmd, name, nil)
	}
}

// Days is a number for a column, or otherwise if it is unknown.
func Days(n *int, otherwise string) string {
	if n == nil {
		return otherwise
	}
	return fmt.Sprint(*n)
}

// BeginInUse is Begin for a job without administrator and credentials file: it logs in with the
// accounts of a cluster. needs adds what CredentialsRequests ask for to the specification.
func (o *Options) BeginInUse(ctx context.Context, needs func(*spec.Spec, *privileges.Matrix) (*spec.Spec, error)) (*Run, error) {
	wanted, err := o.Connection.Source.Resolve(ctx, o.Factory)
	if err != nil {
		return nil, err
	}
	matrix, matrixErr := privileges.Load(wanted.Privileges.Matrix)
	tls, tlsErr := o.Connection.TLS.Resolve(o.Streams, command.Servers(wanted))
	if err := errors.Join(matrixErr, tlsErr); err != nil {
		return nil, err
	}
	if wanted, err = needs(wanted, matrix); err != nil {
		return nil, err
	}
	return o.Open(ctx, Request{Steering: o.Steering, Invocation: o.Said, Wanted: wanted, TLS: tls, Matrix: matrix, InUse: true})
}

func (o *Options) openInUse(ctx context.Context, r Request, m *privileges.Matrix, config func(spec.VCenter) vcenter.Config) *Run {
	progress := o.Progress(command.Servers(r.Wanted))
	job := provision.New(provision.Options{
		Request: provision.Request{
			Spec: r.Wanted, Matrix: m, CreateFolders: r.CreateFolders, Strict: r.Strict,
			Line: func(name string, own ...string) string { return o.Line(name, r.Invocation, own...) },
		},
		Config: config, Parallel: o.Parallel, Progress: progress.Set,
	})
	return &Run{
		Options: o, Invocation: r.Invocation, Job: job, Wanted: r.Wanted, steering: r.Steering, progress: progress, reach: config,
		Finish: once(func() {
			job.Close(ctx)
			progress.Close()
		}),
	}
}

// VerifyInUse logs in once with each account of a cluster and compares its rights with its needs.
// Findings are faults of its secrets. A password goes only to the vCenter that its secret names.
func (r *Run) VerifyInUse(ctx context.Context, e *diagnosis.Explanation) *verify.Result {
	at := map[string]spec.VCenter{}
	for _, v := range r.Wanted.VCenters {
		at[v.Server] = v
	}
	var recorded []vcenter.Config
	for _, server := range e.Recorded() {
		recorded = append(recorded, r.reach(at[server]))
	}
	ids, _ := vcenter.Instances(ctx, recorded) // one that could not be asked is a finding
	doubts := e.CompareInstances(ids)
	var all []provision.InUse
	for _, u := range e.InUse() {
		var of []component.Name
		for _, c := range u.Components {
			if r.wants(c) {
				of = lists.AppendNew(of, r.Wanted.Account(c).Component)
			}
		}
		if len(of) > 0 {
			others := slices.DeleteFunc(slices.Clone(of), func(c component.Name) bool {
				return !e.Strange(u.Server, u.Account.User, c)
			})
			all = append(all, provision.InUse{
				Server: u.Server, User: u.Account.User, Password: u.Account.Password, Components: of, Secrets: u.Secrets,
				Others: others, Unsent: doubts[u.Server],
			})
		}
	}
	v := r.Job.VerifyInUse(ctx, all)
	for _, f := range e.Findings {
		about := func(a finding.Account) bool { return r.wants(a.Component) }
		if !f.Advice() && (!f.ConcernsAny() || slices.ContainsFunc(f.Accounts, about)) {
			v.Findings = append(v.Findings, f)
		}
	}
	v.Findings = append(v.Findings, finding.New(finding.OwnView, "", "%s", ownView))
	return v
}

// wants reports whether the specification has a component, or the one whose account it shares.
func (r *Run) wants(c component.Name) bool {
	return r.Wanted.Has(c) || r.Wanted.Has(r.Wanted.Account(c).Component)
}

const ownView = "each account was compared by what it sees of itself: not through which permission it holds a privilege, whether that reaches what is " +
	"made later, its groups, and what no account of the cluster sees"
