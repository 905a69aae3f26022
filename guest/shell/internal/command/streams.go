package command

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"strings"
)

// Input opens an operand for reading: "-" is standard input, whose Close does nothing.
func (c *Context) Input(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(c.Stdin), nil
	}
	return c.Open(name)
}

// Inputs are the operands, or standard input if there are none.
func (c *Context) Inputs() []string {
	if len(c.Args) == 0 {
		return []string{"-"}
	}
	return c.Args
}

// EachInput calls a function with each operand opened, or with standard input if there are no operands. It reports
// those that cannot be opened or read, also directories, and returns whether all could be.
func (c *Context) EachInput(do func(name string, r io.Reader) error) bool {
	ok := true
	for _, name := range c.Inputs() {
		in, err := c.Input(name)
		if err == nil {
			err = do(name, in)
			_ = in.Close()
		}
		if err != nil {
			c.FileError(name, err)
			ok = false
		}
	}
	return ok
}

// EachFile is EachInput for commands with errors of their own: cannot has a place for the quoted name, and one for why
// it cannot be opened. The function reports what else goes wrong, and returns whether all went well.
func (c *Context) EachFile(cannot string, do func(name string, r io.Reader) bool) bool {
	ok := true
	for _, name := range c.Inputs() {
		in, err := c.Input(name)
		if err != nil {
			c.Errorf(cannot, Quote(name), Text(err))
			ok = false
			continue
		}
		ok = do(name, in) && ok
		_ = in.Close()
	}
	return ok
}

// Output returns a buffer before standard output. Flush it before the command ends, and before it waits for anything.
func (c *Context) Output() *bufio.Writer { return bufio.NewWriterSize(c.Stdout, 32<<10) }

// Lines reads the lines of a stream, with their ends, of which the last line may have none. The lines are valid until
// the function returns. It stops if that returns false.
func Lines(r io.Reader, separator byte, do func(line []byte) bool) error {
	return Chunks(r, separator, func(lines []byte) bool {
		for len(lines) > 0 {
			end := bytes.IndexByte(lines, separator) + 1
			if end == 0 {
				end = len(lines)
			}
			if !do(lines[:end]) {
				return false
			}
			lines = lines[end:]
		}
		return true
	})
}

// Chunks is Lines for what can work on many lines at once: the function gets as many whole lines as are there.
func Chunks(r io.Reader, separator byte, do func(lines []byte) bool) error {
	buffer := make([]byte, 0, 32<<10)
	for {
		before := len(buffer)
		n, err := r.Read(buffer[before:cap(buffer)])
		buffer = buffer[:before+n]
		end := len(buffer)
		if err == nil {
			end = before + bytes.LastIndexByte(buffer[before:], separator) + 1
			if end == before {
				end = 0 // the end of a line that has begun is still to come
			}
		}
		if end > 0 && !do(buffer[:end]) || err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		buffer = buffer[:copy(buffer, buffer[end:])]
		if len(buffer) == cap(buffer) {
			buffer = slices.Grow(buffer, cap(buffer))
		}
	}
}

// Separator returns what ends lines: NUL if an option was given, and otherwise the newline.
func (c *Context) Separator(zero string) byte {
	if c.Has(zero) {
		return 0
	}
	return '\n'
}

// ReadLines returns the lines of a stream without their ends.
func ReadLines(r io.Reader, separator byte) ([]string, error) {
	data, err := io.ReadAll(r)
	if err != nil || len(data) == 0 {
		return nil, err
	}
	end := string(rune(separator))
	return strings.Split(strings.TrimSuffix(string(data), end), end), nil
}

// InputLines returns the lines of an operand.
func (c *Context) InputLines(name string, separator byte) ([]string, error) {
	in, err := c.Input(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return ReadLines(in, separator)
}

// A Counter passes on what is read from R or written to W, and counts the bytes.
type Counter struct {
	R   io.Reader
	W   io.Writer
	N   int64
	Err error // the last one, but io.EOF
}

func (c *Counter) Read(data []byte) (int, error) { return c.count(c.R.Read(data)) }

func (c *Counter) Write(data []byte) (int, error) { return c.count(c.W.Write(data)) }

func (c *Counter) count(n int, err error) (int, error) {
	if c.N += int64(n); err != nil && err != io.EOF {
		c.Err = err
	}
	return n, err
}

// Status returns the exit status 0 if all went well, and 1 otherwise.
func Status(ok bool) int {
	if ok {
		return 0
	}
	return 1
}
