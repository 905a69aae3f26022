package misc

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
	"github.com/toolrun/toolrun/guest/shell/internal/regex"
)

var rg = &command.Command{
	Name: "rg", Operands: "[OPTION]... PATTERN [PATH]...",
	Summary: "Search files for the lines that match a pattern, recursively. Hidden files, binary files and those\n" +
		"that .gitignore names are left out.",
	Options: []command.Option{
		{Short: 'e', Long: "regexp", Arg: "PATTERN", Help: "a pattern to search for"},
		{Short: 'f', Long: "file", Arg: "FILE", Help: "search for patterns from the given file"},
		{Short: 'F', Long: "fixed-strings", Help: "treat the pattern as a literal string"},
		{Short: 'P', Long: "pcre2", Help: "look-around and back-references"},
		{Short: 'i', Long: "ignore-case", Help: "search case insensitively"},
		{Short: 's', Long: "case-sensitive"},
		{Short: 'S', Long: "smart-case", Help: "search case insensitively if the pattern is all lowercase"},
		{Short: 'w', Long: "word-regexp", Help: "only show matches surrounded by word boundaries"},
		{Short: 'x', Long: "line-regexp", Help: "only show matches of whole lines"},
		{Short: 'v', Long: "invert-match", Help: "invert matching"},
		{Short: 'n', Long: "line-number", Help: "show line numbers"},
		{Short: 'N', Long: "no-line-number"},
		{Short: 'c', Long: "count", Help: "only show the count of matching lines for each file"},
		{Long: "count-matches", Help: "only show the count of individual matches for each file"},
		{Short: 'l', Long: "files-with-matches", Help: "only print the paths with at least one match"},
		{Long: "files-without-match", Help: "only print the paths that contain zero matches"},
		{Short: 'o', Long: "only-matching", Help: "print only matched parts of a line"},
		{Short: 'A', Long: "after-context", Arg: "NUM", Help: "show NUM lines after each match"},
		{Short: 'B', Long: "before-context", Arg: "NUM", Help: "show NUM lines before each match"},
		{Short: 'C', Long: "context", Arg: "NUM", Help: "show NUM lines before and after each match"},
		{Long: "context-separator", Arg: "SEP"},
		{Short: 'm', Long: "max-count", Arg: "NUM", Help: "limit the number of matching lines of each file"},
		{Short: 'g', Long: "glob", Arg: "GLOB", Help: "include or exclude (!GLOB) files"},
		{Long: "iglob", Arg: "GLOB"},
		{Short: 't', Long: "type", Arg: "TYPE", Help: "only search files matching TYPE"},
		{Short: 'T', Long: "type-not", Arg: "TYPE", Help: "do not search files matching TYPE"},
		{Long: "type-list", Help: "show all supported file types"},
		{Long: "files", Help: "print each file that would be searched"},
		{Short: '.', Long: "hidden", Help: "search hidden files and directories"},
		{Long: "no-ignore", Help: "don't respect ignore files"},
		{Long: "no-ignore-vcs"},
		{Short: 'u', Long: "unrestricted", Help: "reduce the level of \"smart\" searching: -u, -uu, -uuu"},
		{Short: 'a', Long: "text", Help: "search binary files as if they were text"},
		{Short: 'r', Long: "replace", Arg: "TEXT", Help: "replace matches with the given text"},
		{Long: "heading", Help: "print the file name above the matches of each"},
		{Long: "no-heading"},
		{Short: 'H', Long: "with-filename", Help: "print the file path with the matched lines"},
		{Short: 'I', Long: "no-filename", Help: "never print the file path"},
		{Short: '0', Long: "null", Help: "print a NUL byte after file paths"},
		{Long: "column", Help: "show column numbers"},
		{Long: "vimgrep", Help: "show results in vim compatible format"},
		{Short: 'b', Long: "byte-offset", Help: "print the byte offset of each line"},
		{Long: "passthru", Help: "print both matching and non-matching lines"},
		{Short: 'q', Long: "quiet", Help: "do not print anything; exit when a match is found"},
		{Short: 'd', Long: "max-depth", Arg: "NUM", Help: "limit the depth of directories"},
		{Long: "maxdepth", Arg: "NUM"},
		{Short: 'U', Long: "multiline", Help: "matches can span lines"},
		{Long: "multiline-dotall", Help: "make '.' match new lines, with -U"},
		{Long: "trim", Help: "trim whitespace before each line"},
		{Long: "sort", Arg: "SORTBY"}, {Long: "sortr", Arg: "SORTBY"}, {Long: "color", Arg: "WHEN"}, {Short: 'p',
			Long: "pretty"},
		{Long: "no-messages"}, {Short: 'L', Long: "follow"}, {Short: 'j', Long: "threads",
			Arg: "NUM"}, {Long: "no-config"},
		{Long: "max-columns", Arg: "NUM"}, {Short: 'M',
			Arg: "NUM"}, {Long: "mmap"}, {Long: "no-mmap"}, {Long: "line-buffered"},
		{Long: "crlf"}, {Long: "no-unicode"}, {Long: "one-file-system"}, {Long: "engine",
			Arg: "ENGINE"}, {Long: "no-require-git"},
	},
	Notes:   "Not here: colors, --json, --stats, --pre, -z, other encodings. Files are always sorted by their paths.",
	Trouble: 2, Run: runRG,
}

