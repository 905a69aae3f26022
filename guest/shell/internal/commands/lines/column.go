package lines

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var column = &command.Command{
	Name:     "column",
	Operands: "[OPTION]... [FILE]...",
	Summary:  "Columnate lists. With no FILE, read standard input.",
	Options: []command.Option{
		{Short: 't', Long: "table", Help: "create a table"},
		{Short: 'n', Long: "table-name", Arg: "NAME", Help: "table name for JSON output"},
		{Short: 'O', Long: "table-order", Arg: "COLUMNS", Help: "specify order of output columns"},
		{Short: 'N', Long: "table-columns", Arg: "NAMES", Help: "comma separated columns names"},
		{Short: 'l', Long: "table-columns-limit", Arg: "NUM", Help: "maximal number of input columns"},
		{Short: 'E', Long: "table-noextreme", Arg: "COLUMNS", Help: "(ignored)"},
		{Short: 'd', Long: "table-noheadings", Help: "don't print header"},
		{Short: 'e', Long: "table-header-repeat", Help: "(ignored)"},
		{Short: 'H', Long: "table-hide", Arg: "COLUMNS", Help: "don't print the columns"},
		{Short: 'R', Long: "table-right", Arg: "COLUMNS", Help: "right align text in these columns"},
		{Short: 'T', Long: "table-truncate", Arg: "COLUMNS", Help: "(ignored)"},
		{Short: 'W', Long: "table-wrap", Arg: "COLUMNS", Help: "(ignored)"},
		{Short: 'L', Long: "keep-empty-lines", Help: "don't ignore empty lines"},
		{Short: 'J', Long: "json", Help: "use JSON output format for table"},
		{Short: 'c', Long: "output-width", Arg: "WIDTH", Help: "width of output in number of characters"},
		{Short: 'o', Long: "output-separator", Arg: "STRING", Help: "columns separator for table output\n" +
			"(default is two spaces)"},
		{Short: 's', Long: "separator", Arg: "STRING", Help: "possible table delimiters"},
		{Short: 'x', Long: "fillrows", Help: "fill rows before columns"},
	},
	Notes: "COLUMNS are names or numbers of columns, separated by commas; 0 is all of them.",
	Run:   runColumn,
}

func runColumn(c *command.Context) int {
	width := 80
	if n, err := strconv.Atoi(c.Getenv("COLUMNS")); err == nil && n > 0 {
		width = n
	}
	if value, ok := c.Value("output-width"); ok {
		n, err := strconv.ParseUint(value, 10, 31)
		switch {
		case value == "unlimited":
			n = 1 << 31
		case err != nil:
			c.Errorf("invalid columns argument: %s", command.Quote(value))
			return 1
		}
		width = int(n)
	}
	ok := true
	var lines []string
	for _, name := range c.Inputs() {
		in, err := c.Input(name)
		if err != nil {
			c.Errorf("%s: %s", name, command.Text(err))
			ok = false
			continue
		}
		err = command.Lines(in, '\n', func(line []byte) bool {
			line, _, _ = bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte{0})
			if len(bytes.TrimSpace(line)) > 0 || c.Has("keep-empty-lines") {
				lines = append(lines, visible(string(line)))
			}
			return true
		})
		_ = in.Close()
		if err != nil {
			c.Errorf("read failed: %s", command.Text(err))
			return 1
		}
	}
	out := c.Output()
	status := command.Status(ok)
	switch {
	case c.Has("json") || c.Has("table"):
		t := table{c: c, out: out}
		if failure := t.print(lines); failure != "" {
			c.Errorf("%s", failure)
			status = 1
		}
	default:
		fill(out, lines, width, c.Has("fillrows"))
	}
	if out.Flush() != nil {
		return 1
	}
	return status
}

