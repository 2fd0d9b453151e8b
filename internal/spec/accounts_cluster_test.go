package spec

import (
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

func TestClusterOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ template, user, want string }{
		{"ocp-{cluster}-{component}", "ocp-prod9-machine-api@vsphere.local", "prod9"},
		{"ocp-{cluster}-{component}", `VSPHERE.LOCAL\ocp-prod9-csi-driver-3`, "prod9"},
		{"ocp-{cluster}-{component}", "ocp-a-b-installer@d", "a-b"},
		{"ocp-{cluster}-{component}", "ocp-prod9-somebody@d", ""},
		{"ocp-{cluster}-{component}", "administrator@vsphere.local", ""},
		{"{component}.{cluster}.{generation}", "diagnostics.prod9.12@d", "prod9"},
		{"{component}.{cluster}.{generation}", "diagnostics.prod9@d", ""},
		{"ocp-{component}", "ocp-machine-api@d", ""},
	} {
		s := &Spec{Cluster: "c"}
		s.Accounts.Username = tt.template
		if got := s.ClusterOf(tt.user); got != tt.want {
			t.Errorf("%s of %s: %q, want %q", tt.user, tt.template, got, tt.want)
		}
		if got := s.AnotherCluster(component.Installer, tt.user); got != tt.want {
			t.Errorf("%s of %s is of %q, want %q", tt.user, tt.template, got, tt.want)
		}
		s.Cluster = tt.want
		if got := s.AnotherCluster(component.Installer, tt.user); got != "" {
			t.Errorf("%s of %s is of another cluster than its own: %q", tt.user, tt.template, got)
		}
	}
}
