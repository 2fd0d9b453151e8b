// Package initcmd is the command init, which makes a provisioning file by questions.
package initcmd

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/apply"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/savedplan"
	cliverify "github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/verify"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/wizard"
)

// Options are the flags of `init`.
type Options struct {
	*command.Factory
	InstallConfig   string   // --install-config
	Infrastructure  string   // --infrastructure
	VCenters        []string // --vcenters
	Adopt           []string // --adopt, component=principal each
	ConnectTo       command.AddressFlag
	Out             string // --out
	Over            command.OverwriteFlag
	Admin           command.AdminFlags
	TLS             command.TLSFlags
	CredentialsFile command.CredentialsFlag
}

const defaultSpecFile = "provisioning.yaml"

// NewCmd is the command.
func NewCmd(f *command.Factory, runF func(*Options) error) *cobra.Command {
	o := &Options{Factory: f}
	cmd := &cobra.Command{
		Use:     "init",
		Short:   "Create a provisioning file by questions, from the inventory",
		GroupID: command.GroupJob,
		Long: command.Text(`
			Asks for the vCenters and checks each at once: address, certificate, login. Then offers the objects of the
			inventory for each failure domain, shows the plan, writes the provisioning file and, if you want, applies and
			verifies it. With an install-config, or the Infrastructure of a running cluster, it asks only for the rest. Esc
			goes back. Until the provisioning file is written, your answers are saved beside it, without passwords: after
			Ctrl-C the next run offers them again.

			init asks on the terminal. With --no-input and one of these files it asks nothing and contacts no vCenter: it
			writes what the file says, and --adopt names accounts that exist for components to use.`),
		Example: command.Examples(`
			ocp-vsphere-admin init
			ocp-vsphere-admin init --install-config install-config.yaml --out cluster1.yaml
			ocp-vsphere-admin init --infrastructure kubeconfig:kubeconfig
			ocp-vsphere-admin init --vcenters vcenter1.example.com --cacert ca.pem
			ocp-vsphere-admin init --install-config install-config.yaml --no-input --adopt csi-driver=csi@vsphere.local`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, run, o.check),
	}
	p := cmd.Flags()
	command.FileFlag(cmd, &o.InstallConfig, "install-config",
		"install-config.yaml to take vCenters and failure domains from", "yaml", "yml")
	command.RegisterInfrastructure(cmd, &o.Infrastructure)
	cmd.MarkFlagsMutuallyExclusive("install-config", command.InfrastructureFlag)
	p.StringSliceVar(&o.VCenters, "vcenters", nil, "vCenters to start with")
	p.StringSliceVar(&o.Adopt, adoptFlag, nil,
		"component=name@domain: an account that exists, which the component uses as it is")
	p.StringVar(&o.Out, "out", defaultSpecFile, "write the provisioning file to this path")
	_ = cmd.MarkFlagFilename("out", "yaml", "yml")
	o.Over.Register(cmd)
	o.ConnectTo.Register(cmd)
	o.Admin.Register(cmd)
	o.TLS.Register(cmd)
	o.CredentialsFile.Register(cmd)
	return cmd
}

type known struct {
	addresses map[string]string
	admin     *command.Administrators // those who are not to be asked
	tls       command.TLSOptions
	cluster   *spec.Spec // what --infrastructure says; nil = it was not given
}

type interview struct {
	*Options
	known
	tty *term.Terminal
}

func run(ctx context.Context, o *Options) error {
	if err := o.Over.Check("out", o.Out); err != nil { // before the first question
		return hint.Wrap(err, "--out FILE writes another file")
	}
	if state := spec.StatePath(o.Out); command.Missing(o.Out) && !command.Missing(state) {
		return hint.Errorf("move it away, or name another file: --out FILE",
			"%s is of an earlier %s, and would say which accounts of the new one are disabled and what is added to them", state, o.Out)
	}
	k, err := o.known(ctx)
	if err != nil {
		return err
	}
	if o.unasked() {
		return o.write(k)
	}
	tty, err := o.OpenTerminal()
	switch {
	case err != nil && (o.InstallConfig != "" || k.cluster != nil):
		if _, lacks := o.source(k); lacks != nil {
			return errors.Join(err, lacks)
		}
		return hint.Wrap(err, "to write what that file says, without questions: "+o.Repeated("--no-input"))
	case err != nil:
		return hint.Wrap(err, "write the provisioning file by hand, and use it with -f: apply -f provisioning.yaml", spec.SeeSchema,
			"or take vCenters and failure domains from an install-config or a running cluster: --install-config or --infrastructure with plan and apply")
	}
	defer tty.Close()
	tty.Quiet()
	i := &interview{o, k, tty}
	done, err := wizard.Run(ctx, i.options(ctx, wizard.OnTerminal(tty)))
	var stopped *wizard.StoppedError
	switch {
	case errors.As(err, &stopped) && stopped.Interrupted:
		return &command.ExitError{Code: command.ExitInterrupted, Err: errors.New(stopped.Error())}
	case err != nil:
		return err
	}
	if !done.Applied {
		i.Next(i.CommandLine("apply", i.nextInvocation(done.Job)))
		return nil
	}
	i.Todof("the cluster gets the accounts as secrets:") // apply has said where the passwords are
	i.Due(i.CommandLine("secrets emit", i.nextInvocation(done.Job)) + openshift.Applies(done.Job.Spec.Profile))
	return nil
}

