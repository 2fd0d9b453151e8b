package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// RotateOptions are the words of `rotate`.
type RotateOptions struct {
	JobOptions
	InPlace bool // --in-place
	DryRun  bool // --dry-run
}

func newCmdRotate(f *Factory, runF func(*RotateOptions) error) *cobra.Command {
	o := &RotateOptions{JobOptions: JobOptions{Factory: f, only: plan.User}}
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
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.ctx = cmd.Context()
			return run(runF, rotateRun)(o)
		},
	}
	o.register(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&o.InPlace, "in-place", false, "the same accounts, with new passwords")
	flags.BoolVar(&o.DryRun, "dry-run", false, "show what would be done, and nothing else")
	flags.StringVar(&o.Cluster, "cluster", "", "the cluster's name, where only --vcenters says what is meant")
	cmd.MarkFlagsMutuallyExclusive("cluster", "file")
	cmd.MarkFlagsMutuallyExclusive("cluster", "install-config")
	return cmd
}

func rotateRun(o *RotateOptions) error {
	if !o.InPlace {
		return hint.Errorf("--in-place gives the same accounts new passwords: apply the new secrets at once, or SSO locks the accounts",
			"rotation by a second account is not there yet")
	}
	job, wanted, finish, err := o.begin(!o.DryRun)
	if err != nil {
		return err
	}
	finish = once(finish)
	defer finish()
	p := job.PlanRotation(o.ctx, len(o.Connection.Source.Components) > 0)
	if o.DryRun {
		finish()
		if err := o.render(p); err != nil {
			return err
		}
		return outcome(p)
	}
	if allFailed(p) {
		return p.Err()
	}
	err = o.agree(p, false, "the rotation", func() (bool, error) {
		return o.Confirm(o.ctx, "give "+count(p.Summary.Update, "account")+" a new password now?")
	})
	if err != nil {
		return err
	}
	warnings, err := job.Rotate(o.ctx, p)
	finish()
	for _, w := range warnings {
		o.Warnf("%s", w)
	}
	if reported := o.report(p); err == nil {
		err = reported
	}
	if err != nil {
		return err
	}
	if err := outcome(p); err != nil {
		return err
	}
	o.afterRotation(p, wanted)
	return nil
}

// afterRotation says where the passwords are and how the cluster gets them.
func (o *RotateOptions) afterRotation(p *plan.Plan, wanted *spec.Spec) {
	if o.Output != term.FormatTable || p.Empty() {
		return
	}
	o.Infof("the new passwords are in %s", o.credentials)
	components := wanted.ComponentNames()
	profile, _ := openshift.FindProfile(wanted.Profile)
	if len(components) == 1 && components[0] == component.Installer && !profile.Shared() {
		o.next("%s %s", program, after("verify", o.repeat("verify")))
		return
	}
	if slices.Contains(components, component.MachineAPI) && profile.Labelled {
		o.Infof("if kube-system/vsphere-creds holds the account of machine-api, add --with-root-secret")
	}
	o.Infof("apply the new secrets now: until then components go on with the old passwords, and SSO may lock their accounts")
	requests := ""
	if profile.Requests {
		requests = "--credentials-requests DIR"
	}
	// A secret holds the accounts of all vCenters, so that --vcenters would take the others out of it.
	o.next("%s %s | oc apply -f -", program, after("secrets emit", o.repeat("secrets emit", "vcenters"), requests))
}
