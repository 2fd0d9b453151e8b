package wizard

import (
	"fmt"

	"github.com/AlecAivazis/survey/v2"
	"github.com/AlecAivazis/survey/v2/terminal"
)

// input is survey's, put right for answers that do not fit on the line: at enter it moves the cursor back to the end of
// the question, but then goes up by as many lines as question and answer had together, and erases what was above.
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

// down moves the cursor by the lines of the answer alone. They are on the screen, since they were typed.
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
