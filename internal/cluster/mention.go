package cluster

import (
	"bytes"
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"
)

// What no form reads is searched: the name of an account stands in a file of a program that nobody knows here, in a whole
// install-config, in base64 within text. A name counts where it is a word: ocp-c1-csi-driver is not in ocp-c1-csi-driver-2.

// mentions reports whether an account, name@domain, stands in a value of the secret, in whatever spelling.
func (o *Object) mentions(account string) bool {
	return slices.ContainsFunc(o.texts(), func(text string) bool { return mentioned(text, strings.ToLower(account)) })
}

// nested is how often base64 is unpacked within text, and least the length of a word that may be some.
const nested, least = 3, 8

// textsOf are the values of a secret and the texts in them that are in base64, in lower case.
func textsOf(data map[string][]byte) (all []string) {
	var add func(text string, depth int)
	add = func(text string, depth int) {
		all = append(all, plain(text))
		if depth == nested {
			return
		}
		for _, word := range words(text) {
			if inside, ok := unpack(word); ok {
				add(inside, depth+1)
			}
		}
	}
	for _, value := range data {
		add(string(value), 0)
	}
	return all
}

// words may be base64; lines of 64 or 76 characters are parts of one.
func words(text string) (all []string) {
	wrapped := false
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !inBase64(r) }) {
		if wrapped {
			all[len(all)-1] += word
		} else {
			all = append(all, word)
		}
		wrapped = len(word) == 64 || len(word) == 76
	}
	return all
}

// mentioned reports whether an account stands in a text, both in lower case.
func mentioned(text, account string) bool {
	name, domain, _ := strings.Cut(account, "@")
	for from := 0; name != ""; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(name)
		if (start == 0 || !inName(text[start-1])) && ends(text[end:], domain) {
			return true
		}
		from = end
	}
	return false
}

// plain is a text in lower case, without the escapes of URLs, and of JSON in JSON.
func plain(text string) string {
	text = strings.ToLower(text)
	for escaped, sign := range map[string]string{"%40": "@", "%5c": `\`, `\u0040`: "@", `\u005c`: `\`} {
		text = strings.ReplaceAll(text, escaped, sign)
	}
	return text
}

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

// unpack is the text that a word is the base64 of, standard or for URLs; false where it is of something else.
func unpack(word string) (string, bool) {
	if word = strings.TrimRight(word, "="); len(word) < least {
		return "", false
	}
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if text, err := encoding.DecodeString(word); err == nil {
			return string(text), utf8.Valid(text) && !bytes.ContainsRune(text, 0)
		}
	}
	return "", false
}
