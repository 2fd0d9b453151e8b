package openshift

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// NotForMicroShift says of a configuration of MicroShift why it is none of ours.
const NotForMicroShift = "is a configuration of MicroShift, not an install-config: MicroShift has no cloud-credential-operator and " +
	"no component that logs in to vCenter, so there are no accounts to create"

// microShiftFields are fields of MicroShift's configuration that no install-config has. Source:
// openshift/microshift@457a8676d441:pkg/config/config.go, Config. Later releases have more.
func microShiftFields() []string {
	return []string{
		"apiServer", "debugging", "dns", "etcd", "ingress", "kubelet", "manifests", "network", "node",
		"storage", "telemetry",
	}
}

// IsMicroShift reports whether a document is MicroShift's configuration: it has a field of one, and
// neither name nor platform of an install-config.
func IsMicroShift(root *yaml.Node) bool {
	found := false
	for i := 0; root != nil && root.Kind == yaml.MappingNode && i < len(root.Content); i += 2 {
		switch field := root.Content[i].Value; {
		case strings.EqualFold(field, "metadata") || strings.EqualFold(field, "platform"):
			return false
		case slices.Contains(microShiftFields(), field):
			found = true
		}
	}
	return found
}
