package provision

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/markdown"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan/overview"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// page is Markdown as it grows.
type page struct{ markdown.Page }

func (o *order) markdown() string {
	var p page
	cluster := markdown.Code(o.Spec.Cluster)
	p.Say("# vSphere work order for OpenShift cluster %s", cluster)
	if o.empty() {
		p.Say("Nothing to do: accounts, roles and permissions match the specification.")
		return p.String()
	}
	o.introduce(&p)
	p.Say("Sections 1 to 3 can go to different teams; do 1 and 2 before 3. %s", oneOfTwo)
	p.Block("Overview of the changes:", "text", overview.Lines(o.plan))
	o.accountSection(&p)
	o.roleSection(&p)
	o.permissionSection(&p)
	o.afterwards(&p)
	return strings.TrimRight(p.String(), "\n") + "\n"
}

// introduce says what an order is, and of which plan.
func (o *order) introduce(p *page) {
	p.Say("Each component of this cluster logs in to vCenter with its own account, which may do only what the component needs. " +
		"This order lists what has to be created, by whom, and why. `ocp-vsphere-admin` wrote it by comparing with what the " +
		"vCenters have now: it lists only what is missing or different, and contains no passwords.")
	if o.plan.Digest != "" {
		p.Say("It is of the plan with the digest %s.", markdown.Code(o.plan.Digest))
	}
}

const oneOfTwo = "Each part has commands for govc (in bash) and for PowerCLI: **run one of the two, not both**. If a line is refused, " +
	"the part stops; run it again once the cause is gone: what exists by then is kept. You can also make the same changes in the vSphere Client."

func (o *order) empty() bool {
	return len(o.accounts)+len(o.renewals()) == 0 && !slices.ContainsFunc(o.sites, func(s orderSite) bool {
		return len(s.folders)+len(s.roles)+len(s.permissions) > 0
	})
}

func (o *order) accountSection(p *page) {
	p.Say("## 1. Accounts: for the team that looks after accounts")
	o.renewalSection(p)
	switch {
	case len(o.accounts) > 0:
	case len(o.renewals()) > 0:
		p.Say("Nothing else to do: all accounts exist.")
		return
	default:
		p.Say("Nothing to do: all accounts exist.")
		return
	}
	p.Say("%s", sendPasswords)
	for _, group := range o.byDomain() {
		o.accountGroup(p, group)
	}
}

const sendPasswords = "Send the passwords to the cluster administrators over a channel for secrets. Please make them " +
	"random; nobody types them. If your rules require another directory or other names, tell the sender of " +
	"this order, who changes the provisioning file and writes the order again."

// accountGroup asks for the accounts of one directory.
func (o *order) accountGroup(p *page, group []*orderAccount) {
	first := group[0]
	within := strings.EqualFold(first.domain, o.siteOf(first.servers[0]).sso.Domain)
	kind, name := "Identity source", markdown.Code(first.domain)
	if within {
		kind = "SSO domain"
	}
	if first.alias != "" {
		name += ", alias " + markdown.Code(first.alias)
	}
	var servers []string
	for _, a := range group {
		for _, server := range a.servers {
			servers = appendNew(servers, server)
		}
	}
	p.Say("### %s %s (%s)", kind, name, strings.Join(servers, ", "))
	rows := [][]string{}
	for _, a := range group {
		what := "account"
		if a.group {
			what = "group"
		}
		var who []string
		for _, c := range a.components {
			of, _ := component.Find(c)
			who = append(who, string(c)+": "+of.Purpose)
		}
		rows = append(rows, []string{markdown.Code(a.name), what, markdown.Cell(strings.Join(who, "; ")), markdown.Code(a.description)})
	}
	p.Table([]string{"Name", "What", "Purpose", "Description"}, rows)
	if first.policy == nil {
		where := "vCenter looks these up in an external directory: create them with the tools of that directory."
		if within { // accounts of it have a policy
			where = "Create these groups in vCenter, under Administration, Single Sign On, Users and Groups."
		}
		p.Say("%s Make sure that passwords do not expire unnoticed. A group must contain the account that the "+
			"component logs in with. No other membership is needed.", where)
		return
	}
	p.Say("%s", passwordRules(*first.policy))
	var govc, cli []string
	for _, a := range group {
		govc, cli = append(govc, govcAccount(a)...), append(cli, powerAccount(a)...)
	}
	s := o.siteOf(first.servers[0])
	p.Block("With govc, as a member of the SSO group Administrators. govc takes the new password as an argument, so the "+
		"process list of that machine shows it briefly:", "bash", s.subshell(govc))
	p.Block("With PowerCLI (module VMware.vSphere.SsoAdmin):", "powershell", s.ssoBlock(cli))
}

// byDomain groups the accounts by where they are made. vCenters of equal names of SSO domains need not share one; a directory that
// several vCenters ask is one, and is named once, however the accounts spell it.
func (o *order) byDomain() [][]*orderAccount {
	var all [][]*orderAccount
	for _, a := range o.accounts {
		i := slices.IndexFunc(all, func(g []*orderAccount) bool {
			return strings.EqualFold(g[0].domain, a.domain) && (g[0].policy == nil) == (a.policy == nil) &&
				(a.policy == nil || slices.Equal(g[0].servers, a.servers))
		})
		if i < 0 {
			i, all = len(all), append(all, nil)
		}
		all[i] = append(all[i], a)
	}
	return all
}