type rgRun struct {
	c                                       *command.Context
	out                                     *bufio.Writer
	match                                   func([]byte) [][]int
	invert, count, countAll, only, quiet    bool
	numbers, names, heading, column, vim    bool
	hidden, ignore, text, multiline, offset bool
	passthru, trim, null                    bool
	list                                    string
	before, after                           int
	limit                                   int
	depth                                   int
	globs                                   []ignoreRule
	types, notTypes                         []string
	replace                                 []byte
	replaces                                bool
	pattern                                 *regexp.Regexp
	separator                               string
	found, failed, printed, passed          bool
}

func runRG(c *command.Context) int {
	r := &rgRun{c: c, out: c.Output(), ignore: true, depth: 1 << 30, separator: "--", limit: -1}
	if c.Has("type-list") {
		for _, name := range slices.Sorted(maps.Keys(rgTypes)) {
			fmt.Fprintf(r.out, "%s: %s\n", name, strings.Join(rgTypes[name], ", "))
		}
		return command.Status(r.out.Flush() == nil)
	}
	args := c.Args
	var patterns []string
	unrestricted := 0
	for _, g := range c.Given {
		switch g.Name {
		case "regexp":
			patterns = append(patterns, g.Value)
		case "file":
			lines, err := c.InputLines(g.Value, '\n')
			if err != nil {
				fmt.Fprintf(c.Stderr, "%s: %s\n", g.Value, osError(err))
				return 2
			}
			patterns = append(patterns, lines...)
		case "unrestricted":
			unrestricted++
		case "after-context", "before-context", "context", "max-count", "max-depth", "maxdepth":
			n, err := strconv.Atoi(g.Value)
			if err != nil || n < 0 {
				fmt.Fprintf(c.Stderr, "error: Invalid value for '--%s <NUM>': invalid digit found in string\n", g.Name)
				return 2
			}
			switch g.Name {
			case "after-context":
				r.after = n
			case "before-context":
				r.before = n
			case "context":
				r.before, r.after = n, n
			case "max-count":
				r.limit = n
			default:
				r.depth = n
			}
		case "glob", "iglob":
			glob := strings.TrimPrefix(g.Value, "!")
			if rule, ok := parseIgnore(glob, g.Name == "iglob"); ok {
				rule.negate = glob == g.Value
				r.globs = append(r.globs, rule)
			}
		case "type":
			if rgTypes[g.Value] == nil {
				fmt.Fprintf(c.Stderr, "unrecognized file type: %s\n", g.Value)
				return 2
			}
			r.types = append(r.types, rgTypes[g.Value]...)
		case "type-not":
			r.notTypes = append(r.notTypes, rgTypes[g.Value]...)
		case "context-separator":
			r.separator = g.Value
		}
	}
	if c.Has("file") || c.Has("regexp") || c.Has("files") {
		if len(patterns) == 0 && !c.Has("files") {
			return 1
		}
	} else {
		if len(args) == 0 {
			fmt.Fprint(c.Stderr,
				"error: The following required arguments were not provided:\n    <PATTERN>\n\nUSAGE:\n    \n"+
					"    rg [OPTIONS] PATTERN [PATH ...]\n\nFor more information try --help\n")
			return 2
		}
		patterns, args = args[:1], args[1:]
	}
	r.invert, r.count, r.countAll = c.Has("invert-match"), c.Has("count"), c.Has("count-matches")
	r.only, r.quiet, r.column = c.Has("only-matching"), c.Has("quiet"), c.Has("column") || c.Has("vimgrep")
	r.vim = c.Has("vimgrep")
	r.hidden, r.text, r.multiline = c.Has("hidden") || unrestricted > 1, c.Has("text") ||
		unrestricted > 2, c.Has("multiline")
	r.ignore = !c.Has("no-ignore") && unrestricted == 0
	r.offset, r.passthru, r.trim, r.null = c.Has("byte-offset"), c.Has("passthru"), c.Has("trim"), c.Has("null")
	r.list = c.Last("files-with-matches", "files-without-match")
	r.heading = c.Last("heading", "no-heading", "pretty", "vimgrep") == "heading" || c.Last("heading", "no-heading",
		"pretty") == "pretty"
	r.numbers = c.Last("line-number", "no-line-number") == "line-number" ||
		(r.column || c.Has("pretty")) && !c.Has("no-line-number")
	if text, ok := c.Value("replace"); ok {
		r.replace, r.replaces = []byte(text), true
	}
	if !c.Has("files") {
		if status := r.compile(patterns); status != 0 {
			return status
		}
	}
	r.names = len(args) != 1
	if len(args) == 0 && !c.Has("files") {
		// What comes through a pipe is searched, if there is anything.
		if in := bufio.NewReader(c.Stdin); isPipe(c.Stdin) {
			if _, err := in.Peek(1); err == nil {
				r.names = c.Last("with-filename", "no-filename") == "with-filename"
				r.search("<stdin>", in, true)
				return r.finish()
			}
		}
	}
	if len(args) == 0 {
		r.walk("", ".", nil, 0)
		return r.finish()
	}
	for _, arg := range args {
		if arg == "-" {
			r.search("<stdin>", c.Stdin, true)
			continue
		}
		info, err := c.Stat(arg)
		if err != nil {
			_ = r.out.Flush()
			fmt.Fprintf(c.Stderr, "%s: %s\n", arg, osError(err))
			r.failed = true
			continue
		}
		if info.IsDir() {
			r.names = true
			r.walk(strings.TrimSuffix(arg, "/"), arg, nil, 0)
			continue
		}
		r.one(arg, arg, true)
	}
	return r.finish()
}

