package provision

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// page is Markdown as it grows.
type page struct{ strings.Builder }

// say writes a paragraph; fmt's verbs are filled in, with names made safe for a terminal.
func (p *page) say(format string, args ...any) { term.Fprintf(&p.Builder, format+"\n\n", args...) }

// code is a name within a sentence or a table, whatever is in it.
func code(s string) string {
	s = strings.ReplaceAll(term.Line(s), "|", `\|`)
	ticks := "`"
	for strings.Contains(s, ticks) {
		ticks += "`"
	}
	if len(ticks) > 1 {
		return ticks + " " + s + " " + ticks
	}
	return ticks + s + ticks
}

// cell is text in a table: what Markdown would take for markup stands for itself.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`, "<", `\<`, "`", "\\`", "[", `\[`).Replace(term.Line(s))
}

// table writes rows of finished cells below their heads.
func (p *page) table(heads []string, rows [][]string) {
	line := func(cells []string) { p.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(heads)
	line(slices.Repeat([]string{"---"}, len(heads)))
	for _, r := range rows {
		line(r)
	}
	p.WriteString("\n")
}

// block writes commands or a file; the fence is longer than any within.
func (p *page) block(title, language string, lines []string) {
	text := strings.TrimSuffix(strings.Join(lines, "\n"), "\n")
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if title != "" {
		p.say("%s", title)
	}
	p.WriteString(fence + language + "\n" + text + "\n" + fence + "\n\n")
}

func (o *order) markdown() string {
	var p page
	cluster := code(o.Spec.Cluster)
	p.say("# vSphere work order for OpenShift cluster %s", cluster)
	if o.empty() {
		p.say("There is nothing to do: accounts, roles and permissions are what they shall be.")
		return p.String()
	}
	p.say("The components of this cluster log in to vCenter with accounts of their own, and each may do only what it needs. " +
		"This order says what has to be made for that, by whom, and why. It was written by `ocp-vsphere-admin` from what the " +
		"vCenters have now, and lists what is missing or different: what is done already is not in it. It holds no password.")
	p.say("Sections 1 to 3 can go to different teams; 1 and 2 come before 3. For each part there are commands for govc (in bash) " +
		"and for PowerCLI: **run one of the two, not both**. Doing the same by hand in the vSphere Client is as good.")
	o.accountSection(&p)
	o.roleSection(&p)
	o.permissionSection(&p)
	o.afterwards(&p)
	return strings.TrimRight(p.String(), "\n") + "\n"
}

func (o *order) empty() bool {
	return len(o.accounts) == 0 && !slices.ContainsFunc(o.sites, func(s orderSite) bool {
		return len(s.folders)+len(s.roles)+len(s.permissions) > 0
	})
}

func (o *order) accountSection(p *page) {
	p.say("## 1. Accounts: for the team that looks after accounts")
	if len(o.accounts) == 0 {
		p.say("Nothing to do: the accounts are there.")
		return
	}
	p.say("The passwords go to whoever administers the cluster, over a channel that is meant for passwords. Please make them " +
		"random; nobody types them. If your rules ask for accounts of another directory or for other names, tell whoever sent " +
		"this order: the names are written into the provisioning file, and the order is written again.")
	for _, group := range o.byDomain() {
		first := group[0]
		kind := "SSO domain"
		if first.policy == nil {
			kind = "Identity source"
		}
		p.say("### %s %s (%s)", kind, code(first.domain), strings.Join(first.servers, ", "))
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
			rows = append(rows, []string{code(a.name), what, cell(strings.Join(who, "; ")), code(a.description)})
		}
		p.table([]string{"Name", "What", "What it is for", "Description to set"}, rows)
		if first.policy == nil {
			p.say("These are looked for in a directory that the vCenter asks and that is not its own: make them with the tools of " +
				"that directory. Accounts need a password that does not expire unnoticed; into a group goes the account that the " +
				"component will log in with. No further membership is needed.")
			continue
		}
		p.say("%s", passwordRules(*first.policy))
		var govc, cli []string
		for _, a := range group {
			govc, cli = append(govc, govcAccount(a)...), append(cli, powerAccount(a)...)
		}
		s := o.siteOf(first.servers[0])
		p.block("With govc, as a member of the SSO group Administrators. govc takes the new password as an argument, which the "+
			"process list of that machine shows for a moment:", "bash", s.subshell(govc))
		p.block("With PowerCLI (module VMware.vSphere.SsoAdmin):", "powershell", s.ssoBlock(cli))
	}
}

