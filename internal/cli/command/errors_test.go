package command

import (
	"context"
	"errors"
	"fmt"
	"os"
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

// What is wrong in a file is a finding; a file that cannot be read is a failure.
func TestFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, lost := os.ReadFile(dir + "/none")
	wrong := errors.New("wrong")
	for name, tt := range map[string]struct {
		path string
		err  error
		code int
	}{
		"nothing":     {dir + "/none", nil, ExitDone},
		"wrong":       {dir + "/none", wrong, ExitDifferent},
		"wrong twice": {dir + "/none", errors.Join(wrong, wrong), ExitDifferent},
		"missing":     {dir + "/none", hint.Wrap(lost, "look"), ExitFailed},
		"a directory": {dir, wrong, ExitFailed},
	} {
		got, code := Found(tt.path, tt.err), ExitFailed
		if coded, ok := errors.AsType[*ExitError](got); ok {
			code = coded.Code
		}
		if got == nil {
			code = ExitDone
		}
		if code != tt.code {
			t.Errorf("%s: %d, want %d", name, code, tt.code)
		}
	}
}
