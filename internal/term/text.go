package term

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line makes a text that comes from elsewhere - a name, a fault, a certificate - safe within a line of ours: whatever
// could end the line, steer the terminal or hide is shown as `\x0a`, `\u202e` or `\U000e0041`, a byte that is no UTF-8 as
// `\xff`. Nothing is dropped, so that two names stay two; letters of any script and emoji stay as they are. A newline
// is no `\n`, because CORP\nina is the name of a person. Line of a Line is the same text.
func Line(s string) string { return visible(s, "", escape) }

// Plain tells whether a text shows itself as it is: Line would leave it alone.
func Plain(s string) bool { return Line(s) == s }

// Lines are a table's cell of several lines; each is made safe for itself.
type Lines []string

// String joins the lines.
func (l Lines) String() string {
	out := make([]string, len(l))
	for i, line := range l {
		out[i] = Line(line)
	}
	return strings.Join(out, "\n")
}

// Sprintf is fmt.Sprintf whose arguments are made safe for a line by [Line]; newlines of the format stay. What a
// Palette painted keeps its colour, and Lines keep their newlines.
func Sprintf(format string, args ...any) string {
	shield(args)
	return fmt.Sprintf(format, args...)
}

// Fprintf is [Sprintf] onto w. What a person reads is written with it, never with fmt.Fprintf.
func Fprintf(w io.Writer, format string, args ...any) {
	shield(args)
	fmt.Fprintf(w, format, args...)
}

// shield wraps whatever may hold text.
func shield(args []any) {
	for i, a := range args {
		switch a.(type) {
		case nil, Painted, Lines, shielded:
			continue
		}
		switch kind := reflect.TypeOf(a).Kind(); {
		case kind == reflect.String:
		case kind >= reflect.Bool && kind <= reflect.Complex128 && !talks(a): // a width may be among them
			continue
		}
		args[i] = shielded{a}
	}
}

func talks(a any) bool {
	switch a.(type) {
	case error, fmt.Stringer, fmt.Formatter:
		return true
	}
	return false
}

// shielded is an argument whose text is made safe when it is formatted.
type shielded struct{ arg any }

// Format implements fmt.Formatter.
func (s shielded) Format(f fmt.State, verb rune) {
	text := fmt.Sprintf(fmt.FormatString(f, verb), s.arg)
	if err, ok := s.arg.(error); ok && (verb == 'v' || verb == 's') {
		text = strings.ReplaceAll(ErrorText(err), "\n", "; ")
	} else {
		text = Line(text)
	}
	_, _ = io.WriteString(f, text)
}

// visible replaces what must not be printed raw, but for the signs of keep.
func visible(s, keep string, as func(r rune, size int, at string) string) string {
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

// escape is how a hidden sign is shown.
func escape(r rune, size int, raw string) string {
	switch {
	case r == utf8.RuneError && size == 1:
		return fmt.Sprintf(`\x%02x`, raw[0])
	case r < utf8.RuneSelf:
		return fmt.Sprintf(`\x%02x`, r)
	case r > 0xffff:
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// hidden tells whether a sign acts on what is around it, or is not seen: control characters, line and paragraph
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

// joins tells whether a joiner beside a sign means something: in scripts whose letters join, and in emoji.
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
