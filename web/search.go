package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"regexp"
	"regexp/syntax"
	"strings"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/filetext"
	"github.com/toolrun/toolrun/internal/filetype"
	"github.com/toolrun/toolrun/internal/plaintext"
	"github.com/toolrun/toolrun/vfs"
)

type searchRequest struct {
	Project string `json:"project"`
	Text    string `json:"text"`
	Path    string `json:"path,omitempty" jsonschema:"search in this folder; the default is everywhere"`
	Regexp  bool   `json:"regexp,omitempty" jsonschema:"the text is a regular expression"`
	Case    bool   `json:"case,omitempty" jsonschema:"tell capital letters from small ones"`
}

type match struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty" jsonschema:"from 1; none if the name is what matches"`
	Text string `json:"text,omitempty" jsonschema:"the line, or a part of it"`
}

type searchAnswer struct {
	Matches []match `json:"matches"`
	More    bool    `json:"more" jsonschema:"there are more, or the time was up"`
}

const (
	maxMatches = 500
	maxLine    = 300
	searchTime = 10 * time.Second
	searchPart = 128 << 10 // bytes of a file that are searched at once: a longer line is several parts
	maxSteps   = 3000      // of a regular expression: its size as a program
)

func searchFiles(s *Server, r *request, in searchRequest) (searchAnswer, error) {
	pattern := in.Text
	if !in.Regexp {
		pattern = regexp.QuoteMeta(pattern)
	}
	if !in.Case {
		pattern = "(?i)" + pattern
	}
	none := bad("text", "this cannot be searched for")
	if in.Text == "" || len(in.Text) > 1000 {
		return searchAnswer{}, none
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || steps(parsed) > maxSteps {
		return searchAnswer{}, none
	}
	matches, err := regexp.Compile(pattern)
	if err != nil {
		return searchAnswer{}, none
	}
	ctx, cancel := context.WithTimeout(r.Context(), searchTime)
	defer cancel()
	return within(s, r, in.Project, "", func(p vfs.Project) (searchAnswer, error) {
		out := searchAnswer{Matches: []match{}}
		top, err := vfs.Clean(in.Path)
		if err != nil {
			return out, err
		}
		buffer := make([]byte, searchPart)
		err = afero.Walk(p, top, func(name string, info fs.FileInfo, err error) error {
			switch {
			case err != nil:
				return err
			case ctx.Err() != nil || len(out.Matches) >= maxMatches:
				out.More = true
				return errEnough
			}
			if matches.MatchString(info.Name()) && name != "/" {
				out.Matches = append(out.Matches, match{Path: name})
			}
			if !info.Mode().IsRegular() {
				return nil
			}
			f, err := p.Open(name)
			if err != nil {
				return nil // it is gone
			}
			defer f.Close()
			searchLines(ctx, decoded(f, info.Size(), buffer), matches, buffer, func(n int, line []byte, at int) bool {
				text := strings.ToValidUTF8(string(bytes.TrimRight(line, "\r\n")), "\ufffd")
				out.Matches = append(out.Matches, match{name, n, plaintext.Around(text, at, maxLine)})
				return len(out.Matches) < maxMatches
			})
			return nil
		})
		if errors.Is(err, errEnough) {
			err = nil
		}
		return out, err
	})
}

var errEnough = errors.New("enough")

// decoded returns the text of a file, decoded if it is not UTF-8 and not too large for the editor. It uses the buffer
// to look at how the file begins.
func decoded(f afero.File, size int64, buffer []byte) io.Reader {
	head := buffer[:min(size, filetype.HeadSize)]
	if n, _ := f.ReadAt(head, 0); size > maxEdit || n < len(head) {
		return f
	}
	if _, isBinary := filetype.Of("", head); !isBinary {
		return f
	}
	all, err := readAt(f, 0, size)
	if err != nil {
		return f
	}
	if text, _, ok := filetext.Decode(all); ok {
		return bytes.NewReader(text)
	}
	return f
}

// searchLines finds the first match of each line of a text, until found returns false or the context ends. A file that
// is no text has none. At the end of a part of a line that is longer than the buffer, the last quarter of it is
// searched again with what follows.
func searchLines(ctx context.Context, r io.Reader, matches *regexp.Regexp, buffer []byte,
	found func(n int, line []byte, at int) bool) {
	n, have, is := 1, 0, false // the number of the line, the bytes in the buffer, and whether the line has been found
	for first, more := true, true; more && ctx.Err() == nil; first = false {
		read, err := io.ReadFull(r, buffer[have:])
		have += read
		more = err == nil
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) ||
			first && bytes.IndexByte(buffer[:min(have, 8000)], 0) >= 0 {
			return
		}
		rest := buffer[:have]
		for len(rest) > 0 {
			line, after, whole := bytes.Cut(rest, []byte("\n"))
			if !whole && more && len(rest) < len(buffer) {
				break // it goes on
			}
			if !is {
				if at := matches.FindIndex(line); at != nil {
					is = true
					if !found(n, line, at[0]) {
						return
					}
				}
			}
			if whole {
				n, is = n+1, false
			} else if more {
				after = rest[len(rest)*3/4:]
			}
			rest = after
			if !whole {
				break
			}
		}
		have = copy(buffer, rest)
	}
}

// steps is how many steps a regular expression has, at least, when what is repeated has been written out.
func steps(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	if re.Op == syntax.OpCharClass {
		n = 1
	}
	for _, sub := range re.Sub {
		n = min(n+steps(sub), maxSteps+1)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, maxSteps+1)
}
