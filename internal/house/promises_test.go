package house_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// promised are the pages that may promise nothing without naming the test that keeps it.
var promised = []string{"README.md", "docs/*.md", "docs/lab/*.md", "deploy/README.md"}

// references promise in tables of their own, or name their tests in the text.
var references = map[string]bool{"provisioning-file.md": true, "seeds.md": true, "design.md": true, "rules.md": true}

// promising are words that hardly a sentence uses without promising something. Other promises name their tests, too;
// these have to.
var promising = regexp.MustCompile(`(?i)\b(never|always|nothing|nobody|nowhere|no passwords?|no secrets?|in no|on no|at (every|any) (moment|instant|time)|(no|without an) outage|not (change|touch|write|remove|affect)s? (what|any))\b`)

// A comment beside a sentence names what keeps it: tests and scripts, or where a fact about other software is from.
var (
	comment  = regexp.MustCompile(`<!-- (.*?) -->`)
	goTest   = regexp.MustCompile(`\b(?:[a-z]+\.)?(?:Test|Fuzz)[A-Z][A-Za-z0-9]+`)
	aScript  = regexp.MustCompile(`\b[a-z][a-z-]*[.]txtar\b`)
	aFact    = regexp.MustCompile(`^fact: \S`)
	inCode   = regexp.MustCompile("`[^`]*`")
	nextItem = regexp.MustCompile(`^\s*([-*]|\d+\.)\s`)
	sentence = regexp.MustCompile(`[.!?][)"*]*(?:\s*<!-- .*? -->)*\s+`)
)

// TestPromisesHaveTests holds every page to the tests that it names, and every promise of a guide to naming one: a
// promise whose test is gone, or that never had one, is none.
func TestPromisesHaveTests(t *testing.T) {
	t.Parallel()
	tests := testsByName(t)
	seen := 0
	for _, pattern := range promised {
		pages, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(pages) == 0 {
			t.Fatalf("no pages at %s: %v", pattern, err)
		}
		for _, path := range pages {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			page := strings.TrimPrefix(filepath.ToSlash(path), root+"/")
			reference := references[filepath.Base(path)]
			for _, name := range namesOfTests(string(text)) {
				seen++
				switch where := tests[name]; {
				case len(where) == 0:
					t.Errorf("%s names %s, which is no test", page, name)
				case len(where) > 1 && !reference:
					t.Errorf("%s names %s, which may be a test of %s: put the package before it", page, name, strings.Join(where, " or "))
				}
			}
			if reference {
				continue
			}
			for _, p := range unkept(string(text)) {
				t.Errorf("%s:%s", page, p)
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d names of tests were found: are they still read?", seen)
	}
}

// testsByName are the functions that run as tests or fuzz targets, those of kubetest and promtest too, and the scripts, with the directories
// that have one of that name. Functions are there under their plain name and with the directory before it.
func testsByName(t *testing.T) map[string][]string {
	t.Helper()
	var paths []string
	for _, module := range []string{"kubetest", "promtest"} { // of their own
		tests, err := filepath.Glob(filepath.Join(root, module, "*_test.go"))
		if err != nil || len(tests) == 0 {
			t.Fatalf("no tests of %s: %v", module, err)
		}
		paths = append(paths, tests...)
	}
	for _, s := range sources(t) {
		if s.test() {
			paths = append(paths, filepath.Join(root, s.path))
		}
	}
	names := map[string][]string{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(\w+ \*testing\.[TF]\)`)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Base(filepath.Dir(path))
		for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
			names[m[1]] = append(names[m[1]], dir)
			names[dir+"."+m[1]] = append(names[dir+"."+m[1]], dir)
		}
	}
	scripts, err := filepath.Glob(filepath.Join(root, "vcsim-tests", "testdata", "script", "*.txtar"))
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, path := range scripts {
		names[filepath.Base(path)] = []string{"vcsim-tests"}
	}
	return names
}

// namesOfTests are the tests and scripts that a page names, in comments or in its text.
func namesOfTests(page string) []string {
	return append(goTest.FindAllString(page, -1), aScript.FindAllString(page, -1)...)
}

// unkept are the sentences of a page that promise and name nothing, as "line: sentence", and the comments that tear a
// paragraph in two because a line begins with them.
func unkept(page string) (found []string) {
	for _, b := range blocks(page) {
		for _, s := range sentences(b.text + "\n") {
			said := strings.Join(strings.Fields(comment.ReplaceAllString(s, "")), " ")
			named := false
			for _, c := range comment.FindAllStringSubmatch(s, -1) {
				named = named || len(namesOfTests(c[1])) > 0 || aFact.MatchString(c[1])
			}
			if word := promising.FindString(inCode.ReplaceAllString(said, "")); word != "" && !named {
				found = append(found, fmt.Sprintf("%d: %q promises, and no comment beside it names a test: %s", b.line, word, said))
			}
		}
		for i, l := range strings.Split(b.text, "\n") {
			if i > 0 && strings.HasPrefix(strings.TrimSpace(l), "<!--") {
				found = append(found, fmt.Sprintf("%d: a line begins with a comment, which ends the paragraph there", b.line+i))
			}
		}
	}
	return found
}

// block is a paragraph, an item of a list or a cell of a table.
type block struct {
	line int // from 1
	text string
}

// blocks leaves out headings and what is between fences.
func blocks(page string) (all []block) {
	fenced, open := false, false
	for i, line := range strings.Split(page, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```"):
			fenced, open = !fenced, false
		case fenced:
		case trimmed == "" || strings.HasPrefix(line, "#"):
			open = false
		case strings.HasPrefix(trimmed, "|"):
			for _, cell := range strings.Split(trimmed, "|") {
				all = append(all, block{i + 1, cell})
			}
			open = false
		case open && !nextItem.MatchString(line):
			all[len(all)-1].text += "\n" + line
		default:
			all, open = append(all, block{i + 1, line}), true
		}
	}
	return all
}

// sentences cuts behind each end of a sentence and the comments that follow it.
func sentences(text string) (all []string) {
	for {
		end := sentence.FindStringIndex(text)
		if end == nil {
			return append(all, text)
		}
		all, text = append(all, text[:end[1]]), text[end[1]:]
	}
}

// A page that promises too much has to be found: the reader itself is held to a few cases.
func TestPromisesAreFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		page  string
		found int
	}{
		{"It never fails.", 1},
		{"It never fails. <!-- TestLaw -->", 0},
		{"It never fails <!-- TestLaw -->.", 0},
		{"It fails. <!-- TestLaw --> It never stops.", 1},
		{"It never fails. It stops. <!-- TestLaw -->", 1},
		{"It never fails. <!-- see below -->", 1},
		{"It never fails. <!-- law.txtar -->\nIt\nstops.", 0},
		{"The vCenter never asks. <!-- fact: VMware KB -->", 0},
		{"| a | never b | c <!-- TestLaw --> |", 1},
		{"| a | never b <!-- TestLaw --> | c |", 0},
		{"- it writes nothing\n- it reads <!-- TestLaw -->", 1},
		{"```console\nnothing to change\n```\n# What is never stored\nprints `nothing to do`.", 0},
		{"At every\ninstant.", 1},
		{"It never fails.\n<!-- TestLaw -->\nIt stops.", 1},
	} {
		if found := unkept(c.page); len(found) != c.found {
			t.Errorf("%q: %d found, not %d: %q", c.page, len(found), c.found, found)
		}
	}
}