func (r *rgRun) finish() int {
	if r.out.Flush() != nil {
		return 2
	}
	switch {
	case r.failed && !(r.quiet && r.found):
		return 2
	case r.found:
		return 0
	}
	return 1
}

// isPipe says whether a stream is a pipe.
func isPipe(stream any) bool {
	if s, ok := stream.(interface{ Stat() (fs.FileInfo, error) }); ok {
		info, err := s.Stat()
		return err == nil && info.Mode()&fs.ModeCharDevice == 0
	}
	return true
}

// osError is an error as programs written in Rust say it.
func osError(err error) string {
	text := command.Text(err)
	numbers := map[string]int{"No such file or directory": 2, "Permission denied": 13, "Is a directory": 21,
		"Not a directory": 20}
	if n, ok := numbers[text]; ok {
		return fmt.Sprintf("%s (os error %d)", text, n)
	}
	return text
}

func (r *rgRun) compile(patterns []string) int {
	c := r.c
	fold := c.Last("ignore-case", "case-sensitive", "smart-case")
	ignore := fold == "ignore-case"
	if fold == "smart-case" {
		ignore = !slices.ContainsFunc(patterns, func(p string) bool {
			return strings.IndexFunc(p,
				unicode.IsUpper) >= 0
		})
	}
	parts := make([]string, len(patterns))
	for i, p := range patterns {
		if c.Has("fixed-strings") {
			p = regexp.QuoteMeta(p)
		}
		parts[i] = p
	}
	whole := strings.Join(parts, "|")
	if len(parts) > 1 {
		whole = "(?:" + strings.Join(parts, ")|(?:") + ")"
	}
	switch {
	case c.Has("line-regexp"):
		whole = "^(?:" + whole + ")$"
	case c.Has("word-regexp"):
		whole = `\b(?:` + whole + `)\b`
	}
	if c.Has("pcre2") {
		re, err := regex.Compile(whole, regex.Options{Perl: true, Fold: ignore, Lines: true})
		if err != nil {
			fmt.Fprintf(c.Stderr, "PCRE2: error compiling pattern at offset 0: %s\n", err)
			return 2
		}
		r.match = func(text []byte) [][]int { return re.All(text, -1) }
		return 0
	}
	flags := "(?m"
	if ignore {
		flags += "i"
	}
	if c.Has("multiline-dotall") {
		flags += "s"
	}
	re, err := regexp.Compile(flags + ")" + whole)
	if err != nil {
		problem := err.Error()
		if e, ok := err.(*syntax.Error); ok {
			problem = string(e.Code)
			if e.Code == syntax.ErrMissingParen {
				problem = "unclosed group"
			} else if e.Code == syntax.ErrMissingBracket {
				problem = "unclosed character class"
			}
		}
		fmt.Fprintf(c.Stderr, "regex parse error:\n    %s\n    ^\nerror: %s\n", whole, problem)
		return 2
	}
	r.pattern = re
	r.match = func(text []byte) [][]int { return re.FindAllSubmatchIndex(text, -1) }
	return 0
}

