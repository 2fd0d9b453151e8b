package many

import (
	"slices"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/fleet"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// Problems are the errors and warnings of one command on a cluster.
func Problems(all []*finding.Finding) (list []fleet.Finding) {
	for _, f := range all {
		of := fleet.Finding{Code: f.Code, Severity: f.Severity, Text: f.Text}
		if f.Subject != "" {
			of.Text = f.Subject + ": " + f.Text
		}
		if f.Severity != finding.Note {
			list = append(list, of)
		}
	}
	return list
}

// Figures are those of a verification.
func Figures(v *verify.Result) []fleet.VCenter {
	all := []fleet.VCenter{}
	for _, vc := range v.VCenters {
		of := fleet.VCenter{Server: vc.Server, Error: vc.Error, Hidden: slices.Contains(v.Incomplete, vc.Server)}
		for _, a := range vc.Accounts {
			account := fleet.Account{Component: a.Component, Principal: a.Principal, Login: loginOf(a), DaysLeft: a.DaysLeft}
			account.Missing, account.Excess = a.Count()
			of.Accounts = append(of.Accounts, account)
		}
		all = append(all, of)
	}
	return all
}

func loginOf(a verify.Account) fleet.Login {
	switch a.Login {
	case login.OK:
		return fleet.LoginOK
	case verify.LoginUnverified:
		return fleet.LoginUnverified
	case verify.LoginComputed:
		return fleet.LoginComputed
	case verify.LoginDisabled, verify.LoginReplaced, verify.LoginNext:
		return fleet.LoginDisabled
	}
	return fleet.LoginFailed
}
