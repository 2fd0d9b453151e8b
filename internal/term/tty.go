package term

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	xterm "golang.org/x/term"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

// tty asks on the controlling terminal, whatever stdin and stdout are.
type tty struct {
	path string
	out  string // where questions go; "" = path
}

// say writes where questions go.
func (t *tty) say(text string) {
	if f, err := os.OpenFile(cmp.Or(t.out, t.path), os.O_RDWR, 0); err == nil {
		_, _ = f.WriteString(text)
		_ = f.Close()
	}
}

// Line implements [Console].
func (t *tty) Line(ctx context.Context, prompt string) (string, error) {
	return t.ask(ctx, prompt, readLine)
}

// Secret implements [Console].
func (t *tty) Secret(ctx context.Context, prompt string) (string, error) {
	return t.ask(ctx, prompt, func(f *os.File) (string, error) {
		answer, err := xterm.ReadPassword(int(f.Fd()))
		t.say("\n") // the person's own newline was not echoed
		return string(answer), err
	})
}

// Ready implements [Console].
func (t *tty) Ready() error {
	f, _, err := t.open()
	if err != nil {
		return err
	}
	return f.Close()
}

func (t *tty) open() (*os.File, *xterm.State, error) {
	f, err := os.OpenFile(t.path, os.O_RDWR, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: there is no terminal", ErrNoInput)
	}
	state, err := xterm.GetState(int(f.Fd()))
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("%w: %s is not a terminal", ErrNoInput, t.path)
	}
	return f, state, nil
}

// ask reads in the background, so that an interrupt ends the question at once and restores the
// terminal. An abandoned read dies with the process.
func (t *tty) ask(ctx context.Context, prompt string, read func(*os.File) (string, error)) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	f, state, err := t.open()
	if err != nil {
		return "", err
	}
	fd := int(f.Fd())
	t.say(prompt)
	line, err := abandonable(ctx, func() (string, error) {
		defer f.Close()
		return read(f)
	})
	switch {
	case errors.Is(err, io.EOF):
		return "", fmt.Errorf("%w: the terminal was closed", ErrNoInput)
	case err != nil && err == context.Cause(ctx): //nolint:errorlint // the one that abandoned the question
		_ = xterm.Restore(fd, state)
		t.say("\n")
		return "", ctx.Err()
	}
	return line, err
}

// readLine reads byte by byte: what was typed ahead belongs to the next question.
func readLine(r *os.File) (string, error) {
	var line strings.Builder
	var b [1]byte
	for {
		n, err := r.Read(b[:])
		if n == 1 {
			if b[0] == '\n' {
				return strings.TrimSuffix(line.String(), "\r"), nil
			}
			line.WriteByte(b[0])
		}
		if err != nil {
			return line.String(), err
		}
	}
}

// Terminal is the controlling terminal, opened for a dialogue beside any stdin and stdout.
type Terminal struct {
	In, Out *os.File
	// Colors is the palette for Out.
	Colors Palette

	restore func()
}

// OpenTerminal opens the controlling terminal. The error wraps [ErrNoInput] if no one can be asked:
// --no-input, no terminal, or one that cannot move its cursor.
func (s *Streams) OpenTerminal() (*Terminal, error) {
	if _, err := s.console(); err != nil {
		return nil, err
	}
	if s.Getenv("TERM") == "dumb" {
		return nil, fmt.Errorf("%w: the terminal cannot move its cursor (TERM=dumb)", ErrNoInput)
	}
	t := &Terminal{Colors: Palette{s.color(true), s.ascii()}}
	opened, state, err := (&tty{path: consoleIn}).open()
	if err != nil {
		return nil, err
	}
	t.In, t.restore = opened, func() { _ = xterm.Restore(int(opened.Fd()), state) }
	if t.Out, err = os.OpenFile(consoleOut, os.O_RDWR, 0); err != nil {
		t.In.Close()
		return nil, fmt.Errorf("%w: there is no terminal", ErrNoInput)
	}
	steer(t.Out)
	return t, nil
}

// Size is the number of columns and lines; 80 and 24 where the terminal does not say.
func (t *Terminal) Size() (width, height int) {
	width, height, err := xterm.GetSize(int(t.Out.Fd()))
	if err != nil || width <= 0 || height <= 0 {
		return 80, 24
	}
	return width, height
}

// Quiet keeps keys typed between questions for the next one, without echo: they may be a password.
func (t *Terminal) Quiet() { _ = hush(int(t.In.Fd())) }

// Restore puts the terminal back as it was when it was opened.
func (t *Terminal) Restore() { t.restore() }

// Wrap breaks text into lines that fit.
func (t *Terminal) Wrap(text string) string {
	width, _ := t.Size()
	return Wrap(text, width)
}

// Close puts the terminal back and frees it.
func (t *Terminal) Close() {
	t.restore()
	_ = t.In.Close()
	_ = t.Out.Close()
}

// Console is where a person is asked.
type Console interface {
	// Line shows the prompt and reads a line, without its end.
	Line(ctx context.Context, prompt string) (string, error)
	// Secret is Line without echo.
	Secret(ctx context.Context, prompt string) (string, error)
	// Ready is the ErrNoInput of a question that could not be asked.
	Ready() error
}

// ErrNoInput is why a question was not asked.
var ErrNoInput = errors.New("cannot prompt")

func (s *Streams) console() (Console, error) {
	switch {
	case s.NoInput:
		return nil, fmt.Errorf("%w: --no-input is given", ErrNoInput)
	case s.Console == nil:
		return nil, fmt.Errorf("%w: there is no terminal", ErrNoInput)
	}
	return s.Console, nil
}

// CanAsk reports whether there is a person to ask.
func (s *Streams) CanAsk() bool {
	c, err := s.console()
	return err == nil && c.Ready() == nil
}

// Prompt asks for a line. An empty answer gives fallback, which the prompt shows. Lines above
// explain the question on the terminal, because stderr may go elsewhere.
func (s *Streams) Prompt(ctx context.Context, label, fallback string, above ...string) (string, error) {
	if fallback != "" {
		label += " [" + fallback + "]"
	}
	line, err := s.ask(ctx, Console.Line, label+":", above...)
	if err != nil {
		return "", err
	}
	return cmp.Or(strings.TrimSpace(line), fallback), nil
}

// Password asks for a secret without echo, below lines as those of [Streams.Prompt].
func (s *Streams) Password(ctx context.Context, label string, above ...string) (secret.Secret, error) {
	line, err := s.ask(ctx, Console.Secret, label+":", above...)
	if err != nil {
		return secret.Secret{}, err
	}
	return secret.New(line), nil
}

// Confirm asks a question whose answer is no unless the person says y or yes.
func (s *Streams) Confirm(ctx context.Context, question string) (bool, error) {
	line, err := s.ask(ctx, Console.Line, question+" [y/N]")
	answer := strings.ToLower(strings.TrimSpace(line))
	return err == nil && (answer == "y" || answer == "yes"), err
}

// asking is a method of [Console].
type asking func(c Console, ctx context.Context, prompt string) (string, error)

// ask asks below lines that are wrapped to the terminal. A question longer than a line of it is
// broken between words.
func (s *Streams) ask(
	ctx context.Context, by asking, question string, above ...string,
) (string, error) {
	c, err := s.console()
	if err != nil {
		return "", err
	}
	width, _ := s.size()
	question = Prose(Line(question), width, 0) + " "
	if len(above) > 0 {
		question = Wrap(Lines(above).String(), cmp.Or(width, 80)) + "\n" + question
	}
	return by(c, ctx, question)
}
