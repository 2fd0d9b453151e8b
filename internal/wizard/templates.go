package wizard

import (
	"sync"

	"github.com/AlecAivazis/survey/v2"
	"github.com/AlecAivazis/survey/v2/core"
)

// The questions look the same everywhere: a line of keys, which goes once the answer is there, and the question. Survey
// renders templates that are its package's variables, so they are set once per process.
const (
	askHelp  = `{{if .ShowHelp}}{{color "cyan"}}{{.Help}}{{color "reset"}}{{"\n"}}{{end}}`
	askMark  = `{{color "green+b"}}?{{color "reset"}} {{color "default+b"}}{{.Message}}`
	askDone  = `{{color "reset"}}{{color "cyan"}} {{.Answer}}{{color "reset"}}{{"\n"}}`
	listLine = `{{if eq .SelectedIndex .CurrentIndex}}{{color "cyan+b"}}>{{else}} {{end}}`
	listEnd  = `{{.CurrentOpt.Value}}{{color "reset"}}{{note ($.GetDescription .CurrentOpt) (eq .SelectedIndex .CurrentIndex)}}{{"\n"}}{{end}}`
	listRest = `{{"\n"}}{{range $i, $o := .PageEntries}}{{template "option" $.IterateOption $i $o}}{{end}}{{end}}`
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
