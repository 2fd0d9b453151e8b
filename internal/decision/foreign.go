package decision

import (
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// insteadOf are the ways on where accounts that this tool did not create have the names of those that it would: to use them as they are, to
// choose other names, or to remove what the enhancement's script left behind.
func (s *VCenterPlan) insteadOf(wants []sso.Want) (ways []string) {
	var adopt, fields, removals []string
	for _, w := range wants {
		c := sso.Compare(w, s.SSO)
		if c.User == nil || !c.Foreign {
			continue
		}
		if _, _, ours := sso.ParseMark(c.User.Description); ours { // another cluster's is refused as a principal
			continue
		}
		ways = append(ways, s.MarkBack(w.Component, *c.User)...)
		principal := w.Name + "@" + s.SSO.Domain
		adopt = append(adopt, string(w.Component)+"="+principal)
		fields = append(fields, Principal(w.Component, principal))
		if c.User.Description == "" && s.Perms != nil && len(s.PermissionsOf(access.Principal{Name: principal})) == 0 {
			removals = append(removals, "if the enhancement's script left it and nobody uses it, remove it on "+s.VCenter.Server+": "+script.Line("govc", "sso.user.rm", w.Name))
		}
	}
	config := s.Request.Given.Name()
	if config == "stdin" { // which is read by now
		config = "FILE"
	}
	switch {
	case adopt == nil:
		return []string{"choose other names with accounts.username"}
	case ways != nil: // others would have to stop working with it
	case s.Request.Given != nil:
		ways = []string{
			"to use what exists as it is: " + s.Request.Command("init", "--install-config", config, "--no-input", "--adopt", strings.Join(adopt, ",")),
			"or choose other names with accounts.username, in that file",
		}
	default:
		ways = []string{"choose other names with accounts.username"}
		for _, f := range fields {
			ways = append(ways, "or use it as it is: "+f+" (list the other components too: once components is there, it names all)")
		}
	}
	return append(ways, removals...)
}
