package cli

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// remedy fills in the commands that put findings right, for no other vCenters and components than they are about.
func (w *work) remedy(findings []*plan.Finding) {
	all := servers(w.wanted)
	narrowed := len(w.Connection.Source.VCenters) > 0 || len(w.said["vcenters"]) > 0
	for _, f := range findings {
		f.Remedies = nil
		for _, g := range alike(all, func(server string) []component.Name { return componentsOf(f, server) }) {
			if !narrowed && len(g.servers) == len(all) {
				g.servers = nil
			}
			f.Remedies = append(f.Remedies, w.remedyOf(f, g)...)
		}
	}
}

// remedyOf are the commands for the accounts of a finding that a group of vCenters has.
func (w *work) remedyOf(f *plan.Finding, g group) []string {
	switch f.Kind {
	case plan.ExpiringPassword: // nothing is lost, so there is time for a rotation without a gap
		return []string{w.rotate(w.said, g.components, g.servers)}
	case plan.BegunRotation:
		return []string{
			"to continue: " + w.rotate(w.said, g.components, g.servers),
			"to remove it: " + w.rotation("rotate undo", w.said, g.components, g.servers, "--applied"),
		}
	case plan.ExpiringAdopted:
		return []string{
			w.command("plan", w.said, "--work-order", "order.md") + " requests new ones from their owners",
			w.command("credentials import", w.said.only("credentials-file"), "--replace", "FILE") + " imports them, and verify tests them",
		}
	case plan.LostPassword, plan.UnfinishedRotation:
	}
	return []string{w.rotate(w.said, g.components, g.servers, "--in-place")}
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

// group is vCenters that lack the passwords of the same components: one command serves them, and rotates nothing else.
type group struct {
	components string // with commas
	servers    []string
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
func componentsOf(f *plan.Finding, server string) []component.Name {
	return slices.DeleteFunc(component.Names(), func(c component.Name) bool {
		return !slices.ContainsFunc(f.Accounts, func(a plan.FoundAccount) bool { return a.Server == server && a.Component == c })
	})
}

// ifLost is the way out where a credentials file is not there and no vCenter was asked whether the accounts are.
func (f *Factory) ifLost(source *sourceFlags) string { return f.lost(source, "", source.VCenters) }

// ifLostOf is ifLost for components that lack an account on some of the vCenters. wanted tells whose accounts these are; nil where
// nobody says. Passwords of accounts that others made are taken in, not replaced.
func (f *Factory) ifLostOf(source *sourceFlags, wanted *spec.Spec, servers []string, lacking map[string][]component.Name) []string {
	var hints []string
	var theirs []component.Name
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
		hints = append(hints, f.lost(source, g.components, only))
	}
	return hints
}

// ifNone is the way out where there is no credentials file, or no account in it, for a specification; nil where nobody says one.
func (f *Factory) ifNone(source *sourceFlags, wanted *spec.Spec) []string {
	theirs, all := adopted(wanted)
	var hints []string
	if !all {
		hints = append(hints, "'"+program+" apply' creates the accounts and writes it", f.ifLost(source))
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

func (f *Factory) lost(source *sourceFlags, components string, servers []string) string {
	said := f.said
	if source.File == "" && source.InstallConfig == "" {
		said = said.with("file", aFile)
	}
	return "if the accounts exist but their passwords are lost: " + f.rotate(said, components, servers, "--in-place")
}
