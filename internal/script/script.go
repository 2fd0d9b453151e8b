// Package script quotes what stands in scripts and in lines that are copied into a shell. Nobody else quotes.
package script

import (
	"fmt"
	"strings"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/visible"
)

// Shell quotes s for bash, zsh and every shell of POSIX.1-2024: between single quotes nothing means anything. Where s
// holds what must not be shown raw, it is $'...' with the bytes of such signs in hexadecimal: still the same word.
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

// Sh quotes s for a file that any /bin/sh runs, those of before POSIX.1-2024 too: signs that hide stay as they are.
func Sh(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// Ps1 quotes s for a file that PowerShell runs, to which five signs are single quotes: signs that hide stay as they are.
// Source: about_Quoting_Rules, and the language specification, 2.3.5.2.
func Ps1(s string) string {
	return "'" + strings.NewReplacer("'", "''", "‘", "‘‘", "’", "’’", "‚", "‚‚", "‛", "‛‛").Replace(s) + "'"
}

// PowerShell quotes s for PowerShell as [Ps1] does. Where s holds what must not be shown raw,
// it is an expression in parentheses that comes to the same string; what is no UTF-8 no string of PowerShell can hold, and
// is U+FFFD there.
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

// Word is [Shell] for a line that a person reads: a word that no shell takes apart stays as it is.
func Word(s string) string {
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return !strings.ContainsRune(bare, r) }) {
		return Shell(s)
	}
	return s
}

// bare are the signs that mean nothing to a shell.
const bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._/=:,@%+"

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
