package command

import (
	"path/filepath"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// Renders is the command that puts the accounts of the credentials file into a copy of the
// install-config of a command line; "" = it names none, or stdin. Without those of components, it is
// the main account alone that is put there.
func (f *Factory) Renders(said Invocation, components bool) string {
	config := said["install-config"]
	if len(config) == 0 || config[0] == "-" {
		return ""
	}
	own := []string{config[0], "--out", Rendered(config[0])}
	if !components {
		own = append(own, "--components", string(component.Installer))
	}
	return f.CommandLine("install-config render", said.Only(CredentialsFileFlag, "file"), own...)
}

// Rendered is the path of the copy of an install-config that [Factory.Renders] makes.
func Rendered(config string) string {
	return strings.TrimSuffix(config, filepath.Ext(config)) + "-rendered.yaml"
}
