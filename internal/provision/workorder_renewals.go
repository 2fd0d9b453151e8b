package provision

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/markdown"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// renewal is an account of others whose password expires soon, or has expired.
type renewal struct {
	principal  string
	components []component.Name
	servers    []string
	when       string
}

// renewals are the adopted accounts that need new passwords, each once per SSO domain.
func (o *order) renewals() []*renewal {
	var all []*renewal
	byKey := map[string]*renewal{}
	for _, s := range o.sites {
		for _, c := range o.Spec.ComponentNames() {
			lasts := o.lasts(s.snapshot, c)
			if o.owns(c) || !lasts.within(soon) {
				continue
			}
			principal := o.principal(s.snapshot, c)
			key := s.domainKey + " " + s.sso.Same(principal)
			r := byKey[key]
			if r == nil {
				r = &renewal{principal: principal, when: lasts.words()}
				byKey[key], all = r, append(all, r)
			}
			r.servers = appendNew(r.servers, s.spec.Server)
			for _, user := range o.users(c) {
				r.components = appendNew(r.components, user)
			}
		}
	}
	return all
}

// renewalSection asks for new passwords.
func (o *order) renewalSection(p *page) {
	renewals := o.renewals()
	if len(renewals) == 0 {
		return
	}
	p.Say("### New passwords")
	p.Say("Components of the cluster log in with these accounts, which you own, and need new passwords to keep working. " +
		"Please set a random one for each, and send it over a channel for secrets. Running components " +
		"use the old password until the cluster has the new one: agree on a time.")
	rows := [][]string{}
	var servers []string
	blanks := map[string][]credfile.Blank{}
	for _, r := range renewals {
		rows = append(rows, []string{markdown.Code(r.principal), markdown.Cell(strings.Join(access.Words(r.components), ", ")), markdown.Cell(strings.Join(r.servers, ", ")), "its password " + r.when})
		for _, server := range r.servers {
			servers = appendNew(servers, server)
			blanks[server] = append(blanks[server], o.blanks(server, term.Line(r.principal), r.components)...)
		}
	}
	p.Table([]string{"Account", "Used by", "On", "Why"}, rows)
	var all []credfile.Blank
	for _, server := range servers {
		all = append(all, blanks[server]...)
	}
	p.template("Send back a file in this format, with mode 0600 and the new passwords between the backticks:", all)
	p.Block("The cluster administrator imports it and tests it:", "bash", slices.Concat(
		[]string{"ocp-vsphere-admin credentials import --replace FILE"}, o.again.Same))
}
