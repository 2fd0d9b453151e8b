package verify

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/diagnosis"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/kube"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/reconcile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/release"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// InUseFlags say where the accounts are that a cluster works with, and what it asks for.
type InUseFlags struct {
	command.SecretsFlags
	Requests string   // --credentials-requests
	Fallback []string // --allow-fallback: components that have the account for all on purpose
}

// Register adds the flags to cmd.
func (u *InUseFlags) Register(cmd *cobra.Command) {
	u.SecretsFlags.Register(cmd, ": log in as the accounts in them, and as nobody else")
	p := cmd.Flags()
	command.DirFlag(cmd, &u.Requests, requestsFlag, "with --secrets: compare with the permissions of these CredentialsRequests too, a directory written by 'oc adm release extract --credentials-requests'")
	p.StringSliceVar(&u.Fallback, fallbackFlag, nil, "with --secrets: components that use the root secret on purpose, while others have their own")
	command.CompleteValues(cmd, fallbackFlag, component.Words(component.Default()))
	for _, cluster := range []string{"secrets", command.KubeconfigFlag} {
		for _, other := range []string{"account-passwords", "ask-passwords", "allow-unverified"} {
			cmd.MarkFlagsMutuallyExclusive(cluster, other)
		}
	}
}

const requestsFlag, fallbackFlag = "credentials-requests", "allow-fallback"

func (u *InUseFlags) check(*cobra.Command, []string) error {
	if !u.Given() && (u.Requests != "" || len(u.Fallback) > 0) {
		return hint.Errorf("add --secrets FILE or --kubeconfig FILE", "--%s and --%s require the secrets of a cluster", requestsFlag, fallbackFlag)
	}
	return command.AllOf(fallbackFlag, u.Fallback, component.Words(component.Names()))
}

// read reads the cluster, or the dump of it, with the requests that say what it asks for.
func (u *InUseFlags) read(ctx context.Context, f *command.Factory) (*command.ClusterDump, error) {
	c, err := u.Read(ctx, f, kube.Objects{Kind: kube.CredentialsRequests, Maybe: true, Forbidden: true})
	switch {
	case err != nil:
		return nil, command.BadFlag("secrets", "%w", err)
	case u.Requests == "":
		c.Requests, err = release.RequestsIn(c.Source, c.Data)
		return c, err
	}
	if c.Requests, err = release.ReadRequests(u.Requests, false); err != nil {
		return nil, command.BadFlag(requestsFlag, "%w", err)
	}
	return c, nil
}

// runInUse proves what the accounts can do that a cluster works with, without an administrator.
func runInUse(ctx context.Context, o *Options) error {
	c, err := o.InUse.read(ctx, o.Factory)
	if err != nil {
		return err
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
		return err
	}
	defer w.Finish()
	how := diagnosis.Options{
		Servers: command.Servers(w.Wanted), AllowFallback: component.Of(o.InUse.Fallback), Emit: o.Emits(), Named: o.Connection.Source.NamesCluster(),
	}
	e, err := diagnosis.Explain(c.Cluster, how)
	if err != nil {
		return hint.Wrap(err, "'oc get secrets -A -o yaml' prints all secrets of a cluster")
	}
	v := w.VerifyInUse(ctx, e)
	w.Finish()
	if ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), v.Err())
	}
	return Report(w, v, o.Standard, o.InUse.Words("secrets")...)
}
