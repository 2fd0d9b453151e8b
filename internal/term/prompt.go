package term

import (
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
}

// ErrNoInput is why a question was not asked.
var ErrNoInput = errors.New("nobody can be asked")

func (s *Streams) console() (Console, error) {
	switch {
	case s.NoInput:
		return nil, fmt.Errorf("%w: --no-input is given", ErrNoInput)
	case s.Console == nil:
		return nil, fmt.Errorf("%w: there is no terminal", ErrNoInput)
	}
	return s.Console, nil
}

// Prompt asks for a line. An empty answer gives fallback, which the prompt shows.
func (s *Streams) Prompt(ctx context.Context, label, fallback string) (string, error) {
	c, err := s.console()
	if err != nil {
		return "", err
	}
	if fallback != "" {
		label += " [" + fallback + "]"
	}
	line, err := c.Line(ctx, Line(label)+": ")
	if err != nil {
		return "", err
	}
	if line = strings.TrimSpace(line); line == "" {
		return fallback, nil
	}
	return line, nil
}

// Password asks for a secret without echo.
func (s *Streams) Password(ctx context.Context, label string) (secret.Secret, error) {
	c, err := s.console()
	if err != nil {
		return secret.Secret{}, err
	}
	line, err := c.Secret(ctx, Line(label)+": ")
	if err != nil {
		return secret.Secret{}, err
	}
	return secret.New(line), nil
}

// Confirm asks a question whose answer is no unless the person says y or yes.
func (s *Streams) Confirm(ctx context.Context, question string) (bool, error) {
	c, err := s.console()
	if err != nil {
		return false, err
	}
	line, err := c.Line(ctx, Line(question)+" [y/N] ")
	if err != nil {
		return false, err
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true, nil
	}
	return false, nil
}
