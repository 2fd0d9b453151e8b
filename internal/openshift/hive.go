package openshift

import (
	"errors"

	"sigs.k8s.io/yaml"
)

// HiveKey is the one key of the secret that Hive, and with it Advanced Cluster Management, installs and removes a cluster with: a
// list in YAML or JSON. It is read again when the cluster is removed (openshift/hive@c02e5173, docs/using-hive.md,
// pkg/creds/vsphere); older ones hold username and password for all vCenters.
const HiveKey = "vCenters"

// HiveAccount is an element of that list.
type HiveAccount struct {
	VCenter  string `json:"vCenter"`
	Username string `json:"username"`
	Password string `json:"password"` // in the clear, as Hive reads it
}

// ReadHive is the list in the data of a secret; nil where it has none. The error, which holds no value, says that Hive cannot read it.
func ReadHive(data map[string][]byte) (list []HiveAccount, err error) {
	if text, ok := data[HiveKey]; ok && yaml.Unmarshal(text, &list) != nil {
		return nil, errors.New("key \"" + HiveKey + "\" is not a list of vCenter, username and password, so Hive cannot read it")
	}
	return list, nil
}

// HiveSecret is the secret that Hive installs and removes a cluster with, for a ClusterDeployment in its namespace that names it.
func HiveSecret() InstallerSecret {
	return InstallerSecret{
		Head: "# The vSphere accounts that Hive installs the cluster with, and removes it. Apply it on the hub.\n",
		data: func(all []serverAccount) (map[string][]byte, error) {
			list := make([]HiveAccount, len(all))
			for i, a := range all {
				list[i] = HiveAccount{a.server, a.User, a.Password.Reveal()}
			}
			text, err := yaml.Marshal(list)
			return map[string][]byte{HiveKey: text}, err
		},
	}
}
