package cli

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/vcenter"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/wizard"
)

// InitOptions are the words of `init`.
type InitOptions struct {
	*Factory
	InstallConfig   string   // --install-config
	VCenters        []string // --vcenters
	ConnectTo       []string // --connect-to server=host:port
	Out             string   // --out
	Admin           adminFlags
	TLS             tlsFlags
	CredentialsFile credentialsFlag

	cmd *cobra.Command
	ctx context.Context //nolint:containedctx // the command's own, for the length of its run
	tls TLSOptions
	tty *term.Terminal
}

// defaultSpecFile is where init writes.
const defaultSpecFile = "provisioning.yaml"

func newCmdInit(f *Factory, runF func(*InitOptions) error) *cobra.Command {
	o := &InitOptions{Factory: f}
	cmd := &cobra.Command{
		Use:     "init",
		Short:   "Ask for what a provisioning file says, choosing from the live inventory",
		GroupID: groupJob,
		Long: text(`
			Asks for the vCenters and tries each at once: address, certificate, login. Then lists what is there to choose for
			each failure domain, shows the plan, writes the provisioning file and, if you want, applies and verifies it.
			An install-config answers what it can. The escape key goes back. Every answer is kept beside the file, without
			passwords, until that is written: after Ctrl-C the next run offers them again. It asks on the terminal; scripts
			write the provisioning file themselves.`),
		Example: examples(`
			ocp-vsphere-admin init
			ocp-vsphere-admin init --install-config install-config.yaml --out cluster1.yaml
			ocp-vsphere-admin init --vcenters vcenter1.example.com --cacert ca.pem`),
		Args: noWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.ctx = cmd.Context()
			return run(runF, initRun)(o)
		},
	}
	o.cmd = cmd
	p := cmd.Flags()
	p.StringVar(&o.InstallConfig, "install-config", "", "install-config.yaml that answers for vCenters and failure domains")
	p.StringSliceVar(&o.VCenters, "vcenters", nil, "vCenters to begin with")
	p.StringArrayVar(&o.ConnectTo, "connect-to", nil, "reach a server under another address: server=host:port (repeatable)")
	p.StringVar(&o.Out, "out", defaultSpecFile, "where the provisioning file goes")
	_ = cmd.MarkFlagFilename("install-config", "yaml", "yml")
	_ = cmd.MarkFlagFilename("out", "yaml", "yml")
	o.Admin.Register(cmd)
	o.TLS.Register(cmd)
	o.CredentialsFile.Register(cmd)
	return cmd
}

func initRun(o *InitOptions) error {
	o.Output = term.FormatTable // it talks with people
	options, err := o.options()
	if err != nil {
		return err
	}
	if o.tty, err = o.OpenTerminal(); err != nil {
		return hint.Wrap(err, "write the provisioning file by hand ('"+program+" apply --help' names what reads it), and use it with -f",
			"or take vCenters and failure domains from an install-config: --install-config with plan and apply")
	}
	defer o.tty.Close()
	o.tty.Quiet()
	options.Ask = wizard.OnTerminal(o.tty)
	done, err := wizard.Run(o.ctx, options)
	var stopped *wizard.StoppedError
	switch {
	case errors.As(err, &stopped) && stopped.Interrupted:
		return &ExitError{Code: ExitInterrupted, Err: errors.New(stopped.Error())}
	case err != nil:
		return err
	}
	o.farewell(done)
	return nil
}

// options checks what the flags say and gives it to the wizard.
func (o *InitOptions) options() (wizard.Options, error) {
	var options wizard.Options
	addresses, err := pairs("connect-to", "server=host:port", o.ConnectTo)
	if err != nil {
		return options, err
	}
	for server, address := range addresses {
		if !isHostPort(address) {
			return options, badFlag("connect-to", "%s=%s: must be server=host:port", server, address)
		}
	}
	promised, err := pairs("thumbprint", "server=AA:BB:..", o.TLS.Thumbprint)
	if err != nil {
		return options, err
	}
	if len(o.VCenters) > 0 {
		if _, err := spec.FromServers(o.VCenters); err != nil {
			return options, badFlag("vcenters", "%w", err)
		}
	}
	if o.tls, err = o.TLS.Resolve(o.Streams, sortedKeys(promised)); err != nil {
		return options, err
	}
	silent := *o.Streams
	silent.NoInput = true // the wizard asks
	login, err := o.Admin.Resolve(&silent)
	if err != nil {
		return options, err
	}
	return wizard.Options{
		Out: filepath.Clean(o.Out), InstallConfig: o.InstallConfig, Servers: o.VCenters, Addresses: addresses, Thumbprints: o.tls.Thumbprints,
		User: cmp.Or(o.Admin.User, o.Getenv(envAdminUser), o.Getenv(govcUser)),
		Login: func(ctx context.Context, server string) (string, secret.Secret, error) {
			user, password, err := login(ctx, server)
			if errors.Is(err, term.ErrNoInput) {
				return "", secret.Secret{}, nil
			}
			return user, password, err
		},
		Config: func(v spec.VCenter, thumbprint string) vcenter.Config {
			tls := o.tls
			tls.Thumbprints = map[string]string{v.Server: thumbprint}
			one := &spec.Spec{VCenters: []spec.VCenter{v}}
			return (&JobOptions{Factory: o.Factory}).config(one, tls)(v)
		},
		Write: writePrivate, Plan: o.plan, Apply: o.apply, Verify: o.verify,
	}, nil
}

