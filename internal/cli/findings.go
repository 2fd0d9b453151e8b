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
			"to request new ones from their owners: " + w.command("plan", w.said, "--work-order", "order.md"),
			"to import them, before verify tests them: " + w.command("credentials import", w.said.only("credentials-file"), "--replace", "FILE"),
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
	var hints, theirs []string
	if wanted != nil {
		own := map[string][]component.Name{}
		for _, server := range servers {
			for _, c := range lacking[server] {
				if account := wanted.Account(c); !account.Ours() {
					theirs = union(theirs, []string{account.Principal})
				} else {
					own[server] = append(own[server], c)
				}
			}
		}
		lacking = own
	}
	if len(theirs) > 0 {
		hints = append(hints, f.takesIn(theirs))
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

// takesIn is the way to the passwords of accounts that others made.
func (f *Factory) takesIn(principals []string) string {
	return "the passwords of " + strings.Join(principals, ", ") + ", which others look after, are taken in from a file of theirs: " +
		f.command("credentials import", f.said.only("credentials-file"), "FILE")
}

// adopted are the principals of a specification that others made; nil has none.
func adopted(s *spec.Spec) []string {
	var all []string
	if s == nil {
		return nil
	}
	for _, c := range s.ComponentNames() {
		if account := s.Account(c); !account.Ours() {
			all = union(all, []string{account.Principal})
		}
	}
	return all
}

func (f *Factory) lost(source *sourceFlags, components string, servers []string) string {
	said := f.said
	if source.File == "" && source.InstallConfig == "" {
		said = said.with("file", aFile)
	}
	return "if the accounts exist but their passwords are lost: " + f.rotate(said, components, servers, "--in-place")
}
