package term

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// redrawEvery bounds how often a terminal is painted; the last state is always shown.
const redrawEvery = 40 * time.Millisecond

// Progress shows one live line per vCenter on Err during work, and then removes them. Names and
// texts are made safe by [Line]. It is silent without a terminal. Methods are safe for concurrent
// use.
type Progress struct {
	mu      sync.Mutex
	s       *Streams
	names   []string
	texts   map[string]string
	ended   map[string]bool
	on      bool
	held    bool // nothing is painted
	drawn   int  // lines on the screen
	now     func() time.Time
	painted time.Time
	pending *time.Timer // paints what came too soon after the last painting
}

// Progress starts live lines for names, in order. Close or pause it before writing to Out; writes
// to Err go above them.
func (s *Streams) Progress(names []string) *Progress {
	p := &Progress{s: s, names: slices.Clone(names), texts: map[string]string{}, ended: map[string]bool{}, on: s.live(), now: time.Now}
	s.progress.Store(p)
	return p
}

// aboveLive writes text above the live lines, which would overwrite it.
type aboveLive struct {
	to       io.Writer
	progress *atomic.Pointer[Progress]
}

// Write implements io.Writer.
func (a *aboveLive) Write(text []byte) (int, error) {
	p := a.progress.Load()
	if p == nil {
		return a.to.Write(text)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn > 0 {
		p.erase()
		defer p.draw()
	}
	return a.to.Write(text)
}

// Set says what name is doing now.
func (p *Progress) Set(name, text string) { p.update(name, text, false) }

// Done says how name ended. Its line makes room first when there are more names than lines.
func (p *Progress) Done(name, text string) { p.update(name, text, true) }

// Wait says what all names wait for: without live lines as talk.
func (p *Progress) Wait(text string) {
	if len(p.names) == 0 || !p.s.live() {
		p.s.Infof("%s", text)
	}
	for _, name := range p.names {
		p.Set(name, text)
	}
}

// Pause hides the live lines until the next Set or Done, so that other text can be written.
func (p *Progress) Pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.forget()
}

// Hold hides the live lines until release is called, so that a question can stand there during
// work. One at a time.
func (p *Progress) Hold() (release func()) {
	p.Pause()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = true
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.held = false
		p.repaint()
	}
}

// Close takes the live lines away. More than one call does no harm.
func (p *Progress) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	p.on = false
	p.forget()
}

// forget drops the painting that is due.
func (p *Progress) forget() {
	if p.pending != nil {
		p.pending.Stop()
		p.pending = nil
	}
}

func (p *Progress) update(name, text string, ended bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.on {
		return
	}
	p.texts[name] = Line(text)
	p.ended[name] = ended
	if ended || p.now().Sub(p.painted) >= redrawEvery {
		p.repaint()
	} else if p.pending == nil {
		p.pending = time.AfterFunc(redrawEvery, func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			if p.pending != nil { // not forgotten while this waited
				p.repaint()
			}
		})
	}
}

func (p *Progress) repaint() {
	p.forget()
	p.painted = p.now()
	p.erase()
	p.draw()
}

func (p *Progress) erase() {
	if p.drawn > 0 {
		// from the first column, as the terminal may show ^C
		fmt.Fprintf(p.s.device.Err, "\r\x1b[%dA\x1b[J", p.drawn)
		p.drawn = 0
	}
}

func (p *Progress) draw() {
	if !p.on || p.held {
		return
	}
	width, height := p.s.size()
	lines := p.lines(height)
	var out strings.Builder
	for _, l := range lines {
		out.WriteString(clip(l, width, p.s.ErrColors()))
		out.WriteByte('\n')
	}
	fmt.Fprint(p.s.device.Err, out.String())
	p.drawn = len(lines)
}

// lines picks what is shown in height lines: those at work before those that ended.
func (p *Progress) lines(height int) []string {
	room := len(p.names)
	if height > 0 && room > height-2 {
		room = max(1, height-3)
	}
	var shown []string
	for _, wantEnded := range []bool{false, true} {
		for _, name := range p.names {
			if p.ended[name] == wantEnded && len(shown) < room {
				shown = append(shown, name)
			}
		}
	}
	longest := 0
	for _, name := range shown {
		longest = max(longest, Width(Line(name)))
	}
	var lines []string
	for _, name := range p.names {
		if slices.Contains(shown, name) {
			pad := strings.Repeat(" ", longest-Width(Line(name)))
			lines = append(lines, strings.TrimRight(Line(name)+pad+"  "+p.texts[name], " "))
		}
	}
	if hidden := len(p.names) - len(shown); hidden > 0 {
		lines = append(lines, fmt.Sprintf("%s and %d more", p.s.ErrColors().Own("…"), hidden))
	}
	return lines
}

// clip keeps a line from wrapping, which would break the count of lines to erase.
func clip(line string, width int, p Palette) string {
	if width <= 0 || Width(line) < width {
		return line
	}
	return twwidth.Truncate(line, width-1, p.Own("…"))
}
