package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/provision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// accountLogin is what became of the login of one account.
type accountLogin struct {
	Server    string         `json:"server"`
	Component component.Name `json:"component"`
	User      string         `json:"user"`
	OK        bool           `json:"ok"`
	Tried     bool           `json:"tried"`  // whether a password was sent
	Result    string         `json:"result"` // ok, or why not
}

// logins tries the accounts of the file, each once, on the vCenters that are asked for. An account that the
// specification disables does not log in.
func (o *CredentialsValidateOptions) logins(ctx context.Context, view *validationView, file *credfile.File, want wantedAccounts) error {
	reach, err := reached(want.all, file.Servers(), o.Source.ConnectTo)
	if err != nil || len(reach.VCenters) == 0 {
		return err
	}
	accounts := openshift.FromFile(file, servers(reach))
	for _, of := range accounts {
		maps.DeleteFunc(of, func(c component.Name, _ credfile.Account) bool {
			return reach.Disabled(c) || len(want.components) > 0 && !slices.Contains(want.components, c)
		})
	}
	tried, err := o.tryAccounts(ctx, reach, o.Source.ConnectTo, &o.TLS, accounts)
	if err != nil {
		return err
	}
	for _, r := range tried {
		view.Logins = append(view.Logins, accountLogin{r.Server, r.component, r.User, r.Err == nil, r.Tried, r.Result})
		if r.Err != nil {
			view.Findings = append(view.Findings, finding.New(finding.LoginRefused, "", "%s", r.refusal()).About(r.Server, r.component))
		}
	}
	return nil
}

// triedAccount is what became of the login of the account of a component.
type triedAccount struct {
	provision.LoginResult
	component component.Name
}

func (r triedAccount) refusal() string { return fmt.Sprintf("login of %s: %s", r.User, r.Result) }

// tryAccounts logs in with accounts, each once on each vCenter of reach, as [provision.TryLogins] does.
func (f *Factory) tryAccounts(ctx context.Context, reach *spec.Spec, addresses addressFlag, trust *tlsFlags, accounts openshift.Accounts) ([]triedAccount, error) {
	tls, err := trust.Resolve(f.Streams, servers(reach))
	if err != nil {
		return nil, err
	}
	config := f.reach(reach, addresses, tls)
	var targets []provision.LoginTarget
	var tried []triedAccount
	for _, vc := range reach.VCenters {
		for _, c := range component.Names() {
			if a, ok := accounts[vc.Server][c]; ok && a.User != "" && !a.Password.Empty() {
				targets = append(targets, provision.LoginTarget{Server: vc.Server, Config: config(vc), User: a.User, Password: a.Password})
				tried = append(tried, triedAccount{component: c})
			}
		}
	}
	for i, r := range provision.TryLogins(ctx, targets) {
		tried[i].LoginResult = r
	}
	return tried, nil
}

// reached are the vCenters of a specification, or, where it is nil, those of sections or secrets with these names.
func reached(asked *spec.Spec, names []string, addresses addressFlag) (*spec.Spec, error) {
	if asked != nil {
		return asked, nil
	}
	s := asWritten(slices.DeleteFunc(slices.Clone(names), func(s string) bool { return !secretKey.MatchString(s) })) // others are problems elsewhere
	if len(s.VCenters) == 0 {
		return s, nil
	}
	return s, addresses.apply(s)
}

// asWritten are vCenters named as they are in keys of secrets or in sections, which their readers do not take apart either.
func asWritten(servers []string) *spec.Spec {
	s := &spec.Spec{}
	for _, server := range servers {
		s.VCenters = append(s.VCenters, spec.VCenter{Server: server, Port: spec.DefaultPort})
	}
	return s
}
