package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/kube"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// InUse is what a cluster tells of the accounts that it still needs.
type InUse struct {
	Secrets []corev1.Secret    // nil = none are named
	Unseen  []string           // namespaces that these leave out, in which an account may be in use
	Volumes *openshift.Volumes // nil likewise
	Cluster *spec.Spec         // its vCenters and failure domains; nil = what was named does not show them
	Applied bool               // somebody says that it uses none of them
}

// UsedFlags say whether a cluster uses the accounts that go: its secrets prove it, or somebody says so.
type UsedFlags struct {
	SecretsFlags
	Applied bool // --applied
}

// Register adds the flags to cmd; what and says are about --secrets and --applied.
func (u *UsedFlags) Register(cmd *cobra.Command, what, says string) {
	u.SecretsFlags.Register(cmd, what)
	cmd.Flags().BoolVar(&u.Applied, "applied", false, says)
	MarkCommandLineOnly(cmd, "applied")
	for _, proof := range []string{"secrets", KubeconfigFlag} {
		cmd.MarkFlagsMutuallyExclusive(proof, "applied")
	}
}

// RegisterInUse is Register for commands that take accounts away, and name the cluster's volumes before. when says on which condition
// they do.
func (u *UsedFlags) RegisterInUse(cmd *cobra.Command, when string) {
	u.Register(cmd, ": "+when+"refuse if one of them still holds an account that goes; with 'oc get secrets,pv' the volumes are named as well",
		when+"confirm that no cluster uses what goes; --yes requires this or the secrets (help proof)")
}

// InUse reads what the flags name.
func (u *UsedFlags) InUse(ctx context.Context, f *Factory) (InUse, error) {
	used, err := u.SecretsFlags.InUse(ctx, f)
	used.Applied = u.Applied
	return used, err
}

// InUse reads the secrets, and the volumes with them. Volumes that cannot be read stop nothing: they are unknown.
func (s *SecretsFlags) InUse(ctx context.Context, f *Factory) (InUse, error) {
	d, err := s.ReadCluster(ctx, f)
	switch {
	case err != nil && s.Dump != "":
		return InUse{}, BadFlag("secrets", "%w", err)
	case err != nil || d == nil:
		return InUse{}, err
	}
	used := InUse{Secrets: d.Secrets, Cluster: d.Topology}
	if d.from != nil {
		used.Volumes = volumesOf(ctx, d.from)
		return used, nil
	}
	used.Volumes = openshift.VolumesIn(d.Name, d.Data)
	if used.Unseen = openshift.Unshown(d.Secrets, openshift.ReadFrom()); len(used.Unseen) > 0 {
		f.Warnf("--secrets: the dump has no secret in %s: it does not prove that no account is in use there ('oc get secrets -A' includes them)", strings.Join(used.Unseen, ", "))
	}
	return used, nil
}

func volumesOf(ctx context.Context, cluster *kube.Cluster) *openshift.Volumes {
	data, err := cluster.Dump(ctx, kube.Objects{Kind: kube.PersistentVolumes})
	if err != nil {
		return &openshift.Volumes{Unknown: err.Error()}
	}
	names, _, err := openshift.ParseVolumes(cluster.Server(), data) // a cluster may have none
	if err != nil {
		return &openshift.Volumes{Unknown: err.Error()}
	}
	return &openshift.Volumes{Names: names}
}
