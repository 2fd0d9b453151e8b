package openshift

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// hiveKey is the one key of the secret that Hive, and with it Advanced Cluster Management, installs and removes a cluster with: a
// list in YAML or JSON. It is read again when the cluster is removed (openshift/hive@c02e5173, docs/using-hive.md,
// pkg/creds/vsphere); older ones hold username and password for all vCenters.
const hiveKey = "vCenters"

// hiveAccount is an element of that list.
type hiveAccount struct {
	VCenter  string `json:"vCenter"`
	Username string `json:"username"`
	Password string `json:"password"`
}

// hiveAccounts are the accounts that Hive finds in a secret; the error, which holds no value, says that it cannot read it.
func hiveAccounts(s corev1.Secret) ([]serverAccount, error) {
	text, ok := s.Data[hiveKey]
	if !ok {
		return nil, nil
	}
	var list []hiveAccount
	if yaml.Unmarshal(text, &list) != nil {
		return nil, errors.New("key \"" + hiveKey + "\" is not a list of vCenter, username and password, so Hive cannot read it")
	}
	all := make([]serverAccount, len(list))
	for i, a := range list {
		all[i] = serverAccount{a.VCenter, credfile.Account{User: a.Username, Password: secret.New(a.Password)}}
	}
	return all, nil
}

// ofHive are the secrets that Hive reads, sorted.
func (d *dump) ofHive() []*corev1.Secret {
	var list []*corev1.Secret
	for _, s := range d.at {
		if _, ok := s.Data[hiveKey]; ok {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b *corev1.Secret) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	return list
}

func (w *explainer) hive(s *corev1.Secret) []serverAccount {
	all, _ := hiveAccounts(*s)
	return all
}

// hiveServers are the vCenters that Hive has accounts for.
func (w *explainer) hiveServers() []string {
	all := map[string]bool{}
	for _, s := range w.removers {
		for _, a := range w.hive(s) {
			all[a.server] = true
		}
	}
	delete(all, "")
	return slices.Sorted(maps.Keys(all))
}

// findHive says whom Hive works with.
func (w *explainer) findHive() {
	for _, s := range w.removers {
		all, err := hiveAccounts(*s)
		if err != nil {
			w.add(finding.SecretMalformed, s, "%v", err)
		}
		for _, a := range all {
			switch reason := a.Unusable(); {
			case a.server == "":
				w.add(finding.SecretMalformed, s, "key %q has an account without a vCenter", hiveKey)
			case reason != "":
				w.add(finding.SecretMalformed, s, "%s: %s", a.server, reason)
			default:
				w.add(finding.SecretNote, s, "%s: Hive logs in as %s to install the cluster, and to remove it", a.server, a.User)
			}
		}
	}
}

// HiveSecret is the secret that Hive installs and removes a cluster with, for a ClusterDeployment in its namespace that names it.
func HiveSecret() InstallerSecret {
	return InstallerSecret{
		Head: "# The vSphere accounts that Hive installs the cluster with, and removes it. Apply it on the hub.\n",
		data: func(all []serverAccount) (map[string][]byte, error) {
			list := make([]hiveAccount, len(all))
			for i, a := range all {
				list[i] = hiveAccount{a.server, a.User, a.Password.Reveal()}
			}
			text, err := yaml.Marshal(list)
			return map[string][]byte{hiveKey: text}, err
		},
	}
}
