package compare

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
	"github.com/toolrun/toolrun/guest/shell/internal/patterns"
	"github.com/toolrun/toolrun/guest/shell/internal/regex"
)

var diff = &command.Command{
	Name:     "diff",
	Operands: "[OPTION]... FILES",
	Summary: "Compare FILES line by line. FILES are 'FILE1 FILE2' or 'DIR1 DIR2' or 'DIR\n" +
		"FILE' or 'FILE DIR'. If a FILE is '-', read standard input.",
	Options: append(digits, []command.Option{
		{Long: "normal", Help: "output a normal diff (the default)"},
		{Short: 'q', Long: "brief", Help: "report only when files differ"},
		{Short: 's', Long: "report-identical-files", Help: "report when two files are the same"},
		{Short: 'c', Help: "output 3 lines of copied context"},
		{Short: 'C', Arg: "NUM", Help: "output NUM lines of copied context"},
		{Long: "context", Arg: "NUM", Optional: true, Help: "the same, 3 if NUM is not given"},
		{Short: 'u', Help: "output 3 lines of unified context"},
		{Short: 'U', Arg: "NUM", Help: "output NUM lines of unified context"},
		{Long: "unified", Arg: "NUM", Optional: true, Help: "the same, 3 if NUM is not given"},
		{Short: 'e', Long: "ed", Help: "output an ed script"},
		{Short: 'n', Long: "rcs", Help: "output an RCS format diff"},
		{Short: 'y', Long: "side-by-side", Help: "output in two columns"},
		{Short: 'W', Long: "width", Arg: "NUM", Help: "output at most NUM (default 130) print columns"},
		{Long: "left-column", Help: "output only the left column of common lines"},
		{Long: "suppress-common-lines", Help: "do not output common lines"},
		{Short: 'p', Long: "show-c-function", Help: "show which C function each change is in"},
		{Short: 'F', Long: "show-function-line", Arg: "RE", Help: "show the most recent line matching RE"},
		{Short: 'L', Long: "label", Arg: "LABEL", Help: "use LABEL instead of file name and timestamp\n" +
			"(can be repeated)"},
		{Short: 't', Long: "expand-tabs", Help: "expand tabs to spaces in output"},
		{Short: 'T', Long: "initial-tab", Help: "make tabs line up by prepending a tab"},
		{Long: "tabsize", Arg: "NUM", Help: "tab stops every NUM (default 8) print columns"},
		{Long: "suppress-blank-empty", Help: "suppress space or tab before empty output lines"},
		{Short: 'r', Long: "recursive", Help: "recursively compare any subdirectories found"},
		{Long: "no-dereference", Help: "(ignored)"},
		{Short: 'N', Long: "new-file", Help: "treat absent files as empty"},
		{Short: 'P', Long: "unidirectional-new-file", Help: "treat absent first files as empty"},
		{Short: 'x', Long: "exclude", Arg: "PAT", Help: "exclude files that match PAT"},
		{Short: 'X', Long: "exclude-from", Arg: "FILE", Help: "exclude files that match any pattern in FILE"},
		{Short: 'S', Long: "starting-file", Arg: "FILE", Help: "start with FILE when comparing directories"},
		{Short: 'i', Long: "ignore-case", Help: "ignore case differences in file contents"},
		{Short: 'E', Long: "ignore-tab-expansion", Help: "ignore changes due to tab expansion"},
		{Short: 'Z', Long: "ignore-trailing-space", Help: "ignore white space at line end"},
		{Short: 'b', Long: "ignore-space-change", Help: "ignore changes in the amount of white space"},
		{Short: 'w', Long: "ignore-all-space", Help: "ignore all white space"},
		{Short: 'B', Long: "ignore-blank-lines", Help: "ignore changes where lines are all blank"},
		{Short: 'I', Long: "ignore-matching-lines", Arg: "RE", Help: "ignore changes where all lines match RE"},
		{Short: 'a', Long: "text", Help: "treat all files as text"},
		{Long: "strip-trailing-cr", Help: "strip trailing carriage return on input"},
		{Short: 'D', Long: "ifdef", Arg: "NAME", Help: "output merged file with '#ifdef NAME' diffs"},
		{Long: "line-format", Arg: "LFMT", Help: "format all input lines with LFMT"},
		{Long: "old-line-format", Arg: "LFMT", Help: "the lines of the first file: %L, %l without its\n" +
			"end, %dn their number"},
		{Long: "new-line-format", Arg: "LFMT", Help: "those of the second one"},
		{Long: "unchanged-line-format", Arg: "LFMT", Help: "those of both"},
		{Long: "old-group-format", Arg: "GFMT", Help: "lines that only the first file has: %<"},
		{Long: "new-group-format", Arg: "GFMT", Help: "lines that only the second file has: %>"},
		{Long: "changed-group-format", Arg: "GFMT", Help: "lines that replace others: %<%>"},
		{Long: "unchanged-group-format", Arg: "GFMT", Help: "lines that both have: %="},
		{Short: 'd', Long: "minimal", Help: "try hard to find a smaller set of changes"},
		{Short: 'H', Long: "speed-large-files", Help: "(ignored)"},
		{Long: "horizon-lines", Arg: "NUM", Help: "keep NUM lines of the common prefix and suffix"},
		{Long: "color", Arg: "WHEN", Optional: true, Help: "(ignored: there are no colors)"},
		{Long: "palette", Arg: "PALETTE"},
	}...),
	Notes: "Exit status is 0 if inputs are the same, 1 if different, 2 if trouble.\n" +
		"There are no --from-file, --to-file and -l, and no conditions in formats.",
	Trouble: 2,
	Run:     runDiff,
}

