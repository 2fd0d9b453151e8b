package provision

import (
	"os"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/credfile"
)

// A placeholder is no password: an account that is created gets one of its own, which takes the placeholder's place.
func TestApplyFillsPlaceholders(t *testing.T) {
	t.Parallel()
	q, found := values(t)
	name := q.Spec.Account(component.Diagnostics).Name
	path := q.Credentials.Path()
	const head = "# kept\n[vc1]\n"
	if err := os.WriteFile(path, []byte(head+"diagnostics.user = "+name+"@vsphere.local\ndiagnostics.password = REPLACE_WITH_DIAGNOSTICS_PASSWORD\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := credfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	q.Credentials = file
	if err := (&execution{decision: removing(q, found).decide((*decision).change)}).savePasswords(); err != nil {
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
