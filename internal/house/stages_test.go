package house_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestStagesHaveBudgets: tools/stages.sh reads the budgets from CONTRIBUTING.md, so a row for each stage of the Makefile has to be
// there, and none for another.
func TestStagesHaveBudgets(t *testing.T) {
	t.Parallel()
	var stages, rows []string
	for _, m := range regexp.MustCompile(`(?m)^[A-Z]+STAGES +:= (.*)$`).FindAllStringSubmatch(text(t, "Makefile"), -1) {
		stages = append(stages, strings.Fields(m[1])...)
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z-]+)` \\| [0-9]+:[0-5][0-9] \\|").FindAllStringSubmatch(text(t, "CONTRIBUTING.md"), -1) {
		rows = append(rows, m[1])
	}
	slices.Sort(stages)
	stages = slices.Compact(stages)
	slices.Sort(rows)
	if len(stages) == 0 || !slices.Equal(stages, rows) {
		t.Errorf("the Makefile has the stages %q, CONTRIBUTING.md budgets for %q", stages, rows)
	}
}

func text(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
