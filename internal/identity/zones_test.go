package identity_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/identity"
)

// zone is a VSphereDeploymentZone of a team, on the server of [vsphereCluster].
func zone(name, team string) string {
	return fmt.Sprintf(infra+"v1beta1\nkind: VSphereDeploymentZone\nmetadata: {name: %s, labels: {team: %s}}\nspec: {server: vc1.example.com, failureDomain: %s, placementConstraint: {folder: f}}\n", name, team, name)
}

func failureDomain(name string) string {
	return fmt.Sprintf(infra+"v1beta2\nkind: VSphereFailureDomain\nmetadata: {name: %s}\nspec: {region: {name: r}, topology: {datacenter: DC-%s}}\n", name, name)
}

// own is the secret of a cluster's own that byOwn names.
func own(at, user string) string { return capvSecret(at, user, "pw") }

const (
	byOwn  = ", identityRef: {kind: Secret, name: own}"
	zonesA = ", failureDomainSelector: {matchLabels: {team: a}}"
	zonesB = ", failureDomainSelector: {matchLabels: {team: b}}"
)

// What the controller of zones takes is what the finding says: it looks at no label, and at the server alone.
func TestZonesThatTakeAnotherAccount(t *testing.T) {
	t.Parallel()
	domains := failureDomain("za") + failureDomain("zb")
	a := own("a/own", "a@d") + vsphereCluster("a/web", byOwn+zonesA)
	b := own("b/own", "b@d") + vsphereCluster("b/shop", byOwn+zonesB)
	const code = "identity-zone"
	for name, c := range map[string]struct {
		dump string
		want []string // subject: text
	}{
		"two tenants": {domains + zone("za", "a") + zone("zb", "b") + a + b, []string{
			"VSphereDeploymentZone za: VSphereCluster a/web selects it and works as a@d; the controller can also look at it as b@d (VSphereCluster b/shop), which may not see what VSphereFailureDomain za names in datacenter DC-za",
			"VSphereDeploymentZone zb: VSphereCluster b/shop selects it and works as b@d; the controller can also look at it as a@d (VSphereCluster a/web), which may not see what VSphereFailureDomain zb names in datacenter DC-zb",
		}},
		"one account, spelled twice": {domains + zone("za", "a") + own("a/own", "u@d") + own("b/own", `D\U`) + vsphereCluster("a/web", byOwn+zonesA) + vsphereCluster("b/shop", byOwn+zonesB), nil},
		"one identity": {domains + zone("za", "a") + vsphereIdentity("east", ", allowedNamespaces: {}", "ready: true") + capvSecret("capv-system/east", "u@d", "p") +
			vsphereCluster("a/web", ", identityRef: {kind: VSphereClusterIdentity, name: east}"+zonesA) + vsphereCluster("b/shop", ", identityRef: {kind: VSphereClusterIdentity, name: east}"), nil},
		"another server": {domains + zone("za", "a") + a + strings.Replace(b, "vc1", "vc2", 1), nil},
		// the name of a server is compared letter by letter
		"another name of the server": {domains + zone("za", "a") + a + strings.Replace(b, "vc1", "VC1", 1), nil},
		"refused":                    {domains + zone("za", "a") + a + vsphereCluster("b/shop", byOwn+zonesB), nil},
		"a shared zone": {domains + zone("za", "a") + a + strings.Replace(b, "team: b", "team: a", 1), []string{
			"VSphereDeploymentZone za: VSphereCluster a/web selects it and works as a@d; the controller can also look at it as b@d (VSphereCluster b/shop), which may not see what VSphereFailureDomain za names in datacenter DC-za",
			"VSphereDeploymentZone za: VSphereCluster b/shop selects it and works as b@d; the controller can also look at it as a@d (VSphereCluster a/web), which may not see what VSphereFailureDomain za names in datacenter DC-za",
		}},
		// it never takes its own account while a cluster on the server has another
		"the controller's account": {domains + zone("za", "a") + own("x/x", "x@d") + b + vsphereCluster("a/web", zonesA), []string{
			"VSphereDeploymentZone za: VSphereCluster a/web selects it and works as the controller's own account; the controller looks at it as b@d (VSphereCluster b/shop), which may not see what VSphereFailureDomain za names in datacenter DC-za",
		}},
		"no identity at all": {domains + zone("za", "a") + own("x/x", "x@d") + vsphereCluster("a/web", zonesA) + vsphereCluster("b/shop", zonesB), nil},
		"selected by nobody": {domains + zone("zc", "c") + failureDomain("zc") + a + b, []string{
			"VSphereDeploymentZone zc: no cluster selects it; the controller can look at it as a@d (VSphereCluster a/web) or b@d (VSphereCluster b/shop)",
		}},
		"one that needs no zone":   {domains + zone("zc", "c") + failureDomain("zc") + a, nil},
		"no failure domain to see": {zone("za", "a") + a, nil},
		"no accounts to see": {zone("za", "a") + vsphereCluster("a/web", byOwn+zonesA) + vsphereCluster("b/shop", byOwn), []string{
			"VSphereDeploymentZone za: VSphereCluster a/web selects it and works as secret a/own; the controller can also look at it as secret b/own (VSphereCluster b/shop), which may not see what VSphereFailureDomain za names",
		}},
	} {
		got := checked(t, "", c.dump)
		var have []string
		for _, f := range got.Findings {
			if f.Code == code {
				have = append(have, f.Subject+": "+f.Text)
			}
			if f.Code == "identity-missing" && strings.HasPrefix(f.Subject, "VSphereDeploymentZone") {
				t.Errorf("%s: %+v", name, f)
			}
		}
		if diff := cmp.Diff(c.want, have); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}

	got := checked(t, "", domains, zone("za", "a"), zone("zb", "b"), a, b)
	if diff := cmp.Diff([]identity.ZoneAccounts{
		{Name: "za", Server: "vc1.example.com", FailureDomain: "za", Clusters: []string{"a/web"}, Accounts: []string{"a@d", "b@d"}},
		{Name: "zb", Server: "vc1.example.com", FailureDomain: "zb", Clusters: []string{"b/shop"}, Accounts: []string{"a@d", "b@d"}},
	}, got.Zones); diff != "" {
		t.Error(diff)
	}
	if got := checked(t, "", failureDomain("other"), zone("za", "a"), a); !found(got, "missing", "refers to VSphereFailureDomain za, which does not exist") {
		t.Errorf("%+v", got.Findings)
	}
	// without a cluster that has an identity it is the controller's own account, which is in the dump or not
	if got := checked(t, "", zone("za", "a"), vsphereCluster("a/web", zonesA)); len(got.Zones[0].Accounts) != 0 {
		t.Errorf("%+v", got.Zones)
	}
}

// Where a cluster selects zones and the dump has none, that is said; where none selects any, nothing is.
func TestZonesThatAreNotInTheDump(t *testing.T) {
	t.Parallel()
	for dump, want := range map[string]bool{
		own("a/own", "a@d") + vsphereCluster("a/web", byOwn+zonesA): true,
		own("a/own", "a@d") + vsphereCluster("a/web", byOwn):        false,
	} {
		var d identity.Dump
		if err := d.Read("dump.yaml", []byte(dump)); err != nil {
			t.Fatal(err)
		}
		said := false
		for _, f := range identity.Check(d, "").Findings {
			said = said || f.Subject == "VSphereCluster a/web" && strings.Contains(f.Text, "the dump has no VSphereDeploymentZone")
		}
		if said != want {
			t.Errorf("%t, want %t", said, want)
		}
	}
}
