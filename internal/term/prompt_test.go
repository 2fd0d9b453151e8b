package term_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hinshun/vt10x"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/harness/termtest"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

func TestQuestions(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	fake := termtest.NewFake().WithAnswers(" vc1 ", "", "pass word ", "YES", "", "n")
	if got, err := fake.Prompt(ctx, "server", ""); got != "vc1" || err != nil {
		t.Errorf("prompt: %q, %v", got, err)
	}
	if got, err := fake.Prompt(ctx, "user", "root"); got != "root" || err != nil {
		t.Errorf("prompt with a default: %q, %v", got, err)
	}
	if got, err := fake.Password(ctx, "password"); got.Reveal() != "pass word " || err != nil {
		t.Errorf("password: %q, %v", got.Reveal(), err)
	}
	for _, want := range []bool{true, false, false} {
		if got, err := fake.Confirm(ctx, "sure?"); got != want || err != nil {
			t.Errorf("confirm: %v, %v", got, err)
		}
	}
	want := []string{"server:", "user [root]:", "password: (hidden)", "sure? [y/N]", "sure? [y/N]", "sure? [y/N]"}
	if diff := cmp.Diff(want, fake.Asked); diff != "" {
		t.Error(diff)
	}
	if fake.Stdout.String()+fake.Stderr.String() != "" {
		t.Error("a question went to a stream")
	}
}

// What a question is about is wrapped between names, and what others wrote there begins no line of its own.
func TestLinesAboveAQuestion(t *testing.T) {
	t.Parallel()
	fake := termtest.NewFake().WithTerminal(20, 24).WithAnswers("me", "pw")
	if _, err := fake.Prompt(t.Context(), "user", "", "for vcenter1.example, vcenter2.example", "a\nb"); err != nil {
		t.Error(err)
	}
	if _, err := fake.Password(t.Context(), "password", "again"); err != nil {
		t.Error(err)
	}
	want := []string{"for\nvcenter1.example,\nvcenter2.example\na\\x0ab\nuser:", "again\npassword: (hidden)"}
	if diff := cmp.Diff(want, fake.Asked); diff != "" {
		t.Error(diff)
	}
}

// A long question breaks between words, and never within a name.
func TestLongQuestions(t *testing.T) {
	t.Parallel()
	fake := termtest.NewFake().WithTerminal(20, 24).WithAnswers("y", "c1")
	if _, err := fake.Confirm(t.Context(), "apply these changes on 1 of 2 vCenters (a-long-name.of.a.vcenter.example.com is out)?"); err != nil {
		t.Error(err)
	}
	if _, err := fake.Prompt(t.Context(), "to remove all of this, type c1", ""); err != nil {
		t.Error(err)
	}
	want := []string{
		"apply these changes\non 1 of 2 vCenters\n(a-long-name.of.a.vcenter.example.com\nis out)? [y/N]",
		"to remove all of\nthis, type c1:",
	}
	if diff := cmp.Diff(want, fake.Asked); diff != "" {
		t.Error(diff)
	}
}

