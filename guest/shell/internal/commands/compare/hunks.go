package compare

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A filePatch is what a patch does to one file.
type filePatch struct {
	text    []string  // the lines before the first hunk
	line    int       // the number of the first hunk's line
	names   [3]string // the old name, the new one, and that of a line "Index:"
	headers [2]string // the lines of the old and the new name, without their marks
	absent  [2]bool   // the file is said not to be there before, or after
	git     bool
	moved   [2]string // where a file is moved from, and to
	copied  bool
	mode    string // that of the new file, or ""
	style   string // unified, context, normal, or "" without hunks
	hunks   []hunk
	crs     bool // the lines end with CRs, which are left out
}

// A hunk is a place where lines are replaced.
type hunk struct {
	at, newAt int // the first lines, from 1
	lines     []hunkLine
	function  string
}

// A hunkLine is a line that is kept (' '), removed ('-') or added ('+'). It has its end.
type hunkLine struct {
	op   byte
	text []byte
}

// counts returns how many lines there are before and after.
func (h *hunk) counts() (before, after int) {
	for _, l := range h.lines {
		if l.op != '+' {
			before++
		}
		if l.op != '-' {
			after++
		}
	}
	return before, after
}

// reversed returns the hunk that undoes another one.
func (h hunk) reversed() hunk {
	r := hunk{at: h.newAt, newAt: h.at, function: h.function}
	var added []hunkLine
	flush := func() {
		r.lines = append(r.lines, added...)
		added = nil
	}
	for _, l := range h.lines {
		switch l.op {
		case '-':
			added = append(added, hunkLine{'+', l.text})
		case '+':
			r.lines = append(r.lines, hunkLine{'-', l.text})
		default:
			flush()
			r.lines = append(r.lines, l)
		}
	}
	flush()
	return r
}

// A patchError is a patch that cannot be read.
type patchError string

func (e patchError) Error() string { return string(e) }

// A patchReader reads a patch.
type patchReader struct {
	lines [][]byte
	at    int
}

var (
	unifiedHead = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)\n?$`)
	normalHead  = regexp.MustCompile(`^(\d+)(?:,(\d+))?([acd])(\d+)(?:,(\d+))?\r?\n?$`)
	contextHead = regexp.MustCompile(`^(?:\*\*\*|---) (\d+)(?:,(\d+))? (?:\*\*\*\*|----)`)
	gitHead     = regexp.MustCompile(`^diff --git (?:"?a/|"?)(\S+) (?:"?b/|"?)(\S+)`)
)

func (r *patchReader) peek(ahead int) string {
	if r.at+ahead >= len(r.lines) {
		return ""
	}
	return string(r.lines[r.at+ahead])
}

// next returns what is done to the next file, or nil if there is no more.
func (r *patchReader) next() (*filePatch, error) {
	p := &filePatch{}
	begin := r.at
	git := false
	for ; r.at < len(r.lines); r.at++ {
		line := strings.TrimRight(r.peek(0), "\r\n")
		next := r.peek(1)
		switch {
		case strings.HasPrefix(line, "Index:"):
			p.names[2], _ = headerName(line[len("Index:"):])
		case strings.HasPrefix(line, "diff --git "):
			if git && p.changes() {
				// The one before has no hunks.
				return r.finish(p, begin)
			}
			p, git = &filePatch{git: true}, true
			begin = r.at
			if m := gitHead.FindStringSubmatch(line); m != nil {
				words := strings.SplitN(strings.TrimPrefix(line, "diff --git "), " ", 2)
				p.names = [3]string{words[0], words[1], ""}
			}
		case git && (strings.HasPrefix(line, "rename from ") || strings.HasPrefix(line, "copy from ")):
			p.moved[0], p.copied = line[strings.Index(line, "from ")+5:], line[0] == 'c'
		case git && (strings.HasPrefix(line, "rename to ") || strings.HasPrefix(line, "copy to ")):
			p.moved[1] = line[strings.Index(line, "to ")+3:]
		case git && strings.HasPrefix(line, "new file mode "):
			p.mode, p.absent[0] = line[len("new file mode "):], true
		case git && strings.HasPrefix(line, "new mode "):
			p.mode = line[len("new mode "):]
		case git && strings.HasPrefix(line, "deleted file mode "):
			p.absent[1] = true
		case strings.HasPrefix(line, "--- ") && strings.HasPrefix(next, "+++ "):
			r.header(p, 0, line)
			r.header(p, 1, next)
		case strings.HasPrefix(line, "*** ") && strings.HasPrefix(next, "--- ") &&
			strings.HasPrefix(r.peek(2), "***************"):
			r.header(p, 0, line)
			r.header(p, 1, next)
			r.at += 2
			p.style = "context"
			return r.finish(p, begin)
		case strings.HasPrefix(line, "@@ -") && p.headers != [2]string{}:
			p.style = "unified"
			return r.finish(p, begin)
		case normalHead.MatchString(line) && (strings.HasPrefix(next, "< ") || strings.HasPrefix(next, "> ")):
			p.style = "normal"
			return r.finish(p, begin)
		}
	}
	if git && p.changes() {
		return r.finish(p, begin)
	}
	return nil, nil
}

// changes says that there is something to do without any hunks.
func (p *filePatch) changes() bool { return p.moved[1] != "" || p.mode != "" || p.absent != [2]bool{} }

// header reads a line with a name.
func (r *patchReader) header(p *filePatch, i int, line string) {
	p.crs = p.crs || strings.HasSuffix(r.peek(i), "\r\n")
	line = strings.TrimRight(line, "\r\n")
	name, date := headerName(line[4:])
	p.headers[i] = line[4:]
	p.names[i] = name
	p.absent[i] = p.absent[i] || name == "/dev/null" || strings.HasPrefix(date, "1970-01-01 00:00:00") ||
		strings.HasPrefix(date, "Thu Jan  1 00:00:00") && strings.Contains(date, "1970")
}

// headerName returns the name in a header, and what follows it.
func headerName(s string) (name, rest string) {
	s = strings.TrimLeft(s, " \t")
	if strings.HasPrefix(s, `"`) {
		if end := strings.LastIndexByte(s, '"'); end > 0 {
			if name, err := strconv.Unquote(s[:end+1]); err == nil {
				return name, strings.TrimSpace(s[end+1:])
			}
		}
	}
	if at := strings.IndexByte(s, '\t'); at >= 0 {
		return s[:at], s[at+1:]
	}
	if at := strings.IndexByte(s, ' '); at >= 0 {
		return s[:at], s[at+1:]
	}
	return s, ""
}

