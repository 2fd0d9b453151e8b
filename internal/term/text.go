package term

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/visible"
)

// Line makes foreign text - a name, a fault, a certificate - safe within a line: signs that end the
// line, steer the terminal or hide are shown as `\x0a`, `\u202e` or `\U000e0041`, a byte that is no
// UTF-8 as `\xff`. Nothing is dropped, so different names stay different; letters of any script and
// emoji are kept. A newline is not `\n`, because CORP\nina is a user. Line is idempotent.
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

// Sprintf is fmt.Sprintf with arguments made safe by [Line]; it keeps newlines of the format and of
// Lines, and colours of a Palette.
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

// Count is a number of things, with an s or, after ch, es: "1 vCenter", "2 vCenters", "2 switches".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if strings.HasSuffix(noun, "ch") {
		noun += "e"
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Palette colours text for one stream, or not. Nothing depends on colour alone. It makes text safe
// by [Line].
type Palette struct{ on, ascii bool }

// ascii stands for the signs of our tables and lines, in as many columns.
var ascii = strings.NewReplacer("→", ">", "↓", "v", "·", ".", "│", "|", "…", "~", "‹", "<")

// Own is a text of ours, without foreign names, as the locale of the stream shows it. Names are
// printed as they are: a pasted command has to mean them.
func (p Palette) Own(text string) string {
	if p.ascii {
		return ascii.Replace(text)
	}
	return text
}

// Painted is a text with its colour, a type that no foreign text can have.
type Painted struct{ code, text string }

// String is the text as it is printed.
func (p Painted) String() string {
	if p.code == "" || p.text == "" {
		return p.text
	}
	return p.code + p.text + unpainted
}

// OutColors is the palette for Out.
func (s *Streams) OutColors() Palette { return Palette{s.color(s.device.OutTTY), s.ascii()} }

// ErrColors is the palette for Err.
func (s *Streams) ErrColors() Palette { return Palette{s.color(s.device.ErrTTY), s.ascii()} }

// Enabled reports whether the palette paints at all.
func (p Palette) Enabled() bool { return p.on }

// Good paints a passed check.
func (p Palette) Good(s string) Painted { return p.paint("32", s) }

// Bad paints a failed check or an error.
func (p Palette) Bad(s string) Painted { return p.paint("31", s) }

// Warn paints a warning.
func (p Palette) Warn(s string) Painted { return p.paint("33", s) }

// Bold paints a heading.
func (p Palette) Bold(s string) Painted { return p.paint("1", s) }

// Dim paints what can be skipped when reading.
func (p Palette) Dim(s string) Painted { return p.paint("2", s) }

// Sign paints a line by its sign, + ~ or -; other lines stay as they are.
func (p Palette) Sign(sign, line string) string {
	switch sign {
	case "+":
		return p.Good(line).String()
	case "~":
		return p.Warn(line).String()
	case "-":
		return p.Bad(line).String()
	}
	return Line(line)
}

func (p Palette) paint(code, s string) Painted {
	if !p.on {
		return Painted{"", Line(s)}
	}
	return Painted{"\x1b[" + code + "m", Line(s)}
}

const unpainted = "\x1b[0m"

// codes are what begins a colour of a Palette.
func codes() []string { return []string{"\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[33m"} }
