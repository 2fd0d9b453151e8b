package command

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
)

// Two errors are one, with the exit code of the first that has one, and each is said once.
func TestJoined(t *testing.T) {
	t.Parallel()
	plain, coded := errors.New("plain"), &ExitError{Code: ExitPartly, Err: errors.New("coded")}
	for name, tt := range map[string]struct {
		a, b error
		code int
		text string
	}{
		"nothing":       {nil, nil, 0, ""},
		"the first":     {plain, nil, ExitFailed, "plain"},
		"the second":    {nil, coded, ExitPartly, "coded"},
		"plain, coded":  {plain, coded, ExitPartly, "plain\ncoded"},
		"coded, plain":  {coded, plain, ExitPartly, "coded\nplain"},
		"silent, plain": {Exit(ExitFailed), plain, ExitFailed, "plain"},
		"neither coded": {plain, plain, ExitFailed, "plain\nplain"},
	} {
		err := Joined(tt.a, tt.b)
		code := ExitDone
		var exit *ExitError
		switch {
		case errors.As(err, &exit):
			code, err = exit.Code, exit.Err
		case err != nil:
			code = ExitFailed
		}
		text := ""
		if err != nil {
			text = err.Error()
		}
		if code != tt.code || text != tt.text {
			t.Errorf("%s: %d %q", name, code, text)
		}
	}
}

// What went wrong besides the interrupt is said, however it is wrapped.
func TestUncancelled(t *testing.T) {
	t.Parallel()
	broken := errors.New("vcenter1.example.com: broken")
	both := errors.Join(broken, context.Canceled)
	for name, c := range map[string]struct {
		err, want error
	}{
		"alone":                     {context.Canceled, nil},
		"several":                   {errors.Join(context.Canceled, fmt.Errorf("vcenter2: %w", context.Canceled)), nil},
		"beside another":            {both, broken},
		"beside another, with hint": {hint.Wrap(both, "look"), broken},
		"with an exit code":         {&ExitError{Code: ExitPartly, Err: both}, broken},
	} {
		got := Uncancelled(c.err)
		if (got == nil) != (c.want == nil) || !errors.Is(got, c.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}
