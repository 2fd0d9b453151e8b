package command

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/installconfig"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// OverGiven has a credentials file, which is only read, answer with the accounts of the install-config of a source before its own,
// and says where the two name different ones for these components. Placeholders, and different passwords of one user, are refused: one of
// these passwords is wrong. of is the specification that the source came to.
func (f *Factory) OverGiven(source *SourceFlags, of *spec.Spec, file *credfile.File, components []component.Name) error {
	if of == nil || source.Accounts == nil {
		return nil
	}
	if err := source.Accounts.CheckFilled(file, Servers(of), components); err != nil {
		return err
	}
	renders := f.Renders(f.Said, true)
	for _, d := range source.Accounts.Differing(file, Servers(of), components) {
		var hints []string
		if renders != "" {
			hints = append(hints, "if the credentials file is right: "+renders)
		}
		if installconfig.OfPasswords(d) {
			if renders != "" {
				hints = append(hints, "if the install-config is right: "+f.Imports(f.Said))
			}
			return hint.Wrap(errors.New(d.Text), hints...)
		}
		f.Warnf("%s", d.Text)
		f.Hint(hints...)
	}
	source.Accounts.Over(of, file)
	return nil
}

// Imports is the command that puts the accounts of the install-config of a command line into the credentials file.
func (f *Factory) Imports(said Invocation) string {
	return f.CommandLine("credentials import", said.Only(CredentialsFileFlag), "--install-config", said["install-config"][0], "--replace")
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
	own := []string{config, "--out", Rendered(config)}
	if !components {
		own = append(own, "--components", string(component.Installer))
	}
	return f.CommandLine("install-config render", said.Only(CredentialsFileFlag, "file"), own...)
}

// Rendered is the path of the copy of an install-config that [Factory.Renders] makes.
func Rendered(config string) string {
	return strings.TrimSuffix(config, filepath.Ext(config)) + "-rendered.yaml"
}
