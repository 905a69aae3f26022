package bytes

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var stringsCommand = &command.Command{
	Name:     "strings",
	Operands: "[OPTION]... [FILE]...",
	Summary:  "Display printable strings in FILEs (standard input by default).",
	Options: []command.Option{
		{Short: 'a', Long: "all", Help: "scan the entire file (the default)"},
		{Short: 'f', Long: "print-file-name", Help: "print the name of the file before each string"},
		{Short: 'n', Long: "bytes", Arg: "NUMBER", Help: "print any sequence of at least NUMBER displayable\n" +
			"characters (default 4)"},
		{Short: 't', Long: "radix", Arg: "RADIX", Help: "print the location of the string in base 8, 10 or\n" +
			"16: o, d or x"},
		{Short: 'o', Help: "an alias for --radix=o"},
		{Short: 'w', Long: "include-all-whitespace", Help: "include all whitespace as valid string characters"},
		{Short: 'e', Long: "encoding", Arg: "ENCODING", Help: "select character size and endianness: s = 7-bit, S\n" +
			"= 8-bit, {b,l} = 16-bit, {B,L} = 32-bit"},
		{Short: 's', Long: "output-separator", Arg: "STRING", Help: "string used to separate strings in output"},
	},
	Number: "bytes",
	Run:    runStrings,
}

func runStrings(c *command.Context) int {
	s := stringsFinder{out: c.Output(), shortest: 4, encoding: 's', separator: "\n"}
	s.space = c.Has("include-all-whitespace")
	for _, g := range c.Given {
		switch g.Name {
		case "bytes":
			n, err := strconv.ParseInt(g.Value, 0, 32)
			if err != nil {
				c.Errorf("invalid integer argument %s", g.Value)
				return 1
			}
			if n < 1 {
				c.Errorf("invalid minimum string length %d", n)
				return 1
			}
			s.shortest = int(n)
		case "radix", "o":
			if g.Name == "o" {
				g.Value = "o"
			}
			if g.Value != "o" && g.Value != "d" && g.Value != "x" {
				return c.Usage("invalid radix: %s", g.Value)
			}
			s.radix = g.Value
		case "encoding":
			if len(g.Value) != 1 || byteIndex("sSblBL", g.Value[0]) < 0 {
				return c.Usage("invalid encoding: %s", g.Value)
			}
			s.encoding = g.Value[0]
		case "output-separator":
			s.separator = g.Value
		}
	}
	ok := true
	for _, name := range c.Inputs() {
		var info, err = c.Stat(name)
		switch {
		case name == "-":
		case err != nil:
			_ = s.out.Flush()
			c.Errorf("'%s': No such file", name)
			ok = false
			continue
		case info.IsDir():
			_ = s.out.Flush()
			c.Errorf("Warning: '%s' is a directory", name)
			ok = false
			continue
		}
		in, err := c.Input(name)
		if err == nil {
			s.name = ""
			if c.Has("print-file-name") {
				if s.name = name; name == "-" {
					s.name = "{standard input}"
				}
			}
			err = s.find(in)
			_ = in.Close()
		}
		if err != nil {
			_ = s.out.Flush()
			c.Errorf("%s: %s", name, command.Text(err))
			ok = false
		}
	}
	return command.Status(s.out.Flush() == nil && ok)
}

func byteIndex(s string, b byte) int {
	for i := range len(s) {
		if s[i] == b {
			return i
		}
	}
	return -1
}

type stringsFinder struct {
	out       *bufio.Writer
	shortest  int
	encoding  byte
	radix     string
	separator string
	space     bool
	name      string
}

// find writes the strings of a file.
func (s *stringsFinder) find(in io.Reader) error {
	r := bufio.NewReaderSize(in, 32<<10)
	width := map[byte]int{'s': 1, 'S': 1, 'b': 2, 'l': 2, 'B': 4, 'L': 4}[s.encoding]
	var text []byte
	begun := false // the string is long enough, and what is before was written
	end := func() {
		if begun {
			_, _ = s.out.WriteString(s.separator)
		}
		text, begun = text[:0], false
	}
	for at := int64(0); ; {
		unit, err := r.Peek(width)
		if len(unit) < width {
			end()
			if err == io.EOF {
				err = nil
			}
			return err
		}
		c, ok := s.character(unit)
		if !ok {
			// A string of wide characters can begin at any byte.
			end()
			_, _ = r.Discard(1)
			at++
			continue
		}
		_, _ = r.Discard(width)
		at += int64(width)
		if begun {
			_ = s.out.WriteByte(c)
			continue
		}
		if text = append(text, c); len(text) < s.shortest {
			continue
		}
		begun = true
		if s.name != "" {
			_, _ = s.out.WriteString(s.name + ": ")
		}
		if s.radix != "" {
			fmt.Fprintf(s.out, "%7"+s.radix+" ", at-int64(len(text)*width))
		}
		_, _ = s.out.Write(text)
	}
}

// character returns the character that some bytes are, if it can be displayed.
func (s *stringsFinder) character(unit []byte) (byte, bool) {
	at := len(unit) - 1
	if s.encoding == 'l' || s.encoding == 'L' {
		at = 0
	}
	for i, b := range unit {
		if i != at && b != 0 {
			return 0, false
		}
	}
	c := unit[at]
	return c, c >= ' ' && c <= '~' || c == '\t' || s.encoding == 'S' && c > 127 || s.space && c >= '\t' && c <= '\r'
}
