package wizard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/AlecAivazis/survey/v2"
	"github.com/AlecAivazis/survey/v2/core"
	"github.com/AlecAivazis/survey/v2/terminal"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/crash"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// onTerminal asks with survey on a terminal of its own, so that stdout stays data.
type onTerminal struct {
	tty    *term.Terminal
	keys   *keyboard
	screen *screen
}

// OnTerminal is the Asker for people, one per process, because survey keeps templates and colours
// in package variables.
func OnTerminal(tty *term.Terminal) Asker {
	setTemplates()
	core.DisableColor = !tty.Colors.Enabled() // survey caches templates
	k := &keyboard{in: tty.In}
	return &onTerminal{tty: tty, keys: k, screen: &screen{out: tty.Out, keys: k}}
}

// Say implements Asker.
func (o *onTerminal) Say(lines ...string) {
	fmt.Fprintln(o.tty.Out, o.tty.Wrap(term.Lines(lines).String()))
}

// page is how many lines of a list fit beside the question, its keys and its help, which cannot be
// redrawn once they scroll away.
func (o *onTerminal) page(message, help string) (width, lines int) {
	width, height := o.tty.Size()
	above := strings.Count(o.help(help), "\n") + 1 + broken("? "+message, width)
	return width, max(3, min(15, height-5-above))
}

// Select implements Asker.
func (o *onTerminal) Select(ctx context.Context, q Choice) (int, error) {
	q.Message = term.Line(q.Message)
	width, page := o.page(q.Message, q.Help)
	_, _, more := labels(q.Entries, width-3, o.tty.Colors)
	page = max(3, page-more)
	index, at := order(len(q.Entries), q.Default, page)
	entries := make([]Entry, len(index))
	for i, from := range index {
		entries[i] = q.Entries[from]
	}
	var chosen int
	lines, notes, _ := labels(entries, width-3, o.tty.Colors)
	err := o.ask(ctx, &one{&survey.Select{
		Message: q.Message, Help: o.help(q.Help), Options: lines, Default: at,
		PageSize: page, Filter: newFilter(entries).match, Description: described(notes),
	}, width}, &chosen)
	if err == nil && chosen == len(entries) {
		err = errBack
	}
	if err != nil {
		return 0, err
	}
	o.sayWhole(q.Message, lines, entries, chosen)
	return index[chosen], nil
}

// described is the function that survey wants.
func described(notes []string) func(string, int) string {
	return func(_ string, index int) string { return notes[index] }
}

// MultiSelect implements Asker.
func (o *onTerminal) MultiSelect(ctx context.Context, q Choices) ([]int, error) {
	q.Message = term.Line(q.Message)
	width, page := o.page(q.Message, q.Help)
	var chosen []int
	lines, notes, more := labels(q.Entries, width-7, o.tty.Colors)
	err := o.ask(ctx, &several{&survey.MultiSelect{
		Message: q.Message, Help: o.help(q.Help), Options: lines, Default: slices.Clone(q.Default),
		PageSize: max(3, page-more), Filter: newFilter(q.Entries).match, Description: described(notes),
	}, width}, &chosen, survey.WithValidator(func(answer any) error {
		chosen, ok := answer.([]core.OptionAnswer)
		if !ok || q.Check == nil {
			return nil
		}
		var indexes []int
		for _, c := range chosen {
			if c.Index == len(q.Entries) {
				return nil
			}
			indexes = append(indexes, c.Index)
		}
		return o.wrapped(q.Check(indexes))
	}))
	if err == nil && slices.Contains(chosen, len(q.Entries)) {
		err = errBack
	}
	slices.Sort(chosen)
	if err == nil {
		o.sayWhole(q.Message, lines, q.Entries, chosen...)
	}
	return chosen, err
}

// Input implements Asker.
func (o *onTerminal) Input(ctx context.Context, q Line) (string, error) {
	var text string
	width, _ := o.tty.Size()
	shown := term.Line(q.Default)
	meant := func(text string) string { // the default is shown as a line of text, and means what it is
		if text = strings.TrimSpace(text); text == strings.TrimSpace(shown) {
			return strings.TrimSpace(q.Default)
		}
		return text
	}
	err := o.ask(ctx, &input{Input: &survey.Input{Message: term.Line(q.Message), Help: o.help(q.Help), Default: shown}, width: width}, &text,
		survey.WithValidator(func(answer any) error {
			text, _ := answer.(string)
			if text = meant(text); text == backWord || q.Check == nil {
				return nil
			}
			return o.wrapped(q.Check(text))
		}))
	if text = meant(text); err == nil && text == backWord {
		err = errBack
	}
	return text, err
}

// Password implements Asker.
func (o *onTerminal) Password(ctx context.Context, q Line) (string, error) {
	var text string
	err := o.ask(ctx, &survey.Password{Message: term.Line(q.Message), Help: o.help(q.Help)}, &text)
	return text, err
}

// Busy implements Asker.
func (o *onTerminal) Busy(text string) (done func()) {
	width, _ := o.tty.Size()
	fmt.Fprint(o.tty.Out, clip("  "+term.Line(text)+" ...", width-1, o.tty.Colors))
	return func() { fmt.Fprint(o.tty.Out, "\r\x1b[2K") }
}

// help is wrapped here: what survey wraps, it may count wrong.
func (o *onTerminal) help(text string) string {
	return o.tty.Wrap(term.Lines(strings.Split(text, "\n")).String())
}

// wrapped is an error in lines that fit behind their mark.
func (o *onTerminal) wrapped(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(strings.TrimPrefix(o.tty.Wrap("X "+term.ErrorText(err)), "X "))
}

// ask reads in the background, so that an interrupt ends the question at once. An abandoned read
// dies with the process.
func (o *onTerminal) ask(ctx context.Context, p survey.Prompt, answer any, opts ...survey.AskOpt) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o.keys.wentBack()
	_, line := p.(*input)
	_, password := p.(*survey.Password)
	o.keys.begin(line || password)
	fmt.Fprint(o.tty.Out, "\x1b[J") // what a change of the terminal's size left below
	opts = append(opts, survey.WithStdio(o.keys, o.screen, io.Discard), survey.WithShowCursor(true))
	done := make(chan error, 1)
	go func() { done <- crash.Try(func() error { return survey.AskOne(p, answer, opts...) }) }()
	select {
	case err := <-done:
		switch {
		case errors.Is(err, terminal.InterruptErr) && o.keys.wentBack():
			o.clear(p)
			return errBack
		case errors.Is(err, terminal.InterruptErr):
			return ErrInterrupted
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%w: the terminal was closed", term.ErrNoInput)
		}
		return err
	case <-ctx.Done():
		o.tty.Restore()
		fmt.Fprint(o.tty.Out, "\x1b[?25h\n")
		return ctx.Err()
	}
}

// clear takes a question off the screen that was left with the escape key.
func (o *onTerminal) clear(p survey.Prompt) {
	switch p := p.(type) {
	case *one:
		_ = p.Render("", nil)
	case *several:
		_ = p.Render("", nil)
	case *input: // the cursor has gone to the next line
		fmt.Fprint(o.screen, "\x1b[1A")
		_ = p.Render("", nil)
	}
}
