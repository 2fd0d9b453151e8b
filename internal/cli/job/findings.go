package job

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/installconfig"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// FillRemedies fills in the commands that put findings right, for no other vCenters and components than they are about.
func (w *Run) FillRemedies(findings []*finding.Finding) {
	for _, f := range findings {
		if f.Object != nil { // what it tells has its own
			continue
		}
		switch f.Code {
		// It has its remedies: commands of vCenter's, of another matrix or file.
		case finding.AdministratorFound, finding.UnseenAccounts, finding.ComputedRights, finding.UnableComponent, finding.OlderFile,
			finding.RenamedVCenter, finding.GlobalPermission, finding.UnseenGlobal, finding.MissingTags, finding.WrongTags,
			finding.UncheckedTags, finding.BlockedRotation, finding.StaysBehind:
			continue
		default:
		}
		f.Remedies = []string{}
		if f.Code == finding.LostPassword && w.Credentials != "" {
			f.Remedies = w.Found(w.Credentials, &w.Connection.Source, w.Wanted, command.Servers(w.Wanted))
		}
		for _, g := range w.Groups(f) {
			f.Remedies = append(f.Remedies, w.remedyOf(f, g)...)
		}
	}
}

// Groups are the vCenters of a finding with their components. One that has all vCenters names none, unless the command line does.
func (w *Run) Groups(f *finding.Finding) []command.Group {
	all := command.Servers(w.Wanted)
	narrowed := len(w.Connection.Source.VCenters) > 0 || len(w.Invocation["vcenters"]) > 0
	groups := command.GroupServers(all, func(server string) []component.Name { return componentsOf(f, server) })
	for i := range groups {
		if !narrowed && len(groups[i].Servers) == len(all) {
			groups[i].Servers = nil
		}
	}
	return groups
}

// remedyOf are the commands for the accounts of a finding that a group of vCenters has.
func (w *Run) remedyOf(f *finding.Finding, g command.Group) []string {
	switch f.Code {
	case finding.ExpiringPassword: // nothing is lost, so there is time for a rotation without a gap
		finish, rotate := w.Renewal(f, g)
		if finish != "" {
			return []string{"first finish the last rotation: " + finish, rotate}
		}
		return []string{rotate}
	case finding.BegunRotation, finding.AnnouncedRotation:
		goOn := "to continue: " + w.Rotate(w.GrantInvocation(), g.Components, g.Servers)
		if slices.ContainsFunc(f.Accounts, func(a finding.Account) bool { return a.Disabled && slices.Contains(g.Names(), a.Component) }) {
			goOn = "it is disabled; to enable it, before rotate continues: " + w.Rotation("users enable", w.Invocation, g.Components, g.Servers)
		}
		if len(f.Accounts[0].Secrets) > 0 {
			return append([]string{goOn}, hintOf("to go back", w.deliveryOf(g.Names(), w.Invocation.With("components", component.Words(g.Names())...)))...)
		}
		return []string{goOn, "to remove it: " + w.withProof("rotate undo", g)}
	case finding.AccountGone:
		return w.regained(f, g)
	case finding.ExpiringAdopted:
		return []string{
			"to request new ones from their owners: " + w.CommandLine("plan", w.GrantInvocation(), "--work-order", "order.md"),
			"to import them, before verify tests them: " + w.CommandLine("credentials import", w.Invocation.Only("credentials-file"), "--replace", "FILE"),
		}
	case finding.LostPassword:
		ways := []string{w.FromMachine(w.Invocation, g.Components, g.Servers), w.FromCluster(w.Invocation, g.Components, g.Servers)}
		return append(ways, w.undoOr(f, g, "to go back to the accounts before, without an outage: ", "if nobody has the passwords")...)
	case finding.OutdatedPassword:
		ways := []string{w.FromMachine(w.Invocation, g.Components, g.Servers, "--replace"), w.FromCluster(w.Invocation, g.Components, g.Servers, "--replace")}
		inTheWay := slices.ContainsFunc(f.Accounts, func(a finding.Account) bool { return a.Undo && len(a.Earlier) == 0 }) // its journal, of another one
		if inTheWay || slices.ContainsFunc(g.Names(), w.Wanted.Disabled) {                                                 // a disabled account is not replaced
			return append(ways, w.undoOr(&finding.Finding{}, g, "", "if nobody has the passwords")...)
		}
		finish, rotate := w.Renewal(f, g)
		if finish != "" {
			ways = append(ways, "or finish the last rotation: "+finish)
		}
		return append(ways, "or replace the accounts, without an outage: "+rotate)
	case finding.InstallConfigDiffers:
		renders := w.Renders(w.Invocation, true)
		if renders == "" {
			return nil
		}
		ways := []string{"if the credentials file is right: " + renders}
		if installconfig.OfPasswords(f) { // another user is not replaced
			ways = append(ways, "if the install-config is right: "+w.Imports(w.Invocation))
		}
		return ways
	case finding.UnfinishedRotation:
		finish := "to finish it" + w.InPlace(w.Invocation, w.Wanted.Profile, g.Components, g.Servers)
		return append(w.undoOr(f, g, "to keep the passwords of the credentials file where they still open the accounts: ", ""), finish)
	}
	return nil // the text of the others says what to do
}

