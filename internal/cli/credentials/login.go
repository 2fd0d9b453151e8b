package credentials

import (
	"context"
	"maps"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
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
func (o *ValidateOptions) logins(ctx context.Context, view *validationView, file *credfile.File, source *spec.Spec, components []component.Name) error {
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
	tried, err := o.TryAccounts(ctx, reach, o.Source.ConnectTo, &o.TLS, accounts)
	if err != nil {
		return err
	}
	for _, r := range tried {
		view.Logins = append(view.Logins, accountLogin{r.Server, r.Component, r.User, r.Err == nil, r.Tried, r.Outcome})
		if r.Err != nil {
			view.Findings = append(view.Findings, finding.New(finding.LoginRefused, "", "%s", r.Refusal()).About(r.Server, r.Component))
		}
	}
	return nil
}
