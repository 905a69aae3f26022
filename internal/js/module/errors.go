package module

import "fmt"

// A NotFoundError means that no module matches a specifier. Its text tells the author of the script what was looked for
// and what exists instead.
type NotFoundError struct {
	Specifier string
	importer  string // the path of the importing module, or "" for the main script
	reason    string
}

func (e *NotFoundError) Error() string {
	if e.importer == "" {
		return fmt.Sprintf("Cannot find module %s: %s", quote(e.Specifier), e.reason)
	}
	return fmt.Sprintf("Cannot find module %s imported from %s: %s", quote(e.Specifier), e.importer, e.reason)
}

// A SpecifierError means that a specifier can never name a module.
type SpecifierError struct {
	specifier string
	reason    string
}

func (e *SpecifierError) Error() string {
	return fmt.Sprintf("Cannot import %s: %s", quote(e.specifier), e.reason)
}

// A fileError means that a file cannot be a module, or cannot be read.
type fileError struct {
	path   string
	reason string
	err    error // of the file system, or nil; the text above does not include it
}

func (e *fileError) Error() string { return fmt.Sprintf("Cannot load %s: %s", e.path, e.reason) }
func (e *fileError) Unwrap() error { return e.err }

// A SyntaxError says where code cannot be parsed, and why.
type SyntaxError struct {
	file    string
	Line    int // from 1
	Column  int // from 1, in UTF-16 code units
	Message string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s (%s:%d:%d)", e.Message, e.file, e.Line, e.Column)
}

// maxQuoted limits the part of a specifier that an error shows, in bytes.
const maxQuoted = 200

// quote quotes a specifier for an error, cut if it is long.
func quote(s string) string {
	if len(s) > maxQuoted {
		return fmt.Sprintf("%q...", s[:maxQuoted])
	}
	return fmt.Sprintf("%q", s)
}
