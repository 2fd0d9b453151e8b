package decision

import (
	"fmt"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// needingVolumes tells which volumes of the cluster still need the account of the CSI driver: where permissions go, or of the
// account where accounts alone do. Which vCenter a volume is on is not in its object, so each vCenter is told of all of them.
func (dec *Decision) needingVolumes(p *VCenterPlan, going func(plan.Kind, string) *plan.Change) {
	text := volumesText(dec.Volumes)
	if text == "" {
		return
	}
	for _, principal := range dec.leavers(p.Snapshot, dec.Spec.Account(component.CSIDriver).Component) {
		if dec.Only == plan.User {
			if going(plan.User, principal) != nil {
				p.tell(ofUser(principal).Tell(finding.Consequence, text))
			}
		} else if first := going(plan.Permission, principal); first != nil {
			p.tell(first.Tell(finding.Consequence, text))
		}
	}
}

// volumesText says which volumes still need an account; "" where none do, or nobody looked.
func volumesText(v *openshift.Volumes) string {
	switch {
	case v == nil:
		return ""
	case v.Unknown != "":
		return "cannot determine whether volumes of the cluster still need it: " + v.Unknown
	case len(v.Names) == 0:
		return ""
	}
	return fmt.Sprintf("the cluster has %s (%s): without this account nothing can attach, detach, expand or delete them; their data stays",
		term.Count(len(v.Names), "volume"), snapshot.Some(v.Names))
}