// byDomain groups the accounts by where they are made. vCenters of equal names of SSO domains need not share one.
func (o *order) byDomain() [][]*orderAccount {
	var all [][]*orderAccount
	for _, a := range o.accounts {
		i := slices.IndexFunc(all, func(g []*orderAccount) bool {
			return strings.EqualFold(g[0].domain, a.domain) && (g[0].policy == nil) == (a.policy == nil) && slices.Equal(g[0].servers, a.servers)
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
		rules = append(rules, fmt.Sprintf("at most %d equal characters in a row", p.MaxIdenticalAdjacent))
	}
	if p.ProhibitedOld > 0 {
		rules = append(rules, fmt.Sprintf("none of the last %d passwords", p.ProhibitedOld))
	}
	text := "Password rules of this domain: " + strings.Join(rules, ", ") + ". "
	if p.LifetimeDays == 0 {
		return text + "Passwords do not expire here."
	}
	return text + fmt.Sprintf("**Passwords expire after %d days**: from then on the component cannot log in. Agree on who changes them "+
		"before that, and when.", p.LifetimeDays)
}

func (o *order) roleSection(p *page) {
	p.say("## 2. Roles: for the administrators of the vCenters")
	if !slices.ContainsFunc(o.sites, func(s orderSite) bool { return len(s.roles) > 0 }) {
		p.say("Nothing to do: the roles are there.")
		return
	}
	p.say("Roles alone give nobody any right. vCenters in linked mode hand new roles on to each other: what is there already " +
		"when its turn comes needs no second time.")
	var seen []string
	for _, s := range o.sites {
		if len(s.roles) == 0 {
			continue
		}
		p.say("### On %s", code(s.spec.Server))
		var tables page
		for _, c := range s.roles {
			roleTable(&tables, c)
		}
		if text := tables.String(); slices.Contains(seen, text) {
			p.say("The same roles as above.")
		} else {
			seen = append(seen, text)
			p.WriteString(text)
		}
		handed := o.handed(s)
		p.block("With govc:", "bash", s.subshell(lines(s.roles, handed(govcRole, govcRoleUnless))))
		p.block("With PowerCLI:", "powershell", s.viBlock(lines(s.roles, handed(powerRole, powerRoleUnless))))
	}
}

func roleTable(p *page, c *plan.Change) {
	after, _ := c.After.(plan.RoleState)
	before, _ := c.Before.(plan.RoleState)
	note := ""
	if c.Note != "" {
		note = " (" + cell(c.Note) + ")"
	}
	if c.Verb == plan.Update {
		p.say("**Change role %s**%s: what is crossed out is taken away.", code(c.Name), note)
	} else {
		p.say("**New role %s**%s", code(c.Name), note)
	}
	why := rowsOf(c.Serves)
	rows := [][]string{}
	row := func(id, shown string) {
		rows = append(rows, []string{shown, cell(privileges.UIName(id)), cell(because(id, why[id]))})
	}
	for _, id := range after.Privileges {
		shown := code(id)
		if c.Verb == plan.Update && !slices.Contains(before.Privileges, id) {
			shown = "**new** " + shown
		}
		row(id, shown)
	}
	for _, id := range without(before.Privileges, after.Privileges) {
		rows = append(rows, []string{"~~" + code(id) + "~~", cell(privileges.UIName(id)), "nothing of this cluster needs it"})
	}
	p.table([]string{"Privilege", "In the vSphere Client", "Why"}, rows)
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
