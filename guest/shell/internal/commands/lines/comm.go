package lines

import (
	"bytes"
	"fmt"
	"io"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var comm = &command.Command{
	Name:     "comm",
	Operands: "[OPTION]... FILE1 FILE2",
	Summary: "Compare sorted files FILE1 and FILE2 line by line. Column one has the lines\n" +
		"unique to FILE1, column two those unique to FILE2, and column three those\n" +
		"common to both.",
	Options: append([]command.Option{
		{Short: '1', Help: "suppress column 1 (lines unique to FILE1)"},
		{Short: '2', Help: "suppress column 2 (lines unique to FILE2)"},
		{Short: '3', Help: "suppress column 3 (lines that appear in both\n" +
			"files)"}},
		append(orderOptions,
			command.Option{Long: "output-delimiter", Arg: "STR", Help: "separate columns with STR"},
			command.Option{Long: "total", Help: "output a summary"},
			zeroTerminated)...),
	Run: runComm,
}

var orderOptions = []command.Option{
	{Long: "check-order", Help: "check that the input is correctly sorted, even\nif all input lines are pairable"},
	{Long: "nocheck-order", Help: "do not check that the input is correctly sorted"},
}

// An order checks that two files are sorted.
type order struct {
	always, never bool
	unpaired      bool // a line has been seen that is in one file only
	broken        [2]bool
	report        func(file int, line []byte)
}

// check compares a line with that before it, and says whether to go on.
func (o *order) check(file, compared int, line []byte) bool {
	if o.never || o.broken[file] || compared <= 0 || !(o.always || o.unpaired) {
		return true
	}
	o.broken[file] = true
	o.report(file, line)
	return !o.always
}

// finish reports that a file was not sorted, and returns the exit status.
func (o *order) finish(c *command.Context) int {
	if o.always || !o.broken[0] && !o.broken[1] {
		return command.Status(!o.broken[0] && !o.broken[1])
	}
	c.Errorf("input is not in sorted order")
	return 1
}

// newOrder returns what the options say about the order.
func newOrder(c *command.Context, report func(file int, line []byte)) *order {
	last := c.Last("check-order", "nocheck-order")
	return &order{always: last == "check-order", never: last == "nocheck-order", report: report}
}

// twoFiles checks that a command has two operands.
func twoFiles(c *command.Context, quote func(string) string) (status int, ok bool) {
	switch len(c.Args) {
	case 0:
		return c.Missing(), false
	case 1:
		return c.Usage("missing operand after %s", command.QuoteText(c.Args[0])), false
	case 2:
		return 0, true
	}
	return c.Usage("extra operand %s", quote(c.Args[2])), false
}

func runComm(c *command.Context) int {
	if status, ok := twoFiles(c, command.QuoteText); !ok {
		return status
	}
	delimiter := "\t"
	for i, g := range c.Given {
		if g.Name != "output-delimiter" {
			continue
		}
		if i > 0 && delimiter != "\t" && delimiter != g.Value {
			c.Errorf("multiple output delimiters specified")
			return 1
		}
		if delimiter = g.Value; delimiter == "" {
			delimiter = "\x00"
		}
	}
	readers, closeAll, failed, err := open(c, c.Args)
	defer closeAll()
	if err != nil {
		c.FileError(failed, err)
		return 1
	}
	out := c.Output()
	sorted := newOrder(c, func(file int, _ []byte) {
		_ = out.Flush()
		c.Errorf("file %d is not in sorted order", file+1)
	})
	var prefixes [3]string
	if !c.Has("1") {
		prefixes[1] = delimiter
	}
	prefixes[2] = prefixes[1]
	if !c.Has("2") {
		prefixes[2] += delimiter
	}
	hidden := [3]bool{c.Has("1"), c.Has("2"), c.Has("3")}
	var totals [3]int64
	put := func(column int, line []byte) {
		totals[column]++
		if !hidden[column] {
			_, _ = io.WriteString(out, prefixes[column])
			_, _ = out.Write(append(line, separator(c)))
		}
	}
	var lines, before [2][]byte
	var more [2]bool
	advance := func(file int) bool {
		before[file] = lines[file]
		lines[file], more[file] = readers[file].next()
		return !more[file] || before[file] == nil ||
			sorted.check(file, bytes.Compare(before[file], lines[file]), lines[file])
	}
	going := advance(0) && advance(1)
	for going && (more[0] || more[1]) {
		order := bytes.Compare(lines[0], lines[1])
		if !more[1] {
			order = -1
		} else if !more[0] {
			order = 1
		}
		sorted.unpaired = sorted.unpaired || order != 0
		switch {
		case order < 0:
			put(0, lines[0])
		case order > 0:
			put(1, lines[1])
		default:
			put(2, lines[1])
		}
		going = (order > 0 || advance(0)) && (order < 0 || advance(1))
	}
	if going && c.Has("total") {
		for _, total := range totals {
			fmt.Fprintf(out, "%d%s", total, delimiter)
		}
		fmt.Fprintf(out, "total%c", separator(c))
	}
	if out.Flush() != nil {
		return 1
	}
	for i, r := range readers {
		if err := r.failure(); err != nil {
			c.FileError(c.Args[i], err)
			return 1
		}
	}
	return sorted.finish(c)
}
