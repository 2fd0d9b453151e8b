package hint

import (
	"cmp"
	"strconv"
	"strings"
)

// Nearest returns the name in known that name was probably meant to be, "" if none is near. It
// finds, in this order: other capitalization, a few wrong, missing or swapped letters (up to a
// third of the name), a beginning (VirtualMachine.Config.Query), and right ends with a wrong middle
// (VirtualMachine.Inventory.Clone). A known name is its own nearest.
func Nearest(name string, known []string) string {
	if name == "" {
		return ""
	}
	low := strings.ToLower(name)
	best, bestRank := "", nearRank{kind: tooFar}
	for _, k := range known {
		if r := rank(name, low, k); r.compare(bestRank, k, best) < 0 {
			best, bestRank = k, r
		}
	}
	return best
}

// Suggest ends an error about an unknown word: the nearest known one, else all if few.
func Suggest(word string, known []string) string {
	// Distance costs length times length for each known word, so bound it.
	if len(word) <= 200 && len(known) <= 200 {
		if near := Nearest(word, known); near != "" {
			return "; did you mean " + Quote(near) + "?"
		}
	}
	if len(known) == 0 || len(known) > 20 {
		return ""
	}
	return "; known: " + strings.Join(known, ", ")
}

// Quote renders a value for an error: escaped, and cut if long.
func Quote(s string) string {
	const most = 80
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "..."
	}
	return strconv.Quote(s)
}

// The kinds of nearness, nearest first.
const (
	same = iota
	otherCase
	typo
	beginning
	sameEnds
	tooFar
)

type nearRank struct{ kind, distance int }

// compare orders by kind, distance and name, so that the order of known does not matter.
func (n nearRank) compare(o nearRank, name, other string) int {
	if n.kind == tooFar && o.kind == tooFar {
		return 0
	}
	return cmp.Or(cmp.Compare(n.kind, o.kind), cmp.Compare(n.distance, o.distance), strings.Compare(name, other))
}

// rank tells how near known is to name; low is name in lower case.
func rank(name, low, known string) nearRank {
	if name == known {
		return nearRank{kind: same}
	}
	k := strings.ToLower(known)
	if low == k {
		return nearRank{kind: otherCase}
	}
	limit := max(1, min(len(low), len(k))/3)
	if len(low)-len(k) <= limit && len(k)-len(low) <= limit {
		if closeParts(low, k) { // first, because most ids differ in their first part already
			if d := Distance(low, k); d <= limit {
				return nearRank{typo, d}
			}
		}
	}
	if len(low) >= 3 && strings.HasPrefix(k, low) {
		return nearRank{beginning, len(k) - len(low)}
	}
	if a, b, ok := ends(low); ok {
		if x, y, ok := ends(k); ok && a == x && b == y {
			return nearRank{sameEnds, Distance(low, k)}
		}
	}
	return nearRank{kind: tooFar}
}

// closeParts compares ids part by part, because a long common family is not enough. A lost dot is a typo.
func closeParts(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	if len(as) != len(bs) {
		return true
	}
	for i := range as {
		if Distance(as[i], bs[i]) > max(1, min(len(as[i]), len(bs[i]))/2) {
			return false
		}
	}
	return true
}

// ends returns the first and the last part of a dotted id with at least three parts.
func ends(id string) (first, last string, ok bool) {
	if strings.Count(id, ".") < 2 {
		return "", "", false
	}
	return id[:strings.IndexByte(id, '.')], id[strings.LastIndexByte(id, '.')+1:], true
}

// Distance counts letters to insert, delete, replace or swap with a neighbour between two words.
func Distance(from, to string) int {
	a, b := []rune(from), []rune(to)
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range a {
		row[0] = i + 1
		for j := range b {
			replace := last[j]
			if a[i] != b[j] {
				replace++
			}
			row[j+1] = min(replace, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
