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

var od = &command.Command{
	Name:     "od",
	Operands: "[OPTION]... [FILE]...",
	Summary: "Write an unambiguous representation, octal bytes by default, of FILE to\n" +
		"standard output. With more than one FILE, concatenate them. With no FILE, or\n" +
		"when it is -, read standard input.",
	Options: []command.Option{
		{Short: 'A', Long: "address-radix", Arg: "RADIX", Help: "output format for file offsets; RADIX is one\n" +
			"of [doxn], for Decimal, Octal, Hex or None"},
		{Long: "endian", Arg: "ORDER", Help: "swap input bytes according to the order, big or\n" +
			"little"},
		{Short: 'j', Long: "skip-bytes", Arg: "BYTES", Help: "skip BYTES input bytes first"},
		{Short: 'N', Long: "read-bytes", Arg: "BYTES", Help: "limit dump to BYTES input bytes"},
		{Short: 'S', Arg: "BYTES", Help: "output strings of at least BYTES graphic chars"},
		{Long: "strings", Arg: "BYTES", Optional: true, Help: "the same; 3 if BYTES is not given"},
		{Short: 't', Long: "format", Arg: "TYPE", Help: "select output format or formats"},
		{Short: 'v', Long: "output-duplicates", Help: "do not use * to mark line suppression"},
		{Short: 'w', Long: "width", Arg: "BYTES", Optional: true, Help: "output BYTES bytes per output line;\n" +
			"32 is implied when BYTES is not specified"},
		{Short: 'a', Help: "same as -t a, select named characters"},
		{Short: 'b', Help: "same as -t o1, select octal bytes"},
		{Short: 'c', Help: "same as -t c, select printable characters or\n" +
			"escapes"},
		{Short: 'd', Help: "same as -t u2, select unsigned decimal 2-byte\n" +
			"units"},
		{Short: 'f', Help: "same as -t fF, select floats"},
		{Short: 'i', Help: "same as -t dI, select decimal ints"},
		{Short: 'l', Help: "same as -t dL, select decimal longs"},
		{Short: 'o', Help: "same as -t o2, select octal 2-byte units"},
		{Short: 's', Help: "same as -t d2, select decimal 2-byte units"},
		{Short: 'x', Help: "same as -t x2, select hexadecimal 2-byte units"},
		{Short: 'e'}, {Short: 'h'}, {Short: 'B'}, {Short: 'D'}, {Short: 'F'}, {Short: 'H'}, {Short: 'I'}, {Short: 'L'},
		{Short: 'O'}, {Short: 'X'},
	},
	Notes: "TYPE is a or c, or d, f, o, u or x with a size in bytes, or C, S, I or L\n" +
		"(for f: F or D); a z after it adds the printable characters. Offsets as\n" +
		"operands (+5) and long doubles are not there.",
	Run: runOd,
}

// odTypes are the types that letters stand for.
var odTypes = map[string]string{
	"a": "a", "b": "o1", "c": "c", "d": "u2", "D": "u4", "e": "fD", "f": "fF", "F": "fD", "h": "x2", "H": "x4",
	"i": "dI", "I": "dL", "l": "dL", "L": "dL", "o": "o2", "B": "o2", "O": "o4", "s": "d2", "x": "x2", "X": "x4",
}

// A dump is how bytes are shown.
type dump struct {
	out     *bufio.Writer
	formats []dumpFormat
	radix   string
	order   binary.ByteOrder
	block   int // how many bytes a line has
	unit    int // what the sizes of all formats divide
	column  int // the width of a unit
	all     bool
}

// A dumpFormat is a way to show bytes.
type dumpFormat struct {
	kind    byte
	size    int
	width   int
	trailer bool
}

