package files

import (
	"bufio"
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
	"github.com/toolrun/toolrun/guest/shell/internal/patterns"
)

var ls = &command.Command{
	Name:     "ls",
	Operands: "[OPTION]... [FILE]...",
	Summary:  "List information about the FILEs (the current directory by default).",
	Options: []command.Option{
		{Short: 'a', Long: "all", Help: "do not ignore entries starting with ."},
		{Short: 'A', Long: "almost-all", Help: "do not list implied . and .."},
		{Short: 'b', Long: "escape"}, {Long: "block-size", Arg: "SIZE"},
		{Short: 'B', Long: "ignore-backups", Help: "do not list implied entries ending with ~"},
		{Short: 'c'}, {Short: 'C', Help: "list entries by columns"},
		{Long: "color", Arg: "WHEN", Optional: true},
		{Short: 'd', Long: "directory", Help: "list directories themselves, not their contents"},
		{Short: 'f', Help: "list all entries in directory order"},
		{Short: 'F', Long: "classify", Arg: "WHEN", Optional: true,
			Help: "append indicator (one of */=>@|) to entries"},
		{Short: 'g', Help: "like -l, but do not list owner"},
		{Long: "group-directories-first", Help: "group directories before files"},
		{Short: 'G', Long: "no-group", Help: "in a long listing, don't print group names"},
		{Long: "full-time", Help: "like -l --time-style=full-iso"},
		{Short: 'h', Long: "human-readable", Help: "with -l and -s, print sizes like 1K 234M 2G etc."},
		{Long: "si", Help: "likewise, but use powers of 1000 not 1024"},
		{Short: 'H', Long: "dereference-command-line"}, {Long: "hide", Arg: "PATTERN"},
		{Short: 'i', Long: "inode", Help: "print the index number of each file"},
		{Short: 'I', Long: "ignore", Arg: "PATTERN"}, {Short: 'k', Long: "kibibytes"},
		{Short: 'l', Help: "use a long listing format"},
		{Short: 'L', Long: "dereference", Help: "show what symbolic links reference"},
		{Short: 'm', Help: "fill width with a comma separated list of entries"},
		{Short: 'n', Long: "numeric-uid-gid", Help: "like -l, but list numeric user and group IDs"},
		{Short: 'N', Long: "literal"}, {Short: 'o', Help: "like -l, but do not list group information"},
		{Short: 'p', Help: "append / indicator to directories"}, {Short: 'q', Long: "hide-control-chars"},
		{Short: 'Q', Long: "quote-name", Help: "enclose entry names in double quotes"}, {Long: "quoting-style",
			Arg: "WORD"},
		{Short: 'r', Long: "reverse", Help: "reverse order while sorting"},
		{Short: 'R', Long: "recursive", Help: "list subdirectories recursively"},
		{Short: 's', Long: "size", Help: "print the allocated size of each file, in blocks"},
		{Short: 'S', Help: "sort by file size, largest first"},
		{Long: "sort", Arg: "WORD", Help: "sort by WORD instead of name: none, size, time, version,\nextension"},
		{Long: "time", Arg: "WORD"}, {Long: "time-style", Arg: "TIME_STYLE", Help: "time/date format with -l"},
		{Short: 't', Help: "sort by time, newest first"}, {Short: 'u'},
		{Short: 'U', Help: "do not sort; list entries in directory order"},
		{Short: 'v', Help: "natural sort of (version) numbers within text"}, {Short: 'w', Long: "width", Arg: "COLS"},
		{Short: 'x'}, {Short: 'X', Help: "sort alphabetically by entry extension"},
		{Short: '1', Help: "list one file per line"}, {Short: 'Z', Long: "context"}, {Short: 'D', Long: "dired"},
		{Long: "zero", Help: "end each output line with NUL, not newline"},
	},
	Trouble: 2,
	Notes:   "Owners are shown as user.",
	Run:     runLs,
}

// entry is a file that is listed.
type entry struct {
	name string
	path string
	info fs.FileInfo
}

