package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// CredentialsShowOptions are the flags of `credentials show`.
type CredentialsShowOptions struct {
	*Factory
	File       credentialsFlag
	VCenters   []string
	Components []string
	Reveal     bool
}

type credentialsView struct {
	header
	File     string                   `json:"file"`
	VCenters []credentialsVCenterView `json:"vcenters"`
}

type credentialsVCenterView struct {
	Server   string        `json:"server"`
	Accounts []accountView `json:"accounts"`
}

type accountView struct {
	Component component.Name `json:"component"`
	User      string         `json:"user"`
	// Password is the real one with --reveal, else the words that stand for a secret, empty when there is none.
	Password string `json:"password"`
}

func newCmdCredentialsShow(f *Factory, runF func(*CredentialsShowOptions) error) *cobra.Command {
	o := &CredentialsShowOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Show which account each component gets from the credentials file",
		Long: text(`
			Lists the accounts of the credentials file as the installer reads them. The account "installer" is the plain user
			and password of a section. Passwords are shown only with --reveal and only on a terminal.`),
		Example: examples(`
			ocp-vsphere-admin credentials show
			ocp-vsphere-admin credentials show --vcenters vcenter1.example.com --components csi-driver --reveal`),
		Args: noWords,
		RunE: action(o, runF, credentialsShowRun, knownComponents(&o.Components)),
	}
	o.File.registerAlone(cmd)
	cmd.Flags().StringSliceVar(&o.VCenters, "vcenters", nil, "only these sections")
	registerComponents(cmd, &o.Components)
	cmd.Flags().BoolVar(&o.Reveal, "reveal", false, "show the passwords, on a terminal only")
	markCommandLineOnly(cmd, "reveal")
	return cmd
}

func credentialsShowRun(_ context.Context, o *CredentialsShowOptions) error {
	if o.Reveal && !o.OutIsTerminal() {
		return hint.Errorf("'"+program+" secrets emit' writes them for OpenShift", "--reveal: passwords are shown on a terminal only")
	}
	file, path, err := o.openCredentials(o.File, nil)
	if err != nil {
		return err
	}
	if missing(path) {
		o.Infof("%s does not exist", path)
	}
	view := credentialsView{newHeader("CredentialList"), path, []credentialsVCenterView{}}
	sections, err := narrowServers(file.Servers(), o.VCenters)
	if err != nil {
		return err
	}
	for _, server := range sections {
		v := credentialsVCenterView{server, []accountView{}}
		for _, c := range askedFor(o.Components, file) {
			if a, ok := file.Get(server, c); ok {
				v.Accounts = append(v.Accounts, accountView{c, a.User, o.shown(a)})
			}
		}
		view.VCenters = append(view.VCenters, v)
	}
	return o.table(view, func() *term.Table {
		t := term.NewTable("vcenter", "component", "user", "password")
		for _, v := range view.VCenters {
			for _, a := range v.Accounts {
				t.Row(v.Server, a.Component, a.User, a.Password)
			}
		}
		return t
	})
}

func (o *CredentialsShowOptions) shown(a credfile.Account) string {
	switch {
	case a.Password.Empty():
		return ""
	case o.Reveal:
		return a.Password.Reveal()
	}
	return a.Password.String()
}

// narrowServers keeps those of all that are named; none named keeps all.
func narrowServers(all, named []string) ([]string, error) {
	if err := allOf("vcenters", named, all); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool {
		return len(named) > 0 && !slices.Contains(named, s)
	}), nil
}