func runOd(c *command.Context) int {
	d := &dump{out: c.Output(), radix: "o", order: binary.LittleEndian, all: c.Has("output-duplicates")}
	var skip, limit, shortest int64 = 0, -1, 0
	for _, g := range c.Given {
		var err error
		switch g.Name {
		case "address-radix":
			if d.radix = g.Value[:min(len(g.Value), 1)]; d.radix == "" || !strings.Contains("doxn", d.radix) {
				c.Errorf("invalid output address radix '%.1s'; it must be one character from [doxn]", g.Value)
				return 1
			}
		case "endian":
			switch {
			case g.Value != "" && strings.HasPrefix("big", g.Value):
				d.order = binary.BigEndian
			case g.Value == "" || !strings.HasPrefix("little", g.Value):
				return c.Usage("invalid argument %s for %s", command.QuoteText(g.Value), command.QuoteText("--endian"))
			}
		case "skip-bytes":
			skip, err = size(g.Value)
		case "read-bytes":
			limit, err = size(g.Value)
		case "S", "strings":
			if shortest = 3; g.Value != "" {
				shortest, err = size(g.Value)
			}
		case "format":
			if failure := d.add(g.Value); failure != "" {
				c.Errorf("%s", failure)
				return 1
			}
		default:
			if t, ok := odTypes[g.Name]; ok {
				_ = d.add(t)
			}
		}
		if err != nil {
			options := map[string]string{"skip-bytes": "-j", "read-bytes": "-N", "S": "-S", "strings": "--strings"}
			c.Errorf("invalid %s argument '%s'", options[g.Name], g.Value)
			return 1
		}
	}
	if len(d.formats) == 0 {
		_ = d.add("o2")
	}
	d.measure(c)
	files := concatenate(c, c.Args)
	n, _ := io.CopyN(io.Discard, files, skip)
	_, _ = files.Read(nil)
	if files.read == 0 {
		return 1
	}
	if n < skip {
		c.Errorf("cannot skip past end of combined input")
		return 1
	}
	var in io.Reader = files
	if limit >= 0 {
		in = io.LimitReader(files, limit)
	}
	if shortest > 0 {
		d.strings(in, skip, int(shortest))
	} else {
		d.write(in, skip)
	}
	if d.out.Flush() != nil {
		return 1
	}
	return command.Status(files.ok)
}

// add adds formats to those that are shown. It returns what is wrong with them.
func (d *dump) add(types string) string {
	for rest := types; rest != ""; {
		f := dumpFormat{kind: rest[0]}
		whole := rest
		rest = rest[1:]
		switch f.kind {
		case 'a', 'c':
			f.size, f.width = 1, 3
		case 'd', 'o', 'u', 'x', 'f':
			sizes := map[byte]int{'C': 1, 'S': 2, 'I': 4, 'L': 8}
			f.size = 4
			if f.kind == 'f' {
				sizes = map[byte]int{'F': 4, 'D': 8}
				f.size = 8
			}
			digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
			if digits > 0 {
				f.size, _ = strconv.Atoi(rest[:digits])
				rest = rest[digits:]
			} else if rest != "" && sizes[rest[0]] > 0 {
				f.size = sizes[rest[0]]
				rest = rest[1:]
			}
			kind, widths := "integral", map[byte][9]int{
				'd': {1: 4, 2: 6, 4: 11, 8: 20}, 'o': {1: 3, 2: 6, 4: 11, 8: 22}, 'u': {1: 3, 2: 5, 4: 10, 8: 20},
				'x': {1: 2, 2: 4, 4: 8, 8: 16}, 'f': {4: 15, 8: 24},
			}[f.kind]
			if f.kind == 'f' {
				kind = "floating point"
			}
			if f.size < 0 || f.size > 8 || widths[f.size] == 0 {
				return fmt.Sprintf("invalid type string %s;\nthis system doesn't provide a %d-byte %s type",
					command.QuoteText(types), f.size, kind)
			}
			f.width = widths[f.size]
		default:
			return fmt.Sprintf("invalid character '%c' in type string %s", f.kind, command.QuoteText(whole))
		}
		if after, ok := strings.CutPrefix(rest, "z"); ok {
			f.trailer, rest = true, after
		}
		d.formats = append(d.formats, f)
	}
	return ""
}

// measure finds how many bytes a line has, and how wide they are.
func (d *dump) measure(c *command.Context) {
	d.unit = 1
	for _, f := range d.formats {
		d.unit = max(d.unit, f.size) // sizes are powers of two
	}
	for _, f := range d.formats {
		d.column = max(d.column, (f.width+1)*(d.unit/f.size))
	}
	d.block = 16
	if value, given := c.Value("width"); given {
		n, err := int64(32), error(nil)
		if value != "" {
			n, err = size(value)
		}
		if err != nil || n <= 0 || n%int64(d.unit) != 0 || n > 1<<24 {
			c.Errorf("warning: invalid width %d; using %d instead", n, d.unit)
			n = int64(d.unit)
		}
		d.block = int(n)
	}
}

func (d *dump) address(offset int64) string {
	switch d.radix {
	case "d":
		return fmt.Sprintf("%07d", offset)
	case "x":
		return fmt.Sprintf("%06x", offset)
	case "n":
		return ""
	}
	return fmt.Sprintf("%07o", offset)
}

