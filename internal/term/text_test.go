package term_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
	sigs "sigs.k8s.io/yaml"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/visible"
)

// nasty are signs that must never be printed raw, each with how it is shown.
var nasty = map[string]string{
	"\n": `\x0a`, "\r": `\x0d`, "\t": `\x09`, "\x1b": `\x1b`, "\a": `\x07`, "\x7f": `\x7f`, "\x00": `\x00`,
	"\u0085": `\u0085`, "\u009b": `\u009b`, "\u200b": `\u200b`, "\u200e": `\u200e`, "\u200f": `\u200f`, "\u061c": `\u061c`,
	"\u202a": `\u202a`, "\u202b": `\u202b`, "\u202c": `\u202c`, "\u202d": `\u202d`, "\u202e": `\u202e`,
	"\u2066": `\u2066`, "\u2067": `\u2067`, "\u2068": `\u2068`, "\u2069": `\u2069`, "\u2028": `\u2028`, "\u2029": `\u2029`,
	"\ufeff": `\ufeff`, "\u00ad": `\u00ad`, "\u2060": `\u2060`, "\u180e": `\u180e`, "\u3164": `\u3164`, "\u034f": `\u034f`,
	"\u200d": `\u200d`, "\u200c": `\u200c`, "\ufe0f": `\ufe0f`, "\ufdd0": `\ufdd0`, "\U000e0041": `\U000e0041`,
	"\xff": `\xff`, "\xc2": `\xc2`, "\xed\xa0\x80": `\xed\xa0\x80`,
}

func TestLineShowsWhatIsHidden(t *testing.T) {
	t.Parallel()
	for raw, want := range nasty {
		if got := term.Line("DC" + raw + "1"); got != "DC"+want+"1" {
			t.Errorf("%q is shown as %q, want %q", raw, got, want)
		}
		if visible.Plain(raw) {
			t.Errorf("%q is called plain", raw)
		}
	}
}

func TestLineLeavesNamesAlone(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"", "DC1", `CORP\nina`, `C:\x1b`, "Zürich Süd", "東京 データセンター", "مركز البيانات", "नई दिल्ली क्\u200dष", "می\u200cخواهم", "서울", "🏢 main", "👩\u200d💻 dev", "❤️", "1️⃣",
		"a\u00a0b", "葛\U000e0100", "٠١٢", "\ufffd", "e\u0301",
	} {
		if got := term.Line(name); got != name {
			t.Errorf("%q is shown as %q", name, got)
		}
	}
}

// awkwardText draws texts of letters, nasty signs, joiners in and out of place, and bytes that are no UTF-8.
func awkwardText() *rapid.Generator[string] {
	parts := []string{"a", "x1b", `\`, `'`, `"`, "’", "`", "$", "é", "日", "क", "👩", "❤", "1", "\u20e3", " ", "#", ":", "- ", "%s"}
	parts = append(parts, slices.Sorted(maps.Keys(nasty))...)
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 12).Draw(t, "parts"), "")
	})
}

// raw is the first sign in a text that has no place on a terminal; newlines and tabs in keep have theirs. It knows less
// than Line and is written apart from it.
func raw(text, keep string) string {
	for i, r := range text {
		bad := r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x200b && r <= 0x200f && r != 0x200c && r != 0x200d || r >= 0x2028 && r <= 0x202e ||
			r >= 0x2060 && r <= 0x206f || r == 0x61c || r == 0xfeff || r == 0xad
		if bad && !strings.ContainsRune(keep, r) {
			return fmt.Sprintf("%q at %d", r, i)
		}
	}
	if !utf8.ValidString(text) {
		return "no UTF-8"
	}
	return ""
}