func (o *order) siteOf(server string) orderSite {
	return o.sites[slices.IndexFunc(o.sites, func(s orderSite) bool { return s.spec.Server == server })]
}

// passwordRules are the policy of an SSO domain in words.
func passwordRules(p sso.Policy) string {
	length := fmt.Sprintf("%d characters or more", p.MinLength)
	if p.MaxLength > 0 {
		length = fmt.Sprintf("%d to %d characters", p.MinLength, p.MaxLength)
	}
	rules := []string{length}
	for _, r := range []struct {
		n    int
		what string
	}{
		{p.MinAlphabetic, "letter"},
		{p.MinUpper, "upper-case letter"},
		{p.MinLower, "lower-case letter"},
		{p.MinNumeric, "digit"},
		{p.MinSpecial, "special character"},
	} {
		switch {
		case r.n == 1:
			rules = append(rules, "at least one "+r.what)
		case r.n > 1:
			rules = append(rules, fmt.Sprintf("at least %d %ss", r.n, r.what))
		}
	}
	if p.MaxIdenticalAdjacent > 0 {
		rules = append(rules, fmt.Sprintf("at most %d identical adjacent characters", p.MaxIdenticalAdjacent))
	}
	if p.ProhibitedOld > 0 {
		rules = append(rules, fmt.Sprintf("none of the last %d passwords", p.ProhibitedOld))
	}
	text := "Password rules of this domain: " + strings.Join(rules, ", ") + ". "
	if p.LifetimeDays == 0 {
		return text + "Passwords do not expire here."
	}
	return text + "**Passwords expire after " + term.Count(p.LifetimeDays, "day") + "**; then the component cannot log in. Agree on who changes them " +
		"before that, and when."
}

const aboutRoles = "A role alone gives nobody any rights. Linked vCenters replicate new roles: the commands give a role " +
	"that exists by then the same privileges."

func (o *order) roleSection(p *page) {
	p.Say("## 2. Roles: for the administrators of the vCenters")
	if !slices.ContainsFunc(o.sites, func(s orderSite) bool { return len(s.roles) > 0 }) {
		p.Say("Nothing to do: all roles exist.")
		return
	}
	p.Say("%s", aboutRoles)
	var seen []string
	for _, s := range o.sites {
		if len(s.roles) == 0 {
			continue
		}
		p.Say("### On %s", markdown.Code(s.spec.Server))
		if text := s.roleTables(); slices.Contains(seen, text) {
			p.Say("The same roles as above.")
		} else {
			seen = append(seen, text)
			p.WriteString(text)
		}
		s.roleCommands(p)
	}
}

func (s orderSite) roleTables() string {
	var tables page
	for _, c := range s.roles {
		roleTable(&tables, c)
	}
	return tables.String()
}

func (s orderSite) roleCommands(p *page) {
	p.Block("With govc:", "bash", s.subshell(govcSetRole, lines(s.roles, govcRole)))
	p.Block("With PowerCLI:", "powershell", s.viBlock(powerViews, powerSetRole, lines(s.roles, powerRole)))
}

func roleTable(p *page, c *plan.Change) {
	after, _ := c.After.(plan.RoleState)
	before, _ := c.Before.(plan.RoleState)
	note := ""
	if c.Note != "" {
		note = " (" + markdown.Cell(c.Note) + ")"
	}
	if c.Verb == plan.Update {
		p.Say("**Change role %s**%s: remove what is crossed out.", markdown.Code(c.Name), note)
	} else {
		p.Say("**New role %s**%s", markdown.Code(c.Name), note)
	}
	why := rowsOf(c.Serves)
	rows := [][]string{}
	row := func(id, shown string) {
		rows = append(rows, []string{shown, markdown.Cell(privileges.UIName(id)), markdown.Cell(because(id, why[id]))})
	}
	for _, id := range after.Privileges {
		shown := markdown.Code(id)
		if c.Verb == plan.Update && !slices.Contains(before.Privileges, id) {
			shown = "**new** " + shown
		}
		row(id, shown)
	}
	for _, id := range without(before.Privileges, after.Privileges) {
		rows = append(rows, []string{"~~" + markdown.Code(id) + "~~", markdown.Cell(privileges.UIName(id)), "this cluster does not need it"})
	}
	if len(rows) == 0 {
		p.Say("It needs no privileges but those that vCenter gives every role: %s. They only read.", strings.Join(privileges.ImplicitIDs(), ", "))
		return
	}
	p.Table([]string{"Privilege", "In the vSphere Client", "Why"}, rows)
}

// rowsOf are the rows of the matrix behind needs, by privilege.
func rowsOf(needs []plan.Need) map[string][]*privileges.Row {
	rows := map[string][]*privileges.Row{}
	for _, n := range needs {
		rows[n.Row.Privilege] = append(rows[n.Row.Privilege], n.Row)
	}
	return rows
}

// because is what a privilege allows, and the matrix' reasons for it.
func because(id string, rows []*privileges.Row) string {
	text := privileges.Operation(id)
	for _, r := range rows {
		if r.Why != "" && !strings.Contains(text, r.Why) {
			text += " (" + string(r.Component) + ": " + r.Why + ")"
		}
	}
	return text
}
