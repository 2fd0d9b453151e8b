package credentials

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/advice"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// ValidateOptions are the flags of `credentials validate`.
type ValidateOptions struct {
	*command.Factory
	File       command.CredentialsFlag
	Source     command.SourceFlags
	Components []string
	Login      bool
	TLS        command.TLSFlags
}

type validationView struct {
	command.Header
	File     string             `json:"file"`
	Findings []*finding.Finding `json:"findings"` // errors first
	Logins   []accountLogin     `json:"logins"`   // with --login
}

func newCmdValidate(f *command.Factory, runF func(*ValidateOptions) error) *cobra.Command {
	o := &ValidateOptions{Factory: f}
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Check the credentials file: mode, syntax, vCenters and logins",
		Long: command.Text(`
			Checks that the installer can read the file, that it reads every account as written, and that each user name has
			the form that the CSI driver accepts. Given a provisioning file, an install-config or names, it also checks that
			every vCenter has a section. Where 'secrets emit' would refuse the file, because a component gets no account on a
			vCenter or a reader does not take it, that is a problem here. For misspelled keys and sections the likely name is
			suggested; lines that cannot be read are reported and the rest is still checked. With --login each account logs in
			once and out again; without it no vCenter is contacted. Exit code 2 if there are problems, 1 if
			the file cannot be read.

			` + credfile.MainAccount + `.`),
		Example: command.Examples(`
			ocp-vsphere-admin credentials validate
			ocp-vsphere-admin credentials validate --install-config install-config.yaml
			ocp-vsphere-admin credentials validate --vcenters vcenter1.example.com,vcenter2.example.com
			ocp-vsphere-admin credentials validate -f provisioning.yaml --login --cacert ca.pem`),
		Args: command.NoWords,
		RunE: command.Action(o, runF, validateRun, command.KnownComponents(&o.Components), func(cmd *cobra.Command, _ []string) error {
			for _, name := range []string{command.ConnectToFlag, "cacert", command.ThumbprintFlag, "insecure"} {
				if p := cmd.Flags(); !o.Login && p.Changed(name) && !command.FromSettings(p, name) {
					return hint.Errorf("add --login", "--%s: no vCenter is asked", name)
				}
			}
			return nil
		}),
	}
	o.File.Register(cmd)
	o.Source.RegisterServers(cmd)
	command.RegisterComponents(cmd, &o.Components)
	cmd.Flags().BoolVar(&o.Login, "login", false, "log in once with each account, and out again")
	o.Source.ConnectTo.Register(cmd)
	o.TLS.Register(cmd)
	return cmd
}

func validateRun(ctx context.Context, o *ValidateOptions) error {
	want, emit, source, err := o.wanted(ctx)
	if err != nil {
		return err
	}
	var named *spec.Spec // what names the accounts
	if o.Source.File != "" || source != nil && source.NamesAccounts() {
		named = source
	}
	path, _, err := o.CredentialsPath(o.File, source)
	if err != nil {
		return err
	}
	servers := want.Servers
	view := validationView{command.NewHeader("CredentialValidation"), path, []*finding.Finding{}, []accountLogin{}}
	file, faults, err := credfile.OpenLenient(path)
	for _, line := range command.ErrorLines(errors.Join(append(faults, err)...)) {
		view.Findings = append(view.Findings, finding.New(finding.FileUnread, "", "%s", line))
	}
	if err == nil && len(servers) == 0 { // as 'secrets emit'
		servers = file.Servers()
	}
	if err == nil && source != nil {
		for _, line := range command.ErrorLines(o.Source.Accounts.CheckFilled(nil, want.Servers, want.Components)) {
			view.Findings = append(view.Findings, finding.New(finding.AccountPlaceholder, "", "%s", line))
		}
		view.Findings = append(view.Findings, o.Source.Accounts.Differing(file, want.Servers, want.Components)...)
		o.Source.Accounts.Over(source, file)
	}
	switch {
	case err != nil:
	case command.Missing(path) && len(file.Servers()) == 0:
		view.Findings = append(view.Findings, finding.New(finding.FileMissing, "", "%s does not exist", path))
	default:
		view.Findings = append(view.Findings, file.Judge(want)...)
		view.Findings = append(view.Findings,
			emit.Findings(servers, openshift.FromFile(file, servers), view.Findings)...)
		if o.Login {
			if err := o.logins(ctx, &view, file, source, want.Components); err != nil {
				return err
			}
		}
	}
	finding.Sort(view.Findings)
	if err := o.print(view); err != nil {
		return err
	}
	if file != nil && slices.ContainsFunc(view.Findings, func(f *finding.Finding) bool {
		return f.Code == finding.AccountMissing && slices.ContainsFunc(f.Accounts, func(a finding.Account) bool {
			_, main := file.Get(a.Server, component.Installer)
			return main
		})
	}) {
		o.Infof("%s", credfile.MainAccount)
	}
	switch a := advice.Of(o.Factory, &o.Source, named); {
	case file != nil && command.Missing(path) && len(file.Servers()) == 0:
		o.Hint(a.IfNone(path)...)
	case file != nil:
		o.Hint(a.IfLost(file, servers,
			openshift.Lacking(emit.Shares(servers, openshift.FromFile(file, servers))))...)
	}
	problems, _ := finding.Count(view.Findings)
	switch {
	case err != nil && command.Unread(path, err),
		slices.ContainsFunc(view.Findings, func(f *finding.Finding) bool { return f.Code == finding.FileMissing }):
		return command.Exit(command.ExitFailed)
	case problems > 0:
		return command.Exit(command.ExitDifferent)
	}
	return nil
}

