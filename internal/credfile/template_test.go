package credfile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// A template is what Compose writes, but for the passwords; filled in between the backticks, it reads back.
func TestTemplate(t *testing.T) {
	t.Parallel()
	blanks := []Blank{
		{"vc1.example.com", component.MachineAPI, "a@vsphere.local"},
		{"vc1.example.com", component.Installer, `CORP\b`},
		{"vc2.example.com", component.CSIDriver, ""},
	}
	got, err := Template(blanks)
	want := "[vc1.example.com]\nmachine-api.user = a@vsphere.local\nmachine-api.password = `...`\nuser = CORP\\b\npassword = `...`\n" +
		"\n[vc2.example.com]\ncsi-driver.user = `...`\ncsi-driver.password = `...`\n"
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Fatalf("%v\n%s", err, diff)
	}

	const password = `p#w; "x" \ 'y'`
	accounts := map[string]map[component.Name]Account{}
	for _, b := range blanks[:2] {
		if accounts[b.Server] == nil {
			accounts[b.Server] = map[component.Name]Account{}
		}
		accounts[b.Server][b.Component] = Account{User: b.User, Password: secret.New("...")}
	}
	composed, err := Compose(accounts)
	if err != nil {
		t.Fatal(err)
	}
	same, err := Template(blanks[:2])
	if diff := cmp.Diff(string(composed), strings.ReplaceAll(same, "`...`", "...")); diff != "" || err != nil {
		t.Errorf("%v, Compose writes otherwise:\n%s", err, diff)
	}
	file, err := parse(strings.ReplaceAll(same, "...", password))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"machine-api.password", "password"} {
		if got := file.Section("vc1.example.com").Key(key).Value(); got != password {
			t.Errorf("%s reads back as %q", key, got)
		}
	}
}
