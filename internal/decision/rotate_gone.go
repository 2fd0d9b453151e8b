package decision

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cluster"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
)

// Gone are findings about accounts of ours that secrets of the cluster hold and that do not exist. held lists the secrets that hold a
// user who is meant, on a vCenter.
func (e *Snapshots) Gone(held func(server string, meant func(user string) bool) []cluster.Holding) []*finding.Finding {
	f := finding.New(finding.AccountGone, "", "")
	var secrets []string
	for _, s := range e.All {
		if s.Err != nil || s.SSO == nil || s.SSO.Why != nil {
			continue
		}
		for _, c := range e.Spec.ComponentNames() {
			if !s.Owns(c) {
				continue
			}
			gone := func(user string) bool {
				name, domain, _ := strings.Cut(user, "@")
				_, exists := s.SSO.Own(name)
				return !exists && strings.EqualFold(domain, s.SSO.Domain) && s.Request.Spec.Account(c).Generation(user) > 0
			}
			for _, h := range held(s.VCenter.Server, gone) {
				a := finding.Account{Server: s.VCenter.Server, Component: c, Principal: h.User, Secrets: []string{h.At.String()}}
				if _, exists := s.SSO.Own(s.Account(c).Name); exists {
					a.InUse = s.Principal(c)
				}
				if i := slices.IndexFunc(f.Accounts, func(other finding.Account) bool { return other.Server == a.Server && other.Principal == a.Principal }); i >= 0 {
					f.Accounts[i].Secrets = lists.AppendNew(f.Accounts[i].Secrets, h.At.String())
				} else {
					f.Accounts = append(f.Accounts, a)
				}
				secrets = lists.AppendNew(secrets, h.At.String())
			}
		}
	}
	if len(f.Accounts) == 0 {
		return nil
	}
	f.Text = many(f, "the cluster holds an account that does not exist", "the cluster holds %d accounts that do not exist") +
		" (" + strings.Join(secrets, ", ") + "): " + folded(f.Accounts)
	return []*finding.Finding{f}
}
