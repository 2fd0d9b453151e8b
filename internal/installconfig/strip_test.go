package installconfig

import (
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
)

// What Accounts leaves out must not be lost when the rest is taken out.
func TestStripRefusesHalfAnAccount(t *testing.T) {
	t.Parallel()
	const head = "platform:\n  vsphere:\n    vcenters:\n    - server: vc\n      user: a@b\n      password: c\n      componentCredentials:\n        machineAPI:\n"
	for _, half := range []string{"          user: m@b\n", "          password: lonely\n"} {
		text, _, err := parsed(t, head+half).Strip()
		if err == nil || text != nil || !strings.Contains(err.Error(), ":8: platform.vsphere.vcenters[0].componentCredentials.machineAPI: is half an account") ||
			strings.Contains(err.Error(), "lonely") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, _, err := parsed(t, head+"          user: m@b\n          password: p\n").Strip(); err != nil {
		t.Error(err)
	}
}

func TestRenderSaysWhatCredentialsModeDoes(t *testing.T) {
	t.Parallel()
	config := parsed(t, "credentialsMode: Manual\nplatform:\n  vsphere:\n    vcenters:\n    - server: vc\n      user: a@b\n      password: c\n")
	for _, form := range []Form{KubeSystem, Passthrough} {
		_, warnings, err := config.Render(form, openshift.Accounts{})
		if all := strings.Join(warnings, "\n"); err != nil || !strings.Contains(all, "credentialsMode: Manual: installers of releases refuse it") {
			t.Errorf("%s: %v, %s", form, err, all)
		}
	}
}
