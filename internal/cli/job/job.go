// Package job is what commands about vCenters share: flags, jobs, and changes from plan to next
// step.
package job

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/savedplan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/heap"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/installconfig"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// Options are the flags that all of these commands have.
type Options struct {
	*command.Factory
	Purpose
	Connection      command.Connection
	CredentialsFile command.CredentialsFlag
	savedplan.Steering
	Show     ViewFlags
	Displace bool              // --displace
	DryRun   bool              // --dry-run
	Cluster  string            // --cluster; empty = the file's
	Used     command.UsedFlags // what the cluster shows, of removals
	Among    *Among            // its part of a change of many clusters; nil = it is for one
}

// Purpose is what a command is for, whatever its flags.
type Purpose struct {
	Only     plan.Kind // what it is narrowed to; empty = nothing
	Undo     bool      // it removes
	ReadOnly bool      // it reads alone: the name of a vCenter is enough
}

func (p Purpose) stores() bool { return p.Only != plan.Role && (!p.ReadOnly || p.Only == plan.User) }

// Register adds the flags for vCenters, the administrator and, if it is used, the credentials file.
func (o *Options) Register(cmd *cobra.Command) {
	o.Connection.Register(cmd)
	if o.stores() || o.Undo { // what a destroy gives back is recorded beside it
		o.CredentialsFile.Register(cmd)
	}
}

// RegisterChange adds the flags of a command that changes vCenters, and marks it.
func (o *Options) RegisterChange(cmd *cobra.Command) {
	o.Register(cmd)
	o.RegisterView(cmd)
	cmd.Flags().BoolVar(&o.DryRun, "dry-run", false, "show what would be changed, and change nothing")
	MarkChanges(cmd)
}

// RegisterCluster adds the flag that names the cluster without a file.
func (o *Options) RegisterCluster(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.Cluster, "cluster", "", "cluster name, if only --vcenters is given")
	for _, source := range command.Sources() {
		cmd.MarkFlagsMutuallyExclusive("cluster", source)
	}
	command.MarkSettings(cmd, "cluster")
}

// Params are a command's needs beyond these flags.
type Params struct {
	Writes   bool      // to the credentials file, which is locked for it
	Handover *Handover // the recipients of the passwords; nil = none
	Looking  bool      // what the administrator may not read is left open, as nothing is written
	Ordering bool      // accounts of others may still be missing
	Offline  bool      // no vCenter is asked: it is planned for those that have nothing of this tool
	Assumed  privileges.RoleSetOptions
	Approved bool          // the plan was approved, and names no volumes
	Accounts *AccountFlags // how others' accounts are given; nil = the credentials file's alone
}

// Request is all that makes a job, read and checked.
type Request struct {
	Params
	savedplan.Steering
	Invocation command.Invocation // what named all this, for the next command
	Wanted     *spec.Spec
	Given      *installconfig.Given // the accounts of an install-config; nil = none was named
	Admin      *command.Administrators
	TLS        command.TLSOptions
	Formerly   []privileges.Added // what is taken away, see [provision.Request]
	Matrix     *privileges.Matrix // nil = the one that the specification names
	Instances  map[string]string  // instance UUIDs that the vCenters must have, by server; nil = any

	Running *spec.Spec // the cluster to compare with; nil = none is named
	InUse   bool       // only accounts of the cluster log in: see [Run.VerifyInUse]
}

// Begin reads the flags' files and makes the job. Always call Finish.
func (o *Options) Begin(ctx context.Context, e Params) (*Run, error) {
	wanted, admin, tls, err := o.Connection.Resolve(ctx, o.Factory)
	if err != nil {
		return nil, err
	}
	r := Request{
		Params: e, Steering: o.Steering, Invocation: o.Said, Wanted: wanted,
		Given: o.Connection.Source.Accounts, Admin: admin, TLS: tls,
	}
	if r.Running = o.Connection.Source.Running; r.Running != nil {
		r.Invocation = r.Invocation.Without(command.InfrastructureFlag) // no other command takes it beside a file
	}
	return o.Open(ctx, r)
}