func (d *dump) write(in io.Reader, offset int64) {
	var last []byte
	starred := false
	block := make([]byte, d.block)
	for {
		n, _ := io.ReadFull(in, block)
		if n == 0 {
			break
		}
		if !d.all && n == d.block && last != nil && bytes.Equal(block, last) {
			if !starred {
				_, _ = d.out.WriteString("*\n")
			}
			starred = true
		} else {
			starred = false
			d.line(offset, block[:n])
			last = append(last[:0], block...)
		}
		offset += int64(n)
		if n < d.block {
			break
		}
	}
	if d.radix != "n" {
		_, _ = d.out.WriteString(d.address(offset) + "\n")
	}
}

// line writes bytes in all formats.
func (d *dump) line(offset int64, data []byte) {
	address := d.address(offset)
	padded := append(bytes.Clone(data), make([]byte, (d.unit-len(data)%d.unit)%d.unit)...)
	for i, f := range d.formats {
		if i > 0 {
			address = strings.Repeat(" ", len(address))
		}
		_, _ = d.out.WriteString(address)
		fields := d.block / f.size
		padding := (d.column*(d.block/d.unit) - (f.width+1)*fields)
		left, written := padding, 0
		for at := 0; at < len(data); at += f.size {
			written++
			next := padding * (fields - written) / fields
			fmt.Fprintf(d.out, " %*s", f.width+left-next, f.text(padded[at:at+f.size], d.order))
			left = next
		}
		if f.trailer {
			blank := fields - written
			_, _ = d.out.WriteString(strings.Repeat(" ", blank*(f.width+1)+padding*blank/fields) + "  >")
			for _, b := range data {
				if b < ' ' || b > '~' {
					b = '.'
				}
				_ = d.out.WriteByte(b)
			}
			_ = d.out.WriteByte('<')
		}
		_ = d.out.WriteByte('\n')
	}
}

var odNames = strings.Fields("nul soh stx etx eot enq ack bel bs ht nl vt ff cr so si dle dc1 dc2 dc3 dc4 nak syn " +
	"etb can em sub esc fs gs rs us sp")

// text is what a unit of bytes is shown as.
func (f dumpFormat) text(data []byte, order binary.ByteOrder) string {
	b := data[0]
	switch f.kind {
	case 'a':
		if b &= 127; b == 127 {
			return "del"
		} else if b <= ' ' {
			return odNames[b]
		}
		return string(rune(b))
	case 'c':
		return charText(b)
	}
	var n uint64
	for i := range data {
		at := i
		if order == binary.LittleEndian {
			at = len(data) - 1 - i
		}
		n = n<<8 | uint64(data[at])
	}
	switch f.kind {
	case 'd':
		shift := 64 - 8*f.size
		return strconv.FormatInt(int64(n<<shift)>>shift, 10)
	case 'u':
		return strconv.FormatUint(n, 10)
	case 'o':
		return fmt.Sprintf("%0*o", f.width, n)
	case 'x':
		return fmt.Sprintf("%0*x", f.width, n)
	}
	if f.size == 4 {
		return floatText(float64(math.Float32frombits(uint32(n))), 32, 6, uint32(n)>>31 != 0)
	}
	return floatText(math.Float64frombits(n), 64, 15, n>>63 != 0)
}

// floatText writes a number with as few digits as are needed, as C does it by %g.
func floatText(x float64, bits, precision int, negative bool) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		text := "nan"
		if math.IsInf(x, 0) {
			text = "inf"
		}
		if negative {
			text = "-" + text
		}
		return text
	}
	if math.Abs(x) < 0x1p-126 && bits == 32 || math.Abs(x) < 0x1p-1022 {
		precision = 1
	}
	for ; ; precision++ {
		s := strconv.FormatFloat(x, 'g', precision, bits)
		if y, _ := strconv.ParseFloat(s, bits); y == x || precision > 20 {
			return s
		}
	}
}

// strings writes the strings that end with a NUL.
func (d *dump) strings(in io.Reader, offset int64, shortest int) {
	r := bufio.NewReader(in)
	var text []byte
	for at := offset; ; at++ {
		b, err := r.ReadByte()
		if err != nil {
			return
		}
		if b == 0 {
			if len(text) >= shortest {
				if address := d.address(at - int64(len(text))); address != "" {
					_, _ = d.out.WriteString(address + " ")
				}
				_, _ = d.out.Write(append(text, '\n'))
			}
			text = text[:0]
			continue
		}
		if b >= ' ' && b <= '~' {
			text = append(text, b)
		} else {
			text = text[:0]
		}
	}
}
