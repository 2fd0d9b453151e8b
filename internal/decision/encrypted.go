package decision

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// Encrypted finds encrypted machines whose condition the specification does not name.
func (e *Snapshots) Encrypted() []*finding.Finding {
	var seen []string
	f := finding.New(finding.EncryptedMachines, "", "")
	for _, s := range e.All {
		if s.Err != nil || len(s.Encrypted) == 0 {
			continue
		}
		for _, fd := range s.VCenter.FailureDomains {
			if p := s.EncryptedIn(fd); p != "" {
				seen = lists.AppendNew(seen, p+" on "+s.VCenter.Server)
			}
		}
		for _, c := range e.Request.Spec.ComponentNames() {
			if slices.ContainsFunc(privileges.Duties(c), func(d *privileges.Duty) bool {
				return slices.Contains(d.Conditions, privileges.VMEncryption)
			}) {
				f.Accounts = append(f.Accounts,
					finding.Account{Server: s.VCenter.Server, Component: c, Principal: s.Holder(c).Name})
			}
		}
	}
	if len(f.Accounts) == 0 {
		return nil
	}
	condition := string(privileges.VMEncryption)
	f.Text = lists.Few(seen) + " is encrypted, and no account is granted what encrypted machines ask for: " +
		"privileges.conditions lacks " + condition
	own := []string{"--conditions", strings.Join(append(slices.Clone(e.Request.Spec.Privileges.Conditions), condition), ",")}
	f.Remedies = []string{"name " + condition + " in privileges.conditions, or: " + e.Request.Command("plan", own...)}
	if !slices.ContainsFunc(e.Request.Matrix.Rows, func(r privileges.Row) bool {
		return slices.Contains(r.Conditions, privileges.VMEncryption)
	}) {
		f.Remedies = []string{"matrix " + e.Request.Matrix.Name + " has no row with that condition, matrix default has: " +
			e.Request.Command("plan", append(own, "--matrix", "default")...)}
	}
	return []*finding.Finding{f}
}
