package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inventory"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// Cannot is something that a component has to do and cannot.
type Cannot struct {
	Component string   `json:"component" redact:"word"`
	Does      string   `json:"does" redact:"word"`
	Calls     []string `json:"calls,omitempty" redact:"word"`    // refused ones; none: Object is only found or read
	Object    string   `json:"object" redact:"path"`             // * stands for what is made later
	Missing   []string `json:"missing,omitempty" redact:"word"`  // privileges on Object
	HiddenBy  string   `json:"hiddenBy,omitempty" redact:"path"` // the unseen object on the way to Object
	Reports   string   `json:"reports" redact:"word"`            // what shows when it is refused
	Source    string   `json:"source" redact:"word"`
	Remedy    string   `json:"remedy,omitempty" redact:"word"` // besides another matrix
}

func (c Cannot) why() string {
	if c.HiddenBy != "" {
		return "it does not see " + c.HiddenBy
	}
	return strings.Join(c.Missing, ", ") + " on " + c.Object
}

// Cannots says in one line what a component cannot do; what has the same cause stands together.
func Cannots(all []Cannot) string {
	does := map[string][]string{}
	var causes []string
	for _, c := range all {
		if does[c.why()] == nil {
			causes = append(causes, c.why())
		}
		does[c.why()] = lists.AppendNew(does[c.why()], c.Does)
	}
	parts := make([]string, len(causes))
	for i, why := range causes {
		parts[i] = fmt.Sprintf("%s (%s)", strings.Join(does[why], ", "), why)
	}
	return strings.Join(parts, "; ")
}

// Remedies are what lets components do it besides another matrix.
func Remedies(all []Cannot) (remedies []string) {
	for _, c := range all {
		if c.Remedy != "" {
			remedies = lists.AppendNew(remedies, c.Remedy)
		}
	}
	return remedies
}

// duties are those of the components that share an account.
func duties(components []component.Name) []*privileges.Duty {
	var all []*privileges.Duty
	for _, c := range components {
		all = append(all, privileges.Duties(c)...)
	}
	return all
}

// WorkedOn are the objects that components work on.
func (e *Expected) WorkedOn(components []component.Name) []*inventory.Object {
	var all []*inventory.Object
	for _, w := range e.Works {
		all = lists.AppendNew(all, w.Objects(duties(components))...)
	}
	return all
}

// Cannot is what components cannot do with some rights, in any failure domain.
func (e *Expected) Cannot(components []component.Name, r access.Rights) []Cannot {
	var all []Cannot
	for _, i := range e.unable(duties(components), r) {
		c := Cannot{
			Component: string(i.Duty.Component), Does: i.Duty.Name, Calls: i.Ask.Calls, Object: i.Object.Path(),
			Missing: i.Missing, Reports: i.Duty.Reports, Source: i.Duty.Source, Remedy: i.Duty.Remedy,
		}
		if i.Hidden != nil {
			c.HiddenBy = i.Hidden.Path()
		}
		known := slices.ContainsFunc(all, func(k Cannot) bool { return k.Component == c.Component && k.Does == c.Does && k.why() == c.why() })
		if !known {
			all = append(all, c)
		}
	}
	return all
}

// unable are the duties that cannot be done with some rights, of every failure domain.
func (e *Expected) unable(duties []*privileges.Duty, r access.Rights) (all []access.Inability) {
	for _, w := range e.Works {
		all = append(all, w.Unable(duties, r, e.knows)...)
	}
	return all
}

// seenRights are an account's observed rights. On objects that do not exist yet, these are the
// listed permissions, and unexplained rights above them, which come from global permissions.
type seenRights struct {
	*Expected
	holder access.Subject
	seen   map[*inventory.Object]Seen
}

func (s seenRights) Held(o *inventory.Object) []string {
	if saw, looked := s.seen[o]; looked {
		return saw.Held
	}
	ids := s.listed(o)
	for _, above := range o.Above() {
		ids = lists.Union(ids, lists.Without(s.Held(above), s.listed(above)))
	}
	return ids
}

// listed is what the permissions that vCenter lists give on an object.
func (s seenRights) listed(o *inventory.Object) []string {
	var ids []string
	for _, e := range s.Explain(s.holder, o) {
		if e.Counts {
			role, _ := s.Roles.ByID(e.Permission.RoleID)
			ids = lists.Union(ids, lists.Union(role.Implicit(), role.Privileges))
		}
	}
	return ids
}

func (s seenRights) HiddenBy(o *inventory.Object) *inventory.Object {
	if saw, looked := s.seen[o]; looked {
		return saw.Hidden
	}
	if above := s.HiddenBy(o.Parent); above != nil {
		return above
	}
	if len(s.Held(o)) == 0 {
		return o
	}
	return nil
}

// Alarm is a check of the problem detector that its account fails although it can do its work.
type Alarm struct {
	Check   string   `json:"check" redact:"word"`
	Alert   string   `json:"alert" redact:"word"`
	Object  string   `json:"object" redact:"path"`
	Missing []string `json:"missing" redact:"word"`
}

// Alarms are those that the components' account raises with some rights; none without the detector.
func (e *Expected) Alarms(components []component.Name, r access.Rights) []Alarm {
	if !slices.Contains(components, component.Diagnostics) {
		return nil
	}
	var all []Alarm
	for _, i := range e.unable(privileges.Alarms(), r) {
		known := slices.ContainsFunc(all,
			func(a Alarm) bool { return a.Check == i.Duty.Name && a.Object == i.Object.Path() })
		if !known {
			all = append(all, Alarm{i.Duty.Name, i.Duty.Reports, i.Object.Path(), i.Missing})
		}
	}
	return all
}

// Predicted names the problem detector's checks that always fail; "" = none.
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
