package command

import (
	"errors"
	"testing"
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
