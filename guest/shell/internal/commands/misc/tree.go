package misc

import (
	"bufio"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
	"github.com/toolrun/toolrun/guest/shell/internal/jq"
)

var tree = &command.Command{
	Name: "tree", Operands: "[OPTION]... [DIRECTORY]...", Summary: "List the contents of directories as a tree.",
	Options: []command.Option{
		{Short: 'a', Help: "all files are listed"},
		{Short: 'd', Help: "list directories only"},
		{Short: 'f', Help: "print the full path prefix for each file"},
		{Short: 'i', Help: "don't print indentation lines"},
		{Short: 'L', Arg: "LEVEL", Help: "descend only LEVEL directories deep"},
		{Short: 'P', Arg: "PATTERN", Help: "list only those files that match the pattern given"},
		{Short: 'I', Arg: "PATTERN", Help: "do not list files that match the given pattern"},
		{Long: "prune", Help: "prune empty directories from the output"},
		{Long: "dirsfirst", Help: "list directories before files"},
		{Long: "noreport", Help: "turn off file/directory count at end of tree listing"},
		{Long: "filelimit", Arg: "N", Help: "do not descend dirs with more than N files in them"},
		{Short: 'F', Help: "append '/', '*' or '@' as per ls -F"},
		{Short: 's', Help: "print the size in bytes of each file"},
		{Short: 'u', Help: "displays file owner or UID number"},
		{Short: 'g', Help: "displays file group owner or GID number"},
		{Short: 'h', Help: "print the size in a more human readable way"},
		{Short: 'p', Help: "print the protections for each file"},
		{Short: 'r', Help: "reverse the order of the sort"},
		{Short: 't', Help: "sort files by last modification time"},
		{Short: 'U', Help: "leave files unsorted (they are sorted here)"},
		{Short: 'J', Help: "print out a JSON representation of the tree"},
		{Short: 'n'}, {Short: 'C'}, {Short: 'N'}, {Short: 'q'}, {Short: 'x'}, {Short: 'l'}, {Short: 'A'}, {Short: 'S'},
		{Long: "charset", Arg: "X"},
	},
	Run: runTree,
}

type treeRun struct {
	c           *command.Context
	out         *bufio.Writer
	level       int
	limit       int
	match, skip []string
	dirs, files int
	failed      bool
}

func runTree(c *command.Context) int {
	t := &treeRun{c: c, out: c.Output()}
	for _, g := range c.Given {
		switch g.Name {
		case "L":
			n, err := strconv.Atoi(g.Value)
			if err != nil || n < 1 {
				fmt.Fprintln(c.Stderr, "tree: Invalid level, must be greater than 0.")
				return 1
			}
			t.level = n
		case "filelimit":
			t.limit, _ = strconv.Atoi(g.Value)
		case "P":
			t.match = append(t.match, strings.Split(g.Value, "|")...)
		case "I":
			t.skip = append(t.skip, strings.Split(g.Value, "|")...)
		}
	}
	roots := c.Args
	if len(roots) == 0 {
		roots = []string{"."}
	}
	json := c.Has("J")
	if json {
		fmt.Fprint(t.out, "[")
	}
	for i, root := range roots {
		if json && i > 0 {
			fmt.Fprint(t.out, ",")
		}
		t.root(root, json)
	}
	if !c.Has("noreport") {
		t.report(json)
	}
	if json {
		fmt.Fprint(t.out, "\n]\n")
	}
	if t.out.Flush() != nil {
		return 1
	}
	if t.failed {
		return 2
	}
	return 0
}

