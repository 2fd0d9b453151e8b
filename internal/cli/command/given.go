package command

import (
	"path/filepath"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// OverGiven has a credentials file, which is only read, answer with the accounts of the install-config of a source before its own,
// and says where the two differ about these components. of is the specification that the source came to.
func (f *Factory) OverGiven(source *SourceFlags, of *spec.Spec, file *credfile.File, components []component.Name) {
	if of == nil || source.Accounts == nil {
		return
	}
	differing := source.Accounts.Differing(file, Servers(of), components)
	for _, d := range differing {
		f.Warnf("%s", d.Text)
	}
	if renders := f.Renders(f.Said, true); renders != "" && len(differing) > 0 {
		f.Infof("hint: if the credentials file is right: %s", renders)
	}
	source.Accounts.Over(of, file)
}

// Renders is the command that puts the accounts of the credentials file into the install-config of a command line, in a copy of
// it; "" = it names none, or stdin. Without accounts of components there, it is the main account alone that is put there.
func (f *Factory) Renders(said Invocation, components bool) string {
	config := said["install-config"]
	if len(config) == 0 || config[0] == "-" {
		return ""
	}
	return f.RendersInto(config[0], said, components)
}

// RendersInto is [Factory.Renders] for an install-config.
func (f *Factory) RendersInto(config string, said Invocation, components bool) string {
	own := []string{config, "--out", strings.TrimSuffix(config, filepath.Ext(config)) + "-rendered.yaml"}
	if !components {
		own = append(own, "--components", string(component.Installer))
	}
	return f.CommandLine("install-config render", said.Only(CredentialsFileFlag, "file"), own...)
}
