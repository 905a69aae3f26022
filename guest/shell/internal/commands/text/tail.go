package text

import (
	"bytes"
	"io"
	"strings"
	"time"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var tail = &command.Command{
	Name:     "tail",
	Operands: "[OPTION]... [FILE]...",
	Summary: "Print the last 10 lines of each FILE to standard output. With more than one FILE, precede each with " +
		"a header\n" +
		"giving the file name. With no FILE, or when FILE is -, read standard input.",
	Options: []command.Option{
		{Short: 'c', Long: "bytes", Arg: "[+]NUM",
			Help: "output the last NUM bytes; or use -c +NUM to output starting\nwith byte NUM of each file"},
		{Short: 'f', Long: "follow", Arg: "name", Optional: true, Help: "output appended data as the file grows"},
		{Short: 'F', Help: "same as --follow=name --retry"},
		{Short: 'n', Long: "lines", Arg: "[+]NUM",
			Help: "output the last NUM lines, instead of the last 10; or use\n" +
				"-n +NUM to output starting with line NUM"},
		{Long: "pid", Arg: "PID"}, {Long: "retry"},
		{Short: 'q', Long: "quiet", Help: "never output headers giving file names"},
		{Long: "silent"},
		{Short: 's', Long: "sleep-interval", Arg: "N"},
		{Short: 'v', Long: "verbose", Help: "always output headers giving file names"},
		{Short: 'z', Long: "zero-terminated", Help: "line delimiter is NUL, not newline"},
	},
	Number: "lines",
	Run:    runTail,
}

func runTail(c *command.Context) int {
	if len(c.Args) > 0 && len(c.Args[0]) > 1 && c.Args[0][0] == '+' && c.Args[0][1] >= '0' && c.Args[0][1] <= '9' {
		c.Given = append(c.Given, command.Given{Name: "lines", Value: c.Args[0]})
		c.Args = c.Args[1:]
	}
	count, unit, fromStart := int64(10), "lines", false
	for _, g := range c.Given {
		if g.Name != "lines" && g.Name != "bytes" {
			continue
		}
		unit = g.Name
		number, plus := strings.CutPrefix(g.Value, "+")
		n, err := command.ParseSize(strings.TrimPrefix(number, "-"))
		if err != nil && err != command.ErrTooLarge {
			c.Errorf("invalid number of %s: %s", unit, command.QuoteText(g.Value))
			return 1
		}
		count, fromStart = n, plus
	}
	separator := c.Separator("zero-terminated")
	headers := c.Has("verbose") || len(c.Args) > 1 && !c.Has("quiet") && !c.Has("silent")
	out := c.Output()
	first := true
	follow := c.Has("follow") || c.Has("F")
	var last string
	ok := eachFile(c, func(name string, r io.Reader) error {
		if headers {
			header(out, name, &first)
		}
		last = name
		return tailOf(out, r, count, unit == "bytes", fromStart, separator)
	})
	if out.Flush() != nil {
		return 1
	}
	if follow && last != "" && last != "-" {
		return followFile(c, last)
	}
	return command.Status(ok)
}

func tailOf(out io.Writer, r io.Reader, count int64, inBytes, fromStart bool, separator byte) error {
	switch {
	case fromStart && inBytes:
		if _, err := io.CopyN(io.Discard, r, max(0, count-1)); err == io.EOF {
			return nil
		}
		_, err := io.Copy(out, r)
		return err
	case fromStart:
		return command.Lines(r, separator, func(line []byte) bool {
			if count > 1 {
				count--
				return true
			}
			_, _ = out.Write(line)
			return true
		})
	case inBytes:
		var kept []byte
		buffer := make([]byte, 32<<10)
		for {
			n, err := r.Read(buffer)
			if kept = append(kept, buffer[:n]...); int64(len(kept)) > count+1<<20 {
				kept = append(kept[:0], kept[int64(len(kept))-count:]...)
			}
			if err != nil {
				_, _ = out.Write(kept[max(0, int64(len(kept))-count):])
				if err == io.EOF {
					err = nil
				}
				return err
			}
		}
	}
	var ring [][]byte
	next := 0
	err := command.Lines(r, separator, func(line []byte) bool {
		switch {
		case count == 0:
		case int64(len(ring)) < count:
			ring = append(ring, bytes.Clone(line))
		default:
			ring[next] = append(ring[next][:0], line...)
			next = (next + 1) % len(ring)
		}
		return true
	})
	for i := range ring {
		_, _ = out.Write(ring[(next+i)%len(ring)])
	}
	return err
}

// followFile writes what is added to a file, until the command is ended.
func followFile(c *command.Context, name string) int {
	info, err := c.Stat(name)
	at := int64(0)
	if err == nil {
		at = info.Size()
	}
	for {
		select {
		case <-c.Context().Done():
			return 0
		case <-time.After(200 * time.Millisecond):
		}
		info, err := c.Stat(name)
		if err != nil || info.Size() == at {
			continue
		}
		if info.Size() < at {
			at = 0
		}
		data, err := c.ReadFile(name)
		if err != nil || int64(len(data)) < at {
			continue
		}
		if _, err := c.Stdout.Write(data[at:]); err != nil {
			return 1
		}
		at = int64(len(data))
	}
}