// wanted is a source's accounts, the secrets that 'secrets emit' would make, and its spec or nil.
func (o *ValidateOptions) wanted(ctx context.Context) (want credfile.Wanted, emit openshift.EmitOptions, source *spec.Spec, err error) {
	if o.Source.Given() {
		if source, err = o.Source.Resolve(ctx, o.Factory); err != nil {
			return want, emit, nil, err
		}
		want.Servers, want.Components = command.Servers(source), source.ComponentNames()
		if o.Source.File != "" {
			want.Misnamed = source.Misnamed
		}
		if emit.Profile = source.Profile; len(source.Components) > 0 {
			emit.Components = want.Components
		}
	}
	if len(o.Components) > 0 {
		want.Components = command.NamedComponents(o.Components, nil)
		emit.Components = want.Components
	}
	return want, emit, source, nil
}

func (o *ValidateOptions) print(v validationView) error {
	err := o.Table(v, func() *term.Table {
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
			if len(f.Accounts) == 1 {
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
	judged := v.File
	if o.Source.Accounts.Name() != "" {
		judged = o.Source.Accounts.Name() + " and " + judged
	}
	o.Infof("%s: %s, %s", judged, term.Count(problems, "problem"), term.Count(notes, "note"))
	return nil
}

type accountLogin struct {
	Server    string         `json:"server"`
	Component component.Name `json:"component"`
	User      string         `json:"user"`
	OK        bool           `json:"ok"`
	Tried     bool           `json:"tried"`  // whether a password was sent
	Result    string         `json:"result"` // ok, or why not
}

// logins tries each account of the file once on the vCenters in question, but disabled ones.
func (o *ValidateOptions) logins(ctx context.Context, view *validationView, file *credfile.File,
	source *spec.Spec, components []component.Name,
) error {
	reach, err := command.Reached(source, file.Servers(), o.Source.ConnectTo)
	if err != nil || len(reach.VCenters) == 0 {
		return err
	}
	accounts := openshift.FromFile(file, command.Servers(reach))
	for _, of := range accounts {
		maps.DeleteFunc(of, func(c component.Name, _ credfile.Account) bool {
			return reach.Disabled(c) || len(components) > 0 && !slices.Contains(components, c)
		})
	}
	attempts, err := o.TryAccounts(ctx, reach, o.Source.ConnectTo, &o.TLS, accounts)
	if err != nil {
		return err
	}
	for _, r := range attempts {
		view.Logins = append(view.Logins,
			accountLogin{r.Server, r.Component, r.User, r.Err == nil, r.Tried, r.Outcome})
		if r.Err != nil {
			view.Findings = append(view.Findings,
				finding.New(finding.LoginRefused, "", "%s", r.Refusal()).About(r.Server, r.Component))
		}
	}
	return nil
}
