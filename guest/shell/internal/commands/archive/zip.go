package archive

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
	"github.com/toolrun/toolrun/guest/shell/internal/patterns"
)

var zipCommand = &command.Command{
	Name:     "zip",
	Operands: "[OPTION]... ZIPFILE [FILE]...",
	Summary:  "Put files into a zip archive, or replace those that it has.",
	Options:  zipOptions,
	Notes:    "Archives are written whole: there are no split archives and no encryption.",
	Trouble:  16, Raw: true, Run: runZip,
}

var zipOptions = []command.Option{
	{Short: 'r', Long: "recurse-paths", Help: "recurse into directories"},
	{Short: 'j', Long: "junk-paths", Help: "junk (don't record) directory names"},
	{Short: 'q', Long: "quiet", Help: "quiet operation"},
	{Short: 'v', Long: "verbose"},
	{Short: 'd', Long: "delete", Help: "delete entries in the archive"},
	{Short: 'u', Long: "update", Help: "only changed or new files"},
	{Short: 'f', Long: "freshen", Help: "only changed files that the archive has"},
	{Short: 'm', Long: "move", Help: "delete the files after adding them"},
	{Short: 'x', Long: "exclude", Arg: "PATTERN...", Help: "exclude names, up to the next option"},
	{Short: 'i', Long: "include", Arg: "PATTERN...", Help: "include only names, up to the next option"},
	{Short: 'D', Long: "no-dir-entries", Help: "do not add directory entries"},
	{Short: 'X', Long: "no-extra"},
	{Short: 'y', Long: "symlinks"},
	{Short: 'o', Long: "latest-time"},
	{Short: 'T', Long: "test"},
	{Short: '@', Help: "read names from standard input"},
	{Short: '0', Help: "store only; -1 to -9 choose a level"},
}

type zipRun struct {
	c                             *command.Context
	name                          string
	level                         int
	recurse, junk, quiet, noDirs  bool
	remove, update, freshen, move bool
	stdin                         bool
	excluded, included            []string
	old                           map[string]*zip.File
	order                         []string
	added                         []zipEntry
	taken                         map[string]bool
	missing                       bool
}

// A zipEntry is a file that goes into an archive.
type zipEntry struct {
	name, file string
	dir        bool
	modified   time.Time
}

func runZip(c *command.Context) int {
	z := &zipRun{c: c, level: 6, old: map[string]*zip.File{}, taken: map[string]bool{}}
	names, status := z.options(c.Args)
	if status != 0 {
		return status
	}
	if z.name == "" {
		c.Run(command.Call{Args: []string{c.Name, "--help"}})
		return 0
	}
	target := z.name
	if target != "-" && !strings.Contains(target[strings.LastIndexByte(target, '/')+1:], ".") {
		target += ".zip"
	}
	if z.stdin {
		lines, _ := command.ReadLines(c.Stdin, '\n')
		names = append(names, lines...)
	}
	var data []byte
	if target != "-" {
		if old, err := c.ReadFile(target); err == nil {
			data = old
			r, err := zip.NewReader(bytes.NewReader(old), int64(len(old)))
			if err != nil {
				fmt.Fprintf(c.Stdout, "\nzip error: Zip file structure invalid (%s)\n", target)
				return 3
			}
			for _, f := range r.File {
				z.old[f.Name] = f
				z.order = append(z.order, f.Name)
			}
		}
	}
	if z.remove {
		return z.delete(target, names)
	}
	for _, name := range names {
		z.collect(strings.TrimSuffix(name, "/"), true)
	}
	if z.freshen && len(names) == 0 {
		for _, name := range z.order {
			z.collect(name, true)
		}
	}
	if len(z.added) == 0 {
		if (z.update || z.freshen) && data != nil {
			return 12
		}
		fmt.Fprintf(c.Stdout, "\nzip error: Nothing to do! (%s)\n", target)
		return 12
	}
	if status := z.write(target); status != 0 {
		return status
	}
	if z.move {
		for i := len(z.added) - 1; i >= 0; i-- {
			_ = c.Remove(z.added[i].file)
		}
	}
	if z.missing {
		return 18
	}
	return 0
}

