package house_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPromisesHaveTests holds docs/security.md to the tests that it names: a promise whose test is gone is none.
func TestPromisesHaveTests(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	for _, s := range sources(t) {
		if s.test() {
			text, err := os.ReadFile(filepath.Join(root, s.path))
			if err != nil {
				t.Fatal(err)
			}
			tests.Write(text)
		}
	}
	named := regexp.MustCompile("`(Test[A-Za-z0-9]+)`").FindAllStringSubmatch(string(page), -1)
	if len(named) == 0 {
		t.Fatal("the page names no test")
	}
	for _, n := range named {
		if !strings.Contains(tests.String(), "\nfunc "+n[1]+"(t *testing.T)") {
			t.Errorf("docs/security.md names %s, which is no test", n[1])
		}
	}
	for _, n := range regexp.MustCompile("`([a-z-]+)[.]txtar`").FindAllStringSubmatch(string(page), -1) {
		if _, err := os.Stat(filepath.Join(root, "vcsim-tests", "testdata", "script", n[1]+".txtar")); err != nil {
			t.Errorf("docs/security.md names a script that is not there: %v", err)
		}
	}
}
