package python

import "fmt"

// A Check is a run that must end as it says, in every build.
type Check struct {
	Code string
	text string // of the result
	kind string // of the exception
	line int    // of the exception
}

// Checks are runs that show that a build is one that this package can drive. Do them in one sandbox, one after the
// other, before any other code.
func Checks() []Check {
	checks := []Check{
		{Code: "6 * 7", text: "42"},
		{Code: "x = 1", text: ""},
		{Code: "def f():\n    return 1 / 0\nf()", kind: "ZeroDivisionError", line: 2},
		{Code: "1 +", kind: "SyntaxError", line: 1},
		{Code: "def f(): f()\nf()", kind: "RecursionError", line: 1},
		{Code: "import sqlite3\nsqlite3.connect(':memory:').execute('select 6 * 7').fetchone()", text: "(42,)"},
		{Code: "import asyncio\nawait asyncio.sleep(0, 'slept')", text: "'slept'"},
	}
	for _, size := range []int{0, 1, 2, 3, 4, 100, 70_000} { // of a comment, so that requests have any length
		checks = append(checks, Check{Code: fmt.Sprintf("%d #%0*d", size, size, 0), text: fmt.Sprint(size)})
	}
	return checks
}

// Failed returns how a check that ended with a report has failed, or nil.
func (c Check) Failed(r *Report) error {
	var text, kind string
	var line int
	if r.Text != nil {
		text = *r.Text
	}
	if r.Exception != nil {
		kind, line = r.Exception.Type, r.Exception.Line
	}
	if text != c.text || kind != c.kind || line != c.line {
		return fmt.Errorf("python: this build of CPython does not do what it should: %.100q gives %q, %s in line %d",
			c.Code, text, kind, line)
	}
	return nil
}