func (t *treeRun) root(root string, json bool) {
	info, err := t.c.Stat(root)
	if json {
		fmt.Fprintf(t.out, "\n  {\"type\":\"directory\",\"name\":%s", jq.JSON(root))
		if err != nil || !info.IsDir() {
			fmt.Fprint(t.out, ",\"error\": \"opening dir\"\n    }")
			t.failed = true
			return
		}
		t.dirs++
		fmt.Fprint(t.out, ",\"contents\":[")
		t.walk(root, "", 1, true)
		fmt.Fprint(t.out, "\n  ]}")
		return
	}
	if err != nil || !info.IsDir() {
		fmt.Fprintf(t.out, "%s  [error opening dir]\n", root)
		t.failed = true
		if err == nil {
			t.files++
		}
		return
	}
	t.dirs++
	fmt.Fprintf(t.out, "%s%s%s\n", t.details(info), root, t.mark(info, strings.HasSuffix(root, "/")))
	t.walk(root, "", 1, false)
}

func (t *treeRun) report(json bool) {
	if json {
		fmt.Fprintf(t.out, "\n,\n  {\"type\":\"report\",\"directories\":%d", t.dirs)
		if !t.c.Has("d") {
			fmt.Fprintf(t.out, ",\"files\":%d", t.files)
		}
		fmt.Fprint(t.out, "}")
		return
	}
	plural := func(n int, one, many string) string {
		if n == 1 {
			return "1 " + one
		}
		return strconv.Itoa(n) + " " + many
	}
	fmt.Fprintf(t.out, "\n%s", plural(t.dirs, "directory", "directories"))
	if !t.c.Has("d") {
		fmt.Fprintf(t.out, ", %s", plural(t.files, "file", "files"))
	}
	fmt.Fprintln(t.out)
}

// details are what stands in brackets before a name.
func (t *treeRun) details(info fs.FileInfo) string {
	var parts []string
	if t.c.Has("p") {
		mode := info.Mode().Perm().String()[1:]
		switch {
		case info.IsDir():
			mode = "d" + mode
		case info.Mode()&fs.ModeSymlink != 0:
			mode = "l" + mode
		default:
			mode = "-" + mode
		}
		parts = append(parts, mode)
	}
	for _, option := range []string{"u", "g"} {
		if t.c.Has(option) {
			parts = append(parts, fmt.Sprintf("%-8s", "user"))
		}
	}
	switch {
	case t.c.Has("h"):
		parts = append(parts, fmt.Sprintf("%4s", humanSize(info.Size(), 1024)))
	case t.c.Has("s"):
		parts = append(parts, fmt.Sprintf("%11d", info.Size()))
	}
	if parts == nil {
		return ""
	}
	return "[" + strings.Join(parts, " ") + "]  "
}

func (t *treeRun) mark(info fs.FileInfo, ends bool) string {
	if !t.c.Has("F") {
		return ""
	}
	switch {
	case info.IsDir() && !ends:
		return "/"
	case info.Mode().IsRegular() && info.Mode()&0o111 != 0:
		return "*"
	}
	return ""
}

func matchesAny(patterns []string, name string) bool {
	for _, p := range patterns {
		if ok, err := path.Match(strings.TrimSuffix(p, "/"), name); ok && err == nil {
			return true
		}
	}
	return false
}

// entries returns what of a directory is listed.
func (t *treeRun) entries(dir string) []fs.FileInfo {
	list, err := t.c.ReadDir(dir)
	if err != nil {
		return nil
	}
	var infos []fs.FileInfo
	for _, e := range list {
		name := e.Name()
		if name[0] == '.' && !t.c.Has("a") || matchesAny(t.skip, name) {
			continue
		}
		info, err := t.c.Lstat(dir + "/" + name)
		if err != nil || t.c.Has("d") && !info.IsDir() {
			continue
		}
		if !info.IsDir() && t.match != nil && !matchesAny(t.match, name) {
			continue
		}
		infos = append(infos, info)
	}
	slices.SortStableFunc(infos, func(a, b fs.FileInfo) int {
		if t.c.Has("dirsfirst") && a.IsDir() != b.IsDir() {
			if a.IsDir() {
				return -1
			}
			return 1
		}
		order := strings.Compare(a.Name(), b.Name())
		if t.c.Has("t") {
			if by := a.ModTime().Compare(b.ModTime()); by != 0 {
				order = by
			}
		}
		if t.c.Has("r") {
			return -order
		}
		return order
	})
	return infos
}

