package secret

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Hidden are the secrets sent over connections, which are taken out of every error, because a
// server or proxy could repeat one. The zero value knows none; methods are safe in parallel.
type Hidden struct {
	mu    sync.Mutex
	known map[string]bool
}

// shortest is the fewest bytes of a secret: shorter ones are parts of ordinary words.
const shortest = 4

// Learn adds secrets, except those shorter than four bytes, which are parts of ordinary words.
func (h *Hidden) Learn(secrets ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range secrets {
		if len(s) >= shortest && !h.known[s] {
			if h.known == nil {
				h.known = map[string]bool{}
			}
			h.known[s] = true
		}
	}
}

// Text is s without secrets. Their forms are made on demand, because a token's are hundreds of
// kilobytes and errors are rare. A secret longer than the text is not in it.
func (h *Hidden) Text(s string) string {
	h.mu.Lock()
	var all []string
	for known := range h.known {
		if len(known) <= len(s)+shortest {
			all = append(all, known)
		}
	}
	h.mu.Unlock()
	var found []string
	for _, known := range all {
		for _, form := range forms(known) {
			if strings.Contains(s, form) {
				found = append(found, form)
			}
		}
	}
	if len(found) == 0 {
		return s
	}
	slices.SortFunc(found, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) }) // the first that fits is taken
	var pairs []string
	for _, form := range slices.Compact(found) {
		pairs = append(pairs, form, Redacted)
	}
	return strings.NewReplacer(pairs...).Replace(s)
}

// What writes XML by hand escapes text and attributes so. Each is a table, made once.
var (
	textEscaper      = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	attributeEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;")
)

// forms are the spellings of a secret: raw, as quoted by XML, HTML, JSON, Go, URLs and header
// lines, in hexadecimal, and in base64 at all three alignments.
func forms(s string) []string {
	all := []string{
		s, html.EscapeString(s), url.QueryEscape(s), url.PathEscape(s), hex.EncodeToString([]byte(s)),
		strings.ToUpper(hex.EncodeToString([]byte(s))),
	}
	var text strings.Builder
	if xml.EscapeText(&text, []byte(s)) == nil {
		all = append(all, text.String())
	}
	all = append(all, textEscaper.Replace(s), attributeEscaper.Replace(s))
	quoted := []string{strconv.Quote(s), strconv.QuoteToASCII(s), strings.ReplaceAll(strconv.Quote(s), "/", `\/`)}
	if text, err := json.Marshal(s); err == nil {
		quoted = append(quoted, string(text))
	}
	for _, q := range quoted {
		all = append(all, q[1:len(q)-1])
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		for shift := range 3 {
			text := encoding.EncodeToString(append(make([]byte, shift), s...)) // at the end of the encoded text
			first := []int{0, 2, 3}[shift]                                     // skip what precedes the secret
			whole := (len(s) + shift) / 3 * 4                                  // full groups, without what follows
			if whole-first >= 2*shortest {                                     // less is part of anything
				all = append(all, text[first:], strings.TrimRight(text[first:], "="), text[first:whole])
			}
		}
	}
	for _, form := range all { // errors quote what they repeat
		quoted := strconv.Quote(form)
		all = append(all, quoted[1:len(quoted)-1])
	}
	return all
}

// Scrub is err without secrets in its text; errors.Is and errors.As see the same as before.
func (h *Hidden) Scrub(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if clean := h.Text(text); clean != text {
		return &cleanError{clean, err}
	}
	return err
}

// cleanError has the text of an error without the secrets in it.
type cleanError struct {
	text string
	err  error
}

// Error implements error.
func (e *cleanError) Error() string { return e.text }

// Unwrap gives errors.Is and errors.As the error itself.
func (e *cleanError) Unwrap() error { return e.err }
