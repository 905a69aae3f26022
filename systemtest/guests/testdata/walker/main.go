// Walker tries out a file system from inside WASI and reports what it found, one line for each attempt. The argument
// says what it may expect: "writable", "readonly", "linked" or "closed".
package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	switch os.Args[1] {
	case "writable":
		inside()
		reading()
		writing()
		appending()
		truncating()
		directories()
		manyEntries()
		renaming()
		removing()
		times()
		refusals()
		outside()
		walk("everything", "/")
	case "readonly":
		reading()
		changes()
		walk("everything", "/")
	case "linked":
		links()
		walk("everything", "/")
	case "closed":
		closed()
	}
}

// names are what errors may be, in the order in which they are reported.
var names = []struct {
	err  error
	name string
}{
	{fs.ErrNotExist, "ErrNotExist"}, {fs.ErrExist, "ErrExist"}, {fs.ErrPermission, "ErrPermission"},
	{fs.ErrInvalid, "ErrInvalid"}, {fs.ErrClosed, "ErrClosed"}, {errors.ErrUnsupported, "ErrUnsupported"},
	{io.EOF, "EOF"},
	{syscall.ENOENT, "ENOENT"}, {syscall.EEXIST, "EEXIST"}, {syscall.ENOTEMPTY, "ENOTEMPTY"},
	{syscall.EISDIR, "EISDIR"},
	{syscall.ENOTDIR, "ENOTDIR"}, {syscall.EROFS, "EROFS"}, {syscall.EINVAL, "EINVAL"}, {syscall.EBADF, "EBADF"},
	{syscall.EPERM, "EPERM"}, {syscall.EACCES, "EACCES"}, {syscall.ENAMETOOLONG, "ENAMETOOLONG"}, {syscall.EIO, "EIO"},
	{syscall.ENOSYS, "ENOSYS"}, {syscall.ELOOP, "ELOOP"},
}

func nameOf(err error) string {
	if err == nil {
		return "ok"
	}
	var found []string
	for _, known := range names {
		if errors.Is(err, known.err) {
			found = append(found, known.name)
		}
	}
	if found == nil {
		return err.Error()
	}
	return strings.Join(found, " ")
}

func section(name string) { fmt.Printf("\n# %s\n", name) }

func report(what string, err error) { fmt.Printf("%s: %s\n", what, nameOf(err)) }

func value(what string, got any, err error) {
	if err != nil {
		report(what, err)
		return
	}
	fmt.Printf("%s: %v\n", what, got)
}

// must is for what other attempts build on.
func must(err error) {
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
}

func content(name string) string {
	b, err := os.ReadFile(name)
	if err != nil {
		return nameOf(err)
	}
	return string(b)
}

func open(name string, flag int) *os.File {
	f, err := os.OpenFile(name, flag, 0o644)
	must(err)
	return f
}

func inside() {
	section("inside")
	dir, err := os.Getwd()
	value("working directory", dir, err)
	for _, name := range []string{"/hello.txt", "hello.txt", "./hello.txt", "docs/../hello.txt", "docs/./a.md"} {
		fmt.Printf("%s: %s\n", name, content(name))
	}
}

func reading() {
	section("reading")
	info, err := os.Stat("/hello.txt")
	must(err)
	fmt.Println("stat:", info.Name(), info.Size(), info.Mode().Type(), info.ModTime().UTC().Format(time.RFC3339))
	same, err := os.Stat("/docs/../hello.txt")
	must(err)
	other, err := os.Stat("/docs/a.md")
	must(err)
	fmt.Println("the same file:", os.SameFile(info, same), os.SameFile(info, other))
	f := open("/hello.txt", os.O_RDONLY)
	info, err = f.Stat()
	must(err)
	fmt.Println("an open file is the same file:", os.SameFile(info, same))
	buf := make([]byte, 5)
	n, err := f.ReadAt(buf, 7)
	value("read at 7", string(buf[:n]), err)
	n, err = f.ReadAt(buf, 10)
	fmt.Printf("read at 10: %q %s\n", buf[:n], nameOf(err))
	_, err = f.ReadAt(buf, 1<<62)
	report("read far behind the end", err)
	_, err = f.ReadAt(buf, -1)
	fmt.Println("read before the beginning:", err != nil)
	n, err = f.Read(nil)
	value("read nothing", n, err)
	at, err := f.Seek(-5, io.SeekEnd)
	value("seek from the end", at, err)
	all, err := io.ReadAll(f)
	value("read the rest", string(all), err)
	_, err = f.Seek(-1, io.SeekStart)
	report("seek before the beginning", err)
	at, err = f.Seek(0, io.SeekCurrent)
	value("position", at, err)
	_, err = f.Write([]byte("x"))
	report("write to it", err)
	report("truncate it", f.Truncate(0))
	report("close", f.Close())
	_, err = f.Read(buf)
	report("read after that", err)
	_, err = os.ReadFile("/nothing")
	report("read what is not there", err)
	_, err = os.ReadFile("/hello.txt/x")
	report("read below a file", err)
	_, err = os.Stat("/hello.txt/")
	report("stat a file as a directory", err)
	_, err = os.ReadFile("/docs")
	report("read a directory", err)
	_, err = os.ReadDir("/hello.txt")
	report("list a file", err)
	_, err = os.Readlink("/hello.txt")
	report("read a file as a link", err)
}

