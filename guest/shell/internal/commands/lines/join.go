package lines

import (
	"bytes"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var join = &command.Command{
	Name:     "join",
	Operands: "[OPTION]... FILE1 FILE2",
	Summary: "For each pair of input lines with identical join fields, write a line to\n" +
		"standard output. The default join field is the first, delimited by blanks. When\n" +
		"FILE1 or FILE2 (not both) is -, read standard input.",
	Options: append(append([]command.Option{
		{Short: 'a', Arg: "FILENUM", Help: "also print unpairable lines from file FILENUM, 1\n" +
			"or 2"},
		{Short: 'e', Arg: "STRING", Help: "replace missing (empty) input fields with STRING"},
		{Short: 'i', Long: "ignore-case", Help: "ignore differences in case when comparing fields"},
		{Short: 'j', Arg: "FIELD", Help: "equivalent to '-1 FIELD -2 FIELD'"},
		{Short: 'o', Arg: "FORMAT", Help: "obey FORMAT while constructing output line: auto,\n" +
			"or a list of FILENUM.FIELD and 0, the join field"},
		{Short: 't', Arg: "CHAR", Help: "use CHAR as input and output field separator"},
		{Short: 'v', Arg: "FILENUM", Help: "like -a FILENUM, but suppress joined output lines"},
		{Short: '1', Arg: "FIELD", Help: "join on this FIELD of file 1"},
		{Short: '2', Arg: "FIELD", Help: "join on this FIELD of file 2"},
	}, orderOptions...),
		command.Option{Long: "header", Help: "treat the first line in each file as field\n" +
			"headers, print them without trying to pair them"},
		zeroTerminated),
	Run: runJoin,
}

type joiner struct {
	out       io.Writer
	order     *order
	readers   []*reader
	separator byte
	tab       int // -1 means blanks
	fold      bool
	empty     []byte
	keys      [2]int     // the fields to join, from 0
	fields    [][2]int   // what to print: file and field, from 0; file -1 is the join field
	auto      bool       // print as many fields as the first lines have
	count     [2]int     // how many that is
	unpaired  [2]bool    // print those of a file that have no pair
	pairs     bool       // print the others
	before    [2]*record // the last lines read
	numbers   [2]int
	stopped   bool // a file is not sorted, and must be
}

// A record is a line and its fields.
type record struct {
	line   []byte
	fields [][]byte
}

func runJoin(c *command.Context) int {
	j := &joiner{separator: separator(c), tab: -1, keys: [2]int{-1, -1}, pairs: !c.Has("v"), fold: c.Has("ignore-case")}
	if status := j.configure(c); status != 0 {
		return status
	}
	if status, ok := twoFiles(c, command.Quote); !ok {
		return status
	}
	if c.Args[0] == "-" && c.Args[1] == "-" {
		c.Errorf("both files cannot be standard input")
		return 1
	}
	readers, closeAll, failed, err := open(c, c.Args)
	defer closeAll()
	if err != nil {
		c.FileError(failed, err)
		return 1
	}
	out := c.Output()
	j.out, j.readers = out, readers
	j.order = newOrder(c, func(file int, line []byte) {
		_ = out.Flush()
		c.Errorf("%s:%d: is not sorted: %s", c.Args[file], j.numbers[file], line)
	})
	j.run(c.Has("header"))
	if out.Flush() != nil {
		return 1
	}
	for _, r := range readers {
		if err := r.failure(); err != nil {
			c.Errorf("read error: %s", command.Text(err))
			return 1
		}
	}
	return j.order.finish(c)
}

func (j *joiner) configure(c *command.Context) int {
	for _, g := range c.Given {
		switch g.Name {
		case "a", "v":
			n, err := strconv.Atoi(g.Value)
			if err != nil || n != 1 && n != 2 {
				c.Errorf("invalid file number: %s", command.QuoteText(g.Value))
				return 1
			}
			j.unpaired[n-1] = true
		case "e":
			if j.empty != nil && string(j.empty) != g.Value {
				c.Errorf("conflicting empty-field replacement strings")
				return 1
			}
			j.empty = []byte(g.Value)
		case "j", "1", "2":
			field, ok := joinField(c, g.Value)
			if !ok {
				return 1
			}
			for file := range j.keys {
				if g.Name != "j" && g.Name != strconv.Itoa(file+1) {
					continue
				}
				if before := j.keys[file]; before >= 0 && before != field {
					c.Errorf("incompatible join fields %d, %d", before+1, field+1)
					return 1
				}
				j.keys[file] = field
			}
		case "o":
			if g.Value == "auto" {
				j.auto = true
				continue
			}
			if !j.format(c, g.Value) {
				return 1
			}
			// As POSIX had it once, the list can be several words.
			for len(c.Args) > 2 && isField(c.Args[0]) {
				if !j.format(c, c.Args[0]) {
					return 1
				}
				c.Args = c.Args[1:]
			}
		case "t":
			tab := -1
			switch {
			case g.Value == "":
				tab = int(j.separator)
			case g.Value == `\0`:
				tab = 0
			case len(g.Value) > 1:
				c.Errorf("multi-character tab %s", command.QuoteText(g.Value))
				return 1
			default:
				tab = int(g.Value[0])
			}
			if j.tab >= 0 && j.tab != tab {
				c.Errorf("incompatible tabs")
				return 1
			}
			j.tab = tab
		}
	}
	for file := range j.keys {
		j.keys[file] = max(0, j.keys[file])
	}
	return 0
}

// joinField reads the number of a field, and returns it counted from 0.
func joinField(c *command.Context, s string) (int, bool) {
	n, err := strconv.ParseUint(s, 10, 64)
	if n > math.MaxInt32 {
		n = math.MaxInt32
	}
	if n == 0 || err != nil && n == 0 {
		c.Errorf("invalid field number: %s", command.QuoteText(s))
		return 0, false
	}
	return int(n) - 1, true
}

func isField(s string) bool {
	file, field, _ := strings.Cut(s, ".")
	return s == "0" || (file == "1" || file == "2") && field != "" && strings.Trim(field, "0123456789") == ""
}

func (j *joiner) format(c *command.Context, list string) bool {
	for _, word := range listWords(list) {
		file, field, dotted := strings.Cut(word, ".")
		switch {
		case file == "0" && !dotted:
			j.fields = append(j.fields, [2]int{-1, 0})
		case file == "1" && dotted, file == "2" && dotted:
			n, ok := joinField(c, field)
			if !ok {
				return false
			}
			j.fields = append(j.fields, [2]int{int(file[0] - '1'), n})
		case word[0] == '0' || word[0] == '1' || word[0] == '2':
			c.Errorf("invalid field specifier: %s", command.QuoteText(word))
			return false
		default:
			c.Errorf("invalid file number in field spec: %s", command.QuoteText(word))
			return false
		}
	}
	return true
}

// read reads a line of a file.
func (j *joiner) read(file int) *record {
	line, ok := j.readers[file].next()
	if !ok || j.stopped {
		return nil
	}
	j.numbers[file]++
	r := &record{line: line}
	if j.tab >= 0 && j.tab != int(j.separator) {
		r.fields = bytes.Split(line, []byte{byte(j.tab)})
		if len(line) == 0 {
			r.fields = nil
		}
	} else if j.tab >= 0 {
		r.fields = [][]byte{line}
	} else {
		r.fields = bytes.FieldsFunc(line, func(c rune) bool { return c == ' ' || c == '\t' || c == '\n' })
		if len(r.fields) > 0 && bytes.ContainsAny(line[len(line)-1:], " \t\n") {
			r.fields = append(r.fields, nil)
		}
	}
	if before := j.before[file]; before != nil {
		j.stopped = !j.order.check(file, j.compare(before, r, file, file), line)
	}
	j.before[file] = r
	if j.stopped {
		return nil
	}
	return r
}

func (r *record) field(i int) []byte {
	if i < len(r.fields) {
		return r.fields[i]
	}
	return nil
}

// compare compares the join fields of two lines of the files a and b.
func (j *joiner) compare(first, second *record, a, b int) int {
	x, y := first.field(j.keys[a]), second.field(j.keys[b])
	if j.fold {
		x, y = bytes.ToLower(x), bytes.ToLower(y)
	}
	return bytes.Compare(x, y)
}

func (j *joiner) run(header bool) {
	lines := [2]*record{j.read(0), j.read(1)}
	for file, line := range lines {
		if line != nil {
			j.count[file] = len(line.fields)
		}
	}
	if header && (lines[0] != nil || lines[1] != nil) {
		j.print(lines[0], lines[1])
		j.before = [2]*record{}
		for file, line := range lines {
			if line != nil {
				lines[file] = j.read(file)
			}
		}
	}
	for lines[0] != nil && lines[1] != nil {
		order := j.compare(lines[0], lines[1], 0, 1)
		if order != 0 {
			file := max(0, order)
			j.alone(file, lines[file])
			if lines[file] = j.read(file); j.stopped {
				return
			}
			j.order.unpaired = true
			continue
		}
		var groups [2][]*record
		first := lines
		for file := range groups {
			for lines[file] != nil && j.compare(lines[file], first[1-file], file, 1-file) == 0 {
				groups[file] = append(groups[file], lines[file])
				lines[file] = j.read(file)
			}
			if j.stopped {
				return
			}
		}
		if j.pairs {
			for _, a := range groups[0] {
				for _, b := range groups[1] {
					j.print(a, b)
				}
			}
		}
	}
	for file := range lines {
		// Without anything to print, the rest is read only to see whether it is sorted.
		for lines[file] != nil && (j.unpaired[file] || !j.order.never && !j.order.broken[file]) {
			j.alone(file, lines[file])
			lines[file] = j.read(file)
		}
	}
}

// alone prints a line that has no pair.
func (j *joiner) alone(file int, line *record) {
	switch {
	case !j.unpaired[file]:
	case file == 0:
		j.print(line, nil)
	default:
		j.print(nil, line)
	}
}

// print prints a pair, of which one can be missing.
func (j *joiner) print(first, second *record) {
	pair, known := [2]*record{first, second}, 0
	if first == nil {
		known = 1
	}
	key := pair[known].field(j.keys[known])
	var row []byte
	put := func(field []byte) {
		if len(row) > 0 || row != nil {
			if j.tab >= 0 {
				row = append(row, byte(j.tab))
			} else {
				row = append(row, ' ')
			}
		}
		if len(field) == 0 {
			field = j.empty
		}
		if row = append(row, field...); row == nil {
			row = []byte{}
		}
	}
	at := func(file, field int) []byte {
		if pair[file] == nil {
			return nil
		}
		return pair[file].field(field)
	}
	if len(j.fields) > 0 {
		for _, f := range j.fields {
			if f[0] < 0 {
				put(key)
			} else {
				put(at(f[0], f[1]))
			}
		}
	} else {
		put(key)
		for file, line := range pair {
			count := j.count[file]
			if !j.auto {
				if count = 0; line != nil {
					count = len(line.fields)
				}
			}
			for i := range count {
				if i != j.keys[file] {
					put(at(file, i))
				}
			}
		}
	}
	_, _ = j.out.Write(append(row, j.separator))
}
