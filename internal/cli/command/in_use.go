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
	if s.Dump != "" {
		name, data, err := f.readDump(s.Dump)
		if err != nil {
			return InUse{}, BadFlag("secrets", "%w", err)
		}
		secrets, err := s.parse(name, data)
		if err != nil {
			return InUse{}, BadFlag("secrets", "%w", err)
		}
		unseen := openshift.Unshown(secrets, openshift.ReadFrom())
		if len(unseen) > 0 {
			f.Warnf("--secrets: the dump has no secret in %s: it does not prove that no account is in use there ('oc get secrets -A' includes them)", strings.Join(unseen, ", "))
		}
		return InUse{Secrets: secrets, Unseen: unseen, Volumes: openshift.VolumesIn(name, data), Cluster: topologyIn(name, data)}, nil
	}
	cluster, err := f.cluster(s.Cluster)
	if err != nil || cluster == nil {
		return InUse{}, err
	}
	data, err := cluster.Dump(ctx, AllSecrets(), clusterObjectIfAny())
	if err != nil {
		return InUse{}, err
	}
	secrets, err := s.parse(cluster.Server(), data)
	if err != nil {
		return InUse{}, err
	}
	return InUse{Secrets: secrets, Volumes: volumesOf(ctx, cluster), Cluster: topologyIn(cluster.Server(), data)}, nil
}

// topologyIn are the vCenters and failure domains that a dump shows; nil where it shows none, or has them malformed.
func topologyIn(name string, data []byte) *spec.Spec {
	infra, err := spec.InfrastructureIn(name, data)
	if err != nil || infra == nil {
		return nil
	}
	return infra.Topology
}

func volumesOf(ctx context.Context, cluster *kube.Cluster) *openshift.Volumes {
	data, err := cluster.Dump(ctx, kube.Objects{Resource: "persistentvolumes"})
	if err != nil {
		return &openshift.Volumes{Unknown: err.Error()}
	}
	names, _, err := openshift.ParseVolumes(cluster.Server(), data) // a cluster may have none
	if err != nil {
		return &openshift.Volumes{Unknown: err.Error()}
	}
	return &openshift.Volumes{Names: names}
}
