package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// CredentialsValidateOptions are the flags of `credentials validate`.
type CredentialsValidateOptions struct {
	*Factory
	File       credentialsFlag
	Source     sourceFlags
	Components []string
	Login      bool
	TLS        tlsFlags
}

type validationView struct {
	header
	File     string             `json:"file"`
	Findings []*finding.Finding `json:"findings"` // errors first
	Logins   []accountLogin     `json:"logins"`   // with --login
}

func newCmdCredentialsValidate(f *Factory, runF func(*CredentialsValidateOptions) error) *cobra.Command {
	o := &CredentialsValidateOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Check the credentials file: mode, syntax, vCenters and logins",
		Long: text(`
			Checks that the installer can read the file, that it reads every account as written, and that each user name has
			the form that the CSI driver accepts. Given a provisioning file, an install-config or names, it also checks that
			every vCenter has a section and every component an account. For misspelled keys and sections the likely name is
			suggested; lines that cannot be read are reported and the rest is still checked. With --login each account logs in
			once and out again; without it no vCenter is contacted. Exit code 2 if there are problems.`),
		Example: examples(`
			ocp-vsphere-admin credentials validate
			ocp-vsphere-admin credentials validate --install-config install-config.yaml
			ocp-vsphere-admin credentials validate --vcenters vcenter1.example.com,vcenter2.example.com
			ocp-vsphere-admin credentials validate -f provisioning.yaml --login --cacert ca.pem`),
		Args: noWords,
		RunE: action(o, runF, credentialsValidateRun, knownComponents(&o.Components), func(cmd *cobra.Command, _ []string) error {
			for _, name := range []string{connectToFlag, "cacert", thumbprintFlag, "insecure"} {
				if p := cmd.Flags(); !o.Login && p.Changed(name) && !isSettled(p, name) {
					return hint.Errorf("add --login", "--%s: no vCenter is asked", name)
				}
			}
			return nil
		}),
	}
	o.File.Register(cmd)
	o.Source.registerServers(cmd)
	registerComponents(cmd, &o.Components)
	cmd.Flags().BoolVar(&o.Login, "login", false, "log in once with each account, and out again")
	o.Source.ConnectTo.Register(cmd)
	o.TLS.Register(cmd)
	return cmd
}

func credentialsValidateRun(ctx context.Context, o *CredentialsValidateOptions) error {
	want, err := o.wanted()
	if err != nil {
		return err
	}
	path, _, err := o.credentialsPath(o.File, want.all)
	if err != nil {
		return err
	}
	view := validationView{newHeader("CredentialValidation"), path, []*finding.Finding{}, []accountLogin{}}
	file, faults, err := credfile.OpenSound(path)
	for _, line := range errorLines(errors.Join(append(faults, err)...)) {
		view.Findings = append(view.Findings, finding.New(finding.FileUnread, "", "%s", line))
	}
	switch {
	case err != nil:
	case missing(path):
		message := path + " does not exist"
		if _, all := adopted(want.spec); !all {
			message += ": '" + program + " apply' writes it"
		}
		view.Findings = append(view.Findings, finding.New(finding.FileMissing, "", "%s", message))
	default:
		view.Findings = append(view.Findings, checkCredentials(file, want)...)
		if o.Login {
			if err := o.logins(ctx, &view, file, want); err != nil {
				return err
			}
		}
	}
	finding.Sort(view.Findings)
	if err := o.printValidation(view); err != nil {
		return err
	}
	var hints []string
	switch {
	case missing(path) && len(want.servers) == 0:
		hints = o.ifLost(path, &o.Source, nil)
	case file != nil:
		hints = o.ifLostOf(&o.Source, file, want.spec, want.servers, lacking(file, want.servers, ofFile(want.components)))
	}
	for _, h := range hints {
		o.Infof("hint: %s", h)
	}
	if problems, _ := finding.Count(view.Findings); problems > 0 {
		return exit(ExitDifferent)
	}
	return nil
}

// lacking are the components that have no account in the sections of vCenters.
func lacking(f *credfile.File, servers []string, components []component.Name) map[string][]component.Name {
	lack := map[string][]component.Name{}
	for _, server := range servers {
		for _, c := range components {
			if _, ok := f.Get(server, c); !ok {
				lack[server] = append(lack[server], c)
			}
		}
	}
	return lack
}

// ofFile are the components whose account has to be in the credentials file; none named are those of every cluster. The
// installer's own may be elsewhere.
func ofFile(components []component.Name) []component.Name {
	if len(components) == 0 {
		components = component.Default()
	}
	return slices.DeleteFunc(slices.Clone(components), func(c component.Name) bool { return c == component.Installer })
}

// wanted is what a source asks for; without a source only what is in the file is judged.
func (o *CredentialsValidateOptions) wanted() (wantedAccounts, error) {
	var want wantedAccounts
	if o.Source.given() {
		s, err := o.Source.Resolve(o.In)
		if err != nil {
			return want, err
		}
		want.servers, want.components, want.all = servers(s), s.ComponentNames(), s
		if o.Source.File != "" {
			want.spec = s
		}
	}
	if len(o.Components) > 0 {
		want.components = askedFor(o.Components, nil)
	}
	return want, nil
}

func (o *CredentialsValidateOptions) printValidation(v validationView) error {
	err := o.table(v, func() *term.Table {
		t := term.NewTable()
		if len(v.Findings)+len(v.Logins) > 0 {
			t = term.NewTable("", "vcenter", "component", "what")
		}
		for _, f := range v.Findings {
			kind, text, about := "problem", f.Text, finding.Account{}
			if f.Severity != finding.Error {
				kind = "note"
			}
			if f.Line > 0 {
				text = fmt.Sprintf("line %d: %s", f.Line, f.Text)
			}
			if len(f.Accounts) > 0 {
				about = f.Accounts[0]
			}
			t.Row(kind, about.Server, about.Component, text)
		}
		for _, l := range v.Logins {
			if l.OK {
				t.Row("ok", l.Server, l.Component, "login of "+l.User)
			}
		}
		return t
	})
	if err != nil {
		return err
	}
	problems, notes := finding.Count(v.Findings)
	o.Infof("%s: %s, %s", v.File, term.Count(problems, "problem"), term.Count(notes, "note"))
	return nil
}
