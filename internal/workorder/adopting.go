package workorder

import (
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// adoption is a provisioning file for the vCenters of one name of SSO domain.
type adoption struct {
	Domain  string
	Servers []string
	Text    string
}

// Adopting are the provisioning files that take what others made for what it is: theirs. One file names a component's
// account by one name, so vCenters whose SSO domains are called differently get a file each.
func (o *Order) Adopting() []adoption {
	var all []adoption
	for _, v := range o.VCenters {
		domain := strings.ToLower(v.Domain)
		i := slices.IndexFunc(all, func(a adoption) bool { return a.Domain == domain })
		if i < 0 {
			i = len(all)
			all = append(all, adoption{Domain: domain})
		}
		all[i].Servers = append(all[i].Servers, v.Server)
	}
	for i, a := range all {
		all[i].Text = o.adopting(a.Servers)
	}
	return all
}

func (o *Order) adopting(servers []string) string {
	s := *o.Spec
	s.Components = maps.Clone(s.Components)
	if len(s.Components) == 0 { // all of them, those without an account of their own too: somebody's account does their work
		s.Components = map[component.Name]spec.Component{}
		for _, c := range component.Default() {
			s.Components[c] = spec.Component{}
		}
	}
	s.VCenters = nil
	for _, v := range o.VCenters {
		if slices.Contains(servers, v.Server) {
			s.VCenters = append(s.VCenters, v.VCenter)
		}
	}
	for _, a := range o.Accounts {
		if a.Policy == nil || !slices.Contains(servers, a.Servers[0]) {
			continue
		}
		for _, c := range a.Components {
			if c == o.Spec.Account(c).Component {
				s.Components[c] = spec.Component{Principal: a.Principal}
			}
		}
	}
	return string(s.YAML())
}
