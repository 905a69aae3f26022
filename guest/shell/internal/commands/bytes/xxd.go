package bytes

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var xxd = &command.Command{
	Name:     "xxd",
	Operands: "[OPTION]... [INFILE [OUTFILE]]",
	Summary: "Make a hex dump, or the reverse. With no INFILE, or when it is -, read standard\n" +
		"input.",
	Options: xxdOptions,
	Raw:     true,
	Run:     runXxd,
}

// xxdOptions are those of the help. They are read as xxd does it: by their first letters, "-cols" as "-c".
var xxdOptions = []command.Option{
	{Short: 'a', Help: "toggle autoskip: a single '*' replaces nul-lines"},
	{Short: 'b', Help: "binary digit dump (incompatible with -ps, -i, -r)"},
	{Short: 'C', Help: "capitalize variable names in C include file style\n" +
		"(-i)"},
	{Short: 'c', Arg: "COLS", Help: "format COLS octets per line. Default 16 (-b: 6,\n" +
		"-i: 12, -ps: 30)"},
	{Short: 'd', Help: "show offset in decimal instead of hex"},
	{Short: 'e', Help: "little-endian dump (incompatible with -ps, -i, -r)"},
	{Short: 'g', Arg: "BYTES", Help: "number of octets per group in normal output.\n" +
		"Default 2 (-b: 1, -e: 4)"},
	{Short: 'i', Help: "output in C include file style"},
	{Short: 'l', Arg: "LEN", Help: "stop after LEN octets"},
	{Short: 'n', Arg: "NAME", Help: "set the variable name used in C include output\n" +
		"(-i)"},
	{Short: 'o', Arg: "OFF", Help: "add OFF to the displayed file position"},
	{Short: 'p', Help: "output in postscript plain hexdump style (also\n" +
		"-ps)"},
	{Short: 'r', Help: "reverse operation: convert (or patch) hexdump into\n" +
		"binary"},
	{Short: 's', Arg: "SEEK", Help: "start at SEEK bytes of infile, from the end if\n" +
		"negative"},
	{Short: 'u', Help: "use upper case hex letters"},
}

// errBackwards is the error of a dump whose lines are not in order.
var errBackwards = errors.New("sorry, cannot seek backwards")

type hexDumper struct {
	out                                              *bufio.Writer
	skipNul, bits, capital, decimal, little          bool
	include, plain, reverse, upper, colsGiven, named bool
	cols, group                                      int
	limit, offset, seek                              int64
	fromEnd                                          bool
	name                                             string
}

func runXxd(c *command.Context) int {
	x := &hexDumper{group: -1, limit: -1}
	names, status, ok := x.parse(c)
	if !ok {
		return status
	}
	if len(names) > 2 {
		return xxdUsage(c)
	}
	if x.reverse && (x.bits || x.little || x.include) {
		c.Errorf("Sorry, cannot revert this type of hexdump")
		return 255
	}
	name := "-"
	if len(names) > 0 {
		name = names[0]
	}
	in, err := c.Input(name)
	if err != nil {
		c.Errorf("%s: %s", name, command.Text(err))
		return 2
	}
	defer in.Close()
	x.out = c.Output()
	if len(names) == 2 && names[1] != "-" {
		flag := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
		if x.reverse {
			flag = os.O_WRONLY | os.O_CREATE
		}
		file, err := c.OpenFile(names[1], flag, 0o666)
		if err != nil {
			c.Errorf("%s: %s", names[1], command.Text(err))
			return 3
		}
		defer file.Close()
		x.out.Reset(file)
	}
	if !x.named && name != "-" {
		x.name = identifier(name)
	}
	if x.reverse {
		err = x.convert(in)
	} else {
		if x.seek != 0 || x.fromEnd {
			if in, err = x.skip(in); err != nil {
				c.Errorf("Sorry, cannot seek.")
				return 4
			}
		}
		err = x.dump(in)
	}
	if flush := x.out.Flush(); err == nil && flush != nil {
		return 3
	}
	if err != nil {
		c.Errorf("%s", command.Text(err))
		return 2
	}
	return 0
}

