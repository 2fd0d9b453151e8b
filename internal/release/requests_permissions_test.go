package release

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/objectstest"
)

// with puts lines below spec.providerSpec of a request.
func with(request string, lines ...string) string {
	return request + strings.Join(lines, "\n") + "\n"
}

func TestPermissionsOfARequest(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text             string
		privileges, want []string
	}{
		"none":       {objectstest.MapiRequest(), nil, nil},
		"no groups":  {with(objectstest.MapiRequest(), "    permissions: []"), nil, nil},
		"two groups": {with(objectstest.MapiRequest(), "    permissions:", "    - privileges: [VirtualMachine.Inventory.Create, Datastore.Browse]", "    - privileges: [Datastore.Browse]"), []string{"Datastore.Browse", "VirtualMachine.Inventory.Create"}, nil},
		"accounts":   {with(objectstest.MapiRequest(), "  serviceAccountNames: [machine-api-controllers, b, b]"), nil, []string{"b", "machine-api-controllers"}},
	} {
		r, err := ReadRequests(objectstest.Release(t, map[string]string{"a.yaml": tt.text}), false)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(tt.privileges, r.List[0].Privileges); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(tt.want, r.List[0].ServiceAccounts); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestPermissionsAreChecked(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, want string }{
		"a misspelt field":         {with(objectstest.MapiRequest(), "    permissions:", "    - privilege: [Datastore.Browse]"), "a.yaml:17: CredentialsRequest openshift-machine-api-vsphere: spec.providerSpec.permissions has the unknown field privilege"},
		"a later field":            {with(objectstest.MapiRequest(), "    permissions:", "    - privileges: [Datastore.Browse]", "      entities: [x]"), "a.yaml:18: CredentialsRequest openshift-machine-api-vsphere: spec.providerSpec.permissions has the unknown field entities"},
		"an empty group":           {with(objectstest.MapiRequest(), "    permissions:", "    - privileges: []"), "a.yaml:17: CredentialsRequest openshift-machine-api-vsphere: a group of spec.providerSpec.permissions has no privileges"},
		"no list":                  {with(objectstest.MapiRequest(), "    permissions: Datastore.Browse"), "a.yaml:16: spec.providerSpec.permissions: must be a list"},
		"no text":                  {with(objectstest.MapiRequest(), "    permissions:", "    - privileges: [[x]]"), "a.yaml:17: spec.providerSpec.permissions[0].privileges[0]: must be text"},
		"no id":                    {with(objectstest.MapiRequest(), "    permissions:", "    - privileges:", "      - Data store"), `a.yaml:18: CredentialsRequest openshift-machine-api-vsphere: privilege "Data store" has the character ' '`},
		"no account":               {with(objectstest.MapiRequest(), "  serviceAccountNames: [../x]"), `a.yaml:16: CredentialsRequest openshift-machine-api-vsphere: "../x" of spec.serviceAccountNames is not a valid name`},
		"twice, other permissions": {objectstest.MapiRequest() + with(objectstest.MapiRequest(), "    permissions: [{privileges: [A.B]}]"), "a.yaml:17: CredentialsRequest openshift-machine-api-vsphere is in "},
	} {
		_, err := ReadRequests(objectstest.Release(t, map[string]string{"a.yaml": tt.text}), false)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
}
