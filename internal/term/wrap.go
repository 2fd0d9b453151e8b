package term

import (
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

const gap = 2 // columns between two columns

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

// wrap breaks text into lines of at most width columns: between words, and inside a longer word after a sign that ends
// a part of it (`.`, `/`, `-`, `:`, `@`, `,`), so that a privilege id can still be read.
func wrap(text string, width int) string {
	var out []string
	for _, line := range strings.Split(text, "\n") {
		if twwidth.Width(line) <= width {
			out = append(out, line)
			continue
		}
		current := ""
		for _, word := range strings.Fields(line) {
			for i, part := range breakWord(word, width) {
				sep := " "
				if i > 0 || current == "" {
					sep = ""
				}
				if current != "" && (i > 0 || twwidth.Width(current+sep+part) > width) {
					out = append(out, current)
					current, sep = "", ""
				}
				current += sep + part
			}
		}
		out = append(out, current)
	}
	return strings.Join(out, "\n")
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
