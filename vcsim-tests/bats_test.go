package vcsimtests

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// batsList names the tests of govc that do not hold on the laboratory, each with its reason.
const batsList = "testdata/bats.txt"

// TestBats runs govmomi's tests of govc, as they are, against the laboratory in the place of vcsim. What batsList does not name has to
// pass, and what it names has to fail: a reason that is no longer true is taken out. Like TestClients it runs where TEST_CLIENTS is set.
func TestBats(t *testing.T) {
	t.Parallel()
	if os.Getenv("TEST_CLIENTS") == "" {
		t.Skip("'make clients-test' runs them")
	}
	dir, err := clientsDir()
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "govmomi", "govc", "test", "*.bats"))
	bats := filepath.Join(dir, "usr", "bin", "bats")
	if _, err := os.Stat(bats); err != nil || len(files) == 0 {
		t.Skipf("no tests of govc in %s: 'make clients' puts them there, if it reaches GitHub", dir)
	}
	text, err := os.ReadFile(batsList)
	if err != nil {
		t.Fatal(err)
	}
	known, err := readReasons(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for name := range known {
		if !slices.Contains(files, filepath.Join(filepath.Dir(files[0]), name)) {
			t.Errorf("%s names %s, which is not there", batsList, name)
		}
	}
	bin := t.TempDir()
	govc, err := buildGovc(bin, "govc-all")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(govc, filepath.Join(bin, "govc")); err != nil {
		t.Fatal(err)
	}
	turn := make(chan struct{}, runtime.GOMAXPROCS(0)) // each test has a laboratory of its own
	for _, file := range files {
		name := filepath.Base(file)
		if known[name]["*"] != "" {
			continue
		}
		t.Run(strings.TrimSuffix(name, ".bats"), func(t *testing.T) {
			t.Parallel()
			turn <- struct{}{}
			defer func() { <-turn }()
			for _, wrong := range judgeBats(runBats(t, bats, file, bin, dir), known[name]) {
				t.Error(wrong)
			}
		})
	}
}

// clientsDir is where 'make clients' puts the clients of others.
func clientsDir() (string, error) {
	dir := os.Getenv("CLIENTSBIN")
	if dir == "" {
		dir = filepath.Join("..", "bin", "clients")
	}
	return filepath.Abs(dir)
}

// batsReasons are why tests are left out or fail, by their file and name; * is a whole file.
type batsReasons map[string]map[string]string

// readReasons reads lines "FILE.bats: TEST: REASON".
func readReasons(text string) (batsReasons, error) {
	all := batsReasons{}
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		part := strings.SplitN(line, ": ", 3)
		switch {
		case len(part) < 3:
			return nil, fmt.Errorf("%s:%d: want FILE.bats: TEST: REASON", batsList, i+1)
		case all[part[0]] == nil:
			all[part[0]] = map[string]string{}
		case all[part[0]][part[1]] != "":
			return nil, fmt.Errorf("%s:%d: %s has two reasons", batsList, i+1, part[1])
		}
		all[part[0]][part[1]] = part[2]
	}
	return all, nil
}

// batsResult is a test of a file, as TAP tells.
type batsResult struct {
	passed, skipped bool
	text            string // why it failed
}

var tapLine = regexp.MustCompile(`^(ok|not ok) \d+ (.*?)( # skip.*| # timeout.*)?$`)

// readTAP reads what bats prints.
func readTAP(out string) map[string]batsResult {
	results := map[string]batsResult{}
	last := ""
	for line := range strings.SplitSeq(out, "\n") {
		if m := tapLine.FindStringSubmatch(line); m != nil {
			last = m[2]
			results[last] = batsResult{passed: m[1] == "ok", skipped: strings.HasPrefix(m[3], " # skip")}
		} else if r, ok := results[last]; ok && strings.HasPrefix(line, "#") {
			r.text += line + "\n"
			results[last] = r
		}
	}
	return results
}

// runBats runs one file, with the test binary as vcsim.
func runBats(t *testing.T, bats, file, bin, dir string) map[string]batsResult {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, bats, "--tap", filepath.Base(file))
	home := t.TempDir()
	cmd.Dir = filepath.Dir(file)
	path := []string{bin, filepath.Join(dir, "bin"), os.Getenv("PATH")}
	cmd.Env = append(os.Environ(), "HOME="+home, "TMPDIR="+home, "GOPATH="+home, "GOVMOMI_HOME="+home,
		"BATS_TEST_TIMEOUT=60", "LC_ALL=C.UTF-8", "PATH="+strings.Join(path, string(os.PathListSeparator)))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	results := readTAP(string(out))
	if len(results) == 0 {
		t.Fatalf("%s: %v\n%s%s", file, err, out, &stderr)
	}
	return results
}

// judgeBats is what does not agree with the reasons that are known of a file.
func judgeBats(results map[string]batsResult, known map[string]string) (wrong []string) {
	for name, r := range results {
		switch why := known[name]; {
		case r.skipped && why != "":
			wrong = append(wrong, fmt.Sprintf("%s is skipped, and %s says that it fails: %s", name, batsList, why))
		case r.passed && !r.skipped && why != "":
			wrong = append(wrong, fmt.Sprintf("%s passes, and %s says that it fails: %s", name, batsList, why))
		case !r.passed && why == "":
			wrong = append(wrong, fmt.Sprintf("%s fails:\n%s", name, r.text))
		}
	}
	for name := range known {
		if _, there := results[name]; !there {
			wrong = append(wrong, fmt.Sprintf("%s names %s, which is no test of the file", batsList, name))
		}
	}
	slices.Sort(wrong)
	return wrong
}

func TestBatsReasons(t *testing.T) {
	t.Parallel()
	results := readTAP("1..4\nok 1 a b # skip the laboratory has no vcsim -esx\nnot ok 2 c\n# why\n# it failed\nok 3 d\nnot ok 4 e # timeout after 60s\n")
	for _, tt := range []struct {
		known map[string]string
		wrong []string
	}{
		{map[string]string{"c": "x", "e": "x"}, nil},
		{map[string]string{"c": "x"}, []string{"e fails:\n"}},
		{map[string]string{"e": "x"}, []string{"c fails:\n# why\n# it failed\n"}},
		{map[string]string{"c": "x", "e": "x", "d": "y"}, []string{"d passes, and " + batsList + " says that it fails: y"}},
		{map[string]string{"c": "x", "e": "x", "a b": "y"}, []string{"a b is skipped, and " + batsList + " says that it fails: y"}},
		{map[string]string{"c": "x", "e": "x", "f": "y"}, []string{batsList + " names f, which is no test of the file"}},
	} {
		if got := judgeBats(results, tt.known); !slices.Equal(got, tt.wrong) {
			t.Errorf("%v: %q, want %q", tt.known, got, tt.wrong)
		}
	}
	for _, text := range []string{"a.bats: no reason", "a.bats: b: c\na.bats: b: d"} {
		if _, err := readReasons(text); err == nil {
			t.Errorf("no error for %q", text)
		}
	}
	known, err := os.ReadFile(batsList)
	if err != nil {
		t.Fatal(err)
	}
	if all, err := readReasons(string(known)); err != nil || all["sso.bats"]["sso.user"] == "" || all["esxcli.bats"]["*"] == "" {
		t.Errorf("%v, %v", all, err)
	}
}
