package term

// Palette colours text for one stream, or leaves it alone. Colour only adds: every sign that it paints says the same
// without it. What it paints is made safe by [Line] first.
type Palette struct{ on bool }

// Painted is a text with its colour. It is a type of its own so that no text from elsewhere can pass for painted.
type Painted struct{ code, text string }

// String is the text as it is printed.
func (p Painted) String() string {
	if p.code == "" || p.text == "" {
		return p.text
	}
	return p.code + p.text + unpainted
}

// OutColors is the palette for Out.
func (s *Streams) OutColors() Palette { return Palette{s.color(s.device.OutTTY)} }

// ErrColors is the palette for Err.
func (s *Streams) ErrColors() Palette { return Palette{s.color(s.device.ErrTTY)} }

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
