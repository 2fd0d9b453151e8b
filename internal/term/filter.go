package term

import (
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/visible"
)

// filter is the last look at what goes to a stream: signs that would steer the terminal or hide are shown as [Line]
// shows them. Lines and tabs stay, since nobody knows here any more whose they are, and so do the colours of a Palette.
type filter struct {
	to io.Writer
	on func() bool // whether text is filtered now; data goes to files and pipes as it is

	wrote *atomic.Bool // is set with the first Write; nil = nobody asks

	mu   sync.Mutex
	rest []byte // the beginning of a sign whose end comes with the next Write
}

// Write implements io.Writer.
func (f *filter) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.wrote != nil {
		f.wrote.Store(true)
	}
	if !f.on() {
		return f.to.Write(p)
	}
	text := slices.Concat(f.rest, p)
	cut := wholeRunes(text)
	f.rest = slices.Clone(text[cut:])
	if _, err := io.WriteString(f.to, harmless(string(text[:cut]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// harmless shows what a terminal would obey, but for ends of lines, tabs and our own colours.
func harmless(text string) string {
	var out strings.Builder
	for text != "" {
		at := strings.Index(text, "\x1b[")
		if at < 0 {
			at = len(text)
		}
		for i, part := range strings.Split(text[:at], "\r\n") { // some files end their lines so
			if i > 0 {
				out.WriteString("\r\n")
			}
			out.WriteString(visible.Replace(part, "\n\t", escape))
		}
		if text = text[at:]; text == "" {
			break
		}
		code := ours(text)
		out.WriteString(code)
		if text = text[len(code):]; code == "" {
			out.WriteString(escape('\x1b', 1, text))
			text = text[1:]
		}
	}
	return out.String()
}

// ours is the colour that text begins with.
func ours(text string) string {
	for _, code := range append(codes(), unpainted) {
		if strings.HasPrefix(text, code) {
			return code
		}
	}
	return ""
}

// wholeRunes is how much of text does not end within a sign.
func wholeRunes(text []byte) int {
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		if at := len(text) - back; utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				return at
			}
			break
		}
	}
	return len(text)
}

// always filters a stream that only people read.
func always(to io.Writer) *filter { return &filter{to: to, on: func() bool { return true }} }
