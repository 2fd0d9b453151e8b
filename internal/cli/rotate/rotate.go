// Package rotate is the commands that replace accounts and passwords, and remove old generations.
package rotate

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/many"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/verify"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// Options are the flags of `rotate`.
type Options struct {
	job.Options
	Limits  sso.Limits // --older-than, --expiring-within
	InPlace bool       // --in-place

	Recipients command.RecipientFlags
	Out        string // --out
	Many       many.WaveFlags
}

// The names of the flags that select accounts by their passwords.
const (
	olderThanFlag = "older-than"
	expiringFlag  = "expiring-within"
)

// NewCmd is the command with its verbs.
func NewCmd(f *command.Factory, runF func(*Options) error) *cobra.Command {
	o := &Options{Options: job.Options{Factory: f, Purpose: job.Purpose{Only: plan.User}}}
	cmd := &cobra.Command{
		Use:     "rotate",
		Short:   "Replace accounts without an outage, or passwords in place",
		GroupID: command.GroupJob,
		Long: command.Text(`
			Replaces accounts that this tool created, those of --components or all: the next generation
			(ocp-cluster1-csi-driver-2) is created with the same permissions, logs in, and only then replaces the old
			account in the credentials file. The old one keeps working. Apply the new secrets to the cluster, then run
			'rotate finish'; until then 'rotate undo' goes back.

			With --in-place the same accounts get new passwords, and running components are refused until the cluster has
			the new secrets: have 'secrets renew | oc apply -f -' ready. The old password is not needed, so use this if the
			credentials file is lost.

			Run the same command again to complete an interrupted run, but with --in-place the command that it prints: the
			same one sets every password once more. Accounts that belong to others (principal:) are never changed.

			` + many.WavesHelp),
		Example: command.Examples(`
			ocp-vsphere-admin rotate -f provisioning.yaml --expiring-within 14d --yes
			ocp-vsphere-admin rotate --components csi-driver -f provisioning.yaml --dry-run
			ocp-vsphere-admin rotate --in-place --components csi-driver -f provisioning.yaml`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, run, o.check, o.Many.Check("in-place", olderThanFlag, expiringFlag)),
	}
	command.RunsItself(cmd)
	o.Connection.Source.Several = true
	o.RegisterChange(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&o.InPlace, "in-place", false, "keep the accounts and set new passwords")
	flags.Var(command.NewSpan(&o.Limits.OlderThan), olderThanFlag,
		"only passwords that are at least this old: 60d, 36h")
	flags.Var(command.NewSpan(&o.Limits.ExpiringWithin), expiringFlag,
		"only passwords that expire within this time: 14d, 36h")
	job.RegisterHandover(cmd, &o.Recipients, &o.Out)
	o.RegisterCluster(cmd)
	o.Many.Register(cmd, &o.Options)
	cmd.AddCommand(newCmdStatus(f, nil), newCmdFinish(f, nil), newCmdUndo(f, nil))
	return cmd
}

// check refuses recipients if the old accounts stay: going back to them needs their passwords.
func (o *Options) check(*cobra.Command, []string) error {
	if o.Recipients.Given() && !o.InPlace {
		return hint.Errorf("run rotate without --recipient where the credentials file is: rotate undo goes back with the old passwords, which this run must not keep", "--recipient: --in-place is required")
	}
	return job.CheckHandover(&o.Recipients, o.Out)
}

