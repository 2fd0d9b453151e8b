package secret

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// A secret is known in each form in which something may repeat it.
func TestHiddenForms(t *testing.T) {
	t.Parallel()
	for _, password := range []string{`Pa&rr<o>t"ed/1`, "Passw0rd!", `back\slash/und "quotes"`, "zwölf Böxkämpfer", "plain"} {
		h := &Hidden{}
		if text := "before " + password; h.Text(text) != text {
			t.Errorf("%q is known before it was learned", password)
		}
		h.Learn(password, "another-one")
		quoted, err := json.Marshal(password)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []string{
			password, html.EscapeString(password), url.QueryEscape(password), url.PathEscape(password), strconv.Quote(password),
			strconv.QuoteToASCII(password), string(quoted), strconv.Quote(string(quoted)), hex.EncodeToString([]byte(password)),
			strings.ToUpper(hex.EncodeToString([]byte(password))), strconv.Quote(html.EscapeString(password)),
		} {
			got := h.Text("<" + form + "> and " + form)
			if strings.Count(got, Redacted) != 2 || len(got) > len("<> and ")+2*len(Redacted)+12 {
				t.Errorf("%s: %s", form, got)
			}
		}
		for shift := range 3 {
			text := h.Text("Basic " + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("u", shift)+password)))
			if len(password) > 6 && (!strings.Contains(text, Redacted) || len(text) > len("Basic ")+len(Redacted)+3) {
				t.Errorf("base64 at %d: %s", shift, text)
			}
		}
	}
	h := &Hidden{}
	h.Learn("abc", "")
	if text := "abc is part of anything"; h.Text(text) != text {
		t.Errorf("%s", h.Text(text))
	}
}