func xxdUsage(c *command.Context) int {
	fmt.Fprintf(c.Stderr, "Usage:\n       xxd [options] [infile [outfile]]\n    or\n"+
		"       xxd -r [-s [-]offset] [-c cols] [-ps] [infile [outfile]]\n")
	return 1
}

// parse reads the options, which end at the first operand, and returns the operands.
func (x *hexDumper) parse(c *command.Context) (names []string, status int, ok bool) {
	args := c.Args
	for len(args) > 0 {
		arg := args[0]
		if arg == "--" {
			return args[1:], 0, true
		}
		if len(arg) < 2 || arg[0] != '-' {
			break
		}
		args = args[1:]
		if strings.HasPrefix(arg, "--") {
			arg = arg[1:]
		}
		value := func(word string) (string, bool) {
			if rest := arg[2:]; rest != "" && !strings.HasPrefix(word[1:], rest) {
				return rest, true
			}
			if len(args) == 0 {
				return "", false
			}
			v := args[0]
			args = args[1:]
			return v, true
		}
		known := true
		switch arg[1] {
		case 'a':
			x.skipNul = !x.skipNul
		case 'b':
			x.bits = true
		case 'C':
			x.capital = true
		case 'd':
			x.decimal = true
		case 'e':
			x.little = true
		case 'i':
			x.include = true
		case 'p':
			x.plain = true
		case 'r':
			x.reverse = true
		case 'u':
			x.upper = true
		case 'v':
			fmt.Fprintln(c.Stdout, "xxd (toolrun)")
			return nil, 0, false
		case 'n':
			x.name, known = value("name")
			x.named = true
		case 'c':
			if strings.HasPrefix("capitalize", arg[1:]) && len(arg) > 3 {
				x.capital = true
				break
			}
			var v string
			if v, known = value("cols"); known {
				n, _ := cNumber(v)
				x.cols, x.colsGiven = int(n), true
			}
		case 'g':
			var v string
			if v, known = value("group"); known {
				n, _ := cNumber(v)
				x.group = int(n)
			}
		case 'l':
			var v string
			if v, known = value("len"); known {
				x.limit, _ = cNumber(v)
			}
		case 'o':
			var v string
			if v, known = value("offset"); known {
				x.offset, _ = cNumber(v)
			}
		case 's':
			var v string
			if v, known = value("seek"); known {
				v = strings.TrimPrefix(v, "+")
				x.fromEnd = strings.HasPrefix(v, "-")
				x.seek, _ = cNumber(strings.TrimPrefix(v, "-"))
			}
		default:
			known = false
		}
		if !known {
			return nil, xxdUsage(c), false
		}
	}
	if failure := x.complete(); failure != "" {
		c.Errorf("%s", failure)
		return nil, 1, false
	}
	return args, 0, true
}

// complete sets the options that were not given, and returns what is wrong with the others.
func (x *hexDumper) complete() string {
	most := 256
	if x.plain || x.include {
		most = 1 << 30
	}
	if x.colsGiven && (x.cols > most || x.cols < 0) || x.colsGiven && x.cols == 0 && !x.plain && !x.include {
		if x.cols != 0 {
			return "invalid number of columns (max. 256)."
		}
		x.colsGiven = false
	}
	if !x.colsGiven {
		switch {
		case x.plain:
			x.cols = 30
		case x.include:
			x.cols = 12
		case x.bits:
			x.cols = 6
		default:
			x.cols = 16
		}
	}
	if x.group < 0 {
		switch {
		case x.bits:
			x.group = 1
		case x.little:
			x.group = 4
		default:
			x.group = 2
		}
	}
	if x.group == 0 || x.group > x.cols {
		x.group = max(1, x.cols)
	}
	if x.little && x.group&(x.group-1) != 0 {
		return "number of octets per group must be a power of 2 with -e."
	}
	return ""
}

