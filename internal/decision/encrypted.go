package decision

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
)

// Encrypted finds encrypted machines whose condition the specification does not name.
func (e *Snapshots) Encrypted() []*finding.Finding {
	var seen []string
	held := false // from an apply with the condition
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
				held = held || slices.ContainsFunc(s.Perms.Held(s.Key(s.Holder(c))), func(had perms.Permission) bool {
					role, _ := s.Roles.ByID(had.RoleID)
					return slices.ContainsFunc(role.Privileges, func(id string) bool { return strings.HasPrefix(id, "Cryptographer.") })
				})
				f.Accounts = append(f.Accounts,
					finding.Account{Server: s.VCenter.Server, Component: c, Principal: s.Holder(c).Name})
			}
		}
	}
	if len(f.Accounts) == 0 {
		return nil
	}
	condition := string(privileges.VMEncryption)
	is := "no account is granted what encrypted machines ask for"
	if held {
		is = "what accounts hold for encrypted machines counts as excess, and apply takes it from them"
	}
	f.Text = lists.Few(seen) + " is encrypted, and " + is + ": privileges.conditions lacks " + condition
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
