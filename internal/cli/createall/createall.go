// Package createall is the command that does the whole job: accounts, proof, and what OpenShift reads.
package createall

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/apply"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/installconfig"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/secrets"
	cliverify "github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/verify"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// Options are the flags of `create-all`.
type Options struct {
	apply.Options
	Allow     command.Allowed // of the proof, as in verify
	OutputDir string          // --output-dir; "" = the cluster's name
	Over      command.OverwriteFlag
	Switch    []string // --switch
}

const outputDirFlag = "output-dir"

// NewCmd is the command.
func NewCmd(f *command.Factory, runF func(*Options) error) *cobra.Command {
	o := &Options{Options: apply.Options{Options: job.Options{Factory: f}}}
	cmd := &cobra.Command{
		Use:     "create-all",
		Short:   "Plan, apply, verify, and write what OpenShift reads",
		GroupID: command.GroupJob,
		Long: command.Text(`
			Shows the plan and asks once. Then it applies the plan as 'apply' does, logs in as each account as 'verify'
			does, and if nothing is missing, writes the result: an install-config with the accounts for --install-config, or
			secrets for a running cluster, into the directory of --output-dir. With --kubeconfig it applies the secrets to
			this cluster. These hold passwords.

			Run the same command again to complete an interrupted run. What has to be approved is planned with 'plan --out',
			and done with --plan and --digest.`),
		Example: command.Examples(`
			ocp-vsphere-admin create-all --install-config install-config.yaml --output-dir install
			ocp-vsphere-admin create-all -f provisioning.yaml --kubeconfig kubeconfig
			ocp-vsphere-admin create-all --plan plan.json --digest "$APPROVED" --output-dir install`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, run, func(*cobra.Command, []string) error { return o.check() }),
	}
	o.Register(cmd)
	cliverify.RegisterAllow(cmd, &o.Allow, "; disabled: write these accounts", command.AllowDisabled)
	command.DirFlag(cmd, &o.OutputDir, outputDirFlag, "write the result to this directory (default: the cluster's name)")
	o.Over.Register(cmd)
	secrets.RegisterSwitch(cmd, &o.Switch)
	cmd.MarkFlagsMutuallyExclusive(outputDirFlag, command.KubeconfigFlag)
	return cmd
}

func (o *Options) check() error {
	source := &o.Connection.Source
	switch {
	case o.Plan == "" && !source.NamesCluster():
		return hint.Errorf("--vcenters alone is enough for 'roles create' and 'users create'",
			"a file names what the cluster uses: -f FILE, --install-config FILE or --infrastructure FILE is required")
	case source.File == "-", source.InstallConfig == "-", source.Infrastructure == "-", o.Used.Dump == "-":
		return hint.Errorf("write it to a file, and name that", "create-all reads its input more than once, which stdin (-) does not allow")
	case len(o.Switch) > 0 && !o.Used.Given():
		return command.BadFlag("switch", "requires --secrets DUMP or --kubeconfig FILE: the cluster's secrets")
	}
	return nil
}

// document is the outcome: what was applied, proved, and written.
type document struct {
	command.Header
	Applied      *plan.Plan      `json:"applied"`
	Verification *verify.Result  `json:"verification"` // null = not everything was applied
	Files        []string        `json:"files"`        // of the result, written now or before
	Secrets      *secrets.Synced `json:"secrets"`      // of the cluster of --kubeconfig
}

// creation is the command under way.
type creation struct {
	*Options
	*job.Run
	doc     document
	asked   bool           // the answer to the plan's question is one to all of it
	result  *verify.Result // nil = not everything was applied
	again   string         // the command that completes it
	outcome error          // of the proof, then of the result
}

func run(ctx context.Context, o *Options) error {
	return apply.Within(ctx, &o.Options, func(w *job.Run, c *job.Change) error {
		r := &creation{Options: o, Run: w, doc: document{Header: command.NewHeader("Created"), Files: []string{}}}
		if err := r.ready(); err != nil {
			return err
		}
		if err := w.SureOfCluster(ctx, "create-all"); err != nil {
			return err
		}
		r.extend(ctx, c)
		return nil
	})
}

