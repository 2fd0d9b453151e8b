package house_test

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// phrase is a wording that reads as if translated, and what to write instead. Sample is a text that it must catch.
type phrase struct {
	pattern string
	instead string
	sample  string
}

// phrases must not come back, neither in what the program prints nor in comments nor in the documentation.
func phrases() []phrase {
	return []phrase{
		{`what (they|it) shall be`, "to match the specification", "roles are what they shall be"},
		{`\bshall\b`, "must, or should", "the name that the role shall have"},
		{`stands? in the credentials file`, "is saved in the credentials file", "every password stands in the credentials file"},
		{`hears? of (it|them)\b`, "is sent to vCenter, or is replicated", "before its vCenter hears of it"},
		{`sits on the way`, "can be intercepted", "whoever sits on the way can read the passwords"},
		{`(was|were) not said`, "--object is required", "which object is meant was not said"},
		{`takes? no permissions? there`, "permissions cannot be set on this object", "the vCenter takes no permission there"},
		{`look(s)? after the directory`, "the directory team", "asks those for it who look after the directory"},
		{`passed over`, "ignored", "keys that were passed over"},
		{`left out:`, "omitted:", "the role is left out: its name cannot be written"},
		{`tells upper from lower case`, "is case-sensitive", "the installer tells upper from lower case"},
		{`equal to the letter|compared to the letter`, "must match exactly", "the names must be equal to the letter"},
		{`out of use\b`, "disabled", "the account is out of use"},
		{`puts? it (right|back)\b`, "fix it with ..., enable it with ...", "apply puts it right"},
		{`(is|are) not ours\b`, "was not created by this tool, or belongs to somebody else", "the account is not ours"},
		{`no longer ours|not ours any ?more`, "no longer the account that this tool created", "the account is not ours any more"},
		{`taken? for granted`, "assumed to exist", "the accounts are taken for granted"},
		{`with accounts of their own`, "with its own account", "components log in with accounts of their own"},
		{`nobody can tell`, "is not known", "nobody can tell how old it is"},
		{`with (the|its|their) present password`, "current password", "handed out with its present password"},
		{`run at work\b`, "run in progress", "is another run at work?"},
		{`that which\b`, "what, or the noun", "that which the plan says"},
		{`\bwhosesoever\b`, "whoever gave it", "only those, whosesoever they are"},
		{`the same command again (does|goes|takes|removes|finishes)`, "run the same command again to finish", "the same command again goes on"},
		{`what was done stays`, "completed changes are kept", "what was done stays; run it again"},
		{`go on\?`, "continue?", "go on?"},
		{`\bgrantees?\b`, "principal", "the grantee of a permission"},
		{`\bthe vcenter tells\b`, "vCenter reports", "what the vCenter tells"},
		{`is (it|this) the right (file|value)\?`, "check that it is the right file", "larger than a file: is it the right file?"},
		{`(is|are) no (ip address|host name|port|inventory path|thumbprint|regular file)\b`, "is not a ...", "DC1 is no inventory path"},
		{`\bnames? (no|neither) (vcenter|release|folder|datacenter|failure domain)\b`, "has no ..., or ... is required", "the failure domain names no folder"},
	}
}

// TestPhrasesStayAway reads string literals and comments of the module's Go files, the guides, the README and the man
// page. Tests may quote a phrase in what they refuse; this list has to.
func TestPhrasesStayAway(t *testing.T) {
	t.Parallel()
	list, one := compiled(t), all()
	read := 0
	look := func(where, text string) {
		read++
		if text = strings.ToLower(text); !one.MatchString(text) {
			return
		}
		for p, re := range list {
			if found := re.FindString(text); found != "" {
				t.Errorf("%s: %q: write %q", where, found, p.instead)
			}
		}
	}
	for _, s := range sources(t) {
		if s.test() {
			continue
		}
		fset, file := parse(t, s)
		for where, text := range literals(fset, file) {
			look(where, text)
		}
	}
	if read < 3000 {
		t.Errorf("only %d texts were read: this test no longer sees what the program prints", read)
	}
	for _, path := range documents(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			look(path+":"+strconv.Itoa(i+1), line)
		}
	}
}

// TestPhrasesAreCaught shows that every phrase of the list can fail, and that a plain sentence does not.
func TestPhrasesAreCaught(t *testing.T) {
	t.Parallel()
	for p, re := range compiled(t) {
		if !re.MatchString(strings.ToLower(p.sample)) || p.instead == "" {
			t.Errorf("%q does not catch %q", p.pattern, p.sample)
		}
		for _, plain := range []string{
			"create or update roles, users and permissions to match the specification",
			"each password is saved before it is sent to vCenter",
			"permissions cannot be set on /DC1/vm: it is a datacenter's own folder",
			"somebody changed the role after the plan; plan again",
		} {
			if re.MatchString(plain) {
				t.Errorf("%q catches %q", p.pattern, plain)
			}
		}
	}
}

// compiled are the patterns of the list, for text in lower case.
func compiled(t *testing.T) map[phrase]*regexp.Regexp {
	t.Helper()
	list := map[phrase]*regexp.Regexp{}
	for _, p := range phrases() {
		list[p] = regexp.MustCompile(strings.ToLower(p.pattern))
	}
	return list
}

// all is one pattern for the whole list: most texts match none of it.
func all() *regexp.Regexp {
	var patterns []string
	for _, p := range phrases() {
		patterns = append(patterns, strings.ToLower(p.pattern))
	}
	return regexp.MustCompile(strings.Join(patterns, "|"))
}

// literals are the string literals and comments of a file by their positions, each on one line.
func literals(fset *token.FileSet, file *ast.File) map[string]string {
	found := map[string]string{}
	add := func(pos token.Pos, text string) {
		found[fset.Position(pos).String()] = strings.Join(strings.Fields(text), " ")
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			if text, err := strconv.Unquote(l.Value); err == nil {
				add(l.Pos(), text)
			}
		}
		return true
	})
	for _, group := range file.Comments {
		add(group.Pos(), group.Text())
	}
	return found
}

// documents are the README, the guides and the man page; the reference is generated from the literals.
func documents(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"README.md", "CONTRIBUTING.md", "docs/*.md", "docs/*/*.md", "deploy/README.md", "man/*"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(found), err)
		}
		all = append(all, found...)
	}
	return all
}

// -q leaves out what Infof writes: a hint or a warning is no such talk.
func TestQuietHidesNoHints(t *testing.T) {
	t.Parallel()
	hidden := regexp.MustCompile("Infof\\([\"`](hint|warning|to go on)\\b")
	if !hidden.MatchString("Infof(\"hint: x\")") {
		t.Fatal("the pattern does not find what it is for")
	}
	for _, s := range sources(t) {
		if found := hidden.Find(s.text); found != nil && !s.test() {
			t.Errorf("%s: %s: -q would leave it out: use Hint, Warnf or Todof", s.path, found)
		}
	}
}
