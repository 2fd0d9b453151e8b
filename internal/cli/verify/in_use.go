package verify

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/job"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/diagnosis"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/kube"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/reconcile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// InUseFlags name the accounts that a cluster works with, and its requests.
type InUseFlags struct {
	command.SecretsFlags
	Requests string // --credentials-requests
}

// Register adds the flags to cmd.
func (i *InUseFlags) Register(cmd *cobra.Command) {
	i.SecretsFlags.Register(cmd, "")
	command.DirFlag(cmd, &i.Requests, requestsFlag,
		"with --secrets: directory of CredentialsRequests to compare with")
	for _, cluster := range []string{"secrets", command.KubeconfigFlag} {
		for _, other := range []string{"account-passwords", "ask-passwords"} {
			cmd.MarkFlagsMutuallyExclusive(cluster, other)
		}
	}
}

const requestsFlag = "credentials-requests"

func (o *Options) check(*cobra.Command, []string) error {
	switch fallback := len(command.Allowed(o.Allow).Fallbacks()) > 0; {
	case !o.InUse.Given() && (o.InUse.Requests != "" || fallback):
		return hint.Errorf("add --secrets FILE or --kubeconfig FILE",
			"--%s and --allow fallback=COMPONENT require the secrets of a cluster", requestsFlag)
	case o.InUse.Given() && o.Allows(verify.AllowUnverified):
		return command.BadFlag("allow", "%s is about passwords of the credentials file, and these are those of the cluster's secrets", verify.AllowUnverified)
	}
	return nil
}

func (i *InUseFlags) read(ctx context.Context, f *command.Factory) (*command.ClusterDump, error) {
	c, err := i.Read(ctx, f, kube.Objects{Kind: kube.CredentialsRequests, Maybe: true, Forbidden: true})
	switch {
	case err != nil:
		return nil, i.Bad(err)
	case i.Requests == "":
		c.Requests, err = release.RequestsIn(c.Source, c.Data)
		return c, err
	}
	if c.Requests, err = release.ReadRequests(i.Requests, false); err != nil {
		return nil, command.BadFlag(requestsFlag, "%w", err)
	}
	return c, nil
}

// runInUse proves the rights of a cluster's accounts without an administrator.
func runInUse(ctx context.Context, o *Options) error {
	w, v, err := o.inUse(ctx)
	if err != nil {
		return err
	}
	return Report(w, v, o.Standard, o.InUse.Words("secrets")...)
}

func (o *Options) inUse(ctx context.Context) (*job.Run, *verify.Result, error) {
	c, err := o.InUse.read(ctx, o.Factory)
	if err != nil {
		return nil, nil, err
	}
	w, err := o.BeginInUse(ctx, func(wanted *spec.Spec, m *privileges.Matrix) (*spec.Spec, error) {
		if c.Requests == nil || len(c.Requests.Privileges()) == 0 {
			return wanted, nil
		}
		r, err := reconcile.Reconcile(reconcile.Options{Spec: wanted, Matrix: m, To: c.Requests})
		if err != nil {
			return nil, err
		}
		return r.Spec, nil // with what the requests ask for beyond the matrix
	})
	if err != nil {
		return nil, nil, err
	}
	defer w.Finish()
	how := diagnosis.Options{
		Servers: command.Servers(w.Wanted), AllowFallback: command.Allowed(o.Allow).Fallbacks(), Emit: o.Emits(),
		Named: o.Connection.Source.NamesCluster(),
	}
	e, err := diagnosis.Explain(c.Cluster, how)
	if err != nil {
		return nil, nil, hint.Wrap(err, "'oc get secrets -A -o yaml' prints all secrets of a cluster")
	}
	v := w.VerifyInUse(ctx, e)
	w.Finish()
	v.Findings = c.Foreign(w.Wanted, v.Findings)
	if ctx.Err() != nil {
		return nil, nil, errors.Join(context.Cause(ctx), v.Err())
	}
	return w, v, nil
}
