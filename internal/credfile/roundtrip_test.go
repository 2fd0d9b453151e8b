package credfile

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/ini.v1"
	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

var (
	// awkward holds what ini.v1 and its quoting give a meaning to, and what it trims.
	awkward = rapid.RuneFrom([]rune("`\"'#;\\%()s=:[]$ \u00a0\u2028\ufeffäπ"))
	letters = rapid.RuneFrom(nil, unicode.Letter, unicode.Digit, unicode.Punct, unicode.Symbol)
	ascii   = rapid.RuneFrom(nil, &unicode.RangeTable{R16: []unicode.Range16{{Lo: ' ', Hi: '~', Stride: 1}}})

	passwords = rapid.StringOfN(rapid.OneOf(awkward, letters, ascii), 1, 24, -1)
	users     = rapid.SampledFrom([]string{"ocp-cluster1-csi@vsphere.local", `CORP\svc.ocp`, "a_b@d", "user with blanks@d"})
	servers   = []string{"vcenter1.example.com", "vcenter2.example.com", "10.0.0.1", "fd00::1"}
)

// statements are odd but valid pieces of a file. None holds an account of servers.
var statements = []string{
	"# comment", "; comment with = and [brackets]", "", "   ", "\t# indented", "note = 1", "note: 2", "  indented = x", "raw = a#b;c",
	"quoted = `tick`", "quoted2 = \"double\"", "three = \"\"\"a\"\"\"", "lines = `one", "[two]`", "trailing = a \\", "b \\", "", "empty =", "- = auto",
	"`odd key` = 1", "\"odd = key\" = 2", "ref = %(note)s", "loop = %(loop2)s", "loop2 = %(loop)s", "user.name = x", "Machine-Api.User = case",
	"[vcenter1.example.com]", "[ vcenter1.example.com ]", "[vcenter2.example.com] # prod", "[10.0.0.1]", "[other]", "[fd00::1]", "[other]; again", "[\"quoted\"]",
	"tail = x # comment",
}

// drawn draws texts that ini.v1 parses.
func drawn(t *rapid.T) string {
	lines := rapid.SliceOfN(rapid.SampledFrom(statements), 0, 14).Draw(t, "lines")
	nl := rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(t, "line break")
	text := strings.Join(lines, nl)
	if len(lines) > 0 && rapid.Bool().Draw(t, "final line break") {
		text += nl
	}
	if rapid.IntRange(0, 9).Draw(t, "byte order mark") == 0 {
		text = byteOrderMark + text
	}
	if _, err := ini.Load([]byte(text)); err != nil {
		t.Skip("does not parse")
	}
	return text
}

type slot struct {
	server    string
	component component.Name
}

func slots(t *rapid.T) []slot {
	return rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) slot {
		return slot{rapid.SampledFrom(servers).Draw(t, "server"), rapid.SampledFrom(components).Draw(t, "component")}
	}), 1, 8, rapid.ID[slot]).Draw(t, "slots")
}

// TestRoundTrip: whatever the password, the order and the file that was there, ini.v1 reads what was set, every line
// that was there stays, and removing what was set gives the old bytes back - in the same run and in the next one.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := drawn(t)
		f := inMemory(t, before)
		want := map[slot]Account{}
		var order []slot
		for _, s := range slots(t) {
			a := account(users.Draw(t, "user"), passwords.Draw(t, "password"))
			if err := f.Set(s.server, s.component, a); err != nil {
				if strings.Contains(err.Error(), "reference") {
					continue
				}
				t.Fatal(err)
			}
			want[s] = a
			order = append(order, s)
		}
		if err := f.Check(); err != nil {
			t.Fatal(err)
		}
		after := f.text
		file, err := ini.Load([]byte(after))
		if err != nil {
			t.Fatal(err)
		}
		for s, a := range want {
			userKey, passwordKey := Keys(s.component)
			if got := file.Section(s.server).Key(userKey).String(); got != a.User {
				t.Fatalf("%v: user %q reads back as %q", s, a.User, got)
			}
			if got := file.Section(s.server).Key(passwordKey).String(); got != a.Password.Reveal() {
				t.Fatalf("%v: password %q reads back as %q", s, a.Password.Reveal(), got)
			}
		}
		if !subsequence(strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")) {
			t.Fatalf("lines were changed:\n%q\n%q", before, after)
		}
		// A next run cannot know that a header without accounts was there before us.
		if len(f.empty) == 0 && rapid.Bool().Draw(t, "next run") {
			f = inMemory(t, after)
		}
		if len(order) > 0 {
			order = rapid.Permutation(order).Draw(t, "removed")
		}
		for _, s := range order {
			f.Remove(s.server, s.component)
			if err := f.Check(); err != nil {
				t.Fatal(err)
			}
		}
		if f.text != before {
			t.Fatalf("%q became %q and then %q", before, after, f.text)
		}
	})
}

