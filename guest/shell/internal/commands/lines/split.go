package lines

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var split = &command.Command{
	Name:     "split",
	Operands: "[OPTION]... [FILE [PREFIX]]",
	Summary: "Output pieces of FILE to PREFIXaa, PREFIXab, ...; default size is 1000 lines,\n" +
		"and default PREFIX is 'x'. With no FILE, or when it is -, read standard input.",
	Options: []command.Option{
		{Short: 'a', Long: "suffix-length", Arg: "N", Help: "generate suffixes of length N (default 2)"},
		{Long: "additional-suffix", Arg: "SUFFIX", Help: "append an additional SUFFIX to file names"},
		{Short: 'b', Long: "bytes", Arg: "SIZE", Help: "put SIZE bytes per output file"},
		{Short: 'C', Long: "line-bytes", Arg: "SIZE", Help: "put at most SIZE bytes of records per output file"},
		{Short: 'd', Help: "use numeric suffixes starting at 0, not alphabetic"},
		{Long: "numeric-suffixes", Arg: "FROM", Optional: true, Help: "same as -d, but allow setting the start value"},
		{Short: 'x', Help: "use hex suffixes starting at 0, not alphabetic"},
		{Long: "hex-suffixes", Arg: "FROM", Optional: true, Help: "same as -x, but allow setting the start value"},
		{Short: 'e', Long: "elide-empty-files", Help: "do not generate empty output files with '-n'"},
		{Long: "filter", Arg: "COMMAND", Help: "write to shell COMMAND; file name is $FILE"},
		{Short: 'l', Long: "lines", Arg: "NUMBER", Help: "put NUMBER lines/records per output file"},
		{Short: 'n', Long: "number", Arg: "CHUNKS", Help: "generate CHUNKS output files; see below"},
		{Short: 't', Long: "separator", Arg: "SEP", Help: "use SEP instead of newline as the record\n" +
			"separator; '\\0' specifies the NUL character"},
		{Short: 'u', Long: "unbuffered", Help: "(ignored)"},
		{Long: "verbose", Help: "print a diagnostic just before each output file is\n" +
			"opened"},
	},
	Notes: "CHUNKS may be N (split into N files by size), K/N (output the Kth of N to\n" +
		"standard output), l/N and l/K/N (the same without splitting lines), r/N and\n" +
		"r/K/N (the same with the lines in turn).",
	Number: "lines",
	Run:    runSplit,
}

type splitter struct {
	c         *command.Context
	names     suffixes
	separator byte
	filter    string
	verbose   bool
	to        *bufio.Writer // what the piece goes to
	finish    func() error  // ends it
}

func runSplit(c *command.Context) int {
	s := &splitter{c: c, separator: '\n', verbose: c.Has("verbose"), finish: func() error { return nil }}
	s.filter, _ = c.Value("filter")
	by, size, k, n, status := s.configure()
	if status != 0 {
		return status
	}
	if len(c.Args) > 2 {
		return c.Extra(c.Args[2])
	}
	name := "-"
	if len(c.Args) > 0 {
		name = c.Args[0]
	}
	in, err := c.Input(name)
	if err != nil {
		c.Errorf("cannot open %s for reading: %s", command.Quote(name), command.Text(err))
		return 1
	}
	defer in.Close()
	switch by {
	case "bytes":
		err = s.bytes(in, size)
	case "line-bytes":
		err = s.lineBytes(in, int(size))
	case "number":
		err = s.chunks(in, name, k, n)
	case "r":
		err = s.turns(in, int(k), int(n))
	case "l":
		err = s.lineChunks(in, name, k, n)
	default:
		err = s.lines(in, size)
	}
	if failure := s.finish(); err == nil {
		err = failure
	}
	if err == nil {
		return 0
	}
	if failure, ok := errors.AsType[filterError](err); ok {
		c.Errorf("%s", err)
		return failure.status
	}
	if _, ok := errors.AsType[splitError](err); ok {
		c.Errorf("%s", err)
	} else {
		c.FileError(name, err)
	}
	return 1
}

// A splitError is an error whose text is complete.
type splitError string

