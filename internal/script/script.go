// Package script alone quotes text for scripts and for lines to paste into a shell.
package script

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"unicode"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/visible"
)

// Shell quotes s for bash, zsh and every shell of POSIX.1-2024, in single quotes. Text with signs
// that must not be shown raw is $'...' with their bytes in hexadecimal, the same word.
func Shell(s string) string {
	if visible.Plain(s) {
		return Sh(s)
	}
	escaped := visible.Replace(strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s), "", func(_ rune, _ int, raw string) string {
		var b strings.Builder
		for _, c := range []byte(raw) {
			fmt.Fprintf(&b, `\x%02x`, c)
		}
		return b.String()
	})
	return "$'" + escaped + "'"
}

// Sh quotes s for any /bin/sh, even before POSIX.1-2024; hidden signs stay.
func Sh(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// Ps1 quotes s for a PowerShell file, where five signs are single quotes; hidden signs stay.
// Source: about_Quoting_Rules, and the language specification, 2.3.5.2.
func Ps1(s string) string {
	return "'" + strings.NewReplacer("'", "''", "‘", "‘‘", "’", "’’", "‚", "‚‚", "‛", "‛‛").Replace(s) + "'"
}

// PowerShell quotes s like [Ps1]. Text with signs that must not be shown raw is an expression in
// parentheses for the same string; invalid UTF-8, which PowerShell cannot hold, becomes U+FFFD.
func PowerShell(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	quoted := Ps1(s)
	if visible.Plain(s) {
		return quoted
	}
	return "(" + visible.Replace(quoted, "", func(r rune, _ int, _ string) string {
		return fmt.Sprintf("' + [char]::ConvertFromUtf32(0x%x) + '", r)
	}) + ")"
}

// onWindows says that lines are pasted into PowerShell.
const onWindows = runtime.GOOS == "windows"

// Word is [Shell], or [PowerShell] on Windows, for a line that a person reads: a word that the
// shell does not take apart stays as it is.
func Word(s string) string { return word(s, onWindows) }

func word(s string, powerShell bool) string {
	quote, signs := Shell, bare
	if powerShell {
		quote, signs = PowerShell, bareInPowerShell
	}
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return !strings.ContainsRune(signs, r) }) ||
		powerShell && (s[0] == '@' || s[0] == '-' && strings.ContainsAny(s, ".:")) {
		return quote(s)
	}
	return s
}

// The signs that mean nothing to a shell. PowerShell makes a list of a,b, splats @a, and takes
// -a.b and -a:b apart.
const (
	bareEverywhere   = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._/=:@%+"
	bareInPowerShell = bareEverywhere + `\`
	bare             = bareEverywhere + ","
)

// Program is [Word] for the first word of a line, which PowerShell runs, if it is quoted, after an &.
func Program(path string) string { return program(path, onWindows) }

func program(path string, powerShell bool) string {
	typed := word(path, powerShell)
	if powerShell && typed != path {
		return "& " + typed
	}
	return typed
}

// Chmod is the line that takes what mode says, such as 600 or go-w, from others; on Windows, where
// only access lists tell, all that the file's directory gives them.
func Chmod(mode, path string) string { return chmod(mode, path, onWindows) }

func chmod(mode, path string, powerShell bool) string {
	if powerShell {
		return "icacls " + PowerShell(path) + ` /inheritance:r /grant:r "${env:USERNAME}:F"`
	}
	return Line("chmod", mode, path)
}

// Export is the line that sets variables, NAME=value each, for what is run next.
func Export(variables ...string) string { return export(variables, onWindows) }

func export(variables []string, powerShell bool) string {
	if !powerShell {
		return "export " + Line(variables...)
	}
	return strings.Join(Each(variables, func(variable string) string {
		name, value, _ := strings.Cut(variable, "=")
		return "$env:" + name + " = " + PowerShell(value)
	}), "; ")
}

// Line is a command line of words, each quoted where it has to be.
func Line(words ...string) string { return strings.Join(Each(words, Word), " ") }

// Each quotes every word.
func Each(words []string, quote func(string) string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = quote(w)
	}
	return out
}

// Govc quotes an inventory path for a shell and for govc, which reads it as a pattern.
func Govc(inventoryPath string) string {
	return Shell(strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(inventoryPath))
}

// Ansible quotes for YAML, whose double-quoted strings know Go's escapes, and keeps Ansible from
// reading templates. Sources: YAML 1.2, 5.7; Ansible documentation, Advanced playbook syntax,
// unsafe or raw strings.
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

// Split returns the words of a command line by a POSIX shell's quotes and backslashes. It refuses
// what only a shell does: variables, pipes, redirections, several commands. No error repeats a part
// of the line. Source: POSIX.1-2024, Shell Command Language, 2.2 Quoting.
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
