// Package filesearch finds lines in files. The command, the page and the tools for models share its rules:
//
//   - [filetext.Readable] says what is text, and decodes UTF-16 and Latin-1. A file that is too large to be read as a
//     whole is searched as UTF-8.
//   - Lines are searched without their ends. One of more than 128 KiB is searched in parts, which overlap.
//   - Files that are not searched are named: binary files, UTF-16 that is too large, links, special files, and what
//     cannot be read. A directory that cannot be read is left out.
//   - Regular expressions are those of RE2, with at most [MaxPattern] bytes and some 3,000 steps, so that none is slow.
package filesearch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"regexp"
	"regexp/syntax"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/progress"
	"github.com/toolrun/toolrun/internal/text/filetext"
	"github.com/toolrun/toolrun/internal/text/plaintext"
)

// MaxPattern is how many bytes a pattern may have.
const MaxPattern = 10 << 10

const (
	usualWhole = 4 << 20   // bytes of a file that is read as a whole
	maxPart    = 128 << 10 // bytes that are searched at once
	headSize   = 8000      // bytes of a larger file that say whether it is text
	maxSteps   = 3000      // of a regular expression: its size as a program
	maxSkipped = 20        // files that are named although they have not been searched
)

// Options say what to search for. The zero value searches for nothing, which is an error.
type Options struct {
	// Pattern is a regular expression, or a text if Plain is set.
	Pattern string
	Plain   bool
	// IgnoreCase does not tell capital letters from small ones.
	IgnoreCase bool
	// Visible leaves out hidden files and directories, and node_modules.
	Visible bool
	// Names also finds the files and directories whose names match.
	Names bool
	// Once finds only the first match in each file.
	Once bool
	// Matches is after how many matches the search ends; zero is never.
	Matches int
	// Line is how many bytes of a line are shown, around the match; zero is all of it.
	Line int
	// Whole is how many bytes of a file are read at once, at least 128 KiB; zero is 4 MiB. Larger ones are not decoded.
	Whole int
	// Time is after how long the search ends; zero is never.
	Time time.Duration
}

// A Match is a line of a file, or a file or directory whose name matches.
type Match struct {
	Path string
	Line int    // from 1; 0 if it is the name that matches
	Text string // of the line, in UTF-8
}

// A Result is what a search has found.
type Result struct {
	Matches []Match
	// Files is how many files have lines that match.
	Files int
	// More reports that there may be more matches: the search has ended early.
	More bool
	// NotSearched names 20 of the files that have not been searched, and says why not; "" if there are none.
	NotSearched string
}

// A PatternError says why a pattern cannot be searched for.
type PatternError struct{ Err error }

// Error implements error.
func (e *PatternError) Error() string { return e.Err.Error() }

// compile returns the regular expression to search for.
func (o *Options) compile() (*regexp.Regexp, error) {
	pattern := o.Pattern
	if pattern == "" || len(pattern) > MaxPattern {
		return nil, &PatternError{fmt.Errorf("a pattern is required, with at most %d bytes", MaxPattern)}
	}
	if o.Plain {
		pattern = regexp.QuoteMeta(pattern)
	}
	if o.IgnoreCase {
		pattern = "(?i)" + pattern
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err == nil && steps(parsed) > maxSteps {
		err = errors.New("the pattern is too large")
	}
	if err != nil {
		return nil, &PatternError{err}
	}
	return regexp.Compile(pattern)
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

// Search searches files, and directories with all that is in them. The paths are in the normal form of vfs.Clean; a
// path that does not exist is an error. The error is a [*PatternError] if the pattern cannot be searched for. When the
// context ends, the result has what has been found until then.
func Search(ctx context.Context, files afero.Fs, paths []string, o Options) (Result, error) {
	pattern, err := o.compile()
	if err != nil {
		return Result{}, err
	}
	limited := ctx
	if o.Time > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, o.Time)
		defer cancel()
	}
	o.Matches, o.Whole = cmp.Or(o.Matches, math.MaxInt), max(cmp.Or(o.Whole, usualWhole), maxPart)
	s := &search{o: o, ctx: limited, files: files, pattern: pattern}
	for _, name := range paths {
		var info fs.FileInfo
		if info, err = files.Stat(name); err == nil {
			err = s.look(name, info)
		}
		if err != nil {
			break
		}
	}
	if more := s.skipped - maxSkipped; more > 0 {
		s.NotSearched += fmt.Sprintf(" and %d more", more)
	}
	if err == errEnough || err != nil && limited.Err() != nil && ctx.Err() == nil {
		s.More, err = true, nil
	}
	return s.Result, err
}

