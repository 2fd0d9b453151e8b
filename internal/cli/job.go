package cli

import (
	"context"
	cryptotls "crypto/tls"
	"errors"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
)

// JobOptions are the words that plan, apply, verify, destroy and doctor share.
type JobOptions struct {
	*Factory
	Connection      connection
	CredentialsFile credentialsFlag
	Steering
	Displace bool   // --displace
	Cluster  string // --cluster; empty = the file's

	only    plan.Kind // what a command is narrowed to; empty = nothing
	undo    bool      // it removes
	reads   bool      // it reads alone: the name of a vCenter is enough
	assumed privileges.RoleSetOptions
	given   *given // what the wizard asked for, instead of flags

	matrix     *privileges.Matrix // of a saved plan; nil = the specification's
	matrixText []byte             // of a matrix that is a file, once the job is made
	instances  map[string]string  // instance UUIDs that a saved plan binds, by server

	ordering bool                                                   // accounts of others may still be missing
	supply   func(*spec.Spec, *credfile.File) (accountsFunc, error) // what is known of their passwords; nil = nothing

	cmd         *cobra.Command  // the command itself
	ctx         context.Context //nolint:containedctx // the command's own, for the length of its run
	credentials string          // path of the credentials file, once it is open
	progress    *term.Progress  // the live lines, once the job is made
}

func (o *JobOptions) register(cmd *cobra.Command) {
	o.cmd = cmd
	o.Connection.Register(cmd)
	if o.stores() {
		o.CredentialsFile.Register(cmd)
	}
}

// begin resolves the flags and makes the job. finish logs out; call it whatever happens. Where the credentials file will
// be written, it is locked first.
func (o *JobOptions) begin(write bool) (job *provision.Job, wanted *spec.Spec, finish func(), err error) {
	if o.given != nil {
		return o.open(o.given.spec, o.given.admin, o.given.tls, write)
	}
	wanted, admin, tls, err := o.Connection.Resolve(o.Streams)
	if err != nil {
		return nil, nil, nil, err
	}
	return o.open(wanted, admin, tls, write)
}

func (o *JobOptions) open(wanted *spec.Spec, admin AdminFunc, tls TLSOptions, write bool) (job *provision.Job, _ *spec.Spec, finish func(), err error) {
	if err := o.fit(wanted); err != nil {
		return nil, nil, nil, err
	}
	matrix, err := o.loadMatrix(wanted)
	if err != nil {
		return nil, nil, nil, err
	}
	file, journal, unlock, err := o.passwords(wanted, write)
	if err != nil {
		return nil, nil, nil, err
	}
	if admin, err = o.ask(wanted, admin); err != nil {
		unlock()
		return nil, nil, nil, err
	}
	accounts, err := o.supplied(wanted, file)
	if err != nil {
		unlock()
		return nil, nil, nil, err
	}
	progress := o.Progress(servers(wanted))
	o.progress = progress
	if len(wanted.VCenters) > o.Parallel { // what was read of those before stays: main collects rarely, for runs that keep little
		debug.SetGCPercent(80)
	}
	job = provision.New(provision.Options{
		Request: provision.Request{
			Spec: wanted, Matrix: matrix, Credentials: file, Journal: journal, Only: o.only, Assumed: o.assumed,
			Ordering: o.ordering, Additive: o.Additive, Prune: o.Prune, CreateFolders: o.CreateFolders, Strict: o.Strict,
		},
		Config: o.config(wanted, tls), Admin: admin, Accounts: accounts, Instances: o.instances, Parallel: o.Parallel, Progress: progress.Set,
	})
	return job, wanted, func() {
		job.Close(o.ctx)
		progress.Close()
		unlock()
	}, nil
}

// stores tells whether the command has to do with passwords.
func (o *JobOptions) stores() bool {
	return o.only != plan.Role && (!o.reads || o.only == plan.User)
}

