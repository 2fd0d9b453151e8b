package contract_test

import (
	"testing"

	ssomethods "github.com/vmware/govmomi/ssoadmin/methods"
	ssotypes "github.com/vmware/govmomi/ssoadmin/types"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/contract"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/lab/vcsim"
)

// A caller who may read, but little, finds less to try. That is no difference.
func TestCallersWithLessFindNoDifference(t *testing.T) {
	t.Parallel()
	const password = "R3ader!only-pass"
	for name, role := range map[string]int32{"reader": -2, "nocrypto": -6} {
		for _, root := range []bool{true, false} {
			r := newRig(t, vcsim.Options{Estate: vcsim.EstateOptions{Foreign: true}})
			admin := r.session(t)
			sso, err := admin.SSO(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			_, err = ssomethods.CreateLocalPersonUser(t.Context(), sso, &ssotypes.CreateLocalPersonUser{
				This: sso.Content.PrincipalManagementService, UserName: name, Password: password,
			})
			if err != nil {
				t.Fatal(err)
			}
			at := admin.Content.RootFolder
			if !root {
				res, err := methods.FindByInventoryPath(t.Context(), admin, &types.FindByInventoryPath{This: *admin.Content.SearchIndex, InventoryPath: r.folder(t)})
				if err != nil {
					t.Fatal(err)
				}
				at = *res.Returnval
			}
			_, err = methods.SetEntityPermissions(t.Context(), admin, &types.SetEntityPermissions{
				This: *admin.Content.AuthorizationManager, Entity: at,
				Permission: []types.Permission{{Principal: sso.Domain + `\` + name, RoleId: role, Propagate: true}},
			})
			if err != nil {
				t.Fatal(err)
			}
			s, err := r.open(t.Context(), name+"@"+sso.Domain, secret.New(password))
			if err != nil {
				t.Fatal(err)
			}
			before := r.Snapshot()
			report, err := contract.Run(t.Context(), s, r.options(""))
			if err != nil {
				t.Fatal(err)
			}
			tried := 0
			for _, f := range report.Rules {
				if f.Verdict == contract.Differs {
					t.Errorf("%s, root %t: %s %s differs: %s", name, root, f.Rule, f.Case, f.Detail)
				}
				if f.Verdict == contract.Holds {
					tried++
				}
			}
			if tried < 5 {
				t.Errorf("%s, root %t: only %d rules hold", name, root, tried)
			}
			report, err = contract.Run(t.Context(), s, r.options(r.folder(t)))
			switch all := role == -6 && root; { // enough for everything but accounts
			case !all && (err == nil || len(report.Rules) > 0):
				t.Errorf("%s, root %t: who could not remove everything began to write: %v", name, root, err)
			case report.CleanErr() != nil: // it may have been refused before it wrote, too
				t.Errorf("%s: left: %v", name, report.CleanErr())
			}
			s.Close(t.Context())
			if r.Snapshot() != before {
				t.Errorf("%s, root %t: the vCenter changed", name, root)
			}
		}
	}
}
