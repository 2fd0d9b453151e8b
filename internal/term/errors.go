package term

import (
	"io"
	"slices"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
)

// Hinter is an error that knows what to do next; internal/hint makes them.
type Hinter interface {
	error
	// Hints are the next steps, best first; one line each.
	Hints() []string
}

// PrintError writes err as `program: message`, a line for each joined error, and then its hints as
// `hint: …` lines. Errors with equal hints stand together, and duplicates are dropped.
func (s *Streams) PrintError(program string, err error) {
	if err == nil {
		return
	}
	lines := together(flatten(err, nil))
	colors := s.ErrColors()
	for i, l := range lines {
		for _, text := range strings.Split(strings.TrimRight(l.Text, "\n"), "\n") {
			s.talk("%s %s\n", colors.Bad(program+":"), text)
		}
		if i+1 < len(lines) && slices.Equal(l.Hints, lines[i+1].Hints) {
			continue
		}
		for _, h := range l.Hints {
			s.talk("%s %s\n", colors.Bold("hint:"), h)
		}
	}
}

// Warnf writes a warning to Err: `warning: …`. The arguments are made safe by [Line].
func (s *Streams) Warnf(format string, args ...any) {
	s.talk("%s "+format+"\n", append([]any{s.ErrColors().Warn("warning:")}, args...)...)
}

// Infof writes what was done or found to Err, unless Quiet. The arguments are made safe by [Line].
func (s *Streams) Infof(format string, args ...any) {
	if !s.Quiet {
		s.Todof(format, args...)
	}
}

// Todof writes what is left for a person to do, or was left undone, to Err. The arguments are made
// safe by [Line].
func (s *Streams) Todof(format string, args ...any) { s.talk(format+"\n", args...) }

// Command writes a command that is left to run: `next: ...`. It is never wrapped, so that it can be
// copied, and is also in the document of -o json and -o yaml.
func (s *Streams) Command(label, command string) {
	s.named(label, command)
	Fprintf(s.Err, "%s %s\n", label, s.Say(command))
}

// Suggest is Command for what may be run, and need not; Quiet leaves it out.
func (s *Streams) Suggest(label, command string) {
	if s.Quiet {
		s.named(label, command)
		return
	}
	s.Command(label, command)
}

// Say is text for people as Spoken has it.
func (s *Streams) Say(text string) string {
	if s.Spoken == nil {
		return text
	}
	return s.Spoken(text)
}

// talk writes to Err, on a terminal with its lines broken between [Words].
func (s *Streams) talk(format string, args ...any) {
	text := s.Say(Sprintf(format, args...))
	if width, _ := s.size(); s.device.ErrTTY {
		text = Prose(text, width, 0)
	}
	_, _ = io.WriteString(s.Err, text)
}

// ErrorLine is one of joined errors.
type ErrorLine struct {
	Text  string   `json:"text"`            // safe for a terminal; joined by newlines
	Hints []string `json:"hints,omitempty"` // what to do next, best first
}

// ErrorLines takes joined errors apart, each with its hints.
func ErrorLines(err error) []ErrorLine { return flatten(err, nil) }

// together moves lines up to the first one with the same hints, and drops duplicates.
func together(lines []ErrorLine) []ErrorLine {
	var all []ErrorLine
	for _, l := range lines {
		if slices.ContainsFunc(all, func(before ErrorLine) bool { return before.Text == l.Text && slices.Equal(before.Hints, l.Hints) }) {
			continue
		}
		at := len(all)
		for i, before := range all {
			if len(l.Hints) > 0 && slices.Equal(before.Hints, l.Hints) {
				at = i + 1
			}
		}
		all = slices.Insert(all, at, l)
	}
	return all
}

// flatten splits joined errors. An error that wraps a join in a text of its own stays whole.
func flatten(err error, hints []string) []ErrorLine {
	if h, ok := err.(Hinter); ok { //nolint:errorlint // this one level; deeper ones come with the recursion
		if u, ok := err.(interface{ Unwrap() error }); ok && u.Unwrap() != nil &&
			u.Unwrap().Error() == err.Error() {
			return flatten(u.Unwrap(), lists.AppendNew(slices.Clone(h.Hints()), hints...))
		}
	}
	if j, ok := err.(interface{ Unwrap() []error }); ok && Joined(err) {
		var lines []ErrorLine
		for _, e := range j.Unwrap() {
			lines = append(lines, flatten(e, hints)...)
		}
		return lines
	}
	return []ErrorLine{{Text: ErrorText(err), Hints: lists.AppendNew(Hints(err), hints...)}}
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
	// The wrapped text is found from the end; the text around it is one line.
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

// Joined reports whether errors.Join made err: its text is that of its parts, a line for each.
func Joined(err error) bool {
	j, ok := err.(interface{ Unwrap() []error })
	return ok && isJoin(err, j.Unwrap())
}

// isJoin tells errors.Join from fmt.Errorf with several %w.
func isJoin(err error, parts []error) bool {
	texts := make([]string, len(parts))
	for i, e := range parts {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "\n") == err.Error()
}

// Hints are those of the whole tree of an error, unlike those that errors.As finds.
func Hints(err error) []string { return collect(err, nil) }

func collect(err error, hints []string) []string {
	if err == nil {
		return hints
	}
	if h, ok := err.(Hinter); ok { //nolint:errorlint // the walk below does the unwrapping
		hints = lists.AppendNew(hints, h.Hints()...)
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
