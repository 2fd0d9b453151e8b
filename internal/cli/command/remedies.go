package command

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// Rotate is the command that gives accounts new passwords: those of these components on these vCenters, none named are all.
func (f *Factory) Rotate(said Invocation, components string, servers []string, own ...string) string {
	return f.Rotation("rotate", said, components, servers, own...)
}

// Rotation is a command of rotations, about these components on these vCenters.
func (f *Factory) Rotation(name string, said Invocation, components string, servers []string, own ...string) string {
	if components != "" {
		own = append(own, "--components", components)
	}
	if len(servers) > 0 {
		own, said = append(own, "--vcenters", strings.Join(servers, ",")), said.About(servers)
	}
	return f.CommandLine(name, said.Without("components", "vcenters"), own...)
}

// Group is vCenters that lack the passwords of the same components: one command serves them, and rotates nothing else.
type Group struct {
	Components string // with commas
	Servers    []string
}

// Names are the components.
func (g Group) Names() []component.Name {
	return component.Of(strings.Split(g.Components, ","))
}

// GroupServers groups the vCenters for which f names components, in their order.
func GroupServers(servers []string, f func(server string) []component.Name) []Group {
	var groups []Group
	for _, server := range servers {
		components := strings.Join(component.Words(f(server)), ",")
		i := slices.IndexFunc(groups, func(g Group) bool { return g.Components == components })
		switch {
		case components == "":
		case i < 0:
			groups = append(groups, Group{components, []string{server}})
		default:
			groups[i].Servers = append(groups[i].Servers, server)
		}
	}
	return groups
}

// IfLostOf is the way out for components that lack an account on some of the vCenters. wanted tells whose accounts these are; nil where
// nobody says. Passwords of accounts that others made are taken in, not replaced, and those in a section of the credentials file that
// is only spelt in another case than its vCenter are not lost.
func (f *Factory) IfLostOf(source *SourceFlags, file *credfile.File, wanted *spec.Spec, servers []string, lacking map[string][]component.Name) []string {
	var hints []string
	var theirs []component.Name
	own := map[string][]component.Name{}
	for _, server := range servers {
		lost := slices.Clone(lacking[server])
		found := func(section, way string, same func(component.Name, credfile.Account) bool) {
			had := len(lost)
			lost = slices.DeleteFunc(lost, func(c component.Name) bool {
				a, there := file.Get(section, c)
				return there && same(c, a)
			})
			if len(lost) < had {
				hints = append(hints, way)
			}
		}
		other := file.OtherCase(server)
		found(other, fmt.Sprintf("rename section [%s] of %s to [%s]: the installer is case-sensitive", other, file.Path(), server),
			func(component.Name, credfile.Account) bool { return true })
		for _, section := range file.Servers() { // of a vCenter that left, or of a former name
			if wanted != nil && !slices.Contains(Servers(wanted.Whole()), section) {
				found(section, "if "+section+" is a former name of "+server+": "+f.CommandLine("credentials rename", f.Said.Without("vcenters"), section, server),
					func(c component.Name, a credfile.Account) bool { return wanted.Account(c).Generation(a.User) > 0 })
			}
		}
		for _, c := range lost {
			if wanted == nil || wanted.Account(c).Ours() {
				own[server] = append(own[server], c)
			} else {
				theirs = lists.AppendNew(theirs, c)
			}
		}
	}
	if len(theirs) > 0 {
		hints = append(hints, f.ImportFromOwners(wanted, theirs))
	}
	for _, g := range GroupServers(servers, func(server string) []component.Name { return own[server] }) {
		only := g.Servers
		if len(only) == len(servers) {
			only = source.VCenters
		}
		hints = append(hints, f.LostOf(source, wanted, g.Components, only)...)
	}
	if len(hints) > 0 {
		hints = append(f.Found(file.Path(), source, wanted, servers), hints...)
	}
	return hints
}

// IfNone is the way out where there is no credentials file, or no account in it, for a specification; nil where nobody says one.
func (f *Factory) IfNone(path string, source *SourceFlags, wanted *spec.Spec) []string {
	theirs, all := Adopted(wanted)
	var hints []string
	if !all {
		hints = append(f.Found(path, source, wanted, source.VCenters), "if the accounts do not exist yet: '"+Program+" apply' creates them and writes it")
		hints = append(hints, f.LostOf(source, wanted, "", source.VCenters)...)
	}
	if len(theirs) > 0 {
		hints = append(hints, f.ImportFromOwners(wanted, theirs))
	}
	return hints
}

// ImportFromOwners is the way to the passwords of accounts that others made: apply and rotate do nothing for them.
func (f *Factory) ImportFromOwners(wanted *spec.Spec, components []component.Name) string {
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
		f.CommandLine("credentials import", f.Said.Only("credentials-file"), "FILE")
}

