package term

import (
	"fmt"
	"strings"
)

// ShellWord quotes s for bash, zsh and every shell of POSIX.1-2024: between single quotes nothing means anything. Where s
// holds what must not be shown raw, it is $'...' with the bytes of such signs in hexadecimal: still the same word.
func ShellWord(s string) string {
	if Plain(s) {
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
	}
	escaped := visible(strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s), "", func(_ rune, _ int, raw string) string {
		var b strings.Builder
		for _, c := range []byte(raw) {
			fmt.Fprintf(&b, `\x%02x`, c)
		}
		return b.String()
	})
	return "$'" + escaped + "'"
}

// PowerShellWord quotes s for PowerShell, to which five signs are single quotes. Where s holds what must not be shown raw,
// it is an expression in parentheses that comes to the same string; what is no UTF-8 no string of PowerShell can hold, and
// is U+FFFD there.
// Source: about_Quoting_Rules, and the language specification, 2.3.5.2.
func PowerShellWord(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	quoted := "'" + strings.NewReplacer("'", "''", "‘", "‘‘", "’", "’’", "‚", "‚‚", "‛", "‛‛").Replace(s) + "'"
	if Plain(s) {
		return quoted
	}
	return "(" + visible(quoted, "", func(r rune, _ int, _ string) string {
		return fmt.Sprintf("' + [char]::ConvertFromUtf32(0x%x) + '", r)
	}) + ")"
}
