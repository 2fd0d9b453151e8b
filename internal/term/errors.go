package term

import (
	"io"
	"slices"
	"strings"
)

// Hinter is an error that knows what to do next; internal/hint makes them.
type Hinter interface {
	error
	// Hints are the next steps, best first; one line each.
	Hints() []string
}

// PrintError writes err as `program: message`, a line for each joined error in the order in which they were joined, and
// then its hints as `hint: …` lines. Neighbours with the same hints share them.
func (s *Streams) PrintError(program string, err error) {
	if err == nil {
		return
	}
	lines := flatten(err, nil)
	colors := s.ErrColors()
	for i, l := range lines {
		for _, text := range strings.Split(strings.TrimRight(l.text, "\n"), "\n") {
			Fprintf(s.Err, "%s %s\n", colors.Bad(program+":"), text)
		}
		if i+1 < len(lines) && slices.Equal(l.hints, lines[i+1].hints) {
			continue
		}
		printHints(s.Err, colors, l.hints)
	}
}

// Warnf writes a warning to Err: `warning: …`. The arguments are made safe by [Line].
func (s *Streams) Warnf(format string, args ...any) {
	Fprintf(s.Err, "%s "+format+"\n", append([]any{s.ErrColors().Warn("warning:")}, args...)...)
}

// Infof writes a line of talk to Err. The arguments are made safe by [Line].
func (s *Streams) Infof(format string, args ...any) {
	Fprintf(s.Err, format+"\n", args...)
}

func printHints(w io.Writer, colors Palette, hints []string) {
	for _, h := range hints {
		Fprintf(w, "%s %s\n", colors.Bold("hint:"), h)
	}
}

type errorLine struct {
	text  string
	hints []string
}

// flatten takes joined errors apart. An error that wraps a join under a text of its own stays whole, because its text
// says more than its parts.
func flatten(err error, hints []string) []errorLine {
	if h, ok := err.(Hinter); ok { //nolint:errorlint // this one level; deeper ones come with the recursion
		if u, ok := err.(interface{ Unwrap() error }); ok && u.Unwrap() != nil && u.Unwrap().Error() == err.Error() {
			return flatten(u.Unwrap(), appendNew(slices.Clone(h.Hints()), hints...))
		}
	}
	if j, ok := err.(interface{ Unwrap() []error }); ok && isJoin(err, j.Unwrap()) {
		var lines []errorLine
		for _, e := range j.Unwrap() {
			lines = append(lines, flatten(e, hints)...)
		}
		return lines
	}
	return []errorLine{{text: ErrorText(err), hints: appendNew(collect(err, nil), hints...)}}
}

// ErrorText is err.Error() made safe by [Line], but for the newlines between joined errors.
func ErrorText(err error) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	var parts []error
	switch u := err.(type) { //nolint:errorlint // this one level; deeper ones come with the recursion
	case interface{ Unwrap() error }:
		parts = []error{u.Unwrap()}
	case interface{ Unwrap() []error }:
		parts = u.Unwrap()
		if isJoin(err, parts) {
			texts := make([]string, len(parts))
			for i, e := range parts {
				texts[i] = ErrorText(e)
			}
			return strings.Join(texts, "\n")
		}
	}
	// What it wraps is found in its text from the end, where it mostly is; what stands around it is one line.
	after := ""
	for _, e := range slices.Backward(parts) {
		if e == nil {
			continue
		}
		if at := strings.LastIndex(text, e.Error()); at >= 0 {
			after = ErrorText(e) + Line(text[at+len(e.Error()):]) + after
			text = text[:at]
		}
	}
	return Line(text) + after
}

// isJoin tells errors.Join from fmt.Errorf with several %w.
func isJoin(err error, parts []error) bool {
	texts := make([]string, len(parts))
	for i, e := range parts {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "\n") == err.Error()
}

// collect walks the whole tree, unlike errors.As, which stops at the first.
func collect(err error, hints []string) []string {
	if err == nil {
		return hints
	}
	if h, ok := err.(Hinter); ok { //nolint:errorlint // the walk below does the unwrapping
		hints = appendNew(hints, h.Hints()...)
	}
	switch u := err.(type) { //nolint:errorlint // likewise
	case interface{ Unwrap() error }:
		return collect(u.Unwrap(), hints)
	case interface{ Unwrap() []error }:
		for _, e := range u.Unwrap() {
			hints = collect(e, hints)
		}
	}
	return hints
}

func appendNew(to []string, more ...string) []string {
	for _, h := range more {
		if !slices.Contains(to, h) {
			to = append(to, h)
		}
	}
	return to
}