func (e splitError) Error() string { return string(e) }

// A filterError is that of a filter.
type filterError struct {
	name, command string
	status        int
}

func (e filterError) Error() string {
	return fmt.Sprintf("with FILE=%s, exit %d from command: %s", e.name, e.status, e.command)
}

// configure reads the options: how to split, into pieces of which size, or which piece of how many.
func (s *splitter) configure() (by string, size, k, n int64, status int) {
	c := s.c
	by, size = "lines", 1000
	s.names.alphabet = letters
	ways, length, fixed, start := 0, 0, false, ""
	for _, g := range c.Given {
		switch g.Name {
		case "suffix-length":
			n, ok := number(c, "suffix length", g.Value, 0, math.MaxInt32)
			if !ok {
				return by, 0, 0, 0, 1
			}
			// No file has a name as long as the longest suffix.
			length, fixed = int(min(n, 4096)), n > 0
		case "additional-suffix":
			if strings.Contains(g.Value, "/") {
				status = c.Usage("invalid suffix %s, contains directory separator", command.QuoteText(g.Value))
				return by, 0, 0, 0, status
			}
			s.names.after = g.Value
		case "bytes", "lines", "line-bytes":
			what := "lines"
			if g.Name != "lines" {
				what = "bytes"
			}
			var err error
			if size, err = command.ParseSize(g.Value); err != nil && err != command.ErrTooLarge {
				c.Errorf("invalid number of %s: %s", what, command.QuoteText(g.Value))
				return by, 0, 0, 0, 1
			}
			if size == 0 {
				c.Errorf("invalid number of %s: %s: Numerical result out of range", what, command.QuoteText(g.Value))
				return by, 0, 0, 0, 1
			}
			by = g.Name
			ways++
		case "number":
			kind, rest, cut := strings.Cut(g.Value, "/")
			if by = kind; !cut || kind != "l" && kind != "r" {
				by, rest = "number", g.Value
			}
			chunk, count, both := strings.Cut(rest, "/")
			if !both {
				chunk, count = "", rest
			}
			var ok bool
			if n, ok = number(c, "number of chunks", count, 1, math.MaxInt64); !ok {
				return by, 0, 0, 0, 1
			}
			if both {
				if k, ok = number(c, "chunk number", chunk, 1, n); !ok {
					return by, 0, 0, 0, 1
				}
			}
			ways++
		case "d", "numeric-suffixes", "x", "hex-suffixes":
			s.names.alphabet, start = digits, g.Value
			what := "numerical"
			if g.Name == "x" || g.Name == "hex-suffixes" {
				s.names.alphabet, what = hexDigits, "hexadecimal"
			}
			if strings.Trim(start, s.names.alphabet) != "" {
				status = c.Usage("%s: invalid start value for %s suffix", command.QuoteText(start), what)
				return by, 0, 0, 0, status
			}
		case "separator":
			switch {
			case g.Value == "":
				c.Errorf("empty record separator")
				return by, 0, 0, 0, 1
			case g.Value == `\0`:
				s.separator = 0
			case len(g.Value) > 1:
				c.Errorf("multi-character separator %s", command.QuoteText(g.Value))
				return by, 0, 0, 0, 1
			default:
				s.separator = g.Value[0]
			}
		}
	}
	if ways > 1 {
		return by, 0, 0, 0, c.Usage("cannot split in more than one way")
	}
	if k > 0 && s.filter != "" {
		return by, 0, 0, 0, c.Usage("--filter does not process a chunk extracted to stdout")
	}
	needed := 0
	for rest := n - 1; rest > 0 && n > 0 && k == 0; rest /= int64(len(s.names.alphabet)) {
		needed++
	}
	if fixed && needed > length {
		c.Errorf("the suffix length needs to be at least %d", needed)
		return by, 0, 0, 0, 1
	}
	s.names.prefix = "x"
	if len(c.Args) > 1 {
		s.names.prefix = c.Args[1]
	}
	s.names.grow = !fixed && start == "" && n == 0
	if !fixed {
		length = max(2, needed)
	}
	if len(start) > length {
		c.Errorf("numerical suffix start value is too large for the suffix length")
		return by, 0, 0, 0, 1
	}
	s.names.at = make([]int, length)
	for i := range len(start) {
		s.names.at[length-len(start)+i] = strings.IndexByte(s.names.alphabet, start[i])
	}
	return by, size, k, n, 0
}

