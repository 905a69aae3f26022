package misc

import (
	"bufio"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var du = &command.Command{
	Name: "du", Operands: "[OPTION]... [FILE]...",
	Summary: "Summarize device usage of the set of FILEs, recursively for directories.",
	Options: []command.Option{
		{Short: '0', Long: "null", Help: "end each output line with NUL, not newline"},
		{Short: 'a', Long: "all", Help: "write counts for all files, not just directories"},
		{Long: "apparent-size", Help: "print apparent sizes rather than device usage"},
		{Short: 'B', Long: "block-size", Arg: "SIZE", Help: "scale sizes by SIZE before printing them"},
		{Short: 'b', Long: "bytes", Help: "equivalent to '--apparent-size --block-size=1'"},
		{Short: 'c', Long: "total", Help: "produce a grand total"},
		{Short: 'd', Long: "max-depth", Arg: "N",
			Help: "print the total for a directory only if it is N or fewer levels below"},
		{Short: 'h', Long: "human-readable", Help: "print sizes in human readable format (e.g., 1K 234M 2G)"},
		{Long: "si", Help: "like -h, but use powers of 1000 not 1024"},
		{Short: 'k', Help: "like --block-size=1K"},
		{Short: 'm', Help: "like --block-size=1M"},
		{Short: 'L', Long: "dereference"}, {Short: 'P', Long: "no-dereference"}, {Short: 'D', Long: "dereference-args"},
		{Short: 'H'}, {Short: 'l', Long: "count-links"}, {Short: 'x', Long: "one-file-system"},
		{Short: 'S', Long: "separate-dirs", Help: "for directories do not include size of subdirectories"},
		{Short: 's', Long: "summarize", Help: "display only a total for each argument"},
		{Short: 't', Long: "threshold", Arg: "SIZE", Help: "exclude entries smaller than SIZE if positive"},
		{Long: "time"}, {Long: "exclude", Arg: "PATTERN", Help: "exclude files that match PATTERN"},
	},
	Notes: "A file takes whole blocks of 4096 bytes, and a directory one.",
	Run:   runDu,
}

const blockSize = 4096

type duRun struct {
	c             *command.Context
	out           *bufio.Writer
	unit          int64
	base          float64
	depth         int
	apparent, all bool
	exclude       []string
	threshold     int64
	ok            bool
}

func runDu(c *command.Context) int {
	d := &duRun{c: c, out: c.Output(), unit: 1024, depth: 1 << 30, ok: true}
	depthGiven := false
	for _, g := range c.Given {
		switch g.Name {
		case "bytes":
			d.apparent, d.unit, d.base = true, 1, 0
		case "apparent-size":
			d.apparent = true
		case "all":
			d.all = true
		case "k":
			d.unit, d.base = 1024, 0
		case "m":
			d.unit, d.base = 1<<20, 0
		case "human-readable":
			d.base = 1024
		case "si":
			d.base = 1000
		case "block-size":
			n, err := command.ParseSize(g.Value)
			if err != nil || n == 0 {
				c.Errorf("invalid --block-size argument '%s'", g.Value)
				return 1
			}
			d.unit, d.base = n, 0
		case "max-depth":
			n, err := strconv.Atoi(g.Value)
			if err != nil || n < 0 {
				c.Errorf("invalid maximum depth %s", command.QuoteText(g.Value))
				fmt.Fprintln(c.Stderr, "Try 'du --help' for more information.")
				return 1
			}
			d.depth, depthGiven = n, true
		case "exclude":
			d.exclude = append(d.exclude, g.Value)
		case "threshold":
			n, err := command.ParseSize(strings.TrimPrefix(g.Value, "-"))
			if err != nil {
				c.Errorf("invalid --threshold argument '%s'", g.Value)
				return 1
			}
			if d.threshold = n; g.Value[0] == '-' {
				d.threshold = -n
			}
		}
	}
	if c.Has("summarize") {
		if d.all {
			return c.Usage("cannot both summarize and show all entries")
		}
		if depthGiven && d.depth != 0 {
			c.Errorf("warning: summarizing conflicts with --max-depth=%d", d.depth)
			return 1
		}
		d.depth = 0
	}
	names := c.Args
	if len(names) == 0 {
		names = []string{"."}
	}
	var total int64
	for _, name := range names {
		total += d.walk(name, 0)
	}
	if c.Has("total") {
		d.print(total, "total")
	}
	if d.out.Flush() != nil {
		return 1
	}
	return command.Status(d.ok)
}

func (d *duRun) print(size int64, name string) {
	if d.threshold > 0 && size < d.threshold || d.threshold < 0 && size > -d.threshold {
		return
	}
	end := byte('\n')
	if d.c.Has("null") {
		end = 0
	}
	shown := strconv.FormatInt((size+d.unit-1)/d.unit, 10)
	if d.base > 0 {
		shown = humanSize(size, d.base)
	}
	fmt.Fprintf(d.out, "%s\t%s%c", shown, name, end)
}

// walk returns what a file or directory takes, and shows it.
func (d *duRun) walk(name string, depth int) int64 {
	stat := d.c.Lstat
	if d.c.Has("dereference") || depth == 0 && (d.c.Has("dereference-args") || d.c.Has("H")) {
		stat = d.c.Stat
	}
	info, err := stat(name)
	if err != nil {
		_ = d.out.Flush()
		d.c.Errorf("cannot access %s: %s", command.Quote(name), command.Text(err))
		d.ok = false
		return 0
	}
	for _, pattern := range d.exclude {
		if ok, _ := path.Match(pattern, path.Base(name)); ok {
			return 0
		}
		if ok, _ := path.Match(pattern, name); ok {
			return 0
		}
	}
	size := d.size(info)
	if !info.IsDir() {
		if d.all && depth <= d.depth || depth == 0 {
			d.print(size, name)
		}
		return size
	}
	entries, err := d.c.ReadDir(name)
	if err != nil {
		_ = d.out.Flush()
		d.c.Errorf("cannot read directory %s: %s", command.Quote(name), command.Text(err))
		d.ok = false
	}
	own := size
	for _, e := range entries {
		if d.c.Context().Err() != nil {
			return size
		}
		inner := d.walk(strings.TrimSuffix(name, "/")+"/"+e.Name(), depth+1)
		size += inner
		if !e.IsDir() {
			own += inner
		}
	}
	if depth <= d.depth {
		if d.c.Has("separate-dirs") {
			d.print(own, name)
		} else {
			d.print(size, name)
		}
	}
	return size
}

func (d *duRun) size(info fs.FileInfo) int64 {
	switch {
	case info.IsDir():
		return blockSize
	case d.apparent || info.Mode()&fs.ModeSymlink != 0 && d.apparent:
		return info.Size()
	case info.Mode()&fs.ModeSymlink != 0:
		return 0
	}
	return (info.Size() + blockSize - 1) / blockSize * blockSize
}

var df = &command.Command{
	Name: "df", Operands: "[OPTION]... [FILE]...",
	Summary: "Show information about the file system. There is one, whose size is not limited here.",
	Options: []command.Option{
		{Short: 'h', Long: "human-readable", Help: "print sizes in powers of 1024"},
		{Short: 'H', Long: "si", Help: "print sizes in powers of 1000"},
		{Short: 'k', Help: "like --block-size=1K"},
		{Short: 'T', Long: "print-type", Help: "print file system type"},
		{Short: 'P', Long: "portability"}, {Short: 'a', Long: "all"}, {Short: 'i', Long: "inodes"}, {Short: 'l',
			Long: "local"},
		{Short: 'm'}, {Long: "total"}, {Short: 't', Long: "type", Arg: "TYPE"}, {Short: 'x', Long: "exclude-type",
			Arg: "TYPE"},
		{Short: 'B', Long: "block-size", Arg: "SIZE"}, {Long: "output", Arg: "FIELDS", Optional: true},
	},
	Run: func(c *command.Context) int {
		ok := true
		names := c.Args
		shown := len(names) == 0
		for _, name := range names {
			if _, err := c.Stat(name); err != nil {
				c.FileError(name, err)
				ok = false
			} else {
				shown = true
			}
		}
		if !shown {
			return 1
		}
		// Nothing is known of the host's disk: a terabyte that is empty.
		const size = 1 << 30 // KiB
		head, number := "1K-blocks", strconv.Itoa(size)
		if c.Has("human-readable") || c.Has("si") {
			head, number = "Size", "1.0T"
		}
		kind := [2]string{}
		if c.Has("print-type") {
			kind = [2]string{"Type     ", "toolrun  "}
		}
		zero := "0"
		fmt.Fprintf(c.Stdout, "Filesystem     %s%11s  Used %*s Use%% Mounted on\n", kind[0], head, max(9, len(number)),
			"Available")
		fmt.Fprintf(c.Stdout, "project        %s%11s %5s %*s   0%% /\n", kind[1], number, zero, max(9, len(number)),
			number)
		return command.Status(ok)
	},
}
