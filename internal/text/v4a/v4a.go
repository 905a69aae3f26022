// Package v4a reads and applies patches in the format V4A, which OpenAI's models write for apply_patch:
//
//	*** Begin Patch
//	*** Update File: /src/main.go
//	*** Move to: /src/tool.go
//	@@ func main() {
//	 	a()
//	-	b()
//	+	c()
//	*** Add File: /notes.txt
//	+one line
//	*** Delete File: /old.txt
//	*** End Patch
//
// Lines to change are found by themselves and their context, not by numbers. What models add around a patch (a fence, a
// here-document) is left out.
package v4a

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/internal/text/lazyregexp"
)

// A Kind says what a patch does with a file.
type Kind string

// The kinds, as they are written in a patch.
const (
	Add    Kind = "Add"
	Update Kind = "Update"
	Delete Kind = "Delete"
)

// A File is what a patch does with one file.
type File struct {
	Kind Kind
	Path string
	// To, if not empty, is the path to which an updated file is moved.
	To string
	// Text is the content of an added file. All its lines are ended, as they are in the patch.
	Text  string
	hunks []hunk
}

// Changes reports whether an update changes the content.
func (f *File) Changes() bool {
	return slices.ContainsFunc(f.hunks, func(h hunk) bool { return len(h.edits) > 0 })
}

// A hunk changes lines that follow each other.
type hunk struct {
	line    int      // of the patch
	anchors []string // lines in front of which nothing is changed, from @@
	old     []string // the lines that the file must have
	edits   []edit
	atEnd   bool // old is at the end of the file
}

// An edit replaces lines of old, from at on, which can be none.
type edit struct {
	at, removed int
	added       []string
}

// A SyntaxError says what is wrong with a patch, in a sentence for the model.
type SyntaxError struct{ Text string }

// Error implements error.
func (e *SyntaxError) Error() string { return e.Text }

// A MissError says that a file does not have the lines that a patch is to change.
type MissError struct {
	Line int    // of the patch, at which the lines begin
	Old  string // the lines
	// After is the number of lines of the file above the place from which on they were looked for.
	After int
	// Places is how often the file has them: 0, or more if a line of @@ that should tell which is missing, or if they
	// are above After only.
	Places int
	Anchor string // a line of @@ that is missing, or ""
}

// Error implements error.
func (e *MissError) Error() string {
	return fmt.Sprintf("the lines at line %d of the patch are missing", e.Line)
}

const (
	begin     = "*** Begin Patch"
	end       = "*** End Patch"
	moveTo    = "*** Move to: "
	endOfFile = "*** End of File"
)

const (
	maxShown = 100       // bytes of a line that an error repeats
	maxLines = 1_000_000 // of a patch, and of a file: each costs more than its bytes
)

func invalid(format string, args ...any) error { return &SyntaxError{fmt.Sprintf(format, args...)} }

// A parser reads the lines of a patch, which have no ends, but a \r where the end was \r\n.
type parser struct {
	lines []string
	at    int
}

// line returns the next line without \r.
func (p *parser) line() string { return strings.TrimSuffix(p.lines[p.at], "\r") }

// wrong is the error for the next line.
func (p *parser) wrong(what string) error {
	line := p.line()
	if len(line) > maxShown {
		line = strings.ToValidUTF8(line[:maxShown], "") + "..."
	}
	return invalid("Line %d of the patch is %q: %s.", p.at+1, line, what)
}

