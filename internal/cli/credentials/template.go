package credentials

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/files"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// TemplateOptions are the flags of `credentials template`.
type TemplateOptions struct {
	*command.Factory
	Source command.SourceFlags
	Out    string // --out; empty = stdout
}

func newCmdTemplate(f *command.Factory, runF func(*TemplateOptions) error) *cobra.Command {
	o := &TemplateOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "template",
		Short: "Write a credentials file to fill in",
		Long: command.Text(`
			Writes a credentials file with a section per vCenter, and in it the keys of each component that the provisioning
			file, the install-config or --components names and that has an account of its own in the profile. What you have to
			fill in is ... in backticks; keep the backticks, because between them a password may hold every other character.
			Until it is filled in, no command logs in with such an account or writes it anywhere. An existing file is not
			overwritten.`),
		Example: command.Examples(`
			ocp-vsphere-admin credentials template -f provisioning.yaml --out ~/.vsphere/credentials
			ocp-vsphere-admin credentials template --install-config install-config.yaml > credentials
			ocp-vsphere-admin credentials template --vcenters vcenter1.example.com --components csi-driver,machine-api`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, templateRun, func(cmd *cobra.Command, _ []string) error {
			return o.CheckOutput(cmd, "the template is a credentials file")
		}),
	}
	o.Source.RegisterServers(cmd)
	command.RegisterComponents(cmd, &o.Source.Components)
	command.RegisterProfile(cmd, &o.Source.Profile, "profile, which decides the accounts (default: that of the provisioning file, else "+spec.DefaultProfile+")")
	command.FileFlag(cmd, &o.Out, "out", "write a new file with mode 0600 instead of stdout")
	command.MarkCommandLineOnly(cmd, "out")
	return cmd
}

const templateHead = `# vSphere accounts for OpenShift, to be filled in: replace each ... and keep the backticks around it.
# Remove both lines of an account that nobody gives you.

`

func templateRun(ctx context.Context, o *TemplateOptions) error {
	wanted, err := o.Source.Resolve(ctx, o.Factory)
	if err != nil {
		return err
	}
	blanks := blanksOf(wanted)
	text, err := credfile.Template(blanks)
	if err != nil {
		return err
	}
	if text = templateHead + text; o.Out == "" {
		_, err = o.Factory.Out.Write([]byte(text))
		return err
	}
	if err := credfile.MakeDir(filepath.Dir(o.Out)); err != nil {
		return command.BadFlag("out", "%w", err)
	}
	switch err := files.CreatePrivate(o.Out, []byte(text)); {
	case errors.Is(err, fs.ErrExist):
		return command.ErrExist("out", []string{o.Out}, "choose another file: it may have passwords")
	case err != nil:
		return command.BadFlag("out", "%w", err)
	}
	o.Infof("wrote %s (mode 0600): fill in %s of %s, then check them:", o.Out,
		term.Count(len(blanks), "account"), term.Count(len(wanted.VCenters), "vCenter"))
	o.Next(o.CommandLine("credentials validate", o.Said, "--credentials-file", o.Out, "--login"))
	return nil
}

// blanksOf are the accounts of a specification on each vCenter, the main one first. The user of a
// group, and the domain of an account of ours, are not known.
func blanksOf(s *spec.Spec) []credfile.Blank {
	var all []credfile.Blank
	for _, server := range command.Servers(s) {
		var own []credfile.Blank
		for _, c := range s.ComponentNames() {
			a := s.Account(c)
			if a.Component != c {
				continue // it works with the account of another one
			}
			b := credfile.Blank{Server: server, Component: c, User: a.Principal}
			if a.Group != nil && *a.Group {
				b.User = ""
			}
			if c == component.Installer {
				own = append([]credfile.Blank{b}, own...)
			} else {
				own = append(own, b)
			}
		}
		all = append(all, own...)
	}
	return all
}