type lister struct {
	c         *command.Context
	out       *bufio.Writer
	long      bool
	all       string // "all", "almost-all" or ""
	status    int
	shown     bool // something was written before
	headers   bool
	now       time.Time
	zone      *time.Location
	indicator byte
}

func runLs(c *command.Context) int {
	l := &lister{c: c, out: c.Output(), all: c.Last("all", "almost-all", "f"), now: time.Now(), zone: command.Zone(c)}
	if l.all == "f" {
		l.all = "all"
	}
	for _, g := range c.Given {
		switch g.Name {
		case "l", "g", "o", "numeric-uid-gid", "full-time":
			l.long = true
		case "1", "C", "m", "x":
			if g.Name != "1" {
				l.long = false
			}
		case "classify":
			l.indicator = 'F'
		case "p":
			l.indicator = 'p'
		}
	}
	names := c.Args
	if len(names) == 0 {
		names = []string{"."}
	}
	var files, dirs []entry
	for _, name := range names {
		info, err := c.Stat(name)
		if err != nil || !info.IsDir() && !c.Has("dereference") || l.long && !strings.HasSuffix(name, "/") &&
			!c.Has("dereference") {
			if link, failure := c.Lstat(name); failure == nil && (err != nil || l.long || !info.IsDir()) {
				info, err = link, nil
			}
		}
		if err != nil {
			c.Errorf("cannot access %s: %s", command.Quote(name), command.Text(err))
			l.status = 2
			continue
		}
		e := entry{name, name, info}
		if info.IsDir() && !c.Has("directory") {
			dirs = append(dirs, e)
		} else {
			files = append(files, e)
		}
	}
	l.headers = len(names) > 1 || c.Has("recursive")
	l.sort(files)
	l.sort(dirs)
	if len(files) > 0 {
		l.list(files, false)
	}
	for _, dir := range dirs {
		l.dir(dir.path)
	}
	if l.out.Flush() != nil {
		return 2
	}
	return l.status
}

// dir lists a directory.
func (l *lister) dir(name string) {
	c := l.c
	listed, err := c.ReadDir(name)
	if err != nil {
		_ = l.out.Flush()
		c.Errorf("cannot open directory %s: %s", command.Quote(name), command.Text(err))
		l.status = max(l.status, 1)
		return
	}
	var entries []entry
	if l.all == "all" {
		for _, dot := range []string{".", ".."} {
			if info, err := c.Stat(join(name, dot)); err == nil {
				entries = append(entries, entry{dot, join(name, dot), info})
			}
		}
	}
	for _, item := range listed {
		file := item.Name()
		if l.hidden(file) {
			continue
		}
		path := join(name, file)
		info, err := c.Lstat(path)
		if err == nil && c.Has("dereference") {
			if target, failure := c.Stat(path); failure == nil {
				info = target
			}
		}
		if err != nil {
			c.Errorf("cannot access %s: %s", command.Quote(path), command.Text(err))
			l.status = max(l.status, 1)
			continue
		}
		entries = append(entries, entry{file, path, info})
	}
	l.sort(entries)
	if l.shown {
		_, _ = l.out.WriteString("\n")
	}
	if l.headers {
		fmt.Fprintf(l.out, "%s:\n", name)
		l.shown = true
	}
	l.list(entries, true)
	if c.Has("recursive") {
		for _, e := range entries {
			if e.info.IsDir() && e.name != "." && e.name != ".." {
				l.shown = true
				l.dir(e.path)
			}
		}
	}
}

func (l *lister) hidden(name string) bool {
	if strings.HasPrefix(name, ".") && l.all == "" || l.c.Has("ignore-backups") && strings.HasSuffix(name, "~") {
		return true
	}
	for _, g := range l.c.Given {
		if g.Name == "ignore" || g.Name == "hide" && l.all == "" {
			if patterns.Match(g.Value, name) {
				return true
			}
		}
	}
	return false
}

