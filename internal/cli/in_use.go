package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/kube"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// inUse is what a cluster tells of the accounts that it still needs.
type inUse struct {
	secrets []corev1.Secret    // nil = none are named
	unseen  []string           // namespaces that these leave out, in which an account may be in use
	volumes *openshift.Volumes // nil likewise
	applied bool               // somebody says that it uses none of them
}

// usedFlags say whether a cluster uses the accounts that go: its secrets prove it, or somebody says so.
type usedFlags struct {
	secretsFlags
	Applied bool // --applied
}

// Register adds the flags to cmd; what and says are about --secrets and --applied.
func (u *usedFlags) Register(cmd *cobra.Command, what, says string) {
	u.secretsFlags.Register(cmd, what)
	cmd.Flags().BoolVar(&u.Applied, "applied", false, says)
	markCommandLineOnly(cmd, "applied")
	for _, proof := range []string{"secrets", kubeconfigFlag} {
		cmd.MarkFlagsMutuallyExclusive(proof, "applied")
	}
}

// registerInUse is Register for commands that take accounts away, and name the cluster's volumes before. when says on which condition
// they do.
func (u *usedFlags) registerInUse(cmd *cobra.Command, when string) {
	u.Register(cmd, ": "+when+"refuse if one of them still holds an account that goes; with 'oc get secrets,pv' the volumes are named as well",
		when+"confirm that no cluster uses what goes; --yes requires this or the secrets (help proof)")
}

// inUse reads what the flags name.
func (u *usedFlags) inUse(ctx context.Context, f *Factory) (inUse, error) {
	used, err := u.secretsFlags.inUse(ctx, f)
	used.applied = u.Applied
	return used, err
}

// inUse reads the secrets, and the volumes with them. Volumes that cannot be read stop nothing: they are unknown.
func (s *secretsFlags) inUse(ctx context.Context, f *Factory) (inUse, error) {
	if s.Dump != "" {
		name, data, err := f.readDump(s.Dump)
		if err != nil {
			return inUse{}, badFlag("secrets", "%w", err)
		}
		secrets, err := s.parse(name, data)
		if err != nil {
			return inUse{}, badFlag("secrets", "%w", err)
		}
		unseen := openshift.Unshown(secrets, openshift.ReadFrom())
		if len(unseen) > 0 {
			f.Warnf("--secrets: the dump has no secret in %s: it does not prove that no account is in use there ('oc get secrets -A' includes them)", strings.Join(unseen, ", "))
		}
		return inUse{secrets: secrets, unseen: unseen, volumes: openshift.VolumesIn(name, data)}, nil
	}
	cluster, err := f.cluster(s.Cluster)
	if err != nil || cluster == nil {
		return inUse{}, err
	}
	data, err := cluster.Dump(ctx, allSecrets())
	if err != nil {
		return inUse{}, err
	}
	secrets, err := s.parse(cluster.Server(), data)
	if err != nil {
		return inUse{}, err
	}
	return inUse{secrets: secrets, volumes: volumesOf(ctx, cluster)}, nil
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
