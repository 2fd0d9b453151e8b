package decision

import (
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// Consumer is what a component will say of its account on a vCenter that has what the matrix grants: what it cannot do, and the
// alarms of the problem detector, which fire although it can do its work.
type Consumer struct {
	Server    string          `json:"server"`
	Component component.Name  `json:"component"`
	Cannot    []verify.Cannot `json:"cannot"`
	Alarms    []verify.Alarm  `json:"alarms"`
}

// Consumers are all components on all vCenters that could be decided about.
func (dec *Decision) Consumers() []Consumer {
	all := []Consumer{}
	for _, p := range dec.Plans {
		if p.Err != nil || p.Wanted == nil {
			continue
		}
		e := p.Expected(p.Wanted)
		for _, c := range dec.Spec.ComponentNames() {
			who, alone := p.Holder(c), []component.Name{c}
			rights := p.Wanted.Rights(access.Subject{Key: p.Key(who), Group: who.Group})
			all = append(all, Consumer{
				p.VCenter.Server, c, append([]verify.Cannot{}, e.Cannot(alone, rights)...), append([]verify.Alarm{}, e.Alarms(alone, rights)...),
			})
		}
	}
	return all
}
