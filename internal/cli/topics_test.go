package cli

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/clitest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/frame"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// The topic of exit codes names every command that ends with 2.
func TestExitCodesNameWhoEndsWith2(t *testing.T) {
	t.Parallel()
	named := map[string]string{ // what returns the code, as the topic has it
		"verify/verify.go": "verify,", "doctor/doctor.go": "doctor,", "reconcile/status.go": "reconcile status,", "privileges/lint.go": "privileges lint,",
		"roles/diff.go": "every diff,", "privileges/diff.go": "every diff,", "secrets/diff.go": "every diff,", "spec/diff.go": "every diff,",
		"identity/check.go": "check,", "permissions/check.go": "check,", "secrets/explain.go": "explain,", "credentials/validate.go": "validate ", "credentials/resolve.go": " resolve;",
		"many/show.go": "verify,", "plan/plan.go": "with --exit-code also plan,", "report/report.go": "also plan, report,", "rotate/status.go": "rotate status,", "job/change.go": "--dry-run", "users/list.go": "users list --expiring-within",
	}
	_, topic, _ := program.Run(t, termtest.NewFake(), "help", "exit-codes")
	_, topic, _ = strings.Cut(topic, "  2    ")
	topic, _, _ = strings.Cut(topic, "  3    ")
	topic = strings.Join(strings.Fields(topic), " ")
	files := sources(t)
	found := 0
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(path, "_test.go") || !strings.Contains(string(text), "return command.Exit(command.ExitDifferent)") {
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

// The topic of exit codes names what stands in the document of a command that failed, and what every document may end with.
func TestExitCodesDescribeDocumentsOfFailures(t *testing.T) {
	t.Parallel()
	fake := termtest.NewFake()
	fake.Keep()
	fake.Command("then:", "oc x")
	errs := []term.ErrorLine{{Text: "a", Hints: []string{"b"}}}
	if err := fake.Deliver(term.FormatJSON, frame.Failure, errs); err != nil {
		t.Fatal(err)
	}
	doc := clitest.Document(t, "Failure", fake.Stdout.String())
	_, topic, _ := program.Run(t, termtest.NewFake(), "help", "exit-codes")
	topic = strings.Join(strings.Fields(topic), " ")
	words := []string{"kind Failure"}
	for name, value := range doc {
		words = append(words, name)
		if list, ok := value.([]any); ok {
			words = append(words, slices.Collect(maps.Keys(list[0].(map[string]any)))...)
		}
	}
	for _, word := range words {
		if !regexp.MustCompile(`\b` + word + `\b`).MatchString(topic) {
			t.Errorf("%s is not described: %s", word, topic)
		}
	}
}
