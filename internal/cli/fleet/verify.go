package fleet

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/savedplan"
	cliverify "github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/verify"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/fleet"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// VerifyOptions are the flags of `fleet verify`.
type VerifyOptions struct {
	Options
	verify.Standard
	CreateFolders bool
}

func newCmdVerify(f *command.Factory, runF func(*VerifyOptions) error) *cobra.Command {
	o := &VerifyOptions{Options: Options{Factory: f}}
	cmd := &cobra.Command{
		Use:   "verify SPEC...",
		Short: "Log in as the accounts of each cluster, compare rights with needs",
		Long: command.Text(`
			Verifies each cluster as 'verify' does and prints a line for each. SPEC is a provisioning file, or a directory of
			them. Each file says where the passwords of its accounts are (credentialsFile). With -o json each cluster has its
			whole verification.

			Exit code 2 if something is missing, in excess or not proved (--allow unverified), 3 if some clusters could not be
			verified (--allow unseen: accounts of the SSO domain), 1 if none could.

			` + command.MetricsHelp),
		Example: command.Examples(`
			ocp-vsphere-admin fleet verify clusters/
			ocp-vsphere-admin fleet verify clusters/ --results results --resume
			ocp-vsphere-admin fleet verify clusters/ --shard 0/4 -o json >shard-0.json`),
		RunE: command.Action(o, runF, func(ctx context.Context, o *VerifyOptions) error {
			steering := savedplan.Steering{CreateFolders: o.CreateFolders}
			return o.watch(ctx, fleet.Verify, func() (*work, error) {
				return o.begin(ctx, fleet.Verify, []any{o.Standard, steering}, steering, o.one)
			}, true)
		}, o.take),
	}
	o.register(cmd)
	cliverify.RegisterStandard(cmd, &o.Standard, "")
	job.RegisterCreatedFolders(cmd, &o.CreateFolders)
	return cmd
}

func (o *VerifyOptions) one(ctx context.Context, w *job.Run, c *fleet.Cluster) (any, error) {
	v := w.Job.Verify(ctx)
	w.Finish()
	w.Advice().Fill(w.Credentials, v.Findings)
	c.VCenters, c.Found = figures(v), wrong(v.Findings)
	return cliverify.Document(w, v), cliverify.Judge(v, o.Standard)
}

// wrong are the findings that are not only advice, in a sentence each.
func wrong(all []*finding.Finding) (texts []string) {
	for _, f := range all {
		switch {
		case f.Advice():
		case f.Subject != "":
			texts = append(texts, f.Subject+": "+f.Text)
		default:
			texts = append(texts, f.Text)
		}
	}
	return texts
}

func figures(v *verify.Result) []fleet.VCenter {
	all := []fleet.VCenter{}
	for _, vc := range v.VCenters {
		of := fleet.VCenter{Server: vc.Server, Error: vc.Error, Hidden: slices.Contains(v.Incomplete, vc.Server)}
		for _, a := range vc.Accounts {
			account := fleet.Account{Component: a.Component, Principal: a.Principal, Login: loginOf(a), DaysLeft: a.DaysLeft}
			account.Missing, account.Excess = a.Count()
			of.Accounts = append(of.Accounts, account)
		}
		all = append(all, of)
	}
	return all
}

func loginOf(a verify.Account) fleet.Login {
	switch a.Login {
	case login.OK:
		return fleet.LoginOK
	case verify.LoginUnverified:
		return fleet.LoginUnverified
	case verify.LoginComputed:
		return fleet.LoginComputed
	case verify.LoginDisabled, verify.LoginReplaced, verify.LoginNext:
		return fleet.LoginDisabled
	}
	return fleet.LoginFailed
}
