package secrets

import (
	"slices"
	"testing"
)

func TestAssignCompletes(t *testing.T) {
	t.Parallel()
	r := requestsFlags{Dir: t.TempDir()}
	if words, _ := r.complete("x"); words != nil {
		t.Errorf("%q", words)
	}
	if words, _ := r.complete("x="); !slices.Contains(words, "x=machine-api") || !slices.Contains(words, "x=none") {
		t.Errorf("%q", words)
	}
}