// given is a job whose words were not on the command line: the wizard asked for them.
type given struct {
	spec   *spec.Spec
	admin  AdminFunc
	tls    TLSOptions
	agreed string // digest of the plan that was agreed to
}

// agreed tells whether a person has seen just this plan and wants it applied.
func (o *JobOptions) agreed(p *plan.Plan) bool {
	return o.given != nil && o.given.agreed != "" && o.given.agreed == p.Digest
}

// job makes the options of another command from what the wizard was told, as if it had been called with it.
func (o *InitOptions) job(ctx context.Context, name string, j wizard.Job) (JobOptions, error) {
	cmd, _, err := o.cmd.Root().Find([]string{name})
	if err != nil {
		return JobOptions{}, err
	}
	if err := o.setFlags(cmd, j); err != nil {
		return JobOptions{}, err
	}
	tls := o.tls
	tls.Thumbprints = j.Thumbprints
	return JobOptions{
		Factory: o.Factory, CredentialsFile: o.CredentialsFile, Steering: Steering{CreateFolders: j.CreateFolders}, cmd: cmd, ctx: ctx,
		given: &given{spec: j.Spec, tls: tls, agreed: j.Agreed, admin: func(_ context.Context, server string) (string, secret.Secret, error) {
			l := j.Logins[server]
			return l.User, l.Password, nil
		}},
	}, nil
}

// setFlags gives a command the flags that would have led to the same, so that it names them for the next one.
func (o *InitOptions) setFlags(cmd *cobra.Command, j wizard.Job) (err error) {
	set := func(name string, values ...string) {
		fl := cmd.Flags().Lookup(name)
		if fl == nil || fl.Changed {
			return // another job of this run has set it
		}
		for _, v := range values {
			err = errors.Join(err, cmd.Flags().Set(name, v))
		}
	}
	if j.File != "" {
		set("file", j.File)
	}
	if j.CreateFolders {
		set("create-folders", "true")
	}
	var prints []string
	for _, server := range sortedKeys(j.Thumbprints) {
		prints = append(prints, server+"="+j.Thumbprints[server])
	}
	set("thumbprint", prints...)
	o.cmd.Flags().VisitAll(func(fl *pflag.Flag) {
		_, settled := fl.Annotations[fromSettings]
		if !fl.Changed || settled || slices.Contains([]string{"install-config", "vcenters", "connect-to", "out", "thumbprint"}, fl.Name) {
			return
		}
		if list, ok := fl.Value.(pflag.SliceValue); ok {
			set(fl.Name, list.GetSlice()...)
			return
		}
		set(fl.Name, fl.Value.String())
	})
	return err
}

// plan shows what `plan` would show.
func (o *InitOptions) plan(ctx context.Context, j wizard.Job) (string, error) {
	p, err := o.job(ctx, "plan", j)
	if err != nil {
		return "", err
	}
	job, wanted, finish, err := p.begin(false)
	if err != nil {
		return "", err
	}
	made := p.plan(job)
	made.Seal(p.decided(wanted))
	finish()
	if err := p.render(made); err != nil {
		return "", err
	}
	if err := outcome(made); err != nil {
		return "", err
	}
	if !made.Empty() {
		o.supported()
	}
	return made.Digest, nil
}

// apply is `apply`, which asks again only when the plan has become another one.
func (o *InitOptions) apply(ctx context.Context, j wizard.Job) error {
	a, err := o.job(ctx, "apply", j)
	if err != nil {
		return err
	}
	o.tty.Restore() // it may ask
	defer o.tty.Quiet()
	return applyRun(&ApplyOptions{JobOptions: a})
}

// verify is `verify`.
func (o *InitOptions) verify(ctx context.Context, j wizard.Job) error {
	v, err := o.job(ctx, "verify", j)
	if err != nil {
		return err
	}
	return verifyRun(&VerifyOptions{JobOptions: v})
}

// farewell names what comes next; apply has said where the passwords are.
func (o *InitOptions) farewell(done wizard.Done) {
	j, err := o.job(o.ctx, "apply", done.Job)
	if err != nil {
		return
	}
	if !done.Applied {
		o.next("%s %s", program, after("apply", j.repeat("apply")))
		return
	}
	o.Infof("the cluster gets the accounts as secrets:")
	o.next("%s %s | oc apply -f -", program, after("secrets emit", j.repeat("secrets emit")))
}
