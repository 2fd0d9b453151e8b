package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	markdownLink  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	markdownFence = regexp.MustCompile("(?s)\n```.*?\n```\n")
	inlineCode    = regexp.MustCompile("`[^`\n]*`")
	headingSigns  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// Every link of the documents and the README leads to a file that is there, and to a heading that it has.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	const root = "../.."
	pages := map[string]string{}
	for _, from := range []string{"README.md", "CONTRIBUTING.md", "docs", "deploy"} {
		err := filepath.WalkDir(filepath.Join(root, from), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
				return err
			}
			text, err := os.ReadFile(path)
			pages[path] = string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range pages {
		text = inlineCode.ReplaceAllString(markdownFence.ReplaceAllString(text, "\n"), "")
		for _, m := range markdownLink.FindAllStringSubmatch(text, -1) {
			target, heading, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			to := path
			if target != "" {
				to = filepath.Join(filepath.Dir(path), filepath.FromSlash(target))
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s, which is not there", path, m[1])
			} else if page, known := pages[to]; heading != "" && known && !headings(page)[heading] {
				t.Errorf("%s links to %s, which has no such heading", path, m[1])
			}
		}
	}
}

// headings are the anchors that GitHub makes of a page's headings.
func headings(page string) map[string]bool {
	anchors := map[string]bool{}
	for line := range strings.Lines(markdownFence.ReplaceAllString(page, "\n")) {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			title = headingSigns.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
			anchors[strings.ReplaceAll(title, " ", "-")] = true
		}
	}
	return anchors
}
