package term

import "strings"

// Palette colours text for one stream, or leaves it alone. Colour only adds: every sign that it paints says the same
// without it.
type Palette struct{ on bool }

// OutColors is the palette for Out.
func (s *Streams) OutColors() Palette { return Palette{s.color(s.outTTY)} }

// ErrColors is the palette for Err.
func (s *Streams) ErrColors() Palette { return Palette{s.color(s.errTTY)} }

// Enabled tells whether the palette paints at all.
func (p Palette) Enabled() bool { return p.on }

// Add paints what is created, the `+` lines.
func (p Palette) Add(s string) string { return p.paint("32", s) }

// Change paints what is updated, the `~` lines.
func (p Palette) Change(s string) string { return p.paint("33", s) }

// Remove paints what is deleted, the `-` lines.
func (p Palette) Remove(s string) string { return p.paint("31", s) }

// Good paints a passed check.
func (p Palette) Good(s string) string { return p.paint("32", s) }

// Bad paints a failed check or an error.
func (p Palette) Bad(s string) string { return p.paint("31", s) }

// Warn paints a warning.
func (p Palette) Warn(s string) string { return p.paint("33", s) }

// Bold paints a heading.
func (p Palette) Bold(s string) string { return p.paint("1", s) }

// Dim paints what can be skipped when reading.
func (p Palette) Dim(s string) string { return p.paint("2", s) }

// Sign paints a line by its sign, + ~ or -; other lines stay as they are.
func (p Palette) Sign(sign, line string) string {
	switch sign {
	case "+":
		return p.Add(line)
	case "~":
		return p.Change(line)
	case "-":
		return p.Remove(line)
	}
	return line
}

func (p Palette) paint(code, s string) string {
	if !p.on || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + unpainted
}

const unpainted = "\x1b[0m"

// unpaint takes the colour of a Palette off a text that has it from its first to its last sign.
func unpaint(s string) (begin, text, end string) {
	for _, code := range []string{"1", "2", "31", "32", "33"} {
		begin = "\x1b[" + code + "m"
		if rest, ok := strings.CutPrefix(s, begin); ok && strings.HasSuffix(rest, unpainted) {
			return begin, strings.TrimSuffix(rest, unpainted), unpainted
		}
	}
	return "", s, ""
}
