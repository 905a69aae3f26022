package data

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
	"github.com/toolrun/toolrun/guest/shell/internal/jq"
)

var xsv = &command.Command{
	Name: "xsv", Operands: "COMMAND [OPTION]... [ARGUMENT]... [FILE]",
	Summary: "Work with CSV, whose first line has the names of the columns. Commands:\n" +
		"  count                     the number of records\n" +
		"  headers [-j]              the names of the columns\n" +
		"  select COLUMNS            some columns, in an order: a,c or 1-3 or name:last or !a\n" +
		"  sort [-s COLUMNS] [-N] [-R]          sort records, by numbers or in reverse\n" +
		"  search [-s COLUMNS] [-v] [-i] REGEX  records with a match\n" +
		"  slice [-s N] [-e N] [-l N] [--index N]  some records, counted from 0\n" +
		"  stats [-s COLUMNS] [--everything]    type, sum, min, max, mean and more of each column\n" +
		"  frequency [-s COLUMNS] [-l N]        how often values are there\n" +
		"  join [--left|--right|--full] COLUMNS FILE COLUMNS FILE   records with the same values\n" +
		"  cat rows|columns FILE...  files one after the other, or next to each other\n" +
		"  dedup [-s COLUMNS]        records whose values are not there before\n" +
		"  table                     columns one below the other, for people\n" +
		"  flatten                   a line for each field\n" +
		"  fmt [-t C]                write with another delimiter\n" +
		"  tojson                    JSON",
	Options: []command.Option{
		{Short: 'd', Long: "delimiter", Arg: "C", Help: "what separates fields (default: comma, or tab in .tsv)"},
		{Short: 'n', Long: "no-headers", Help: "the first line is a record like others"},
		{Short: 'o', Long: "output", Arg: "FILE", Help: "write to FILE"},
		{Short: 's', Long: "select", Arg: "COLUMNS", Help: "the columns that it is about; --start of slice"},
		{Short: 'N', Long: "numeric", Help: "compare numbers"},
		{Short: 'R', Long: "reverse", Help: "in reverse"},
		{Short: 'v', Long: "invert-match", Help: "records without a match"},
		{Short: 'i', Long: "ignore-case", Help: "ignore case"},
		{Short: 'l', Long: "limit", Arg: "N", Help: "at most so many; --len of slice"},
		{Long: "start", Arg: "N"}, {Short: 'e', Long: "end", Arg: "N"}, {Long: "len", Arg: "N"}, {Long: "index",
			Arg: "N"},
		{Short: 'j', Long: "just-names", Help: "headers: names without numbers"},
		{Short: 't', Long: "out-delimiter", Arg: "C"},
		{Long: "left"}, {Long: "right"}, {Long: "full"}, {Long: "no-case"},
		{Long: "everything", Help: "stats: also median, mode and cardinality"},
		{Long: "median"}, {Long: "mode"}, {Long: "cardinality"}, {Long: "nulls"}, {Short: 'a', Long: "asc"},
	},
	Run: runXSV,
}

type xsvRun struct {
	c   *command.Context
	out *csv.Writer
	raw *bufio.Writer
}

func runXSV(c *command.Context) int {
	if len(c.Args) == 0 {
		c.Run(command.Call{Args: []string{"xsv", "--help"}})
		return 0
	}
	x := &xsvRun{c: c, raw: c.Output()}
	if name, ok := c.Value("output"); ok {
		file, err := c.Create(name)
		if err != nil {
			c.FileError(name, err)
			return 1
		}
		defer file.Close()
		x.raw = bufio.NewWriter(file)
	}
	x.out = csv.NewWriter(x.raw)
	commands := map[string]func([]string) error{
		"count": x.count, "headers": x.headers, "select": x.selects, "sort": x.sort, "search": x.search,
		"slice": x.slice,
		"stats": x.stats, "frequency": x.frequency, "join": x.join, "cat": x.cat, "dedup": x.dedup, "table": x.table,
		"flatten": x.flatten, "fmt": x.format, "tojson": x.toJSON,
	}
	do := commands[c.Args[0]]
	if do == nil {
		return c.Usage("there is no command %s", command.QuoteText(c.Args[0]))
	}
	err := do(c.Args[1:])
	x.out.Flush()
	if e := x.raw.Flush(); err == nil {
		err = e
	}
	if err != nil {
		c.Errorf("%s", command.Text(err))
		return 1
	}
	return 0
}

