package files

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var stat = &command.Command{
	Name:     "stat",
	Operands: "[OPTION]... FILE...",
	Summary:  "Display file status.",
	Options: []command.Option{
		{Short: 'L', Long: "dereference", Help: "follow links"}, {Short: 'f', Long: "file-system"}, {Long: "cached",
			Arg: "MODE"},
		{Short: 'c', Long: "format", Arg: "FORMAT",
			Help: "use the specified FORMAT instead of the default; output a\nnewline after each use of FORMAT"},
		{Long: "printf", Arg: "FORMAT", Help: "like --format, but interpret backslash escapes, and do not\n" +
			"output a mandatory trailing newline"},
		{Short: 't', Long: "terse", Help: "print the information in terse form"},
	},
	Notes: "FORMAT: %a %A mode, %b blocks, %B block size, %f raw mode, %F type, %g %G group, %h links, %i inode, " +
		"%n %N name,\n" +
		"%o %s size, %u %U user, %w %W %x %X %y %Y %z %Z times.",
	Run: runStat,
}

func runStat(c *command.Context) int {
	if len(c.Args) == 0 {
		return c.Missing()
	}
	format, end := "", "\n"
	if value, ok := c.Value("format"); ok {
		format = value
	}
	if value, ok := c.Value("printf"); ok {
		format, end = command.Unescape(value), ""
	}
	switch {
	case format != "":
	case c.Has("terse"):
		format = "%n %s %b %f %u %g 0 %i %h 0 0 %X %Y %Z %W %o"
	default:
		format = "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\n" +
			"Device: 0,1\tInode: %-11i Links: %h\nAccess: (%04a/%A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\n" +
			"Access: %x\nModify: %y\nChange: %z\n Birth: %w"
	}
	ok := true
	for _, name := range c.Args {
		look := c.Lstat
		if c.Has("dereference") {
			look = c.Stat
		}
		info, err := look(name)
		if err != nil {
			c.Errorf("cannot statx %s: %s", command.Quote(name), command.Text(err))
			ok = false
			continue
		}
		_, _ = fmt.Fprint(c.Stdout, statText(c, name, info, format)+end)
	}
	return command.Status(ok)
}

func statText(c *command.Context, name string, info fs.FileInfo, format string) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		from := i + 1
		i = from
		for i < len(format)-1 && strings.IndexByte("-+ #0123456789.", format[i]) >= 0 {
			i++
		}
		flags, letter := format[from:i], format[i]
		if letter == '%' {
			b.WriteByte('%')
			continue
		}
		text := statField(c, name, info, letter)
		width := strings.TrimLeft(flags, "-+ #0")
		n, _ := strconv.Atoi(width)
		pad := " "
		if strings.HasPrefix(strings.TrimLeft(flags, "-+ #"), "0") {
			pad = "0"
		}
		space := strings.Repeat(pad, max(0, min(n, 4096)-len(text)))
		if strings.Contains(flags, "-") {
			b.WriteString(text + space)
		} else {
			b.WriteString(space + text)
		}
	}
	return b.String()
}

func statField(c *command.Context, name string, info fs.FileInfo, letter byte) string {
	mode := info.Mode()
	size := info.Size()
	if mode.IsDir() {
		size = 4096
	}
	at := info.ModTime().In(command.Zone(c))
	switch letter {
	case 'a':
		return strconv.FormatUint(uint64(mode.Perm()), 8)
	case 'A':
		return command.ModeText(mode)
	case 'b':
		return strconv.FormatInt(blocks(info)*2, 10)
	case 'B':
		return "512"
	case 'd', 't', 'T', 'm':
		return "0"
	case 'f':
		kind := uint32(0o100000)
		if mode.IsDir() {
			kind = 0o040000
		} else if mode&fs.ModeSymlink != 0 {
			kind = 0o120000
		}
		return strconv.FormatUint(uint64(kind|uint32(mode.Perm())), 16)
	case 'F':
		switch {
		case mode.IsDir():
			return "directory"
		case mode&fs.ModeSymlink != 0:
			return "symbolic link"
		case mode&fs.ModeCharDevice != 0:
			return "character special file"
		case mode&fs.ModeNamedPipe != 0:
			return "fifo"
		case size == 0:
			return "regular empty file"
		}
		return "regular file"
	case 'g', 'u':
		return "1000"
	case 'G', 'U':
		return "user"
	case 'h':
		return strconv.Itoa(c.Links(name, info))
	case 'i':
		return strconv.FormatUint(uint64(command.Inode(c.Path(name))), 10)
	case 'n':
		return name
	case 'N':
		if target, err := c.Readlink(name); mode&fs.ModeSymlink != 0 && err == nil {
			return command.Quote(name) + " -> " + command.Quote(target)
		}
		if !c.Has("format") && !c.Has("printf") {
			return name
		}
		return command.Quote(name)
	case 'o':
		return "4096"
	case 's':
		return strconv.FormatInt(size, 10)
	case 'w':
		return "-"
	case 'W':
		return "0"
	case 'x', 'y', 'z':
		return at.Format("2006-01-02 15:04:05.000000000 -0700")
	case 'X', 'Y', 'Z':
		return strconv.FormatInt(at.Unix(), 10)
	}
	return "?" + string(letter)
}
