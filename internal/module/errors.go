package module

import "fmt"

// A NotFoundError means that no module matches a specifier. Its text tells the author of the script what was looked for
// and what exists instead.
type NotFoundError struct {
	Specifier string
	Importer  string // the path of the importing module, or "" for the main script
	Reason    string
}

func (e *NotFoundError) Error() string {
	if e.Importer == "" {
		return fmt.Sprintf("Cannot find module %s: %s", quote(e.Specifier), e.Reason)
	}
	return fmt.Sprintf("Cannot find module %s imported from %s: %s", quote(e.Specifier), e.Importer, e.Reason)
}

// A SpecifierError means that a specifier can never name a module.
type SpecifierError struct {
	Specifier string
	Reason    string
}

func (e *SpecifierError) Error() string {
	return fmt.Sprintf("Cannot import %s: %s", quote(e.Specifier), e.Reason)
}

// A FileError means that a file cannot be a module, or cannot be read.
type FileError struct {
	Path   string
	Reason string
	Err    error // of the file system, or nil; the text above does not include it
}

func (e *FileError) Error() string { return fmt.Sprintf("Cannot load %s: %s", e.Path, e.Reason) }
func (e *FileError) Unwrap() error { return e.Err }

// A SyntaxError says where code cannot be parsed, and why.
type SyntaxError struct {
	File    string
	Line    int // from 1
	Column  int // from 1, in UTF-16 code units
	Message string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s (%s:%d:%d)", e.Message, e.File, e.Line, e.Column)
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
