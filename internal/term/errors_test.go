package term_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/hint"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

func TestPrintError(t *testing.T) {
	t.Parallel()
	refused := hint.Wrap(errors.New("vcenter1: refused"), "check the address")
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"nothing": {nil, ""},
		"plain":   {errors.New("broken"), "p: broken\n"},
		"hinted":  {refused, "p: vcenter1: refused\nhint: check the address\n"},
		"hint below a wrap": {
			fmt.Errorf("apply: %w", refused), "p: apply: vcenter1: refused\nhint: check the address\n",
		},
		"hints of two levels, none twice": {
			hint.Wrap(hint.Wrap(errors.New("x"), "a"), "b", "a"), "p: x\nhint: a\nhint: b\n",
		},
		"joined, in order": {
			errors.Join(errors.New("b"), refused, errors.New("a")), "p: b\np: vcenter1: refused\nhint: check the address\np: a\n",
		},
		"neighbours share a hint": {
			errors.Join(hint.Wrap(errors.New("a"), "h"), hint.Wrap(errors.New("b"), "h")), "p: a\np: b\nhint: h\n",
		},
		"none stands there twice, whatever is in between": {
			errors.Join(hint.Wrap(errors.New("a"), "h"), hint.Wrap(errors.New("b"), "other"), errors.New("c"), hint.Wrap(errors.New("d"), "h")),
			"p: a\np: d\nhint: h\np: b\nhint: other\np: c\n",
		},
		"the same error twice is said once": {
			errors.Join(refused, errors.New("a"), hint.Wrap(errors.New("vcenter1: refused"), "check the address"), errors.New("a")),
			"p: vcenter1: refused\nhint: check the address\np: a\n",
		},
		"a hint around a join": {
			hint.Wrap(errors.Join(errors.New("a"), errors.New("b")), "h"), "p: a\np: b\nhint: h\n",
		},
		"a text around a join stays": {
			fmt.Errorf("both: %w", errors.Join(errors.New("a"), errors.New("b"))), "p: both: a\np: b\n",
		},
		"two %w are one message": {
			fmt.Errorf("%w and %w", errors.New("a"), refused), "p: a and vcenter1: refused\nhint: check the address\n",
		},
	} {
		fake := termtest.NewFake()
		fake.PrintError("p", c.err)
		if diff := cmp.Diff(c.want, fake.Stderr.String()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestColours(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set  func(*termtest.Fake)
		want bool
	}{
		"terminal":       {func(f *termtest.Fake) { f.WithTerminal(80, 24) }, true},
		"pipe":           {func(*termtest.Fake) {}, false},
		"NO_COLOR":       {func(f *termtest.Fake) { f.WithTerminal(80, 24).Env["NO_COLOR"] = "1" }, false},
		"NO_COLOR empty": {func(f *termtest.Fake) { f.WithTerminal(80, 24).Env["NO_COLOR"] = "" }, true},
		"TERM=dumb":      {func(f *termtest.Fake) { f.WithTerminal(80, 24).Env["TERM"] = "dumb" }, false},
		"--no-color":     {func(f *termtest.Fake) { f.WithTerminal(80, 24).DisableColor() }, false},
	} {
		fake := termtest.NewFake()
		c.set(fake)
		if got := fake.OutColors().Enabled() || fake.ErrColors().Enabled(); got != c.want {
			t.Errorf("%s: coloured %v, want %v", name, got, c.want)
		}
		line := fake.OutColors().Sign("+", "+ role x")
		if (line != "+ role x") != c.want {
			t.Errorf("%s: %q", name, line)
		}
	}
}

func TestPrintFormats(t *testing.T) {
	t.Parallel()
	v := struct {
		APIVersion string `json:"apiVersion"`
		Why        string `json:"why"`
	}{"a/v1", "<&>"}
	for format, want := range map[term.Format]string{
		term.FormatJSON: "{\n  \"apiVersion\": \"a/v1\",\n  \"why\": \"<&>\"\n}\n",
		term.FormatYAML: "apiVersion: a/v1\nwhy: <&>\n",
	} {
		fake := termtest.NewFake()
		if err := fake.Print(format, v, nil); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, fake.Stdout.String()); diff != "" {
			t.Errorf("%s: %s", format, diff)
		}
	}
	if err := termtest.NewFake().Print("xml", v, nil); err == nil {
		t.Error("xml was printed")
	}
}

// On a terminal lines break between words, a longer word reaches beyond, and commands stay whole. A flag alone is no command.
func TestTalkBreaksBetweenWords(t *testing.T) {
	t.Parallel()
	const command = "ocp-vsphere-admin apply --only 'a  b'"
	for _, c := range []struct {
		say  func(*termtest.Fake)
		want string
	}{
		{
			func(f *termtest.Fake) {
				f.Infof("the passwords of %s are in the file", "vcenter1.example.com/a-long-name")
			},
			"the passwords of\nvcenter1.example.com/a-long-name\nare in the file\n",
		},
		{func(f *termtest.Fake) { f.Warnf("数据中心 数据中心 数据中心") }, "warning: 数据中心\n数据中心 数据中心\n"},
		{func(f *termtest.Fake) { f.PrintError("p", errors.New("one two three four five")) }, "p: one two three\nfour five\n"},
		{func(f *termtest.Fake) { f.Infof("besides, 8 privileges: -o json lists them") }, "besides, 8\nprivileges: -o json\nlists them\n"},
		{func(f *termtest.Fake) { f.Infof("  what stands below a line") }, "  what stands below\na line\n"},
		{func(f *termtest.Fake) { f.Command("next:", command) }, "next: " + command + "\n"},
		{func(f *termtest.Fake) { f.Infof("to continue with the rest: %s", command) }, "to continue with the\nrest:\n" + command + "\n"},
		{func(f *termtest.Fake) { f.Infof("not given: '%s' gives (or 'oc get it')", command) }, "not given:\n'" + command + "'\ngives (or\n'oc get it')\n"},
		{
			func(f *termtest.Fake) {
				f.PrintError("p", hint.Wrap(errors.New("x"), "set --admin-user, or another one", command, "'"+command+"' does it, too"))
			},
			"p: x\nhint: set\n--admin-user, or\nanother one\nhint: " + command + "\nhint: '" + command + "'\ndoes it, too\n",
		},
	} {
		f := termtest.NewFake().WithTerminal(20, 10)
		f.DisableColor()
		c.say(f)
		if diff := cmp.Diff(c.want, f.Stderr.String()); diff != "" {
			t.Error(diff)
		}
		f = termtest.NewFake().WithTerminal(20, 10) // colours take no room
		c.say(f)
		plain := strings.NewReplacer("\x1b[1m", "", "\x1b[31m", "", "\x1b[33m", "", term.Unpainted, "").Replace(f.Stderr.String())
		if diff := cmp.Diff(c.want, plain); diff != "" {
			t.Errorf("in colours: %s", diff)
		}
	}
}
