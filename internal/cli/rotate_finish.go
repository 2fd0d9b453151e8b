package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
)

// defaultGrace is time that accounts stay disabled before they are removed: long enough for a component that was forgotten to
// show.
const defaultGrace = time.Minute

// RotateRemovalOptions are the flags of `rotate finish` and `rotate undo`, which remove generations of accounts: proof that the
// cluster works with the others.
type RotateRemovalOptions struct {
	JobOptions
	Secrets command.UsedFlags
	Grace   time.Duration // --grace
	DryRun  bool          // --dry-run
}

// command makes cmd one of the two.
func (r *RotateRemovalOptions) command(cmd *cobra.Command, runF func(*RotateRemovalOptions) error, run func(context.Context, *RotateRemovalOptions) error) *cobra.Command {
	cmd.Args, cmd.RunE = command.NoWords, command.Action(r, runF, run, r.check)
	r.register(cmd)
	r.registerView(cmd)
	r.registerCluster(cmd)
	r.Grace = defaultGrace
	flags := cmd.Flags()
	r.Secrets.Register(cmd, ": proves that the new ones are applied", "confirm that the new secrets are applied (help proof)")
	flags.DurationVar(&r.Grace, "grace", r.Grace, "time that accounts stay disabled before they are removed")
	flags.BoolVar(&r.DryRun, "dry-run", false, "show what would be changed, and change nothing")
	changes(cmd)
	return cmd
}

func (r *RotateRemovalOptions) check(*cobra.Command, []string) error {
	if r.Grace < 0 {
		return command.BadFlag("grace", "%s: must not be negative", r.Grace)
	}
	return nil
}

func newCmdRotateFinish(f *command.Factory, runF func(*RotateRemovalOptions) error) *cobra.Command {
	o := &RotateRemovalOptions{JobOptions: JobOptions{Factory: f}}
	return o.command(&cobra.Command{
		Use:   "finish",
		Short: "Remove the accounts that a rotation replaced",
		Long: command.Text(`
			Disables the accounts that 'rotate' replaced, ends their open sessions, waits (--grace), and removes them with
			their permissions and the roles that nobody else uses. If interrupted while waiting, 'rotate undo' goes back.

			The cluster must have the new secrets first. --secrets FILE proves it: no secret in the dump holds an account that
			is removed, and the new accounts are there. --applied asserts it without proof. The cloud controller manager keeps
			using the old account until its first refused login (which is expected) or a restart; then it reads its secret
			again. For components that must be restarted the commands are printed.`),
		Example: command.Examples(`
			oc get secrets -A -o yaml | ocp-vsphere-admin rotate finish -f provisioning.yaml --secrets -
			ocp-vsphere-admin rotate finish -f provisioning.yaml --components csi-driver --applied --grace 10m
			ocp-vsphere-admin rotate finish -f provisioning.yaml --dry-run`),
	}, runF, func(ctx context.Context, o *RotateRemovalOptions) error {
		return o.remove(ctx, "rotate finish", (*provision.Job).PlanFinish)
	})
}

// remove takes generations of accounts away that are not in use, as the command called name.
func (r *RotateRemovalOptions) remove(ctx context.Context, name string, planned func(*provision.Job, context.Context, bool) *plan.Plan) error {
	dump, err := r.Secrets.Read(ctx, r.Factory)
	if err != nil {
		return err
	}
	w, err := r.begin(ctx, extent{writes: !r.DryRun})
	if err != nil {
		return err
	}
	accounts := "disable these accounts now, and remove them after " + r.Grace.String() + "?"
	return w.change(ctx, change{
		command: name, what: "removing these accounts", question: accounts, dryRun: r.DryRun, settles: true,
		plan: func(ctx context.Context) *plan.Plan {
			return planned(w.job, ctx, len(w.Connection.Source.Components) > 0)
		},
		do:   func(ctx context.Context, p *plan.Plan) ([]string, error) { return w.job.Finish(ctx, p, r.Grace) },
		used: command.InUse{Secrets: dump, Applied: r.Secrets.Applied}, replaced: w.job.Replacements, revokes: true,
		next: w.afterChange(func(*plan.Plan) { w.Next(w.CommandLine("verify", w.said)) }),
	})
}

// switched is the error of secrets with which a cluster may still work with accounts that go.
func (w *work) switched(dump []corev1.Secret, replaced []provision.Replacement) error {
	var errs []error
	copied := false
	dump = w.secretsHere(dump)
	profile, _ := openshift.FindProfile(w.wanted.Profile)
	for _, r := range replaced {
		for _, err := range openshift.Switched(dump, r.Server, r.From, r.Stays, r.Component != component.Installer || profile.Shared()) {
			if !slices.ContainsFunc(errs, func(said error) bool { return said.Error() == err.Error() }) { // one without a vCenter
				errs = append(errs, err)
			}
		}
		copied = copied || slices.ContainsFunc(openshift.HoldersOf(dump, r.Server, r.From), openshift.Copied)
	}
	err := errors.Join(errs...)
	if err == nil {
		return nil
	}
	hints := []string{"apply the secrets: " + w.renews(w.wanted.ComponentNames(), w.said, w.Tested(w.said)...)}
	if copied {
		i := slices.IndexFunc(openshift.Readers(), func(r openshift.Reader) bool { return r.Hold == openshift.HoldsCopy })
		r := openshift.Readers()[i]
		hints = append(hints, fmt.Sprintf("%s %s; once %s has the new account, this makes it copy again: %s", r.Name, r.Account.Does, r.Secret, r.Restart))
	}
	return hint.Wrap(err, append(hints, "'oc get secrets -A -o yaml' prints all secrets of a cluster")...)
}

// unswitched is the error where nobody says whether the cluster works with the accounts that stay.
func (w *work) unswitched(c change) error {
	need, prove, hints := "the cluster must use", "it", hintsOf("apply them", w.deliveries(w.Tested(w.said)...))
	if len(hints) == 0 {
		need, prove, hints = "whoever installs must have", "that no secret of the cluster holds the old ones", []string{"hand them over: " + w.exports(w.said)}
	}
	return hint.Wrap(errors.New(need+" the accounts of the credentials file before the old ones are removed"), append(hints,
		"prove "+prove+": "+w.proving(c),
		"or confirm it: --applied")...)
}

// switching says what has to be restarted so that it works with the accounts that stay.
func (w *work) switching(c change) {
	var components []component.Name
	root := c.used.Secrets == nil
	for _, r := range c.replaced() {
		components = append(components, r.Component)
		root = root || slices.Contains(openshift.HoldersOf(c.used.Secrets, r.Server, r.Stays.User), openshift.RootSecret())
	}
	profile, _ := openshift.FindProfile(w.wanted.Profile)
	for _, r := range profile.Readers(components) {
		if r.Account.Restart && (root || !r.Root()) {
			w.Infof("%s %s; to switch it to the new account: %s", r.Name, r.Account.Does, r.Restart)
		}
	}
	w.Infof("while the accounts are disabled you can stop with Ctrl-C and go back with rotate undo")
}
