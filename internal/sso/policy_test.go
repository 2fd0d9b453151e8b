package sso

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// Every policy that a vCenter accepts (alphabetic ≥ upper+lower; length ≥ alphabetic+numeric+special) gets a password
// that it accepts, made of characters that mean nothing to INI, YAML, cloud configuration and a shell.
func TestGenerateSatisfiesEveryPolicy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Policy{
			MinUpper: rapid.IntRange(0, 3).Draw(t, "upper"), MinLower: rapid.IntRange(0, 3).Draw(t, "lower"),
			MinNumeric: rapid.IntRange(0, 4).Draw(t, "numeric"), MinSpecial: rapid.IntRange(0, 4).Draw(t, "special"),
			MaxIdenticalAdjacent: rapid.IntRange(1, 3).Draw(t, "adjacent"),
		}
		p.MinAlphabetic = p.MinUpper + p.MinLower + rapid.IntRange(0, 3).Draw(t, "alphabetic")
		p.MinLength = max(8, p.MinAlphabetic+p.MinNumeric+p.MinSpecial)
		p.MaxLength = p.MinLength + rapid.IntRange(4, 20).Draw(t, "room")
		s, err := p.Generate()
		if err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
		text := s.Reveal()
		if err := p.Check(s); err != nil {
			t.Fatalf("%+v: %v", p, err)
		}
		if bad := strings.Trim(text, uppers+lowers+digits+specials); bad != "" || strings.ContainsAny(text[:1], specials+digits) {
			t.Fatalf("unsafe characters, or an unsafe first one")
		}
	})
}

func TestGenerateIsRandom(t *testing.T) {
	p := Policy{MinLength: 8, MaxLength: 20}
	seen := map[string]bool{}
	for range 200 {
		s, err := p.Generate()
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Reveal()) != 20 {
			t.Fatalf("length is %d, want the 20 that the policy allows", len(s.Reveal()))
		}
		seen[s.Reveal()] = true
	}
	if len(seen) != 200 {
		t.Errorf("%d different passwords of 200", len(seen))
	}
}

func TestCheckNamesTheRule(t *testing.T) {
	p := Policy{MinLength: 8, MaxLength: 12, MinAlphabetic: 3, MinUpper: 1, MinLower: 1, MinNumeric: 1, MinSpecial: 1, MaxIdenticalAdjacent: 2}
	for password, rule := range map[string]string{
		"aB1!":          "at least 8 characters",
		"aB1!aB1!aB1!a": "at most 12 characters",
		"a1!a1!a1!":     "at least 1 upper-case letters",
		"A1!A1!A1!":     "at least 1 lower-case letters",
		"aB!!aBaBa":     "at least 1 digits",
		"aB11aBaBa":     "at least 1 special characters",
		"aaaB1!cde":     "at most 2 identical adjacent characters",
		"aB12!34567":    "at least 3 letters",
		"Päss-w1rd":     "visible ASCII characters only",
		"aB1! aB1!":     "visible ASCII characters only",
	} {
		err := p.Check(secret.New(password))
		if err == nil || !strings.HasSuffix(err.Error(), rule) {
			t.Errorf("want %q, got %v", rule, err)
		} else if strings.Contains(err.Error(), password) {
			t.Error("the error holds the password")
		}
	}
	if err := p.Check(secret.New("aBc1!def")); err != nil {
		t.Error(err)
	}
}

func TestSame(t *testing.T) {
	s := &Names{Domain: "vsphere.local", alias: map[string]string{"corp": "corp.example.com", "corp.example.com": "corp.example.com"}}
	for _, spellings := range [][]string{
		{"a@vsphere.local", `VSPHERE.LOCAL\a`, "a", "A@VSPHERE.local"},
		{"svc@corp.example.com", `CORP\svc`, `corp.example.com\SVC`},
	} {
		for _, other := range spellings[1:] {
			if s.Same(spellings[0]) != s.Same(other) {
				t.Errorf("%s and %s are told apart", spellings[0], other)
			}
		}
	}
	if s.Same("a@vsphere.local") == s.Same("a@corp.example.com") {
		t.Error("different domains are not told apart")
	}
}
