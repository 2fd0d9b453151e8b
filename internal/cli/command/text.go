package command

import "strings"

// Text takes the indentation of the source out of a help text.
func Text(s string) string { return strings.Join(trimmed(s), "\n") }

// Examples is text, indented as help shows examples.
func Examples(s string) string {
	lines := trimmed(s)
	for i, l := range lines {
		if l != "" {
			lines[i] = "  " + l
		}
	}
	return strings.Join(lines, "\n")
}

func trimmed(s string) []string {
	lines := strings.Split(strings.Trim(s, "\n"), "\n")
	indent := len(lines[0]) - len(strings.TrimLeft(lines[0], "\t"))
	for i, l := range lines {
		for n := 0; n < indent && strings.HasPrefix(l, "\t"); n++ {
			l = l[1:]
		}
		lines[i] = strings.TrimRight(l, " \t")
	}
	return lines
}
