package installconfig

import (
	"slices"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

func TestProfilesHaveAForm(t *testing.T) {
	t.Parallel()
	for _, p := range openshift.Profiles() {
		if p.Homes == nil && !slices.Contains(Forms(), AccountFormat(p.Form)) {
			t.Errorf("profile %s: an install-config has no form %q", p.Name, p.Form)
		}
	}
}
