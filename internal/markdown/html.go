package markdown

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"sync"

	"github.com/yuin/goldmark"
)

const style = `:root{color-scheme:light dark}
body{max-width:72rem;margin:0 auto;padding:1rem;font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
pre{padding:.6rem;overflow-x:auto;border:1px solid;border-radius:.3rem;font:.85rem/1.4 ui-monospace,monospace}
@media print{pre{white-space:pre-wrap;font-size:.6rem}}`

// document is parsed when a page is made: few commands make one.
var document = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '{{.Hash}}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}}</title>
<style>{{.Style}}</style>
</head>
<body>
<main>
{{.Body}}</main>
</body>
</html>
`))
})

// SourceHash names a style or a script in a Content-Security-Policy.
func SourceHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// HTML is a page of Markdown as one file without script or network. Markup of HTML in it is left
// out.
func HTML(title string, page []byte) ([]byte, error) {
	var body, out bytes.Buffer
	if err := goldmark.Convert(page, &body); err != nil {
		return nil, err
	}
	err := document().Execute(&out, map[string]any{
		"Title": title, "Style": template.CSS(style), "Hash": SourceHash(style), //nolint:gosec // our own style
		"Body": template.HTML(body.String()), //nolint:gosec // goldmark leaves HTML out
	})
	return out.Bytes(), err
}