// cNumber reads a number as strtol does: decimal, octal after 0 or hexadecimal after 0x. What follows is ignored.
func cNumber(s string) (int64, error) {
	for end := len(s); end > 0; end-- {
		if n, err := strconv.ParseInt(s[:end], 0, 64); err == nil && !strings.ContainsAny(s[:end], "_oObB") {
			return n, nil
		}
	}
	return 0, strconv.ErrSyntax
}

// identifier makes a name of C of the name of a file.
func identifier(name string) string {
	b := []byte(name)
	for i, c := range b {
		if c|0x20 < 'a' || c|0x20 > 'z' {
			if c < '0' || c > '9' {
				b[i] = '_'
			}
		}
	}
	if len(b) > 0 && b[0] >= '0' && b[0] <= '9' {
		return "__" + string(b)
	}
	return string(b)
}

// skip skips the beginning of the input.
func (x *hexDumper) skip(in io.ReadCloser) (io.ReadCloser, error) {
	seeker, ok := in.(io.Seeker)
	if x.fromEnd {
		if !ok {
			return in, os.ErrInvalid
		}
		at, err := seeker.Seek(-x.seek, io.SeekEnd)
		x.seek = at
		return in, err
	}
	_, err := io.CopyN(io.Discard, in, x.seek)
	if err == io.EOF {
		err = nil
	}
	return in, err
}

func (x *hexDumper) digits(b byte) string {
	switch {
	case x.bits:
		return fmt.Sprintf("%08b", b)
	case x.upper:
		return fmt.Sprintf("%02X", b)
	}
	return fmt.Sprintf("%02x", b)
}

func (x *hexDumper) dump(in io.Reader) error {
	if x.limit >= 0 {
		in = io.LimitReader(in, x.limit)
	}
	r := bufio.NewReaderSize(in, 32<<10)
	switch {
	case x.include:
		return x.dumpInclude(r)
	case x.plain:
		return x.dumpPlain(r)
	}
	block := make([]byte, x.cols)
	nul, second, latest := 0, "", "" // how many lines of NULs were seen, and the second and the last of them
	for at := x.seek; ; at += int64(x.cols) {
		n, err := io.ReadFull(r, block)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return err
		}
		last := n < x.cols
		if n == 0 {
			switch {
			case nul == 3:
				_, _ = x.out.WriteString(second)
			case nul > 3:
				_, _ = x.out.WriteString("*\n")
			}
			if nul > 1 {
				_, _ = x.out.WriteString(latest)
			}
			return nil
		}
		line := x.line(at+x.offset, block[:n])
		if x.skipNul && !last && strings.Trim(string(block), "\x00") == "" {
			nul++
			switch nul {
			case 1:
				_, _ = x.out.WriteString(line)
			case 2:
				second = line
			}
			latest = line
			continue
		}
		if nul == 2 {
			_, _ = x.out.WriteString(second)
		} else if nul > 2 {
			_, _ = x.out.WriteString("*\n")
		}
		nul = 0
		_, _ = x.out.WriteString(line)
		if last {
			return nil
		}
	}
}

// line is a line of a dump.
func (x *hexDumper) line(at int64, data []byte) string {
	var b strings.Builder
	if x.decimal {
		fmt.Fprintf(&b, "%08d:", at)
	} else {
		fmt.Fprintf(&b, "%08x:", at)
	}
	each := 2
	if x.bits {
		each = 8
	}
	start := b.Len()
	for i := 0; i < x.cols; i++ {
		if i%x.group == 0 {
			b.WriteByte(' ')
		}
		from := i
		if x.little {
			from = i/x.group*x.group + x.group - 1 - i%x.group
		}
		if from < len(data) {
			b.WriteString(x.digits(data[from]))
		} else {
			b.WriteString(strings.Repeat(" ", each))
		}
	}
	line := b.String()
	width := start + 1 + ((each*x.group+1)*x.cols-1)/x.group
	if len(line) < width {
		line += strings.Repeat(" ", width-len(line))
	}
	text := make([]byte, len(data))
	for i, c := range data {
		if text[i] = c; c < ' ' || c > '~' {
			text[i] = '.'
		}
	}
	return line + "  " + string(text) + "\n"
}