// empty says whether nothing in a directory would be listed.
func (t *treeRun) empty(dir string) bool {
	for _, info := range t.entries(dir) {
		if !info.IsDir() || !t.empty(dir+"/"+info.Name()) {
			return false
		}
	}
	return true
}

func (t *treeRun) walk(dir, indent string, depth int, json bool) {
	if t.level > 0 && depth > t.level || t.c.Context().Err() != nil {
		return
	}
	infos := t.entries(dir)
	if t.c.Has("prune") {
		infos = slices.DeleteFunc(infos, func(info fs.FileInfo) bool {
			return info.IsDir() &&
				t.empty(dir+"/"+info.Name())
		})
	}
	for i, info := range infos {
		full := strings.TrimSuffix(dir, "/") + "/" + info.Name()
		if info.IsDir() {
			t.dirs++
		} else {
			t.files++
		}
		if json {
			t.json(info, full, depth, i > 0)
			continue
		}
		name := info.Name()
		if t.c.Has("f") {
			name = full
		}
		branch, below := "├── ", "│\u00a0\u00a0 "
		if i == len(infos)-1 {
			branch, below = "└── ", "    "
		}
		if t.c.Has("i") {
			branch, below = "", ""
		}
		tail := ""
		if info.Mode()&fs.ModeSymlink != 0 {
			target, _ := t.c.Readlink(full)
			tail = " -> " + target
		}
		limited := ""
		if info.IsDir() && t.limit > 0 {
			if n := len(t.entries(full)); n > t.limit {
				limited = fmt.Sprintf("  [%d entries exceeds filelimit, not opening dir]", n)
			}
		}
		fmt.Fprintf(t.out, "%s%s%s%s%s%s%s\n", indent, branch, t.details(info), name, t.mark(info, false), tail,
			limited)
		if info.IsDir() && limited == "" {
			t.walk(full, indent+below, depth+1, false)
		}
	}
}

func (t *treeRun) json(info fs.FileInfo, full string, depth int, more bool) {
	if more {
		fmt.Fprint(t.out, ",")
	}
	kind, tail := "file", ""
	switch {
	case info.IsDir():
		kind = "directory"
	case info.Mode()&fs.ModeSymlink != 0:
		kind = "link"
		target, _ := t.c.Readlink(full)
		tail = ",\"target\":" + jq.JSON(target)
	}
	name := info.Name()
	if t.c.Has("f") {
		name = full
	}
	indent := strings.Repeat("  ", depth+1)
	fmt.Fprintf(t.out, "\n%s{\"type\":%q,\"name\":%s%s", indent, kind, jq.JSON(name), tail)
	if t.c.Has("s") || t.c.Has("h") {
		fmt.Fprintf(t.out, ",\"size\":%d", info.Size())
	}
	if info.IsDir() && (t.level == 0 || depth < t.level) && len(t.entries(full)) > 0 {
		fmt.Fprint(t.out, ",\"contents\":[")
		t.walk(full, "", depth+1, true)
		fmt.Fprintf(t.out, "\n%s]", indent)
	}
	fmt.Fprint(t.out, "}")
}

// humanSize is a size as ls -h shows it: rounded up, with a letter.
func humanSize(n int64, base float64) string {
	if n < int64(base) {
		return strconv.FormatInt(n, 10)
	}
	f := float64(n)
	unit := -1
	for f >= base && unit < 5 {
		f /= base
		unit++
	}
	up := func(f float64) float64 {
		if i := float64(int64(f)); i < f {
			return i + 1
		}
		return f
	}
	letters := "KMGTPE"
	if base == 1000 {
		letters = "kMGTPE"
	}
	if f < 10 {
		if tenths := up(f * 10); tenths < 100 {
			return strconv.FormatFloat(tenths/10, 'f', 1, 64) + letters[unit:unit+1]
		}
	}
	whole := up(f)
	if whole >= base && unit < 5 {
		return "1.0" + letters[unit+1:unit+2]
	}
	return strconv.FormatFloat(whole, 'f', 0, 64) + letters[unit:unit+1]
}
