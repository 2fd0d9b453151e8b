package cli

import (
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
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
			f.Remedies = append(f.Remedies, w.rotateInPlace(w.said, g.components, g.servers))
		}
	}
}

// rotateInPlace is the command that gives accounts new passwords: those of these components on these vCenters, none named
// are all.
func (f *Factory) rotateInPlace(said invocation, components string, servers []string) string {
	own := []string{"--in-place"}
	if components != "" {
		own = append(own, "--components", components)
	}
	if len(servers) > 0 {
		own, said = append(own, "--vcenters", strings.Join(servers, ",")), said.about(servers)
	}
	return f.command("rotate", said.without("components", "vcenters"), own...)
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

// ifLostOf is ifLost for components that lack an account on some of the vCenters.
func (f *Factory) ifLostOf(source *sourceFlags, servers []string, lacking map[string][]component.Name) []string {
	var hints []string
	for _, g := range alike(servers, func(server string) []component.Name { return lacking[server] }) {
		only := g.servers
		if len(only) == len(servers) {
			only = source.VCenters
		}
		hints = append(hints, f.lost(source, g.components, only))
	}
	return hints
}

func (f *Factory) lost(source *sourceFlags, components string, servers []string) string {
	said := f.said
	if source.File == "" && source.InstallConfig == "" {
		said = said.with("file", aFile)
	}
	return "if the accounts exist and their passwords are lost: " + f.rotateInPlace(said, components, servers)
}