// visible writes bytes that are not UTF-8 as \xff.
func visible(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02x`, s[0])
		} else {
			b.WriteString(s[:size])
		}
		s = s[size:]
	}
	return b.String()
}

// fill writes entries in columns, separated by tabs, down or across.
func fill(out *bufio.Writer, entries []string, width int, across bool) {
	longest := 0
	for _, e := range entries {
		longest = max(longest, command.Width(e))
	}
	if longest >= width {
		for _, e := range entries {
			_, _ = out.WriteString(e + "\n")
		}
		return
	}
	each := (longest + 8) &^ 7
	columns := max(1, width/each)
	rows := (len(entries) + columns - 1) / columns
	for row := range rows {
		at, column := 0, 0
		for column < columns {
			i := row + column*rows
			if across {
				i = row*columns + column
			}
			if i >= len(entries) {
				break
			}
			for at < column*each {
				_ = out.WriteByte('\t')
				at = (at + 8) &^ 7
			}
			_, _ = out.WriteString(entries[i])
			at += command.Width(entries[i])
			column++
		}
		_ = out.WriteByte('\n')
	}
}

// A table is lines divided into columns.
type table struct {
	c     *command.Context
	out   io.Writer
	names []string
	rows  [][]string
	count int // of columns
}

// print reads the table and prints it. It returns what is wrong.
func (t *table) print(lines []string) string {
	if names, ok := t.c.Value("table-columns"); ok {
		t.names = strings.Split(names, ",")
		t.count = len(t.names)
	}
	inJSON := t.c.Has("json")
	if inJSON && t.names == nil {
		return "option --table-columns required for --json"
	}
	limit := -1
	if value, ok := t.c.Value("table-columns-limit"); ok {
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return "invalid columns limit argument: " + command.Quote(value)
		}
		limit = n
	}
	separators, given := t.c.Value("separator")
	for i, line := range lines {
		row := fields(line, separators, given, limit)
		if inJSON && len(row) > len(t.names) {
			return fmt.Sprintf("line %d: for JSON the name of the column %d is required", i+2, len(t.names)+1)
		}
		t.rows = append(t.rows, row)
		t.count = max(t.count, len(row))
	}
	order, failure := t.order()
	if failure != "" {
		return failure
	}
	if inJSON {
		t.json(order)
		return ""
	}
	right, failure := t.columns("table-right")
	if failure != "" {
		return failure
	}
	t.text(order, right)
	return ""
}

// fields divides a line at each separator, or at blanks.
func fields(line, separators string, given bool, limit int) []string {
	isSeparator := func(r rune) bool { return r == ' ' || r == '\t' }
	if given {
		isSeparator = func(r rune) bool { return strings.ContainsRune(separators, r) }
	} else {
		line = strings.TrimFunc(line, isSeparator)
	}
	var row []string
	for {
		at := strings.IndexFunc(line, isSeparator)
		if at < 0 || limit > 0 && len(row) == limit-1 {
			return append(row, line)
		}
		_, size := utf8.DecodeRuneInString(line[at:])
		row, line = append(row, line[:at]), line[at+size:]
		if !given {
			line = strings.TrimLeftFunc(line, isSeparator)
		}
	}
}

// columns returns the columns that an option names.
func (t *table) columns(option string) (columns []int, failure string) {
	list, ok := t.c.Value(option)
	if !ok {
		return nil, ""
	}
	for _, name := range strings.Split(list, ",") {
		if i := slices.Index(t.names, name); i >= 0 {
			columns = append(columns, i)
			continue
		}
		n, err := strconv.ParseUint(name, 10, 31)
		switch {
		case err != nil:
			return nil, "undefined column name " + command.Quote(name)
		case n == 0:
			for i := range t.count {
				columns = append(columns, i)
			}
		case int(n) <= t.count:
			columns = append(columns, int(n)-1)
		}
	}
	return columns, ""
}

// order returns the columns to print, in their order.
func (t *table) order() (order []int, failure string) {
	order, failure = t.columns("table-order")
	if failure != "" {
		return nil, failure
	}
	for i := range t.count {
		if !slices.Contains(order, i) {
			order = append(order, i)
		}
	}
	hidden, failure := t.columns("table-hide")
	return slices.DeleteFunc(order, func(i int) bool { return slices.Contains(hidden, i) }), failure
}

func (t *table) text(order, right []int) {
	separator, given := t.c.Value("output-separator")
	if !given {
		separator = "  "
	}
	rows := t.rows
	if t.names != nil && !t.c.Has("table-noheadings") {
		rows = append([][]string{t.names}, rows...)
	}
	widths := make([]int, t.count)
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], command.Width(cell))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for place, i := range order {
			cell := ""
			if i < len(row) {
				cell = row[i]
			}
			padding := strings.Repeat(" ", max(0, widths[i]-command.Width(cell)))
			last := place == len(order)-1
			if slices.Contains(right, i) && cell != "" {
				b.WriteString(padding + cell)
			} else if b.WriteString(cell); !last {
				b.WriteString(padding)
			}
			if !last {
				b.WriteString(separator)
			}
		}
		_, _ = io.WriteString(t.out, b.String()+"\n")
	}
}

func (t *table) json(order []int) {
	name, ok := t.c.Value("table-name")
	if !ok {
		name = "table"
	}
	quote := func(s string) string {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		_ = e.Encode(s)
		return strings.TrimSuffix(b.String(), "\n")
	}
	fmt.Fprintf(t.out, "{\n   %s: [\n", quote(name))
	for n, row := range t.rows {
		if n > 0 {
			_, _ = io.WriteString(t.out, ",")
		} else {
			_, _ = io.WriteString(t.out, "      ")
		}
		_, _ = io.WriteString(t.out, "{\n")
		for place, i := range order {
			value := "null"
			if i < len(row) {
				value = quote(row[i])
			}
			end := ","
			if place == len(order)-1 {
				end = ""
			}
			fmt.Fprintf(t.out, "         %s: %s%s\n", quote(strings.ToLower(t.names[i])), value, end)
		}
		_, _ = io.WriteString(t.out, "      }")
	}
	_, _ = io.WriteString(t.out, "\n   ]\n}\n")
}
