package bytes

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var hexdump = &command.Command{
	Name:     "hexdump",
	Operands: "[OPTION]... [FILE]...",
	Summary:  "Display file contents in hexadecimal, decimal, octal, or ascii.",
	Options: []command.Option{
		{Short: 'b', Long: "one-byte-octal", Help: "one-byte octal display"},
		{Short: 'c', Long: "one-byte-char", Help: "one-byte character display"},
		{Short: 'C', Long: "canonical", Help: "canonical hex+ASCII display"},
		{Short: 'd', Long: "two-bytes-decimal", Help: "two-byte decimal display"},
		{Short: 'o', Long: "two-bytes-octal", Help: "two-byte octal display"},
		{Short: 'x', Long: "two-bytes-hex", Help: "two-byte hexadecimal display"},
		{Short: 'e', Long: "format", Arg: "FORMAT", Help: "format string to be used for displaying data"},
		{Short: 'f', Long: "format-file", Arg: "FILE", Help: "file that contains format strings"},
		{Short: 'n', Long: "length", Arg: "LENGTH", Help: "interpret only LENGTH bytes of input"},
		{Short: 's', Long: "skip", Arg: "OFFSET", Help: "skip OFFSET bytes from the beginning"},
		{Short: 'v', Long: "no-squeezing", Help: "output identical lines"},
	},
	Run: runHexdump,
}

// hexFormats are the formats that options stand for.
var hexFormats = map[string][]string{
	"one-byte-octal":    {`"%07.7_Ax\n"`, `"%07.7_ax " 16/1 "%03o " "\n"`},
	"one-byte-char":     {`"%07.7_Ax\n"`, `"%07.7_ax " 16/1 "%3_c " "\n"`},
	"canonical":         {`"%08.8_Ax\n"`, `"%08.8_ax  " 8/1 "%02x " "  " 8/1 "%02x "`, `"  |" 16/1 "%_p" "|\n"`},
	"two-bytes-decimal": {`"%07.7_Ax\n"`, `"%07.7_ax " 8/2 "  %05u " "\n"`},
	"two-bytes-octal":   {`"%07.7_Ax\n"`, `"%07.7_ax " 8/2 " %06o " "\n"`},
	"two-bytes-hex":     {`"%07.7_Ax\n"`, `"%07.7_ax " 8/2 "   %04x " "\n"`},
	"":                  {`"%07.7_Ax\n"`, `"%07.7_ax " 8/2 "%04x " "\n"`},
}

func runHexdump(c *command.Context) int {
	h := hexFormatter{out: c.Output()}
	limit, skip := int64(-1), int64(0)
	add := func(format string) bool {
		failure := h.add(format)
		if failure != "" {
			c.Errorf("%s", failure)
		}
		return failure == ""
	}
	for _, g := range c.Given {
		var err error
		switch g.Name {
		case "format":
			if !add(g.Value) {
				return 1
			}
		case "format-file":
			data, err := c.ReadFile(g.Value)
			if err != nil {
				c.Errorf("can't read %s: %s", g.Value, command.Text(err))
				return 1
			}
			for line := range strings.Lines(string(data)) {
				if line = strings.TrimSpace(line); line != "" && line[0] != '#' && !add(line) {
					return 1
				}
			}
		case "length":
			if limit, err = size(g.Value); err != nil {
				c.Errorf("failed to parse length: '%s': Invalid argument", g.Value)
				return 1
			}
		case "skip":
			if skip, err = size(g.Value); err != nil {
				c.Errorf("failed to parse offset: '%s': Invalid argument", g.Value)
				return 1
			}
		default:
			for _, f := range hexFormats[g.Name] {
				add(f)
			}
		}
	}
	if len(h.lines) == 0 {
		for _, f := range hexFormats[""] {
			add(f)
		}
	}
	files := concatenate(c, c.Args)
	_, _ = io.CopyN(io.Discard, files, skip)
	var in io.Reader = files
	if limit >= 0 {
		in = io.LimitReader(files, limit)
	}
	h.dump(in, skip, c.Has("no-squeezing"))
	if h.out.Flush() != nil {
		return 1
	}
	if files.read == 0 && len(c.Args) > 0 {
		c.Errorf("all input file arguments failed")
	}
	return command.Status(files.ok)
}

// A hexFormatter formats blocks of bytes by format strings, each of which shows the whole block.
type hexFormatter struct {
	out   *bufio.Writer
	lines [][]hexUnit
	end   []hexPart // what is written after the last block: the units with %_A
	block int
}

// A hexUnit is a format and how often it is used.
type hexUnit struct {
	parts []hexPart
	times int
	given bool // times was given
	bytes int  // of all parts
}

// A hexPart is a conversion and the text after it, or text without a conversion.
type hexPart struct {
	before, after string
	flags, width  string
	precision     string
	verb          string // "", or as in a format: x, _c, _ax
	size          int
}

