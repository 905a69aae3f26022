package files

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var chmod = &command.Command{
	Name:     "chmod",
	Operands: "[OPTION]... MODE[,MODE]... FILE...",
	Summary:  "Change the mode of each FILE to MODE.",
	Options: []command.Option{
		{Short: 'c', Long: "changes", Help: "like verbose but report only when a change is made"},
		{Short: 'f', Long: "silent", Help: "suppress most error messages"},
		{Long: "quiet"},
		{Short: 'v', Long: "verbose", Help: "output a diagnostic for every file processed"},
		{Short: 'R', Long: "recursive", Help: "change files and directories recursively"},
		{Long: "reference", Arg: "RFILE", Help: "use RFILE's mode instead of specifying MODE values"},
		// Modes can begin with "-".
		{Short: 'r'}, {Short: 'w'}, {Short: 'x'}, {Short: 'X'}, {Short: 's'}, {Short: 't'}, {Short: 'u'},
		{Short: 'g'}, {Short: 'o'},
	},
	Notes: "A project keeps no modes: the shell remembers MODE as long as it is there.",
	Run:   runChmod,
}

func runChmod(c *command.Context) int {
	mode := ""
	for _, g := range c.Given {
		if len(g.Name) == 1 {
			mode += g.Name
		}
	}
	files := c.Args
	switch {
	case mode != "":
		mode = "-" + mode
	case c.Has("reference"):
	case len(files) == 0:
		return c.Missing()
	default:
		mode, files = files[0], files[1:]
	}
	if len(files) == 0 {
		return c.Usage("missing operand after %s", command.QuoteText(mode))
	}
	var change func(old fs.FileMode, dir bool) (fs.FileMode, bool)
	if reference, ok := c.Value("reference"); ok {
		info, err := c.Stat(reference)
		if err != nil {
			c.Errorf("failed to get attributes of %s: %s", command.Quote(reference), command.Text(err))
			return 1
		}
		change = func(fs.FileMode, bool) (fs.FileMode, bool) { return info.Mode().Perm(), true }
	} else {
		change = func(old fs.FileMode, dir bool) (fs.FileMode, bool) { return applyMode(mode, old, dir) }
		if _, ok := change(0, false); !ok {
			return c.Usage("invalid mode: %s", command.QuoteText(mode))
		}
	}
	ok := true
	var do func(name string)
	do = func(name string) {
		info, err := c.Stat(name)
		if err != nil {
			if !c.Has("silent") && !c.Has("quiet") {
				c.Errorf("cannot access %s: %s", command.Quote(name), command.Text(err))
			}
			ok = false
			return
		}
		old := info.Mode().Perm()
		to, _ := change(old, info.IsDir())
		if err := c.Chmod(name, to); err != nil {
			c.Errorf("changing permissions of %s: %s", command.Quote(name), command.Text(err))
			ok = false
		} else if c.Has("verbose") || c.Has("changes") && to != old {
			if to == old {
				fmt.Fprintf(c.Stdout, "mode of %s retained as %04o (%s)\n", command.Quote(name), to, to.String()[1:])
			} else {
				fmt.Fprintf(c.Stdout, "mode of %s changed from %04o (%s) to %04o (%s)\n", command.Quote(name), old,
					old.String()[1:], to, to.String()[1:])
			}
		}
		if c.Has("recursive") && info.IsDir() {
			entries, _ := c.ReadDir(name)
			for _, entry := range entries {
				do(name + "/" + entry.Name())
			}
		}
	}
	for _, name := range files {
		do(name)
	}
	return command.Status(ok)
}

// applyMode applies a mode such as 644 or u+x,g-w to another one.
func applyMode(mode string, old fs.FileMode, dir bool) (fs.FileMode, bool) {
	if n, err := strconv.ParseUint(mode, 8, 32); err == nil {
		return fs.FileMode(n) & fs.ModePerm, n <= 0o7777
	}
	m := old
	for clause := range strings.SplitSeq(mode, ",") {
		i := strings.IndexAny(clause, "+-=")
		if i < 0 {
			return 0, false
		}
		who := fs.FileMode(0)
		for _, letter := range clause[:i] {
			switch letter {
			case 'u':
				who |= 0o700
			case 'g':
				who |= 0o070
			case 'o':
				who |= 0o007
			case 'a':
				who |= 0o777
			default:
				return 0, false
			}
		}
		umask := fs.FileMode(0)
		if who == 0 {
			who, umask = 0o777, 0o022
		}
		rest := clause[i:]
		for rest != "" {
			op := rest[0]
			rest = rest[1:]
			end := strings.IndexAny(rest, "+-=")
			if end < 0 {
				end = len(rest)
			}
			bits := fs.FileMode(0)
			for _, letter := range rest[:end] {
				switch letter {
				case 'r':
					bits |= 0o444
				case 'w':
					bits |= 0o222
				case 'x':
					bits |= 0o111
				case 'X':
					if dir || m&0o111 != 0 {
						bits |= 0o111
					}
				case 's', 't':
				case 'u':
					bits |= (m >> 6 & 7) * 0o111
				case 'g':
					bits |= (m >> 3 & 7) * 0o111
				case 'o':
					bits |= (m & 7) * 0o111
				default:
					return 0, false
				}
			}
			rest = rest[end:]
			bits &= who &^ umask
			switch op {
			case '+':
				m |= bits
			case '-':
				m &^= bits
			case '=':
				m = m&^who | bits
			}
		}
	}
	return m, true
}

var chown = owner("chown", "[OPTION]... [OWNER][:[GROUP]] FILE...", "owner")
var chgrp = owner("chgrp", "[OPTION]... GROUP FILE...", "group")

func owner(name, operands, what string) *command.Command {
	return &command.Command{
		Name: name, Operands: operands,
		Summary: "Change the " + what + " of each FILE. There is one here: the FILEs are checked, and nothing is " +
			"changed.",
		Options: []command.Option{
			{Short: 'R', Long: "recursive", Help: "operate on files and directories recursively"},
			{Short: 'v', Long: "verbose"}, {Short: 'f', Long: "silent"}, {Short: 'h', Long: "no-dereference"},
		},
		Run: func(c *command.Context) int {
			if len(c.Args) == 0 {
				return c.Missing()
			}
			if len(c.Args) == 1 {
				return c.Usage("missing operand after %s", command.QuoteText(c.Args[0]))
			}
			ok := true
			for _, name := range c.Args[1:] {
				if _, err := c.Lstat(name); err != nil {
					c.Errorf("cannot access %s: %s", command.Quote(name), command.Text(err))
					ok = false
				}
			}
			return command.Status(ok)
		},
	}
}
