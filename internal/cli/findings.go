package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// remedy fills in the commands that put findings right, for no other vCenters and components than they are about.
func (w *work) remedy(findings []*finding.Finding) {
	for _, f := range findings {
		f.Remedies = []string{}
		if f.Code == finding.LostPassword && w.credentials != "" {
			f.Remedies = w.found(w.credentials, &w.Connection.Source, w.wanted, servers(w.wanted))
		}
		for _, g := range w.groups(f) {
			f.Remedies = append(f.Remedies, w.remedyOf(f, g)...)
		}
	}
}

// groups are the vCenters of a finding with their components. One that has all vCenters names none, unless the command line does.
func (w *work) groups(f *finding.Finding) []group {
	all := servers(w.wanted)
	narrowed := len(w.Connection.Source.VCenters) > 0 || len(w.said["vcenters"]) > 0
	groups := alike(all, func(server string) []component.Name { return componentsOf(f, server) })
	for i := range groups {
		if !narrowed && len(groups[i].servers) == len(all) {
			groups[i].servers = nil
		}
	}
	return groups
}

// remedyOf are the commands for the accounts of a finding that a group of vCenters has.
func (w *work) remedyOf(f *finding.Finding, g group) []string {
	switch f.Code {
	case finding.ExpiringPassword: // nothing is lost, so there is time for a rotation without a gap
		finish, rotate := w.renewal(f, g)
		if finish != "" {
			return []string{"first finish the last rotation: " + finish, rotate}
		}
		return []string{rotate}
	case finding.BegunRotation:
		goOn := "to continue: " + w.rotate(w.placed(), g.components, g.servers)
		if len(f.Accounts[0].Secrets) > 0 {
			return append([]string{goOn}, hintsOf("to go back", w.deliveriesOf(g.names(), w.said.with("components", component.Words(g.names())...), w.tested(w.said)...))...)
		}
		return []string{goOn, "to remove it: " + w.proven("rotate undo", g)}
	case finding.ExpiringAdopted:
		return []string{
			"to request new ones from their owners: " + w.command("plan", w.placed(), "--work-order", "order.md"),
			"to import them, before verify tests them: " + w.command("credentials import", w.said.only("credentials-file"), "--replace", "FILE"),
		}
	case finding.LostPassword:
		return w.lost(w.said, w.wanted.Profile, g.components, g.servers)
	case finding.OutdatedPassword:
		ways := []string{"use the latest credentials file, from where the passwords were set: --" + credentialsFileFlag + " FILE", w.fromCluster(w.said, g.components, g.servers, "--replace")}
		finish, rotate := w.renewal(f, g)
		if finish != "" {
			ways = append(ways, "or finish the last rotation: "+finish)
		}
		return append(ways, "or replace the accounts, without an outage: "+rotate)
	case finding.UnfinishedRotation: // it alone: it locks out whoever works with the account
		return []string{w.rotate(w.said, g.components, g.servers, "--in-place")}
	case finding.AdministratorFound:
		var out []string
		for _, a := range f.Accounts {
			for _, full := range a.Through {
				name, _, _ := strings.Cut(a.Principal, "@")
				group, _, _ := strings.Cut(full, "@")
				line := "take it out of the group: govc sso.group.update -r " + script.Word(name) + " " + script.Word(group)
				if !slices.Contains(out, line) {
					out = append(out, line)
				}
			}
		}
		return out
	}
	return nil // the text of the others says what to do
}

// renewal is the command that replaces the accounts of a finding that a group of vCenters has; finish is the one that it needs
// before it, where accounts are still there that these have replaced, else "".
func (w *work) renewal(f *finding.Finding, g group) (finish, rotate string) {
	open := slices.DeleteFunc(g.names(), func(c component.Name) bool {
		return !slices.ContainsFunc(f.Accounts, func(a finding.Account) bool { return a.Component == c && len(a.Earlier) > 0 })
	})
	if len(open) > 0 {
		finish = w.proven("rotate finish", group{strings.Join(component.Words(open), ","), g.servers})
	}
	return finish, w.rotate(w.placed(), g.components, g.servers)
}

// placed is what was said to this command, for one that makes or removes permissions: that needs failure domains, so a file where
// only vCenters were named.
func (w *work) placed() invocation {
	if complete(w.wanted) == nil {
		return w.said
	}
	return w.said.without("cluster").with("file", aFile)
}

// rotate is the command that gives accounts new passwords: those of these components on these vCenters, none named are all.
func (f *Factory) rotate(said invocation, components string, servers []string, own ...string) string {
	return f.rotation("rotate", said, components, servers, own...)
}

// rotation is a command of rotations, about these components on these vCenters.
func (f *Factory) rotation(name string, said invocation, components string, servers []string, own ...string) string {
	if components != "" {
		own = append(own, "--components", components)
	}
	if len(servers) > 0 {
		own, said = append(own, "--vcenters", strings.Join(servers, ",")), said.about(servers)
	}
	return f.command(name, said.without("components", "vcenters"), own...)
}

// proven is a command that removes accounts for others of a group, with the proof that the cluster does not hold them.
func (w *work) proven(name string, g group) string {
	return "oc get secrets -A -o yaml | " + w.rotation(name, w.placed(), g.components, g.servers, "--secrets", "-")
}

// group is vCenters that lack the passwords of the same components: one command serves them, and rotates nothing else.
type group struct {
	components string // with commas
	servers    []string
}

