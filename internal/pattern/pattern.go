// Package pattern has regular expressions that are compiled when they are first used. Compiling
// those of all rooms takes a seventh of a short run, which needs none of them.
package pattern

import (
	"regexp"
	"sync"
)

// Of returns what compiles a regular expression the first time, and gives the same one from then
// on. It panics then if the expression is none.
func Of(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
