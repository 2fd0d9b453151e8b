package cli

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/savedplan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// JobOptions are the words that plan, apply, verify, destroy and the parts of them share.
type JobOptions struct {
	*command.Factory
	duty
	Connection      command.Connection
	CredentialsFile command.CredentialsFlag
	savedplan.Steering
	Show     viewFlags
	Displace bool   // --displace
	Cluster  string // --cluster; empty = the file's
}

// duty is what a command has to do with, whatever its words are.
type duty struct {
	only  plan.Kind // what it is narrowed to; empty = nothing
	undo  bool      // it removes
	reads bool      // it reads alone: the name of a vCenter is enough
}

// stores reports whether the command has to do with passwords.
func (d duty) stores() bool { return d.only != plan.Role && (!d.reads || d.only == plan.User) }

func (o *JobOptions) register(cmd *cobra.Command) {
	o.Connection.Register(cmd)
	if o.stores() || o.undo { // what a destroy gives back is recorded beside it
		o.CredentialsFile.Register(cmd)
	}
}

// registerCluster adds the flag that names the cluster where no file does.
func (o *JobOptions) registerCluster(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.Cluster, "cluster", "", "cluster name, if only --vcenters is given")
	cmd.MarkFlagsMutuallyExclusive("cluster", "file")
	cmd.MarkFlagsMutuallyExclusive("cluster", "install-config")
	command.MarkSettings(cmd, "cluster")
}

// extent is what a command wants of its job beyond the words that all of them share.
type extent struct {
	writes   bool      // to the credentials file, which is locked for it
	handover *handover // whom the passwords are encrypted to instead; nil = nobody
	ordering bool      // accounts of others may still be missing
	assumed  privileges.RoleSetOptions
	volumes  *openshift.Volumes // see [provision.Request]
	accounts *accountFlags      // how others' accounts are given; nil = the credentials file's alone
}

// request is all that a job is made of, read and checked.
type request struct {
	extent
	savedplan.Steering
	said      command.Invocation // what named all this, for the next command
	wanted    *spec.Spec
	admin     *command.Administrators
	tls       command.TLSOptions
	formerly  []privileges.Added // what is taken away, see [provision.Request]
	matrix    *privileges.Matrix // nil = the one that the specification names
	instances map[string]string  // instance UUIDs that the vCenters must have, by server; nil = any
}

// begin reads what the flags name and makes the job. Call finish, whatever happens.
func (o *JobOptions) begin(ctx context.Context, e extent) (*work, error) {
	wanted, admin, tls, err := o.Connection.Resolve(o.Streams)
	if err != nil {
		return nil, err
	}
	return o.open(ctx, request{extent: e, Steering: o.Steering, said: o.Said, wanted: wanted, admin: admin, tls: tls})
}

// open makes the job of a request. Where the credentials file will be written, it is locked first.
func (o *JobOptions) open(ctx context.Context, r request) (_ *work, err error) {
	wanted := r.wanted
	if err := o.fit(wanted); err != nil {
		return nil, err
	}
	matrix, text := r.matrix, []byte(nil)
	if matrix == nil {
		if matrix, text, err = privileges.LoadText(wanted.Privileges.Matrix); err != nil {
			return nil, err
		}
	}
	if err := wanted.CheckMatrix(matrix); err != nil {
		return nil, err
	}
	p, err := o.passwords(wanted, r.extent)
	if err != nil {
		return nil, err
	}
	config := o.Reach(wanted, o.Connection.Source.ConnectTo, r.tls)
	accounts, err := r.ask(ctx, o.Factory, config, p.file)
	if err != nil {
		p.unlock()
		return nil, err
	}
	progress := o.Progress(command.Servers(wanted))
	r.admin.Hold = progress.Hold
	if len(wanted.VCenters) > o.Parallel { // what was read of those before stays: main collects rarely, for runs that keep little
		debug.SetGCPercent(80)
	}
	job := provision.New(provision.Options{
		Request: provision.Request{
			Spec: wanted, Matrix: matrix, Credentials: p.file, Journal: p.journal, Beside: p.beside, Only: o.only, Assumed: r.assumed, Formerly: r.formerly, Volumes: r.volumes,
			Line:     func(name string, own ...string) string { return o.Line(name, r.said, own...) },
			Ordering: r.ordering, Additive: r.Additive, Prune: r.Prune, CreateFolders: r.CreateFolders, Strict: r.Strict,
		},
		Config: config, Admin: r.admin.Enter, Accounts: accounts, Instances: r.instances, Parallel: o.Parallel, Progress: progress.Set,
	})
	return &work{
		JobOptions: o, said: r.said, job: job, wanted: wanted, steering: r.Steering, matrixText: text, credentials: p.path, handover: r.handover, progress: progress,
		finish: once(func() {
			job.Close(ctx)
			progress.Close()
			p.unlock()
		}),
	}, nil
}

// once makes a function harmless to call again.
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

// passwords opens the credentials file and, where it will be written, locks it.
func (o *JobOptions) passwords(wanted *spec.Spec, e extent) (p passwords, err error) {
	p.unlock = func() {}
	if !o.stores() {
		if o.undo { // the roles that are given back are recorded beside it; without a home there is no record
			p.beside, _, _ = o.CredentialsFile.Resolve(o.Streams, wanted)
		}
		return p, nil
	}
	path, _, err := o.CredentialsPath(o.CredentialsFile, wanted)
	if err != nil {
		return p, err
	}
	if e.writes {
		if p.unlock, err = credfile.Lock(path); err != nil {
			return p, err
		}
	}
	if e.handover != nil {
		return e.handover.open(o, wanted, path, p.unlock)
	}
	if p.file, err = o.OpenAt(path, e.writes); err == nil {
		p.path = p.file.Path()
		p.journal, err = p.file.Journal()
	}
	if err != nil {
		p.unlock()
	}
	return p, err
}

// fit refuses a specification that does not say enough for the kind of things that is to be changed.
func (o *JobOptions) fit(s *spec.Spec) error {
	if o.Cluster != "" {
		s.Cluster = o.Cluster
	}
	switch named := o.Connection.Source.File != "" || o.Connection.Source.InstallConfig != ""; {
	case o.reads:
		return nil
	case o.only == "" || o.only == plan.Permission && !o.undo:
		return complete(s)
	case o.only != plan.Role && !named:
		return hint.Wrap(s.CheckAccounts(), "set --cluster NAME, -f FILE or --install-config FILE")
	}
	return nil
}

// complete refuses what is enough for roles but not for the whole job.
func complete(s *spec.Spec) error {
	var errs []error
	for _, v := range s.VCenters {
		if len(v.FailureDomains) == 0 {
			errs = append(errs, hint.Errorf("set -f FILE (a provisioning file) or --install-config FILE",
				"%s: no failure domain is given, so the objects of the cluster are not known", v.Server))
		}
	}
	return errors.Join(errs...)
}

// ask gets every login that is not known before anything moves on the screen.
func (r *request) ask(ctx context.Context, f *command.Factory, config func(spec.VCenter) vcenter.Config, stored *credfile.File) (accounts accountsFunc, err error) {
	if err = f.AskLogins(ctx, r.admin, r.wanted, config); err == nil && r.accounts != nil {
		accounts, err = r.accounts.supply(ctx, f.Streams, r.wanted, config, stored)
	}
	return accounts, err
}
