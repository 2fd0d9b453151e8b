package report

import (
	"bytes"
	"cmp"
	_ "embed" // the page's parts
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/inspect"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/lists"
	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/markdown"
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
		"may":      may,
		"status":   Control.status,
		"whom":     whom,
		"made":     madeBy,
		"abuse":    VCenter.abuse,
		"short":    short,
		"whole":    whole,
		"arrow":    arrow,
		"join":     func(list []string) string { return strings.Join(list, separator) },
		"add":      func(a, b int) int { return a + b },
	}).Parse(pageTemplate))
})

// HTML is the report as one file without the network: it contains style and script, and a
// Content-Security-Policy allows nothing else. Names of a vCenter are always text.
func (r *Report) HTML() ([]byte, error) {
	var b bytes.Buffer
	v := r.view()
	v.Style, v.Script = template.CSS(pageStyle), template.JS(pageScript) //nolint:gosec // our own
	v.StyleHash, v.ScriptHash = markdown.SourceHash(pageStyle), markdown.SourceHash(pageScript)
	if err := page().Execute(&b, v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// shown is a value in whose texts nothing hides, breaks lines or turns the direction of what follows.
func shown[T any](v T) T {
	return mapped(v, func(_, text string) string { return term.Line(text) })
}

// Said is a sentence in which each name that is read from the right stands for itself.
func (v *view) Said(text string) template.HTML {
	text = template.HTMLEscapeString(v.isolated.Replace(text))
	return template.HTML(strings.NewReplacer("\x01", "<bdi>", "\x02", "</bdi>").Replace(text)) //nolint:gosec // escaped
}

// isolated puts marks around the names of a report that are read from the right: no text has such.
func (r *Report) isolated() *strings.Replacer {
	var names, pairs []string
	add := func(kind, text string) string {
		if !slices.Contains([]string{"word", "made", "text"}, kind) && strings.ContainsFunc(text, fromRight) {
			names = lists.AppendNew(names, text)
		}
		return text
	}
	mapped(r, add)
	for _, e := range r.Exceptions {
		add("", e.Owner)
		add("", e.Reason)
	}
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) }) // parts of others last
	for _, name := range names {
		pairs = append(pairs, name, "\x01"+name+"\x02")
	}
	return strings.NewReplacer(pairs...)
}