// options reads the options, of which lists go up to the next option.
func (z *zipRun) options(args []string) (names []string, status int) {
	c := z.c
	list := func() []string {
		var found []string
		for len(args) > 0 && (args[0] == "-" || !strings.HasPrefix(args[0], "-")) {
			if args[0] == "@" {
				args = args[1:]
				break
			}
			found = append(found, args[0])
			args = args[1:]
		}
		return found
	}
	plain := false
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if plain || arg == "-" || !strings.HasPrefix(arg, "-") {
			if z.name == "" {
				z.name = arg
			} else {
				names = append(names, arg)
			}
			continue
		}
		if arg == "--" {
			plain = true
			continue
		}
		letters := arg[1:]
		if long, ok := strings.CutPrefix(arg, "--"); ok {
			letters = ""
			for _, o := range zipOptions {
				if o.Long == long {
					letters = string(o.Short)
				}
			}
			if long == "help" {
				letters = "h"
			}
			if letters == "" {
				fmt.Fprintf(c.Stdout, "\nzip error: Invalid command arguments (long option '%s' not supported)\n", long)
				return nil, 16
			}
		}
		for i := 0; i < len(letters); i++ {
			switch letter := letters[i]; letter {
			case 'r', 'R':
				z.recurse = true
			case 'j':
				z.junk = true
			case 'q':
				z.quiet = true
			case 'd':
				z.remove = true
			case 'u':
				z.update = true
			case 'f':
				z.freshen = true
			case 'm':
				z.move = true
			case 'D':
				z.noDirs = true
			case '@':
				z.stdin = true
			case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
				z.level = int(letter - '0')
			case 'v', 'X', 'y', 'o', 'T', 'S', 'k', 'l':
			case 'h':
				z.name = ""
				return nil, 0
			case 'x', 'i':
				var patterns []string
				if i+1 < len(letters) {
					patterns = []string{letters[i+1:]}
					i = len(letters)
				} else {
					patterns = list()
				}
				if letter == 'x' {
					z.excluded = append(z.excluded, patterns...)
				} else {
					z.included = append(z.included, patterns...)
				}
			default:
				fmt.Fprintf(c.Stdout, "\nzip error: Invalid command arguments (short option '%c' not supported)\n",
					letter)
				return nil, 16
			}
		}
	}
	return names, 0
}

func matchAny(list []string, name string) bool {
	for _, p := range list {
		if patterns.Match(p, name) {
			return true
		}
	}
	return false
}

// collect finds the files that a name stands for.
func (z *zipRun) collect(name string, given bool) {
	c := z.c
	if z.c.Path(name) == z.c.Path(z.name) {
		return
	}
	info, err := c.Stat(name)
	if err != nil {
		if !z.freshen {
			fmt.Fprintf(c.Stdout, "\tzip warning: name not matched: %s\n", name)
			z.missing = z.missing || given
		}
		return
	}
	entry := strings.TrimLeft(name, "/")
	for strings.HasPrefix(entry, "./") {
		entry = strings.TrimLeft(entry[2:], "/")
	}
	if z.junk {
		entry = entry[strings.LastIndexByte(entry, '/')+1:]
	}
	e := zipEntry{name: entry, file: name, modified: info.ModTime()}
	if info.IsDir() {
		e.dir = true
		e.name += "/"
		if !z.noDirs && !z.junk && entry != "." && entry != "" && entry != ".." {
			z.take(e)
		}
		if !z.recurse {
			return
		}
		entries, err := c.ReadDir(name)
		if err != nil {
			fmt.Fprintf(c.Stdout, "\tzip warning: could not open for reading: %s\n", name)
			return
		}
		for _, inner := range entries {
			z.collect(strings.TrimSuffix(name, "/")+"/"+inner.Name(), false)
		}
		return
	}
	z.take(e)
}

func (z *zipRun) take(e zipEntry) {
	if matchAny(z.excluded, e.name) || len(z.included) > 0 && !matchAny(z.included, e.name) || z.taken[e.name] {
		return
	}
	old := z.old[e.name]
	if z.freshen && old == nil || (z.freshen || z.update) && old != nil &&
		!e.modified.After(old.Modified.Add(2*time.Second)) {
		return
	}
	z.taken[e.name] = true
	z.added = append(z.added, e)
}

func (z *zipRun) say(format string, args ...any) {
	if !z.quiet && z.name != "-" {
		fmt.Fprintf(z.c.Stdout, format, args...)
	}
}

