// Package visible knows which signs show themselves, and which steer a terminal, hide, or change what is around them.
package visible

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain reports whether a text shows itself as it is.
func Plain(s string) bool {
	return Replace(s, "", func(rune, int, string) string { return "" }) == s
}

// Replace replaces what must not be printed raw, but for the signs of keep, by what as makes of it: of the sign r, of size
// bytes, which are at.
func Replace(s, keep string, as func(r rune, size int, at string) string) string {
	var out strings.Builder
	clean := 0 // the text up to here is written
	before := rune(-1)
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if invalid := r == utf8.RuneError && size == 1; invalid || hidden(before, r, s[i+size:]) && !strings.ContainsRune(keep, r) {
			out.WriteString(s[clean:i])
			out.WriteString(as(r, size, s[i:i+size]))
			clean, r = i+size, -1
		}
		before = r
		i += size
	}
	if clean == 0 {
		return s
	}
	return out.String() + s[clean:]
}

// hidden reports whether a sign acts on what is around it, or is not seen: control characters, line and paragraph
// separators, marks of direction, zero-width and other ignorable signs, and what is no character. Joiners and selectors
// stay where scripts and emoji need them.
// Source: Unicode 15, chapter 23, Special Areas and Format Characters; UTS 51, emoji sequences.
func hidden(before, r rune, after string) bool {
	switch {
	case r >= ' ' && r <= '~':
		return false
	case unicode.Is(unicode.Variation_Selector, r):
		next, _ := utf8.DecodeRuneInString(after)
		keycap := next == 0x20e3 && (before >= '0' && before <= '9' || before == '#' || before == '*')
		return !keycap && (before < utf8.RuneSelf || unicode.Is(unicode.Variation_Selector, before))
	case r == zeroWidthJoiner || r == zeroWidthNonJoiner:
		next, _ := utf8.DecodeRuneInString(after)
		return !joins(before) || !joins(next)
	case unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false // Arabic signs that are seen
	case r >= 0xfdd0 && r <= 0xfdef || r&0xfffe == 0xfffe:
		return true // noncharacters
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
}

const (
	zeroWidthNonJoiner = 0x200c
	zeroWidthJoiner    = 0x200d
)

// joins reports whether a joiner beside a sign means something: in scripts whose letters join, and in emoji.
func joins(r rune) bool {
	if r == utf8.RuneError || unicode.Is(unicode.Cf, r) {
		return false
	}
	if unicode.In(r, unicode.So, unicode.Sk, unicode.Variation_Selector) && r >= utf8.RuneSelf {
		return true
	}
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Mongolian, unicode.Devanagari, unicode.Bengali,
		unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam,
		unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}
