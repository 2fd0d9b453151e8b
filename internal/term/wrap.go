package term

import (
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

const gap = 2 // columns between two columns

// Width is how many columns of a terminal a text takes: letters of East Asian scripts take two.
func Width(s string) int { return twwidth.Width(s) }

// fit gives each column of the table a width so that a line fits into total (0 = no limit). Columns narrower than their
// fair share keep what they need; the others divide the rest. Words are broken only where nothing else is left.
func fit(rows [][]string, columns, total int) []int {
	natural, least := make([]int, columns), make([]int, columns)
	for _, row := range rows {
		for i, cell := range row {
			for _, line := range strings.Split(cell, "\n") {
				natural[i] = max(natural[i], twwidth.Width(line))
				for _, word := range strings.Fields(line) {
					least[i] = max(least[i], twwidth.Width(word))
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

// share divides room so that no column gets more than it wants or less than it needs, and the greedy ones get the same.
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

// Wrap breaks text into lines of at most width columns: between words, and inside a longer word after a sign that ends
// a part of it (`.`, `/`, `-`, `:`, `@`, `,`), so that a privilege id can still be read.
func Wrap(text string, width int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = wrap(line, width, breakWord)
	}
	return strings.Join(lines, "\n")
}

// between breaks text into lines of at most width columns between words only: a longer word reaches beyond, and so does a
// line with a flag, which is or holds a command that somebody may copy.
func between(text string, width int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if !strings.Contains(line, " -") {
			lines[i] = wrap(line, width, func(word string, _ int) []string { return []string{word} })
		}
	}
	return strings.Join(lines, "\n")
}

// wrap breaks one line between the parts of its words. What it is indented by stays before the first.
func wrap(line string, width int, parts func(word string, width int) []string) string {
	if twwidth.Width(line) <= width {
		return line
	}
	var out []string
	current := line[:len(line)-len(strings.TrimLeft(line, " "))]
	for _, word := range strings.Fields(line) {
		for i, part := range parts(word, width) {
			blank, sep := strings.TrimSpace(current) == "", " "
			if i > 0 || blank {
				sep = ""
			}
			if i > 0 || twwidth.Width(current+sep+part) > width {
				if !blank {
					out = append(out, current)
				}
				current, sep = "", ""
			}
			current += sep + part
		}
	}
	return strings.Join(append(out, current), "\n")
}

func breakWord(word string, width int) []string {
	var parts []string
	for twwidth.Width(word) > width {
		cut, used, good := 0, 0, 0
		for i, r := range word {
			w := twwidth.Width(string(r))
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
