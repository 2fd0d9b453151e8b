package term

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/secret"
)

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

// Prompt asks for a line. An empty answer gives fallback, which the prompt shows. The lines above say what the question is
// about, where the person who answers it reads them: stderr may go elsewhere.
func (s *Streams) Prompt(ctx context.Context, label, fallback string, above ...string) (string, error) {
	c, err := s.console()
	if err != nil {
		return "", err
	}
	if fallback != "" {
		label += " [" + fallback + "]"
	}
	line, err := c.Line(ctx, s.above(above)+s.question(label+":")+" ")
	if err != nil {
		return "", err
	}
	if line = strings.TrimSpace(line); line == "" {
		return fallback, nil
	}
	return line, nil
}

// Password asks for a secret without echo, below lines as those of [Streams.Prompt].
func (s *Streams) Password(ctx context.Context, label string, above ...string) (secret.Secret, error) {
	c, err := s.console()
	if err != nil {
		return secret.Secret{}, err
	}
	line, err := c.Secret(ctx, s.above(above)+s.question(label+":")+" ")
	if err != nil {
		return secret.Secret{}, err
	}
	return secret.New(line), nil
}

// above are lines above a question, wrapped to the terminal.
func (s *Streams) above(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	width, _ := s.size()
	return Wrap(Lines(lines).String(), cmp.Or(width, 80)) + "\n"
}

// question is a text that is asked, broken between words where it is longer than a line of the terminal.
func (s *Streams) question(text string) string {
	width, _ := s.size()
	return Prose(Line(text), width, 0)
}

// Confirm asks a question whose answer is no unless the person says y or yes.
func (s *Streams) Confirm(ctx context.Context, question string) (bool, error) {
	c, err := s.console()
	if err != nil {
		return false, err
	}
	line, err := c.Line(ctx, s.question(question+" [y/N]")+" ")
	if err != nil {
		return false, err
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true, nil
	}
	return false, nil
}
