package secrets

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/kube"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// SyncOptions are the flags of `secrets sync`: those of `secrets emit`, and how it is applied.
type SyncOptions struct {
	EmitOptions
	DryRun bool
	Force  bool // --force-conflicts
}

const renewFlag, forceConflictsFlag = "renew", "force-conflicts"

// whichSecrets are the flags that name the secrets if the cluster does not.
var whichSecrets = []string{"credentials-requests", "assign", "enable-tech-preview", "vcenter-ids"}

// checkRenew refuses flags that conflict with --renew.
func (o *SyncOptions) checkRenew(cmd *cobra.Command) error {
	for _, name := range whichSecrets {
		if o.Renew && command.LevelOf(cmd.Flags(), name) == command.OfCommandLine {
			return command.BadFlag(name, "cannot be combined with --renew: the secrets are those of the cluster")
		}
	}
	return nil
}

func newCmdSync(f *command.Factory, runF func(*SyncOptions) error) *cobra.Command {
	o := &SyncOptions{EmitOptions: EmitOptions{Factory: f, Format: formatOpenShift}}
	cmd := &cobra.Command{
		Use:   "sync",
		Short: "Apply to a cluster what emit would write",
		Long: command.Text(`
			Applies what 'secrets emit' writes, or 'secrets renew' with --renew, to the cluster of --kubeconfig: shows what
			changes, asks, and writes. It refuses what they refuse. Passwords are never shown, and nothing is deleted but
			keys that sync wrote before.

			It uses server-side apply as the field manager ` + kube.FieldManager + `, and first asks the cluster for a dry run of everything. If a
			field of another manager, such as that of 'oc apply', has another value, sync fails; --force-conflicts takes
			these fields over.`),
		Example: command.Examples(`
			ocp-vsphere-admin secrets sync -f provisioning.yaml --kubeconfig kubeconfig --dry-run
			ocp-vsphere-admin secrets sync -f provisioning.yaml --kubeconfig kubeconfig --renew --verify --yes`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, syncRun, command.KnownComponents(&o.Components), func(cmd *cobra.Command, _ []string) error {
			if !o.Against.Given() {
				return hint.Errorf("without access to the cluster: 'ocp-vsphere-admin secrets emit | oc apply -f -'", "--kubeconfig FILE is required: the cluster that gets the secrets")
			}
			return o.checkRenew(cmd)
		}),
	}
	o.register(cmd)
	o.registerWrites(cmd)
	o.registerExplain(cmd)
	o.Against.Cluster.Register(cmd)
	cmd.Flags().Lookup(command.KubeconfigFlag).Usage = "kubeconfig file of the cluster that gets the secrets"
	p := cmd.Flags()
	p.BoolVar(&o.Renew, renewFlag, false, "apply what 'secrets renew' writes")
	p.BoolVar(&o.DryRun, "dry-run", false, "show what would change, as the cluster answers it")
	p.BoolVar(&o.Force, forceConflictsFlag, false, "take over fields that another manager has set to other values")
	command.MarkCommandLineOnly(cmd, renewFlag, "dry-run", forceConflictsFlag)
	return cmd
}

// The outcomes of an object.
const (
	syncDone    = "done"
	syncFailed  = "failed"
	syncSkipped = "skipped" // after an interrupt
)

// changeManaged is an object with the right values, whose fields are ours from now on.
const changeManaged = "same, now managed"

// Synced is what a cluster has of the secrets. It holds no password.
type Synced struct {
	command.Header
	Cluster string         `json:"cluster"` // URL
	Profile string         `json:"profile"`
	Objects []syncedObject `json:"objects"`

	applied bool
}

// syncedObject is an object of the cluster. It holds no password.
type syncedObject struct {
	Kind     string                  `json:"kind"`
	Name     string                  `json:"name"`   // namespace/name
	Change   string                  `json:"change"` // as in SecretsDiff, or "same, now managed"
	VCenters []cluster.VCenterChange `json:"vcenters"`
	From     []string                `json:"takenFrom"` // manager: field, with --force-conflicts
	Kept     []string                `json:"kept"`      // keys of another manager
	Status   string                  `json:"status"`    // "" = nothing was to be done, or a dry run
	Error    string                  `json:"error"`

	object *unstructured.Unstructured // what is applied
}

func syncRun(ctx context.Context, o *SyncOptions) error {
	view, err := Sync(ctx, o)
	if view == nil {
		return err
	}
	return errors.Join(err, o.Print(o.Output, view, view.Table(o.Width())))
}

