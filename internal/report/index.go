package report

import (
	"bytes"
	_ "embed" // the page
	"html/template"
	"time"
)

//go:embed index.tmpl
var indexTemplate string

// Index is a page that names the reports of several clusters.
type Index struct {
	Made    time.Time // UTC
	Tool    string    // name and version of what wrote it
	Verdict string
	Bad     bool // something is wrong, or was not looked at
	Rows    []IndexRow
}

// IndexRow is one cluster.
type IndexRow struct {
	Cluster string
	File    string // of its report, beside the page; "" = there is none
	VCenters, Accounts, LoggedIn, Missing,
	Excess int
	Outcome string
	Bad     bool
	Why     string // why there is no report
}

// HTML is the page as one file that needs no network.
func (x Index) HTML() ([]byte, error) {
	var b bytes.Buffer
	page := template.Must(template.New("index").Funcs(template.FuncMap{"date": formatTime}).Parse(indexTemplate))
	err := page.Execute(&b, struct {
		Index
		Style     template.CSS
		StyleHash string
	}{x, template.CSS(pageStyle), sourceHash(pageStyle)}) //nolint:gosec // our own style
	return shown(&b), err
}