// An ignoreRule is a line of .gitignore.
type ignoreRule struct {
	pattern *regexp.Regexp
	base    string // the directory that it is about
	negate  bool
	dirs    bool // only directories
	whole   bool // the path is matched, and not the name alone
}

// parseIgnore reads a pattern.
func parseIgnore(line string, fold bool) (ignoreRule, bool) {
	line = strings.TrimRight(line, " \t\r")
	if line == "" || line[0] == '#' {
		return ignoreRule{}, false
	}
	var rule ignoreRule
	if line[0] == '!' {
		rule.negate, line = true, line[1:]
	}
	line = strings.TrimPrefix(line, "\\")
	if trimmed, ok := strings.CutSuffix(line, "/"); ok {
		rule.dirs, line = true, trimmed
	}
	if strings.Contains(line, "/") {
		rule.whole = true
		line = strings.TrimPrefix(line, "/")
	}
	flags := ""
	if fold {
		flags = "(?i)"
	}
	re, err := regexp.Compile(flags + "^" + globRegexp(line) + "$")
	if err != nil {
		return ignoreRule{}, false
	}
	rule.pattern = re
	return rule, true
}

// globRegexp translates a pattern of paths.
func globRegexp(glob string) string {
	var b strings.Builder
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; c {
		case '*':
			if strings.HasPrefix(glob[i:], "**") {
				i++
				if i+1 < len(glob) && glob[i+1] == '/' {
					i++
					b.WriteString("(?:.*/)?")
				} else {
					b.WriteString(".*")
				}
			} else {
				b.WriteString("[^/]*")
			}
		case '?':
			b.WriteString("[^/]")
		case '[':
			end := strings.IndexByte(glob[i+1:], ']')
			if end <= 0 {
				b.WriteString(`\[`)
				break
			}
			set := glob[i+1 : i+1+end]
			if set[0] == '!' {
				set = "^" + set[1:]
			}
			b.WriteString("[" + strings.ReplaceAll(set, `\`, `\\`) + "]")
			i += end + 1
		case '{':
			b.WriteString("(?:")
		case '}':
			b.WriteString(")")
		case ',':
			if strings.Contains(glob[:i], "{") && strings.Contains(glob[i:], "}") {
				b.WriteString("|")
			} else {
				b.WriteString(",")
			}
		case '\\':
			if i+1 < len(glob) {
				i++
				b.WriteString(regexp.QuoteMeta(glob[i : i+1]))
			}
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	return b.String()
}

func (rule *ignoreRule) matches(full string, dir bool) bool {
	if rule.dirs && !dir {
		return false
	}
	rest := full
	if rule.base != "" {
		var ok bool
		if rest, ok = strings.CutPrefix(full, rule.base+"/"); !ok {
			return false
		}
	}
	if !rule.whole {
		rest = path.Base(rest)
	}
	return rule.pattern.MatchString(rest)
}

// rules reads the ignore files of a directory.
func (r *rgRun) rules(dir, shown string) []ignoreRule {
	var rules []ignoreRule
	for _, name := range []string{".gitignore", ".ignore", ".rgignore"} {
		data, err := r.c.ReadFile(dir + "/" + name)
		if err != nil {
			continue
		}
		for line := range strings.SplitSeq(string(data), "\n") {
			if rule, ok := parseIgnore(line, false); ok {
				rule.base = shown
				rules = append(rules, rule)
			}
		}
	}
	return rules
}

// walk searches a directory. Its paths are shown as they were given.
func (r *rgRun) walk(shown, dir string, rules []ignoreRule, depth int) {
	if depth >= r.depth || r.quiet && r.found || r.c.Context().Err() != nil {
		return
	}
	entries, err := r.c.ReadDir(dir)
	if err != nil {
		_ = r.out.Flush()
		fmt.Fprintf(r.c.Stderr, "%s: %s\n", dir, osError(err))
		r.failed = true
		return
	}
	if r.ignore {
		rules = append(rules[:len(rules):len(rules)], r.rules(dir, shown)...)
	}
	for _, e := range entries {
		name := e.Name()
		full := name
		if shown != "" {
			full = shown + "/" + name
		}
		if name[0] == '.' && !r.hidden || r.ignored(rules, full, e.IsDir()) {
			continue
		}
		if e.IsDir() {
			r.walk(full, dir+"/"+name, rules, depth+1)
		} else if e.Type().IsRegular() {
			r.one(full, dir+"/"+name, false)
		}
	}
}

func (r *rgRun) ignored(rules []ignoreRule, full string, dir bool) bool {
	include := false
	for i := len(r.globs) - 1; i >= 0; i-- {
		rule := &r.globs[i]
		include = include || rule.negate
		if rule.matches(full, dir) {
			return !rule.negate
		}
	}
	if include && !dir {
		return true
	}
	for i := len(rules) - 1; i >= 0; i-- {
		if rules[i].matches(full, dir) {
			return !rules[i].negate
		}
	}
	return false
}

// one searches a file, if it is of a type that is wanted.
func (r *rgRun) one(shown, name string, given bool) {
	base := path.Base(shown)
	if r.types != nil && !matchesAny(r.types, base) || matchesAny(r.notTypes, base) {
		return
	}
	if r.quiet && r.found {
		return
	}
	if r.c.Has("files") {
		r.found = true
		if !r.quiet {
			r.path(shown)
			_ = r.out.WriteByte('\n')
		}
		return
	}
	in, err := r.c.Open(name)
	if err != nil {
		_ = r.out.Flush()
		fmt.Fprintf(r.c.Stderr, "%s: %s\n", shown, osError(err))
		r.failed = true
		return
	}
	defer in.Close()
	r.search(shown, in, given)
}

func (r *rgRun) path(name string) {
	_, _ = r.out.WriteString(name)
	if r.null {
		_ = r.out.WriteByte(0)
	}
}

const rgBinary = 64 << 10

// search searches a stream. Files that have a NUL are left out, or said to match if they were named.
func (r *rgRun) search(name string, in io.Reader, given bool) {
	buffered := bufio.NewReaderSize(in, rgBinary)
	head, _ := buffered.Peek(rgBinary)
	zero := -1
	if !r.text {
		zero = bytes.IndexByte(head, 0)
	}
	if zero >= 0 && !given {
		return
	}
	showNames := r.names || r.vim
	switch r.c.Last("with-filename", "no-filename") {
	case "with-filename":
		showNames = true
	case "no-filename":
		showNames = false
	}
	s := &rgFile{rgRun: r, name: name, names: showNames, zero: zero}
	if r.multiline {
		data, err := io.ReadAll(buffered)
		if err == nil {
			s.whole(data)
		}
	} else {
		_ = command.Lines(buffered, '\n', s.line)
	}
	s.end()
}

// An rgFile is a file that is searched.
type rgFile struct {
	*rgRun
	name          string
	names         bool
	zero          int
	number, begin int
	matches, all  int
	last          int // the line that was shown last
	left          int // how many lines of context are to come
	kept          [][]byte
	begun         bool
}

func (s *rgFile) line(line []byte) bool {
	s.number++
	offset := s.begin
	s.begin += len(line)
	text := bytes.TrimSuffix(line, []byte("\n"))
	text = bytes.TrimSuffix(text, []byte("\r"))
	at := s.match(text)
	if (len(at) > 0) != s.invert {
		s.matches++
		s.all += len(at)
		s.rgRun.found = s.rgRun.found || s.list != "files-without-match"
		if s.list != "" || s.quiet {
			return false
		}
		if !s.count && !s.countAll {
			if s.zero >= 0 {
				return false
			}
			s.show(text, at, offset)
		}
		s.left = s.after
		s.kept = nil
		return s.limit < 0 || s.matches < s.limit || s.after > 0
	}
	if s.count || s.countAll || s.list != "" || s.quiet || s.zero >= 0 {
		return true
	}
	switch {
	case s.passthru:
		s.print(text, s.number, 0, offset, '-')
	case s.left > 0 && s.matches > 0:
		s.left--
		s.print(text, s.number, 0, offset, '-')
		s.last = s.number
		if s.limit >= 0 && s.matches >= s.limit && s.left == 0 {
			return false
		}
	case s.before > 0:
		s.kept = append(s.kept, bytes.Clone(text))
		if len(s.kept) > s.before {
			s.kept = s.kept[1:]
		}
	}
	return true
}

// show shows a line that matches, with the context before it.
func (s *rgFile) show(text []byte, at [][]int, offset int) {
	from := s.number - len(s.kept)
	if (s.before > 0 || s.after > 0) && s.rgRun.printed && from > s.last+1 && (s.last > 0 || s.printed && !s.heading) &&
		s.separator != "" {
		fmt.Fprintln(s.out, s.separator)
	}
	for i, kept := range s.kept {
		s.print(kept, from+i, 0, 0, '-')
	}
	s.last = s.number
	column := 0
	if len(at) > 0 {
		column = at[0][0] + 1
	}
	switch {
	case s.only && !s.invert:
		for _, m := range at {
			part := text[m[0]:m[1]]
			if s.replaces {
				part = s.expand(text, m)
			}
			s.print(part, s.number, m[0]+1, offset+m[0], ':')
		}
	case s.vim:
		for _, m := range at {
			s.print(text, s.number, m[0]+1, offset, ':')
		}
	case s.replaces && len(at) > 0:
		var b []byte
		from := 0
		for _, m := range at {
			b = append(b, text[from:m[0]]...)
			b = append(b, s.expand(text, m)...)
			from = m[1]
		}
		s.print(append(b, text[from:]...), s.number, column, offset, ':')
	default:
		s.print(text, s.number, column, offset, ':')
	}
}

func (s *rgFile) expand(text []byte, m []int) []byte {
	if s.pattern == nil {
		return s.replace
	}
	return s.pattern.Expand(nil, s.replace, text, m)
}

func (s *rgFile) print(text []byte, number, column, offset int, mark byte) {
	s.rgRun.printed = true
	if s.heading && s.names && !s.begun {
		if s.rgRun.found && s.headed() {
			fmt.Fprintln(s.out)
		}
		s.path(s.name)
		fmt.Fprintln(s.out)
	}
	s.begun = true
	if s.names && !s.heading {
		_, _ = s.out.WriteString(s.name)
		if s.null {
			_ = s.out.WriteByte(0)
		} else {
			_ = s.out.WriteByte(mark)
		}
	}
	if s.numbers {
		_, _ = s.out.WriteString(strconv.Itoa(number))
		_ = s.out.WriteByte(mark)
	}
	if s.column && column > 0 {
		_, _ = s.out.WriteString(strconv.Itoa(column))
		_ = s.out.WriteByte(mark)
	}
	if s.rgRun.offset {
		_, _ = s.out.WriteString(strconv.Itoa(offset))
		_ = s.out.WriteByte(mark)
	}
	if s.trim {
		text = bytes.TrimLeft(text, " \t")
	}
	_, _ = s.out.Write(text)
	_ = s.out.WriteByte('\n')
}

// headed says whether another file was shown before this one.
func (s *rgFile) headed() bool {
	before := s.rgRun.passed
	s.rgRun.passed = true
	return before
}

// whole searches all lines at once.
func (s *rgFile) whole(data []byte) {
	all := s.match(data)
	if (len(all) > 0) == s.invert {
		return
	}
	s.rgRun.found = true
	s.matches, s.all = len(all), len(all)
	if s.list != "" || s.quiet || s.count || s.countAll || s.zero >= 0 {
		return
	}
	shown := -1
	for _, m := range all {
		from := bytes.LastIndexByte(data[:m[0]], '\n') + 1
		to := len(data)
		if i := bytes.IndexByte(data[max(m[0], m[1]-1):], '\n'); i >= 0 {
			to = max(m[0], m[1]-1) + i
		}
		if s.only {
			s.print(data[m[0]:m[1]], 1+bytes.Count(data[:m[0]], []byte("\n")), m[0]-from+1, m[0], ':')
			continue
		}
		number := 1 + bytes.Count(data[:from], []byte("\n"))
		for line := range bytes.SplitSeq(data[from:to], []byte("\n")) {
			if number > shown {
				s.print(line, number, m[0]-from+1, from, ':')
				shown = number
			}
			number++
		}
	}
}

// end shows what is known once all was read.
func (s *rgFile) end() {
	r := s.rgRun
	switch {
	case s.quiet:
	case s.list == "files-with-matches":
		if s.matches > 0 {
			r.path(s.name)
			_ = r.out.WriteByte('\n')
		}
	case s.list == "files-without-match":
		if s.matches == 0 {
			r.found = true
			r.path(s.name)
			_ = r.out.WriteByte('\n')
		}
	case s.count || s.countAll:
		n := s.matches
		if s.countAll && !s.invert {
			n = s.all
		}
		if n == 0 {
			return
		}
		if s.names {
			r.path(s.name)
			_ = r.out.WriteByte(':')
		}
		fmt.Fprintln(r.out, n)
	case s.zero >= 0 && s.matches > 0:
		if s.names {
			r.path(s.name)
			_, _ = r.out.WriteString(": ")
		}
		fmt.Fprintf(r.out, "binary file matches (found \"\\0\" byte around offset %d)\n", s.zero)
	}
}

// rgTypes are the types of files that are searched most.
var rgTypes = map[string][]string{
	"awk": {"*.awk"}, "c": {"*.[chH]", "*.cats", "*.[chH].in"}, "cpp": {"*.[ChH]", "*.cc", "*.cpp", "*.cxx", "*.hh",
		"*.hpp", "*.hxx", "*.inl"},
	"cs": {"*.cs"}, "css": {"*.css", "*.scss"}, "csv": {"*.csv"}, "docker": {"*Dockerfile*"}, "elixir": {"*.ex",
		"*.eex", "*.exs"},
	"go": {"*.go"}, "h": {"*.h", "*.hh", "*.hpp"}, "haskell": {"*.hs", "*.lhs"}, "html": {"*.ejs", "*.htm", "*.html"},
	"java": {"*.java", "*.jsp"}, "js": {"*.js", "*.jsx", "*.vue", "*.cjs", "*.mjs"}, "json": {"*.json",
		"composer.lock"},
	"kotlin": {"*.kt", "*.kts"}, "log": {"*.log"}, "lua": {"*.lua"}, "make": {"[Mm]akefile", "*.mk", "*.mak",
		"GNUmakefile"},
	"markdown": {"*.markdown", "*.md", "*.mdown", "*.mkdn"}, "md": {"*.markdown", "*.md", "*.mdown", "*.mkdn"},
	"perl": {"*.perl", "*.pl", "*.PL", "*.plh", "*.plx", "*.pm", "*.t"}, "php": {"*.php",
		"*.phtml"}, "protobuf": {"*.proto"},
	"py": {"*.py", "*.pyi"}, "python": {"*.py", "*.pyi"}, "r": {"*.R", "*.r", "*.Rmd"}, "ruby": {"*.rb", "Rakefile",
		"Gemfile", "*.gemspec"},
	"rust": {"*.rs"}, "scala": {"*.scala", "*.sbt"}, "sh": {"*.bash", "*.sh", "*.zsh", ".bashrc",
		".profile"}, "sql": {"*.sql", "*.psql"},
	"svg": {"*.svg"}, "swift": {"*.swift"}, "tex": {"*.tex", "*.cls", "*.sty", "*.bib"}, "toml": {"*.toml",
		"Cargo.lock"},
	"ts": {"*.ts", "*.tsx", "*.cts", "*.mts"}, "typescript": {"*.ts", "*.tsx", "*.cts",
		"*.mts"}, "txt": {"*.txt"}, "vim": {"*.vim"},
	"xml": {"*.xml", "*.xsl", "*.xslt", "*.svg"}, "yaml": {"*.yaml", "*.yml"}, "zig": {"*.zig"},
}
