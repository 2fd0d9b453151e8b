package wizard

import (
	"fmt"
	"strings"
	"sync"

	"github.com/AlecAivazis/survey/v2"
	"github.com/AlecAivazis/survey/v2/core"
	"github.com/AlecAivazis/survey/v2/terminal"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

// input corrects survey's for answers longer than the line: at enter, survey moves the cursor to
// the end of the question, then goes up by the lines of question and answer, and erases what was
// above.
type input struct {
	*survey.Input
	width int // of the terminal, in columns

	typed any // the answer that is being checked
}

// Cleanup implements survey.Prompt.
func (i *input) Cleanup(config *survey.PromptConfig, answer any) error {
	i.down(answer)
	return i.Input.Cleanup(config, answer)
}

// Prompt implements survey.Prompt.
func (i *input) Prompt(config *survey.PromptConfig) (any, error) {
	answer, err := i.Input.Prompt(config)
	i.typed = answer
	return answer, err
}

// Error implements survey.Prompt.
func (i *input) Error(config *survey.PromptConfig, invalid error) error {
	i.down(i.typed)
	return i.Input.Error(config, invalid)
}

// down moves the cursor by the lines of the answer, which are on the screen.
func (i *input) down(answer any) {
	text, _ := answer.(string)
	question := "? " + i.Message + " "
	if i.Default != "" {
		question = "? " + i.Message + " (" + i.Default + ") "
	}
	if n := broken(question+text, i.width) - broken(question, i.width); n > 0 && text != i.Default {
		fmt.Fprintf(i.Stdio().Out, "\x1b[%dB", n)
	}
}

// broken is how often the terminal breaks a line.
func broken(line string, width int) int {
	n := terminal.StringWidth(line)
	if width <= 0 || n <= width {
		return 0
	}
	return (n - 1) / width
}

// one and some are survey's lists, without an answer that is too long for the question's line,
// which would break inside a name; see onTerminal.sayWhole.
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
func (o *onTerminal) sayWhole(message string, lines []string, entries []Entry, chosen ...int) {
	width, _ := o.tty.Size()
	var shown, whole []string
	for _, i := range chosen {
		shown, whole = append(shown, lines[i]), append(whole, term.Line(entries[i].Label))
	}
	if text := strings.Join(whole, ", "); text != strings.Join(shown, ", ") || !fits(message, text, width) {
		below := term.Wrap(text, width-len(indent))
		o.Say(strings.Split(indent+strings.ReplaceAll(below, "\n", "\n"+indent), "\n")...)
	}
}

// All questions have a line of keys, which goes with the answer. survey's templates are package
// variables, so they are set once per process.
const (
	askHelp  = `{{if .ShowHelp}}{{color "cyan"}}{{.Help}}{{color "reset"}}{{"\n"}}{{end}}`
	askMark  = `{{color "green+b"}}?{{color "reset"}} {{color "default+b"}}{{.Message}}`
	askDone  = `{{color "reset"}}{{color "cyan"}} {{.Answer}}{{color "reset"}}{{"\n"}}`
	listLine = `{{if eq .SelectedIndex .CurrentIndex}}{{color "cyan+b"}}>{{else}} {{end}}`
	listEnd  = `{{.CurrentOpt.Value}}{{color "reset"}}{{note ($.GetDescription .CurrentOpt) (eq .SelectedIndex .CurrentIndex)}}{{"\n"}}{{end}}`
	listRest = `{{"\n"}}{{range $i, $o := .PageEntries}}{{template "option" $.IterateOption $i $o}}{{end}}` + listMore + `{{end}}`
	// a list that goes on says so: nothing else tells that there is more than a page
	listMore = `{{if and (eq (len .PageEntries) .PageSize) (lt .PageSize (len .Options))}}  {{color "cyan"}}... more with up and down{{color "reset"}}{{"\n"}}{{end}}`
)

// keys is the line that names them.
func keys(words string) string {
	return `{{color "cyan"}}  ` + words + `esc: back{{if and .Help (not .ShowHelp)}}, ?: help{{end}}{{color "reset"}}{{"\n"}}`
}

var setTemplates = sync.OnceFunc(func() {
	core.TemplateFuncsWithColor["note"], core.TemplateFuncsNoColor["note"] = listNote, listNote
	survey.SelectQuestionTemplate = `{{define "option"}}` + listLine + ` ` + listEnd +
		askHelp + `{{if not .ShowAnswer}}` + keys("type to filter, ") + `{{end}}` + askMark +
		`{{if .ShowAnswer}}` + askDone + `{{else}}{{.FilterMessage}}{{color "reset"}}` + listRest
	survey.MultiSelectQuestionTemplate = `{{define "option"}}` + listLine +
		`{{if index .Checked .CurrentOpt.Index}} [x] {{else}} [ ] {{end}}` + listEnd +
		askHelp + `{{if not .ShowAnswer}}` + keys("space: choose, ") + `{{end}}` + askMark +
		`{{if .ShowAnswer}}` + askDone + `{{else}}{{.FilterMessage}}{{color "reset"}}` + listRest
	survey.InputQuestionTemplate = askHelp + `{{if not .ShowAnswer}}` + keys("") + `{{end}}` + askMark +
		`{{if .ShowAnswer}}` + askDone + `{{else}}{{color "reset"}}{{if .Default}} ({{.Default}}){{end}} {{end}}`
	survey.PasswordQuestionTemplate = askHelp + askMark + `{{color "reset"}} `                             // survey would leave the line of keys behind
	survey.ErrorTemplate = `{{color .Icon.Format}}{{.Icon.Text}} {{.Error.Error}}{{color "reset"}}` + "\n" //nolint:reassign // survey offers no other way
})
