package search

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
	"github.com/toolrun/toolrun/guest/shell/internal/patterns"
	"github.com/toolrun/toolrun/guest/shell/internal/regex"
)

var grep = grepAs("grep", "")
var egrep = grepAs("egrep", "extended-regexp")
var fgrep = grepAs("fgrep", "fixed-strings")

func grepAs(name, kind string) *command.Command {
	return &command.Command{
		Name:     name,
		Operands: "[OPTION]... PATTERNS [FILE]...",
		Summary:  "Search for PATTERNS in each FILE. PATTERNS can contain multiple patterns separated by newlines.",
		Options:  grepOptions,
		Trouble:  2,
		Number:   "context",
		Notes: "When FILE is '-', read standard input. With no FILE, read '.' if recursive, '-' otherwise. Exit " +
			"status is 0 if any\n" +
			"line is selected, 1 otherwise; if any error occurs and -q is not given, it is 2.",
		Run: func(c *command.Context) int { return runGrep(c, kind) },
	}
}

var grepOptions = []command.Option{
	{Short: 'E', Long: "extended-regexp", Help: "PATTERNS are extended regular expressions"},
	{Short: 'F', Long: "fixed-strings", Help: "PATTERNS are strings"},
	{Short: 'G', Long: "basic-regexp", Help: "PATTERNS are basic regular expressions"},
	{Short: 'P', Long: "perl-regexp", Help: "PATTERNS are Perl regular expressions"},
	{Short: 'e', Long: "regexp", Arg: "PATTERNS", Help: "use PATTERNS for matching"},
	{Short: 'f', Long: "file", Arg: "FILE", Help: "take PATTERNS from FILE"},
	{Short: 'i', Long: "ignore-case", Help: "ignore case distinctions in patterns and data"},
	{Short: 'y'}, {Long: "no-ignore-case", Help: "do not ignore case distinctions (default)"},
	{Short: 'w', Long: "word-regexp", Help: "match only whole words"},
	{Short: 'x', Long: "line-regexp", Help: "match only whole lines"},
	{Short: 'z', Long: "null-data", Help: "a data line ends in 0 byte, not newline"},
	{Short: 's', Long: "no-messages", Help: "suppress error messages"},
	{Short: 'v', Long: "invert-match", Help: "select non-matching lines"},
	{Short: 'm', Long: "max-count", Arg: "NUM", Help: "stop after NUM selected lines"},
	{Short: 'b', Long: "byte-offset", Help: "print the byte offset with output lines"},
	{Short: 'n', Long: "line-number", Help: "print line number with output lines"},
	{Long: "line-buffered"},
	{Short: 'H', Long: "with-filename", Help: "print file name with output lines"},
	{Short: 'h', Long: "no-filename", Help: "suppress the file name prefix on output"},
	{Long: "label", Arg: "LABEL", Help: "use LABEL as the standard input file name prefix"},
	{Short: 'o', Long: "only-matching", Help: "show only nonempty parts of lines that match"},
	{Short: 'q', Long: "quiet", Help: "suppress all normal output"},
	{Long: "silent"},
	{Long: "binary-files", Arg: "TYPE", Help: "assume that binary files are TYPE; TYPE is 'binary', 'text',\n" +
		"or 'without-match'"},
	{Short: 'a', Long: "text", Help: "equivalent to --binary-files=text"},
	{Short: 'I', Help: "equivalent to --binary-files=without-match"},
	{Short: 'd', Long: "directories", Arg: "ACTION",
		Help: "how to handle directories; ACTION is 'read', 'recurse', or\n'skip'"},
	{Short: 'D', Long: "devices", Arg: "ACTION"},
	{Short: 'r', Long: "recursive", Help: "like --directories=recurse"},
	{Short: 'R', Long: "dereference-recursive", Help: "likewise, but follow all symlinks"},
	{Long: "include", Arg: "GLOB", Help: "search only files that match GLOB (a file pattern)"},
	{Long: "exclude", Arg: "GLOB", Help: "skip files that match GLOB"},
	{Long: "exclude-from", Arg: "FILE", Help: "skip files that match any file pattern from FILE"},
	{Long: "exclude-dir", Arg: "GLOB", Help: "skip directories that match GLOB"},
	{Short: 'L', Long: "files-without-match", Help: "print only names of FILEs with no selected lines"},
	{Short: 'l', Long: "files-with-matches", Help: "print only names of FILEs with selected lines"},
	{Short: 'c', Long: "count", Help: "print only a count of selected lines per FILE"},
	{Short: 'T', Long: "initial-tab", Help: "make tabs line up (if needed)"},
	{Short: 'Z', Long: "null", Help: "print 0 byte after FILE name"},
	{Short: 'B', Long: "before-context", Arg: "NUM", Help: "print NUM lines of leading context"},
	{Short: 'A', Long: "after-context", Arg: "NUM", Help: "print NUM lines of trailing context"},
	{Short: 'C', Long: "context", Arg: "NUM", Help: "print NUM lines of output context"},
	{Long: "group-separator", Arg: "SEP", Help: "print SEP on line between matches with context"},
	{Long: "no-group-separator", Help: "do not print separator for matches with context"},
	{Long: "color", Arg: "WHEN", Optional: true}, {Long: "colour", Arg: "WHEN", Optional: true},
	{Short: 'U', Long: "binary"}, {Short: 'u', Long: "unix-byte-offsets"},
}

