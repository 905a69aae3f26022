// Package lazyregexp has regular expressions that are compiled when they are first used. The hundred expressions of all
// packages together take milliseconds, which each start of the command would pay for.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that compiles an expression in its first call, and returns it in each. It panics then if the
// expression is wrong.
func New(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
