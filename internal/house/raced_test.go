package house_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestRacedTestsAreThere: make race runs the tests that tools/raced.txt names, and make rest leaves just those out. So each is there,
// and has nothing that -short, with which make race runs them, would leave out or draw less of, unless make long runs it whole.
// What make long runs is in provision alone, because make rest leaves such names out in other packages too.
func TestRacedTestsAreThere(t *testing.T) {
	t.Parallel()
	long := regexp.MustCompile(`(?m)^LONGTESTS := (.*)\$$`).FindStringSubmatch(text(t, "Makefile"))
	if long == nil {
		t.Fatal("the Makefile has no LONGTESTS")
	}
	whole := regexp.MustCompile(long[1])
	listed := strings.Fields(text(t, "tools/raced.txt"))
	if len(listed) == 0 || !slices.IsSorted(listed) {
		t.Error("tools/raced.txt: names tests, one a line, sorted")
	}
	bodies := map[string]string{}
	test := regexp.MustCompile(`(?ms)^func (Test[A-Z]\w*)\(t .*?^}$`) //nolint:gocritic // (?m): a line begins there
	for _, s := range sources(t) {
		if s.test() && !strings.HasPrefix(s.path, "vcsim-tests/") {
			for _, m := range test.FindAllSubmatch(s.text, -1) {
				if bodies[string(m[1])] != "" && slices.Contains(listed, string(m[1])) {
					t.Errorf("tools/raced.txt names %s, which two packages have: make race would run no other test of %s", m[1], s.room())
				}
				bodies[string(m[1])] += string(m[0])
				if whole.Match(m[1]) && s.room() != "internal/provision" {
					t.Errorf("%s: make rest leaves %s out, and make long runs the one in provision", s.path, m[1])
				}
			}
		}
	}
	for _, name := range listed {
		switch body := bodies[name]; {
		case body == "":
			t.Errorf("tools/raced.txt names %s, which is no test: write its new name there, or take it out", name)
		case regexp.MustCompile(`\b(notShort|rapid\.Check|testing\.Short)\(`).MatchString(body) && !whole.MatchString(name):
			t.Errorf("tools/raced.txt names %s, of which -short leaves something out: take it out", name)
		}
	}
}
