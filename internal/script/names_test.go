package script_test

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/visible"
)

// awkward draws names with whatever a shell, a pattern or Markdown could take for its own.
func awkward() *rapid.Generator[string] {
	return rapid.StringOfN(rapid.RuneFrom([]rune("aZ0 '\"`$\\*?[]{}()|&;<>!#~%@=,._-‘’‚‛“é日\n\x1b\u009b\u202e\u200b\U000e0041")), 1, 20, -1)
}

// govc takes a path for a pattern: it has to match its own name, and no other.
func TestPatterns(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name, other := awkward().Draw(t, "name"), awkward().Draw(t, "other")
		if !visible.Plain(name) {
			return // in hexadecimal: TestShellGivesWordsBack knows that it is the same word
		}
		p := strings.ReplaceAll(strings.Trim(script.Govc(name), "'"), `'\''`, "'")
		if strings.HasPrefix(name, "'") || strings.HasSuffix(name, "'") {
			return // Trim would take them
		}
		if ok, err := path.Match(p, name); err != nil || !ok {
			t.Errorf("%q does not match %q (%v)", p, name, err)
		}
		if ok, _ := path.Match(p, other); ok && name != other {
			t.Errorf("%q matches %q", p, other)
		}
	})
}

// PowerShell ends a word in single quotes at any of five quotes that is not doubled. What cannot be shown stands between
// two words, as an expression of its own.
// Source: about_Quoting_Rules; System.Management.Automation.Language.CharExtensions.IsSingleQuote.
func TestPowerShellWords(t *testing.T) {
	t.Parallel()
	char := regexp.MustCompile(`^' \+ \[char\]::ConvertFromUtf32\(0x([0-9a-f]+)\) \+ '`)
	rapid.Check(t, func(t *rapid.T) {
		word := awkward().Draw(t, "word")
		text := script.PowerShell(word)
		if !visible.Plain(text) {
			t.Fatalf("%q is not plain", text)
		}
		if visible.Plain(word) == strings.HasPrefix(text, "(") {
			t.Fatalf("%q is %s", word, text)
		}
		q := strings.TrimSuffix(strings.TrimPrefix(text, "("), ")")
		if q[0] != '\'' || q[len(q)-1] != '\'' {
			t.Fatalf("%q is not quoted", text)
		}
		var back strings.Builder
		for q = q[1 : len(q)-1]; q != ""; {
			if m := char.FindStringSubmatch(q); m != nil {
				r, _ := strconv.ParseInt(m[1], 16, 32)
				back.WriteRune(rune(r))
				q = q[len(m[0]):]
				continue
			}
			r, n := utf8.DecodeRuneInString(q)
			if q = q[n:]; strings.ContainsRune("'‘’‚‛", r) {
				second, n := utf8.DecodeRuneInString(q)
				if q = q[n:]; !strings.ContainsRune("'‘’‚‛", second) {
					t.Fatalf("%q ends early", text)
				}
			}
			back.WriteRune(r)
		}
		if back.String() != word {
			t.Errorf("%q came back as %q", word, back.String())
		}
	})
}
