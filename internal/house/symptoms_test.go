package house_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// foreignSymptoms are texts of the index that the system says and no source of ours holds.
var foreignSymptoms = map[string]bool{"no such host": true, "connection refused": true}

// TestSymptomsAreSaid holds the messages that troubleshooting.md lists under "you see" and "it says" to those that the
// sources hold: somebody who looks for what they read on the screen has to find it. Parts between ... count, each for itself.
func TestSymptomsAreSaid(t *testing.T) {
	t.Parallel()
	var said strings.Builder
	for _, s := range sources(t) {
		if s.test() || !strings.HasPrefix(s.path, "internal/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, s.path))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(text), "\n") {
			if !strings.HasPrefix(strings.TrimSpace(line), "//") {
				said.WriteString(line + "\n")
			}
		}
	}
	pages, err := filepath.Glob(filepath.Join(root, "internal", "*", "*", "*.tmpl"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("no templates: %v", err)
	}
	for _, path := range pages {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		said.Write(text)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "troubleshooting.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := symptoms(string(page))
	if len(all) < 20 {
		t.Errorf("only %d symptoms were found: is the page still read?", len(all))
	}
	for _, s := range all {
		for _, part := range strings.Split(s, "...") {
			if part = strings.Trim(part, " "); !foreignSymptoms[part] && !strings.Contains(said.String(), part) {
				t.Errorf("%q: no message holds %q", s, part)
			}
		}
	}
}

// symptoms are what stands in backticks in the first column of the tables of messages, and has a blank: one word may be
// a command or a file.
func symptoms(page string) (all []string) {
	messages := false
	for _, line := range strings.Split(page, "\n") {
		cells := strings.Split(line, "|")
		switch {
		case len(cells) < 3:
			messages = false
		case strings.TrimSpace(cells[1]) == "you see", strings.TrimSpace(cells[1]) == "it says":
			messages = true
		case messages:
			for i, quoted := range strings.Split(cells[1], "`") {
				if i%2 == 1 && strings.Contains(quoted, " ") {
					all = append(all, quoted)
				}
			}
		}
	}
	return all
}
