package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// Alarm is a check by which the problem detector will find its own account wanting, whatever it can do.
type Alarm struct {
	Check   string   `json:"check"`
	Alert   string   `json:"alert"`
	Object  string   `json:"object"`
	Missing []string `json:"missing"`
}

// Alarms are those that the account of the components raises with some rights. Where the detector is none of them there are none.
func (e *Expected) Alarms(components []component.Name, r access.Rights) []Alarm {
	if !slices.Contains(components, component.Diagnostics) {
		return nil
	}
	var all []Alarm
	for _, i := range e.unable(privileges.Alarms(), r) {
		known := slices.ContainsFunc(all, func(a Alarm) bool { return a.Check == i.Duty.Name && a.Object == i.Object.Path() })
		if !known {
			all = append(all, Alarm{i.Duty.Name, i.Duty.Reports, i.Object.Path(), i.Missing})
		}
	}
	return all
}

// Predicted says which checks of the problem detector will fail for ever because its account has no more than its work needs; "" = none.
func (v *Result) Predicted() string {
	var checks, alerts, where []string
	for _, vc := range v.VCenters {
		for _, a := range vc.Accounts {
			if len(a.Alarms) == 0 || a.Failed() {
				continue
			}
			where = lists.AppendNew(where, vc.Server)
			for _, alarm := range a.Alarms {
				checks, alerts = lists.AppendNew(checks, alarm.Check), lists.AppendNew(alerts, alarm.Alert)
			}
		}
	}
	if where == nil {
		return ""
	}
	return fmt.Sprintf("the problem detector will report %s of its own account on %s (%s), although that has what its work needs",
		strings.Join(checks, ", "), lists.Few(where), strings.Join(alerts, ", "))
}
