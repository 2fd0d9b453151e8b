package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page's parts
	"encoding/base64"
	"html/template"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/term"
)

//go:embed report.tmpl
var pageTemplate string

//go:embed report.css
var pageStyle string

//go:embed report.js
var pageScript string

// separator stands between the values of an attribute that lists some: no name has it.
const separator = "\u001f"

// page is parsed when the first report is made: few commands make one.
var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("report").Funcs(template.FuncMap{
		"date":     formatTime,
		"days":     formatCount,
		"lifetime": lifetime,
		"states":   states,
		"join":     func(list []string) string { return strings.Join(list, separator) },
		"add":      func(a, b int) int { return a + b },
	}).Parse(pageTemplate))
})

// HTML is the report as one file that needs no network: style and script are in it, and a Content-Security-Policy allows nothing
// else. Names of a vCenter are text wherever they stand.
func (r *Report) HTML() ([]byte, error) {
	var b bytes.Buffer
	v := r.view()
	v.Style, v.Script = template.CSS(pageStyle), template.JS(pageScript)
	v.StyleHash, v.ScriptHash = sourceHash(pageStyle), sourceHash(pageScript)
	if err := page().Execute(&b, v); err != nil {
		return nil, err
	}
	return shown(&b), nil
}

// shown is a page in which no name hides anything or turns the direction of what follows.
func shown(page *bytes.Buffer) []byte { return []byte(term.Shown(page.String(), "\n\t"+separator)) }

// sourceHash names a text in a Content-Security-Policy.
func sourceHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// formatTime writes a time, in UTC: a time.Time, or a pointer to one.
func formatTime(t any) string {
	const layout = "2006-01-02 15:04 UTC"
	switch t := t.(type) {
	case time.Time:
		return t.UTC().Format(layout)
	case *time.Time:
		if t != nil {
			return t.UTC().Format(layout)
		}
	}
	return "-"
}

// states is the stage of an account with its states, each once.
func states(stage string, others []string) string {
	all := []string{stage}
	for _, s := range others {
		all = lists.AppendNew(all, s)
	}
	return strings.Join(all, ", ")
}

// formatCount writes a number that may not be known.
func formatCount(n *int) string {
	if n == nil {
		return "-"
	}
	return strconv.Itoa(*n)
}
