package cluster

import (
	"encoding/base64"
	"strings"
)

// What no form reads is searched: the name of an account stands in a file of a program that nobody knows here, in a whole
// install-config, in base64 within text. A name counts where it is a word: ocp-c1-csi-driver is not in ocp-c1-csi-driver-2.

// mentions reports whether an account, name@domain, stands in a value of the secret, in whatever spelling.
func (o *Object) mentions(account string) bool {
	for _, value := range o.Data {
		if mentioned(string(value), strings.ToLower(account), 0) {
			return true
		}
	}
	return false
}

// nested is how often base64 is unpacked within text.
const nested = 3

func mentioned(text, account string, depth int) bool {
	plain := escapes.Replace(strings.ToLower(text))
	name, domain, _ := strings.Cut(account, "@")
	for from := 0; name != ""; {
		i := strings.Index(plain[from:], name)
		if i < 0 {
			break
		}
		start, end := from+i, from+i+len(name)
		if (start == 0 || !inName(plain[start-1])) && ends(plain[end:], domain) {
			return true
		}
		from = end
	}
	if depth == nested {
		return false
	}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !inBase64(r) }) {
		if inside, ok := unpack(word, len(name)); ok && mentioned(inside, account, depth+1) {
			return true
		}
	}
	return false
}

// escapes of URLs, and of JSON in JSON.
var escapes = strings.NewReplacer("%40", "@", "%5c", `\`, `\u0040`, "@", `\u005c`, `\`)

// ends reports whether a name ends here, and is followed by no other domain than its own.
func ends(rest, domain string) bool {
	if rest == "" {
		return true
	}
	if rest[0] != '@' {
		return !inName(rest[0]) || rest[0] == '.' && (len(rest) == 1 || !inName(rest[1]))
	}
	end := 1
	for end < len(rest) && inName(rest[end]) {
		end++
	}
	return end == 1 || strings.TrimRight(rest[1:end], ".") == domain
}

// inName reports whether a character may be within a name of SSO or a domain.
func inName(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b == '-' || b == '_' || b == '.' || b >= 0x80
}

func inBase64(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("+/-_=", r)
}

// unpack is the text that a word is the base64 of, standard or for URLs; false where it cannot hold a name of so many characters.
func unpack(word string, least int) (string, bool) {
	word = strings.TrimRight(word, "=")
	if len(word) < least {
		return "", false
	}
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if text, err := encoding.DecodeString(word); err == nil {
			return string(text), true
		}
	}
	return "", false
}
