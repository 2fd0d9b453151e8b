package installconfig

import (
	"encoding/binary"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/openshift"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
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
	for _, form := range []AccountFormat{KubeSystem, Passthrough} {
		_, warnings, err := config.Render(form, openshift.Accounts{})
		if all := strings.Join(warnings, "\n"); err != nil || !strings.Contains(all, "credentialsMode: Manual: released installers refuse it") {
			t.Errorf("%s: %v, %s", form, err, all)
		}
	}
}

func TestUTF16IsNotEdited(t *testing.T) {
	t.Parallel()
	text := []byte("\xff\xfe")
	for _, unit := range utf16.Encode([]rune("platform:\n  vsphere:\n    vcenters:\n    - server: vc\n      user: a@b\n      password: c\n")) {
		text = binary.LittleEndian.AppendUint16(text, unit)
	}
	if _, _, err := parsed(t, string(text)).Render(Passthrough, openshift.Accounts{"vc": {"installer": {User: "x@y", Password: secret.New("p")}}}); err == nil ||
		!strings.Contains(err.Error(), "is UTF-16: save it as UTF-8") {
		t.Error(err)
	}
}