// A search looks through files for lines.
type search struct {
	Result
	o       Options
	ctx     context.Context
	files   afero.Fs
	pattern *regexp.Regexp
	skipped int
	buffer  bytes.Buffer // the content of a file, or a part of it
	// unchecked is how many bytes have been searched since the context was looked at.
	unchecked int
}

// errEnough ends a search that has found enough.
var errEnough = errors.New("enough has been found")

// skip notes a file that is not searched.
func (s *search) skip(name, why string) {
	if s.skipped++; s.skipped > maxSkipped {
		return
	}
	if s.NotSearched != "" {
		s.NotSearched += ", "
	}
	s.NotSearched += name + " (" + why + ")"
}

// found notes a match. The error is errEnough if there were enough before.
func (s *search) found(m Match) error {
	if len(s.Matches) == s.o.Matches {
		return errEnough
	}
	s.Matches = append(s.Matches, m)
	return nil
}

func (s *search) look(name string, info fs.FileInfo) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	if s.o.Names && name != "/" && s.pattern.MatchString(path.Base(name)) {
		if err := s.found(Match{Path: name}); err != nil {
			return err
		}
	}
	switch {
	case info.Mode().IsRegular():
		err := s.lookInFile(name, info.Size())
		if isGone(err) {
			s.skip(name, "it cannot be read")
			return nil
		}
		return err
	case !info.IsDir():
		s.skip(name, "a link or a special file")
		return nil
	}
	infos, err := afero.ReadDir(s.files, name)
	if isGone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, inside := range infos {
		if s.o.Visible && (strings.HasPrefix(inside.Name(), ".") || inside.Name() == "node_modules") {
			continue
		}
		if err := s.look(path.Join(name, inside.Name()), inside); err != nil {
			return err
		}
	}
	return nil
}

// isGone reports whether something was removed meanwhile, or cannot be read.
func isGone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR)
}

func (s *search) lookInFile(name string, size int64) error {
	f, err := s.files.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	r := progress.Reader(f)
	s.buffer.Reset()
	whole := int64(s.o.Whole)
	s.buffer.Grow(int(min(max(size, 0), whole)) + bytes.MinRead)
	n, err := s.buffer.ReadFrom(io.LimitReader(r, whole))
	if err != nil {
		return err
	}
	content := s.buffer.Bytes()
	if n < whole {
		text, ok := filetext.Readable(content)
		if !ok {
			s.skip(name, "binary")
			return nil
		}
		return s.lookInText(name, text, nil)
	}
	switch _, ok := filetext.Readable(content[:headSize]); {
	case !ok:
		s.skip(name, "binary")
		return nil
	case bytes.IndexByte(content[:headSize], 0) >= 0:
		s.skip(name, fmt.Sprintf("UTF-16, larger than %d MiB", whole>>20))
		return nil
	}
	return s.lookInText(name, content, r)
}

var newline = []byte("\n")

// lookInText searches the lines of a text. If more is not nil, it has the rest of the file, which takes the place of
// the text part by part.
func (s *search) lookInText(name string, text []byte, more io.Reader) error {
	before := len(s.Matches)
	number, is := 1, false // the line's number, and whether it has been found
	for {
		rest := text
		for len(rest) > 0 {
			line, after, whole := bytes.Cut(rest, newline)
			if !whole && more != nil && len(rest) < len(text) {
				break // it goes on
			}
			if !is {
				part, at, err := s.find(bytes.TrimRight(line, "\r"))
				if err != nil {
					return err
				}
				if is = at >= 0; is {
					shown := strings.ToValidUTF8(string(part), "\ufffd")
					if s.o.Line > 0 {
						shown = plaintext.Around(shown, at, s.o.Line)
					}
					if err := s.found(Match{name, number, shown}); err != nil {
						return err
					}
					if len(s.Matches) == before+1 {
						s.Files++
					}
					if s.o.Once {
						return nil
					}
				}
			}
			if rest = after; whole {
				number, is = number+1, false
			} else if more != nil {
				rest = line[len(line)-maxPart/4:] // is searched again with what follows
				break
			}
		}
		if more == nil {
			return nil
		}
		have := copy(text, rest)
		n, err := io.ReadFull(more, text[have:])
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			more = nil
		} else if err != nil {
			return err
		}
		text = text[:have+n]
	}
}

// find returns where the first match in a line begins, and the part of the line in which it does; -1 is nowhere.
func (s *search) find(line []byte) (part []byte, at int, err error) {
	for {
		part = line[:min(len(line), maxPart)]
		if s.unchecked += len(part); s.unchecked >= maxPart {
			s.unchecked = 0
			if err := s.ctx.Err(); err != nil {
				return nil, -1, err
			}
		}
		if at := s.pattern.FindIndex(part); at != nil {
			return part, at[0], nil
		}
		if len(part) == len(line) {
			return nil, -1, nil
		}
		line = line[maxPart*3/4:]
	}
}
