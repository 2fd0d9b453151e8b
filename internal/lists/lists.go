// Package lists has what slices lacks, for lists of distinct names.
package lists

import (
	"fmt"
	"slices"
	"strings"
)

// AppendNew appends to a list those of more that it does not hold, each once, in their order.
func AppendNew[T comparable](to []T, more ...T) []T {
	for _, v := range more {
		if !slices.Contains(to, v) {
			to = append(to, v)
		}
	}
	return to
}

// Without returns those of list that are not in others, in order; nil if none.
func Without[T comparable](list, others []T) []T {
	var left []T
	for _, v := range list {
		if !slices.Contains(others, v) {
			left = append(left, v)
		}
	}
	return left
}

// Union returns what either of two lists holds, sorted, each once.
func Union(a, b []string) []string {
	all := append(slices.Clone(a), b...)
	slices.Sort(all)
	return slices.Compact(all)
}

// Few names the first of many.
func Few(names []string) string {
	const most = 4
	if len(names) <= most+1 {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
