package openshift

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// The secret of a move has the accounts that install, for the vCenters that are named and with the keys that the operator looks for.
func TestMigrationSecret(t *testing.T) {
	t.Parallel()
	account := func(user string) map[component.Name]credfile.Account {
		return map[component.Name]credfile.Account{component.Installer: {User: user, Password: secret.New("pw-" + user)}, component.MachineAPI: {User: "m", Password: secret.New("x")}}
	}
	a := Accounts{"vc1": account("old@d"), "vc2": account("new@d"), "vc 3": account("odd@d"), "vc4": {}}
	at := component.At("openshift-vcf-migration", "target")
	m, err := MigrationSecret().Manifest(at, []string{"vc2"}, a, component.Installer)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string][]byte{"vc2.username": []byte("new@d"), "vc2.password": []byte("pw-new@d")}, m.Secret.Data); diff != "" || m.Secret.Name != "target" || m.Secret.Namespace != "openshift-vcf-migration" {
		t.Errorf("%s%s/%s", diff, m.Secret.Namespace, m.Secret.Name)
	}
	if _, err := MigrationSecret().Manifest(at, []string{"vc2", "vc4"}, a, component.Installer); !errors.Is(err, ErrNoAccount) {
		t.Errorf("%v", err)
	}
	if _, err := MigrationSecret().Manifest(at, []string{"vc 3"}, a, component.Installer); err == nil || strings.Contains(err.Error(), "pw-") {
		t.Errorf("a name that is no key: %v", err)
	}
}
