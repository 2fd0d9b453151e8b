package credfile

import (
	"cmp"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/component"
)

// Blank is an account whose password is to be filled in.
type Blank struct {
	Server    string
	Component component.Name
	User      string // "" = it is to be filled in, too
}

// toFill stands for what is to be filled in.
const toFill = "..."

// Template is the text of a credentials file for somebody to fill in, as this package writes one: ... in backticks is what is
// missing. The backticks stay, because between them a password may hold every sign but themselves. An error names no user.
func Template(blanks []Blank) (string, error) {
	text := ""
	for _, b := range blanks {
		user, password := Keys(b.Component)
		pairs := []pair{{user, cmp.Or(b.User, toFill)}, {password, toFill}}
		if _, err := quoted(pairs[0].value, ""); err != nil {
			pairs[0].value = toFill // a person writes it as it is
		}
		var err error
		if text, _, err = withPairs(text, b.Server, pairs, func(string) bool { return true }); err != nil {
			return "", err
		}
	}
	return strings.ReplaceAll(text, " = "+toFill+"\n", " = `"+toFill+"`\n"), nil
}
