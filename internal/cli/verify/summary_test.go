package verify

import (
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/login"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/verify"
)

// The last line of verify counts accounts, permissions and vCenters as that of apply does, and names what is wrong alone.
func TestVerifySummary(t *testing.T) {
	t.Parallel()
	read, unread := verify.VCenter{Server: "vc1"}, verify.VCenter{Server: "vc2", Error: "no such host"}
	linked := verify.VCenter{Server: "vc3", Domain: "vsphere.local", Accounts: []verify.Account{{Principal: "ocp@vsphere.local", Login: login.OK}}}
	entered := verify.VCenter{Server: "vc4", Accounts: []verify.Account{{Principal: "a@vsphere.local", Login: login.OK}}}
	for want, v := range map[string]*verify.Result{
		"verified: 10 accounts, 73 permissions on 2 vCenters: 0 privileges missing, 0 excess": {
			VCenters: []verify.VCenter{read, read}, Summary: verify.Summary{Accounts: 10, Permissions: 73},
		},
		"verified: 1 account, 9 permissions on 1 vCenter: 1 privilege missing, 2 excess; 3 accounts failed; 1 account unverified; 1 check of the installer failed; 1 vCenter not verified": {
			VCenters: []verify.VCenter{read, unread},
			Summary:  verify.Summary{Accounts: 6, Permissions: 9, Failed: 3, Unverified: 1, Disabled: 1, Missing: 1, Excess: 2, PreflightFailed: 1},
		},
		"verified: 4 accounts of the cluster on 1 vCenter: 0 privileges missing, 0 excess; 1 vCenter not verified": {
			View: verify.ViewAccounts, VCenters: []verify.VCenter{entered, read}, Summary: verify.Summary{Accounts: 4}, // nobody logged in there
		},
		"verified: 1 account (2 counted per vCenter), 20 permissions on 2 vCenters: 0 privileges missing, 0 excess": {
			VCenters: []verify.VCenter{linked, linked}, Summary: verify.Summary{Accounts: 2, Permissions: 20},
		},
		"verified: 1 account, 9 permissions on 1 vCenter: 0 privileges missing, 0 excess; 1 account has a global permission": {
			VCenters: []verify.VCenter{read}, Summary: verify.Summary{Accounts: 1, Permissions: 9}, Findings: []*finding.Finding{
				{Code: finding.GlobalPermission, Accounts: []finding.Account{{Principal: "a@vsphere.local"}}},
				{Code: finding.GlobalPermission, Accounts: []finding.Account{{Principal: "a@vsphere.local"}}},
				{Code: finding.MissingTags, Accounts: []finding.Account{{Principal: "b@vsphere.local"}}},
			},
		},
		"verified: 1 account of the cluster on 1 vCenter: 0 privileges missing, 0 excess; 1 problem with the secrets, see above": {
			View: verify.ViewAccounts, VCenters: []verify.VCenter{entered}, Summary: verify.Summary{Accounts: 1},
			Findings: []*finding.Finding{{Severity: finding.Error, Code: finding.SecretFallback}, {Severity: finding.Note, Code: finding.OwnView}},
		},
		"": {VCenters: []verify.VCenter{unread, unread}},
	} {
		if got := summaryOf(v); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