// add adds a format string, and returns what is wrong with it.
func (h *hexFormatter) add(format string) string {
	var units []hexUnit
	bad := "bad format {" + format + "}"
	for s := strings.TrimSpace(format); s != ""; s = strings.TrimSpace(s) {
		u := hexUnit{times: 1}
		size := 0
		if n := len(s) - len(strings.TrimLeft(s, "0123456789")); n > 0 {
			u.times, _ = strconv.Atoi(s[:n])
			u.given, s = true, strings.TrimSpace(s[n:])
		}
		if rest, ok := strings.CutPrefix(s, "/"); ok {
			s = strings.TrimSpace(rest)
			n := len(s) - len(strings.TrimLeft(s, "0123456789"))
			if n == 0 {
				return bad
			}
			size, _ = strconv.Atoi(s[:n])
			s = strings.TrimSpace(s[n:])
		}
		if u.times > 1<<20 || size > 1<<20 {
			return bad
		}
		end := closing(s)
		if end < 0 {
			return bad
		}
		failure := u.parse(unescape(s[1:end]), size)
		if failure != "" {
			return failure
		}
		s = s[end+1:]
		units = append(units, u)
	}
	total, ends := 0, false
	for _, u := range units {
		if u.bytes > mostBlock || total > mostBlock {
			return bad
		}
		total += u.bytes * u.times
		for _, p := range u.parts {
			ends = ends || strings.HasPrefix(p.verb, "_A")
		}
	}
	if ends {
		h.end = nil
		for _, u := range units {
			h.end = append(h.end, u.parts...)
		}
		return ""
	}
	if total > mostBlock {
		return bad
	}
	h.lines = append(h.lines, units)
	h.block = max(h.block, total)
	return ""
}

// closing returns where a quoted string ends, or -1.
func closing(s string) int {
	if s == "" || s[0] != '"' {
		return -1
	}
	for i := 1; i < len(s); i++ {
		if s[i] == '\\' {
			i++
		} else if s[i] == '"' {
			return i
		}
	}
	return -1
}