func TestLineIsOneSafeLine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := awkwardText().Draw(t, "text")
		got := term.Line(text)
		if bad := raw(got, ""); bad != "" {
			t.Fatalf("%q is shown as %q: %s", text, got, bad)
		}
		if again := term.Line(got); again != got {
			t.Fatalf("%q is shown as %q, and that as %q", text, got, again)
		}
		if other := awkwardText().Draw(t, "other"); other != text && term.Line(other) == got && !strings.Contains(text+other, `\`) {
			t.Fatalf("%q and %q are both shown as %q", text, other, got)
		}
	})
}

func TestSprintfEscapesArguments(t *testing.T) {
	t.Parallel()
	colors := termtest.NewFake().WithTerminal(80, 24).OutColors()
	got := term.Sprintf("%s\t%-5v|%q|%d|%*d|%v|%v|%s|%s\n", "a\nb", "c\x1b", "d\u202e", 7, 3, 8, []string{"e\r"}, true,
		errors.Join(errors.New("f\ng"), errors.New("h")), colors.Bold("i\nj"))
	want := "a\\x0ab\t" + `c\x1b   |"d\u202e"|7|  8|[e\x0d]|true|f\x0ag; h|` + "\x1b[1m" + `i\x0aj` + "\x1b[0m\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := term.Sprintf("%v %s", term.Lines{"a\n", "b"}, "x\x1b[1my\x1b[0m"); got != "a\\x0a\nb "+`x\x1b[1my\x1b[0m` {
		t.Errorf("%q", got)
	}
}

// A fault cannot begin a line of its own in an error, however the error is wrapped and joined.
func TestErrorTextKeepsOnlyItsOwnLines(t *testing.T) {
	t.Parallel()
	fault := errors.New("no\nocp-vsphere-admin: all is well\u202e")
	const shown = `no\x0aocp-vsphere-admin: all is well\u202e`
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"nil":     {nil, ""},
		"plain":   {fault, shown},
		"wrapped": {fmt.Errorf("vc\x1b: %w!\n", fault), `vc\x1b: ` + shown + `!\x0a`}, //nolint:revive // a server says this
		"joined":  {errors.Join(fault, errors.New("b")), shown + "\nb"},
		"wrapped join": {
			fmt.Errorf("both\n: %w", errors.Join(fault, errors.New("b"))), `both\x0a: ` + shown + "\nb",
		},
		"two wrapped":       {fmt.Errorf("%w and %w", fault, fault), shown + " and " + shown},
		"said, not wrapped": {fmt.Errorf("x: %v", errors.Join(fault, fault)), "x: " + shown + `\x0a` + shown}, //nolint:errorlint // on purpose
	} {
		if diff := cmp.Diff(c.want, term.ErrorText(c.err)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	fake := termtest.NewFake()
	fake.PrintError("p", fmt.Errorf("vcenter1: %w", fault))
	fake.Warnf("%s", fault)
	fake.Infof("role %s", "a\nb")
	if diff := cmp.Diff("p: vcenter1: "+shown+"\nwarning: "+shown+"\nrole a\\x0ab\n", fake.Stderr.String()); diff != "" {
		t.Error(diff)
	}
}

func TestStreamsObeyNobodyElse(t *testing.T) {
	t.Parallel()
	const text = "a\x1b[31mred\x1b[0m\x1b]0;title\a\x1b[2J\u009b1m\u202e\xff\n\tend\n"
	const safe = `\x1b]0;title\x07\x1b[2J\u009b1m\u202e\xff` + "\n\tend\n"
	fake := termtest.NewFake()
	fmt.Fprint(fake.Out, text)
	fmt.Fprint(fake.Err, text)
	if fake.Stdout.String() != text {
		t.Errorf("data in a pipe was changed: %q", fake.Stdout)
	}
	if diff := cmp.Diff("a\x1b[31mred\x1b[0m"+safe, fake.Stderr.String()); diff != "" {
		t.Error(diff)
	}
	fake.WithTerminal(80, 24)
	fake.Stdout.Reset()
	fmt.Fprint(fake.Out, "a\r\nb\rc\\x0d\n")
	if got := fake.Stdout.String(); got != "a\r\nb\\x0dc\\x0d\n" {
		t.Errorf("%q", got)
	}
	fake.Stdout.Reset()
	for i := range len(text) { // a sign may come in parts
		if n, err := fake.Out.Write([]byte(text[i : i+1])); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	if bad := raw(fake.Stdout.String(), "\n\t"); bad != "" {
		t.Errorf("%s in %q", bad, fake.Stdout)
	}
	for name, says := range map[string]func(){
		"progress": func() {
			p := fake.Progress([]string{"vc\x1b1"})
			fake.Infof("%s", "a\nb")
			p.Set("vc\x1b1", "role x\ny\u202e")
			p.Done("vc\x1b1", "role x\ny\u202e")
			p.Pause()
		},
	} {
		fake.Stderr.Reset()
		says()
		got := fake.Stderr.String()
		if !strings.Contains(got, `a\x0ab`) || !strings.Contains(got, `vc\x1b1  role x\x0ay\u202e`) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestPromptsAreOneLine(t *testing.T) {
	t.Parallel()
	fake := termtest.NewFake().WithAnswers("", "", "y")
	ctx := t.Context()
	if got, err := fake.Prompt(ctx, "user\n", "a\u202eb"); got != "a\u202eb" || err != nil {
		t.Errorf("the fallback is %q, %v", got, err)
	}
	_, _ = fake.Password(ctx, "password of \x1b")
	_, _ = fake.Confirm(ctx, "remove a\nb?")
	want := []string{`user\x0a [a\u202eb]:`, `password of \x1b: (hidden)`, `remove a\x0ab? [y/N]`}
	if diff := cmp.Diff(want, fake.Asked); diff != "" {
		t.Error(diff)
	}
}

// Documents hold nothing raw and mean the same.
func TestDocumentsAreSafeAndExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ToValidUTF8(awkwardText().Draw(t, "text"), "?")
		want := map[string]any{"name" + text: text, "list": []any{map[string]any{"a": text + " "}, "plain: #", text + "\n" + text}}
		data, err := term.JSON(want)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(data, &got); err != nil || cmp.Diff(want, got) != "" {
			t.Fatalf("%s\n%v %s", data, err, cmp.Diff(want, got))
		}
		if bad := raw(string(data), "\n"); bad != "" {
			t.Fatalf("%s in %s", bad, data)
		}
		data, err = term.YAML(want)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		got = nil
		if err := sigs.Unmarshal(data, &got); err != nil || cmp.Diff(want, got) != "" {
			t.Fatalf("%q\n%v %s", data, err, cmp.Diff(want, got))
		}
		got = nil
		if err := yaml.Unmarshal(data, &got); err != nil || cmp.Diff(want, got) != "" {
			t.Fatalf("%q\n%v %s", data, err, cmp.Diff(want, got))
		}
		if bad := raw(string(data), "\n"); bad != "" {
			t.Fatalf("%s in %q", bad, data)
		}
	})
	plain := []byte("a: 'x' # kept\n")
	if got, err := term.SafeYAML(plain); !bytes.Equal(got, plain) || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	got, err := term.SafeYAML([]byte("# about \u202e\na: x\u202ey\n---\nb: 1\n"))
	if want := "# about \\u202e\na: \"x\\u202ey\"\n---\nb: 1\n"; string(got) != want || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
