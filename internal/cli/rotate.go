package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// RotateOptions are the words of `rotate`.
type RotateOptions struct {
	JobOptions
	InPlace bool // --in-place
	DryRun  bool // --dry-run
}

func newCmdRotate(f *Factory, runF func(*RotateOptions) error) *cobra.Command {
	o := &RotateOptions{JobOptions: JobOptions{Factory: f, duty: duty{only: plan.User}}}
	cmd := &cobra.Command{
		Use:     "rotate",
		Short:   "Give accounts new passwords, and heal those whose password is lost",
		GroupID: groupJob,
		Long: text(`
			With --in-place, gives accounts that this tool made new passwords: of --components, or of all. A new password is
			on the disk before its vCenter hears of it (in FILE.rotation, beside the credentials file FILE), is set, is
			proved by one login, and then takes its place in the credentials file, for all vCenters of the SSO domain. A run
			that ends anywhere is completed by running it again. The old password need not be known, so this is the way out
			when the credentials file is lost.

			Components that run go on with the old password until the cluster has the new secrets, and their failed logins
			can lock the account: have 'secrets emit | oc apply -f -' ready. Rotation without such a gap, by a second
			account, is not there yet. Accounts of others (principal:) are never touched.`),
		Example: examples(`
			ocp-vsphere-admin rotate --in-place --components csi-driver -f provisioning.yaml
			ocp-vsphere-admin rotate --in-place --components csi-driver -f provisioning.yaml --dry-run
			ocp-vsphere-admin rotate --in-place -f provisioning.yaml --vcenters vcenter1.example.com --yes`),
		Args: noWords,
		RunE: action(o, runF, rotateRun),
	}
	o.register(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&o.InPlace, "in-place", false, "the same accounts, with new passwords")
	flags.BoolVar(&o.DryRun, "dry-run", false, "show what would be done, and nothing else")
	o.registerCluster(cmd)
	return cmd
}

func rotateRun(ctx context.Context, o *RotateOptions) error {
	if !o.InPlace {
		return hint.Errorf("--in-place gives the same accounts new passwords: apply the new secrets at once, or SSO locks the accounts",
			"rotation by a second account is not there yet")
	}
	w, err := o.begin(ctx, extent{writes: !o.DryRun})
	if err != nil {
		return err
	}
	defer w.finish()
	p := w.job.PlanRotation(ctx, len(o.Connection.Source.Components) > 0)
	if o.DryRun {
		return w.dryRun(p)
	}
	if allFailed(p) {
		return p.Err()
	}
	err = w.agree(p, false, "the rotation", func() (bool, error) {
		return o.Confirm(ctx, "give "+count(p.Summary.Update, "account")+" a new password now?")
	})
	if err != nil {
		return err
	}
	warnings, err := w.job.Rotate(ctx, p)
	w.finish()
	o.warn(warnings...)
	if reported := w.report(p); err == nil {
		err = reported
	}
	if err != nil {
		return err
	}
	if err := outcome(p); err != nil {
		return err
	}
	w.afterRotation(p)
	return nil
}

// afterRotation says where the passwords are and how the cluster gets them.
func (w *work) afterRotation(p *plan.Plan) {
	if w.Output != term.FormatTable || p.Empty() {
		return
	}
	w.Infof("the new passwords are in %s", w.credentials)
	components := w.wanted.ComponentNames()
	profile, _ := openshift.FindProfile(w.wanted.Profile)
	if len(components) == 1 && components[0] == component.Installer && !profile.Shared() {
		w.next(w.command("verify", w.said))
		return
	}
	if slices.Contains(components, component.MachineAPI) && profile.Labelled {
		w.Infof("if kube-system/vsphere-creds holds the account of machine-api, add --with-root-secret")
	}
	w.Infof("apply the new secrets now: until then components go on with the old passwords, and SSO may lock their accounts")
	var own []string
	if profile.Requests {
		own = []string{"--credentials-requests", "DIR"}
	}
	// A secret holds the accounts of all vCenters, so that --vcenters would take the others out of it.
	w.next(w.command("secrets emit", w.said.without("vcenters"), own...) + " | oc apply -f -")
}