func (x *hexDumper) dumpPlain(r *bufio.Reader) error {
	for i := 0; ; i++ {
		b, err := r.ReadByte()
		if err != nil {
			if i > 0 && (x.cols == 0 || i%x.cols != 0) {
				_ = x.out.WriteByte('\n')
			}
			if err == io.EOF {
				err = nil
			}
			return err
		}
		_, _ = x.out.WriteString(x.digits(b))
		if x.cols > 0 && i%x.cols == x.cols-1 {
			_ = x.out.WriteByte('\n')
		}
	}
}

func (x *hexDumper) dumpInclude(r *bufio.Reader) error {
	name, format := x.name, "0x%02x"
	if x.capital {
		name = strings.ToUpper(name)
	}
	if x.upper {
		format = "0X%02X"
	}
	if name != "" {
		fmt.Fprintf(x.out, "unsigned char %s[] = {\n", name)
	}
	count := 0
	for ; ; count++ {
		b, err := r.ReadByte()
		if err != nil && err != io.EOF {
			return err
		}
		if err != nil {
			break
		}
		separator := ", "
		if count%max(1, x.cols) == 0 {
			separator = ",\n  "
		}
		if count == 0 {
			separator = "  "
		}
		fmt.Fprintf(x.out, separator+format, b)
	}
	if count > 0 {
		_ = x.out.WriteByte('\n')
	}
	if name != "" {
		length := "_len"
		if x.capital {
			length = "_LEN"
		}
		fmt.Fprintf(x.out, "};\nunsigned int %s%s = %d;\n", name, length, count)
	}
	return nil
}

// convert makes bytes of a dump.
func (x *hexDumper) convert(in io.Reader) error {
	if x.plain {
		return x.convertPlain(in)
	}
	position, failure := int64(0), error(nil)
	shift := x.seek
	if x.fromEnd {
		shift = -shift
	}
	err := command.Lines(in, '\n', func(line []byte) bool {
		address, rest, ok := strings.Cut(string(line), ":")
		address = strings.TrimLeft(address, " \t")
		at, err := strconv.ParseInt(address, 16, 64)
		if x.decimal {
			at, err = strconv.ParseInt(address, 10, 64)
		}
		if !ok || err != nil {
			return true
		}
		for at += shift; position < at; position++ {
			_ = x.out.WriteByte(0)
		}
		if position > at {
			failure = errBackwards
			return false
		}
		for n := 0; n < max(x.cols, 16); n++ {
			rest = strings.TrimPrefix(rest, " ")
			if len(rest) < 2 {
				break
			}
			value, err := strconv.ParseUint(rest[:2], 16, 8)
			if err != nil {
				break
			}
			_ = x.out.WriteByte(byte(value))
			position++
			rest = rest[2:]
		}
		return true
	})
	if failure != nil {
		return failure
	}
	return err
}

// convertPlain makes bytes of pairs of digits, and ignores all other characters.
func (x *hexDumper) convertPlain(in io.Reader) error {
	r := bufio.NewReaderSize(in, 32<<10)
	high := -1
	for {
		b, err := r.ReadByte()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		digit, err := strconv.ParseUint(string(rune(b)), 16, 8)
		switch {
		case strings.IndexByte(" \t\r\n", b) >= 0:
		case err != nil:
			high = -1
		case high < 0:
			high = int(digit)
		default:
			_ = x.out.WriteByte(byte(high<<4 | int(digit)))
			high = -1
		}
	}
}