// inMemory is Open without the disk.
func inMemory(t interface{ Fatalf(string, ...any) }, text string) *File {
	f, err := newFile("credentials", text)
	if err != nil {
		t.Fatalf("ini.v1 reads it, Open does not: %v", err)
	}
	return f
}

// subsequence reports whether the lines of a are in b in their order. The last one may have got a line break.
func subsequence(a, b []string) bool {
	for len(a) > 0 && len(b) > 0 {
		if strings.TrimRight(a[0], "\r\n") == strings.TrimRight(b[0], "\r\n") {
			a = a[1:]
		}
		b = b[1:]
	}
	return len(a) == 0 || len(a) == 1 && a[0] == ""
}

// TestRotation replaces passwords that are there, beside everything else, several times.
func TestRotation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := inMemory(t, seedFile)
		old := strings.Split(seedFile, "\n")
		line := slices.Index(old, "csi-driver.password = pw-csi-1")
		old = slices.Delete(old, line, line+1)
		for range 3 {
			password := passwords.Draw(t, "password")
			if err := f.Set("vcenter1.example.com", "csi-driver", account("ocp-csi@vsphere.local", password)); err != nil {
				continue // TestRefusedValues
			}
			if err := f.Check(); err != nil {
				t.Fatal(err)
			}
			f = inMemory(t, f.text)
			if got, _ := f.Get("vcenter1.example.com", "csi-driver"); got.Password.Reveal() != password {
				t.Fatalf("%q reads back as %q", password, got.Password.Reveal())
			}
			now := strings.Split(f.text, "\n")
			if diff := cmp.Diff(old, slices.Delete(now, line, line+1)); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

// FuzzOpen: no file makes Open panic or hang, scan agrees with ini.v1 about what parses and which keys there are, and
// what Open takes can be changed and changed back.
func FuzzOpen(f *testing.F) {
	f.Add(seedFile)
	for i := range statements {
		f.Add(strings.Join(statements[i:min(i+4, len(statements))], "\n"))
	}
	f.Add("a = `b` \\\nc\n")
	f.Add("[vc]\nuser = %(password)s\npassword = %(user)s\n")
	f.Add("\"\"\"\"\"\"name\"\"\"=value")
	f.Fuzz(func(t *testing.T, text string) {
		reading, iniErr := read(text)
		d, err := scan(text)
		if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") || strings.Count(text, "\n") > maxLines {
			return // Open refuses these before it parses them
		}
		if (err == nil) != (iniErr == nil) {
			t.Fatalf("scan says %v, ini.v1 says %v", err, iniErr)
		}
		file, err := newFile("credentials", text)
		if err != nil {
			return
		}
		for _, f := range file.Misread() {
			if f.Line < 1 || f.Line > len(d.lines) || f.Text == "" {
				t.Fatalf("a finding without a place: %+v", f)
			}
		}
		seen := map[ref]bool{}
		for _, e := range d.entries {
			if e.kind == setting && e.key != "-" {
				seen[ref{e.section, e.key}] = true
				if _, ok := reading.values[ref{e.section, e.key}]; !ok {
					t.Fatalf("ini.v1 does not know %v", e)
				}
			}
		}
		for at, v := range reading.values {
			if v.from == "" && !seen[at] && !strings.HasPrefix(at.key, "#") {
				t.Fatalf("scan does not know %v", at)
			}
		}
		if file.Set("fuzz.example.com", "csi-driver", account("u@d", "`#p\\")) != nil {
			return
		}
		if a, ok := file.Get("fuzz.example.com", "csi-driver"); !ok || a.Password.Reveal() != "`#p\\" {
			t.Fatalf("reads back as %q", a.Password.Reveal())
		}
	})
}