// Adopted are the components of a specification whose accounts others made; all tells that it has no others. nil has none.
func Adopted(s *spec.Spec) (theirs []component.Name, all bool) {
	if s == nil {
		return nil, false
	}
	names := s.ComponentNames()
	theirs = slices.DeleteFunc(slices.Clone(names), func(c component.Name) bool { return s.Account(c).Ours() })
	return theirs, len(theirs) == len(names)
}

// LostOf are the ways to passwords that the credentials file does not have, of these components on these vCenters, none named are all,
// where no vCenter was asked: from the cluster, which works with them, and last new ones.
func (f *Factory) LostOf(source *SourceFlags, wanted *spec.Spec, components string, servers []string) []string {
	said, profile := f.Said, spec.DefaultProfile
	if source.InstallConfig == "" && source.Infrastructure == "" {
		said = source.OfFile(said)
	}
	if wanted != nil {
		profile = wanted.Profile
	}
	return []string{
		f.FromCluster(said, components, servers),
		"if nobody has the passwords" + f.InPlace(said, profile, components, servers),
	}
}

// FromMachine is the way to passwords that were set from another machine. own are flags of credentials import.
func (f *Factory) FromMachine(said Invocation, components string, servers []string, own ...string) string {
	return "if another machine set them, import its credentials file: " + f.Rotation("credentials import", said, components, servers, append([]string{FilePlaceholder}, own...)...)
}

// InPlace is the command that gives accounts new passwords, an outage for whoever works with the old ones; it says for whom.
func (f *Factory) InPlace(said Invocation, profile string, components string, servers []string) string {
	of, _ := openshift.FindProfile(profile)
	running := slices.DeleteFunc(Group{Components: components}.Names(), func(c component.Name) bool { return c == component.Installer && !of.Shared() })
	inPlace := f.Rotate(said, components, servers, "--in-place")
	who := strings.Join(component.Words(running), ", ")
	switch {
	case len(running) == 0: // its own secret does not exist, but kube-system/vsphere-creds may hold it
		who = "whoever works with it"
	case components == "":
		who = "every component"
	}
	return ", with an outage of " + who + " until the new secrets are applied: " + inPlace
}

// FromCluster is the way to passwords that a cluster works with. own are flags of credentials import.
func (f *Factory) FromCluster(said Invocation, components string, servers []string, own ...string) string {
	return "if a cluster works with them: " + openshift.FromCluster + f.Rotation("credentials import", said, components, servers, append([]string{"--secrets", "-"}, own...)...)
}

// Found are hints at credentials files that have accounts of these vCenters, which path does not have: the one that the specification
// names and something nearer silences, those beside it, beside the specification, in the working directory, and where the installer looks.
func (f *Factory) Found(path string, source *SourceFlags, wanted *spec.Spec, servers []string) []string {
	dirs := []string{filepath.Dir(path), "."}
	if source.File != "" && source.File != "-" {
		dirs = append(dirs, filepath.Dir(source.File))
	}
	if f.Home != "" {
		dirs = append(dirs, filepath.Join(f.Home, ".vsphere"))
	}
	var hints []string
	seen := map[string]bool{fullPath(path): true}
	look := func(at string) {
		if seen[fullPath(at)] {
			return
		}
		seen[fullPath(at)] = true
		if file, err := credfile.Open(at); err == nil && hasAccounts(file, wanted, servers) {
			hints = append(hints, at+" has accounts of these vCenters; if they are these: --"+CredentialsFileFlag+" "+script.Word(at)+", or export "+credfile.Variable+"="+script.Word(fullPath(at)))
		}
	}
	if wanted != nil && wanted.CredentialsFile != "" {
		if own, err := wanted.CredentialsPath(f.Home); err == nil {
			look(own)
		}
	}
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir) // one that cannot be read has nothing to find
		for _, e := range entries {
			at := filepath.Join(dir, e.Name())
			if !e.Type().IsRegular() || !strings.Contains(e.Name(), "credentials") && filepath.Ext(e.Name()) != ".ini" || credfile.IsCompanion(e.Name()) {
				continue
			}
			look(at)
		}
	}
	return hints
}

func fullPath(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// hasAccounts reports whether a file has an account of ours of a specification on one of these vCenters, none named are all. Without
// a specification every account of a component will do, but the installer's: an administrator's file has the same keys.
func hasAccounts(file *credfile.File, wanted *spec.Spec, servers []string) bool {
	return slices.ContainsFunc(file.Servers(), func(server string) bool {
		return (len(servers) == 0 || slices.Contains(servers, server)) && slices.ContainsFunc(component.Names(), func(c component.Name) bool {
			a, ok := file.Get(server, c)
			return ok && !a.Password.Empty() && (wanted == nil && c != component.Installer || wanted != nil && wanted.Account(c).Ours() && wanted.Account(c).MayBe(a.User))
		})
	})
}
