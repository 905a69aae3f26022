package lines

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var shuf = &command.Command{
	Name:     "shuf",
	Operands: "[OPTION]... [FILE]\n  or:  shuf -e [OPTION]... [ARG]...\n  or:  shuf -i LO-HI [OPTION]...",
	Summary: "Write a random permutation of the input lines to standard output. With no FILE,\n" +
		"or when it is -, read standard input.",
	Options: []command.Option{
		{Short: 'e', Long: "echo", Help: "treat each ARG as an input line"},
		{Short: 'i', Long: "input-range", Arg: "LO-HI", Help: "treat each number LO through HI as an input line"},
		{Short: 'n', Long: "head-count", Arg: "COUNT", Help: "output at most COUNT lines"},
		{Short: 'o', Long: "output", Arg: "FILE", Help: "write result to FILE instead of standard output"},
		{Long: "random-source", Arg: "FILE", Help: "get random bytes from FILE"},
		{Short: 'r', Long: "repeat", Help: "output lines can be repeated"},
		zeroTerminated,
	},
	Run: runShuf,
}

func runShuf(c *command.Context) int {
	limit := uint64(math.MaxUint64)
	for _, g := range c.Given {
		if g.Name != "head-count" {
			continue
		}
		n, err := strconv.ParseUint(g.Value, 10, 64)
		if err != nil && n == 0 {
			c.Errorf("invalid line count: %s", command.QuoteText(g.Value))
			return 1
		}
		limit = min(limit, n)
	}
	low, high, status := shufRange(c)
	if status != 0 {
		return status
	}
	ranged, echo, repeat := c.Has("input-range"), c.Has("echo"), c.Has("repeat")
	switch {
	case ranged && echo:
		return c.Usage("cannot combine -e and -i options")
	case ranged && len(c.Args) > 0:
		return c.Extra(c.Args[0])
	case !echo && len(c.Args) > 1:
		return c.Extra(c.Args[1])
	}
	dice := &dice{in: bufio.NewReader(rand.Reader)}
	if name, given := c.Value("random-source"); given {
		source, err := c.Open(name)
		if err != nil {
			c.FileError(name, err)
			return 1
		}
		defer source.Close()
		dice.in = bufio.NewReader(source)
	}
	lines, count := [][]byte(nil), high-low+1
	switch {
	case ranged:
	case echo:
		for _, arg := range c.Args {
			lines = append(lines, []byte(arg))
		}
		count = uint64(len(lines))
	default:
		var failure string
		if lines, failure = shufInput(c, dice, limit, repeat); failure != "" {
			c.Errorf("%s", failure)
			return 1
		}
		count = uint64(len(lines))
	}
	if repeat && limit > 0 && count == 0 && !ranged {
		c.Errorf("no lines to repeat")
		return 1
	}
	var to io.Writer = c.Stdout
	if name, given := c.Value("output"); given {
		file, err := c.Create(name)
		if err != nil {
			c.FileError(name, err)
			return 1
		}
		defer file.Close()
		to = file
	}
	out := bufio.NewWriterSize(to, 32<<10)
	print := func(i uint64) {
		if ranged {
			_, _ = out.WriteString(strconv.FormatUint(low+i, 10))
		} else {
			_, _ = out.Write(lines[i])
		}
		_ = out.WriteByte(separator(c))
	}
	if repeat {
		for n := uint64(0); n < limit && dice.err == nil && c.Context().Err() == nil; n++ {
			print(dice.below(count))
		}
	} else {
		// moved has the elements that are not at their own place.
		moved := map[uint64]uint64{}
		at := func(i uint64) uint64 {
			if m, ok := moved[i]; ok {
				return m
			}
			return i
		}
		for i := uint64(0); i < min(limit, count) && dice.err == nil && c.Context().Err() == nil; i++ {
			j := i
			if limit == 1 {
				j = dice.below(count)
			} else {
				j += dice.below(count - i)
			}
			first, chosen := at(i), at(j)
			moved[j] = first
			delete(moved, i)
			print(chosen)
		}
	}
	if dice.err != nil {
		name, _ := c.Value("random-source")
		c.Errorf("%s: end of file", command.QuoteText(name))
		return 1
	}
	return command.Status(out.Flush() == nil)
}

// shufRange reads the range of -i.
func shufRange(c *command.Context) (low, high uint64, status int) {
	given := false
	for _, g := range c.Given {
		if g.Name != "input-range" {
			continue
		}
		if given {
			c.Errorf("multiple -i options specified")
			return 0, 0, 1
		}
		given = true
		from, to, _ := strings.Cut(g.Value, "-")
		var err, other error
		low, err = strconv.ParseUint(from, 10, 64)
		high, other = strconv.ParseUint(to, 10, 64)
		// An empty range is allowed, if it is as small as can be.
		if err != nil || other != nil || low > high && low != high+1 || high-low == math.MaxUint64 && low == 0 {
			c.Errorf("invalid input range: %s", command.QuoteText(g.Value))
			return 0, 0, 1
		}
	}
	return low, high, 0
}

// largeInput is from what size on not all lines of a file are kept if only some are wanted.
const largeInput = 8 << 20

// shufInput reads the lines to choose from. If only some are wanted of many, it keeps as many, chosen with equal
// chances.
func shufInput(c *command.Context, dice *dice, limit uint64, repeat bool) (lines [][]byte, failure string) {
	name := "-"
	if len(c.Args) > 0 {
		name = c.Args[0]
	}
	in, err := c.Input(name)
	if err != nil {
		return nil, command.QuoteOdd(name) + ": " + command.Text(err)
	}
	defer in.Close()
	few := !repeat && limit < math.MaxUint64
	if name != "-" && few {
		info, err := c.Stat(name)
		few = err != nil || info.Size() > largeInput || !info.Mode().IsRegular()
	}
	count := uint64(0)
	err = command.Lines(in, separator(c), func(line []byte) bool {
		line = bytes.TrimSuffix(line, []byte{separator(c)})
		if !few || count < limit {
			lines = append(lines, bytes.Clone(line))
		} else if i := dice.below(count + 1); i < limit {
			lines[i] = append(lines[i][:0], line...)
		}
		count++
		return dice.err == nil
	})
	if err != nil {
		return nil, "read error: " + command.Text(err)
	}
	return lines, ""
}

// A dice makes random numbers of random bytes, as GNU commands do, so that the same bytes choose the same lines.
type dice struct {
	in           *bufio.Reader
	number, most uint64 // what is left of the bytes before: a number from 0 to most
	err          error
}

// below returns a number from 0 to below n, all with equal chances.
func (d *dice) below(n uint64) uint64 {
	highest := n - 1
	number, most := d.number, d.most
	for d.err == nil {
		for most < highest {
			b, err := d.in.ReadByte()
			if err != nil {
				d.err = err
				return 0
			}
			number, most = number<<8+uint64(b), most<<8+255
		}
		if most == highest {
			d.number, d.most = 0, 0
			return number
		}
		excess := most - highest
		unusable := excess % n
		if number <= most-unusable {
			d.number, d.most = number/n, excess/n
			return number % n
		}
		number, most = number%n, unusable-1
	}
	return 0
}
