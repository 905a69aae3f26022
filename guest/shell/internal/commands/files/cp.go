package files

import (
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var cp = &command.Command{
	Name: "cp",
	Operands: "[OPTION]... [-T] SOURCE DEST\n  or:  cp [OPTION]... SOURCE... DIRECTORY\n" +
		"  or:  cp [OPTION]... -t DIRECTORY SOURCE...",
	Summary: "Copy SOURCE to DEST, or multiple SOURCE(s) to DIRECTORY.",
	Options: append([]command.Option{
		{Short: 'a', Long: "archive", Help: "same as -dR --preserve=all"},
		{Short: 'd', Help: "same as --no-dereference --preserve=links"},
		{Short: 'H'}, {Short: 'L', Long: "dereference"}, {Short: 'P', Long: "no-dereference"}, {Short: 'l',
			Long: "link"},
		{Short: 'p', Help: "same as --preserve=mode,ownership,timestamps"},
		{Long: "preserve", Arg: "ATTR_LIST", Optional: true, Help: "preserve the specified attributes"},
		{Long: "no-preserve", Arg: "ATTR_LIST"}, {Long: "parents", Help: "use full source file name under DIRECTORY"},
		{Short: 'R', Long: "recursive", Help: "copy directories recursively"},
		{Short: 'r', Help: "the same as -R"},
		{Long: "reflink", Arg: "WHEN", Optional: true}, {Long: "sparse", Arg: "WHEN"}, {Short: 's',
			Long: "symbolic-link"},
		{Short: 'x', Long: "one-file-system"},
	}, placing...),
	Run: func(c *command.Context) int {
		p := newPlacer(c)
		p.deep = c.Has("recursive") || c.Has("r") || c.Has("archive")
		p.times = c.Has("archive") || c.Has("p") || c.Has("preserve")
		p.links = c.Has("archive") || c.Has("d") || c.Has("no-dereference") || p.deep && !c.Has("dereference")
		return p.all(p.copy)
	},
}

var mv = &command.Command{
	Name: "mv",
	Operands: "[OPTION]... [-T] SOURCE DEST\n  or:  mv [OPTION]... SOURCE... DIRECTORY\n" +
		"  or:  mv [OPTION]... -t DIRECTORY SOURCE...",
	Summary: "Rename SOURCE to DEST, or move SOURCE(s) to DIRECTORY.",
	Options: placing,
	Run: func(c *command.Context) int {
		p := newPlacer(c)
		return p.all(p.move)
	},
}

// placing are the options that cp and mv have in common.
var placing = []command.Option{
	{Short: 'b', Long: "backup", Arg: "CONTROL", Optional: true,
		Help: "make a backup of each existing destination file"},
	{Short: 'f', Long: "force", Help: "do not prompt before overwriting"},
	{Short: 'i', Long: "interactive", Help: "prompt before overwrite: the answer is read from standard input"},
	{Short: 'n', Long: "no-clobber", Help: "do not overwrite an existing file"},
	{Short: 'S', Long: "suffix", Arg: "SUFFIX", Help: "override the usual backup suffix"},
	{Short: 't', Long: "target-directory", Arg: "DIRECTORY", Help: "put all SOURCE arguments into DIRECTORY"},
	{Short: 'T', Long: "no-target-directory", Help: "treat DEST as a normal file"},
	{Short: 'u', Long: "update", Arg: "UPDATE", Optional: true, Help: "replace only files that are older"},
	{Short: 'v', Long: "verbose", Help: "explain what is being done"},
	{Long: "strip-trailing-slashes"},
}

// A placer copies or moves files.
type placer struct {
	c                  *command.Context
	deep, times, links bool
	ok                 bool
	suffix             string // of backups, or ""
	done               map[string]bool
}

func newPlacer(c *command.Context) *placer {
	p := &placer{c: c, ok: true, done: map[string]bool{}}
	if suffix, ok := c.Value("suffix"); ok {
		p.suffix = suffix
	} else if c.Has("backup") {
		p.suffix = "~"
	}
	return p
}

func (p *placer) fail(format string, args ...any) {
	p.c.Errorf(format, args...)
	p.ok = false
}

// all does what is to be done with each source.
func (p *placer) all(do func(from, to string)) int {
	c := p.c
	sources := c.Args
	target, isTarget := c.Value("target-directory")
	switch {
	case len(sources) == 0:
		return c.Usage("missing file operand")
	case isTarget:
		if info, err := c.Stat(target); err != nil || !info.IsDir() {
			text := "Not a directory"
			if err != nil {
				text = command.Text(err)
			}
			c.Errorf("target directory %s: %s", command.Quote(target), text)
			return 1
		}
	case len(sources) == 1:
		return c.Usage("missing destination file operand after %s", command.Quote(sources[0]))
	default:
		target, sources = sources[len(sources)-1], sources[:len(sources)-1]
	}
	info, err := c.Stat(target)
	into := isTarget || err == nil && info.IsDir() && !c.Has("no-target-directory")
	if len(sources) > 1 && c.Has("no-target-directory") {
		return c.Usage("extra operand %s", command.Quote(c.Args[2]))
	}
	if len(sources) > 1 && !into {
		text := "Not a directory"
		if err != nil {
			text = command.Text(err)
		}
		c.Errorf("target %s: %s", command.Quote(target), text)
		return 1
	}
	for _, source := range sources {
		to := target
		if into {
			if c.Has("parents") {
				to = join(target, strings.TrimLeft(source, "/"))
				if err := c.MkdirAll(dirName(to), 0o777); err != nil {
					p.fail("cannot make directory %s: %s", command.Quote(dirName(to)), command.Text(err))
					continue
				}
			} else {
				to = join(target, baseName(source))
				if baseName(source) == ".." || baseName(source) == "." {
					to = join(target, ".")
				}
			}
			if p.done[c.Path(to)] {
				p.fail("will not overwrite just-created %s with %s", command.Quote(to), command.Quote(source))
				continue
			}
			p.done[c.Path(to)] = len(sources) > 1
		}
		do(source, to)
	}
	return command.Status(p.ok)
}

func join(dir, name string) string { return strings.TrimRight(dir, "/") + "/" + name }

// overwrite says whether what is at a path may be overwritten, and makes its backup.
func (p *placer) overwrite(from fs.FileInfo, to string) bool {
	old, err := p.c.Lstat(to)
	if err != nil {
		return true
	}
	switch p.c.Last("interactive", "no-clobber", "force") {
	case "no-clobber":
		return false
	case "interactive":
		fmt.Fprintf(p.c.Stderr, "%s: overwrite %s? ", p.c.Name, command.Quote(to))
		if !confirmed(p.c) {
			return false
		}
	}
	if update, ok := p.c.Value("update"); ok {
		if update == "none" || update != "all" && !from.ModTime().After(old.ModTime()) {
			return false
		}
	}
	if p.suffix != "" && !old.IsDir() {
		if err := p.c.Rename(to, to+p.suffix); err != nil {
			p.fail("cannot backup %s: %s", command.Quote(to), command.Text(err))
			return false
		}
	}
	return true
}

func (p *placer) said(format, from, to string) {
	if p.c.Has("verbose") {
		fmt.Fprintf(p.c.Stdout, format, command.Quote(from), command.Quote(to))
	}
}

// copy copies a file or directory.
func (p *placer) copy(from, to string) {
	c := p.c
	stat := c.Stat
	if p.links {
		stat = c.Lstat
	}
	info, err := stat(from)
	if err != nil {
		p.fail("cannot stat %s: %s", command.Quote(from), command.Text(err))
		return
	}
	if info.IsDir() {
		p.copyDir(from, to, info)
		return
	}
	old, err := c.Stat(to)
	if err != nil && strings.HasSuffix(to, "/") {
		p.fail("cannot create regular file %s: Not a directory", command.Quote(to))
		return
	}
	if err == nil {
		switch {
		case old.IsDir():
			p.fail("cannot overwrite directory %s with non-directory", command.Quote(to))
			return
		case c.Same(from, to):
			p.fail("%s and %s are the same file", command.Quote(from), command.Quote(to))
			return
		}
	}
	if !p.overwrite(info, to) {
		return
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := c.Readlink(from)
		if err == nil {
			_ = c.Remove(to)
			err = c.Symlink(target, to)
		}
		if err != nil {
			p.fail("cannot create symbolic link %s: %s", command.Quote(to), command.Text(err))
			return
		}
	case c.Has("link"):
		if err := c.Link(from, to); err != nil {
			p.fail("cannot create hard link %s to %s: %s", command.Quote(to), command.Quote(from), command.Text(err))
			return
		}
	default:
		if !p.content(from, to, info) {
			return
		}
	}
	p.said("%s -> %s\n", from, to)
}

// content copies what is in a file.
func (p *placer) content(from, to string, info fs.FileInfo) bool {
	in, err := p.c.Open(from)
	if err != nil {
		p.fail("cannot open %s for reading: %s", command.Quote(from), command.Text(err))
		return false
	}
	defer in.Close()
	out, err := p.c.Create(to)
	if err != nil {
		p.fail("cannot create regular file %s: %s", command.Quote(to), command.Text(err))
		return false
	}
	_, err = io.Copy(struct{ io.Writer }{out}, struct{ io.Reader }{in})
	if closing := out.Close(); err == nil {
		err = closing
	}
	if err != nil {
		p.fail("error writing %s: %s", command.Quote(to), command.Text(err))
		return false
	}
	_ = p.c.Chmod(to, info.Mode().Perm())
	if p.times {
		_ = p.c.Chtimes(to, info.ModTime(), info.ModTime())
	}
	return true
}

func (p *placer) copyDir(from, to string, info fs.FileInfo) {
	c := p.c
	if !p.deep {
		p.fail("-r not specified; omitting directory %s", command.Quote(from))
		return
	}
	inside := strings.TrimRight(c.Path(from), "/") + "/"
	if strings.HasPrefix(c.Path(to)+"/", inside) {
		if c.Path(to) == c.Path(from) {
			p.fail("cannot copy a directory, %s, into itself, %s", command.Quote(from), command.Quote(to))
			return
		}
		p.fail("cannot copy a directory, %s, into itself, %s", command.Quote(strings.TrimRight(from, "/")),
			command.Quote(to))
		return
	}
	old, err := c.Stat(to)
	switch {
	case err == nil && !old.IsDir():
		p.fail("cannot overwrite non-directory %s with directory %s", command.Quote(to), command.Quote(from))
		return
	case err != nil:
		if err := c.Mkdir(to, 0o777); err != nil {
			p.fail("cannot create directory %s: %s", command.Quote(to), command.Text(err))
			return
		}
		p.said("%s -> %s\n", from, to)
	}
	entries, err := c.ReadDir(from)
	if err != nil {
		p.fail("cannot access %s: %s", command.Quote(from), command.Text(err))
		return
	}
	for _, entry := range entries {
		p.copy(join(from, entry.Name()), join(to, entry.Name()))
	}
	if p.times {
		_ = c.Chtimes(to, info.ModTime(), info.ModTime())
	}
}

// move renames a file or directory.
func (p *placer) move(from, to string) {
	c := p.c
	info, err := c.Lstat(from)
	if err != nil {
		p.fail("cannot stat %s: %s", command.Quote(from), command.Text(err))
		return
	}
	old, missing := c.Lstat(to)
	switch {
	case missing == nil && c.Same(from, to):
		p.fail("%s and %s are the same file", command.Quote(from), command.Quote(to))
		return
	case info.IsDir() && strings.HasPrefix(c.Path(to)+"/", strings.TrimRight(c.Path(from), "/")+"/"):
		p.fail("cannot move %s to a subdirectory of itself, %s", command.Quote(from), command.Quote(to))
		return
	case missing == nil && old.IsDir() && !info.IsDir():
		p.fail("cannot overwrite directory %s with non-directory", command.Quote(to))
		return
	case missing == nil && !old.IsDir() && info.IsDir():
		p.fail("cannot overwrite non-directory %s with directory %s", command.Quote(to), command.Quote(from))
		return
	}
	if !p.overwrite(info, to) {
		return
	}
	if missing == nil && old.IsDir() {
		// An empty directory gives way.
		if err := c.Rmdir(to); err != nil {
			p.fail("cannot move %s to %s: %s", command.Quote(from), command.Quote(to), command.Text(err))
			return
		}
	}
	if strings.HasSuffix(to, "/") && !info.IsDir() {
		p.fail("cannot move %s to %s: Not a directory", command.Quote(from), command.Quote(to))
		return
	}
	err = c.Rename(from, to)
	if command.Text(err) == "Invalid cross-device link" {
		// As between the project and /tmp.
		p.deep, p.times, p.links = true, true, true
		failed := !p.ok
		p.ok = true
		p.copyQuietly(from, to, info)
		if p.ok {
			r := remover{c: c, force: true, deep: true, ok: true}
			r.remove(from)
		}
		p.ok = p.ok && !failed
		err = nil
	}
	if err != nil {
		p.fail("cannot move %s to %s: %s", command.Quote(from), command.Quote(to), command.Text(err))
		return
	}
	p.said("renamed %s -> %s\n", from, to)
}

// copyQuietly copies for a move.
func (p *placer) copyQuietly(from, to string, info fs.FileInfo) {
	given := p.c.Given
	p.c.Given = nil
	defer func() { p.c.Given = given }()
	if info.IsDir() {
		p.copyDir(from, to, info)
		return
	}
	p.content(from, to, info)
}
