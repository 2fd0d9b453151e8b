package provision

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

func (o *order) permissionSection(p *page) {
	p.say("## 3. Permissions: for the administrators of the vCenters")
	if !slices.ContainsFunc(o.sites, func(s orderSite) bool { return len(s.permissions)+len(s.folders) > 0 }) {
		p.say("Nothing to do: the permissions are there.")
		return
	}
	p.say("An account has one permission on an object: setting one replaces what the same account had there, and nothing else. " +
		"Whether it propagates matters, please set it as it stands here.")
	for _, s := range o.sites {
		if len(s.permissions)+len(s.folders) == 0 {
			continue
		}
		p.say("### On %s", code(s.spec.Server))
		for _, n := range s.notes {
			p.say("To know: %s.", cell(n))
		}
		if len(s.folders) > 0 {
			rows := [][]string{}
			for _, c := range s.folders {
				rows = append(rows, []string{code(c.Name)})
			}
			p.table([]string{"New folder for virtual machines"}, rows)
		}
		p.permissions(s)
		govc := slices.Concat(lines(s.folders, govcFolder), lines(s.permissions, govcPermission), lines(s.unused, govcRoleGone))
		power := slices.Concat(lines(s.folders, powerFolder), lines(s.permissions, powerPermission), lines(s.unused, powerRoleGone))
		p.block("With govc:", "bash", s.subshell(govc))
		p.block("With PowerCLI:", "powershell", s.viBlock(powerHelpers, power))
	}
}

func (p *page) permissions(s orderSite) {
	var set, removed [][]string
	for _, c := range s.permissions {
		who := code(c.Principal)
		if c.Group {
			who = "group " + who
		}
		after, kept := c.After.(plan.PermissionState)
		if !kept {
			before, _ := c.Before.(plan.PermissionState)
			removed = append(removed, []string{code(c.Object), who, code(before.Role)})
			continue
		}
		propagates := "no"
		if after.Propagate {
			propagates = "yes"
		}
		set = append(set, []string{code(c.Object), who, code(after.Role), propagates, cell(purpose(c))})
	}
	if len(set) > 0 {
		p.table([]string{"Object", "Account or group", "Role", "Propagates", "Why"}, set)
	}
	if len(removed) > 0 {
		p.say("Take away, because nothing of this cluster needs it any more:")
		p.table([]string{"Object", "Account or group", "Role"}, removed)
	}
	if len(s.unused) > 0 {
		rows := [][]string{}
		for _, c := range s.unused {
			rows = append(rows, []string{code(c.Name)})
		}
		p.table([]string{"Role to remove then: nobody holds it any more"}, rows)
	}
}

// purpose is why a permission stands where it does: what its role is for is said with the role.
func purpose(c *plan.Change) string {
	var parts, who, on, reading []string
	works := false
	for _, n := range c.Serves {
		who = appendNew(who, string(n.Row.Component))
		works = works || !privileges.Implicit(n.Row.Privilege)
		if n.Scope != access.ScopeAncestor {
			on = appendNew(on, string(n.Scope))
			if n.Row.Why != "" {
				reading = appendNew(reading, n.Row.Why)
			}
		}
	}
	components := strings.Join(who, ", ")
	switch {
	case len(c.Serves) == 0:
	case works:
		parts = append(parts, components+" works here: privileges of scope "+strings.Join(on, ", "))
	case len(on) == 0:
		parts = append(parts, components+" finds what is below it only if it may read it")
	default:
		parts = append(parts, components+" reads this "+strings.Join(on, ", "))
		parts = append(parts, reading...)
	}
	if c.Note != "" {
		parts = append(parts, c.Note)
	}
	return strings.Join(parts, "; ")
}

// afterwards says how the tool takes what others made for what it is.
func (o *order) afterwards(p *page) {
	p.say("## 4. When it is done: for whoever sent this order")
	made := slices.ContainsFunc(o.accounts, func(a *orderAccount) bool { return a.policy != nil })
	if made {
		p.say("The new accounts belong to those who made them: the provisioning file names them as `principal`, and then " +
			"`ocp-vsphere-admin` never changes their passwords and never deletes them; `destroy` takes back their permissions alone. " +
			"(Without that it refuses accounts of these names that it has not made.) The file is otherwise the one that this order " +
			"was written from.")
		all := o.adopting()
		for _, a := range all {
			title := "Provisioning file:"
			if len(all) > 1 {
				title = "Provisioning file for " + strings.Join(a.servers, ", ") + ", whose SSO domain is " + a.domain + ":"
			}
			p.block(title, "yaml", []string{string(a.spec)})
		}
	}
	if len(o.accounts) > 0 {
		p.say("The passwords go into the credentials file (mode 0600), which the installer and `secrets emit` read. Where an " +
			"account is a group, the account that is in it takes its place there:")
		var text []string
		for _, s := range o.sites {
			section := []string{term.Line("[" + s.spec.Server + "]")}
			for _, a := range o.accounts {
				if slices.Contains(a.servers, s.spec.Server) {
					section = append(section, a.entries(o)...)
				}
			}
			if len(section) > 1 {
				text = append(text, section...)
			}
		}
		p.block("", "ini", text)
	}
	again := o.again.Same
	if made {
		again = o.again.Adopting
	}
	p.block("Then `plan` has nothing left to do, and `verify` proves each account by logging in with it (`--ask-passwords` asks "+
		"for those that are not in the credentials file):", "bash", again)
}

// entries are the lines of an account in a section of the credentials file.
func (a *orderAccount) entries(o *order) []string {
	user := a.principal
	if a.group {
		user = "(the account that is in " + a.principal + ")"
	}
	var all []string
	for _, c := range a.components {
		if o.Spec.Account(c).Component != c {
			continue // it works with another one's
		}
		userKey, passwordKey := credfile.Keys(c)
		all = append(all, term.Line(userKey+" = "+user), passwordKey+" = ...")
	}
	return all
}