func (l *lister) sort(entries []entry) {
	c := l.c
	order := "name"
	for _, g := range c.Given {
		switch g.Name {
		case "S":
			order = "size"
		case "t":
			order = "time"
		case "U", "f":
			order = "none"
		case "v":
			order = "version"
		case "X":
			order = "extension"
		case "sort":
			order = g.Value
		}
	}
	if order != "none" {
		slices.SortStableFunc(entries, func(a, b entry) int {
			byName := cmp.Compare(a.name, b.name)
			switch order {
			case "size":
				return cmp.Or(cmp.Compare(b.info.Size(), a.info.Size()), byName)
			case "time":
				return cmp.Or(b.info.ModTime().Compare(a.info.ModTime()), byName)
			case "version":
				return cmp.Or(command.CompareVersions(a.name, b.name), byName)
			case "extension":
				return cmp.Or(cmp.Compare(extension(a.name), extension(b.name)), byName)
			}
			return byName
		})
		if c.Has("reverse") {
			slices.Reverse(entries)
		}
	}
	if c.Has("group-directories-first") {
		slices.SortStableFunc(entries, func(a, b entry) int {
			switch {
			case a.info.IsDir() == b.info.IsDir():
				return 0
			case a.info.IsDir():
				return -1
			}
			return 1
		})
	}
}

func extension(name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return name[i:]
	}
	return ""
}