// passwords opens the credentials file with its journal and, where they will be written, locks them. Roles have none.
func (o *JobOptions) passwords(wanted *spec.Spec, write bool) (file, journal *credfile.File, unlock func(), err error) {
	unlock = func() {}
	if !o.stores() {
		return nil, nil, unlock, nil
	}
	path, _, err := o.credentialsPath(o.CredentialsFile, wanted)
	if err != nil {
		return nil, nil, nil, err
	}
	if write {
		if unlock, err = credfile.Lock(path); err != nil {
			return nil, nil, nil, err
		}
	}
	if file, err = o.openAt(path); err == nil {
		journal, err = file.Journal()
	}
	if err != nil {
		unlock()
		return nil, nil, nil, err
	}
	o.credentials = file.Path()
	return file, journal, unlock, nil
}

// complete refuses what is enough for roles but not for the whole job.
func complete(s *spec.Spec) error {
	var errs []error
	for _, v := range s.VCenters {
		if len(v.FailureDomains) == 0 {
			errs = append(errs, hint.Errorf("give a provisioning file (-f) or an install-config (--install-config)",
				"%s: no failure domain says where the cluster's machines are", v.Server))
		}
	}
	return errors.Join(errs...)
}

// ask gets every administrator's login before anything moves on the screen.
func (o *JobOptions) ask(s *spec.Spec, admin AdminFunc) (AdminFunc, error) {
	type login struct {
		user     string
		password secret.Secret
	}
	logins := map[string]login{}
	for _, server := range servers(s) {
		user, password, err := admin(o.ctx, server)
		if err != nil {
			return nil, err
		}
		logins[server] = login{user, password}
	}
	return func(_ context.Context, server string) (string, secret.Secret, error) {
		return logins[server].user, logins[server].password, nil
	}, nil
}

func (o *JobOptions) config(wanted *spec.Spec, tls TLSOptions) func(spec.VCenter) vcenter.Config {
	addresses, _ := pairs("connect-to", "server=host:port", o.Connection.Source.ConnectTo) // checked with the specification
	caches := map[string]cryptotls.ClientSessionCache{}
	for _, server := range servers(wanted) {
		caches[server] = cryptotls.NewLRUClientSessionCache(0)
	}
	return func(v spec.VCenter) vcenter.Config {
		if v.Address == "" { // a linked vCenter that the specification does not name may be reached elsewhere too
			v.Address = addresses[v.Server]
		}
		c := vcenter.Config{
			TLSCache: caches[v.Server],
			Server:   v.Server, Port: v.Port, Address: v.Address,
			RootCAs: tls.CACerts, Thumbprint: tls.Thumbprints[v.Server], Insecure: tls.Insecure,
			Timeout: o.Timeout,
		}
		if o.Debug {
			c.Trace = func(method string, took time.Duration, err error) {
				o.Log().Debug("call", "server", v.Server, "method", method, "took", took.Round(time.Millisecond), "failed", err != nil)
			}
		}
		return c
	}
}

// supported says once what the documentation supports: the tables that the matrices hold are for reference.
// Source: OpenShift Container Platform 4.22, Installing on VMware vSphere, 2.1.4.
func (f *Factory) supported() {
	if f.Output == term.FormatTable {
		f.Infof("note: OpenShift's documentation supports one account with all privileges; accounts with less are for reference")
	}
}

// render prints a plan or its report.
func (f *Factory) render(p *plan.Plan) error {
	return f.Print(f.Output, p, p.Renderer(f.OutColors().Sign))
}

// outcome turns what became of a plan into an error and an exit code: 3 where some vCenters failed and others did not.
func outcome(p *plan.Plan) error {
	err := p.Err()
	switch {
	case p.Partial():
		return &ExitError{Code: ExitPartly, Err: err}
	case err != nil:
		return err
	}
	for _, v := range p.VCenters {
		if v.Failed() {
			return exit(ExitFailed)
		}
	}
	return nil
}