// write writes the archive: the files that it had, in their places, and then the new ones.
func (z *zipRun) write(target string) int {
	var b bytes.Buffer
	var out io.Writer = &b
	if target == "-" {
		out = bufio.NewWriter(z.c.Stdout)
	}
	w := zip.NewWriter(out)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, z.level)
	})
	fresh := map[string]zipEntry{}
	for _, e := range z.added {
		fresh[e.name] = e
	}
	for _, name := range z.order {
		if e, ok := fresh[name]; ok {
			if !z.add(w, e, "updating") {
				return 18
			}
			continue
		}
		if err := w.Copy(z.old[name]); err != nil {
			fmt.Fprintf(z.c.Stdout, "\nzip error: Zip file structure invalid (%s)\n", target)
			return 3
		}
	}
	for _, e := range z.added {
		if z.old[e.name] == nil && !z.add(w, e, "  adding") {
			return 18
		}
	}
	if err := w.Close(); err != nil {
		return z.cannotWrite(target, err)
	}
	if target == "-" {
		_ = out.(*bufio.Writer).Flush()
		return 0
	}
	if err := z.c.WriteFile(target, b.Bytes()); err != nil {
		return z.cannotWrite(target, err)
	}
	return 0
}

func (z *zipRun) cannotWrite(target string, err error) int {
	fmt.Fprintf(z.c.Stdout, "\nzip I/O error: %s\nzip error: Could not create output file (%s)\n", command.Text(err),
		target)
	return 15
}

// add adds a file.
func (z *zipRun) add(w *zip.Writer, e zipEntry, what string) bool {
	h := &zip.FileHeader{Name: e.name, Modified: e.modified}
	h.SetMode(0o644)
	var packed []byte
	var size int
	percent := 0
	if e.dir {
		h.SetMode(0o755 | 1<<31)
		h.Method = zip.Store
	} else {
		data, err := z.c.ReadFile(e.file)
		if err != nil {
			fmt.Fprintf(z.c.Stdout, "\tzip warning: could not open for reading: %s\n", e.file)
			z.missing = true
			return true
		}
		if info, err := z.c.Stat(e.file); err == nil {
			h.SetMode(info.Mode().Perm())
		}
		size, packed = len(data), data
		if z.level > 0 && size > 0 {
			var b bytes.Buffer
			f, err := flate.NewWriter(&b, z.level)
			if err != nil {
				return false
			}
			_, _ = f.Write(data)
			_ = f.Close()
			if b.Len() < size {
				h.Method = zip.Deflate
				percent = int(100*float64(size-b.Len())/float64(size) + 0.5)
			}
		}
	}
	out, err := w.CreateHeader(h)
	if err == nil {
		_, err = out.Write(packed)
	}
	if err != nil {
		z.cannotWrite(z.name, err)
		return false
	}
	how := "stored"
	if h.Method == zip.Deflate {
		how = "deflated"
	}
	z.say("%s: %s (%s %d%%)\n", what, e.name, how, percent)
	return true
}

// delete removes entries.
func (z *zipRun) delete(target string, patterns []string) int {
	if len(z.order) == 0 {
		fmt.Fprintf(z.c.Stdout, "\nzip error: Nothing to do! (%s)\n", target)
		return 12
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	left, gone := 0, 0
	for _, name := range z.order {
		if matchAny(patterns, name) {
			z.say("deleting: %s\n", name)
			gone++
			continue
		}
		if err := w.Copy(z.old[name]); err != nil {
			return z.cannotWrite(target, err)
		}
		left++
	}
	if gone == 0 {
		fmt.Fprintf(z.c.Stdout, "\tzip warning: name not matched: %s\n", strings.Join(patterns, " "))
		fmt.Fprintf(z.c.Stdout, "\nzip error: Nothing to do! (%s)\n", target)
		return 12
	}
	if err := w.Close(); err != nil {
		return z.cannotWrite(target, err)
	}
	if left == 0 {
		fmt.Fprintln(z.c.Stdout, "\tzip warning: zip file empty")
		_ = z.c.Remove(target)
		return 0
	}
	if err := z.c.WriteFile(target, b.Bytes()); err != nil {
		return z.cannotWrite(target, err)
	}
	return 0
}
