package spec

import (
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// two names accounts for its two vCenters, of which only that of machine-api is the same on both.
func two(t *testing.T) *Spec {
	t.Helper()
	s, err := FromServers([]string{"vc1", "vc2"})
	if err != nil {
		t.Fatal(err)
	}
	s.Cluster = "c1"
	s.NameAccounts(map[string]map[component.Name]string{
		"vc1": {component.MachineAPI: "machine@vsphere.local", component.CSIDriver: "csi", component.Diagnostics: "ocp-c1-diagnostics-2@vsphere.local"},
		"vc2": {component.MachineAPI: "Machine@vsphere.local", component.CSIDriver: `CORP\csi`},
	})
	return s
}

// A vCenter's own account goes before that of the components; what a user is, the vCenter tells.
func TestAccountsOfAVCenter(t *testing.T) {
	t.Parallel()
	s := two(t)
	const none = "" // as accounts.username says
	for _, c := range []struct {
		name      string
		of        *Spec
		component component.Name
		principal string
		account   string // of the first generation, where it may be ours
		ours      bool
	}{
		{"the same everywhere", s, component.MachineAPI, "machine@vsphere.local", "machine", false},
		{"another on each", s, component.CSIDriver, none, "ocp-c1-csi-driver", true},
		{"on one alone", s, component.Diagnostics, none, "ocp-c1-diagnostics", true},
		{"on the first", s.At("vc1"), component.CSIDriver, "csi", "csi", false},
		{"on the second", s.At("vc2"), component.CSIDriver, `CORP\csi`, "csi", false},
		{"not named", s.At("vc2"), component.Diagnostics, none, "ocp-c1-diagnostics", true},
		{"a generation of the usual name", s.At("vc1"), component.Diagnostics, "ocp-c1-diagnostics-2@vsphere.local", "ocp-c1-diagnostics", false},
		{"ours", s.Settle("vc1", ours(s, 0)), component.MachineAPI, none, "machine", true},
		{"ours without a domain", s.Settle("vc1", ours(s, 0)), component.CSIDriver, none, "csi", true},
		{"theirs", s.Settle("vc2", map[component.Name]Settled{component.CSIDriver: {Principal: `CORP\csi`}}), component.CSIDriver, `CORP\csi`, "ocp-c1-csi-driver", false},
		{"unfit", s.Settle("vc2", nil), component.MachineAPI, none, "ocp-c1-machine-api", true},
	} {
		a := c.of.Account(c.component)
		if a.Principal != c.principal || a.Name != c.account || a.Ours() != c.ours {
			t.Errorf("%s: %s, %s, ours %t; want %s, %s, %t", c.name, a.Principal, a.Name, a.Ours(), c.principal, c.account, c.ours)
		}
	}
}

// ours has all users of a vCenter be ours to create.
func ours(s *Spec, vc int) map[component.Name]Settled {
	all := map[component.Name]Settled{}
	for c, user := range s.Whole().VCenters[vc].Accounts {
		all[c] = Settled{Principal: user, Ours: true}
	}
	return all
}

// A rotation replaces an account that may be ours by the next generation of it, in the same domain.
func TestGenerationsOfANamedAccount(t *testing.T) {
	t.Parallel()
	a := two(t).Account(component.MachineAPI)
	for user, may := range map[string]bool{
		"machine@vsphere.local": true, "MACHINE-2@vsphere.local": true, "machine-2@corp.example.com": false, "machine-02@vsphere.local": false,
		"ocp-c1-machine-api@vsphere.local": false, "csi@vsphere.local": false,
	} {
		if a.MayBe(user) != may {
			t.Errorf("%s may be %s: %t", user, a.Principal, !may)
		}
	}
}

// A specification that names no account for a single vCenter is the same for all, and what Narrow left out is settled too.
func TestAtOfOthers(t *testing.T) {
	t.Parallel()
	plain, err := FromServers([]string{"vc1"})
	if err != nil || plain.At("vc1") != plain {
		t.Errorf("another specification, %v", err)
	}
	s := two(t)
	if err := s.Narrow([]string{"vc1"}, []string{"csi-driver"}); err != nil {
		t.Fatal(err)
	}
	if a := s.Settle("vc1", ours(s, 0)).Whole().Account(component.MachineAPI); !a.Ours() || a.Name != "machine" {
		t.Errorf("%+v", a)
	}
}
