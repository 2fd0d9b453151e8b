package credfile

import (
	"slices"
	"strings"
)

type pair struct{ key, value string }

// join joins the lines. final reports whether the last one ends in a line break.
func join(lines []string, final bool) string {
	text := strings.Join(lines, "")
	if text == "" {
		return ""
	}
	bare := strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	switch ended := strings.HasSuffix(text, "\n"); {
	case final && !ended:
		return text + "\n"
	case !final && ended:
		return bare
	}
	return text
}

// lineBreak is the one that the file uses.
func (d *document) lineBreak() string {
	if len(d.lines) > 0 && strings.HasSuffix(d.lines[0], "\r\n") {
		return "\r\n"
	}
	return "\n"
}

func (d *document) final() bool {
	return len(d.lines) == 0 || strings.HasSuffix(d.lines[len(d.lines)-1], "\n")
}

// withPairs returns the text with the pairs in section: it changes the lines of existing keys and
// adds lines for others, in the first of places whose result accept takes.
func withPairs(text, section string, pairs []pair, accept func(text string) bool) (string, bool, error) {
	var missing []pair
	for _, p := range pairs {
		d, err := scan(text)
		if err != nil {
			return "", false, err
		}
		at := d.lastSetting(section, p.key)
		if at < 0 {
			missing = append(missing, p)
			continue
		}
		final := d.final()
		if err := d.replace(d.entries[at], p.value); err != nil {
			return "", false, err
		}
		text = join(d.lines, final)
	}
	if len(missing) == 0 {
		return text, accept(text), nil
	}
	d, err := scan(text)
	if err != nil {
		return "", false, err
	}
	for _, at := range d.places(section, pairs) {
		lines, err := d.insert(at, section, missing)
		if err != nil {
			return "", false, err
		}
		if got := join(lines, d.final()); accept(got) {
			return got, true, nil
		}
	}
	return "", false, nil
}

const newSection = -1

// insert gives the lines with new keys of a section before line at, or in that section at the end.
func (d *document) insert(at int, section string, pairs []pair) ([]string, error) {
	nl, lines := d.lineBreak(), slices.Clone(d.lines)
	var added []string
	if at == newSection {
		if at = len(lines); at > 0 {
			added = append(added, nl)
		}
		added = append(added, "["+section+"]"+nl)
	}
	for _, p := range pairs {
		form, err := quoted(p.value, "")
		if err != nil {
			return nil, err
		}
		added = append(added, p.key+" = "+form+nl)
	}
	if at == len(lines) && at > 0 && !d.final() {
		lines[at-1] += nl
	}
	return slices.Insert(lines, at, added...), nil
}

// places lists the lines before which new keys can go: after the account's other key, the last
// account of the section, its last key, its header. There are several, because a line before may
// swallow the next one (a trailing backslash).
func (d *document) places(section string, pairs []pair) []int {
	other, account, last, open := -1, -1, -1, -1
	for _, e := range d.entries {
		if e.section != section {
			continue
		}
		switch e.kind {
		case header:
			open = e.last + 1
		case setting:
			if d.end(e) != e.last+1 {
				continue // the empty line may be the one that we put before a new section
			}
			last = e.last + 1
			if accountKey().MatchString(e.key) {
				account = last
			}
			if slices.ContainsFunc(pairs, func(p pair) bool { return p.key == e.key }) {
				other = last
			}
		}
	}
	var at []int
	for _, p := range []int{other, account, last, open} {
		if p >= 0 && !slices.Contains(at, p) {
			at = append(at, p)
		}
	}
	if len(at) == 0 {
		at = []int{newSection}
	}
	return at
}

// lastSetting returns the entry that counts: with a key written twice, ini.v1 takes the later one.
func (d *document) lastSetting(section, key string) int {
	for i := len(d.entries) - 1; i >= 0; i-- {
		if e := d.entries[i]; e.kind == setting && e.section == section && e.key == key {
			return i
		}
	}
	return -1
}

