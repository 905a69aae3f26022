// Package filediff says how files differ: two contents, as a unified diff or a note of why there is none, and what one
// change in a project's history did to a file.
package filediff

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/toolrun/toolrun/internal/text/filetext"
)

// Limits bound the work of a comparison. The zero value has the defaults.
type Limits struct {
	// Bytes is how large each of the contents may be; the default is 2 MiB.
	Bytes int
	// Lines is how many lines both may have together, which cost more than their bytes; the default is 100,000.
	Lines int
	// Diff is how many bytes the diff may have; the default is 1 MiB.
	Diff int
}

// Unlimited compares whatever fits into memory.
var Unlimited = Limits{math.MaxInt - 1, math.MaxInt, math.MaxInt}

func (l Limits) withDefaults() Limits {
	return Limits{cmp.Or(l.Bytes, 2<<20), cmp.Or(l.Lines, 100_000), cmp.Or(l.Diff, 1<<20)}
}

// A Difference is between two contents. The zero value is none.
type Difference struct {
	// Diff is a unified diff in UTF-8, without the names of the files.
	Diff string
	// Note says why there is no diff.
	Note string
}

// None reports whether nothing differs.
func (d Difference) None() bool { return d == Difference{} }

// Notes of a [Difference].
const (
	NoteGone   = "the history does not have this version any more"
	NoteLarge  = "too large to compare"
	NoteFolder = "a folder with all that it contained"
	NoteBinary = "not text"
	NoteSame   = "only the encoding or the ends of lines changed"
)

// Compare compares two contents. What is text is up to [filetext.Readable].
func Compare(before, after []byte, limits Limits) Difference {
	if bytes.Equal(before, after) {
		return Difference{}
	}
	limits = limits.withDefaults()
	before, isText := filetext.Readable(before)
	after, isTextToo := filetext.Readable(after)
	switch {
	case !isText || !isTextToo:
		return Difference{Note: NoteBinary}
	case bytes.Equal(before, after):
		return Difference{Note: NoteSame}
	case max(len(before), len(after)) > limits.Bytes,
		bytes.Count(before, newline)+bytes.Count(after, newline) > limits.Lines:
		return Difference{Note: NoteLarge}
	}
	data := diff.Diff("", before, "", after)
	if len(data) > limits.Diff {
		return Difference{Note: NoteLarge}
	}
	for range 3 { // the names
		_, data, _ = bytes.Cut(data, newline)
	}
	return Difference{Diff: strings.ToValidUTF8(string(data), "\ufffd")}
}

var newline = []byte("\n")

// Unified returns the diff with the names of both files, or a line with the note. It is "" if there is no difference.
func (d Difference) Unified(from, to string) string {
	switch {
	case d.None():
		return ""
	case d.Note == NoteBinary:
		return fmt.Sprintf("Binary files %s and %s differ\n", from, to)
	case d.Note != "":
		return fmt.Sprintf("%s and %s: %s\n", from, to, d.Note)
	}
	return "--- " + from + "\n+++ " + to + "\n" + d.Diff
}
