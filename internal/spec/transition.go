package spec

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// Transition is what a specification and the running cluster do not have both, or say differently.
type Transition struct {
	Coming  []Part       // the specification has them, and the cluster does not, or does not any more
	Staying []Part       // the cluster has them, and the specification does not
	Other   []Difference // what both have and say differently; the first of two values is that of the specification
}

// Part is a failure domain, or a whole vCenter where Domain is "".
type Part struct{ Server, Domain string }

// String names the part as a sentence does.
func (p Part) String() string {
	if p.Domain == "" {
		return "vCenter " + p.Server
	}
	return "failure domain " + p.Domain + " of " + p.Server
}

// MostVCenters is how many vCenters the API server accepts in an Infrastructure (openshift/api, config/v1/types_infrastructure.go,
// VSpherePlatformSpec).
const MostVCenters = 3

// Towards compares the whole specification with a running cluster; an error says that it is about another one.
func (s *Spec) Towards(cluster *Spec) (t Transition, err error) {
	s = s.Whole()
	if s.Cluster != cluster.Cluster {
		return t, hint.Errorf("give what is about the same cluster", "the provisioning file is about cluster %s, and the Infrastructure about %s", s.Cluster, cluster.Cluster)
	}
	for _, d := range Differences(s, cluster) {
		part := Part{d.Server, d.Domain}
		switch {
		case d.Field != "vcenter" && d.Field != "failureDomain":
			t.Other = append(t.Other, d)
		case d.Values[0] == Present:
			t.Coming = append(t.Coming, part)
		default:
			t.Staying = append(t.Staying, part)
		}
	}
	return t, nil
}

// Refused reports what the API server refuses in one update of the Infrastructure to what the specification says: more vCenters than
// it takes, and a vCenter that is added while another one is removed.
func (t Transition) Refused(s *Spec) (tooMany, both bool) {
	whole := func(parts []Part) bool {
		return slices.ContainsFunc(parts, func(p Part) bool { return p.Domain == "" })
	}
	return len(s.Whole().VCenters) > MostVCenters, whole(t.Coming) && whole(t.Staying)
}
