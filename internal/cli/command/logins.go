package command

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
)

// TriedAccount is what became of the login of the account of a component.
type TriedAccount struct {
	login.Result
	Component component.Name
}

// Refusal says whose login failed, and why.
func (r TriedAccount) Refusal() string { return fmt.Sprintf("login of %s: %s", r.User, r.Outcome) }

// TryAccounts logs in with accounts, each once on each vCenter of reach, as [login.Try] does.
func (f *Factory) TryAccounts(ctx context.Context, reach *spec.Spec, addresses AddressFlag, trust *TLSFlags, accounts openshift.Accounts) ([]TriedAccount, error) {
	tls, err := trust.Resolve(f.Streams, Servers(reach))
	if err != nil {
		return nil, err
	}
	config := f.Reach(reach, addresses, tls)
	var targets []login.Target
	var tried []TriedAccount
	for _, vc := range reach.VCenters {
		for _, c := range component.Names() {
			if a, ok := accounts[vc.Server][c]; ok && a.User != "" && !a.Password.Empty() && len(a.Unfilled()) == 0 {
				targets = append(targets, login.Target{Server: vc.Server, Config: config(vc), User: a.User, Password: a.Password})
				tried = append(tried, TriedAccount{Component: c})
			}
		}
	}
	for i, r := range login.Try(ctx, targets) {
		tried[i].Result = r
	}
	return tried, nil
}

// Reached are the vCenters of a specification, or, where it is nil, those of sections or secrets with these names.
func Reached(asked *spec.Spec, names []string, addresses AddressFlag) (*spec.Spec, error) {
	if asked != nil {
		return asked, nil
	}
	s := AsWritten(slices.DeleteFunc(slices.Clone(names), func(s string) bool { return !credfile.FitsSecretKey(s) })) // others are problems elsewhere
	if len(s.VCenters) == 0 {
		return s, nil
	}
	return s, addresses.Apply(s)
}

// AsWritten are vCenters named as they are in keys of secrets or in sections, which their readers do not take apart either.
func AsWritten(servers []string) *spec.Spec {
	s := &spec.Spec{}
	for _, server := range servers {
		s.VCenters = append(s.VCenters, spec.VCenter{Server: server, Port: spec.DefaultPort})
	}
	return s
}

// Failures joins the logins that failed; nil where none did. The last says what follows.
func Failures(tried []TriedAccount, follows string) error {
	var errs []error
	for _, r := range tried {
		if r.Err != nil {
			errs = append(errs, fmt.Errorf("%s: %s: %s", r.Server, r.Component, r.Refusal()))
		}
	}
	if len(errs) > 0 {
		errs = append(errs, errors.New(follows))
	}
	return errors.Join(errs...)
}
