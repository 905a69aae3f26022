package files

import (
	"fmt"
	"io/fs"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var rm = &command.Command{
	Name:     "rm",
	Operands: "[OPTION]... [FILE]...",
	Summary:  "Remove (unlink) the FILE(s).",
	Options: []command.Option{
		{Short: 'f', Long: "force", Help: "ignore nonexistent files and arguments, never prompt"},
		{Short: 'i', Help: "prompt before every removal: the answer is read from standard input"},
		{Short: 'I', Help: "(ignored)"},
		{Long: "interactive", Arg: "WHEN", Optional: true},
		{Long: "one-file-system"}, {Long: "no-preserve-root"}, {Long: "preserve-root", Arg: "all", Optional: true},
		{Short: 'r', Long: "recursive", Help: "remove directories and their contents recursively"},
		{Short: 'R', Help: "the same as -r"},
		{Short: 'd', Long: "dir", Help: "remove empty directories"},
		{Short: 'v', Long: "verbose", Help: "explain what is being done"},
	},
	Run: runRm,
}

func runRm(c *command.Context) int {
	r := remover{c: c, force: c.Last("force", "i") == "force", ask: c.Last("force", "i") == "i", ok: true,
		deep: c.Has("recursive") || c.Has("R"), dirs: c.Has("dir"), verbose: c.Has("verbose")}
	if len(c.Args) == 0 && !r.force {
		return c.Missing()
	}
	for _, name := range c.Args {
		base := baseName(name)
		switch {
		case base == "." || base == "..":
			c.Errorf("refusing to remove '.' or '..' directory: skipping %s", command.Quote(name))
			r.ok = false
		case c.Path(name) == "/" && r.deep && !c.Has("no-preserve-root"):
			c.Errorf("it is dangerous to operate recursively on %s", command.Quote(name))
			c.Errorf("use --no-preserve-root to override this failsafe")
			r.ok = false
		default:
			r.remove(name)
		}
	}
	return command.Status(r.ok)
}

type remover struct {
	c                                   *command.Context
	force, ask, deep, dirs, verbose, ok bool
}

func (r *remover) fail(name string, text string) {
	r.c.Errorf("cannot remove %s: %s", command.Quote(name), text)
	r.ok = false
}

func (r *remover) remove(name string) bool {
	info, err := r.c.Lstat(name)
	if err != nil {
		if text := command.Text(err); !r.force || text != "No such file or directory" && text != "Not a directory" {
			r.fail(name, text)
			return false
		}
		return true
	}
	if info.IsDir() {
		return r.removeDir(name)
	}
	if r.ask && !r.confirm(info, name) {
		return false
	}
	if err := r.c.Remove(name); err != nil {
		r.fail(name, command.Text(err))
		return false
	}
	if r.verbose {
		fmt.Fprintf(r.c.Stdout, "removed %s\n", command.Quote(name))
	}
	return true
}

func (r *remover) confirm(info fs.FileInfo, name string) bool {
	kind := "regular file"
	if info.IsDir() {
		kind = "directory"
	} else if info.Size() == 0 {
		kind = "regular empty file"
	}
	fmt.Fprintf(r.c.Stderr, "rm: remove %s %s? ", kind, command.Quote(name))
	return confirmed(r.c)
}

// confirmed reads a line, and says whether it begins with a y.
func confirmed(c *command.Context) bool {
	var answer []byte
	for one := make([]byte, 1); ; {
		n, err := c.Stdin.Read(one)
		if n == 1 && one[0] != '\n' {
			answer = append(answer, one[0])
		}
		if err != nil || n == 1 && one[0] == '\n' {
			break
		}
	}
	return len(answer) > 0 && (answer[0] == 'y' || answer[0] == 'Y')
}

func (r *remover) removeDir(name string) bool {
	if !r.deep && !r.dirs {
		r.fail(name, "Is a directory")
		return false
	}
	if r.deep {
		entries, err := r.c.ReadDir(name)
		if err != nil {
			r.fail(name, command.Text(err))
			return false
		}
		all := true
		for _, entry := range entries {
			all = r.remove(name+"/"+entry.Name()) && all
		}
		if !all {
			return false
		}
	}
	if r.ask {
		info, err := r.c.Lstat(name)
		if err == nil && !r.confirm(info, name) {
			return false
		}
	}
	if err := r.c.Rmdir(name); err != nil {
		r.fail(name, command.Text(err))
		return false
	}
	if r.verbose {
		fmt.Fprintf(r.c.Stdout, "removed directory %s\n", command.Quote(name))
	}
	return true
}