const letters, digits, hexDigits = "abcdefghijklmnopqrstuvwxyz", "0123456789", "0123456789abcdef"

// suffixes makes the names of the pieces.
type suffixes struct {
	prefix, alphabet, after string
	at                      []int // the next suffix
	grow                    bool  // they get longer when they are used up
	over                    bool
}

func (s *suffixes) next() (string, error) {
	if s.over {
		return "", splitError("output file suffixes exhausted")
	}
	last := len(s.alphabet) - 1
	if s.grow && s.at[0] == last {
		// "z" begins those that are longer, so that they sort after the others.
		s.prefix += s.alphabet[last:]
		s.at = make([]int, len(s.at)+1)
	}
	name := []byte(s.prefix)
	for _, i := range s.at {
		name = append(name, s.alphabet[i])
	}
	i := len(s.at) - 1
	for ; i >= 0 && s.at[i] == last; i-- {
		s.at[i] = 0
	}
	if s.over = i < 0; !s.over {
		s.at[i]++
	}
	return string(name) + s.after, nil
}

// piece opens a piece, and returns it and what ends it.
func (s *splitter) piece() (*bufio.Writer, func() error, error) {
	name, err := s.names.next()
	if err != nil {
		return nil, nil, err
	}
	if s.filter != "" {
		if s.verbose {
			fmt.Fprintf(s.c.Stdout, "executing with FILE=%s\n", command.Quote(name))
		}
		var data bytes.Buffer
		to := bufio.NewWriter(&data)
		return to, func() error {
			_ = to.Flush()
			env := command.EnvList(append(s.c.Env.List(), "FILE="+name))
			status := s.c.Run(command.Call{Args: []string{"sh", "-c", s.filter}, Stdin: &data, Env: env})
			if status != 0 {
				return filterError{name, s.filter, status}
			}
			return nil
		}, nil
	}
	if s.verbose {
		fmt.Fprintf(s.c.Stdout, "creating file %s\n", command.Quote(name))
	}
	if len(s.c.Args) > 0 && s.c.Args[0] != "-" && s.c.Same(s.c.Args[0], name) {
		return nil, nil, splitError(command.Quote(name) + " would overwrite input; aborting")
	}
	file, err := s.c.Create(name)
	if err != nil {
		return nil, nil, splitError(command.QuoteOdd(name) + ": " + command.Text(err))
	}
	to := bufio.NewWriterSize(file, 32<<10)
	return to, func() error {
		err := to.Flush()
		if closing := file.Close(); err == nil {
			err = closing
		}
		if err != nil {
			return splitError(command.QuoteOdd(name) + ": " + command.Text(err))
		}
		return nil
	}, nil
}

// next begins the next piece.
func (s *splitter) next() (err error) {
	if err = s.finish(); err == nil {
		s.finish = func() error { return nil }
		var finish func() error
		if s.to, finish, err = s.piece(); err == nil {
			s.finish = finish
		}
	}
	return err
}

func (s *splitter) lines(in io.Reader, count int64) error {
	n, failure := int64(0), error(nil)
	err := command.Lines(in, s.separator, func(line []byte) bool {
		if n%count == 0 {
			failure = s.next()
		}
		if n++; failure == nil {
			_, failure = s.to.Write(line)
		}
		return failure == nil
	})
	return errors.Join(err, failure)
}

func (s *splitter) bytes(in io.Reader, size int64) error {
	r := bufio.NewReaderSize(in, 32<<10)
	for {
		if _, err := r.Peek(1); err != nil {
			return ended(err)
		}
		if err := s.next(); err != nil {
			return err
		}
		if _, err := io.CopyN(s.to, r, size); err != nil {
			return ended(err)
		}
	}
}