// extend makes a change of apply the whole job. A document is printed once, with everything in it.
func (r *creation) extend(ctx context.Context, c *job.Change) {
	people := r.Run.Output == term.FormatTable
	c.Command, c.Subject = "create-all", "create-all"
	c.Question = "apply these changes, verify them, and write the accounts to " + r.target() + "?"
	c.Partly = "verify and write nothing yet, but apply these changes"
	c.Own = append(c.Own, r.words()...)
	r.again = r.completes(c, r.Invocation)
	applies, approved := c.Do, c.Check
	c.Check = func(ctx context.Context, p *plan.Plan) error {
		err := cmp.Or(approved(ctx, p), r.refused(p, c))
		if err == nil && !p.Empty() && !r.Over.Force {
			err = r.alone(nil)
		}
		return err
	}
	c.Do = func(ctx context.Context, p *plan.Plan) error {
		r.asked = !p.Empty()
		if err := applies(ctx, p); err != nil || job.Outcome(p) != nil {
			return err
		}
		result := r.Job.Verify(ctx)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		r.result = result
		r.Advice().Fill(r.Credentials, r.result.Findings)
		r.doc.Verification = cliverify.Document(r.Run, r.result)
		if r.outcome = r.judge(); r.outcome == nil && !people {
			r.outcome = r.deliver(ctx)
		}
		return nil
	}
	c.View = func(p *plan.Plan) any { r.doc.Applied = p; return r.doc }
	c.Proof = func(*plan.Plan) {
		if people && r.result != nil {
			_ = cliverify.Report(r.Run, r.result, r.standard()) // judged before
		}
	}
	c.Left = func(err error) error { // such as a tag that somebody has to attach, which holds nothing back
		switch {
		case r.result == nil:
			r.goesOn("nothing was verified, and nothing was written to", "to go on:")
		case people && r.outcome == nil:
			r.outcome = r.deliver(ctx)
		}
		return command.Joined(err, r.outcome)
	}
	c.Next = func(*plan.Plan) error { return nil } // said with the result
}

// judge is the error of accounts that cannot do their work: these are not handed over.
func (r *creation) judge() error {
	err := cliverify.Judge(r.result, r.standard())
	if err != nil {
		r.goesOn("nothing was written to", "once verify finds nothing:")
	}
	return err
}

// goesOn says what is left of the target, and the command that does it, unless a plan of the rest
// has to be approved first.
func (r *creation) goesOn(left, label string) {
	r.Todof("%s %s", left, r.target())
	if r.Again == "" {
		r.Command(label, r.again)
	}
}

func (r *creation) standard() verify.Standard {
	return verify.Standard{Strict: r.Options.Strict, InUse: true, Allow: r.Allow}
}

// target is where the accounts go.
func (r *creation) target() string {
	if r.Used.Cluster.Given() {
		return "the cluster of " + r.Used.Cluster.Kubeconfig
	}
	return script.Word(r.OutputDir)
}

// rendered is the install-config that openshift-install reads.
func (r *creation) rendered() string { return filepath.Join(r.OutputDir, "install-config.yaml") }

// words name the target again.
func (r *creation) words() []string {
	if r.Used.Cluster.Given() {
		return r.Used.Cluster.Words()
	}
	return []string{"--" + outputDirFlag, r.OutputDir}
}

// completes is the command that completes this run. What confirms is said again by a person.
func (r *creation) completes(c *job.Change, inv command.Invocation) string {
	own := slices.Clone(c.Own)
	for _, of := range []struct{ flag, value string }{
		{"secrets", r.Used.Dump}, {"switch", strings.Join(r.Switch, ",")}, {"allow", strings.Join(r.Allow, ",")},
	} {
		if of.value != "" {
			own = append(own, "--"+of.flag, of.value)
		}
	}
	if r.Over.Force {
		own = append(own, "--force")
	}
	return r.CommandLine(c.Command, inv.Without(c.Within...), own...)
}

// deliver writes the accounts, or says what goes on.
func (r *creation) deliver(ctx context.Context) error {
	err := context.Cause(ctx)
	if err == nil {
		err = r.write(ctx)
	}
	left, label := "not everything was written to", "to go on:"
	if errors.Is(err, errNotEmpty) {
		left = "nothing was written to"
	}
	if errors.Is(err, fs.ErrExist) || errors.Is(err, errNotEmpty) {
		label = "to overwrite what is there, with what was edited by hand:"
		r.again += " --force"
	}
	if err != nil {
		r.goesOn(left, label)
	}
	return err
}

