package frame

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/cli/command"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

func TestExitCodes(t *testing.T) {
	t.Parallel()
	cause := errors.New("vcenter1.example.com: refused")
	for name, c := range map[string]struct {
		err    error
		code   int
		stderr string
	}{
		"done":            {nil, 0, ""},
		"failed":          {cause, 1, "ocp-vsphere-admin: vcenter1.example.com: refused\n"},
		"different":       {command.Exit(command.ExitDifferent), 2, ""},
		"partly":          {&command.ExitError{Code: command.ExitPartly, Err: cause}, 3, "ocp-vsphere-admin: vcenter1.example.com: refused\n"},
		"joined to other": {errors.Join(cause, command.Exit(command.ExitPartly)), 3, ""},
	} {
		fake := termtest.NewFake()
		if got, _ := finish(context.Background(), fake.Streams, "ocp-vsphere-admin", c.err); got != c.code || (c.stderr != "" && fake.Stderr.String() != c.stderr) {
			t.Errorf("%s: exit code %d, stderr %q", name, got, fake.Stderr.String())
		}
	}
}

func TestInterruptedIs130(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(term.ErrInterrupted)
	fake := termtest.NewFake()
	if code, _ := finish(ctx, fake.Streams, "", ctx.Err()); code != command.ExitInterrupted || fake.Stderr.String() != "" {
		t.Errorf("exit code %d, stderr %q", code, fake.Stderr.String())
	}
	if code, _ := finish(ctx, fake.Streams, "", command.Exit(command.ExitInterrupted)); code != command.ExitInterrupted || fake.Stderr.String() != "" {
		t.Errorf("a command that has said so itself: exit code %d, stderr %q", code, fake.Stderr.String())
	}
	if code, _ := finish(ctx, fake.Streams, "", nil); code != command.ExitDone {
		t.Errorf("a command that was done all the same: exit code %d", code)
	}
}

// What stands in a document besides: the errors, once each with their hints, and what comes next; in YAML the same.
func TestEndOfADocument(t *testing.T) {
	t.Parallel()
	errs := []term.ErrorLine{{Text: "a <b>", Hints: []string{"c"}}, {Text: "a <b>", Hints: []string{"c"}}}
	for name, tt := range map[string]struct {
		format term.Format
		do     func(s *term.Streams) error
		errs   []term.ErrorLine
		want   string
	}{
		"nothing to add": {term.FormatJSON, func(s *term.Streams) error { return s.Print(term.FormatJSON, map[string]int{"x": 1}, nil) }, nil, `{"x":1}`},
		"both": {term.FormatJSON, func(s *term.Streams) error {
			s.Command("next:", "oc x")
			s.Command("if it is so:", "oc y")
			return s.Print(term.FormatJSON, map[string]int{"x": 1}, nil)
		}, errs, `{"x":1,"errors":[{"text":"a <b>","hints":["c"]}],"next":[{"command":"oc x"},{"command":"oc y","when":"if it is so"}]}`},
		"an empty one":   {term.FormatJSON, func(s *term.Streams) error { return s.Print(term.FormatJSON, struct{}{}, nil) }, errs[:1], `{"errors":[{"text":"a <b>","hints":["c"]}]}`},
		"none":           {term.FormatJSON, func(*term.Streams) error { return nil }, errs[:1], `{"apiVersion":"ocp-vsphere-admin/v1","kind":"Failure","errors":[{"text":"a <b>","hints":["c"]}]}`},
		"for a person":   {term.FormatTable, func(*term.Streams) error { return nil }, errs[:1], ""},
		"something else": {term.FormatYAML, func(s *term.Streams) error { _, err := s.Out.Write([]byte("1")); return err }, errs[:1], "1"},
		"as it serves": {term.FormatJSON, func(s *term.Streams) error {
			return errors.Join(s.Print(term.FormatJSON, map[string]int{"x": 1}, nil), s.Flush())
		}, errs[:1], `{"x":1}`},
	} {
		fake := termtest.NewFake()
		fake.Keep()
		if err := errors.Join(tt.do(fake.Streams), fake.Deliver(tt.format, Failure, tt.errs)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got := fake.Stdout.String()
		if tt.want != "" && tt.want != "1" {
			var compact bytes.Buffer
			if err := json.Compact(&compact, fake.Stdout.Bytes()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			got = compact.String()
		}
		if got != tt.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