func TestNobodyToAsk(t *testing.T) {
	t.Parallel()
	withPerson := termtest.NewFake().WithAnswers("yes")
	withPerson.NoInput = true
	for name, fake := range map[string]*termtest.Fake{"no terminal": termtest.NewFake(), "--no-input": withPerson} {
		if _, err := fake.Confirm(context.Background(), "sure?"); !errors.Is(err, term.ErrNoInput) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := termtest.NewFake()
	s.Console = term.TTY("/dev/null")
	if _, err := s.Password(context.Background(), "password"); !errors.Is(err, term.ErrNoInput) {
		t.Errorf("what is no terminal was asked: %v", err)
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	silent := termtest.NewFake()
	p := silent.Progress([]string{"vc1"})
	p.Set("vc1", "login")
	silent.Infof("said")
	p.Wait("waiting 1m0s")
	silent.Quiet = true
	p.Wait("quiet")
	p.Close()
	if got := silent.Stderr.String(); got != "said\nwaiting 1m0s\n" {
		t.Errorf("in a pipe: %q", got)
	}

	fake := termtest.NewFake().WithTerminal(20, 24)
	p = fake.Progress([]string{"vc1", "vcenter2"})
	clock := time.Unix(0, 0)
	p.SetClock(func() time.Time { clock = clock.Add(time.Second); return clock })
	p.Set("vc1", "reading roles and permissions")
	p.Done("vcenter2", "done")
	p.Wait("waiting")
	p.Close()
	p.Close()
	const again = "\r\x1b[2A\x1b[J"
	want := "vc1       reading …\nvcenter2\n" + again + "vc1       reading …\nvcenter2  done\n" +
		again + "vc1       waiting\nvcenter2  done\n" + again + "vc1       waiting\nvcenter2  waiting\n" + again
	if diff := cmp.Diff(want, fake.Stderr.String()); diff != "" {
		t.Error(diff)
	}
}

func TestProgressPausesForWhatIsWrittenInBetween(t *testing.T) {
	t.Parallel()
	fake := termtest.NewFake().WithTerminal(40, 24)
	p := fake.Progress([]string{"vc1"})
	now := time.Unix(100, 0)
	p.SetClock(func() time.Time { return now })
	p.Set("vc1", "connecting")
	p.Set("vc1", "reading") // too soon: it is painted later
	late := p.Pending()
	p.Pause()
	if p.Pending() != nil || late.Stop() {
		t.Error("the late painting is still due, and would erase what is written after the pause")
	}
	fake.Stderr.Write([]byte("go on? y\n"))
	now = now.Add(time.Second)
	p.Set("vc1", "applying")
	p.Close()
	want := "vc1  connecting\n" + "\r\x1b[1A\x1b[J" + "go on? y\n" + "vc1  applying\n" + "\r\x1b[1A\x1b[J"
	if diff := cmp.Diff(want, fake.Stderr.String()); diff != "" {
		t.Error(diff)
	}
}

// While a question stands there, nothing is painted, whatever goes on meanwhile; then what is so by now.
func TestProgressHeldForAQuestion(t *testing.T) {
	t.Parallel()
	fake := termtest.NewFake().WithTerminal(40, 24)
	p := fake.Progress([]string{"vc1"})
	now := time.Unix(100, 0)
	p.SetClock(func() time.Time { now = now.Add(time.Second); return now })
	p.Set("vc1", "connecting")
	release := p.Hold()
	fake.Stderr.Write([]byte("password: "))
	p.Set("vc1", "reading")
	p.Done("vc1", "done")
	fake.Stderr.Write([]byte("\n"))
	release()
	p.Close()
	want := "vc1  connecting\n" + "\r\x1b[1A\x1b[J" + "password: \n" + "vc1  done\n" + "\r\x1b[1A\x1b[J"
	if diff := cmp.Diff(want, fake.Stderr.String()); diff != "" {
		t.Error(diff)
	}
}

func TestProgressLeavesRoomOnASmallTerminal(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 20 {
		names = append(names, fmt.Sprintf("vc%02d", i))
	}
	p := termtest.NewFake().WithTerminal(80, 8).Progress(names)
	for _, name := range names[:18] {
		p.Done(name, "done")
	}
	p.Set("vc19", "work")
	lines := p.Lines(8)
	if len(lines) > 7 || lines[len(lines)-1] != "… and 15 more" || lines[len(lines)-2] != "vc19  work" {
		t.Errorf("%q", lines)
	}
	p.Close()
}

// What is said while there are live lines stands above them: neither it nor they are drawn over.
func TestTalkAboveLiveLines(t *testing.T) {
	t.Parallel()
	f := termtest.NewFake().WithTerminal(80, 24)
	p := f.Progress([]string{"vc1", "vc2"})
	p.Done("vc1", "read")
	f.Infof("interrupted")
	p.Close()
	f.Infof("over")
	const lines = "vc1  read\nvc2\n"
	if got, want := f.Stderr.String(), lines+"\r\x1b[2A\x1b[Jinterrupted\n"+lines+"\r\x1b[2A\x1b[Jover\n"; got != want {
		t.Errorf("%q", got)
	}
}

// A terminal shows ^C where the cursor is. What was typed while lines are live goes with them, and the answer begins its line.
func TestKeysAmongLiveLines(t *testing.T) {
	t.Parallel()
	f := termtest.NewFake().WithTerminal(40, 24)
	p := f.Progress([]string{"vc1", "vc2"})
	p.Done("vc1", "read")
	screen := vt10x.New(vt10x.WithSize(40, 5))
	show := func(text string) { fmt.Fprint(screen, strings.ReplaceAll(text, "\n", "\r\n")) }
	show(f.Stderr.String() + "^C")
	f.Stderr.Reset()
	f.Infof("interrupted")
	p.Close()
	show(f.Stderr.String())
	if got := strings.Join(strings.Fields(screen.String()), " "); got != "interrupted" {
		t.Errorf("the screen shows %q", got)
	}
}
