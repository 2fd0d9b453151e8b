package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// The topic of exit codes names every command that ends with 2.
func TestExitCodesNameWhoEndsWith2(t *testing.T) {
	t.Parallel()
	named := map[string]string{ // what returns the code, as the topic has it
		"verify.go": "verify,", "doctor.go": "doctor,", "contract.go": "contract,", "reconcile_status.go": "reconcile status,", "privileges_lint.go": "privileges lint,",
		"roles_diff.go": "every diff,", "privileges_diff.go": "every diff,", "secrets_diff.go": "every diff,",
		"identity_check.go": "check,", "permissions_check.go": "check,", "secrets_explain.go": "explain,", "credentials_validate.go": "validate ", "credentials_resolve.go": " resolve;",
		"plan.go": "with --exit-code also plan,", "rotate_status.go": "rotate status,", "change.go": "--dry-run", "users_list.go": "users list --expiring-within",
	}
	_, topic, _ := runWords(t, term.NewFake(), "help", "exit-codes")
	_, topic, _ = strings.Cut(topic, "  2    ")
	topic, _, _ = strings.Cut(topic, "  3    ")
	topic = strings.Join(strings.Fields(topic), " ")
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(path, "_test.go") || !strings.Contains(string(text), "return exit(ExitDifferent)") {
			continue
		}
		found++
		if words := named[path]; words == "" || !strings.Contains(topic, words) {
			t.Errorf("%s ends with 2, which the topic does not say: %s", path, topic)
		}
	}
	if found != len(named) {
		t.Errorf("%d files end with 2, %d are named", found, len(named))
	}
}