// digits are options that make a number of lines of context.
var digits = func() (options []command.Option) {
	for digit := byte('0'); digit <= '9'; digit++ {
		options = append(options, command.Option{Short: digit})
	}
	return options
}()

// A differ compares files.
type differ struct {
	c   *command.Context
	out *bufio.Writer

	style                        string // normal, context, unified, ed, rcs or side-by-side
	context, width, tab, horizon int
	brief, identical             bool
	recursive, newFile, newFirst bool
	text, minimal                bool
	fold, stripCR, blankLines    bool
	space                        byte // what white space is ignored: E, Z, b or w, or 0
	matching, function           *regex.Regexp
	labels, exclude              []string
	formats                      map[string]string // by the names of the options
	startAt                      string
	typed                        string // the options, as they were given
	named                        bool   // a line with the names is written before each difference
}

// A source is one of the files that are compared.
type source struct {
	name    string
	missing bool // it is taken as empty
	time    time.Time
	data    []byte
	lines   [][]byte // with their ends
}

func runDiff(c *command.Context) int {
	d := &differ{c: c, out: c.Output(), style: "normal", context: -1, width: 130, tab: 8, formats: map[string]string{}}
	if status := d.configure(); status != 0 {
		return status
	}
	switch len(c.Args) {
	case 0:
		return c.Usage("missing operand after '%s'", last(append([]string{c.Name}, c.Typed...)))
	case 1:
		return c.Usage("missing operand after '%s'", c.Args[0])
	case 2:
	default:
		return c.Usage("extra operand '%s'", c.Args[2])
	}
	status := d.compare(c.Args[0], c.Args[1], true)
	if d.out.Flush() != nil {
		return 2
	}
	return status
}

func last(words []string) string { return words[len(words)-1] }