// end is the line after the entry, less an empty line that a trailing backslash took in.
func (d *document) end(e entry) int {
	if e.last > e.first && strings.TrimSpace(d.lines[e.last]) == "" {
		return e.last
	}
	return e.last + 1
}

// replace changes the value and keeps the indentation, the spacing, a comment after it and the number of lines,
// of which some may be empty then.
func (d *document) replace(e entry, v string) error {
	end := d.end(e)
	head, old := d.lines[e.first][:e.at], d.lines[e.first][e.at:]
	tail := ""
	if e.first == e.last {
		tail = inlineComment(old)
	}
	form, err := quoted(v, tail)
	if err != nil {
		return err
	}
	if strings.TrimSpace(old) == "" && !strings.HasSuffix(head, " ") && !strings.HasSuffix(head, "\t") {
		head += " "
	}
	last := d.lines[end-1]
	breaks := last[len(strings.TrimRight(last, "\r\n")):]
	clear(d.lines[e.first:end])
	d.lines[e.first] = head + form + breaks
	return nil
}

// inlineComment returns the comment after a value with the blanks before it. A `#` that touches the
// value is part of a raw password, which ini.v1 cut off there.
func inlineComment(old string) string {
	old = strings.TrimRight(old, "\r\n")
	from := 0
	for _, quote := range []string{`"""`, "`"} {
		if strings.HasPrefix(old, quote) {
			from = strings.LastIndex(old, quote) + len(quote)
			break
		}
	}
	i := strings.IndexAny(old[from:], "#;")
	if i < 0 {
		return ""
	}
	before := old[from : from+i]
	blanks := before[len(strings.TrimRight(before, " \t")):]
	if from+i == 0 {
		blanks = " "
	}
	if blanks == "" {
		return ""
	}
	return blanks + old[from+i:]
}

// withoutKeys returns the text without keys, by section. A section that this empties goes too, with the empty line before
// it, unless it holds a comment; keep forbids that, for sections that were empty before us.
func withoutKeys(text string, keys map[string][]string, keep map[string]bool) (string, error) {
	d, err := scan(text)
	if err != nil {
		return "", err
	}
	gone := make([]bool, len(d.lines))
	for i := 0; i < len(d.entries); {
		next := i + 1
		for next < len(d.entries) && d.entries[next].kind != header {
			next++
		}
		if section := d.entries[i].section; keys[section] != nil {
			d.strike(d.entries[i:next], keys[section], keep[section], gone)
		}
		i = next
	}
	var lines []string
	for i, line := range d.lines {
		if !gone[i] {
			lines = append(lines, line)
		}
	}
	return join(lines, d.final()), nil
}

// strike marks the lines of the keys in one run of a section (ini.v1 merges several), and of its header.
func (d *document) strike(run []entry, keys []string, keep bool, gone []bool) {
	removed, left := 0, 0
	for _, e := range run {
		switch {
		case e.kind == setting && slices.Contains(keys, e.key):
			removed++
			for i := e.first; i < d.end(e); i++ {
				gone[i] = true
			}
		case e.kind == setting || e.kind == comment:
			left++
		}
	}
	first := run[0].first
	behind := d.lines[first][strings.LastIndexByte(d.lines[first], ']')+1:]
	if run[0].kind != header || removed == 0 || left > 0 || keep || strings.ContainsAny(behind, "#;") {
		return
	}
	top := !slices.Contains(gone[:first], false) // also where all before it went
	gone[first] = true
	switch {
	case first > 0 && !gone[first-1] && strings.TrimSpace(d.lines[first-1]) == "":
		gone[first-1] = true
	case top:
		// At the top the empty line behind the section separated it from the next one.
		for i := first + 1; i < len(d.lines); i++ {
			if !gone[i] {
				gone[i] = strings.TrimSpace(d.lines[i]) == ""
				break
			}
		}
	}
}
