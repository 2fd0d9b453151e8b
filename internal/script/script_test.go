package script_test

import (
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/script"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/visible"
)

// words draws words with signs that mean something to a shell, steer a terminal or hide, and bytes that are no UTF-8.
func words() *rapid.Generator[[]string] {
	part := rapid.OneOf(
		rapid.StringMatching(`[a-z0-9 ]{0,4}`),
		rapid.SampledFrom([]string{"'", `"`, `\`, "$(id)", "`id`", "\n", "\r", "\t", "\x1b[31m", "\u202e", "\u200b", "’", "‛", "\xff", "\u0085", "ü", "*", "{{ x }}", "${x}", "-"}),
	)
	word := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(part, 0, 6).Draw(t, "parts"), "") })
	return rapid.SliceOfN(word, 1, 20)
}

// bash gives every word back as it was, and none of it was raw.
func TestShellGivesWordsBack(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here")
	}
	for name, quote := range map[string]func(string) string{"Shell": script.Shell, "Word": script.Word} {
		rapid.Check(t, func(t *rapid.T) {
			words := words().Draw(t, "words")
			line := strings.Join(script.Each(words, quote), " ")
			if !visible.Plain(line) {
				t.Fatalf("%s: %q is not plain", name, line)
			}
			out, err := exec.Command(bash, "-c", `printf '%s\0' `+line).Output()
			if err != nil || string(out) != strings.Join(words, "\x00")+"\x00" {
				t.Errorf("%s: %q came back as %q (%v)", name, words, out, err)
			}
		})
	}
}

func TestWordsStayBareWhereTheyCan(t *testing.T) {
	t.Parallel()
	want := `a=b:1 '' 'a b' 'it'\''s' '$x'`
	if runtime.GOOS == "windows" {
		want = `a=b:1 '' 'a b' 'it''s' '$x'`
	}
	if got := script.Line("a=b:1", "", "a b", "it's", "$x"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestQuoting(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		f    func(string) string
		in   string
		want string
	}{
		{"PowerShell", script.PowerShell, "it's ‘x’", "'it''s ‘‘x’’'"},
		{"PowerShell", script.PowerShell, "a\nb", "('a' + [char]::ConvertFromUtf32(0xa) + 'b')"},
		{"Govc", script.Govc, `/DC1/vm/a*b?[c]\d`, `'/DC1/vm/a\*b\?\[c]\\d'`},
		{"Ansible", script.Ansible, "a\"b\x1b", `"a\"b\x1b"`},
		{"Ansible", script.Ansible, "{{ x }}", `!unsafe "{{ x }}"`},
		{"HCL", script.HCL, "${x} %{y} \"z\\\n\u202e", `"$${x} %%{y} \"z\\\n\U0000202E"`},
	} {
		if got := c.f(c.in); got != c.want {
			t.Errorf("%s(%q): %s, want %s", c.name, c.in, got, c.want)
		}
	}
}
