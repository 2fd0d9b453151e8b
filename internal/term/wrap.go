package term

import (
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"github.com/ocp-vsphere-admin/ocp-vsphere-admin/internal/pattern"
)

const gap = 2 // columns between two columns

// Width is how many columns of a terminal a text takes: letters of East Asian scripts take two.
func Width(s string) int { return twwidth.Width(s) }

// fit gives each column a width so that a line fits into total (0 = no limit). Columns below their
// fair share get what they need; the others divide the rest. Words are broken only at last.
func fit(rows [][]string, columns, total int) []int {
	natural, least := make([]int, columns), make([]int, columns)
	for _, row := range rows {
		for i, cell := range row {
			for _, line := range strings.Split(cell, "\n") {
				natural[i] = max(natural[i], twwidth.Width(line))
				for _, word := range strings.Fields(line) {
					if !thumbprint().MatchString(word) {
						least[i] = max(least[i], twwidth.Width(word))
					}
				}
			}
		}
	}
	room := total - gap*(columns-1)
	if total <= 0 || sum(natural) <= room {
		return natural
	}
	if sum(least) > room { // even words do not fit: break those of the widest columns
		return share(least, make([]int, columns), room)
	}
	return share(natural, least, room)
}

// share divides room: each column gets between its need and its want, greedy ones the same.
func share(want, need []int, room int) []int {
	low, high := 0, room
	widths := func(limit int) []int {
		w := make([]int, len(want))
		for i := range want {
			w[i] = max(1, need[i], min(want[i], limit))
		}
		return w
	}
	for low < high {
		mid := (low + high + 1) / 2
		if sum(widths(mid)) <= room {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return widths(low)
}

func sum(ns []int) int {
	total := 0
	for _, n := range ns {
		total += n
	}
	return total
}

// Wrap breaks text into lines of at most width columns: between words, and inside a longer word
// after one of `.`, `/`, `-`, `:`, `@`, `,`, so that privilege ids stay readable.
func Wrap(text string, width int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = fill(line, strings.Fields(line), width, "", breakWord)
	}
	return strings.Join(lines, "\n")
}

// Prose breaks text into lines of at most width columns (0 = no limit) between its [Words]; a
// longer word reaches beyond. Lines after the first of each are indented by hanging blanks.
func Prose(text string, width, hanging int) string {
	if width <= 0 {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = fill(line, Words(line), width, strings.Repeat(" ", hanging),
			func(word string, _ int) []string { return []string{word} })
	}
	return strings.Join(lines, "\n")
}

// Words are those of a line of prose, with each command as one word to copy: text in quotes ('oc
// get secrets'), and what begins with the name of a command, at the beginning or after a colon, up
// to the end. A label (`hint:`) stays with its command.
func Words(line string) []string {
	var all []string
	words, open := strings.Split(line, " "), 0
	for i, word := range words {
		labelled := len(all) == 1 && endsInColon(all[0])
		quoted := strings.HasPrefix(strings.TrimLeft(word, "("), "'")
		switch {
		case open > 0:
			all[len(all)-1] += " " + word
		case word == "":
		case (len(all) == 0 || endsInColon(words[i-1])) && slices.Contains(programs(), word):
			command := strings.Join(words[i:], " ")
			if labelled {
				return []string{all[0] + " " + command}
			}
			return append(all, command)
		case quoted && labelled:
			all[0] += " " + word
		default:
			all = append(all, word)
		}
		if quoted { // within a command, too
			open++
		}
		end := strings.TrimRight(word, ".,;:?)")
		open = max(0, open-(len(end)-len(strings.TrimRight(end, "'"))))
	}
	return all
}

// programs are what commands in our sentences begin with.
func programs() []string { return []string{"ocp-vsphere-admin", "oc", "export", "chmod"} }

func endsInColon(word string) bool {
	return strings.HasSuffix(strings.TrimSuffix(word, unpainted), ":")
}

// fill breaks one line between the parts of its words. The first keeps its indent; others begin
// with hanging.
func fill(line string, words []string, width int, hanging string, parts func(word string, width int) []string) string {
	if Width(line) <= width {
		return line
	}
	var out []string
	current := line[:len(line)-len(strings.TrimLeft(line, " "))]
	for _, word := range words {
		for i, part := range parts(word, width) {
			blank, sep := strings.TrimSpace(current) == "", " "
			if i > 0 || blank {
				sep = ""
			}
			if i > 0 || Width(current+sep+part) > width {
				if !blank {
					out = append(out, current)
				}
				current, sep = hanging, ""
			}
			current += sep + part
		}
	}
	return strings.Join(append(out, current), "\n")
}

// thumbprint is a word to copy, which is not broken.
var thumbprint = pattern.Of(`^([0-9A-F]{2}:){19,}[0-9A-F]{2},?$`)

func breakWord(word string, width int) []string {
	if thumbprint().MatchString(word) {
		return []string{word}
	}
	var parts []string
	for Width(word) > width {
		cut, used, good := 0, 0, 0
		for i, r := range word {
			w := Width(string(r))
			if used+w > width && i > 0 {
				break
			}
			used += w
			cut = i + len(string(r))
			if strings.ContainsRune("./-:@,", r) {
				good = cut
			}
		}
		if good > 0 {
			cut = good
		}
		if cut >= len(word) {
			break
		}
		parts = append(parts, word[:cut])
		word = word[cut:]
	}
	return append(parts, word)
}
