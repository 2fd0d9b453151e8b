package provision

import (
	"os"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/decision"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/perms"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/plan"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/roles"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/snapshot"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/spec"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/sso"
)

// A placeholder is no password: an account that is created gets one of its own, which takes the placeholder's place.
func TestApplyFillsPlaceholders(t *testing.T) {
	t.Parallel()
	const wanted = `{apiVersion: ocp-vsphere-admin/v1, kind: Provisioning, cluster: c1, components: {diagnostics: {}}, vcenters: [{server: vc1}]}`
	s, err := spec.Parse("handmade", []byte(wanted))
	if err != nil {
		t.Fatal(err)
	}
	name := s.Account(component.Diagnostics).Name
	path := t.TempDir() + "/credentials"
	const head = "# kept\n[vc1]\n"
	if err := os.WriteFile(path, []byte(head+"diagnostics.user = "+name+"@vsphere.local\ndiagnostics.password = REPLACE_WITH_DIAGNOSTICS_PASSWORD\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := credfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	q := snapshot.NewRequest(Request{Spec: s, Credentials: file, Only: plan.User})
	vc := &snapshot.Snapshot{
		Request: q, VCenter: s.VCenters[0], Domain: &snapshot.Domain{Key: "sso", Peers: 1}, Perms: perms.Of("vc1", nil, func(string, bool) string { return "" }),
		SSO: &sso.State{Names: sso.Names{Domain: "vsphere.local"}, Users: map[string]sso.User{}, Policy: sso.Policy{MinLength: 8, MaxLength: 20}},
	}
	vc.Roles = roles.Of("vc1", nil, nil)
	dec := decision.SnapshotsOf(q, []*snapshot.Snapshot{vc}).Decide((*decision.Decision).Change)
	if err := dec.Plans[0].Err; err != nil {
		t.Fatal(err)
	}
	if err := (&execution{decision: dec}).savePasswords(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	a, _ := file.Get("vc1", component.Diagnostics)
	if err != nil || a.Password.Empty() || strings.Contains(string(text), "REPLACE") || !strings.HasPrefix(string(text), head) {
		t.Errorf("%v, user %s, %d lines", err, a.User, strings.Count(string(text), "\n"))
	}
	if len(a.Password.Reveal()) < 8 {
		t.Error("the password is not one that the policy takes")
	}
}