func (o *Options) known(ctx context.Context) (k known, err error) {
	if k.addresses, err = o.ConnectTo.Parse(); err != nil {
		return k, err
	}
	for server, address := range k.addresses {
		if err := command.CheckAddress(server, address); err != nil {
			return k, err
		}
	}
	promised, err := o.TLS.Prints()
	if err != nil {
		return k, err
	}
	if len(o.VCenters) > 0 {
		if _, err := spec.FromServers(o.VCenters); err != nil {
			return k, command.BadFlag("vcenters", "%w", err)
		}
	}
	if o.Infrastructure != "" {
		if k.cluster, err = o.Factory.Infrastructure(ctx, o.Infrastructure, spec.ParseInfrastructure); err != nil {
			return k, err
		}
	}
	if k.tls, err = o.TLS.Resolve(o.Streams, command.SortedKeys(promised)); err != nil {
		return k, err
	}
	k.admin, err = o.Admin.Resolve(o.Factory)
	return k, err
}

func (i *interview) options(ctx context.Context, ask wizard.Asker) wizard.Options {
	return wizard.Options{
		Ask: ask,
		Out: filepath.Clean(i.Out), Overwrite: i.Over.Force, InstallConfig: i.InstallConfig, Cluster: i.cluster,
		Servers: i.VCenters, Addresses: i.addresses, Thumbprints: i.tls.Thumbprints,
		User: cmp.Or(i.Admin.User, i.Getenv(command.EnvAdminUser), i.Getenv(command.GovcUser)),
		Login: func(server string) (wizard.Login, bool) {
			l, ok, err := i.admin.Given(ctx, server)
			if err != nil {
				i.Warnf("%s", term.ErrorText(err))
			}
			return wizard.Login{User: l.User, Password: l.Password}, ok
		},
		CACert: command.ReadCACert,
		Config: func(v spec.VCenter, thumbprint string, ca []byte) vcenter.Config {
			tls := i.tls
			if ca != nil {
				tls.CACerts = ca
			}
			tls.Thumbprints = map[string]string{v.Server: thumbprint}
			return i.Reach(&spec.Spec{VCenters: []spec.VCenter{v}}, command.AddressFlag{}, tls)(v)
		},
		Write: files.WritePrivate, Plan: i.plan, Apply: i.apply, Verify: i.verify,
	}
}

// nextInvocation is the invocation of the next command: without what the wizard asked about.
func (i *interview) nextInvocation(j wizard.Job) command.Invocation {
	inv := i.Options.Said.Without(command.ConnectToFlag).With("file", j.File)
	if j.CreateFolders {
		inv = inv.With("create-folders", "true")
	}
	var prints []string
	for _, server := range command.SortedKeys(j.Thumbprints) {
		prints = append(prints, server+"="+j.Thumbprints[server])
	}
	if j.CACert != "" {
		inv = inv.With(command.CACertFlag, j.CACert)
	}
	return inv.With(command.ThumbprintFlag, prints...)
}

func (i *interview) begin(ctx context.Context, j wizard.Job, writes bool) (*job.Run, error) {
	people := *i.Factory
	people.Output = term.FormatTable // it talks with them
	steering, tls := savedplan.Steering{CreateFolders: j.CreateFolders}, i.tls
	tls.Thumbprints = j.Thumbprints
	if j.CACert != "" {
		var err error
		if tls.CACerts, err = command.ReadCACert(j.CACert); err != nil {
			return nil, err
		}
	}
	o := &job.Options{Factory: &people, CredentialsFile: i.CredentialsFile, Steering: steering}
	w, err := o.Open(ctx, job.Request{
		Params: job.Params{Writes: writes}, Steering: steering, Invocation: i.nextInvocation(j), Wanted: j.Spec, TLS: tls,
		Admin: &command.Administrators{Streams: people.Streams, Known: j.Logins},
	})
	if err == nil {
		w.Unsourced, w.InstallConfig = true, j.InstallConfig
	}
	return w, err
}

// unwritten is a job before its provisioning file is written: an existing file is another one.
func unwritten(j wizard.Job) wizard.Job {
	if !command.Missing(j.File) {
		j.File = command.FilePlaceholder
	}
	return j
}

func (i *interview) plan(ctx context.Context, j wizard.Job) (string, error) {
	w, err := i.begin(ctx, unwritten(j), false)
	if err != nil {
		return "", err
	}
	defer w.Finish()
	p := w.Sealed(ctx)
	return p.Digest, w.ShowPlan(p)
}

// apply asks again only if the plan has changed. To continue is for the command apply, not init.
func (i *interview) apply(ctx context.Context, j wizard.Job) (err error) {
	defer func() {
		if err != nil {
			err = i.goesOn(ctx, "apply", j, err)
		}
	}()
	w, err := i.begin(ctx, j, true)
	if err != nil {
		return err
	}
	w.Again = "run the next command"
	i.tty.Restore() // it may ask
	defer i.tty.Quiet()
	return apply.Agreed(ctx, w, j.Agreed)
}

// goesOn adds to an error the command that continues, which is not init: the file is written.
func (i *interview) goesOn(ctx context.Context, name string, j wizard.Job, err error) error {
	if errors.Is(context.Cause(ctx), term.ErrInterrupted) && command.Uncancelled(err) == nil {
		i.Todof("interrupted: run the next command")
		err = command.Exit(command.ExitInterrupted)
	}
	i.Due(i.CommandLine(name, i.nextInvocation(j)))
	return err
}

func (i *interview) verify(ctx context.Context, j wizard.Job) error {
	w, err := i.begin(ctx, j, false)
	if err != nil {
		return err
	}
	err = cliverify.Prove(ctx, w, verify.AsAsked())
	if ctx.Err() != nil { // else verify has said what comes next
		return i.goesOn(ctx, "verify", j, err)
	}
	return err
}