// Open makes the job of a request. It locks a credentials file that will be written.
func (o *Options) Open(ctx context.Context, r Request) (*Run, error) {
	used, err := o.Used.InUse(ctx, o.Factory)
	if err != nil {
		return nil, err
	}
	if r.Approved {
		used.Volumes = nil
	}
	wanted := r.Wanted
	if err := o.fit(wanted); err != nil {
		return nil, err
	}
	matrix, text := r.Matrix, []byte(nil)
	if matrix == nil {
		if matrix, text, err = privileges.LoadText(wanted.Privileges.Matrix); err != nil {
			return nil, err
		}
	}
	if err := wanted.CheckMatrix(matrix); err != nil {
		return nil, err
	}
	if r.Running != nil {
		if _, err := wanted.Towards(r.Running); err != nil {
			return nil, err
		}
	}
	config := o.Reach(wanted, o.Connection.Source.ConnectTo, r.TLS)
	if r.InUse {
		return o.openInUse(ctx, r, matrix, config), nil
	}
	p, err := o.passwords(wanted, r.Params)
	if err != nil {
		return nil, err
	}
	if r.Accounts != nil { // each is about to log in
		if err := checkFilled(wanted, p.file); err != nil {
			p.unlock()
			return nil, err
		}
	}
	var accounts accountsFunc
	if !r.Offline {
		if accounts, err = r.ask(ctx, o.Factory, config, p.file); err != nil {
			p.unlock()
			return nil, err
		}
	}
	progress := o.Progress(command.Servers(wanted))
	if r.Admin.Hold == nil {
		r.Admin.Hold = progress.Hold
	}
	if len(wanted.VCenters) > o.Parallel {
		heap.Bound(len(wanted.VCenters))
	}
	repeat := o.Repeated
	if o.Connection.Shared != nil { // it names all clusters
		repeat = nil
	}
	job := provision.New(provision.Options{
		Request: provision.Request{
			Spec: wanted, Matrix: matrix, Given: r.Given, Credentials: p.file, Journal: p.journal, Beside: p.beside,
			Only: o.Only, Assumed: r.Assumed, Formerly: r.Formerly, Volumes: used.Volumes,
			Renders: o.Renders(r.Invocation, true),
			Line:    func(name string, own ...string) string { return o.Line(name, r.Invocation, own...) },
			Repeat:  repeat,
			Records: func(of ...string) string { return o.RecordsDisabled(wanted.Cluster, r.Invocation, of...) },
			Looking: r.Looking || o.ReadOnly, Ordering: r.Ordering, Additive: r.Additive, Prune: r.Prune,
			CreateFolders: r.CreateFolders, CreateTags: r.CreateTags, Strict: r.Strict,
			Installed: r.Running != nil || o.Connection.Source.Infrastructure != "",
		},
		Config: config, Admin: r.Admin.Enter, Accounts: accounts, Instances: r.Instances, Offline: r.Offline,
		Parallel: o.Parallel, Progress: progress.Set, Waits: progress.Wait,
	})
	return &Run{
		Options: o, Invocation: r.Invocation, Job: job, Wanted: wanted, given: r.Given, running: r.Running, used: used,
		steering: r.Steering, matrixText: text, Credentials: p.path, Handover: r.Handover, progress: progress,
		Finish: once(func() {
			job.Close(ctx)
			progress.Close()
			p.unlock()
		}),
	}, nil
}

// once makes a function safe to call again.
func once(do func()) func() {
	done := false
	return func() {
		if !done {
			done = true
			do()
		}
	}
}

// passwords is the credentials file with its journal; roles have none.
type passwords struct {
	file, journal *credfile.File
	path          string
	beside        string // path of the file where roles are removed; "" = there is none
	unlock        func()
}