// fromRight reports whether a character is of a script that is read from the right.
// Source: Unicode 16, DerivedBidiClass.txt, blocks whose default is R or AL.
func fromRight(c rune) bool {
	return c >= 0x590 && c <= 0x8ff || c >= 0xfb1d && c <= 0xfdff || c >= 0xfe70 && c <= 0xfeff ||
		c >= 0x10800 && c <= 0x10fff || c >= 0x1e800 && c <= 0x1efff
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

// Measures of the map, in pixels.
const (
	rowHeight   = 24
	headHeight  = 44
	columnWidth = 168
	charWidth   = 7 // of the paths; wide characters take two
	indent      = 12
	headEvery   = 40 // rows
	columnsEach = 6  // of a picture, so that paper can hold it
)

type mapView struct {
	VCenter
	Open         bool
	Pictures     []picturePart
	Rows         []tableRow
	Accounts     []Column
	Needs        []needRow
	Events, Made []Event
}

// picturePart is the map of some accounts.
type picturePart struct {
	ID            string
	Width, Height int
	Heads         []headRow
	Rows          []mapRow
}

// tableRow is an object in the table of the map.
type tableRow struct {
	Path  string
	Cells []box
}

type headRow struct {
	Y       int
	Columns []headCell
}

type headCell struct {
	X               int
	Head, Sub, Full string
	Components      []string
}

type mapRow struct {
	X, Y, TextY int
	Name, Path  string
	Boxes       []box
}

// box is a cell of the map.
type box struct {
	X, Width          int
	Class, Text, Full string
	Bad               bool
	Components        []string
}

func (r *Report) drawn(n int, v VCenter) mapView {
	m := mapView{VCenter: v, Open: n == 0 || len(r.VCenters) <= 3, Accounts: v.Columns, Needs: r.needRows(v)}
	m.Events, m.Made = v.events()
	for _, node := range v.Map {
		row := tableRow{Path: node.Path}
		for k, c := range node.Cells {
			b := boxOf(c)
			b.Components = v.Columns[k].Components
			row.Cells = append(row.Cells, b)
		}
		m.Rows = append(m.Rows, row)
	}
	for from := 0; from == 0 || from < len(v.Columns); from += columnsEach {
		p := m.picture(from, min(from+columnsEach, len(v.Columns)))
		p.ID = fmt.Sprintf("map-%d-%d", n+1, from+1)
		m.Pictures = append(m.Pictures, p)
	}
	return m
}

// picture draws the map of some columns.
func (m *mapView) picture(from, to int) (p picturePart) {
	left := 0
	for _, node := range m.Map {
		left = max(left, node.Depth*indent+term.Width(name(node))*charWidth+16)
	}
	x := func(i int) int { return left + i*columnWidth }
	for i, node := range m.Map {
		if i%headEvery == 0 {
			p.Heads = append(p.Heads, heads(m.Columns[from:to], p.Height+16, x))
			p.Height += headHeight
		}
		row := mapRow{X: node.Depth * indent, Y: p.Height, TextY: p.Height + 15, Name: name(node), Path: node.Path}
		for k, b := range m.Rows[i].Cells[from:to] {
			if b.X, b.Width, b.Text = x(k), columnWidth-8, fitted(b.Text); b.Class != "" {
				row.Boxes = append(row.Boxes, b)
			}
		}
		p.Rows = append(p.Rows, row)
		p.Height += rowHeight
	}
	p.Width = x(to - from)
	return p
}

func heads(columns []Column, y int, x func(int) int) headRow {
	h := headRow{Y: y}
	for i, c := range columns {
		head := strings.Join(c.Components, ", ")
		head = cmp.Or(head, "not specified")
		h.Columns = append(h.Columns, headCell{
			X: x(i), Head: fitted(head), Sub: fitted(c.Principal),
			Full: head + ": " + c.Principal, Components: c.Components,
		})
	}
	return h
}

// name is what the map calls an object: its own name, and / for the root folder.
func name(n Node) string {
	if n.Path == "/" {
		return n.Path
	}
	return cut(n.Path[strings.LastIndex(n.Path, "/")+1:], 20, 11)
}

// boxOf is what a cell shows: what is on the object itself, else what it inherits.
func boxOf(c Cell) box {
	var b box
	var texts, full []string
	here := false
	for _, e := range c.Entries {
		if !e.Counts {
			full = append(full, fmt.Sprintf("%s%s from %s does not count: %s", e.Role, arrow(e.Propagate), cmp.Or(e.From, "the object itself"), strings.TrimSpace(e.Why+" "+e.By)))
			continue
		}
		here = here || e.From == ""
		texts = append(texts, cmp.Or(e.Word, e.Role)+arrow(e.Propagate && e.From == ""))
		full = append(full, entryText(e))
	}
	switch {
	case here:
		b.Class = "set"
	case texts != nil:
		b.Class = "from"
	}
	b.Text = strings.Join(texts, " + ")
	switch c.State {
	case inspect.PermissionMissing, inspect.PermissionDiffers:
		b.Bad, b.Class = true, "bad"
		b.Text = "! " + cmp.Or(b.Text, "nothing") + ", wanted: " + c.Wanted
		full = append(full, c.State+", wanted: "+c.Wanted)
	case inspect.PermissionUnwanted:
		b.Bad, b.Class = true, "bad"
		b.Text = "! " + b.Text + ", not wanted"
		full = append(full, c.State)
	}
	b.Full = strings.Join(full, "; ")
	b.Full = cmp.Or(b.Full, "nothing")
	return b
}

// entryText is a permission that counts, in full.
func entryText(e Entry) string {
	text := e.Role
	if e.Word != "" && e.Word != e.Role {
		text = e.Word + " (role " + e.Role + ")"
	}
	if e.Drift != nil {
		text += ", whose privileges were changed: " + strings.Join(e.Drift, " ")
	}
	if e.Propagate {
		text += ", propagates"
	}
	if e.From != "" {
		text += ", inherited from " + e.From
	}
	if e.Through != "" {
		text += ", through the group " + e.Through
	}
	return text
}

// fitted is a text as a column of the map has room for it; the whole is in its title.
func fitted(text string) string { return cut(text, 21, 0) }
