package script

import (
	"errors"
	"fmt"
	"strings"
)

// Split gives the words of a command line as a POSIX shell reads quotes and backslashes, and does nothing else that a shell does. What
// only a shell could do is refused, so that nobody takes it for done: variables, pipes, redirections, several commands. No error
// repeats a part of the line. Source: POSIX.1-2024, Shell Command Language, 2.2 Quoting.
func Split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	within, quote := false, rune(0) // a word; quotes in it
	runes := []rune(line)
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case quote == '\'' && r != '\'':
			word.WriteRune(r)
		case quote != 0 && r == quote:
			quote = 0
		case r == '\\':
			if i++; i == len(runes) {
				return nil, errors.New("it ends with a backslash")
			}
			if quote == '"' && !strings.ContainsRune("$`\"\\", runes[i]) {
				word.WriteRune('\\')
			}
			word.WriteRune(runes[i])
			within = true
		case r == '$', r == '`':
			return nil, forShell(r)
		case quote != 0:
			word.WriteRune(r)
		case r == '\'', r == '"':
			quote, within = r, true
		case r == ' ', r == '\t':
			if within {
				words = append(words, word.String())
			}
			word.Reset()
			within = false
		case strings.ContainsRune("|&;<>()\n", r):
			return nil, forShell(r)
		default:
			word.WriteRune(r)
			within = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("a %c is not closed", quote)
	}
	if within {
		words = append(words, word.String())
	}
	return words, nil
}

func forShell(r rune) error {
	return fmt.Errorf("no shell runs it, and %q is for one: quote it, or write sh -c '...'", r)
}