// passwords opens the credentials file and locks it if it will be written.
func (o *Options) passwords(wanted *spec.Spec, e Params) (p passwords, err error) {
	p.unlock = func() {}
	if !o.stores() {
		if o.Undo { // returned roles are recorded beside it; "" = no record
			p.beside, _, _ = o.CredentialsFile.Resolve(o.Streams, wanted)
		}
		return p, nil
	}
	path, _, err := o.CredentialsPath(o.CredentialsFile, wanted)
	if err != nil {
		return p, err
	}
	if e.Writes {
		if p.unlock, err = credfile.Lock(path, credfile.Elsewhere); err != nil {
			return p, err
		}
	}
	if e.Handover != nil {
		return e.Handover.open(o, wanted, path, p.unlock)
	}
	if p.file, err = o.OpenAt(path, e.Writes); err == nil {
		p.path = p.file.Path()
		p.journal, err = p.file.Journal()
	}
	if err != nil {
		p.unlock()
	}
	return p, err
}

// fit refuses a specification that is too incomplete for the command's kind.
func (o *Options) fit(s *spec.Spec) error {
	if o.Cluster != "" {
		s.Cluster = o.Cluster
	}
	if err := o.checkFolders(s); err != nil {
		return err
	}
	switch {
	case o.ReadOnly:
		return nil
	case o.Only == "" || o.Only == plan.Permission && !o.Undo:
		return CheckComplete(s)
	case o.Only != plan.Role && !o.Connection.Source.NamesCluster():
		return hint.Wrap(s.CheckAccounts(),
			"set --cluster NAME, -f FILE, --install-config FILE or --infrastructure FILE")
	}
	return nil
}

// checkFolders refuses to create a machine folder that OpenShift would not use: openshift-install
// makes another one unless the install-config names it, and a running cluster keeps its own.
func (o *Options) checkFolders(s *spec.Spec) error {
	config, cluster := o.Connection.Source.InstallConfig != "", o.Connection.Source.Infrastructure != ""
	for _, v := range s.VCenters {
		for _, fd := range v.FailureDomains {
			switch {
			case !o.CreateFolders || fd.Folder != "":
			case config:
				return hint.Wrap(command.BadFlag("create-folders", "failure domain %s has no folder: "+
					"openshift-install would make one of its own; nothing was done", hint.Quote(fd.Name)),
					snapshot.NamesFolder(fd, s.Cluster), "or omit --create-folders: the datacenter carries the folder grants then")
			case cluster:
				return hint.Errorf("omit --create-folders, or write the folder that the machines are in into a provisioning file, and pass it with -f",
					"--create-folders: %s: failure domain %s has no folder, and the machines of a running cluster stay in the folder that it was installed into",
					v.Server, hint.Quote(fd.Name))
			}
		}
	}
	return nil
}

// CheckComplete refuses what is enough for roles but not for the whole job.
func CheckComplete(s *spec.Spec) error {
	var errs []error
	var complete []string
	for _, v := range s.VCenters {
		if len(v.FailureDomains) > 0 {
			complete = append(complete, v.Server)
		}
	}
	remedy := "set -f FILE (a provisioning file), --install-config FILE or --infrastructure FILE"
	if len(complete) > 0 {
		remedy = "give it a failure domain, or leave it out until it has one: --vcenters " + strings.Join(complete, ",")
	}
	for _, v := range s.VCenters {
		if len(v.FailureDomains) == 0 {
			errs = append(errs, hint.Errorf(remedy, "%s: no failure domain is given, so the objects of the cluster are not known", v.Server))
		}
	}
	return errors.Join(errs...)
}

// ask asks for every unknown login before there is progress on the screen.
func (r *Request) ask(ctx context.Context, f *command.Factory, config func(spec.VCenter) vcenter.Config,
	stored *credfile.File,
) (accounts accountsFunc, err error) {
	if err = f.AskLogins(ctx, r.Admin, r.Wanted, config); err == nil && r.Accounts != nil {
		accounts, err = r.Accounts.supply(ctx, f.Streams, r.Wanted, config, stored)
	}
	return accounts, err
}
