package recording

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/text/plaintext"
)

// source is what a run has read of a file, from its beginning.
type source struct {
	name    string
	line    int // where it was opened
	content []byte
	whole   bool // and there was no more
}

// sources returns what the run has read of files that it had not changed before, in the order in which it opened them.
func (r *Recording) sources() []*source {
	var all []*source
	open := map[string]*source{} // by how operations name the open file
	changed := map[string]bool{}
	opened := 0
	for i := range r.events {
		e := &r.events[i]
		kind, how, _ := strings.Cut(e.Kind, " ")
		switch kind {
		case "open", "create":
			if e.Error != nil {
				continue
			}
			opened++
			if how != "" && how != "r" || kind == "create" {
				changed[e.About] = true
			}
			if !changed[e.About] {
				s := &source{name: e.About, line: e.number}
				open[fmt.Sprintf("#%d %s", opened, e.About)] = s
				all = append(all, s)
			}
		case "remove", "removes", "mkdir", "mkdirs", "truncate":
			changed[e.About] = true
		case "rename":
			from, to, _ := strings.Cut(e.About, " to ")
			changed[from], changed[to] = true, true
		case kindRead:
			about, at := e.About, -1
			if i := strings.LastIndex(about, " at "); i >= 0 && open[about] == nil {
				if n, err := strconv.Atoi(about[i+4:]); err == nil {
					about, at = about[:i], n
				}
			}
			s := open[about]
			if s == nil || at >= 0 && at != len(s.content) || s.whole {
				continue
			}
			s.content = append(s.content, e.bytes...)
			s.whole = len(e.bytes) == 0 || e.Error != nil && e.Error.error() == io.EOF
		case "seek":
			for about := range open {
				if strings.HasPrefix(e.About, about+" ") {
					delete(open, about)
				}
			}
		}
	}
	return all
}

// Compare returns the first file that the run has read and that has another content now, as a difference, or nil. The
// error is that of reading.
func (r *Recording) Compare(files afero.Fs) (*DifferenceError, error) {
	for _, s := range r.sources() {
		if len(s.content) == 0 && !s.whole { // a directory, or it was not read
			continue
		}
		text, args, err := s.differs(files)
		if err != nil {
			return nil, err
		}
		if text != "" {
			text = plaintext.Clean(s.name, 200) + " " + fmt.Sprintf(text, args...)
			return &DifferenceError{Line: s.line, Text: text}, nil
		}
	}
	return nil, nil
}

// differs says how a file differs, or returns "".
func (s *source) differs(files afero.Fs) (text string, args []any, err error) {
	f, err := files.Open(s.name)
	if err != nil {
		if pathError, ok := err.(*fs.PathError); ok {
			err = pathError.Err
		}
		return "cannot be read any more: %v", []any{err}, nil
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, int64(len(s.content))+1))
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", s.name, err)
	}
	if !s.whole && len(content) > len(s.content) {
		content = content[:len(s.content)]
	}
	if bytes.Equal(content, s.content) {
		return "", nil, nil
	}
	same := common(content, s.content)
	n := 1 + bytes.Count(content[:same], []byte("\n"))
	from := 1 + bytes.LastIndexByte(content[:same], '\n')
	return "has changed since: line %d is %s and was %s",
		[]any{n, excerpt(content[from:]), excerpt(s.content[from:])}, nil
}