func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			if at := strings.IndexByte("abfnrtv0", s[i]); at >= 0 {
				b.WriteByte("\a\b\f\n\r\t\v\x00"[at])
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// parse reads the format of a unit. size is that of each conversion, or 0.
func (u *hexUnit) parse(format string, size int) string {
	for {
		before, rest, found := strings.Cut(format, "%")
		if !found || rest == "" {
			if format != "" {
				u.parts = append(u.parts, hexPart{before: format})
			}
			return ""
		}
		if rest[0] == '%' {
			u.parts = append(u.parts, hexPart{before: before + "%"})
			format = rest[1:]
			continue
		}
		p := hexPart{before: before}
		cut := func(set string) (part string) {
			n := len(rest) - len(strings.TrimLeft(rest, set))
			part, rest = rest[:n], rest[n:]
			return part
		}
		p.flags = cut("#-+ 0")
		p.width = cut("0123456789")
		if strings.HasPrefix(rest, ".") {
			rest = rest[1:]
			p.precision = "." + cut("0123456789")
		}
		length := 1
		if strings.HasPrefix(rest, "_") {
			length = 2
			if len(rest) > 2 && (rest[1] == 'a' || rest[1] == 'A') {
				length = 3
			}
		}
		if len(rest) < length {
			return "bad format {%" + rest + "}"
		}
		p.verb, rest = rest[:length], rest[length:]
		sizes := map[byte]int{
			'd': 4, 'i': 4, 'o': 4, 'u': 4, 'x': 4, 'X': 4, 'c': 1, 'e': 8, 'E': 8, 'f': 8, 'g': 8, 'G': 8,
		}
		n, known := sizes[p.verb[0]]
		switch {
		case known:
		case p.verb == "s":
			n, _ = strconv.Atoi(strings.TrimPrefix(p.precision, "."))
			if n == 0 && size == 0 {
				return "%s requires a precision or a byte count"
			}
		case p.verb == "_c" || p.verb == "_p" || p.verb == "_u":
			n = 1
		case len(p.verb) == 3 && strings.Contains("dox", p.verb[2:]):
			n = 0
		default:
			return "bad conversion character %" + p.verb
		}
		if n > 0 && size > 0 {
			n = size
		}
		valid := n <= 1<<20
		switch {
		case strings.Contains("dioux X", p.verb):
			valid = n == 1 || n == 2 || n == 4 || n == 8
		case strings.Contains("eEfgG", p.verb):
			valid = n == 4 || n == 8
		case p.verb == "c" || strings.HasPrefix(p.verb, "_") && n > 0:
			valid = n == 1
		}
		if !valid {
			return "bad byte count for conversion character " + p.verb
		}
		p.size = n
		u.bytes += n
		next := strings.IndexByte(rest, '%')
		if next < 0 {
			next = len(rest)
		}
		p.after, format = rest[:next], rest[next:]
		u.parts = append(u.parts, p)
	}
}

// dump writes all of the input.
func (h *hexFormatter) dump(in io.Reader, at int64, all bool) {
	h.block = max(1, h.block)
	for _, units := range h.lines {
		total := 0
		for _, u := range units {
			total += u.bytes * u.times
		}
		// The last unit is used for the rest of the block.
		for i := len(units) - 1; i >= 0; i-- {
			if u := &units[i]; u.bytes > 0 {
				if !u.given && total < h.block {
					u.times += (h.block - total) / u.bytes
				}
				break
			}
		}
	}
	block, last := make([]byte, h.block), []byte(nil)
	starred := false
	for {
		n, _ := io.ReadFull(in, block)
		if n == 0 {
			break
		}
		clear(block[n:])
		if !all && n == h.block && last != nil && bytes.Equal(block, last) {
			if !starred {
				_, _ = h.out.WriteString("*\n")
			}
			starred = true
		} else {
			starred = false
			for _, units := range h.lines {
				h.line(units, block, n, at)
			}
			last = append(last[:0], block...)
		}
		at += int64(n)
		if n < h.block {
			break
		}
	}
	if at > 0 {
		for _, p := range h.end {
			h.part(p, nil, at, false)
		}
	}
}

// line writes a block, of which n bytes are there, by a format string.
func (h *hexFormatter) line(units []hexUnit, block []byte, n int, at int64) {
	used := 0
	for _, u := range units {
		for i := range u.times {
			for j, p := range u.parts {
				// Blanks after the last use of a unit are left out.
				if u.times > 1 && i == u.times-1 && j == len(u.parts)-1 {
					p.after = strings.TrimRight(p.after, " \t")
				}
				missing := used >= n && p.verb != "" && p.size > 0
				var data []byte
				if p.size > 0 && used+p.size <= len(block) {
					data = block[used : used+p.size]
				}
				h.part(p, data, at+int64(used), missing || p.size > 0 && data == nil)
				used += p.size
			}
		}
	}
}

// part writes a part, or blanks if its bytes are missing.
func (h *hexFormatter) part(p hexPart, data []byte, at int64, missing bool) {
	_, _ = h.out.WriteString(p.before)
	format := "%" + p.flags + p.width + p.precision
	text := func(s string) {
		fmt.Fprintf(h.out, "%"+strings.Trim(p.flags, "#+0 ")+p.width+p.precision+"s", s)
	}
	switch {
	case p.verb == "":
	case missing:
		fmt.Fprintf(h.out, "%"+strings.Trim(p.flags, "#+0 ")+p.width+"s", "")
	case strings.HasPrefix(p.verb, "_a") || strings.HasPrefix(p.verb, "_A"):
		fmt.Fprintf(h.out, format+p.verb[2:], at)
	case p.verb == "_c":
		text(charText(data[0]))
	case p.verb == "_p":
		if data[0] < ' ' || data[0] > '~' {
			data = []byte(".")
		}
		text(string(data))
	case p.verb == "_u":
		b := data[0]
		switch {
		case b <= ' ' && b != ' ':
			text(strings.Replace(odNames[b], "nl", "lf", 1))
		case b == 127:
			text("del")
		case b > 127:
			text(fmt.Sprintf("%02x", b))
		default:
			text(string(rune(b)))
		}
	case p.verb == "c" || p.verb == "s":
		if end := bytes.IndexByte(data, 0); end >= 0 && p.verb == "s" {
			data = data[:end]
		}
		text(string(data))
	case strings.Contains("eEfgG", p.verb):
		x := 0.0
		if len(data) == 4 {
			x = float64(math.Float32frombits(binary.LittleEndian.Uint32(data)))
		} else {
			x = math.Float64frombits(binary.LittleEndian.Uint64(data))
		}
		if p.precision == "" {
			format += ".6"
		}
		fmt.Fprintf(h.out, format+p.verb, x)
	default:
		var n uint64
		for i := len(data) - 1; i >= 0; i-- {
			n = n<<8 | uint64(data[i])
		}
		switch p.verb {
		case "d", "i":
			shift := 64 - 8*len(data)
			fmt.Fprintf(h.out, format+"d", int64(n<<shift)>>shift)
		case "u":
			fmt.Fprintf(h.out, format+"d", n)
		default:
			fmt.Fprintf(h.out, format+p.verb, n)
		}
	}
	_, _ = h.out.WriteString(p.after)
}

// charText is how %_c shows a byte.
func charText(b byte) string {
	if i := strings.IndexByte("\x00\a\b\t\n\v\f\r", b); i >= 0 {
		return `\` + "0abtnvfr"[i:i+1]
	}
	if b < ' ' || b > '~' {
		return fmt.Sprintf("%03o", b)
	}
	return string(rune(b))
}