func run(ctx context.Context, o *Options) error {
	if o.Many.Given() {
		asked := []any{o.InPlace, o.Limits, o.Connection.Source.Components}
		return o.Many.Run(ctx, many.Change{
			Verb: "rotate", Asked: asked, Covers: asked, Verify: verify.Made,
			Do: func(ctx context.Context, of *job.Options) error {
				return run(ctx, &Options{Options: *of, Limits: o.Limits, InPlace: o.InPlace})
			},
		})
	}
	if !o.InPlace {
		o.Only = "" // a new account takes its grants as well
	}
	handover, err := job.NewHandover(o.Factory, "rotate", &o.Recipients, o.Out)
	if err != nil {
		return err
	}
	w, err := o.Begin(ctx, job.Params{Writes: !o.DryRun, Handover: handover})
	if err != nil {
		return err
	}
	named := len(o.Connection.Source.Components) > 0
	c := job.Change{
		Command: "rotate", Subject: "the rotation", FailsOnFindings: true,
		Question: "create the next accounts and put them into use now?",
		Plan:     func(ctx context.Context) *plan.Plan { return w.Job.PlanReplacement(ctx, named, o.Limits) },
		Do:       w.Job.Replace,
		Next: afterChange(w, func(p *plan.Plan) {
			w.Infof("the new accounts are in %s; the old ones work until the rotation is finished", w.Credentials)
			w.PrintDeliveries(p, w.Invocation)
			w.Command("then:", openshift.From(w.Wanted.Profile)+w.Following("rotate finish", "--secrets", "-"))
		}),
	}
	if o.InPlace {
		c.Question = "set new passwords for these accounts now?"
		c.Plan = func(ctx context.Context) *plan.Plan { return w.Job.PlanRotation(ctx, named, o.Limits) }
		c.Do, c.Next = w.Job.Rotate, afterChange(w, func(p *plan.Plan) { afterRotation(w, p) })
		c.Ready = func(p *plan.Plan) { // names what to run at once afterwards
			if w.Output == term.FormatTable && job.LocksOut(p) {
				w.PrintElsewhere(p, w.Invocation)
				if line := w.Delivery(); line != "" {
					w.Command("run this as soon as the passwords are set:", line)
				}
			}
		}
		c.Check = func(_ context.Context, p *plan.Plan) error { return w.Handover.Check(p) }
		c.Rest = func(p *plan.Plan) { o.rest(w, p) }
	}
	return w.Change(ctx, c)
}

// rest prints what completes a rotation in place, and leaves alone what the same command would set
// once more.
func (o *Options) rest(w *job.Run, p *plan.Plan) {
	own := []string{"--in-place"}
	for _, limit := range []struct {
		flag string
		span *time.Duration
	}{{olderThanFlag, o.Limits.OlderThan}, {expiringFlag, o.Limits.ExpiringWithin}} {
		if limit.span != nil {
			own = append(own, "--"+limit.flag, command.SpanText(*limit.span))
		}
	}
	if w.Handover != nil { // whose file is not overwritten
		own = append(own, "--recipients-file", command.FilePlaceholder, "--out", "FILE.age")
	}
	unset := w.Job.Unset(p)
	if line := w.DeliveryLater(); len(unset) == 0 && line != "" {
		w.Command("once the linked vCenters that were not read answer:", line)
	}
	for _, left := range unset {
		inv := w.Invocation
		if left.Components != nil {
			inv = inv.With("components", component.Words(left.Components)...)
		}
		label := "to complete:"
		if left.Perhaps {
			label = "to complete, unless verify finds the new passwords there, which linked vCenters share:"
		}
		w.Command(label, w.CommandLine("rotate", inv.At(left.Servers), own...))
	}
}

func afterChange(w *job.Run, say func(*plan.Plan)) func(*plan.Plan) error {
	return func(p *plan.Plan) error {
		if !p.Empty() {
			w.ForPeople(func() { say(p) })
		}
		return nil
	}
}

// afterRotation prints where the passwords are and how the cluster gets them.
func afterRotation(w *job.Run, p *plan.Plan) {
	if w.Handover != nil {
		w.Handover.NextAfterRotation(w, p)
		return
	}
	w.Infof("the new passwords are in %s", w.Credentials)
	switch {
	case w.Delivery() == "":
		w.PrintDeliveries(p, w.Invocation)
		w.Next(w.CommandLine("verify", w.Invocation))
		return
	case !job.LocksOut(p):
		w.Todof("the accounts are disabled: apply the new secrets before you enable them")
		w.PrintDeliveries(p, w.Invocation)
		return
	}
	w.Todof("apply the new secrets now: %s", w.OldPasswords())
	w.PrintDeliveries(p, w.Invocation)
	w.PrintRestarts()
}
