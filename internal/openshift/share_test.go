package openshift

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/finding"
)

// Where no finding is an error there are secrets, and where one is, there are none: whoever asks beforehand is not misled.
func TestFindingsAgreeWithManifests(t *testing.T) {
	t.Parallel()
	refused, written := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		servers := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{vc1, vc2, "fd00::1", "."}), 1, 2, rapid.ID[string]).Draw(t, "servers")
		accounts := Accounts{}
		for _, server := range servers {
			accounts[server] = map[component.Name]credfile.Account{}
			for _, c := range component.Names() {
				if some := rapid.SampledFrom([]credfile.Account{
					{}, {}, account("a@b", "x"), account("a@b", "x"), account("a@b", "x"), account("a@b", "x"), account("c@b", ""), account("a+b@c", "x"), account("a@b", "x\ny"),
				}).Draw(t, server+" "+string(c)); some != (credfile.Account{}) {
					accounts[server][c] = some
				}
			}
		}
		o := EmitOptions{
			Profile:    rapid.SampledFrom([]string{ProfileKubeSystem, ProfileComponentScoped, ProfilePassthrough}).Draw(t, "profile"),
			Components: rapid.SampledFrom([][]component.Name{nil, {component.CSIDriver}, {component.MachineAPI, component.Diagnostics, component.Installer}}).Draw(t, "components"),
		}
		if rapid.Bool().Draw(t, "main account") {
			o.MainFor = component.Names()
		}
		if o.check() != nil {
			t.Skip("is not refused for an account")
		}
		_, _, err := Manifests(servers, accounts, o)
		all := o.Findings(servers, accounts, nil)
		if finding.Differing(all) != (err != nil) {
			t.Fatalf("%v, and Manifests: %v", all, err)
		}
		if shares := o.Shares(servers, accounts); err == nil && slices.ContainsFunc(shares, func(s Share) bool { return len(s.None) > 0 }) {
			t.Fatalf("%v", Lacking(shares))
		}
		if err != nil {
			refused++
		} else {
			written++
		}
	})
	if refused == 0 || written == 0 {
		t.Errorf("%d refused, %d written", refused, written)
	}
}