// ended is nil for the end of a file.
func ended(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

func (s *splitter) lineBytes(in io.Reader, size int) error {
	room, failure := 0, error(nil)
	err := command.Lines(in, s.separator, func(line []byte) bool {
		for len(line) > 0 && failure == nil {
			if len(line) > room && room < size || room == 0 {
				failure, room = s.next(), size
			}
			if failure == nil {
				n := min(room, len(line))
				_, failure = s.to.Write(line[:n])
				room -= n
				line = line[n:]
			}
		}
		return failure == nil
	})
	return errors.Join(err, failure)
}

// sized returns a file and its size. A stream is read for it.
func (s *splitter) sized(in io.Reader, name string) (io.Reader, int64, error) {
	if name != "-" {
		if info, err := s.c.Stat(name); err == nil && info.Mode().IsRegular() {
			return in, info.Size(), nil
		}
	}
	data, err := io.ReadAll(in)
	return bytes.NewReader(data), int64(len(data)), err
}

// chunks splits a file into n pieces of one size, or prints the piece k of them.
func (s *splitter) chunks(in io.Reader, name string, k, n int64) error {
	in, size, err := s.sized(in, name)
	if err != nil {
		return err
	}
	each := max(1, size/n)
	start := func(i int64) int64 {
		if i == n {
			return size
		}
		return min(each*i, size)
	}
	if k > 0 {
		if _, err = io.CopyN(io.Discard, in, start(k-1)); err == nil {
			_, err = io.CopyN(s.c.Stdout, in, start(k)-start(k-1))
		}
		return ended(err)
	}
	for i := range n {
		length := start(i+1) - start(i)
		if length == 0 && s.c.Has("elide-empty-files") {
			continue
		}
		if err := s.next(); err != nil {
			return err
		}
		if _, err := io.CopyN(s.to, in, length); ended(err) != nil {
			return err
		}
	}
	return nil
}

// lineChunks is like chunks, but every line is in the piece in which it begins.
func (s *splitter) lineChunks(in io.Reader, name string, k, n int64) error {
	in, size, err := s.sized(in, name)
	if err != nil {
		return err
	}
	each := max(1, size/n)
	if k > 0 {
		s.to = s.c.Output()
		s.finish = s.to.Flush
	}
	offset, current, failure := int64(0), int64(-1), error(nil)
	skip := func(to int64) {
		for ; current < to && failure == nil; current++ {
			if k == 0 && (current+1 == to || !s.c.Has("elide-empty-files")) {
				failure = s.next()
			}
		}
	}
	err = command.Lines(in, s.separator, func(line []byte) bool {
		if chunk := min(offset/each, n-1); chunk != current {
			skip(chunk)
		}
		offset += int64(len(line))
		if failure == nil && (k == 0 || current == k-1) {
			_, failure = s.to.Write(line)
		}
		return failure == nil
	})
	if !s.c.Has("elide-empty-files") && failure == nil {
		skip(n - 1)
	}
	return errors.Join(err, failure)
}

// turns deals the lines to n pieces in turn, or prints those of piece k.
func (s *splitter) turns(in io.Reader, k, n int) error {
	if k > 0 {
		s.to = s.c.Output()
		s.finish = s.to.Flush
		i, failure := 0, error(nil)
		err := command.Lines(in, s.separator, func(line []byte) bool {
			if i%n == k-1 {
				_, failure = s.to.Write(line)
			}
			i++
			return failure == nil
		})
		return errors.Join(err, failure)
	}
	var pieces []*bufio.Writer
	var finish []func() error
	more := func() error {
		piece, end, err := s.piece()
		if err == nil {
			pieces, finish = append(pieces, piece), append(finish, end)
		}
		return err
	}
	i, failure := 0, error(nil)
	err := command.Lines(in, s.separator, func(line []byte) bool {
		if len(pieces) < n {
			failure = more()
		}
		if failure == nil {
			_, failure = pieces[i%n].Write(line)
		}
		i++
		return failure == nil
	})
	for len(pieces) < n && failure == nil && !s.c.Has("elide-empty-files") {
		failure = more()
	}
	for _, end := range finish {
		failure = errors.Join(failure, end())
	}
	return errors.Join(err, failure)
}