// configure reads the options.
func (d *differ) configure() int {
	c := d.c
	styles := 0
	style := func(s string) {
		if d.style != s {
			styles++
		}
		d.style = s
	}
	number := func(what, value string, to *int) bool {
		n, err := strconv.ParseUint(value, 10, 63)
		if err != nil && n == 0 {
			c.Usage("invalid %s '%s'", what, value)
			return false
		}
		*to = int(min(n, math.MaxInt32))
		return true
	}
	space := func(b byte) {
		// Each ignores what those before it do.
		if strings.IndexByte("\x00EZbw", b) > strings.IndexByte("\x00EZbw", d.space) {
			d.space = b
		}
	}
	short, explicit := -1, false // the context of "-5", and whether there is another one that has a number
	var expressions, functions []string
	for i, g := range c.Given {
		ok := true
		switch g.Name {
		case "normal":
			style("normal")
		case "brief":
			d.brief = true
		case "report-identical-files":
			d.identical = true
		case "c", "C", "context", "u", "U", "unified":
			if g.Name == "c" || g.Name == "C" || g.Name == "context" {
				style("context")
			} else {
				style("unified")
			}
			n := 3
			if g.Value != "" {
				ok = number("context length", g.Value, &n)
			}
			explicit = explicit || g.Value != ""
			d.context = max(d.context, n)
		case "0", "1", "2", "3", "4", "5", "6", "7", "8", "9":
			// As in "-u5" or "-12".
			if i == 0 || len(c.Given[i-1].Name) > 1 || !strings.Contains("0123456789", c.Given[i-1].Name) {
				short = 0
			}
			short = min(short*10+int(g.Name[0]-'0'), math.MaxInt32)
		case "ifdef":
			style("groups")
			d.ifdef(g.Value)
		case "line-format":
			style("groups")
			for _, option := range []string{"old-line-format", "new-line-format", "unchanged-line-format"} {
				d.formats[option] = g.Value
			}
		case "old-line-format", "new-line-format", "unchanged-line-format", "old-group-format", "new-group-format",
			"changed-group-format", "unchanged-group-format":
			style("groups")
			d.formats[g.Name] = g.Value
		case "ed":
			style("ed")
		case "rcs":
			style("rcs")
		case "side-by-side":
			style("side-by-side")
		case "width":
			if ok = number("width", g.Value, &d.width); ok && d.width == 0 {
				ok = c.Usage("invalid width '%s'", g.Value) == 0
			}
		case "tabsize":
			if ok = number("tabsize", g.Value, &d.tab); ok && d.tab == 0 {
				ok = c.Usage("invalid tabsize '%s'", g.Value) == 0
			}
		case "horizon-lines":
			ok = number("horizon length", g.Value, &d.horizon)
		case "show-c-function":
			functions = append(functions, `^[[:alpha:]$_]`)
		case "show-function-line":
			functions = append(functions, g.Value)
		case "ignore-matching-lines":
			expressions = append(expressions, g.Value)
		case "label":
			if d.labels = append(d.labels, g.Value); len(d.labels) > 2 {
				ok = c.Usage("too many file label options") == 0
			}
		case "recursive":
			d.recursive = true
		case "new-file":
			d.newFile = true
		case "unidirectional-new-file":
			d.newFirst = true
		case "exclude":
			d.exclude = append(d.exclude, g.Value)
		case "exclude-from":
			data, err := c.ReadFile(g.Value)
			if err != nil {
				c.Errorf("%s: %s", g.Value, command.Text(err))
				return 2
			}
			d.exclude = append(d.exclude, strings.Fields(string(data))...)
		case "starting-file":
			d.startAt = g.Value
		case "ignore-case":
			d.fold = true
		case "ignore-tab-expansion":
			space('E')
		case "ignore-trailing-space":
			space('Z')
		case "ignore-space-change":
			space('b')
		case "ignore-all-space":
			space('w')
		case "ignore-blank-lines":
			d.blankLines = true
		case "text":
			d.text = true
		case "strip-trailing-cr":
			d.stripCR = true
		case "minimal":
			d.minimal = true
		}
		if !ok {
			return 2
		}
	}
	if len(functions) > 0 && d.style == "normal" {
		style("context")
	}
	if styles > 1 {
		return c.Usage("conflicting output style options")
	}
	if short >= 0 && (d.context < short || !explicit) {
		d.context = short
	}
	if d.context < 0 {
		d.context = 3
	}
	if d.style != "unified" && d.style != "context" {
		d.context = 0
	}
	d.horizon = max(d.horizon, d.context)
	for _, e := range []struct {
		list []string
		to   **regex.Regexp
	}{{expressions, &d.matching}, {functions, &d.function}} {
		if len(e.list) == 0 {
			continue
		}
		re, err := regex.Compile(strings.Join(e.list, `\|`), regex.Options{})
		if err != nil {
			c.Errorf("%s: %s", last(e.list), err)
			return 2
		}
		*e.to = re
	}
	var typed strings.Builder
	for _, word := range c.Typed {
		typed.WriteString(" " + command.QuoteOdd(word))
	}
	d.typed = typed.String()
	return 0
}

// describe returns what is known about a file. Only operands can be missing without -N.
func (d *differ) describe(name string) (fs.FileInfo, error) {
	if name == "-" {
		return nil, nil
	}
	return d.c.Stat(name)
}

