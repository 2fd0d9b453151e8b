package provision

import (
	"fmt"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/markdown"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan/overview"
)

// files is the order as a file for each team and vCenter, and one for whoever sends them. Each can be read without the others.
func (o *order) files() map[string][]byte {
	all, names := map[string][]byte{}, []string{}
	add := func(name, what string, write func(p *page)) {
		var p page
		p.Say("# vSphere work order for OpenShift cluster %s: %s", markdown.Code(o.Spec.Cluster), what)
		o.introduce(&p)
		write(&p)
		name = fileName(name, all)
		all[name] = []byte(strings.TrimRight(p.String(), "\n") + "\n")
		names = append(names, name)
	}
	if o.empty() {
		return map[string][]byte{"sender.md": []byte(o.markdown())}
	}
	if len(o.renewals()) > 0 {
		add("new-passwords", "new passwords", o.renewalSection)
	}
	for _, group := range o.byDomain() {
		where := group[0].domain
		if group[0].policy != nil { // SSO domains of several vCenters may have one name
			where = group[0].servers[0]
		}
		add("accounts-"+where, "accounts", func(p *page) {
			p.Say("%s %s", sendPasswords, oneOfTwo)
			o.accountGroup(p, group)
		})
	}
	for _, s := range o.sites {
		if len(s.roles)+len(s.permissions)+len(s.folders) == 0 {
			continue
		}
		add("vcenter-"+s.spec.Server, "roles and permissions on "+markdown.Code(s.spec.Server), func(p *page) {
			p.Say("Do this when the accounts exist. %s", oneOfTwo)
			if len(s.roles) > 0 {
				p.Say("## Roles")
				p.Say("%s", aboutRoles)
				p.WriteString(s.roleTables())
				s.roleCommands(p)
			}
			if len(s.permissions)+len(s.folders) > 0 {
				p.Say("## Permissions")
				p.Say("%s", aboutPermissions)
				p.granting(s)
			}
		})
	}
	sent := strings.Join(names, ", ")
	add("sender", "for whoever sends it", func(p *page) {
		p.Say("The other files are for the teams that they are named after, in this order: %s.", sent)
		p.Block("Overview of the changes:", "text", overview.Lines(o.plan))
		p.Say("## When it is done")
		o.finish(p)
	})
	return all
}

// fileName is the name of a file that is not taken, of signs that every system allows.
func fileName(wanted string, taken map[string][]byte) string {
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_", r) {
			return r
		}
		return '-'
	}, wanted)
	name := plain + ".md"
	for n := 2; taken[name] != nil; n++ {
		name = fmt.Sprintf("%s-%d.md", plain, n)
	}
	return name
}
