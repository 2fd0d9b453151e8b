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