// Parse reads a patch. The error is a *[SyntaxError].
func Parse(patch string) ([]File, error) {
	if strings.Count(patch, "\n") > maxLines {
		return nil, invalid("The patch has more than %d lines. Split it.", maxLines)
	}
	p := &parser{lines: strings.Split(patch, "\n")}
	is := func(want string) func(string) bool {
		return func(line string) bool { return strings.TrimSpace(line) == want }
	}
	first := slices.IndexFunc(p.lines, is(begin))
	last := slices.IndexFunc(p.lines, is(end))
	switch around := regexp.MustCompile("^\\s*(```.*|.*<<.*|['\"]?EOF['\"]?|)\\s*$"); {
	case first < 0 || slices.ContainsFunc(p.lines[:first], func(s string) bool { return !around.MatchString(s) }):
		return nil, invalid("The patch must begin with the line %q.", begin)
	case last < first:
		return nil, invalid("The patch must end with the line %q. Send all of it.", end)
	case slices.ContainsFunc(p.lines[last+1:], func(s string) bool { return !around.MatchString(s) }):
		return nil, invalid("There is more behind %q, which is line %d of the patch.", end, last+1)
	}
	p.lines, p.at = p.lines[:last], first+1
	var files []File
	for p.at < len(p.lines) {
		if strings.TrimSpace(p.line()) == "" {
			p.at++
			continue
		}
		f := File{}
		for _, kind := range []Kind{Add, Update, Delete} {
			if name, ok := strings.CutPrefix(p.line(), "*** "+string(kind)+" File:"); ok {
				f.Kind, f.Path = kind, strings.TrimSpace(name)
			}
		}
		if f.Path == "" {
			return nil, p.wrong("it should be *** Add File: PATH, *** Update File: PATH or *** Delete File: PATH")
		}
		p.at++
		var err error
		switch f.Kind {
		case Add:
			err = p.added(&f)
		case Update:
			err = p.updated(&f)
		}
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if files == nil {
		return nil, invalid("The patch has no *** Add File: PATH, *** Update File: PATH or *** Delete File: PATH.")
	}
	return files, nil
}

// inFile reports whether the next line belongs to the file that is being read.
func (p *parser) inFile() bool {
	return p.at < len(p.lines) && (!strings.HasPrefix(p.lines[p.at], "*** ") || p.line() == endOfFile)
}

func (p *parser) added(f *File) error {
	var b strings.Builder
	for ; p.inFile(); p.at++ {
		line := p.lines[p.at]
		switch {
		case strings.HasPrefix(line, "+"):
			b.WriteString(line[1:] + "\n")
		case strings.TrimSpace(line) != "" && p.line() != endOfFile:
			return p.wrong("each line of an added file begins with +")
		}
	}
	f.Text = b.String()
	return nil
}

// ranges matches what a unified diff has behind @@: its numbers mean nothing here.
var ranges = lazyregexp.New(`^-\d+(,\d+)? \+\d+(,\d+)? @@ ?`)

func (p *parser) updated(f *File) error {
	if p.at < len(p.lines) && strings.HasPrefix(p.line(), moveTo) {
		if f.To = strings.TrimSpace(p.line()[len(moveTo):]); f.To == "" {
			return p.wrong("it should be *** Move to: PATH")
		}
		p.at++
	}
	for p.inFile() {
		h, err := p.hunk(len(f.hunks) == 0)
		if err != nil {
			return err
		}
		f.hunks = append(f.hunks, h)
	}
	if !f.Changes() && f.To == "" {
		return invalid("The update of %s changes nothing: it has no line that begins with + or -.", f.Path)
	}
	return nil
}

func (p *parser) hunk(first bool) (h hunk, err error) {
	for ; p.inFile() && strings.HasPrefix(p.line(), "@@"); p.at++ {
		anchor := ranges().ReplaceAllString(strings.TrimPrefix(p.line()[2:], " "), "")
		if strings.TrimSpace(anchor) != "" {
			h.anchors = append(h.anchors, anchor)
		}
		first = true
	}
	if !first && p.line() != endOfFile {
		return h, p.wrong("a hunk behind *** End of File begins with @@")
	}
	h.line = p.at + 1
	var e edit
	flush := func() {
		if e.removed > 0 || len(e.added) > 0 {
			h.edits = append(h.edits, e)
		}
		e = edit{at: len(h.old)}
	}
	for ; p.inFile() && !strings.HasPrefix(p.line(), "@@"); p.at++ {
		line := p.line()
		if line == endOfFile {
			h.atEnd = true
			p.at++
			break
		}
		sign, rest := byte(' '), ""
		if line != "" {
			sign, rest = line[0], line[1:]
		}
		switch sign {
		case ' ':
			h.old = append(h.old, rest)
			flush()
		case '-':
			if len(e.added) > 0 { // lines that are removed behind some that are added
				flush()
			}
			h.old = append(h.old, rest)
			e.removed++
		case '+':
			e.added = append(e.added, rest)
		default:
			return h, p.wrong("each line of an update begins with a space, + or -, or is @@ and a line above")
		}
	}
	flush()
	return h, nil
}

// Apply returns a text with the changes of an update. All lines of the text end with \n, maybe except the last one. The
// error is a *[MissError], or a *[SyntaxError] if that would take too much.
func (f *File) Apply(text string) (string, error) {
	if strings.Count(text, "\n") > maxLines {
		return "", invalid("The file %s has more than %d lines, too many for a patch.", f.Path, maxLines)
	}
	lines := strings.Split(text, "\n")
	ended := lines[len(lines)-1] == "" // an empty text gets lines that are ended
	if ended {
		lines = lines[:len(lines)-1]
	}
	var b strings.Builder
	var s finder
	done, cursor := 0, 0 // lines that have been written, and from where on the next hunk is looked for
	write := func(lines ...string) {
		for _, line := range lines {
			b.WriteString(line + "\n")
		}
	}
	for i := range f.hunks {
		h := &f.hunks[i]
		at, old, err := h.find(&s, lines, cursor)
		if s.compared >= maxCompared {
			return "", invalid("The patch of %s is too large to be applied at once. Send its hunks one by one.", f.Path)
		}
		if err != nil {
			return "", err
		}
		for _, e := range h.edits {
			write(lines[done : at+e.at]...)
			write(e.added...)
			done = at + e.at + e.removed
		}
		cursor = at + old
	}
	write(lines[done:]...)
	edited := b.String()
	if !ended {
		edited = strings.TrimSuffix(edited, "\n")
	}
	return edited, nil
}

// find returns where the lines of a hunk are, from the cursor on, and how many of them count.
func (h *hunk) find(s *finder, lines []string, cursor int) (at, count int, err error) {
	missing := ""
	for _, anchor := range h.anchors {
		if i := s.search(lines, []string{anchor}, cursor); i >= 0 {
			cursor = i + 1
		} else if s.search(lines[:cursor], []string{anchor}, 0) < 0 { // one above is where the cursor has come by
			missing = anchor
		}
	}
	old := h.old
	for {
		switch {
		case len(old) == 0 && h.atEnd:
			at = len(lines)
		case len(old) == 0:
			at = cursor
		default:
			at = -1
			if last := len(lines) - len(old); h.atEnd && last >= cursor {
				at = s.search(lines, old, last)
			}
			if at < 0 {
				at = s.search(lines, old, cursor)
			}
		}
		// An empty line at the end of a hunk may be there for the looks.
		if n := len(old); at >= 0 || n == 0 || old[n-1] != "" || h.reaches(n) {
			break
		}
		old = old[:len(old)-1]
	}
	miss := &MissError{Line: h.line, Old: strings.Join(h.old, "\n"), After: cursor, Anchor: missing}
	switch {
	case at < 0:
		if s.search(lines, old, 0) >= 0 {
			miss.Places = 1
		}
		return 0, 0, miss
	case missing != "" && (len(old) == 0 || s.search(lines, old, at+1) >= 0):
		miss.Places = 2
		return 0, 0, miss
	}
	return at, len(old), nil
}

// reaches reports whether an edit is at the last of n lines, or behind it.
func (h *hunk) reaches(n int) bool {
	return slices.ContainsFunc(h.edits, func(e edit) bool { return e.at+e.removed >= n })
}

// A finder looks for lines until it has compared too many.
type finder struct{ compared int }

// maxCompared is how many lines are compared for one file: about a second's work.
const maxCompared = 100_000_000

// search returns where lines have some that follow each other, from a place on, or -1: exactly these, or else without
// blanks at their ends, or else without indentation, too.
func (s *finder) search(lines, what []string, from int) int {
	for _, same := range []func(a, b string) bool{
		func(a, b string) bool { return a == b },
		func(a, b string) bool { return strings.TrimRight(a, blanks) == strings.TrimRight(b, blanks) },
		func(a, b string) bool { return strings.Trim(a, blanks) == strings.Trim(b, blanks) },
	} {
		for i := from; i+len(what) <= len(lines) && s.compared < maxCompared; i++ {
			n := 0
			for n < len(what) && same(lines[i+n], what[n]) {
				n++
			}
			if s.compared += n + 1; n == len(what) {
				return i
			}
		}
	}
	return -1
}

const blanks = " \t\r"