// name returns a name as it is shown.
func (l *lister) name(e entry) string {
	name := e.name
	style, _ := l.c.Value("quoting-style")
	switch {
	case l.c.Has("quote-name") || style == "c":
		name = strconv.Quote(name)
	case l.c.Has("hide-control-chars"):
		name = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return '?'
			}
			return r
		}, name)
	case l.c.Has("escape") || style == "escape":
		name = strings.NewReplacer(" ", `\ `, "\n", `\n`, "\t", `\t`, `\`, `\\`).Replace(name)
	case style == "shell" || style == "shell-escape":
		name = command.QuoteOdd(name)
	case style == "shell-always" || style == "shell-escape-always":
		name = command.Quote(name)
	}
	mode := e.info.Mode()
	switch {
	case l.indicator != 0 && mode.IsDir():
		name += "/"
	case l.indicator != 'F':
	case mode&fs.ModeSymlink != 0 && !l.long:
		name += "@"
	case mode&fs.ModeNamedPipe != 0:
		name += "|"
	case mode.IsRegular() && mode&0o111 != 0:
		name += "*"
	}
	if l.long && mode&fs.ModeSymlink != 0 {
		if target, err := l.c.Readlink(e.path); err == nil {
			name += " -> " + target
		}
	}
	return name
}

// list writes files.
func (l *lister) list(entries []entry, isDir bool) {
	c := l.c
	end := lineEnd(c)
	if isDir && (l.long || c.Has("size")) {
		total := int64(0)
		for _, e := range entries {
			total += blocks(e.info)
		}
		text := strconv.FormatInt(total, 10)
		if c.Has("human-readable") || c.Has("si") {
			text = command.Human(total*1024, c.Has("si"))
		}
		fmt.Fprintf(l.out, "total %s%s", text, end)
		l.shown = true
	}
	if len(entries) > 0 {
		l.shown = true
	}
	rows := make([][]string, len(entries))
	for i, e := range entries {
		rows[i] = l.row(e)
	}
	widths := []int{}
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var line []string
	for _, row := range rows {
		var cells []string
		for i, cell := range row[:len(row)-1] {
			text := cell
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if strings.HasPrefix(cell, "user") {
				text += space
			} else {
				text = space + text
			}
			cells = append(cells, text)
		}
		cells = append(cells, row[len(row)-1])
		line = append(line, strings.Join(cells, " "))
	}
	if last := c.Last("m", "1", "l", "C", "x", "zero"); (last == "C" || last == "x") && len(line) > 0 {
		l.columns(line, last == "x")
		return
	}
	if c.Last("m", "1", "l", "C", "x") == "m" && len(line) > 0 {
		_, _ = l.out.WriteString(strings.Join(line, ", ") + end)
		return
	}
	for _, text := range line {
		_, _ = l.out.WriteString(text + end)
	}
}

// columns writes names in as many columns as there is room for, filled downwards or across.
func (l *lister) columns(names []string, across bool) {
	width := 80
	if s, ok := l.c.Value("width"); ok {
		if n, err := strconv.Atoi(s); err == nil {
			if width = n; n == 0 {
				width = 1 << 20
			}
		}
	}
	var widths []int
	rows := 1
	at := func(row, column, columns int) int {
		if across {
			return row*columns + column
		}
		return column*rows + row
	}
	for columns := min(len(names), max(1, width/3)); ; columns-- {
		rows = (len(names) + columns - 1) / columns
		widths = make([]int, columns)
		total := 0
		for column := range widths {
			for row := range rows {
				if i := at(row, column, columns); i < len(names) {
					widths[column] = max(widths[column], utf8.RuneCountInString(names[i])+2)
				}
			}
			total += widths[column]
		}
		if columns == 1 || total-2 < width {
			break
		}
	}
	for row := range rows {
		position, next := 0, 0
		for column, w := range widths {
			i := at(row, column, len(widths))
			if i >= len(names) {
				break
			}
			// Between columns there are tabs, where they reach.
			for position < next {
				if next/8 > (position+1)/8 {
					_ = l.out.WriteByte('\t')
					position += 8 - position%8
				} else {
					_ = l.out.WriteByte(' ')
					position++
				}
			}
			_, _ = l.out.WriteString(names[i])
			position += utf8.RuneCountInString(names[i])
			next += w
		}
		_ = l.out.WriteByte('\n')
	}
}

func blocks(info fs.FileInfo) int64 {
	if info.IsDir() {
		return 4
	}
	return (info.Size() + 4095) / 4096 * 4
}

// row returns the columns of a file.
func (l *lister) row(e entry) []string {
	c := l.c
	var row []string
	if c.Has("inode") {
		row = append(row, strconv.Itoa(int(command.Inode(c.Path(e.path)))))
	}
	if c.Has("size") {
		if c.Has("human-readable") {
			row = append(row, command.Human(blocks(e.info)*1024, false))
		} else {
			row = append(row, strconv.FormatInt(blocks(e.info), 10))
		}
	}
	if !l.long {
		return append(row, l.name(e))
	}
	row = append(row, command.ModeText(e.info.Mode()), strconv.Itoa(c.Links(e.path, e.info)))
	owner := "user"
	if c.Has("numeric-uid-gid") {
		owner = "1000"
	}
	if !c.Has("g") {
		row = append(row, owner)
	}
	if !c.Has("o") && !c.Has("no-group") {
		row = append(row, owner)
	}
	size := e.info.Size()
	if e.info.IsDir() {
		size = 4096
	}
	if c.Has("human-readable") || c.Has("si") {
		row = append(row, command.Human(size, c.Has("si")))
	} else {
		row = append(row, strconv.FormatInt(size, 10))
	}
	return append(row, l.time(e.info.ModTime().In(l.zone)), l.name(e))
}

func (l *lister) time(t time.Time) string {
	style, _ := l.c.Value("time-style")
	if l.c.Has("full-time") {
		style = "full-iso"
	}
	recent := l.now.Sub(t) < 365*24*time.Hour/2 && !t.After(l.now.Add(time.Second))
	switch {
	case style == "full-iso":
		return t.Format("2006-01-02 15:04:05.000000000 -0700")
	case style == "long-iso":
		return t.Format("2006-01-02 15:04")
	case style == "iso" && recent:
		return t.Format("01-02 15:04")
	case style == "iso":
		return t.Format("2006-01-02 ")
	case strings.HasPrefix(style, "+"):
		return command.FormatTime(t, style[1:])
	case recent:
		return t.Format("Jan _2 15:04")
	}
	return t.Format("Jan _2  2006")
}
