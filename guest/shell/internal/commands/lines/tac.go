package lines

import (
	"bufio"
	"bytes"
	"io"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
	"github.com/toolrun/toolrun/guest/shell/internal/regex"
)

var tac = &command.Command{
	Name:     "tac",
	Operands: "[OPTION]... [FILE]...",
	Summary: "Write each FILE to standard output, last line first. With no FILE, or when it\n" +
		"is -, read standard input.",
	Options: []command.Option{
		{Short: 'b', Long: "before", Help: "attach the separator before instead of after"},
		{Short: 'r', Long: "regex", Help: "interpret the separator as a regular expression"},
		{Short: 's', Long: "separator", Arg: "STRING", Help: "use STRING as the separator instead of newline"},
	},
	Run: runTac,
}

func runTac(c *command.Context) int {
	separator, given := c.Value("separator")
	if !given {
		separator = "\n"
	} else if separator == "" {
		separator = "\x00"
	}
	t := tacPrinter{out: c.Output(), before: c.Has("before"), last: func(data []byte) (int, int) {
		return bytes.LastIndex(data, []byte(separator)), len(separator)
	}}
	if c.Has("regex") {
		re, err := regex.Compile(separator, regex.Options{})
		if err != nil {
			c.Errorf("%s", err)
			return 1
		}
		t.regex, t.last = true, lastMatch(re)
	}
	ok := c.EachFile("failed to open %s for reading: %s", func(name string, r io.Reader) bool {
		err := t.file(r)
		if err != nil {
			c.Errorf("%s: read error: %s", command.QuoteOdd(name), command.Text(err))
		}
		return err == nil
	})
	return command.Status(t.out.Flush() == nil && ok)
}

// lastMatch finds the last match of an expression: where it begins, and its length, or -1.
func lastMatch(re *regex.Regexp) func(data []byte) (int, int) {
	return func(data []byte) (int, int) {
		for i := len(data) - 1; i >= 0; i-- {
			if at := re.Find(data[i:]); at != nil && at[0] == 0 {
				return i, at[1]
			}
		}
		return -1, 0
	}
}

type tacPrinter struct {
	out           *bufio.Writer
	before, regex bool
	last          func(data []byte) (at, length int)
}

// block is how much is read at a time, at least.
const block = 64 << 10

// file writes a file from its end. Those that are files proper are read so, too; a stream is read as a whole.
func (t *tacPrinter) file(in io.Reader) error {
	data, offset := []byte(nil), int64(0)
	seeker, ok := in.(interface {
		io.Seeker
		io.ReaderAt
	})
	if ok && !t.regex {
		end, err := seeker.Seek(0, io.SeekEnd)
		ok, offset = err == nil, end
	}
	if !ok || t.regex {
		all, err := io.ReadAll(in)
		if err != nil {
			return err
		}
		data, offset = all, 0
	}
	// end is where what is not yet written ends, and limit where to look for a separator before.
	end, limit, first := len(data), len(data), true
	for {
		at, length := t.last(data[:limit])
		if at < 0 && offset > 0 {
			n := int(min(offset, max(block, int64(end))))
			grown := make([]byte, n+end)
			if _, err := seeker.ReadAt(grown[:n], offset-int64(n)); err != nil {
				return err
			}
			copy(grown[n:], data[:end])
			data, offset, end, limit = grown, offset-int64(n), end+n, limit+n
			continue
		}
		if at < 0 {
			_, _ = t.out.Write(data[:end])
			return nil
		}
		limit = at
		switch {
		case t.before:
			_, _ = t.out.Write(data[at:end])
			end = at
		case !first || at+length < end:
			_, _ = t.out.Write(data[at+length : end])
			end = at + length
		}
		first = false
	}
}
