package term

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/visible"
)

// Line makes a text that comes from elsewhere - a name, a fault, a certificate - safe within a line of ours: whatever
// could end the line, steer the terminal or hide is shown as `\x0a`, `\u202e` or `\U000e0041`, a byte that is no UTF-8 as
// `\xff`. Nothing is dropped, so that two names stay two; letters of any script and emoji stay as they are. A newline
// is no `\n`, because CORP\nina is the name of a person. Line of a Line is the same text.
func Line(s string) string { return Shown(s, "") }

// Shown is [Line] for a text of several lines: the signs of keep stay as they are.
func Shown(s, keep string) string { return visible.Replace(s, keep, escape) }

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

// Count is a number of things in English, for nouns that take an s, or es behind ch: "1 vCenter", "2 vCenters", "2 switches".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "ch") {
		noun += "e"
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
