package files

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var ln = &command.Command{
	Name: "ln",
	Operands: "[OPTION]... [-T] TARGET LINK_NAME\n  or:  ln [OPTION]... TARGET\n" +
		"  or:  ln [OPTION]... TARGET... DIRECTORY\n" +
		"  or:  ln [OPTION]... -t DIRECTORY TARGET...",
	Summary: "Create a link to TARGET with the name LINK_NAME, or in the current directory, or in DIRECTORY.",
	Options: []command.Option{
		{Short: 'f', Long: "force", Help: "remove existing destination files"},
		{Short: 'n', Long: "no-dereference",
			Help: "treat LINK_NAME as a normal file if it is a symbolic link to a directory"},
		{Short: 's', Long: "symbolic", Help: "make symbolic links instead of hard links"},
		{Short: 'r', Long: "relative", Help: "with -s, create links relative to link location"},
		{Short: 't', Long: "target-directory", Arg: "DIRECTORY",
			Help: "specify the DIRECTORY in which to create the links"},
		{Short: 'T', Long: "no-target-directory", Help: "treat LINK_NAME as a normal file always"},
		{Short: 'v', Long: "verbose", Help: "print name of each linked file"},
		{Short: 'i', Long: "interactive"}, {Short: 'b'}, {Short: 'L', Long: "logical"}, {Short: 'P', Long: "physical"},
	},
	Notes: "Projects have no links, so there ln fails: copy the file, or write its path where it is used.",
	Run:   runLn,
}

func runLn(c *command.Context) int {
	targets := c.Args
	dir, inDir := c.Value("target-directory")
	name := ""
	switch {
	case len(targets) == 0:
		return c.Usage("missing file operand")
	case inDir:
	case len(targets) == 1:
		dir, inDir = ".", true
	default:
		name, targets = targets[len(targets)-1], targets[:len(targets)-1]
		stat := c.Stat
		if c.Has("no-dereference") {
			stat = c.Lstat
		}
		info, err := stat(name)
		if err == nil && info.IsDir() && !c.Has("no-target-directory") {
			dir, inDir = name, true
		} else if len(targets) > 1 {
			c.Errorf("target %s is not a directory", command.Quote(name))
			return 1
		}
	}
	ok := true
	for _, target := range targets {
		link := name
		if inDir {
			link = join(dir, baseName(target))
			if dir == "." {
				link = "./" + baseName(target)
			}
		}
		if err := makeLink(c, target, link); err != nil {
			kind := "hard"
			if c.Has("symbolic") {
				kind = "symbolic"
			}
			shown := command.Quote(link)
			if kind == "hard" {
				shown += " => " + command.Quote(target)
				if _, err := c.Lstat(target); err != nil {
					c.Errorf("failed to access %s: %s", command.Quote(target), command.Text(err))
					ok = false
					continue
				}
			}
			c.Errorf("failed to create %s link %s: %s", kind, shown, command.Text(err))
			ok = false
		} else if c.Has("verbose") {
			arrow := "=>"
			if c.Has("symbolic") {
				arrow = "->"
			}
			fmt.Fprintf(c.Stdout, "%s %s %s\n", command.Quote(link), arrow, command.Quote(target))
		}
	}
	return command.Status(ok)
}

func makeLink(c *command.Context, target, link string) error {
	if c.Has("force") {
		if info, err := c.Lstat(link); err == nil && !info.IsDir() {
			if err := c.Remove(link); err != nil {
				return err
			}
		}
	}
	if !c.Has("symbolic") {
		return c.Link(target, link)
	}
	if c.Has("relative") {
		target = relative(c.Path(dirName(link)), c.Path(target))
	}
	return c.Symlink(target, link)
}

// relative returns a path as it is seen from a directory.
func relative(from, to string) string {
	a, b := strings.Split(strings.Trim(from, "/"), "/"), strings.Split(strings.Trim(to, "/"), "/")
	if from == "/" {
		a = nil
	}
	if to == "/" {
		b = nil
	}
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	parts := append(strings.Split(strings.Repeat("../", len(a)-i), "/")[:len(a)-i], b[i:]...)
	if len(parts) == 0 {
		return "."
	}
	return strings.Join(parts, "/")
}