// undoOr takes the rotations of a finding back where that is possible, and gives new passwords in place to the others of a group. No
// reason is no such command.
func (w *Run) undoOr(f *finding.Finding, g command.Group, back, inPlace string) (ways []string) {
	undone := slices.DeleteFunc(g.Names(), func(c component.Name) bool {
		return !slices.ContainsFunc(f.Accounts, func(a finding.Account) bool { return a.Component == c && a.Undo })
	})
	if len(undone) > 0 {
		ways = append(ways, back+w.Rotation("rotate undo", w.GrantInvocation(), strings.Join(component.Words(undone), ","), g.Servers))
	}
	rest := slices.DeleteFunc(g.Names(), func(c component.Name) bool { return slices.Contains(undone, c) })
	if len(rest) > 0 && inPlace != "" {
		ways = append(ways, inPlace+w.InPlace(w.Invocation, w.Wanted.Profile, strings.Join(component.Words(rest), ","), g.Servers))
	}
	return ways
}

// regained are the commands after which the cluster has accounts that exist, in the place of those of a finding that are gone.
func (w *Run) regained(f *finding.Finding, g command.Group) []string {
	var absent, later []string
	for _, a := range f.Accounts {
		account := w.Wanted.Account(a.Component)
		switch {
		case !slices.Contains(g.Names(), a.Component):
		case a.InUse == "":
			absent = lists.AppendNew(absent, string(a.Component))
		case account.Generation(a.Principal) > account.Generation(a.InUse): // the secrets go back to an earlier account
			later = lists.AppendNew(later, string(a.Component))
		}
	}
	var ways []string
	if len(absent) > 0 {
		ways = append(ways, "create it: "+w.Rotation("apply", w.GrantInvocation(), strings.Join(absent, ","), g.Servers))
	}
	var own []string
	if len(later) > 0 {
		own = append(own, "--switch", strings.Join(later, ","))
	}
	said := w.Invocation.With("components", component.Words(g.Names())...)
	return append(ways, hintOf("apply the secrets", w.deliveryOf(g.Names(), said, own...))...)
}

// Renewal is the command that replaces the accounts of a finding that a group of vCenters has; finish is the one that it needs
// before it, where accounts are still there that these have replaced, else "".
func (w *Run) Renewal(f *finding.Finding, g command.Group) (finish, rotate string) {
	open := slices.DeleteFunc(g.Names(), func(c component.Name) bool {
		return !slices.ContainsFunc(f.Accounts, func(a finding.Account) bool { return a.Component == c && len(a.Earlier) > 0 })
	})
	if len(open) > 0 {
		finish = w.withProof("rotate finish", command.Group{Components: strings.Join(component.Words(open), ","), Servers: g.Servers})
	}
	return finish, w.Rotate(w.GrantInvocation(), g.Components, g.Servers)
}

// GrantInvocation is what was said to this command, for one that makes or removes permissions: that needs failure domains, so a file where
// only vCenters were named.
func (w *Run) GrantInvocation() command.Invocation {
	if CheckComplete(w.Wanted) == nil {
		return w.Invocation
	}
	return w.Invocation.Without("cluster").With("file", command.FilePlaceholder)
}

// withProof is a command that removes accounts for others of a group, with the proof that the cluster does not hold them.
func (w *Run) withProof(name string, g command.Group) string {
	return openshift.FromCluster + w.Rotation(name, w.GrantInvocation(), g.Components, g.Servers, "--secrets", "-")
}

// componentsOf are those of a finding on a vCenter, in their usual order.
func componentsOf(f *finding.Finding, server string) []component.Name {
	return slices.DeleteFunc(component.Names(), func(c component.Name) bool {
		return !slices.ContainsFunc(f.Accounts, func(a finding.Account) bool { return a.Server == server && a.Component == c })
	})
}

// hintOf is a command as a hint; none where there is no command.
func hintOf(what, line string) []string {
	if line == "" {
		return nil
	}
	return []string{what + ": " + line}
}
