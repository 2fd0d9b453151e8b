package credentials

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/installconfig"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// ShowOptions are the flags of `credentials show`.
type ShowOptions struct {
	*command.Factory
	File       command.CredentialsFlag
	VCenters   []string
	Components []string
	Reveal     bool
}

type showView struct {
	command.Header
	File     string        `json:"file"`
	VCenters []vcenterView `json:"vcenters"`
}

type vcenterView struct {
	Server   string        `json:"server"`
	Accounts []accountView `json:"accounts"`
}

type accountView struct {
	Component component.Name `json:"component"`
	User      string         `json:"user"`
	// Password is the real one with --reveal, else a placeholder; empty = none.
	Password string `json:"password"`
}

func newCmdShow(f *command.Factory, runF func(*ShowOptions) error) *cobra.Command {
	o := &ShowOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Show which account each component gets from the credentials file",
		Long: command.Text(`
			Lists the accounts of the credentials file. The component "installer" has the main account: the plain user and
			password of a section. Passwords are shown only with --reveal and only on a terminal.

			` + credfile.MainAccount + `.`),
		Example: command.Examples(`
			ocp-vsphere-admin credentials show
			ocp-vsphere-admin credentials show --vcenters vcenter1.example.com --components csi-driver --reveal`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, showRun, command.KnownComponents(&o.Components)),
	}
	o.File.RegisterAlone(cmd)
	cmd.Flags().StringSliceVar(&o.VCenters, "vcenters", nil, "only these sections")
	command.RegisterComponents(cmd, &o.Components)
	cmd.Flags().BoolVar(&o.Reveal, "reveal", false, "show the passwords, on a terminal only")
	command.MarkCommandLineOnly(cmd, "reveal")
	return cmd
}

func showRun(_ context.Context, o *ShowOptions) error {
	if o.Reveal && !o.OutIsTerminal() {
		return hint.Errorf("'"+command.Program+" secrets emit' writes them for OpenShift",
			"--reveal: passwords are shown on a terminal only")
	}
	path, from, err := o.CredentialsPath(o.File, nil)
	if err != nil {
		return err
	}
	file, err := o.OpenAt(path, false)
	switch {
	case err != nil:
		return err
	case command.Missing(path) && from != installconfig.OriginDefault: // it was named
		return notThere(path, from)
	case command.Missing(path):
		o.Infof("%s does not exist", path)
	}
	view := showView{command.NewHeader("CredentialList"), path, []vcenterView{}}
	sections, err := command.NarrowServers(file.Servers(), o.VCenters)
	if err != nil {
		return err
	}
	main := false
	for _, server := range sections {
		v := vcenterView{server, []accountView{}}
		for _, c := range command.NamedComponents(o.Components, file) {
			if a, ok := file.Get(server, c); ok {
				v.Accounts = append(v.Accounts, accountView{c, a.User, o.shown(a)})
				main = main || c == component.Installer
			}
		}
		view.VCenters = append(view.VCenters, v)
	}
	err = o.Table(view, func() *term.Table {
		t := term.NewTable("vcenter", "component", "user", "password")
		for _, v := range view.VCenters {
			for _, a := range v.Accounts {
				t.Row(v.Server, a.Component, a.User, a.Password)
			}
		}
		return t
	})
	if main {
		o.Infof("%s", credfile.MainAccount)
	}
	return err
}

func notThere(path string, from installconfig.Origin) error {
	err := fmt.Errorf("credentials file %s does not exist", path)
	if from == installconfig.OriginDefault {
		return hint.Wrap(err, "set --install-config, or --"+command.CredentialsFileFlag)
	}
	return hint.Wrap(err, from+" names this file")
}

func (o *ShowOptions) shown(a credfile.Account) string {
	switch {
	case a.Password.Empty():
		return ""
	case o.Reveal:
		return a.Password.Reveal()
	}
	return a.Password.String()
}
