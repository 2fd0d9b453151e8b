package wizard

import (
	"strings"

	"github.com/AlecAivazis/survey/v2"
	"github.com/AlecAivazis/survey/v2/core"
	"github.com/AlecAivazis/survey/v2/terminal"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// one and some are survey's lists, but an answer that does not fit behind its question is left out there: it would break
// inside a name. It is shown below; see onTerminal.sayWhole.
type (
	one struct {
		*survey.Select
		width int // of the terminal, in columns
	}
	several struct {
		*survey.MultiSelect
		width int
	}
)

// Cleanup implements survey.Prompt.
func (o *one) Cleanup(config *survey.PromptConfig, answer any) error {
	if a, ok := answer.(core.OptionAnswer); ok && !fits(o.Message, a.Value, o.width) {
		a.Value = ""
		answer = a
	}
	return o.Select.Cleanup(config, answer)
}

// Cleanup implements survey.Prompt.
func (s *several) Cleanup(config *survey.PromptConfig, answer any) error {
	if all, ok := answer.([]core.OptionAnswer); ok {
		values := make([]string, len(all))
		for i, a := range all {
			values[i] = a.Value
		}
		if !fits(s.Message, strings.Join(values, ", "), s.width) {
			answer = []core.OptionAnswer{}
		}
	}
	return s.MultiSelect.Cleanup(config, answer)
}

// fits reports whether an answer goes behind its question.
func fits(message, answer string, width int) bool {
	return terminal.StringWidth("? "+message+" "+answer) <= width
}

// sayWhole shows the answers that are cut, or left out, in the line of their question.
func (t *onTerminal) sayWhole(message string, lines []string, entries []Entry, chosen ...int) {
	width, _ := t.tty.Size()
	var shown, whole []string
	for _, i := range chosen {
		shown, whole = append(shown, lines[i]), append(whole, term.Line(entries[i].Label))
	}
	if text := strings.Join(whole, ", "); text != strings.Join(shown, ", ") || !fits(message, text, width) {
		below := term.Wrap(text, width-len(indent))
		t.Say(strings.Split(indent+strings.ReplaceAll(below, "\n", "\n"+indent), "\n")...)
	}
}
