package lines

import (
	"bufio"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var expand = &command.Command{
	Name:     "expand",
	Operands: "[OPTION]... [FILE]...",
	Summary: "Convert tabs in each FILE to spaces, writing to standard output. With no FILE,\n" +
		"or when it is -, read standard input.",
	Options: []command.Option{
		{Short: 'i', Long: "initial", Help: "do not convert tabs after non blanks"},
		tabsOption,
	},
	Number: "tabs",
	Run:    runExpand,
}

var unexpand = &command.Command{
	Name:     "unexpand",
	Operands: "[OPTION]... [FILE]...",
	Summary: "Convert blanks in each FILE to tabs, writing to standard output. With no FILE,\n" +
		"or when it is -, read standard input.",
	Options: []command.Option{
		{Short: 'a', Long: "all", Help: "convert all blanks, instead of just initial blanks"},
		{Long: "first-only", Help: "convert only leading sequences of blanks\n" +
			"(overrides -a)"},
		tabsOption,
	},
	Number: "tabs",
	Run:    runUnexpand,
}

var tabsOption = command.Option{
	Short: 't', Long: "tabs", Arg: "LIST", Help: "tab stops: one number N for every N columns, or a\n" +
		"list of columns; the last one can be /N, every N\n" +
		"columns, or +N, every N after the one before",
}

// tabStops are the columns of tabs: those of a list, and then one every some columns, counted from an origin.
type tabStops struct {
	list   []int64
	every  int64 // 0 if there are none after those of the list
	origin int64
}

// next returns the stop after a column, or false if there is none.
func (t *tabStops) next(column int64) (int64, bool) {
	if len(t.list) > 0 && column < t.list[len(t.list)-1] {
		i, found := slices.BinarySearch(t.list, column)
		if found {
			i++
		}
		return t.list[i], true
	}
	if t.every == 0 {
		return 0, false
	}
	return column + t.every - (column-t.origin)%t.every, true
}

// readTabs reads the tab stops of the options.
func readTabs(c *command.Context) (*tabStops, bool) {
	t := &tabStops{}
	given := false
	var extend, increment int64
	for _, g := range c.Given {
		if g.Name != "tabs" {
			continue
		}
		given = true
		for _, word := range listWords(g.Value) {
			if extend > 0 || increment > 0 {
				mark := '/'
				if increment > 0 {
					mark = '+'
				}
				c.Errorf("'%c' specifier only allowed with the last value", mark)
				return nil, false
			}
			digits := strings.TrimLeft(word, "/+")
			n, err := strconv.ParseInt(digits, 10, 64)
			switch {
			case digits == "" || strings.Trim(digits, "0123456789") != "":
				if i := strings.IndexAny(digits, "/+"); i > 0 && strings.Trim(digits[:i], "0123456789") == "" {
					c.Errorf("'%c' specifier not at start of number: %s", digits[i], command.QuoteText(digits[i:]))
				} else {
					bad := strings.TrimLeft(digits, "0123456789")
					c.Errorf("tab size contains invalid character(s): %s", command.QuoteText(bad))
				}
				return nil, false
			case err != nil || n > math.MaxInt64/2:
				c.Errorf("tab stop is too large %s", command.QuoteText(digits))
				return nil, false
			case word[0] == '/':
				extend = n
			case word[0] == '+':
				increment = n
			case n == 0:
				c.Errorf("tab size cannot be 0")
				return nil, false
			case len(t.list) > 0 && n <= t.list[len(t.list)-1]:
				c.Errorf("tab sizes must be ascending")
				return nil, false
			default:
				t.list = append(t.list, n)
			}
		}
	}
	switch {
	case extend > 0:
		t.every = extend
	case increment > 0:
		if t.every = increment; len(t.list) > 0 {
			t.origin = t.list[len(t.list)-1]
		}
	case !given || len(t.list) == 0:
		t.every = 8
	case len(t.list) == 1:
		t.every, t.list = t.list[0], nil
	}
	return t, true
}

func runExpand(c *command.Context) int {
	tabs, ok := readTabs(c)
	if !ok {
		return 1
	}
	out := c.Output()
	initial := c.Has("initial")
	column, convert := int64(0), true
	ok = eachByte(c, func(b byte) {
		switch {
		case !convert && b != '\n':
		case b == '\t':
			next, more := tabs.next(column)
			if !more {
				next = column + 1
			}
			for ; column < next-1; column++ {
				_ = out.WriteByte(' ')
			}
			b, column = ' ', next
		case b == '\b':
			column = max(0, column-1)
		case b == '\n':
			column, convert = 0, true
		default:
			column++
			convert = !initial || b == ' '
		}
		_ = out.WriteByte(b)
	})
	return command.Status(out.Flush() == nil && ok)
}

// eachByte calls a function with each byte of the operands.
func eachByte(c *command.Context, do func(b byte)) bool {
	return c.EachInput(func(_ string, r io.Reader) error {
		in := bufio.NewReaderSize(r, 32<<10)
		for {
			b, err := in.ReadByte()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			do(b)
		}
	})
}

func runUnexpand(c *command.Context) int {
	tabs, ok := readTabs(c)
	if !ok {
		return 1
	}
	u := &unexpander{out: c.Output(), tabs: tabs, all: (c.Has("all") || c.Has("tabs")) && !c.Has("first-only")}
	u.begin()
	ok = eachByte(c, u.byte)
	_, _ = u.out.Write(u.pending)
	return command.Status(u.out.Flush() == nil && ok)
}

type unexpander struct {
	out  *bufio.Writer
	tabs *tabStops
	all  bool

	pending []byte // blanks of which it is not yet known what they become
	column  int64
	convert bool // this part of the line is to be converted
	blank   bool // the last byte was blank
	before  bool // the first of the pending blanks is just before a tab stop
}

func (u *unexpander) begin() { u.column, u.convert, u.blank, u.before = 0, true, true, false }

func (u *unexpander) byte(b byte) {
	if !u.convert {
		_ = u.out.WriteByte(b)
		if b == '\n' {
			u.begin()
		}
		return
	}
	blank := b == ' ' || b == '\t'
	next, more := int64(0), false
	if blank {
		next, more = u.tabs.next(u.column)
		u.convert = more
	}
	switch {
	case blank && !more:
	case b == '\t':
		if u.column = next; len(u.pending) > 0 {
			u.pending[0] = '\t'
		}
		u.keepFirst()
	case blank:
		u.column++
		if !u.blank || u.column != next {
			u.before = u.before || u.column == next
			u.pending = append(u.pending, b)
			u.blank = true
			return
		}
		// They all become a tab, or two.
		b = '\t'
		if len(u.pending) > 0 {
			u.pending[0] = '\t'
		}
		u.keepFirst()
	case b == '\b':
		u.column = max(0, u.column-1)
	default:
		u.column++
	}
	if len(u.pending) > 1 && u.before {
		u.pending[0] = '\t'
	}
	if len(u.pending) > 0 {
		_, _ = u.out.Write(u.pending)
		u.pending, u.before = u.pending[:0], false
	}
	u.blank = blank
	u.convert = u.convert && (u.all || blank)
	_ = u.out.WriteByte(b)
	if b == '\n' {
		u.begin()
	}
}

// keepFirst forgets the pending blanks but one that was just before a tab stop.
func (u *unexpander) keepFirst() {
	if u.before && len(u.pending) > 0 {
		u.pending = u.pending[:1]
	} else {
		u.pending = u.pending[:0]
	}
}