type grepper struct {
	c   *command.Context
	out *bufio.Writer

	match func(line []byte) bool
	all   func(line []byte) [][]int
	text  []byte // if not nil, a line matches if it has this text, and nothing but lines is printed

	invert, only, quiet, count, names, list, without, numbers, offsets bool
	before, after, most                                                int
	separator                                                          byte
	group                                                              string
	grouped                                                            bool
	nameEnd                                                            string
	binary                                                             string
	include, exclude, excludeDir                                       []string
	recursive, skipDirs                                                bool

	selected bool
	failed   bool
	printed  bool // something was printed, for separators
}

func runGrep(c *command.Context, kind string) int {
	g := &grepper{c: c, out: c.Output(), separator: '\n', group: "--", grouped: true, most: -1, nameEnd: ":",
		binary: "binary"}
	var wanted []string
	given := false
	for _, o := range c.Given {
		switch o.Name {
		case "extended-regexp", "fixed-strings", "basic-regexp", "perl-regexp":
			kind = o.Name
		case "regexp":
			wanted, given = append(wanted, strings.Split(o.Value, "\n")...), true
		case "file":
			lines, err := c.InputLines(o.Value, '\n')
			if err != nil {
				c.FileError(o.Value, err)
				return 2
			}
			wanted, given = append(wanted, lines...), true
		case "before-context", "after-context", "context", "max-count":
			n, err := strconv.Atoi(o.Value)
			if err != nil || n < 0 && o.Name != "max-count" {
				if o.Name == "max-count" {
					c.Errorf("invalid max count")
				} else {
					c.Errorf("%s: invalid context length argument", o.Value)
				}
				return 2
			}
			switch o.Name {
			case "before-context":
				g.before = n
			case "after-context":
				g.after = n
			case "context":
				g.before, g.after = n, n
			default:
				g.most = n
			}
		case "binary-files":
			g.binary = o.Value
		case "text":
			g.binary = "text"
		case "I":
			g.binary = "without-match"
		case "recursive", "dereference-recursive":
			g.recursive = true
		case "directories":
			g.recursive, g.skipDirs = o.Value == "recurse", o.Value == "skip"
		case "include":
			g.include = append(g.include, o.Value)
		case "exclude":
			g.exclude = append(g.exclude, o.Value)
		case "exclude-dir":
			g.excludeDir = append(g.excludeDir, strings.TrimRight(o.Value, "/"))
		case "exclude-from":
			data, err := c.ReadFile(o.Value)
			if err != nil {
				c.FileError(o.Value, err)
				return 2
			}
			g.exclude = append(g.exclude, strings.Fields(string(data))...)
		case "group-separator":
			g.group = o.Value
		case "no-group-separator":
			g.grouped = false
		case "null-data":
			g.separator = 0
		}
	}
	files := c.Args
	if !given {
		if len(files) == 0 {
			_, _ = io.WriteString(c.Stderr, "Usage: grep [OPTION]... PATTERNS [FILE]...\n"+
				"Try 'grep --help' for more information.\n")
			return 2
		}
		wanted, files = strings.Split(files[0], "\n"), files[1:]
	}
	g.invert, g.only, g.count = c.Has("invert-match"), c.Has("only-matching"), c.Has("count")
	g.quiet = c.Has("quiet") || c.Has("silent")
	g.numbers, g.offsets = c.Has("line-number"), c.Has("byte-offset")
	switch c.Last("files-with-matches", "files-without-match") {
	case "files-with-matches":
		g.list = true
	case "files-without-match":
		g.without = true
	}
	if err := g.compile(wanted, kind, c.Last("ignore-case", "y", "no-ignore-case")); err != nil {
		c.Errorf("%s", err.Error())
		return 2
	}
	if len(wanted) == 0 && !g.invert {
		return 1 // nothing can match
	}
	if len(files) == 0 {
		files = []string{"-"}
		if g.recursive {
			files = []string{"."}
		}
	}
	switch c.Last("with-filename", "no-filename") {
	case "with-filename":
		g.names = true
	case "no-filename":
	default:
		g.names = len(files) > 1 || g.recursive && files[0] != "-"
	}
	bare := g.recursive && len(c.Args) <= map[bool]int{true: 0, false: 1}[given]
	for _, name := range files {
		g.path(name, bare, true)
		if g.quiet && g.selected {
			return 0
		}
	}
	if err := g.out.Flush(); err != nil {
		c.Errorf("write error: %s", command.Text(err))
		return 2
	}
	switch {
	case g.failed:
		return 2
	case g.selected:
		return 0
	}
	return 1
}

