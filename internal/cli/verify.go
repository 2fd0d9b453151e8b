package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// VerifyOptions are the words of `verify`.
type VerifyOptions struct {
	JobOptions
	Accounts   accountFlags
	Everything bool // --strict
}

func newCmdVerify(f *Factory, runF func(*VerifyOptions) error) *cobra.Command {
	o := &VerifyOptions{JobOptions: JobOptions{Factory: f}}
	cmd := &cobra.Command{
		Use:     "verify",
		Short:   "Prove, by logging in as each account, that it can do its work and nothing else",
		GroupID: groupJob,
		Long: text(`
			Logs in once as each account, with the password of the credentials file, and compares what it holds with what the
			matrix asks for: on each object that its component needs, found by the account itself along the inventory path,
			one level below, and wherever an account of this cluster has a permission. Then replays what openshift-install
			checks before an installation, as the installer's account. Exit code 2 when anything is missing or too much.

			Some excess is unavoidable: a datacenter carries the grants of a folder that is not set, one permission serves two
			scopes, a role serves all scopes of its component (roleLayout: component). It is counted apart, and so are
			privileges that this release of vCenter does not know. With --strict both give exit code 2.

			An account of somebody else's (principal:) whose password is in neither file, and was not asked for, is
			unverified; --strict fails on it. A group is verified by the login of an account that is in it.`),
		Example: examples(`
			ocp-vsphere-admin verify --install-config install-config.yaml
			ocp-vsphere-admin verify -f provisioning.yaml -o json
			ocp-vsphere-admin verify -f provisioning.yaml --ask-passwords`),
		Args: noWords,
		RunE: action(o, runF, verifyRun),
	}
	o.register(cmd)
	o.Accounts.Register(cmd)
	cmd.Flags().BoolVar(&o.Everything, "strict", false, "exit 2 also for unverified accounts, unavoidable excess, and privileges that a vCenter does not know")
	registerCreatedFolders(cmd, &o.CreateFolders)
	return cmd
}

func verifyRun(ctx context.Context, o *VerifyOptions) error {
	w, err := o.begin(ctx, extent{accounts: &o.Accounts})
	if err != nil {
		return err
	}
	return w.verify(ctx, o.Everything)
}

// verify proves what the accounts can do, and says it. Strictly, all that is out of the ordinary is a difference.
func (w *work) verify(ctx context.Context, strict bool) error {
	defer w.finish()
	v := w.job.Verify(ctx)
	w.finish()
	w.remedy(v.Findings)
	if err := w.recordsBelow(v, v.Findings, func() *term.Table { return verifyTable(v) }); err != nil {
		return err
	}
	s := v.Summary
	if w.Output == term.FormatTable {
		w.explain(v)
		w.Infof("%s verified: %d missing, %d excess; %s failed, %s unverified; %s of the installer failed",
			count(s.Accounts-s.Unverified-s.Failed, "account"), s.Missing, s.Excess,
			count(s.Failed, "account"), count(s.Unverified, "account"), count(s.PreflightFailed, "check"))
		if s.Unknown > 0 {
			w.Infof("%s needed and unknown to the vCenter: see above for what the components cannot do", count(s.Unknown, "privilege"))
		}
		if s.Unavoidable > 0 {
			w.Infof("%s beyond the needs, unavoidable with this topology and layout: -o json says where and why", count(s.Unavoidable, "privilege"))
		}
	}
	failed := 0
	for _, vc := range v.VCenters {
		if vc.Error != "" {
			failed++
		}
	}
	switch {
	case failed > 0:
		return partly(failed < len(v.VCenters), v.Err())
	case !v.OK(strict):
		return exit(ExitDifferent)
	}
	return nil
}

// explain says below the table why something is missing or too much, and what mends it, each thing once per account.
func (f *Factory) explain(v *provision.Verification) {
	for _, vc := range v.VCenters {
		for _, a := range vc.Accounts {
			said := map[provision.Finding]bool{}
			for _, found := range a.Findings() {
				if !said[found] {
					said[found] = true
					f.Infof("%s: %s: %s; %s", vc.Server, a.Component, found.Why, found.Remedy)
				}
			}
		}
	}
}

// verifyTable is a line per account, a line per object where something is wrong, and a line for the installer's checks.
func verifyTable(v *provision.Verification) *term.Table {
	t := term.NewTable("vcenter", "component", "account", "login", "objects", "missing", "excess")
	for _, vc := range v.VCenters {
		if vc.Error != "" {
			t.Row(vc.Server, "", "", "not verified, see below", "", "", "")
		}
		for _, a := range vc.Accounts {
			missing, excess := 0, 0
			for _, obj := range a.Objects {
				missing += len(obj.Missing)
				excess += len(obj.Excess)
			}
			who, login := a.Principal, a.Login
			if a.Member != "" {
				who += " (" + a.Member + ")"
			}
			if a.Reason != "" {
				login += ": " + a.Reason
			}
			t.Row(vc.Server, a.Component, who, login, len(a.Objects), missing, excess)
			for _, obj := range a.Objects {
				objectRows(t, obj)
			}
		}
		if len(vc.Preflight) > 0 {
			preflightRows(t, vc)
		}
	}
	return t
}

// objectRows are what is wrong on one object.
func objectRows(t *term.Table, obj provision.VerifiedObject) {
	if len(obj.Missing)+len(obj.Excess)+len(obj.Unknown) == 0 {
		return
	}
	missing := slices.Clone(obj.Missing)
	for _, id := range obj.Unknown {
		missing = append(missing, id+" (unknown)")
	}
	t.Row("", "", "  on "+obj.Path, "("+obj.Scope+")", "", term.Lines(missing), term.Lines(obj.Excess))
}

func preflightRows(t *term.Table, vc provision.VerifiedVCenter) {
	missing := 0
	for _, p := range vc.Preflight {
		missing += len(p.Missing)
	}
	t.Row(vc.Server, "installer", "openshift-install's own checks", "", len(vc.Preflight), missing, "")
	for _, p := range vc.Preflight {
		if len(p.Missing) > 0 {
			t.Row("", "", "  privileges missing for "+p.Check, "", "", term.Lines(p.Missing), "")
		}
	}
}
