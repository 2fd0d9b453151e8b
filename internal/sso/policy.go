package sso

import (
	"crypto/rand"
	"fmt"
	"math/big"
	"strings"
	"unicode"

	ssotypes "github.com/vmware/govmomi/ssoadmin/types"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// Policy is an SSO domain's rule for passwords, in characters and days (0 = for ever).
type Policy struct {
	MinLength, MaxLength                int
	MinAlphabetic, MinUpper, MinLower   int
	MinNumeric, MinSpecial              int
	MaxIdenticalAdjacent, ProhibitedOld int
	LifetimeDays                        int
}

func policyOf(p *ssotypes.AdminPasswordPolicy) Policy {
	f := p.PasswordFormat
	return Policy{
		MinLength: int(f.LengthRestriction.MinLength), MaxLength: int(f.LengthRestriction.MaxLength),
		MinAlphabetic: int(f.AlphabeticRestriction.MinAlphabeticCount),
		MinUpper:      int(f.AlphabeticRestriction.MinUppercaseCount), MinLower: int(f.AlphabeticRestriction.MinLowercaseCount),
		MinNumeric: int(f.MinNumericCount), MinSpecial: int(f.MinSpecialCharCount),
		MaxIdenticalAdjacent: int(f.MaxIdenticalAdjacentCharacters),
		ProhibitedOld:        int(p.ProhibitedPreviousPasswordsCount), LifetimeDays: int(p.PasswordLifetimeDays),
	}
}

// Characters of generated passwords, without special ones of INI, YAML, cloud configuration and
// shells.
const (
	uppers   = "ABCDEFGHJKLMNPQRSTUVWXYZ"
	lowers   = "abcdefghijkmnopqrstuvwxyz"
	digits   = "23456789"
	specials = "_-.+"
	wanted   = 24 // length, where the policy leaves it to us: about 130 bits
	most     = 1000
)

// Generate makes a random password for the policy: a letter first, a letter or digit last, no two
// equal neighbours. It fails if a policy contradicts itself.
func (p Policy) Generate() (secret.Secret, error) {
	for _, n := range []int{p.MinLength, p.MinAlphabetic, p.MinUpper, p.MinLower, p.MinNumeric, p.MinSpecial} {
		if n > most {
			return secret.Secret{}, fmt.Errorf("the password policy requires %d characters, more than the supported %d", n, most)
		}
	}
	length := max(wanted, p.MinLength)
	if p.MaxLength > 0 {
		length = min(length, p.MaxLength)
	}
	var classes []string
	add := func(n int, class string) {
		for range n {
			classes = append(classes, class)
		}
	}
	add(max(1, p.MinUpper), uppers)
	add(max(1, p.MinLower), lowers)
	add(p.MinAlphabetic-len(classes), lowers)
	add(max(1, p.MinNumeric), digits)
	add(max(1, p.MinSpecial), specials)
	if len(classes) > length || length < 3 {
		return secret.Secret{}, fmt.Errorf("the password policy requires %d characters of its kinds in %d", len(classes), length)
	}
	add(length-len(classes), uppers+lowers+digits)
	for range 1000 {
		if text, ok := draw(classes); ok {
			return secret.Random(text), p.Check(secret.New(text))
		}
	}
	return secret.Secret{}, fmt.Errorf("no password satisfies the password policy")
}

func draw(classes []string) (string, bool) {
	order := append([]string(nil), classes...)
	for i := len(order) - 1; i > 0; i-- {
		j := number(i + 1)
		order[i], order[j] = order[j], order[i]
	}
	var b strings.Builder
	var last byte
	for i, class := range order {
		c := class[number(len(class))]
		edge := i == 0 || i == len(order)-1
		switch {
		case edge && strings.IndexByte(specials, c) >= 0:
			return "", false
		case i == 0 && strings.IndexByte(digits, c) >= 0:
			return "", false
		case c == last:
			return "", false
		}
		last = c
		b.WriteByte(c)
	}
	return b.String(), true
}

// number is uniform below n.
func number(n int) int {
	v, err := rand.Int(rand.Reader, big.NewInt(int64(n)))
	if err != nil { // the system has no randomness: nothing sensible can go on
		panic(err)
	}
	return int(v.Int64())
}

// Check says which rule a password breaks, never the password. Every policy takes visible ASCII
// only (R35).
func (p Policy) Check(s secret.Secret) error {
	var upper, lower, numeric, special, run, longest, foreign int
	var last rune
	text := []rune(s.Reveal())
	for i, c := range text {
		switch {
		case unicode.IsUpper(c):
			upper++
		case unicode.IsLetter(c):
			lower++
		case unicode.IsDigit(c):
			numeric++
		default:
			special++
		}
		if c < '!' || c > '~' {
			foreign++
		}
		if run++; i == 0 || c != last {
			run = 1
		}
		longest, last = max(longest, run), c
	}
	rules := []struct {
		broken bool
		text   string
	}{
		{foreign > 0, "visible ASCII characters only"},
		{len(text) < p.MinLength, fmt.Sprintf("at least %d characters", p.MinLength)},
		{p.MaxLength > 0 && len(text) > p.MaxLength, fmt.Sprintf("at most %d characters", p.MaxLength)},
		{upper+lower < p.MinAlphabetic, fmt.Sprintf("at least %d letters", p.MinAlphabetic)},
		{upper < p.MinUpper, fmt.Sprintf("at least %d upper-case letters", p.MinUpper)},
		{lower < p.MinLower, fmt.Sprintf("at least %d lower-case letters", p.MinLower)},
		{numeric < p.MinNumeric, fmt.Sprintf("at least %d digits", p.MinNumeric)},
		{special < p.MinSpecial, fmt.Sprintf("at least %d special characters", p.MinSpecial)},
		{p.MaxIdenticalAdjacent > 0 && longest > p.MaxIdenticalAdjacent, fmt.Sprintf("at most %d identical adjacent characters", p.MaxIdenticalAdjacent)},
	}
	for _, r := range rules {
		if r.broken {
			return fmt.Errorf("the password policy requires %s", r.text)
		}
	}
	return nil
}