// compile makes the functions that match lines.
func (g *grepper) compile(wanted []string, kind, fold string) error {
	ignoreCase := fold == "ignore-case" || fold == "y"
	word, whole := g.c.Has("word-regexp"), g.c.Has("line-regexp")
	if kind != "perl-regexp" && len(wanted) == 1 && !strings.ContainsAny(wanted[0], "\\.[]*^$+?{}()|") {
		kind = "fixed-strings" // which is faster
	}
	if kind == "fixed-strings" && !ignoreCase && !word && len(wanted) == 1 && len(wanted[0]) > 0 {
		text := regex.Text(wanted[0])
		other := func(line []byte) bool { return whole && string(line) != wanted[0] }
		g.match = func(line []byte) bool { return !other(line) && text.Match(line) }
		g.all = func(line []byte) [][]int {
			if other(line) {
				return nil
			}
			return text.All(line, -1)
		}
		if !whole {
			g.text = []byte(wanted[0])
		}
		return nil
	}
	if kind == "perl-regexp" && len(wanted) > 1 {
		wanted = []string{"(?:" + strings.Join(wanted, ")|(?:") + ")"}
	}
	var expressions []*regex.Regexp
	for _, w := range wanted {
		o := regex.Options{Extended: kind == "extended-regexp", Perl: kind == "perl-regexp", Fold: ignoreCase}
		if kind == "fixed-strings" {
			w = regexp.QuoteMeta(w)
			o.Extended = true
		}
		e, err := regex.Compile(w, o)
		if err != nil {
			return err
		}
		expressions = append(expressions, e)
	}
	find := func(line []byte) [][]int {
		if len(expressions) == 1 {
			return expressions[0].All(line, -1)
		}
		// Of the matches of several patterns, the leftmost counts, and of those the longest.
		var all [][]int
		for _, e := range expressions {
			for _, loc := range e.All(line, -1) {
				all = append(all, loc[:2])
			}
		}
		slices.SortFunc(all, func(a, b []int) int {
			if a[0] != b[0] {
				return a[0] - b[0]
			}
			return b[1] - a[1]
		})
		out := all[:0]
		end := -1
		for _, loc := range all {
			if loc[0] >= end {
				out = append(out, loc)
				end = max(loc[1], loc[0])
			}
		}
		return out
	}
	fits := func(line []byte, loc []int) bool {
		switch {
		case whole:
			return loc[0] == 0 && loc[1] == len(line)
		case word:
			return (loc[0] == 0 || !isWord(line[loc[0]-1])) && (loc[1] == len(line) || !isWord(line[loc[1]]))
		}
		return true
	}
	g.all = func(line []byte) [][]int {
		all := find(line)
		if whole || word {
			all = slices.DeleteFunc(all, func(loc []int) bool { return !fits(line, loc) })
		}
		return all
	}
	g.match = func(line []byte) bool {
		if whole || word {
			return len(g.all(line)) > 0
		}
		for _, e := range expressions {
			if e.Match(line) {
				return true
			}
		}
		return false
	}
	if whole || word {
		// A shorter match, or another alternative, can fit where the longest does not.
		return g.compileWhole(wanted, kind, ignoreCase, whole)
	}
	return nil
}