// finish reads the hunks of a file.
func (r *patchReader) finish(p *filePatch, begin int) (*filePatch, error) {
	p.line = r.at + 1
	for _, line := range r.lines[begin:r.at] {
		p.text = append(p.text, strings.TrimRight(string(line), "\r\n"))
	}
	for {
		var h hunk
		var more bool
		var err error
		switch p.style {
		case "unified":
			h, more, err = r.unified(p)
		case "context":
			h, more, err = r.context()
		case "normal":
			h, more, err = r.normal()
		}
		if err != nil {
			return p, err
		}
		if !more {
			return p, nil
		}
		p.hunks = append(p.hunks, h)
	}
}

func (r *patchReader) malformed() error {
	return patchError(fmt.Sprintf("malformed patch at line %d: %s", r.at+1, r.peek(0)))
}

// body returns the text of a line after its mark, and joins it with "\ No newline at end of file".
func (r *patchReader) body(skip int) []byte {
	line := r.lines[r.at]
	text := line[min(skip, len(line)):]
	if !bytes.HasSuffix(text, []byte("\n")) {
		text = append(bytes.Clone(text), '\n')
	}
	r.at++
	if strings.HasPrefix(r.peek(0), `\`) {
		r.at++
		text = bytes.TrimSuffix(text, []byte("\n"))
	}
	return text
}

func count(s string) int {
	if s == "" {
		return 1
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return 1 << 40
	}
	return n
}

func (r *patchReader) unified(p *filePatch) (h hunk, more bool, err error) {
	line := strings.TrimSuffix(strings.TrimRight(r.peek(0), "\n"), "\r")
	if !strings.HasPrefix(line, "@@ -") {
		return h, false, nil
	}
	m := unifiedHead.FindStringSubmatch(line)
	if m == nil {
		return h, false, patchError(fmt.Sprintf("missing line number at line %d: %s", r.at+1, r.peek(0)))
	}
	r.at++
	h.at, h.newAt, h.function = count(m[1]), count(m[3]), m[5]
	before, after := count(m[2]), count(m[4])
	if before == 0 {
		h.at++
	}
	if after == 0 {
		h.newAt++
	}
	for before > 0 || after > 0 {
		if r.at >= len(r.lines) {
			if before != after || before > 3 {
				return h, false, patchError("unexpected end of file in patch")
			}
			// Empty lines at the end were lost.
			h.lines = append(h.lines, hunkLine{' ', []byte("\n")})
			before, after = before-1, after-1
			continue
		}
		line := r.peek(0)
		op := byte(' ')
		skip := 1
		switch {
		case line == "\n" || line == "\r\n":
			skip = 0
		case line[0] == '\t':
			skip = 0
		default:
			op = line[0]
		}
		switch {
		case op == ' ' && before > 0 && after > 0:
			before, after = before-1, after-1
		case op == '-' && before > 0:
			before--
		case op == '+' && after > 0:
			after--
		default:
			return h, false, r.malformed()
		}
		text := r.body(skip)
		if p.crs {
			text = bytes.Replace(text, []byte("\r\n"), []byte("\n"), 1)
		}
		h.lines = append(h.lines, hunkLine{op, text})
	}
	return h, true, nil
}

func (r *patchReader) context() (h hunk, more bool, err error) {
	if !strings.HasPrefix(r.peek(0), "***************") {
		return h, false, nil
	}
	start := r.at
	h.function = strings.TrimSuffix(strings.TrimPrefix(r.peek(0), "***************"), "\n")
	r.at++
	var parts [2][]hunkLine
	for i := range parts {
		m := contextHead.FindStringSubmatch(r.peek(0))
		if m == nil {
			if i == 0 {
				r.at = start
				return h, false, nil
			}
			return h, false, r.malformed()
		}
		r.at++
		from, to := count(m[1]), count(m[1])
		if m[2] != "" {
			to = count(m[2])
		}
		lines := to - from + 1
		if from == 0 || to < from {
			lines = 0
		}
		if i == 0 {
			h.at = max(1, from)
		} else {
			h.newAt = max(1, from)
		}
		for n := 0; n < lines && r.at < len(r.lines); n++ {
			line := r.peek(0)
			if len(line) < 2 || strings.IndexByte(" !+-", line[0]) < 0 || line[1] != ' ' && line[1] != '\t' ||
				i == 0 && contextHead.MatchString(line) {
				if line == "\n" {
					parts[i] = append(parts[i], hunkLine{' ', r.body(0)})
					continue
				}
				break
			}
			parts[i] = append(parts[i], hunkLine{line[0], r.body(2)})
		}
	}
	h.lines = merged(parts[0], parts[1])
	if before, _ := h.counts(); before == 0 {
		h.at++
	}
	return h, true, nil
}

// merged makes one list of the lines before and after. Either can be left out if only the other one has changes.
func merged(before, after []hunkLine) (lines []hunkLine) {
	i, j := 0, 0
	for i < len(before) || j < len(after) {
		for ; i < len(before) && before[i].op != ' '; i++ {
			lines = append(lines, hunkLine{'-', before[i].text})
		}
		for ; j < len(after) && after[j].op != ' '; j++ {
			lines = append(lines, hunkLine{'+', after[j].text})
		}
		switch {
		case i < len(before):
			lines = append(lines, before[i])
		case j < len(after):
			lines = append(lines, after[j])
		}
		i, j = i+1, j+1
	}
	return lines
}

func (r *patchReader) normal() (h hunk, more bool, err error) {
	m := normalHead.FindStringSubmatch(r.peek(0))
	if m == nil {
		return h, false, nil
	}
	span := func(from, to string) (at, n int) {
		at = count(from)
		if to == "" {
			return at, 1
		}
		return at, count(to) - at + 1
	}
	at, before := span(m[1], m[2])
	newAt, after := span(m[4], m[5])
	switch m[3] {
	case "a":
		at, before = at+1, 0
	case "d":
		newAt, after = newAt+1, 0
	}
	h.at, h.newAt = at, newAt
	r.at++
	take := func(n int, mark string, op byte) error {
		for range n {
			if !strings.HasPrefix(r.peek(0), mark) {
				if r.at >= len(r.lines) {
					return patchError(fmt.Sprintf("unexpected end of file in patch at line %d", r.at+1))
				}
				return patchError(fmt.Sprintf("'%s' expected at line %d of patch", mark[:1], r.at+1))
			}
			h.lines = append(h.lines, hunkLine{op, r.body(2)})
		}
		return nil
	}
	if err := take(before, "< ", '-'); err != nil {
		return h, false, err
	}
	if m[3] == "c" {
		if !strings.HasPrefix(r.peek(0), "---") {
			return h, false, patchError(fmt.Sprintf("'---' expected at line %d of patch", r.at+1))
		}
		r.at++
	}
	if err := take(after, "> ", '+'); err != nil {
		return h, false, err
	}
	return h, true, nil
}