// resolve returns the path of a file without links. How much of it must be there is "existing" (all), "missing"
// (nothing) or "" (all but the last part).
func resolve(c *command.Context, name, mode string) (string, error) {
	if name == "" {
		_, err := c.Stat(name)
		return "", err
	}
	full := name
	if !strings.HasPrefix(full, "/") {
		full = c.Dir + "/" + full
	}
	parts := strings.Split(full, "/")
	done := "/"
	for links := 0; len(parts) > 0; {
		part := parts[0]
		parts = parts[1:]
		if part == "" || part == "." {
			continue
		}
		if part == ".." {
			done = path.Dir(done)
			continue
		}
		next := path.Join(done, part)
		info, err := c.Lstat(next)
		if err != nil {
			last := strings.Trim(strings.Join(parts, ""), "/.") == ""
			if mode == "missing" || mode == "" && last && command.Text(err) == "No such file or directory" {
				done = next
				continue
			}
			return "", err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			target, err := c.Readlink(next)
			if err != nil {
				return "", err
			}
			if links++; links > 40 {
				return "", syscall.ELOOP
			}
			if strings.HasPrefix(target, "/") {
				done = "/"
			}
			parts = append(strings.Split(target, "/"), parts...)
			continue
		}
		if !info.IsDir() && len(parts) > 0 && mode != "missing" {
			_, err := c.Stat(next + "/")
			return "", err
		}
		done = next
	}
	return done, nil
}

var realpath = &command.Command{
	Name:     "realpath",
	Operands: "[OPTION]... FILE...",
	Summary:  "Print the resolved absolute file name; all but the last component must exist.",
	Options: []command.Option{
		{Short: 'e', Long: "canonicalize-existing", Help: "all components of the path must exist"},
		{Short: 'm', Long: "canonicalize-missing", Help: "no path components need exist or be a directory"},
		{Short: 'L', Long: "logical"}, {Short: 'P', Long: "physical"},
		{Short: 'q', Long: "quiet", Help: "suppress most error messages"},
		{Long: "relative-to", Arg: "DIR", Help: "print the resolved path relative to DIR"},
		{Long: "relative-base", Arg: "DIR", Help: "print absolute paths unless paths below DIR"},
		{Short: 's', Long: "strip", Help: "don't expand symlinks"}, {Long: "no-symlinks"},
		{Short: 'z', Long: "zero", Help: "end each output line with NUL, not newline"},
	},
	Run: runRealpath,
}

func runRealpath(c *command.Context) int {
	if len(c.Args) == 0 {
		return c.Missing()
	}
	mode := map[string]string{"canonicalize-existing": "existing",
		"canonicalize-missing": "missing"}[c.Last("canonicalize-existing", "canonicalize-missing")]
	ok := true
	for _, name := range c.Args {
		full, err := resolve(c, name, mode)
		if err == nil && (c.Has("strip") || c.Has("no-symlinks")) {
			full = c.Path(name)
		}
		if err != nil {
			if !c.Has("quiet") {
				c.FileError(name, err)
			}
			ok = false
			continue
		}
		if base, given := c.Value("relative-to"); given {
			base, _ = resolve(c, base, "missing")
			full = relative(base, full)
		} else if base, given := c.Value("relative-base"); given {
			base, _ = resolve(c, base, "missing")
			if full == base || strings.HasPrefix(full, strings.TrimRight(base, "/")+"/") {
				full = relative(base, full)
			}
		}
		_, _ = fmt.Fprint(c.Stdout, full+lineEnd(c))
	}
	return command.Status(ok)
}

var readlink = &command.Command{
	Name:     "readlink",
	Operands: "[OPTION]... FILE...",
	Summary:  "Print value of a symbolic link or canonical file name.",
	Options: []command.Option{
		{Short: 'f', Long: "canonicalize", Help: "follow every symlink in every component of the given name\n" +
			"recursively; all but the last component must exist"},
		{Short: 'e', Long: "canonicalize-existing", Help: "the same; all components must exist"},
		{Short: 'm', Long: "canonicalize-missing", Help: "the same, without requirements on components existence"},
		{Short: 'n', Long: "no-newline", Help: "do not output the trailing delimiter"},
		{Short: 'q', Long: "quiet"}, {Short: 's', Long: "silent"},
		{Short: 'v', Long: "verbose", Help: "report error messages"},
		{Short: 'z', Long: "zero", Help: "end each output line with NUL, not newline"},
	},
	Run: runReadlink,
}

func runReadlink(c *command.Context) int {
	if len(c.Args) == 0 {
		return c.Missing()
	}
	ok := true
	for _, name := range c.Args {
		var value string
		var err error
		switch c.Last("canonicalize", "canonicalize-existing", "canonicalize-missing") {
		case "canonicalize":
			value, err = resolve(c, name, "")
		case "canonicalize-existing":
			value, err = resolve(c, name, "existing")
		case "canonicalize-missing":
			value, err = resolve(c, name, "missing")
		default:
			value, err = c.Readlink(name)
		}
		if err != nil {
			if c.Has("verbose") {
				c.FileError(name, err)
			}
			ok = false
			continue
		}
		if !c.Has("no-newline") || len(c.Args) > 1 {
			value += lineEnd(c)
		}
		_, _ = fmt.Fprint(c.Stdout, value)
	}
	return command.Status(ok)
}
