package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
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
	reach := want.all
	if reach == nil {
		reach = asWritten(slices.DeleteFunc(file.Servers(), func(s string) bool { return !secretKey.MatchString(s) })) // others are problems already
		if len(reach.VCenters) == 0 {
			return nil
		}
		if err := o.Source.ConnectTo.apply(reach); err != nil {
			return err
		}
	}
	tls, err := o.TLS.Resolve(o.Streams, servers(reach))
	if err != nil {
		return err
	}
	config := o.reach(reach, addressFlag{}, tls)
	var targets []provision.LoginTarget
	var components []component.Name
	for _, vc := range reach.VCenters {
		for _, c := range component.Names() {
			a, ok := file.Get(vc.Server, c)
			if !ok || a.User == "" || a.Password.Empty() || reach.Disabled(c) || len(want.components) > 0 && !slices.Contains(want.components, c) {
				continue
			}
			targets = append(targets, provision.LoginTarget{Server: vc.Server, Config: config(vc), User: a.User, Password: a.Password})
			components = append(components, c)
		}
	}
	for i, r := range provision.TryLogins(ctx, targets) {
		view.Logins = append(view.Logins, accountLogin{r.Server, components[i], r.User, r.Err == nil, r.Tried, r.Result})
		if r.Err != nil {
			view.Problems = append(view.Problems, credentialIssue{r.Server, components[i], fmt.Sprintf("login of %s: %s", r.User, r.Result)})
		}
	}
	return nil
}

// asWritten are vCenters named as they are in keys of secrets or in sections, which their readers do not take apart either.
func asWritten(servers []string) *spec.Spec {
	s := &spec.Spec{}
	for _, server := range servers {
		s.VCenters = append(s.VCenters, spec.VCenter{Server: server, Port: spec.DefaultPort})
	}
	return s
}