// compare compares two files or directories. top says that they are the operands.
func (d *differ) compare(first, second string, top bool) int {
	names := [2]string{first, second}
	var infos [2]fs.FileInfo
	var errs [2]error
	directory := [2]bool{}
	for i, name := range names {
		infos[i], errs[i] = d.describe(name)
		directory[i] = errs[i] == nil && infos[i] != nil && infos[i].IsDir()
	}
	if top && directory[0] != directory[1] && errs[0] == nil && errs[1] == nil {
		// A file is compared with the one of its name in the directory.
		i := 0
		if directory[1] {
			i = 1
		}
		file := names[1-i]
		if file == "-" {
			d.complain("cannot compare '-' to a directory")
			return 2
		}
		names[i] = strings.TrimSuffix(names[i], "/") + "/" + file[strings.LastIndexByte(file, '/')+1:]
		infos[i], errs[i] = d.describe(names[i])
		directory[i] = errs[i] == nil && infos[i].IsDir()
	}
	missing := [2]bool{}
	for i, err := range errs {
		if err == nil {
			continue
		}
		absent := command.Text(err) == "No such file or directory"
		if missing[i] = absent && errs[1-i] == nil && (d.newFile || i == 0 && d.newFirst); missing[i] {
			directory[i] = directory[1-i]
			continue
		}
		d.complain("%s: %s", names[i], command.Text(err))
	}
	if errs[0] != nil && !missing[0] || errs[1] != nil && !missing[1] {
		return 2
	}
	switch {
	case directory[0] && directory[1]:
		if !top && !d.recursive {
			fmt.Fprintf(d.out, "Common subdirectories: %s and %s\n", names[0], names[1])
			return 0
		}
		if first == second {
			return 0
		}
		return d.directories(names, missing)
	case directory[0] != directory[1]:
		kind := map[bool]string{true: "directory", false: "regular file"}
		for i := range infos {
			if !directory[i] && infos[i] != nil && infos[i].Size() == 0 {
				kind[false] = "regular empty file"
			}
		}
		fmt.Fprintf(d.out, "File %s is a %s while file %s is a %s\n", names[0],
			kind[directory[0]], names[1], kind[directory[1]])
		return 1
	}
	d.named = !top
	return d.files(names, missing, infos)
}

// complain reports an error after what was written so far.
func (d *differ) complain(format string, args ...any) {
	_ = d.out.Flush()
	d.c.Errorf(format, args...)
}

// directories compares the files of two directories.
func (d *differ) directories(names [2]string, missing [2]bool) int {
	var lists [2][]string
	for i, name := range names {
		if missing[i] {
			continue
		}
		entries, err := d.c.ReadDir(name)
		if err != nil {
			d.complain("%s: %s", name, command.Text(err))
			return 2
		}
		for _, e := range entries {
			if !d.excluded(e.Name()) && e.Name() >= d.startAt {
				lists[i] = append(lists[i], e.Name())
			}
		}
	}
	status := 0
	all := slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(lists[0]), lists[1]...))))
	for _, name := range all {
		if d.c.Context().Err() != nil {
			return 2
		}
		var paths [2]string
		var there [2]bool
		for i := range names {
			paths[i] = strings.TrimSuffix(names[i], "/") + "/" + name
			_, there[i] = slices.BinarySearch(lists[i], name)
		}
		result := 1
		switch {
		case there[0] && !there[1] && !d.newFile, there[1] && !there[0] && !d.newFile && !d.newFirst:
			i := 0
			if there[1] {
				i = 1
			}
			fmt.Fprintf(d.out, "Only in %s: %s\n", names[i], name)
		default:
			result = d.compare(paths[0], paths[1], false)
		}
		status = max(status, result)
	}
	return status
}

func (d *differ) excluded(name string) bool {
	return slices.ContainsFunc(d.exclude, func(pattern string) bool { return patterns.Match(pattern, name) })
}

// files compares two files.
func (d *differ) files(names [2]string, missing [2]bool, infos [2]fs.FileInfo) int {
	var sources [2]*source
	for i, name := range names {
		s := &source{name: name, missing: missing[i], time: time.Unix(0, 0)}
		sources[i] = s
		switch {
		case missing[i]:
			continue
		case infos[i] != nil:
			s.time = infos[i].ModTime()
		default:
			s.time = time.Now()
		}
		if i == 1 && name == names[0] {
			s.data = sources[0].data
			continue
		}
		in, err := d.c.Input(name)
		if err == nil {
			s.data, err = io.ReadAll(in)
			_ = in.Close()
		}
		if err != nil {
			d.complain("%s: %s", name, command.Text(err))
			return 2
		}
	}
	same := bytes.Equal(sources[0].data, sources[1].data)
	binary := !d.text && (isBinary(sources[0].data) || isBinary(sources[1].data))
	status := 0
	switch {
	case same:
	case binary && d.brief, d.brief && d.exact():
		fmt.Fprintf(d.out, "Files %s and %s differ\n", names[0], names[1])
		return 1
	case binary:
		fmt.Fprintf(d.out, "Binary files %s and %s differ\n", names[0], names[1])
		return 1
	default:
		status = d.texts(sources)
	}
	if same && d.whole() && !d.brief && !binary {
		status = d.texts(sources)
	}
	if status == 0 && d.identical {
		fmt.Fprintf(d.out, "Files %s and %s are identical\n", names[0], names[1])
	}
	return status
}

// whole says that also what is the same is written.
func (d *differ) whole() bool { return d.style == "side-by-side" || d.style == "groups" }

// exact says that all differences matter.
func (d *differ) exact() bool {
	return !d.fold && !d.stripCR && !d.blankLines && d.space == 0 && d.matching == nil
}

