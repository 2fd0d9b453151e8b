package command

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

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
