package script

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Ansible quotes for YAML, whose double-quoted strings know all escapes that Go writes, and keeps Ansible from reading a template
// in it. Sources: YAML 1.2, 5.7; Ansible documentation, Advanced playbook syntax, unsafe or raw strings.
func Ansible(s string) string {
	quoted := strconv.Quote(strings.ToValidUTF8(s, "\uFFFD"))
	if strings.Contains(s, "{{") || strings.Contains(s, "{%") || strings.Contains(s, "{#") {
		return "!unsafe " + quoted
	}
	return quoted
}

// HCL quotes for HCL: a template, in which ${ and %{ begin what is evaluated.
func HCL(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	runes := []rune(strings.ToValidUTF8(s, "\uFFFD"))
	for i, r := range runes {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case (r == '$' || r == '%') && i+1 < len(runes) && runes[i+1] == '{':
			b.WriteRune(r)
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case !unicode.IsPrint(r):
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