// isBinary says whether the beginning of a file has a NUL.
func isBinary(data []byte) bool { return bytes.IndexByte(data[:min(len(data), 4096)], 0) >= 0 }

// texts compares two texts, and writes how they differ.
func (d *differ) texts(sources [2]*source) int {
	for _, s := range sources {
		if d.stripCR {
			s.data = bytes.ReplaceAll(s.data, []byte("\r\n"), []byte("\n"))
		}
		s.lines = bytes.SplitAfter(s.data, []byte("\n"))
		s.lines = s.lines[:len(s.lines)-1+min(1, len(s.lines[len(s.lines)-1]))]
	}
	a, b := sources[0].lines, sources[1].lines
	// What is the same at the beginning and the end is not compared, but for some lines.
	before, after := 0, 0
	for before < min(len(a), len(b)) && bytes.Equal(a[before], b[before]) {
		before++
	}
	before = max(0, before-d.horizon)
	for after < min(len(a), len(b))-before && bytes.Equal(a[len(a)-1-after], b[len(b)-1-after]) {
		after++
	}
	after = max(0, after-d.horizon)
	numbers := map[string]int{}
	var numbered [2][]int
	for f, lines := range [2][][]byte{a[before : len(a)-after], b[before : len(b)-after]} {
		for _, line := range lines {
			key := string(d.key(line))
			n, ok := numbers[key]
			if !ok {
				n = len(numbers)
				numbers[key] = n
			}
			numbered[f] = append(numbered[f], n)
		}
	}
	script := changes(numbered[0], numbered[1], d.minimal)
	matters := false
	for i := range script {
		c := &script[i]
		c.at, c.other = c.at+before, c.other+before
		c.ignored = d.trivial(a[c.at:c.at+c.deleted]) && d.trivial(b[c.other:c.other+c.inserted])
		matters = matters || !c.ignored
	}
	if matters && d.brief {
		fmt.Fprintf(d.out, "Files %s and %s differ\n", sources[0].name, sources[1].name)
		return 1
	}
	if !d.brief && (matters || d.whole()) {
		d.write(sources, script)
	}
	status := 0
	if matters {
		status = 1
	}
	for _, s := range sources {
		if d.style == "ed" && !d.brief && len(s.data) > 0 && s.data[len(s.data)-1] != '\n' {
			d.complain("%s: No newline at end of file\n", s.name)
			status = 2
		}
	}
	return status
}

// trivial says that no line of a change matters.
func (d *differ) trivial(lines [][]byte) bool {
	if !d.blankLines && d.matching == nil {
		return false
	}
	for _, line := range lines {
		text := bytes.TrimSuffix(line, []byte("\n"))
		if d.space != 0 && d.space != 'E' {
			text = bytes.TrimLeft(text, " \t\v\f\r")
		}
		whole := bytes.TrimSuffix(line, []byte("\n"))
		if d.blankLines && len(text) == 0 || d.matching != nil && d.matching.Match(whole) {
			continue
		}
		return false
	}
	return true
}

// key returns what two lines have in common if they are taken as the same.
func (d *differ) key(line []byte) []byte {
	if d.space == 0 && !d.fold && d.style != "ed" {
		return line
	}
	text, ended := bytes.CutSuffix(line, []byte("\n"))
	isSpace := func(r rune) bool { return r == ' ' || r >= '\t' && r <= '\r' }
	var key []byte
	switch d.space {
	case 'w':
		for _, b := range text {
			if !isSpace(rune(b)) {
				key = append(key, b)
			}
		}
	case 'b':
		text = bytes.TrimRightFunc(text, isSpace)
		for i, b := range text {
			if !isSpace(rune(b)) {
				key = append(key, b)
			} else if i == 0 || !isSpace(rune(text[i-1])) {
				key = append(key, ' ')
			}
		}
	case 'Z':
		key = append(key, bytes.TrimRightFunc(text, isSpace)...)
	case 'E':
		column := 0
		for _, b := range text {
			switch b {
			case '\t':
				for n := d.tab - column%d.tab; n > 0; n-- {
					key = append(key, ' ')
					column++
				}
				continue
			case '\b':
				column = max(0, column-1)
			case '\r':
				column = 0
			default:
				column++
			}
			key = append(key, b)
		}
	default:
		key = append(key, text...)
	}
	if d.fold {
		key = bytes.ToLower(key)
	}
	// A line without an end differs from one with it, unless white space at its end does not matter.
	if ended || d.space != 0 && d.space != 'E' || d.style == "ed" {
		key = append(key, '\n')
	}
	return key
}
