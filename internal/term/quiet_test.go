package term_test

import (
	"errors"
	"io"
	"maps"
	"testing"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

func TestQuietLeavesWarningsAndErrors(t *testing.T) {
	t.Parallel()
	f := termtest.NewFake().WithTerminal(80, 24)
	f.DisableColor()
	f.Quiet = true
	f.Infof("talk")
	f.Suggest("next:", "x")
	f.Todof("%s", "undone")
	f.Command("to go on:", "y")
	f.Progress([]string{"vc1"}).Done("vc1", "read")
	f.Warnf("old")
	f.PrintError("p", errors.New("broken"))
	if got := f.Stderr.String(); got != "undone\nto go on: y\nwarning: old\np: broken\n" {
		t.Errorf("%q", got)
	}
}

// The first variable that is set decides; names and documents are as they are.
func TestSignsOfTheLocale(t *testing.T) {
	t.Parallel()
	const signs, plain = "a → b ↓ · │ … ü\n", "a > b v . | ~ ü\n"
	for name, c := range map[string]struct {
		env  map[string]string
		want string
	}{
		"none":     {nil, signs},
		"UTF-8":    {map[string]string{"LANG": "C.UTF-8"}, signs},
		"LANG":     {map[string]string{"LANG": "C"}, plain},
		"LC_CTYPE": {map[string]string{"LC_CTYPE": "POSIX", "LANG": "en_US.UTF-8"}, plain},
		"LC_ALL":   {map[string]string{"LC_ALL": "en_US.UTF-8", "LC_CTYPE": "C", "LANG": "C"}, signs},
		"empty":    {map[string]string{"LC_ALL": "", "LANG": "C"}, plain},
	} {
		f := termtest.NewFake()
		maps.Copy(f.Env, c.env)
		table := func(w io.Writer) error {
			_, err := io.WriteString(w, f.OutColors().Own(signs))
			return err
		}
		if err := f.Print(term.FormatTable, nil, table); err != nil || f.Stdout.String() != c.want {
			t.Errorf("%s: table %q, %v", name, f.Stdout, err)
		}
		if f.Command("next:", "rm 'a → b'"); f.Stderr.String() != "next: rm 'a → b'\n" {
			t.Errorf("%s: %q", name, f.Stderr.String())
		}
		f.Stdout.Reset()
		if err := f.Print(term.FormatJSON, "→", nil); err != nil || f.Stdout.String() != "\"→\"\n" {
			t.Errorf("%s: JSON %q, %v", name, f.Stdout, err)
		}
	}
}