func (g group) names() []component.Name {
	var names []component.Name
	for _, word := range strings.Split(g.components, ",") {
		names = append(names, component.Name(word))
	}
	return names
}

// alike groups the vCenters for which f names components, in their order.
func alike(servers []string, f func(server string) []component.Name) []group {
	var groups []group
	for _, server := range servers {
		components := strings.Join(component.Words(f(server)), ",")
		i := slices.IndexFunc(groups, func(g group) bool { return g.components == components })
		switch {
		case components == "":
		case i < 0:
			groups = append(groups, group{components, []string{server}})
		default:
			groups[i].servers = append(groups[i].servers, server)
		}
	}
	return groups
}

// componentsOf are those of a finding on a vCenter, in their usual order.
func componentsOf(f *finding.Finding, server string) []component.Name {
	return slices.DeleteFunc(component.Names(), func(c component.Name) bool {
		return !slices.ContainsFunc(f.Accounts, func(a finding.Account) bool { return a.Server == server && a.Component == c })
	})
}

// ifLost is the way out where a credentials file is not there and no vCenter was asked whether the accounts are.
func (f *Factory) ifLost(path string, source *sourceFlags, wanted *spec.Spec) []string {
	return append(f.found(path, source, wanted, source.VCenters), f.lostOf(source, wanted, "", source.VCenters)...)
}

// ifLostOf is ifLost for components that lack an account on some of the vCenters. wanted tells whose accounts these are; nil where
// nobody says. Passwords of accounts that others made are taken in, not replaced, and those in a section of the credentials file that
// is only spelt in another case than its vCenter are not lost.
func (f *Factory) ifLostOf(source *sourceFlags, file *credfile.File, wanted *spec.Spec, servers []string, lacking map[string][]component.Name) []string {
	var hints []string
	var theirs []component.Name
	lacking = maps.Clone(lacking)
	for _, server := range servers {
		section := file.OtherCase(server)
		lost := slices.DeleteFunc(slices.Clone(lacking[server]), func(c component.Name) bool {
			_, there := file.Get(section, c)
			return there
		})
		if len(lost) < len(lacking[server]) {
			hints = append(hints, fmt.Sprintf("rename section [%s] of %s to [%s]: the installer is case-sensitive", section, file.Path(), server))
		}
		lacking[server] = lost
	}
	if wanted != nil {
		own := map[string][]component.Name{}
		for _, server := range servers {
			for _, c := range lacking[server] {
				switch {
				case wanted.Account(c).Ours():
					own[server] = append(own[server], c)
				case !slices.Contains(theirs, c):
					theirs = append(theirs, c)
				}
			}
		}
		lacking = own
	}
	if len(theirs) > 0 {
		hints = append(hints, f.takesIn(wanted, theirs))
	}
	for _, g := range alike(servers, func(server string) []component.Name { return lacking[server] }) {
		only := g.servers
		if len(only) == len(servers) {
			only = source.VCenters
		}
		hints = append(hints, f.lostOf(source, wanted, g.components, only)...)
	}
	if len(hints) > 0 {
		hints = append(f.found(file.Path(), source, wanted, servers), hints...)
	}
	return hints
}

// ifNone is the way out where there is no credentials file, or no account in it, for a specification; nil where nobody says one.
func (f *Factory) ifNone(path string, source *sourceFlags, wanted *spec.Spec) []string {
	theirs, all := adopted(wanted)
	var hints []string
	if !all {
		hints = append(f.found(path, source, wanted, source.VCenters), "if the accounts do not exist yet: '"+program+" apply' creates them and writes it")
		hints = append(hints, f.lostOf(source, wanted, "", source.VCenters)...)
	}
	if len(theirs) > 0 {
		hints = append(hints, f.takesIn(wanted, theirs))
	}
	return hints
}

// takesIn is the way to the passwords of accounts that others made: apply and rotate do nothing for them.
func (f *Factory) takesIn(wanted *spec.Spec, components []component.Name) string {
	var of []string
	for _, c := range components {
		principal := wanted.Account(c).Principal
		if group := wanted.Account(c).Group; group != nil && *group {
			principal = "a member of " + principal
		}
		of = append(of, string(c)+" ("+principal+")")
	}
	what, from := "the passwords of ", "their owners"
	if len(of) == 1 {
		what, from = "the password of ", "its owner"
	}
	return "get " + what + strings.Join(of, ", ") + " from " + from + " as a credentials file, and import it: " +
		f.command("credentials import", f.said.only("credentials-file"), "FILE")
}

// adopted are the components of a specification whose accounts others made; all tells that it has no others. nil has none.
func adopted(s *spec.Spec) (theirs []component.Name, all bool) {
	if s == nil {
		return nil, false
	}
	names := s.ComponentNames()
	theirs = slices.DeleteFunc(slices.Clone(names), func(c component.Name) bool { return s.Account(c).Ours() })
	return theirs, len(theirs) == len(names)
}

// lostOf is lost where no vCenter was asked.
func (f *Factory) lostOf(source *sourceFlags, wanted *spec.Spec, components string, servers []string) []string {
	said, profile := f.said, spec.DefaultProfile
	if source.File == "" && source.InstallConfig == "" {
		said = said.with("file", aFile)
	}
	if wanted != nil {
		profile = wanted.Profile
	}
	return f.lost(said, profile, components, servers)
}
