package module

import "fmt"

// ComplexityError says that TypeScript code nests too deeply to be parsed safely.
type ComplexityError struct {
	File   string
	Line   int // from 1
	Column int // from 1, in UTF-16 code units
	Reason string
}

func (e *ComplexityError) Error() string {
	return fmt.Sprintf("%s (%s:%d:%d)", e.Reason, e.File, e.Line, e.Column)
}

func checkComplexity(code, name string) error { return nil }
