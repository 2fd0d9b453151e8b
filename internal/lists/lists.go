// Package lists has what slices lacks: lists of names without order, in which each is once.
package lists

import "slices"

// AppendNew appends to a list those of more that it does not hold, each once, in their order.
func AppendNew[T comparable](to []T, more ...T) []T {
	for _, v := range more {
		if !slices.Contains(to, v) {
			to = append(to, v)
		}
	}
	return to
}

// Without returns those of list that are not among others, in the order of list; nil where none is left.
func Without[T comparable](list, others []T) []T {
	var left []T
	for _, v := range list {
		if !slices.Contains(others, v) {
			left = append(left, v)
		}
	}
	return left
}
