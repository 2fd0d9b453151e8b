package provision

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/access"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/markdown"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/privileges"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

func (o *order) permissionSection(p *page) {
	p.Say("## 3. Permissions: for the administrators of the vCenters")
	if !slices.ContainsFunc(o.sites, func(s orderSite) bool { return len(s.permissions)+len(s.folders) > 0 }) {
		p.Say("Nothing to do: all permissions exist.")
		return
	}
	p.Say("%s", aboutPermissions)
	for _, s := range o.sites {
		if len(s.permissions)+len(s.folders) == 0 {
			continue
		}
		p.Say("### On %s", markdown.Code(s.spec.Server))
		p.granting(s)
	}
}

const aboutPermissions = "An account has only one permission per object: setting one replaces the account's previous permission on it, nothing else. " +
	"Please set *propagate* exactly as shown."

// granting is what sets the permissions of a vCenter.
func (p *page) granting(s orderSite) {
	for _, n := range s.notes {
		p.Say("Note: %s.", markdown.Cell(n))
	}
	if len(s.folders) > 0 {
		rows := [][]string{}
		for _, c := range s.folders {
			rows = append(rows, []string{markdown.Code(c.Name)})
		}
		p.Table([]string{"New folder for virtual machines"}, rows)
	}
	p.permissions(s)
	govc := slices.Concat(lines(s.folders, govcFolder), lines(s.permissions, govcPermission), lines(s.unused, govcRoleGone))
	power := slices.Concat(lines(s.folders, powerFolder), lines(s.permissions, powerPermission), lines(s.unused, powerRoleGone))
	p.Block("With govc:", "bash", s.subshell(govc))
	p.Block("With PowerCLI:", "powershell", s.viBlock(powerViews, powerHelpers, power))
}

func (p *page) permissions(s orderSite) {
	var set, removed [][]string
	for _, c := range s.permissions {
		who := markdown.Code(c.Principal)
		if c.Group {
			who = "group " + who
		}
		after, kept := c.After.(plan.PermissionState)
		if !kept {
			before, _ := c.Before.(plan.PermissionState)
			removed = append(removed, []string{markdown.Code(c.Object), who, markdown.Code(before.Role)})
			continue
		}
		propagates := "no"
		if after.Propagate {
			propagates = "yes"
		}
		set = append(set, []string{markdown.Code(c.Object), who, markdown.Code(after.Role), propagates, markdown.Cell(purpose(c))})
	}
	if len(set) > 0 {
		p.Table([]string{"Object", "Account or group", "Role", "Propagates", "Why"}, set)
	}
	if len(removed) > 0 {
		p.Say("Remove, because this cluster no longer needs it:")
		p.Table([]string{"Object", "Account or group", "Role"}, removed)
	}
	if len(s.unused) > 0 {
		rows := [][]string{}
		for _, c := range s.unused {
			rows = append(rows, []string{markdown.Code(c.Name)})
		}
		p.Table([]string{"Role to remove afterwards: nobody uses it any more"}, rows)
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
		parts = append(parts, components+" can find the objects below only if it can read this one")
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
	p.Say("## 4. When it is done: for whoever sent this order")
	o.finish(p)
}

func (o *order) finish(p *page) {
	made := slices.ContainsFunc(o.accounts, func(a *orderAccount) bool { return a.policy != nil })
	if made {
		p.Say("The new accounts belong to the team that created them. The provisioning file names them as `principal`, so that " +
			"`ocp-vsphere-admin` never changes their passwords and never deletes them; `destroy` removes only their permissions. " +
			"(Without that, it refuses accounts with these names that it did not create.) Otherwise the file is the one that this order " +
			"was written from.")
		all := o.adopting()
		for _, a := range all {
			title := "Provisioning file:"
			if len(all) > 1 {
				title = "Provisioning file for " + strings.Join(a.servers, ", ") + ", whose SSO domain is " + a.domain + ":"
			}
			p.Block(title, "yaml", []string{string(a.spec)})
		}
	}
	if len(o.accounts) > 0 {
		p.Say("The passwords go between the backticks of this credentials file (mode 0600), which the installer and `secrets emit` " +
			"read. If an account is a group, use its member account there.")
		var blanks []credfile.Blank
		for _, s := range o.sites {
			for _, a := range o.accounts {
				if slices.Contains(a.servers, s.spec.Server) {
					blanks = append(blanks, o.blanks(s.spec.Server, a.login(), a.components)...)
				}
			}
		}
		p.template("", blanks)
	}
	again := o.again.Same
	if made {
		again = o.again.Adopting
	}
	p.Block("Then `plan` shows no changes, and `verify` tests each account by logging in with it (`--ask-passwords` asks "+
		"for those that are not in the credentials file):", "bash", again)
}

// login is the account that logs in; nobody here knows which one of a group does.
func (a *orderAccount) login() string {
	if a.group {
		return ""
	}
	return term.Line(a.principal)
}

// blanks are the entries of an account in a credentials file.
func (o *order) blanks(server, user string, components []component.Name) []credfile.Blank {
	var all []credfile.Blank
	for _, c := range components {
		if o.Spec.Account(c).Component == c { // another one works with another one's
			all = append(all, credfile.Blank{Server: server, Component: c, User: user})
		}
	}
	return all
}

// template writes a credentials file to be filled in.
func (p *page) template(title string, blanks []credfile.Blank) {
	text, err := credfile.Template(blanks)
	if err != nil {
		p.Say("The form of the credentials file cannot be shown: %v", err)
		return
	}
	p.Block(title, "ini", []string{text})
}
