package decision

import (
	"errors"

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

// Consumers are all components on all vCenters that were read. The error joins why some were not.
func (e *Snapshots) Consumers() ([]Consumer, error) {
	all, errs := []Consumer{}, []error(nil)
	for _, s := range e.All {
		if s.Err != nil {
			errs = append(errs, s.Err)
			continue
		}
		wanted, err := s.Desired()
		if err != nil {
			errs = append(errs, err)
			continue
		}
		expected := s.Expected(wanted)
		for _, c := range e.Spec.ComponentNames() {
			who, alone := s.Holder(c), []component.Name{c}
			rights := wanted.Rights(access.Subject{Key: s.Key(who), Group: who.Group})
			all = append(all, Consumer{
				s.VCenter.Server, c, append([]verify.Cannot{}, expected.Cannot(alone, rights)...), append([]verify.Alarm{}, expected.Alarms(alone, rights)...),
			})
		}
	}
	return all, errors.Join(errs...)
}