func writing() {
	section("writing")
	must(os.Mkdir("/w", 0o755))
	report("write a file", os.WriteFile("/w/a", []byte("one two three"), 0o644))
	fmt.Println("content:", content("/w/a"))
	report("replace it", os.WriteFile("/w/a", []byte("four"), 0o644))
	fmt.Println("content:", content("/w/a"))

	f, err := os.Create("/w/a")
	must(err)
	fmt.Printf("while it is open: %q\n", content("/w/a"))
	n, err := f.WriteString("0123456789")
	value("write", n, err)
	fmt.Printf("before it is closed: %q\n", content("/w/a"))
	n, err = f.Write(nil)
	value("write nothing", n, err)
	n, err = f.WriteAt([]byte("ab"), 3)
	value("write at 3", n, err)
	_, err = f.Seek(1, io.SeekStart)
	must(err)
	_, err = f.WriteString("X")
	must(err)
	at, err := f.Seek(0, io.SeekCurrent)
	value("position", at, err)
	buf := make([]byte, 4)
	_, err = io.ReadFull(f, buf)
	value("read on", string(buf), err)
	_, err = f.WriteAt([]byte("end"), 12)
	report("write behind the end", err)
	report("sync", f.Sync())
	report("close", f.Close())
	report("close again", f.Close())
	fmt.Printf("content: %q\n", content("/w/a"))

	f = open("/w/a", os.O_WRONLY)
	_, err = f.Read(buf)
	report("read what is open for writing", err)
	_, err = f.WriteString("OVER")
	report("write over the beginning", err)
	must(f.Close())
	fmt.Printf("content: %q\n", content("/w/a"))

	_, err = os.OpenFile("/w/a", os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	report("make what is there", err)
	f = open("/w/new", os.O_RDWR|os.O_CREATE|os.O_EXCL)
	fmt.Printf("made: %q\n", content("/w/new"))
	must(f.Close())
	_, err = os.OpenFile("/w/none", os.O_RDWR, 0o644)
	report("write to what is not there", err)
	_, err = os.Create("/none/a")
	report("make a file where there is no directory", err)
	_, err = os.Create("/hello.txt/a")
	report("make a file below a file", err)
	_, err = os.OpenFile("/docs", os.O_RDWR, 0)
	report("open a directory for writing", err)
	_, err = os.Create("/docs")
	report("make a file of a directory", err)
	f, err = os.CreateTemp("/w", "temp-*.txt")
	must(err)
	report("remove a temporary file", errors.Join(f.Close(), os.Remove(f.Name())))
	f = open("/w/synced", os.O_WRONLY|os.O_CREATE|os.O_SYNC)
	_, err = f.WriteString("safe")
	report("write synchronously", errors.Join(err, f.Close()))
	big := strings.Repeat("0123456789abcdef", 1<<14)
	report("write a quarter of a megabyte", os.WriteFile("/w/big", []byte(big), 0o644))
	fmt.Println("read it:", content("/w/big") == big)
	must(os.Remove("/w/big"))
}

func appending() {
	section("appending")
	f := open("/w/log", os.O_WRONLY|os.O_CREATE|os.O_APPEND)
	_, err := f.WriteString("one\n")
	report("append", err)
	other := open("/w/log", os.O_WRONLY|os.O_APPEND)
	_, err = other.WriteString("two\n")
	report("append with another handle", err)
	_, err = f.WriteString("three\n")
	report("append with the first", err)
	at, err := f.Seek(0, io.SeekCurrent)
	value("position", at, err)
	_, err = f.Seek(0, io.SeekStart)
	must(err)
	_, err = f.WriteString("four\n")
	report("append after seeking", err)
	n, err := syscall.Pwrite(int(f.Fd()), []byte("ONE"), 0)
	value("write at 0", n, err)
	must(errors.Join(f.Close(), other.Close()))
	fmt.Printf("content: %q\n", content("/w/log"))

	f = open("/w/log", os.O_RDWR|os.O_APPEND|os.O_TRUNC)
	_, err = f.WriteString("anew")
	must(err)
	_, err = f.Seek(1, io.SeekStart)
	must(err)
	rest, err := io.ReadAll(f)
	value("read what is being appended to", string(rest), err)
	must(f.Close())
	fmt.Printf("content: %q\n", content("/w/log"))
}

func truncating() {
	section("truncating")
	must(os.WriteFile("/w/t", []byte("0123456789"), 0o644))
	report("shorten", os.Truncate("/w/t", 4))
	fmt.Printf("content: %q\n", content("/w/t"))
	f := open("/w/t", os.O_RDWR)
	report("lengthen", f.Truncate(6))
	info, err := f.Stat()
	must(err)
	fmt.Println("size:", info.Size())
	report("to less than nothing", f.Truncate(-1))
	must(f.Close())
	fmt.Printf("content: %q\n", content("/w/t"))
	report("what is not there", os.Truncate("/w/none", 0))
	report("a directory", os.Truncate("/w", 0))
}

func directories() {
	section("directories")
	report("make", os.Mkdir("/d", 0o755))
	report("make again", os.Mkdir("/d", 0o755))
	report("make below nothing", os.Mkdir("/none/d", 0o755))
	report("make below a file", os.Mkdir("/hello.txt/d", 0o755))
	report("make several", os.MkdirAll("/d/e/f/g", 0o755))
	report("make several below a file", os.MkdirAll("/hello.txt/d/e", 0o755))
	report("make the root", os.MkdirAll("/", 0o755))
	report("write into one", os.WriteFile("/d/e/f/g/file", []byte("deep"), 0o644))
	walk("walk", "/d")
	root, err := os.OpenRoot("/d")
	must(err)
	b, err := root.ReadFile("e/f/g/file")
	value("read from an open directory", string(b), err)
	f, err := root.Create("made")
	must(err)
	report("make a file in it", f.Close())
	report("remove it", root.Remove("made"))
	must(root.Close())
	dir := open("/d", os.O_RDONLY)
	_, err = dir.Read(make([]byte, 1))
	report("read a directory", err)
	must(dir.Close())
	dir = open("/", os.O_RDONLY)
	list, err := dir.Readdirnames(-1)
	slices.Sort(list)
	value("list the root", strings.Join(list, " "), err)
	list, err = dir.Readdirnames(-1)
	value("list on", len(list), err)
	_, err = dir.Readdirnames(1)
	report("and on", err)
	must(dir.Close())
}

func manyEntries() {
	section("many entries")
	must(os.Mkdir("/many", 0o755))
	for i := range 320 {
		name := fmt.Sprintf("/many/%03d-%s", i, strings.Repeat("n", i%150))
		must(os.WriteFile(name, []byte{byte(i)}, 0o644))
	}
	entries, err := os.ReadDir("/many")
	must(err)
	seen := map[string]bool{}
	for _, entry := range entries {
		seen[entry.Name()] = true
	}
	fmt.Println("listed:", len(entries), "of them different:", len(seen))
	dir := open("/many", os.O_RDONLY)
	seen = map[string]bool{}
	for {
		page, err := dir.Readdir(7)
		for _, info := range page {
			seen[info.Name()] = true
			must(os.Remove(filepath.Join("/many", info.Name())))
		}
		if err != nil {
			report("list by sevens and remove them", err)
			break
		}
	}
	must(dir.Close())
	fmt.Println("listed:", len(seen))
	entries, err = os.ReadDir("/many")
	value("left", len(entries), err)
	report("remove the directory", os.Remove("/many"))
}

func renaming() {
	section("renaming")
	must(os.Mkdir("/r", 0o755))
	must(os.WriteFile("/r/a", []byte("a"), 0o644))
	must(os.WriteFile("/r/b", []byte("b"), 0o644))
	must(os.MkdirAll("/r/full/x", 0o755))
	must(os.Mkdir("/r/empty", 0o755))
	report("a file to a new name", os.Rename("/r/a", "/r/c"))
	fmt.Println("content:", content("/r/a"), content("/r/c"))
	report("a file over a file", os.Rename("/r/c", "/r/b"))
	fmt.Println("content:", content("/r/c"), content("/r/b"))
	report("a file to itself", os.Rename("/r/b", "/r/b"))
	// Package os looks for itself whether a directory would be replaced.
	report("a file over a directory", syscall.Rename("/r/b", "/r/empty"))
	report("a directory over a file", syscall.Rename("/r/empty", "/r/b"))
	report("a directory over a full one", syscall.Rename("/r/empty", "/r/full"))
	report("a directory over an empty one", syscall.Rename("/r/full", "/r/empty"))
	report("a directory into itself", syscall.Rename("/r/empty", "/r/empty/x/y"))
	report("a directory over what it is in", syscall.Rename("/r/empty/x", "/r/empty"))
	report("a directory to itself", syscall.Rename("/r/empty", "/r/empty"))
	report("a directory to a new name", os.Rename("/r/empty", "/r/moved"))
	report("to where there is no directory", os.Rename("/r/b", "/none/b"))
	report("to below a file", os.Rename("/r/b", "/hello.txt/b"))
	report("what is not there", os.Rename("/r/none", "/r/x"))
	report("the root", syscall.Rename("/", "/r/x"))
	report("over the root", syscall.Rename("/r/b", "/"))
	walk("walk", "/r")
	must(os.RemoveAll("/r"))
}

func removing() {
	section("removing")
	must(os.MkdirAll("/x/y/z", 0o755))
	must(os.WriteFile("/x/y/file", nil, 0o644))
	report("a directory that is not empty", os.Remove("/x/y"))
	report("a file", os.Remove("/x/y/file"))
	report("it again", os.Remove("/x/y/file"))
	report("a directory", os.Remove("/x/y/z"))
	report("a directory as a file", syscall.Unlink("/x/y"))
	report("a file as a directory", syscall.Rmdir("/hello.txt"))
	report("a file by a directory's name", syscall.Unlink("/hello.txt/"))
	report("below a file", os.Remove("/hello.txt/x"))
	for _, dir := range []string{"/x/a", "/x/b/c", "/x/b/d"} {
		must(os.MkdirAll(dir, 0o755))
		for i := range 30 {
			must(os.WriteFile(fmt.Sprintf("%s/%d", dir, i), nil, 0o644))
		}
	}
	report("a tree", os.RemoveAll("/x"))
	report("it again", os.RemoveAll("/x"))
	_, err := os.Stat("/x")
	report("look for it", err)
	report("the root", os.Remove("/"))

	must(os.WriteFile("/w/open", []byte("still"), 0o644))
	f := open("/w/open", os.O_RDONLY)
	report("an open file", os.Remove("/w/open"))
	b, err := io.ReadAll(f)
	value("read it", string(b), err)
	must(f.Close())
}

func times() {
	section("times")
	must(os.WriteFile("/w/time", nil, 0o644))
	then := time.Date(2001, 2, 3, 4, 5, 6, 7000, time.UTC)
	report("set", os.Chtimes("/w/time", then, then))
	info, err := os.Stat("/w/time")
	must(err)
	fmt.Println("modified:", info.ModTime().UTC().Format(time.RFC3339Nano))
	report("set that of access alone", os.Chtimes("/w/time", time.Now(), time.Time{}))
	info, err = os.Stat("/w/time")
	must(err)
	fmt.Println("modified:", info.ModTime().UTC().Format(time.RFC3339Nano))
	report("set that of modification alone", os.Chtimes("/w/time", time.Time{}, then.AddDate(1, 0, 0)))
	info, err = os.Stat("/w/time")
	must(err)
	fmt.Println("modified:", info.ModTime().UTC().Format(time.RFC3339Nano))
	report("of what is not there", os.Chtimes("/w/none", then, then))
	report("of a directory", os.Chtimes("/w", then, then))
	must(os.WriteFile("/w/time", []byte("now"), 0o644))
	info, err = os.Stat("/w/time")
	must(err)
	fmt.Println("writing changes it:", time.Since(info.ModTime()) < time.Hour)
}

func refusals() {
	section("refusals")
	report("make a symbolic link", os.Symlink("/hello.txt", "/w/link"))
	report("make a link", os.Link("/hello.txt", "/w/link"))
	_, err := os.Lstat("/w/link")
	report("look for it", err)
	report("change permissions", os.Chmod("/hello.txt", 0o600))
	report("change the owner", os.Chown("/hello.txt", 1, 1))
	_, err = os.Create("/w/" + strings.Repeat("n", 300))
	report("a long name", err)
	_, err = os.Stat("")
	report("no name", err)
	_, err = os.Create("/w/a\x00b")
	report("a name with a zero in it", err)
}

// outside tries to get out. The project has an etc/passwd of its own, so that it can be told from the host's.
func outside() {
	section("outside")
	for _, name := range []string{"/etc/passwd", "../../etc/passwd", "/../../etc/passwd", "docs/../../../etc/passwd"} {
		fmt.Printf("%s: %s\n", name, content(name))
	}
	for _, name := range []string{"/etc/hostname", "../../etc/hostname", "/proc/self/environ"} {
		fmt.Printf("%s: %s\n", name, content(name))
	}
	// Without package os, which resolves ".." itself. 3 is what the host has opened: the root.
	docs, err := syscall.Open("/docs", syscall.O_RDONLY, 0)
	must(err)
	for _, attempt := range []struct {
		dir  int
		name string
	}{
		{3, "etc/passwd"}, {3, "docs/../etc/passwd"}, {3, ".."}, {3, "../etc/passwd"}, {3, "../../../../etc/passwd"},
		{3, "/etc/passwd"}, {3, "docs/../../etc/passwd"}, {docs, "a.md"}, {docs, "../hello.txt"}, {docs,
			"../../etc/passwd"},
		{docs, "/etc/passwd"},
	} {
		from := "root"
		if attempt.dir == docs {
			from = "docs"
		}
		fd, err := syscall.Openat(attempt.dir, attempt.name, syscall.O_RDONLY, 0)
		if err == nil {
			buf := make([]byte, 100)
			var n int
			n, err = syscall.Read(fd, buf)
			value(fmt.Sprintf("%s from %s", attempt.name, from), string(buf[:max(0, n)]), err)
			must(syscall.Close(fd))
			continue
		}
		report(fmt.Sprintf("%s from %s", attempt.name, from), err)
	}
	must(syscall.Close(docs))
}

// changes tries every change there is.
func changes() {
	section("changes")
	report("write a file", os.WriteFile("/new", nil, 0o644))
	report("write over a file", os.WriteFile("/hello.txt", nil, 0o644))
	_, err := os.OpenFile("/hello.txt", os.O_RDWR, 0)
	report("open for writing", err)
	_, err = os.OpenFile("/hello.txt", os.O_WRONLY|os.O_APPEND, 0)
	report("open for appending", err)
	report("truncate", os.Truncate("/hello.txt", 0))
	report("make a directory", os.Mkdir("/new", 0o755))
	report("rename", os.Rename("/hello.txt", "/new"))
	report("rename a directory over another", syscall.Rename("/docs", "/etc"))
	report("remove a file", os.Remove("/hello.txt"))
	report("remove a directory", os.Remove("/empty"))
	report("remove a tree", os.RemoveAll("/docs"))
	report("set times", os.Chtimes("/hello.txt", time.Now(), time.Now()))
	fmt.Println("content:", content("/hello.txt"))
}

// links meets links that somebody has put into the project's directory.
func links() {
	section("links")
	for _, name := range []string{"/secret", "/dir/secret", "/self"} {
		info, err := os.Lstat(name)
		if err != nil {
			report(name, err)
			continue
		}
		fmt.Printf("%s: %v\n", name, info.Mode().Type())
		_, err = os.Readlink(name)
		report("where it leads", err)
		_, err = os.ReadFile(name)
		report("read", err)
		_, err = os.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0)
		report("write", err)
		_, err = os.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
		report("read without following", err)
	}
	report("remove a link", os.Remove("/self"))
}

// closed finds everything closed, the root too.
func closed() {
	section("closed")
	_, err := os.Stat("/")
	report("stat of the root", err)
	_, err = os.ReadDir("/")
	report("list the root", err)
	_, err = os.ReadFile("/hello.txt")
	report("read", err)
	report("write", os.WriteFile("/hello.txt", nil, 0o644))
}

// walk lists a tree.
func walk(what, root string) {
	fmt.Printf("%s:\n", what)
	must(filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if info.IsDir() {
			fmt.Printf("  %s/\n", strings.TrimSuffix(name, "/"))
		} else {
			fmt.Printf("  %s %v %d\n", name, info.Mode().Type(), info.Size())
		}
		return nil
	}))
}