func delimiter(s string) (rune, error) {
	if s == `\t` || s == "tab" {
		return '\t', nil
	}
	r, size := utf8.DecodeRuneInString(s)
	if size != len(s) || size == 0 {
		return 0, fmt.Errorf("the delimiter %s is not one character", command.QuoteText(s))
	}
	return r, nil
}

// A csvTable is a file that is open: its columns, and the records that follow.
type csvTable struct {
	header []string
	first  []string // a record that was read for the header, if there are no headers
	r      *csv.Reader
	closer io.Closer
}

// open opens the file that the operands name, or standard input.
func (x *xsvRun) open(args []string) (*csvTable, error) {
	name := "-"
	switch len(args) {
	case 0:
	case 1:
		name = args[0]
	default:
		return nil, fmt.Errorf("extra operand %s", command.QuoteText(args[1]))
	}
	in, err := x.c.Input(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", name, command.Text(err))
	}
	t := &csvTable{r: csv.NewReader(in), closer: in}
	t.r.FieldsPerRecord, t.r.LazyQuotes = -1, true
	if strings.HasSuffix(name, ".tsv") || strings.HasSuffix(name, ".tab") {
		t.r.Comma = '\t'
	}
	if d, ok := x.c.Value("delimiter"); ok {
		if t.r.Comma, err = delimiter(d); err != nil {
			return nil, err
		}
	}
	t.header, err = t.r.Read()
	if err == io.EOF {
		return t, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t.header[0] = strings.TrimPrefix(t.header[0], "\ufeff")
	if x.c.Has("no-headers") {
		t.first = t.header
		t.header = make([]string, len(t.first))
		for i := range t.header {
			t.header[i] = strconv.Itoa(i + 1)
		}
	}
	return t, nil
}

// writeHeader writes the names of columns, if the file has them.
func (x *xsvRun) writeHeader(names []string) error {
	if x.c.Has("no-headers") || len(names) == 0 {
		return nil
	}
	return x.out.Write(names)
}

// each calls a function with the records.
func (t *csvTable) each(do func(record []string) error) error {
	defer t.closer.Close()
	if t.first != nil {
		if err := do(t.first); err != nil {
			return err
		}
	}
	for t.header != nil {
		record, err := t.r.Read()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = do(record)
		}
		if err == errEnough {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// errEnough ends reading.
var errEnough = errors.New("enough")

func (t *csvTable) all() ([][]string, error) {
	var records [][]string
	err := t.each(func(record []string) error {
		records = append(records, record)
		return nil
	})
	return records, err
}

func at(record []string, i int) string {
	if i < len(record) {
		return record[i]
	}
	return ""
}

// columns returns the columns that a list names: names, numbers from 1, ranges, and "!" before all that are left out.
func (t *csvTable) columns(list string) ([]int, error) {
	if list == "" {
		all := make([]int, len(t.header))
		for i := range all {
			all[i] = i
		}
		return all, nil
	}
	rest, negate := strings.CutPrefix(list, "!")
	find := func(s string) (int, error) {
		if i := slices.Index(t.header, strings.Trim(s, `"`)); i >= 0 {
			return i, nil
		}
		if n, err := strconv.Atoi(s); err == nil && n >= 1 && n <= len(t.header) {
			return n - 1, nil
		}
		return 0, fmt.Errorf("there is no column %s: the columns are %s", command.QuoteText(s), strings.Join(t.header,
			", "))
	}
	var found []int
	for part := range strings.SplitSeq(rest, ",") {
		if i, err := find(part); err == nil {
			found = append(found, i)
			continue
		}
		low, high, isRange := strings.Cut(part, ":")
		if !isRange {
			low, high, isRange = strings.Cut(part, "-")
		}
		if !isRange {
			_, err := find(part)
			return nil, err
		}
		from, to := 0, len(t.header)-1
		var err error
		if low != "" {
			if from, err = find(low); err != nil {
				return nil, err
			}
		}
		if high != "" {
			if to, err = find(high); err != nil {
				return nil, err
			}
		}
		step := 1
		if to < from {
			step = -1
		}
		for i := from; ; i += step {
			found = append(found, i)
			if i == to {
				break
			}
		}
	}
	if !negate {
		return found, nil
	}
	var others []int
	for i := range t.header {
		if !slices.Contains(found, i) {
			others = append(others, i)
		}
	}
	return others, nil
}

func pick(record []string, columns []int) []string {
	fields := make([]string, len(columns))
	for i, c := range columns {
		fields[i] = at(record, c)
	}
	return fields
}

// selected opens the file, and returns the columns of -s.
func (x *xsvRun) selected(args []string) (*csvTable, []int, error) {
	t, err := x.open(args)
	if err != nil {
		return nil, nil, err
	}
	list, _ := x.c.Value("select")
	columns, err := t.columns(list)
	return t, columns, err
}

func (x *xsvRun) count(args []string) error {
	t, err := x.open(args)
	if err != nil {
		return err
	}
	n := 0
	if err := t.each(func([]string) error { n++; return nil }); err != nil {
		return err
	}
	fmt.Fprintln(x.raw, n)
	return nil
}

func (x *xsvRun) headers(args []string) error {
	t, err := x.open(args)
	if err != nil {
		return err
	}
	defer t.closer.Close()
	for i, name := range t.header {
		if x.c.Has("just-names") {
			fmt.Fprintln(x.raw, name)
		} else {
			fmt.Fprintf(x.raw, "%-3d %s\n", i+1, name)
		}
	}
	return nil
}

func (x *xsvRun) selects(args []string) error {
	if len(args) == 0 {
		return errors.New("missing columns")
	}
	t, err := x.open(args[1:])
	if err != nil {
		return err
	}
	columns, err := t.columns(args[0])
	if err != nil {
		return err
	}
	if err := x.writeHeader(pick(t.header, columns)); err != nil {
		return err
	}
	return t.each(func(record []string) error { return x.out.Write(pick(record, columns)) })
}

// number returns the number that a field is. What is none is less than all others.
func number(s string) float64 {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil {
		return math.Inf(-1)
	}
	return f
}

func (x *xsvRun) sort(args []string) error {
	t, columns, err := x.selected(args)
	if err != nil {
		return err
	}
	records, err := t.all()
	if err != nil {
		return err
	}
	slices.SortStableFunc(records, func(a, b []string) int {
		for _, c := range columns {
			var order int
			if x.c.Has("numeric") {
				p, q := number(at(a, c)), number(at(b, c))
				if p < q {
					order = -1
				} else if p > q {
					order = 1
				}
			} else {
				order = strings.Compare(at(a, c), at(b, c))
			}
			if x.c.Has("reverse") {
				order = -order
			}
			if order != 0 {
				return order
			}
		}
		return 0
	})
	if err := x.writeHeader(t.header); err != nil {
		return err
	}
	return x.out.WriteAll(records)
}

func (x *xsvRun) search(args []string) error {
	if len(args) == 0 {
		return errors.New("missing regular expression")
	}
	source := args[0]
	if x.c.Has("ignore-case") {
		source = "(?i)" + source
	}
	re, err := regexp.Compile(source)
	if err != nil {
		return err
	}
	t, columns, err := x.selected(args[1:])
	if err != nil {
		return err
	}
	if err := x.writeHeader(t.header); err != nil {
		return err
	}
	return t.each(func(record []string) error {
		found := slices.ContainsFunc(columns, func(c int) bool { return re.MatchString(at(record, c)) })
		if found == x.c.Has("invert-match") {
			return nil
		}
		return x.out.Write(record)
	})
}

func (x *xsvRun) slice(args []string) error {
	t, err := x.open(args)
	if err != nil {
		return err
	}
	get := func(missing int, names ...string) (int, error) {
		name := x.c.Last(names...)
		if name == "" {
			return missing, nil
		}
		s, _ := x.c.Value(name)
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 {
			return 0, fmt.Errorf("%s is no number of a record", command.QuoteText(s))
		}
		return n, nil
	}
	from, err := get(0, "start", "select")
	if err != nil {
		return err
	}
	to, err := get(math.MaxInt, "end")
	if err != nil {
		return err
	}
	if n, err := get(-1, "len", "limit"); err != nil {
		return err
	} else if n >= 0 {
		to = from + n
	}
	if i, err := get(-1, "index"); err != nil {
		return err
	} else if i >= 0 {
		from, to = i, i+1
	}
	if err := x.writeHeader(t.header); err != nil {
		return err
	}
	n := 0
	return t.each(func(record []string) error {
		n++
		if n > to {
			return errEnough
		}
		if n <= from {
			return nil
		}
		return x.out.Write(record)
	})
}

// A columnStats is what is known of a column.
type columnStats struct {
	kind                  string // NULL, Integer, Float or Unicode
	sum, mean, squares    float64
	count                 int
	low, high             string
	lowNumber, highNumber float64
	short, long           int
	seen                  bool
	values                []float64
	counts                map[string]int
}

func (s *columnStats) add(field string, keep bool) {
	length := len(field)
	if !s.seen || length < s.short {
		s.short = length
	}
	s.long = max(s.long, length)
	s.seen = true
	if keep {
		s.counts[field]++
	}
	if field == "" {
		return
	}
	f, err := strconv.ParseFloat(field, 64)
	kind := "Float"
	if _, e := strconv.ParseInt(field, 10, 64); e == nil {
		kind = "Integer"
	}
	if err != nil {
		kind = "Unicode"
	}
	rank := map[string]int{"NULL": 0, "Integer": 1, "Float": 2, "Unicode": 3}
	if rank[kind] > rank[s.kind] {
		s.kind = kind
	}
	if s.low == "" || field < s.low {
		s.low = field
	}
	if field > s.high {
		s.high = field
	}
	if err == nil {
		if s.count == 0 || f < s.lowNumber {
			s.lowNumber = f
		}
		if s.count == 0 || f > s.highNumber {
			s.highNumber = f
		}
		s.count++
		s.sum += f
		// Welford's way.
		delta := f - s.mean
		s.mean += delta / float64(s.count)
		s.squares += delta * (f - s.mean)
		if keep {
			s.values = append(s.values, f)
		}
	}
}

func shortNumber(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func (x *xsvRun) stats(args []string) error {
	t, columns, err := x.selected(args)
	if err != nil {
		return err
	}
	all := make([]columnStats, len(columns))
	for i := range all {
		all[i].kind, all[i].counts = "NULL", map[string]int{}
	}
	everything := x.c.Has("everything")
	median, mode := everything || x.c.Has("median"), everything || x.c.Has("mode")
	cardinality := everything || x.c.Has("cardinality")
	keep := median || mode || cardinality
	err = t.each(func(record []string) error {
		for i, c := range columns {
			all[i].add(at(record, c), keep)
		}
		return nil
	})
	if err != nil {
		return err
	}
	head := []string{"field", "type", "sum", "min", "max", "min_length", "max_length", "mean", "stddev"}
	if median {
		head = append(head, "median")
	}
	if mode {
		head = append(head, "mode")
	}
	if cardinality {
		head = append(head, "cardinality")
	}
	if err := x.out.Write(head); err != nil {
		return err
	}
	for i, s := range all {
		row := []string{t.header[columns[i]], s.kind, "", s.low, s.high, strconv.Itoa(s.short), strconv.Itoa(s.long),
			"", ""}
		numeric := s.kind == "Integer" || s.kind == "Float"
		if numeric {
			row[2], row[3], row[4] = shortNumber(s.sum), shortNumber(s.lowNumber), shortNumber(s.highNumber)
			row[7], row[8] = shortNumber(s.mean), shortNumber(math.Sqrt(s.squares/float64(s.count)))
		}
		if median {
			middle := ""
			if n := len(s.values); numeric && n > 0 {
				slices.Sort(s.values)
				middle = shortNumber((s.values[(n-1)/2] + s.values[n/2]) / 2)
			}
			row = append(row, middle)
		}
		if mode {
			row = append(row, commonest(s.counts))
		}
		if cardinality {
			row = append(row, strconv.Itoa(len(s.counts)))
		}
		if err := x.out.Write(row); err != nil {
			return err
		}
	}
	return nil
}

// commonest returns the value that is there most often, or N/A if there are several.
func commonest(counts map[string]int) string {
	best, times, tie := "", 0, false
	for value, n := range counts {
		switch {
		case n > times:
			best, times, tie = value, n, false
		case n == times:
			tie = true
		}
	}
	if tie || times == 0 {
		return "N/A"
	}
	return best
}

func (x *xsvRun) frequency(args []string) error {
	t, columns, err := x.selected(args)
	if err != nil {
		return err
	}
	limit := 10
	if s, ok := x.c.Value("limit"); ok {
		if limit, err = strconv.Atoi(s); err != nil {
			return fmt.Errorf("%s is no number", command.QuoteText(s))
		}
	}
	counts := make([]map[string]int, len(columns))
	for i := range counts {
		counts[i] = map[string]int{}
	}
	err = t.each(func(record []string) error {
		for i, c := range columns {
			counts[i][at(record, c)]++
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := x.out.Write([]string{"field", "value", "count"}); err != nil {
		return err
	}
	for i, c := range columns {
		values := make([]string, 0, len(counts[i]))
		for value := range counts[i] {
			values = append(values, value)
		}
		slices.SortFunc(values, func(a, b string) int {
			if by := counts[i][b] - counts[i][a]; by != 0 {
				if x.c.Has("asc") {
					return -by
				}
				return by
			}
			return strings.Compare(a, b)
		})
		if limit > 0 && len(values) > limit {
			values = values[:limit]
		}
		for _, value := range values {
			shown := value
			if shown == "" {
				shown = "(NULL)"
			}
			if err := x.out.Write([]string{t.header[c], shown, strconv.Itoa(counts[i][value])}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *xsvRun) join(args []string) error {
	if len(args) != 4 {
		return errors.New("join needs COLUMNS FILE COLUMNS FILE")
	}
	left, err := x.open(args[1:2])
	if err != nil {
		return err
	}
	right, err := x.open(args[3:])
	if err != nil {
		return err
	}
	leftKey, err := left.columns(args[0])
	if err != nil {
		return err
	}
	rightKey, err := right.columns(args[2])
	if err != nil {
		return err
	}
	if len(leftKey) != len(rightKey) {
		return errors.New("the two files have different numbers of columns to compare")
	}
	key := func(record []string, columns []int) string {
		k := strings.Join(pick(record, columns), "\x00")
		if x.c.Has("no-case") {
			k = strings.ToLower(k)
		}
		return k
	}
	rights, err := right.all()
	if err != nil {
		return err
	}
	byKey := map[string][]int{}
	for i, record := range rights {
		k := key(record, rightKey)
		byKey[k] = append(byKey[k], i)
	}
	used := make([]bool, len(rights))
	if err := x.writeHeader(slices.Concat(left.header, right.header)); err != nil {
		return err
	}
	keepLeft, keepRight := x.c.Has("left") || x.c.Has("full"), x.c.Has("right") || x.c.Has("full")
	err = left.each(func(record []string) error {
		found := byKey[key(record, leftKey)]
		for _, i := range found {
			used[i] = true
			if err := x.out.Write(slices.Concat(record, rights[i])); err != nil {
				return err
			}
		}
		if len(found) == 0 && keepLeft {
			return x.out.Write(slices.Concat(record, make([]string, len(right.header))))
		}
		return nil
	})
	if err != nil || !keepRight {
		return err
	}
	for i, record := range rights {
		if !used[i] {
			if err := x.out.Write(slices.Concat(make([]string, len(left.header)), record)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *xsvRun) cat(args []string) error {
	if len(args) < 2 || args[0] != "rows" && args[0] != "columns" {
		return errors.New("cat needs rows or columns, and files")
	}
	var tables []*csvTable
	for _, name := range args[1:] {
		t, err := x.open([]string{name})
		if err != nil {
			return err
		}
		tables = append(tables, t)
	}
	if args[0] == "rows" {
		for i, t := range tables {
			if i == 0 {
				if err := x.writeHeader(t.header); err != nil {
					return err
				}
			}
			if err := t.each(func(record []string) error { return x.out.Write(record) }); err != nil {
				return err
			}
		}
		return nil
	}
	var header []string
	var all [][][]string
	rows := math.MaxInt
	for _, t := range tables {
		header = append(header, t.header...)
		records, err := t.all()
		if err != nil {
			return err
		}
		all = append(all, records)
		rows = min(rows, len(records))
	}
	if err := x.writeHeader(header); err != nil {
		return err
	}
	for i := range rows {
		var row []string
		for _, records := range all {
			row = append(row, records[i]...)
		}
		if err := x.out.Write(row); err != nil {
			return err
		}
	}
	return nil
}

func (x *xsvRun) dedup(args []string) error {
	t, columns, err := x.selected(args)
	if err != nil {
		return err
	}
	if err := x.writeHeader(t.header); err != nil {
		return err
	}
	seen := map[string]bool{}
	return t.each(func(record []string) error {
		key := strings.Join(pick(record, columns), "\x00")
		if seen[key] {
			return nil
		}
		seen[key] = true
		return x.out.Write(record)
	})
}

func (x *xsvRun) table(args []string) error {
	t, err := x.open(args)
	if err != nil {
		return err
	}
	records, err := t.all()
	if err != nil {
		return err
	}
	if !x.c.Has("no-headers") && t.header != nil {
		records = slices.Insert(records, 0, t.header)
	}
	var widths []int
	for _, record := range records {
		for i, field := range record {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(field))
		}
	}
	for _, record := range records {
		for i, field := range record {
			_, _ = x.raw.WriteString(field)
			if i < len(record)-1 {
				_, _ = x.raw.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(field)+2))
			}
		}
		_ = x.raw.WriteByte('\n')
	}
	return nil
}

func (x *xsvRun) flatten(args []string) error {
	t, err := x.open(args)
	if err != nil {
		return err
	}
	width := 0
	for _, name := range t.header {
		width = max(width, utf8.RuneCountInString(name))
	}
	n := 0
	return t.each(func(record []string) error {
		if n++; n > 1 {
			_, _ = x.raw.WriteString("#\n")
		}
		for i, name := range t.header {
			fmt.Fprintf(x.raw, "%s%s  %s\n", name, strings.Repeat(" ", width-utf8.RuneCountInString(name)), at(record,
				i))
		}
		return nil
	})
}

func (x *xsvRun) format(args []string) error {
	t, err := x.open(args)
	if err != nil {
		return err
	}
	if d, ok := x.c.Value("out-delimiter"); ok {
		if x.out.Comma, err = delimiter(d); err != nil {
			return err
		}
	}
	if err := x.writeHeader(t.header); err != nil {
		return err
	}
	return t.each(func(record []string) error { return x.out.Write(record) })
}

func (x *xsvRun) toJSON(args []string) error {
	t, err := x.open(args)
	if err != nil {
		return err
	}
	n := 0
	_, _ = x.raw.WriteString("[")
	err = t.each(func(record []string) error {
		if n++; n > 1 {
			_, _ = x.raw.WriteString(",")
		}
		o := &jq.Object{}
		for i, name := range t.header {
			o.Put(name, guess(at(record, i)))
		}
		_, _ = x.raw.WriteString("\n" + jq.JSON(o))
		return nil
	})
	if n > 0 {
		_, _ = x.raw.WriteString("\n")
	}
	_, _ = x.raw.WriteString("]\n")
	return err
}