// write writes the accounts by the command that does this alone.
func (r *creation) write(ctx context.Context) error {
	f, inv := r.Options.Factory, r.Invocation.Without("vcenters")
	config := inv.Value("install-config")
	emits := secrets.EmitOptions{
		Factory: f, Told: true, Components: inv["components"], Switch: r.Switch, Against: r.Used.SecretsFlags, Over: r.Over, Allow: r.Allow,
		File: command.CredentialsFlag{Path: r.Credentials},
		Source: command.SourceFlags{
			File: inv.Value("file"), InstallConfig: config,
			Infrastructure: inv.Value(command.InfrastructureFlag), Profile: inv.Value("profile"),
		},
	}
	emits.Instances.TLS, emits.Source.ConnectTo = r.Connection.TLS, r.Connection.Source.ConnectTo
	switch {
	case r.Used.Cluster.Given():
		return r.sync(ctx, emits)
	case config != "":
		return r.render(ctx, config)
	}
	emits.OutputDir, emits.Alone = r.OutputDir, r.alone
	paths, err := secrets.Emit(ctx, &emits)
	if err != nil {
		return err
	}
	r.doc.Files = paths
	line := openshift.Client(r.Wanted.Profile) + " apply" // not the directory, which may hold other files
	for _, path := range paths {
		line += " -f " + script.Word(path)
	}
	r.Due(line)
	return nil
}

// sync applies the secrets to the cluster. The answer to the plan's question is one to this, too.
func (r *creation) sync(ctx context.Context, emits secrets.EmitOptions) error {
	f, yes := r.Options.Factory, r.Options.Yes
	f.Yes = yes || r.asked
	synced, err := secrets.Sync(ctx, &secrets.SyncOptions{EmitOptions: emits})
	f.Yes, r.doc.Secrets = yes, synced
	if synced != nil && f.Output == term.FormatTable {
		err = errors.Join(err, f.Print(f.Output, synced, synced.Table(f.Width())))
	}
	if err == nil {
		r.Next(r.CommandLine("verify", r.Invocation.Without("vcenters"), r.Used.Cluster.Words()...))
	}
	return err
}

// onlyMain reports whether the install-config gets the main account alone.
func (r *creation) onlyMain() bool {
	return r.Invocation.Value("profile") == "" && !r.NamesComponents()
}

func (r *creation) rendering(config string) *installconfig.RenderOptions {
	o := &installconfig.RenderOptions{
		Factory: r.Options.Factory, Config: config, Profile: r.Invocation.Value("profile"), Components: r.Invocation["components"],
		File: command.CredentialsFlag{Path: r.Credentials},
	}
	if r.onlyMain() {
		o.Components = []string{string(component.Installer)}
	}
	return o
}

// render writes the install-config, and says how openshift-install and the cluster take the rest.
func (r *creation) render(ctx context.Context, config string) error {
	if err := os.MkdirAll(r.OutputDir, 0o700); err != nil {
		return command.BadFlag(outputDirFlag, "%w", err)
	}
	o := r.rendering(config)
	o.Output.Out, o.Output.Over, o.Output.Flag = r.rendered(), r.Over, outputDirFlag
	if err := installconfig.Render(ctx, o); err != nil {
		return err
	}
	r.doc.Files = []string{o.Output.Out}
	known, _ := openshift.FindProfile(r.Wanted.Profile)
	if known.Requests {
		r.Due("openshift-install create manifests --dir " + script.Word(r.OutputDir))
		r.Command("then:", r.CommandLine("secrets manifests", r.Invocation, "--requests", "DIR",
			"--dir", filepath.Join(r.OutputDir, "manifests")))
		return nil
	}
	r.NextInstall(r.OutputDir, slices.ContainsFunc(r.Wanted.VCenters, func(v spec.VCenter) bool {
		return slices.ContainsFunc(v.FailureDomains, func(fd spec.FailureDomain) bool { return len(fd.Networks) > 0 })
	}))
	if r.onlyMain() && !known.Shared() && len(r.Wanted.ComponentNames()) > 1 {
		r.Command("then, so that the cluster works with the other accounts:",
			r.CommandLine("secrets emit", r.Invocation.Without("vcenters"))+openshift.Applies(r.Wanted.Profile))
	}
	return nil
}
