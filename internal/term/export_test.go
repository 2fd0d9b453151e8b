package term

import "time"

// Unpainted is what the external tests need to take colours away.
const Unpainted = unpainted

// TTY is the console on the terminal at path.
func TTY(path string) Console { return &tty{path: path} }

// SetClock has p know the time from now.
func (p *Progress) SetClock(now func() time.Time) { p.now = now }

// Pending is the painting that is due; nil = none is.
func (p *Progress) Pending() *time.Timer { return p.pending }

// Lines are those that p shows on a terminal of this height.
func (p *Progress) Lines(height int) []string { return p.lines(height) }