// Sync applies the secrets to the cluster, once it is agreed. Without an outcome nothing was done.
func Sync(ctx context.Context, o *SyncOptions) (*Synced, error) {
	e, err := o.checked(ctx)
	if err != nil {
		return nil, err
	}
	view := &Synced{command.NewHeader("SecretsSync"), e.cluster.Source, e.emit.Profile, []syncedObject{}, false}
	if err := o.preview(ctx, e, view); err != nil {
		return nil, err
	}
	pending := slices.ContainsFunc(view.Objects, func(s syncedObject) bool {
		return s.Change != cluster.ChangeNone
	})
	left := command.Partly(e.left != nil, e.left)
	if !pending || o.DryRun {
		return view, left
	}
	if err := o.agree(ctx, view); err != nil {
		return nil, err
	}
	if err = view.apply(ctx, e.cluster.Asked, o.Force); err == nil {
		o.afterwards(ctx, e)
	}
	return view, command.Joined(err, left)
}

// preview asks the cluster what each object would become. On an error nothing is written.
func (o *SyncOptions) preview(ctx context.Context, e *emission, view *Synced) error {
	var errs []error
	var hints []string
	for i := range e.manifests {
		s, err := o.previewOne(ctx, e, &e.manifests[i])
		if conflict, ok := errors.AsType[*kube.ConflictError](err); ok {
			hints = []string{"'oc apply' and other tools own these fields: --" + forceConflictsFlag + " takes them over, for these alone"}
			err = conflict
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		view.Objects = append(view.Objects, s)
	}
	if err := errors.Join(errs...); err != nil {
		return hint.Wrap(err, append([]string{"nothing was written"}, hints...)...)
	}
	for _, s := range view.Objects {
		if len(s.From) > 0 {
			o.Warnf("%s: taken over from other managers: %s", s.Name, strings.Join(s.From, ", "))
		}
		if len(s.Kept) > 0 {
			o.Warnf("%s keeps %s, which another field manager set: 'oc edit secret' removes what no component reads", s.Name, strings.Join(s.Kept, ", "))
		}
	}
	return nil
}

// agree shows the changes to people, if stdout is for the report, and asks, unless --yes is given.
func (o *SyncOptions) agree(ctx context.Context, view *Synced) error {
	if o.Yes && o.Output != term.FormatTable {
		return nil
	}
	if err := view.print(o.Err, o.Width()); err != nil || o.Yes {
		return err
	}
	return o.Agree(ctx, command.Consent{
		Subject: "secrets sync", Question: "apply this to " + view.Cluster + "?",
		Confirms: "--yes confirms, --dry-run shows what would change",
	})
}

// apply writes the pending objects in order and notes the outcome of each.
func (v *Synced) apply(ctx context.Context, to *kube.Cluster, force bool) error {
	v.applied = true
	done := false
	var errs []error
	for i := range v.Objects {
		s := &v.Objects[i]
		switch {
		case s.Change == cluster.ChangeNone:
			continue
		case ctx.Err() != nil:
			s.Status = syncSkipped
			continue
		}
		s.Status = syncDone
		if _, err := to.Apply(ctx, s.object, kube.ApplyOptions{Force: force}); err != nil {
			s.Status, s.Error = syncFailed, err.Error()
			errs = append(errs, err)
		}
		done = done || s.Status == syncDone
	}
	if ctx.Err() != nil {
		errs = append(errs, ctx.Err())
	}
	return command.Partly(done && len(errs) > 0, errors.Join(errs...))
}

// Table prints the changes, or their outcome once they were applied.
func (v *Synced) Table(width int) func(io.Writer) error {
	return func(w io.Writer) error {
		if v.applied {
			return v.report(w, width)
		}
		return v.print(w, width)
	}
}

func (v *Synced) print(w io.Writer, width int) error {
	t := term.NewTable("object", "vcenter", "change", "from", "to")
	for _, s := range v.Objects {
		if len(s.VCenters) == 0 || s.Change == cluster.ChangeNew || s.Change == changeManaged {
			t.Row(s.Name, "", s.Change)
		}
		for _, c := range s.VCenters {
			t.Row(s.Name, c.Server, c.Change, c.From, c.To)
		}
	}
	return t.Render(w, width)
}

func (v *Synced) report(w io.Writer, width int) error {
	t := term.NewTable("object", "change", "status")
	done := 0
	for _, s := range v.Objects {
		t.Row(s.Name, s.Change, command.Some(s.Status))
		if s.Status == syncDone {
			done++
		}
	}
	err := t.Render(w, width)
	term.Fprintf(w, "\n%d of %s written to %s\n", done, term.Count(len(v.Objects), "object"), v.Cluster)
	return err
}