// compileWhole makes the functions for whole words or lines.
func (g *grepper) compileWhole(wanted []string, kind string, fold, whole bool) error {
	var expressions []*regex.Regexp
	for _, w := range wanted {
		o := regex.Options{Extended: kind == "extended-regexp", Perl: kind == "perl-regexp", Fold: fold}
		switch kind {
		case "fixed-strings":
			w = regexp.QuoteMeta(w)
			o.Extended = true
			fallthrough
		case "extended-regexp", "perl-regexp":
			if whole {
				w = "^(" + w + ")$"
			} else {
				w = "(^|[^[:alnum:]_])(" + w + ")([^[:alnum:]_]|$)"
			}
		default:
			if whole {
				w = `^\(` + w + `\)$`
			} else {
				w = `\(^\|[^[:alnum:]_]\)\(` + w + `\)\([^[:alnum:]_]\|$\)`
			}
		}
		if strings.Contains(w, `\1`) || strings.Contains(w, `\2`) {
			return nil // its groups have other numbers now
		}
		e, err := regex.Compile(w, o)
		if err != nil {
			return err
		}
		expressions = append(expressions, e)
	}
	group := 2
	if whole {
		group = 1
	}
	g.match = func(line []byte) bool {
		return slices.ContainsFunc(expressions, func(e *regex.Regexp) bool { return e.Match(line) })
	}
	g.all = func(line []byte) [][]int {
		var all [][]int
		for at := 0; at <= len(line); {
			var best []int
			for _, e := range expressions {
				loc := e.Find(line[at:])
				if loc == nil || at > 0 && loc[0] == 0 && whole {
					continue
				}
				begin, end := at+loc[2*group], at+loc[2*group+1]
				if at > 0 && begin == at && isWord(line[at-1]) {
					continue
				}
				if best == nil || begin < best[0] || begin == best[0] && end > best[1] {
					best = []int{begin, end}
				}
			}
			if best == nil {
				return all
			}
			all = append(all, best)
			if at = best[1]; best[0] == best[1] {
				at++
			}
		}
		return all
	}
	return nil
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

func (g *grepper) fail(name string, err error) {
	if !g.c.Has("no-messages") {
		_ = g.out.Flush()
		g.c.Errorf("%s: %s", name, command.Text(err))
	}
	g.failed = true
}

// excluded says whether a file is left out.
func (g *grepper) excluded(name string, operand bool) bool {
	base := name[strings.LastIndexByte(name, '/')+1:]
	matches := func(list []string) bool {
		return slices.ContainsFunc(list, func(p string) bool {
			return patterns.Match(p, base) || operand && patterns.Match(p, name)
		})
	}
	if matches(g.exclude) {
		return true
	}
	return len(g.include) > 0 && !matches(g.include)
}

// path searches a file, or all that is in a directory.
func (g *grepper) path(name string, bare, operand bool) {
	if name == "-" && operand {
		g.file("-", g.c.Stdin)
		return
	}
	info, err := g.c.Stat(name)
	if err != nil {
		g.fail(name, err)
		return
	}
	if info.IsDir() {
		switch {
		case g.recursive:
			base := strings.TrimRight(name, "/")
			base = base[strings.LastIndexByte(base, '/')+1:]
			if slices.ContainsFunc(g.excludeDir, func(p string) bool {
				return patterns.Match(p, base) && (!operand || base != ".") || operand && patterns.Match(p, name)
			}) {
				return
			}
			entries, err := g.c.ReadDir(name)
			if err != nil {
				g.fail(name, err)
				return
			}
			for _, entry := range entries {
				inner := strings.TrimRight(name, "/") + "/" + entry.Name()
				if bare && name == "." {
					inner = entry.Name()
				}
				if entry.Type()&os.ModeSymlink != 0 && !g.c.Has("dereference-recursive") {
					continue
				}
				g.path(inner, false, false)
				if g.quiet && g.selected {
					return
				}
			}
		case !g.skipDirs:
			if !g.c.Has("no-messages") {
				_ = g.out.Flush()
				g.c.Errorf("%s: Is a directory", name)
			}
			g.failed = true
		}
		return
	}
	if g.excluded(name, operand) {
		return
	}
	file, err := g.c.Open(name)
	if err != nil {
		g.fail(name, err)
		return
	}
	defer file.Close()
	g.file(name, file)
}

// file searches a stream.
func (g *grepper) file(name string, r io.Reader) {
	if name == "-" {
		name = "(standard input)"
		if label, ok := g.c.Value("label"); ok {
			name = label
		}
	}
	f := grepFile{grepper: g, name: name, last: -1}
	in := bufio.NewReaderSize(r, 32<<10)
	if g.binary != "text" && g.separator == '\n' {
		begin, _ := in.Peek(32 << 10)
		f.binary = bytes.IndexByte(begin, 0) >= 0
	}
	if f.binary && g.binary == "without-match" {
		if g.without {
			_, _ = g.out.WriteString(name + "\n")
		}
		return
	}
	search, do := command.Lines, f.line
	if g.text != nil && !f.binary && !f.annotated() {
		search, do = command.Chunks, f.lines
	}
	if err := search(in, g.separator, do); err != nil {
		g.fail(name, err)
	}
	if f.selected > 0 {
		g.selected = true
	}
	end := "\n"
	if g.c.Has("null") {
		end = "\x00"
	}
	switch {
	case g.quiet:
	case g.list:
		if f.selected > 0 {
			_, _ = g.out.WriteString(name + end)
		}
	case g.without:
		if f.selected == 0 {
			_, _ = g.out.WriteString(name + end)
		}
	case g.count:
		if g.names {
			separator := ":"
			if end == "\x00" {
				separator = end
			}
			_, _ = g.out.WriteString(name + separator)
		}
		_, _ = g.out.WriteString(strconv.Itoa(f.selected) + "\n")
	case f.binary && f.selected > 0:
		_ = g.out.Flush()
		g.c.Errorf("%s: binary file matches", name)
	}
}

// A grepFile is a file that is searched.
type grepFile struct {
	*grepper
	name     string
	binary   bool
	selected int
	number   int
	offset   int
	context  [][]byte // the lines before this one that may be printed
	trailing int      // how many lines after the last one are printed
	last     int      // the number of the last line that was printed, or -1
}

// annotated says whether anything else than whole lines is printed, or lines are counted.
func (f *grepFile) annotated() bool {
	return f.silent() || f.names || f.numbers || f.offsets || f.before > 0 || f.after > 0 || f.most >= 0 ||
		f.c.Has("initial-tab")
}

// lines searches whole lines for a text. It does not look at lines without it one by one.
func (f *grepFile) lines(lines []byte) bool {
	for len(lines) > 0 {
		begin, end := len(lines), len(lines) // of the line that has the text
		if i := bytes.Index(lines, f.text); i >= 0 {
			begin = bytes.LastIndexByte(lines[:i], f.separator) + 1
			if n := bytes.IndexByte(lines[i:], f.separator); n >= 0 {
				end = i + n + 1
			}
		}
		selected := lines[begin:end]
		if f.invert {
			selected = lines[:begin]
		}
		if len(selected) > 0 {
			f.selected++
			_, _ = f.out.Write(selected)
			if selected[len(selected)-1] != f.separator {
				_ = f.out.WriteByte(f.separator)
			}
		}
		lines = lines[end:]
	}
	return true
}

// line searches a line, and returns whether to go on.
func (f *grepFile) line(line []byte) bool {
	f.number++
	text := bytes.TrimSuffix(line, []byte{f.separator})
	at := f.offset
	f.offset += len(line)
	if f.most == 0 {
		return false
	}
	if f.match(text) == f.invert {
		if f.silent() {
			return true
		}
		if f.trailing > 0 {
			f.trailing--
			f.print(text, f.number, at, '-')
		} else if f.before > 0 {
			f.context = append(f.context, bytes.Clone(text))
			if len(f.context) > f.before {
				f.context = f.context[1:]
			}
		}
		return f.most < 0 || f.selected < f.most || f.trailing > 0
	}
	if f.most > 0 && f.selected >= f.most {
		return false
	}
	f.selected++
	if f.quiet || f.list || f.without || f.binary && !f.count {
		return false
	}
	if f.count {
		return f.most < 0 || f.selected < f.most
	}
	for i, before := range f.context {
		f.print(before, f.number-len(f.context)+i, 0, '-')
	}
	f.context = f.context[:0]
	f.trailing = f.after
	if f.only {
		if !f.invert {
			for _, loc := range f.all(text) {
				if loc[1] > loc[0] {
					f.print(text[loc[0]:loc[1]], f.number, at+loc[0], ':')
				}
			}
		}
	} else {
		f.print(text, f.number, at, ':')
	}
	return f.most < 0 || f.selected < f.most || f.trailing > 0
}

func (f *grepFile) silent() bool {
	return f.quiet || f.list || f.without || f.count || f.binary || f.only
}

// print prints a line.
func (f *grepFile) print(text []byte, number, offset int, mark byte) {
	if f.grouped && (f.before > 0 || f.after > 0) && f.printed && !(f.last >= 0 && number <= f.last+1) {
		_, _ = f.out.WriteString(f.group + "\n")
	}
	f.printed, f.last = true, number
	if f.names {
		_, _ = f.out.WriteString(f.name)
		if f.c.Has("null") {
			_ = f.out.WriteByte(0)
		} else {
			_ = f.out.WriteByte(mark)
		}
	}
	if f.numbers {
		_, _ = f.out.WriteString(strconv.Itoa(number))
		_ = f.out.WriteByte(mark)
	}
	if f.offsets {
		_, _ = f.out.WriteString(strconv.Itoa(offset))
		_ = f.out.WriteByte(mark)
	}
	if f.c.Has("initial-tab") {
		_ = f.out.WriteByte('\t')
	}
	_, _ = f.out.Write(text)
	_ = f.out.WriteByte(f.separator)
}
