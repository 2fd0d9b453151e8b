package vcsimtests

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestGuides follows the README and every guide in docs command by command, on simulated vCenters, as a newcomer would: what is printed
// has to be what the guide says. In a block marked console a line that begins with "$ " is a command of bash (a
// backslash at its end continues it) and the lines below are what it prints, on both streams. A line of nothing but ... stands for any lines,
// ... within a line for any text; columns of tables may be narrower. A command that fails is followed by "$ echo $?". `vcenter-lab serve` runs
// until the end of the guide. A comment <!-- file: NAME --> above a block writes the block to that file.
//
// Take over new output, with what differs from run to run replaced: go test ./vcsim-tests -run TestGuides -update
func TestGuides(t *testing.T) {
	if testing.Short() {
		t.Skip("the commands of the scripts once more")
	}
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("the guides' commands are for bash on Unix")
	}
	files, err := filepath.Glob("../docs/*.md")
	more, moreErr := filepath.Glob("../docs/lab/*.md")
	if err != nil || moreErr != nil || len(files) == 0 || len(more) == 0 {
		t.Fatalf("no guides: %v", err)
	}
	for _, path := range slices.Concat(files, more, []string{"../README.md"}) {
		name, _ := filepath.Rel("..", path)
		t.Run(strings.TrimSuffix(name, ".md"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			steps, err := guideSteps(string(text))
			if err != nil {
				t.Fatal(err)
			}
			sh := newGuideShell(t, bash)
			if strings.Contains(string(text), "$ age-keygen ") {
				dir, err := age()
				if err != nil {
					t.Skip(err)
				}
				sh.onPath(t, dir)
			}
			followGuide(t, sh, path, steps)
			if *update {
				if err := os.WriteFile(path, []byte(rewritten(string(text), steps)), 0o644); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// followGuide runs the steps in order and stops at the first that goes wrong: those behind it build on it.
func followGuide(t *testing.T, sh *guideShell, path string, steps []*guideStep) {
	t.Helper()
	for i, s := range steps {
		if s.file != "" {
			sh.write(t, s.file, s.want)
			continue
		}
		out, code := sh.run(t, s.command)
		s.got = settle(out, sh.dir)
		asked := i+1 < len(steps) && steps[i+1].command == "echo $?"
		switch {
		case code != 0 && !asked:
			t.Fatalf("%s:%d: $ %s\nexit code %d, and the guide does not say so:\n%s", path, s.line, s.command, code, out)
		case !*update && !matches(s.want, out):
			at, text := disagreement(s.want, out)
			t.Fatalf("%s:%d: $ %s\nthis line of the guide is not printed here:\n%s\nbut this is:\n%s",
				path, s.first+at+1, s.command, text, strings.Join(s.got, "\n"))
		}
	}
}

// guideStep is a command with what it prints, or a file to write.
type guideStep struct {
	line    int    // of the command, from 1
	command string // for bash
	want    []string
	first   int // line of want[0], from 0
	file    string

	got []string
}

var fileComment = regexp.MustCompile(`^<!-- file: (\S+) -->$`)

func guideSteps(text string) ([]*guideStep, error) {
	var steps []*guideStep
	var step *guideStep
	fence, file := "", ""
	for i, line := range strings.Split(text, "\n") {
		switch {
		case fence == "" && strings.HasPrefix(line, "```"):
			fence = line
			if file != "" {
				step, file = &guideStep{line: i + 1, file: file, first: i + 1}, ""
				steps = append(steps, step)
			}
		case fence == "":
			if m := fileComment.FindStringSubmatch(line); m != nil {
				file = m[1]
			} else if line != "" {
				file = ""
			}
		case line == "```":
			fence, step = "", nil
		case step != nil && step.file != "":
			step.want = append(step.want, line)
		case fence != "```console":
		case strings.HasPrefix(line, "$ "):
			step = &guideStep{line: i + 1, command: line[2:], first: i + 1}
			steps = append(steps, step)
		case step == nil:
			return nil, &guideError{i + 1, "output without a command above it"}
		case strings.HasSuffix(step.command, "\\") && len(step.want) == 0:
			step.command += "\n" + line
			step.first = i + 1
		default:
			step.want = append(step.want, line)
		}
	}
	for _, s := range steps { // blank lines between commands are for the eye
		for len(s.want) > 0 && s.file == "" && s.want[len(s.want)-1] == "" {
			s.want = s.want[:len(s.want)-1]
		}
	}
	return steps, nil
}

type guideError struct {
	line int
	what string
}

func (e *guideError) Error() string { return "line " + itoa(e.line) + ": " + e.what }

// matches holds output against the guide's lines.
func matches(want, got []string) bool {
	if len(want) == 0 {
		return len(got) == 0
	}
	if want[0] == "..." {
		for skip := 0; skip <= len(got); skip++ {
			if matches(want[1:], got[skip:]) {
				return true
			}
		}
		return false
	}
	return len(got) > 0 && lineMatches(want[0], got[0]) && matches(want[1:], got[1:])
}

// disagreement is the first line of the guide that cannot be had from what is printed.
func disagreement(want, got []string) (at int, text string) {
	for at = len(want); at > 0; at-- {
		if matches(append(slices.Clone(want[:at]), "..."), got) {
			break
		}
	}
	if at == len(want) {
		return at, "(nothing more)"
	}
	return at, want[at]
}

// columns are as wide as their widest cell, which may be one that the guide leaves out.
var columns = regexp.MustCompile(`   +`)

func lineMatches(want, got string) bool {
	want, got = columns.ReplaceAllString(want, "  "), columns.ReplaceAllString(got, "  ")
	if want == got {
		return true
	}
	parts := strings.Split(want, "...")
	for i, p := range parts {
		parts[i] = regexp.QuoteMeta(p)
	}
	return len(parts) > 1 && regexp.MustCompile("^"+strings.Join(parts, ".*")+"$").MatchString(got)
}

// volatile is what differs from run to run, and what a guide shows of it.
var volatile = []struct {
	is    *regexp.Regexp
	shown string
}{
	{regexp.MustCompile(`\b[0-9A-F]{2}(:[0-9A-F]{2}){19,31}\b`), "..."},
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "127.0.0.1:..."},
	{regexp.MustCompile(`valid until \d{4}-\d\d-\d\d`), "valid until ..."},
	{regexp.MustCompile(`(\.password: )\S+`), "$1..."},
	{regexp.MustCompile(`\bage1[0-9a-z]{58}\b`), "age1..."},
	{regexp.MustCompile(`(\bgo)1\.\S+`), "$1..."},
}

func settle(lines []string, dir string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		l = strings.ReplaceAll(l, dir, "...")
		for _, v := range volatile {
			l = v.is.ReplaceAllString(l, v.shown)
		}
		out[i] = l
	}
	return out
}

// rewritten puts what was printed where it is not what the guide says.
func rewritten(text string, steps []*guideStep) string {
	lines := strings.Split(text, "\n")
	for i := len(steps) - 1; i >= 0; i-- {
		s := steps[i]
		if s.file != "" || matches(s.want, s.got) {
			continue
		}
		tail := append([]string{}, lines[s.first+len(s.want):]...)
		lines = append(append(lines[:s.first:s.first], s.got...), tail...)
	}
	return strings.Join(lines, "\n")
}

// A guide that lies has to be found: the matcher itself is held to a few cases.
func TestGuideMatcher(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want, got string
		ok        bool
	}{
		{"a", "a", true},
		{"a", "b", false},
		{"a", "a\nb", false},
		{"a\n...", "a\nb\nc", true},
		{"a\n...", "a", true},
		{"...\nc", "a\nb\nc", true},
		{"...\nc", "a\nb\nd", false},
		{"port 127.0.0.1:... ok", "port 127.0.0.1:8989 ok", true},
		{"port 127.0.0.1:... ok", "port 127.0.0.1:8989 failed", false},
		{"(a...b)", "(axb)", true},
		{"A  B", "A       B", true},
		{"A  B", "A B", false},
		{"", "", true},
	} {
		if got := matches(strings.Split(c.want, "\n"), strings.Split(c.got, "\n")); got != c.ok {
			t.Errorf("%q against %q: %v", c.want, c.got, got)
		}
	}
	steps, err := guideSteps("text\n```console\n$ a \\\n  b\nout\n\n$ c\n```\n<!-- file: x.yaml -->\n```yaml\nk: v\n```\n")
	if err != nil || len(steps) != 3 || steps[0].command != "a \\\n  b" || steps[0].want[0] != "out" || steps[2].file != "x.yaml" {
		t.Errorf("%v: %+v", err, steps)
	}
	if _, err := guideSteps("```console\nout\n```\n"); err == nil {
		t.Error("output without a command is taken")
	}
}
