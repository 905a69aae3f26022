package local

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

// memoryWith returns a tree with the given files, which contain their first names, and directories, which end in a
// slash.
func memoryWith(t *testing.T, names ...string) *memory {
	t.Helper()
	m := newMemory()
	for _, name := range names {
		if dir, ok := strings.CutSuffix(name, "/"); ok {
			require.NoError(t, m.Mkdir(dir, 0o755))
			continue
		}
		_, err := openInMemory(t, m, name, os.O_RDWR|os.O_CREATE|os.O_EXCL).WriteAt([]byte(name), 0)
		require.NoError(t, err)
	}
	return m
}

func openInMemory(t *testing.T, m *memory, name string, flag int) project.Node {
	t.Helper()
	f, err := m.Open(name, flag, 0o644)
	require.NoError(t, err)
	return f
}

func contentOf(t *testing.T, f project.Node) string {
	t.Helper()
	data, err := io.ReadAll(io.NewSectionReader(f, 0, math.MaxInt64))
	require.NoError(t, err)
	return string(data)
}

// treeOf lists all files as name=content, and directories as name/.
func treeOf(t *testing.T, m *memory) []string {
	t.Helper()
	list := []string{}
	var add func(dir string)
	add = func(dir string) {
		infos, err := m.ReadDir(dir)
		require.NoError(t, err)
		for _, info := range infos {
			name := path.Join(dir, info.Name())
			if info.IsDir() {
				list = append(list, name+"/")
				add(name)
			} else {
				list = append(list, name+"="+contentOf(t, openInMemory(t, m, name, os.O_RDONLY)))
			}
		}
	}
	add("/")
	return list
}

// checkTree fails if what inodes know twice is not the same.
func checkTree(t *testing.T, m *memory) {
	t.Helper()
	links := map[*inode]int{}
	var check func(dir *inode)
	check = func(dir *inode) {
		folded := 0
		for key, names := range dir.folded {
			require.NotEmpty(t, names)
			for _, name := range names {
				require.Equal(t, key, vfs.Fold(name))
				require.Contains(t, dir.entries, name)
				folded++
			}
		}
		require.Len(t, dir.entries, folded)
		for _, n := range dir.entries {
			links[n]++
			if n.isDir() {
				require.Equal(t, 1, links[n])
				check(n)
			}
		}
	}
	check(m.root)
	for n, want := range links {
		require.Equal(t, want, n.links)
	}
}

func TestMemoryOperations(t *testing.T) {
	rename := func(old, name string) func(m *memory) error {
		return func(m *memory) error { return m.Rename(old, name) }
	}
	link := func(old, name string) func(m *memory) error {
		return func(m *memory) error { return m.Link(old, name) }
	}
	open := func(name string, flag int) func(m *memory) error {
		return func(m *memory) error {
			_, err := m.Open(name, flag, 0o644)
			return err
		}
	}
	mkdir := func(name string) func(m *memory) error {
		return func(m *memory) error { return m.Mkdir(name, 0o755) }
	}
	remove := func(name string) func(m *memory) error {
		return func(m *memory) error { return m.Remove(name) }
	}
	removeAll := func(name string) func(m *memory) error {
		return func(m *memory) error { return m.RemoveAll(name) }
	}
	lstat := func(name string) func(m *memory) error {
		return func(m *memory) error {
			_, err := m.Lstat(name)
			return err
		}
	}
	readDir := func(name string) func(m *memory) error {
		return func(m *memory) error {
			_, err := m.ReadDir(name)
			return err
		}
	}
	const before = "/d/ /d/a=/d/a /d/e/ /empty/ /f=/f /g=/g"
	for _, test := range []struct {
		name string
		do   func(m *memory) error
		err  error
		tree string // what is there afterwards; the same as before if empty
	}{
		{"a missing name", lstat("/x"), syscall.ENOENT, ""},
		{"a name in a missing directory", lstat("/x/y"), syscall.ENOENT, ""},
		{"a name below a file", lstat("/f/y"), syscall.ENOTDIR, ""},
		{"the root", lstat("/"), nil, ""},
		{"reading a directory that is missing", readDir("/x"), syscall.ENOENT, ""},
		{"reading a directory that is a file", readDir("/f"), syscall.ENOTDIR, ""},

		{"opening what is missing", open("/x", os.O_RDWR), syscall.ENOENT, ""},
		{"opening a directory", open("/d", os.O_RDONLY), syscall.EISDIR, ""},
		{"opening the root", open("/", os.O_RDWR|os.O_CREATE), syscall.EISDIR, ""},
		{"making a file", open("/x", os.O_RDWR|os.O_CREATE), nil, before + " /x="},
		{"making a file that is there", open("/f", os.O_RDWR|os.O_CREATE), nil, ""},
		{"insisting on making a file", open("/x", os.O_RDWR|os.O_CREATE|os.O_EXCL), nil, before + " /x="},
		{"insisting on making a file that is there", open("/f", os.O_RDWR|os.O_CREATE|os.O_EXCL), syscall.EEXIST, ""},
		{"insisting on making the root", open("/", os.O_RDWR|os.O_CREATE|os.O_EXCL), syscall.EEXIST, ""},
		{"making a file in a missing directory", open("/x/y", os.O_RDWR|os.O_CREATE), syscall.ENOENT, ""},
		{"making a file in a file", open("/f/y", os.O_RDWR|os.O_CREATE), syscall.ENOTDIR, ""},

		{"making a directory", mkdir("/x"), nil, before + " /x/"},
		{"making a directory that is there", mkdir("/d"), syscall.EEXIST, ""},
		{"making a directory in the place of a file", mkdir("/f"), syscall.EEXIST, ""},
		{"making the root", mkdir("/"), syscall.EEXIST, ""},
		{"making a directory in a missing one", mkdir("/x/y"), syscall.ENOENT, ""},
		{"making a directory in a file", mkdir("/f/y"), syscall.ENOTDIR, ""},

		{"linking", link("/f", "/d/f"), nil, "/d/ /d/a=/d/a /d/e/ /d/f=/f /empty/ /f=/f /g=/g"},
		{"linking what is missing", link("/x", "/y"), syscall.ENOENT, ""},
		{"linking over a file", link("/f", "/g"), syscall.EEXIST, ""},
		{"linking to itself", link("/f", "/f"), syscall.EEXIST, ""},
		{"linking over the root", link("/f", "/"), syscall.EEXIST, ""},
		{"linking a directory", link("/d", "/x"), syscall.EPERM, ""},

		{"renaming a file", rename("/f", "/d/f"), nil, "/d/ /d/a=/d/a /d/e/ /d/f=/f /empty/ /g=/g"},
		{"renaming to another case", rename("/f", "/F"), nil, "/F=/f /d/ /d/a=/d/a /d/e/ /empty/ /g=/g"},
		{"replacing a file", rename("/f", "/g"), nil, "/d/ /d/a=/d/a /d/e/ /empty/ /g=/f"},
		{"renaming a file to itself", rename("/f", "/f"), nil, ""},
		{"renaming a directory to itself", rename("/d", "/d"), nil, ""},
		{"renaming a directory", rename("/d", "/empty/d"), nil,
			"/empty/ /empty/d/ /empty/d/a=/d/a /empty/d/e/ /f=/f /g=/g"},
		{"renaming what is missing", rename("/x", "/y"), syscall.ENOENT, ""},
		{"renaming what is missing to itself", rename("/x", "/x"), syscall.ENOENT, ""},
		{"renaming into what is missing", rename("/f", "/x/y"), syscall.ENOENT, ""},
		{"renaming into a file", rename("/f", "/g/y"), syscall.ENOTDIR, ""},
		{"renaming a file into itself", rename("/f", "/f/y"), syscall.ENOTDIR, ""},
		{"renaming a file to a directory", rename("/f", "/empty"), syscall.EEXIST, ""},
		{"renaming a file to the directory that it is in", rename("/d/a", "/d"), syscall.EEXIST, ""},
		{"renaming a directory to an empty one", rename("/d", "/empty"), syscall.EEXIST, ""},
		{"renaming a directory to a file", rename("/d", "/f"), syscall.ENOTDIR, ""},
		{"renaming a directory into itself", rename("/d", "/d/x"), syscall.EINVAL, ""},
		{"renaming a directory below itself", rename("/d", "/d/e/x"), syscall.EINVAL, ""},
		{"renaming a directory to one with a longer name", rename("/d", "/dd"), nil,
			"/dd/ /dd/a=/d/a /dd/e/ /empty/ /f=/f /g=/g"},
		{"renaming the root", rename("/", "/x"), syscall.EBUSY, ""},
		{"renaming to the root", rename("/f", "/"), syscall.EBUSY, ""},

		{"removing a file", remove("/f"), nil, "/d/ /d/a=/d/a /d/e/ /empty/ /g=/g"},
		{"removing an empty directory", remove("/d/e"), nil, "/d/ /d/a=/d/a /empty/ /f=/f /g=/g"},
		{"removing a directory that is not empty", remove("/d"), syscall.ENOTEMPTY, ""},
		{"removing what is missing", remove("/x"), syscall.ENOENT, ""},
		{"removing something in a file", remove("/f/x"), syscall.ENOTDIR, ""},
		{"removing the root", remove("/"), syscall.EBUSY, ""},
		{"removing all of a directory", removeAll("/d"), nil, "/empty/ /f=/f /g=/g"},
		{"removing all of a file", removeAll("/f"), nil, "/d/ /d/a=/d/a /d/e/ /empty/ /g=/g"},
		{"removing all of what is missing", removeAll("/x/y"), nil, ""},
		{"removing all of something in a file", removeAll("/f/x"), syscall.ENOTDIR, ""},
		{"removing all of the root", removeAll("/"), syscall.EBUSY, ""},

		{"changing the mode of what is missing", func(m *memory) error { return m.Chmod("/x", 0) }, syscall.ENOENT, ""},
		{"changing the times of what is missing", func(m *memory) error { return m.Chtimes("/x", now(), now()) },
			syscall.ENOENT, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := memoryWith(t, "/d/", "/d/a", "/d/e/", "/empty/", "/f", "/g")
			require.Equal(t, before, strings.Join(treeOf(t, m), " "))
			err := test.do(m)
			if test.err == nil {
				require.NoError(t, err)
			} else {
				require.Equal(t, test.err, err) // bare
			}
			want := test.tree
			if want == "" {
				want = before
			}
			require.Equal(t, want, strings.Join(treeOf(t, m), " "))
			checkTree(t, m)
		})
	}
}

func TestMemoryNodes(t *testing.T) {
	t.Run("open files outlive their names", func(t *testing.T) {
		m := memoryWith(t, "/d/", "/d/f", "/g", "/h")
		f, g := openInMemory(t, m, "/d/f", os.O_RDWR), openInMemory(t, m, "/g", os.O_RDWR)
		require.NoError(t, m.Rename("/d", "/e"))
		require.NoError(t, m.Rename("/h", "/g"))
		_, err := f.WriteAt([]byte("F"), 0)
		require.NoError(t, err)
		require.Equal(t, []string{"/e/", "/e/f=Fd/f", "/g=/h"}, treeOf(t, m))
		require.NoError(t, m.RemoveAll("/e"))
		_, err = f.WriteAt([]byte("!"), 4)
		require.NoError(t, err)
		require.Equal(t, "Fd/f!", contentOf(t, f))
		require.Equal(t, "/g", contentOf(t, g))
		info, err := f.Stat()
		require.NoError(t, err)
		require.Equal(t, "f", info.Name())
	})
	t.Run("links are names of the same file", func(t *testing.T) {
		m := memoryWith(t, "/d/", "/d/f", "/g")
		linked := func(name string) bool {
			linked, err := m.Linked(name)
			require.NoError(t, err)
			return linked
		}
		same := func(a, b string) bool {
			x, err := m.Lstat(a)
			require.NoError(t, err)
			y, err := m.Lstat(b)
			require.NoError(t, err)
			return m.Same(x, y)
		}
		require.False(t, linked("/g"))
		require.NoError(t, m.Link("/g", "/d/g"))
		require.NoError(t, m.Link("/g", "/d/h"))
		require.True(t, same("/g", "/d/h"))
		require.False(t, same("/g", "/d/f"))
		require.True(t, linked("/g"))
		_, err := openInMemory(t, m, "/d/g", os.O_RDWR).WriteAt([]byte("!"), 0)
		require.NoError(t, err)
		require.Equal(t, "!g", contentOf(t, openInMemory(t, m, "/g", os.O_RDONLY)))
		require.NoError(t, m.Rename("/d/g", "/g"), "nothing happens")
		require.Equal(t, []string{"/d/", "/d/f=/d/f", "/d/g=!g", "/d/h=!g", "/g=!g"}, treeOf(t, m))
		require.NoError(t, m.Rename("/d/f", "/d/g"))
		require.True(t, linked("/g"))
		require.NoError(t, m.RemoveAll("/d"))
		require.False(t, linked("/g"))
		checkTree(t, m)

		_, err = m.Linked("/x")
		require.Equal(t, syscall.ENOENT, err)
		_, err = m.Linked("/")
		require.Equal(t, syscall.EISDIR, err)
	})
	t.Run("files are the same under any name, and not others of that name", func(t *testing.T) {
		m := memoryWith(t, "/f", "/g")
		before, err := openInMemory(t, m, "/f", os.O_RDONLY).Stat()
		require.NoError(t, err)
		require.NoError(t, m.Rename("/f", "/h"))
		require.NoError(t, m.Rename("/g", "/f"))
		other, err := m.Lstat("/f")
		require.NoError(t, err)
		after, err := m.Lstat("/h")
		require.NoError(t, err)
		require.True(t, m.Same(before, after))
		require.False(t, m.Same(before, other))
		host, err := os.Lstat(".")
		require.NoError(t, err)
		require.False(t, m.Same(host, before))
		require.False(t, m.Same(before, host))
		require.False(t, m.Same(host, host))
	})
	t.Run("descriptions do not change, and lead to nothing", func(t *testing.T) {
		m := memoryWith(t, "/d/", "/d/f")
		info, err := m.Lstat("/d/f")
		require.NoError(t, err)
		infos, err := m.ReadDir("/d")
		require.NoError(t, err)
		require.Equal(t, []fs.FileInfo{info}, infos)
		mtime := info.ModTime()
		require.NoError(t, openInMemory(t, m, "/d/f", os.O_RDWR).Truncate(9))
		require.NoError(t, m.Chmod("/d/f", 0))
		require.NoError(t, m.Chtimes("/d/f", mtime, mtime.Add(time.Hour)))
		for _, info := range append(infos, info) {
			require.Equal(t, "f", info.Name())
			require.EqualValues(t, 4, info.Size())
			require.Equal(t, fs.FileMode(0o644), info.Mode())
			require.Equal(t, mtime, info.ModTime())
			require.False(t, info.IsDir())
		}
		_, writes := info.Sys().(io.WriterAt)
		require.False(t, writes)
	})
	t.Run("directories have a mode and no size", func(t *testing.T) {
		m := memoryWith(t, "/d/", "/d/f")
		require.NoError(t, m.Chmod("/d", fs.ModeSetuid|fs.ModeSymlink|0o700))
		for name, mode := range map[string]fs.FileMode{"/": fs.ModeDir | 0o755, "/d": fs.ModeDir | 0o700} {
			info, err := m.Lstat(name)
			require.NoError(t, err)
			require.Equal(t, path.Base(name), info.Name())
			require.Equal(t, mode, info.Mode())
			require.True(t, info.IsDir())
			require.Zero(t, info.Size())
		}
	})
	t.Run("only permission bits are kept", func(t *testing.T) {
		m := newMemory()
		_, err := m.Open("/f", os.O_RDWR|os.O_CREATE, fs.ModeDir|fs.ModeSetgid|0o640)
		require.NoError(t, err)
		require.NoError(t, m.Mkdir("/d", fs.ModeSymlink|0o750))
		infos, err := m.ReadDir("/")
		require.NoError(t, err)
		require.Equal(t, fs.ModeDir|0o750, infos[0].Mode())
		require.Equal(t, fs.FileMode(0o640), infos[1].Mode())
	})
}

func TestMemoryTimes(t *testing.T) {
	m := memoryWith(t, "/d/", "/e/", "/d/f", "/g")
	long := time.Date(2001, 2, 3, 4, 5, 6, 7, time.UTC)
	timeOf := func(name string) time.Time {
		info, err := m.Lstat(name)
		require.NoError(t, err)
		return info.ModTime()
	}
	f := openInMemory(t, m, "/d/f", os.O_RDWR)
	for _, test := range []struct {
		name    string
		do      func() error
		changed string // which of the names get a new time
	}{
		{"making a file", func() error { _, err := m.Open("/d/x", os.O_RDWR|os.O_CREATE, 0); return err }, "/d"},
		{"making a directory", func() error { return m.Mkdir("/e/x", 0) }, "/e"},
		{"linking", func() error { return m.Link("/g", "/e/g") }, "/e"},
		{"renaming", func() error { return m.Rename("/d/x", "/e/y") }, "/d /e"},
		{"removing", func() error { return m.Remove("/e/y") }, "/e"},
		{"removing a tree", func() error { return m.RemoveAll("/e/x") }, "/e"},
		{"writing", func() error { _, err := f.WriteAt([]byte("x"), 0); return err }, "/d/f"},
		{"writing nothing", func() error { _, err := f.WriteAt(nil, 9); return err }, ""},
		{"truncating", func() error { return f.Truncate(1) }, "/d/f"},
		{"reading", func() error { _, err := f.ReadAt(make([]byte, 1), 0); return err }, ""},
		{"changing the mode", func() error { return m.Chmod("/g", 0o600) }, ""},
		{"failing", func() error { _ = m.Mkdir("/e/g", 0); _ = m.Rename("/d", "/e"); return nil }, ""},
		{"setting no time", func() error { return m.Chtimes("/g", now(), time.Time{}) }, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, name := range []string{"/d", "/e", "/d/f", "/g"} {
				require.NoError(t, m.Chtimes(name, time.Time{}, long))
				require.True(t, timeOf(name).Equal(long))
			}
			require.NoError(t, test.do())
			for _, name := range []string{"/d", "/e", "/d/f", "/g"} {
				changed := strings.Contains(" "+test.changed+" ", " "+name+" ")
				require.Equal(t, changed, !timeOf(name).Equal(long), name)
			}
		})
	}
}

func TestMemoryTwin(t *testing.T) {
	m := memoryWith(t, "/Readme.md", "/plain", "/Ärger")
	twin := func(base string) string {
		twin, err := m.Twin("/", base)
		require.NoError(t, err)
		return twin
	}
	require.Equal(t, "Readme.md", twin("README.md"))
	require.Equal(t, "Ärger", twin("äRGER"))
	require.Empty(t, twin("Readme.md"))
	require.Empty(t, twin("other"))
	require.NoError(t, m.Rename("/Readme.md", "/README.md"))
	require.Equal(t, "README.md", twin("Readme.md"))
	require.Empty(t, twin("README.md"))

	// Nobody but the project keeps names apart, so there may be several.
	require.NoError(t, m.Mkdir("/Plain", 0o755))
	require.Equal(t, "plain", twin("Plain"))
	require.Equal(t, "Plain", twin("plain"))
	require.NoError(t, m.Remove("/plain"))
	require.Equal(t, "Plain", twin("plain"))
	require.NoError(t, m.RemoveAll("/Plain"))
	require.Empty(t, twin("plain"))
	checkTree(t, m)

	_, err := m.Twin("/x", "y")
	require.Equal(t, syscall.ENOENT, err)
	_, err = m.Twin("/README.md", "y")
	require.Equal(t, syscall.ENOTDIR, err)
}

func TestMemoryContent(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	t.Run("offsets and sizes that cannot be", func(t *testing.T) {
		m := memoryWith(t, "/f")
		f := openInMemory(t, m, "/f", os.O_RDWR)
		for _, test := range []struct {
			do  func() error
			err error
		}{
			{func() error { _, err := f.ReadAt(make([]byte, 1), -1); return err }, syscall.EINVAL},
			{func() error { _, err := f.ReadAt(make([]byte, 1), 2); return err }, io.EOF},
			{func() error { _, err := f.ReadAt(make([]byte, 1), math.MaxInt64); return err }, io.EOF},
			{func() error { _, err := f.ReadAt(make([]byte, 3), 0); return err }, io.EOF},
			{func() error { _, err := f.ReadAt(make([]byte, 2), 0); return err }, nil},
			{func() error { _, err := f.ReadAt(nil, 99); return err }, nil},
			{func() error { _, err := f.WriteAt([]byte{1}, -1); return err }, syscall.EINVAL},
			{func() error { _, err := f.WriteAt([]byte{1}, math.MaxInt64); return err }, syscall.EFBIG},
			{func() error { _, err := f.WriteAt([]byte{1}, maxContent); return err }, syscall.EFBIG},
			{func() error { _, err := f.WriteAt(nil, math.MaxInt64); return err }, nil},
			{func() error { return f.Truncate(-1) }, syscall.EINVAL},
			{func() error { return f.Truncate(maxContent + 1) }, syscall.EFBIG},
			{func() error { return f.Truncate(math.MaxInt64) }, syscall.EFBIG},
		} {
			require.Equal(t, test.err, test.do())
			require.Equal(t, "/f", contentOf(t, f))
		}
		readOnly := openInMemory(t, m, "/f", os.O_RDONLY)
		_, err := readOnly.WriteAt([]byte("x"), 0)
		require.Equal(t, syscall.EBADF, err)
		require.Equal(t, syscall.EBADF, readOnly.Truncate(0))
		require.Equal(t, "/f", contentOf(t, f))
	})
	t.Run("what a simple slice would contain", func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		f := openInMemory(t, newMemory(), "/f", os.O_RDWR|os.O_CREATE)
		data := &f.(*inodeFile).inode.data
		var want []byte
		resize := func(size int) {
			want = append([]byte{}, want[:min(size, len(want))]...)
			want = append(want, make([]byte, size-len(want))...)
		}
		for range 5000 {
			limit := []int{10, 300, 5000}[random.IntN(3)]
			off, size := random.IntN(limit), random.IntN(limit)
			switch random.IntN(3) {
			case 0:
				piece := bytes.Repeat([]byte{byte(1 + random.IntN(255))}, size)
				n, err := f.WriteAt(piece, int64(off))
				require.NoError(t, err)
				require.Equal(t, size, n)
				if size > 0 {
					resize(max(len(want), off+size))
					copy(want[off:], piece)
				}
			case 1:
				require.NoError(t, f.Truncate(int64(size)))
				resize(size)
			case 2:
				got := make([]byte, size)
				n, err := f.ReadAt(got, int64(off))
				require.Equal(t, copy(make([]byte, size), want[min(off, len(want)):]), n)
				require.True(t, bytes.Equal(want[min(off, len(want)):][:n], got[:n]))
				require.Equal(t, n < size, err == io.EOF)
			}
			require.Equal(t, string(want), contentOf(t, f))
			// Nothing of what was there is left, neither content nor much memory.
			require.Zero(t, bytes.Trim((*data)[len(*data):cap(*data)], "\x00"))
			require.LessOrEqual(t, cap(*data), 4*len(*data)+67)
		}
	})
	t.Run("growing in small pieces copies little", func(t *testing.T) {
		f := openInMemory(t, newMemory(), "/f", os.O_RDWR|os.O_CREATE)
		data := &f.(*inodeFile).inode.data
		copied, room := 0, 0
		for i := range int64(1 << 20) {
			_, err := f.WriteAt([]byte{1}, i)
			require.NoError(t, err)
			if cap(*data) != room {
				copied, room = copied+len(*data), cap(*data)
			}
		}
		require.Less(t, copied, 6<<20)
		require.Less(t, room, 3<<19)
		require.NoError(t, f.Truncate(10))
		require.Equal(t, 10, cap(*data))
		require.NoError(t, f.Truncate(0))
		_, err := f.WriteAt(make([]byte, 1000), 0)
		require.NoError(t, err)
		require.Equal(t, 1000, cap(*data), "no more than needed")
	})
}

func TestMemoryState(t *testing.T) {
	m := newMemory()
	buf := make([]byte, 3)
	require.Equal(t, syscall.ENOENT, m.ReadState(buf))
	require.Equal(t, syscall.ENOENT, m.ReadState(nil))
	require.NoError(t, m.WriteState([]byte("abc")))
	require.NoError(t, m.ReadState(buf))
	require.Equal(t, "abc", string(buf))
	require.Equal(t, syscall.ENOENT, m.ReadState(make([]byte, 2)))
	require.NoError(t, m.WriteState(nil))
	require.NoError(t, m.ReadState(nil))

	unlock, err := m.Lock(true)
	require.NoError(t, err)
	unlock()

	alive := func(name string) bool {
		alive, err := m.Alive(name)
		require.NoError(t, err)
		return alive
	}
	require.False(t, alive("/x"))
	release, err := m.Claim("/x")
	require.NoError(t, err)
	_, err = m.Claim("/x")
	require.Equal(t, syscall.EEXIST, err)
	require.True(t, alive("/x"))
	release()
	require.False(t, alive("/x"))
	require.Equal(t, []string{"/x="}, treeOf(t, m))
	_, err = m.Alive("/x/y")
	require.Equal(t, syscall.ENOTDIR, err)

	require.NoError(t, m.Sync("/"))
	require.NoError(t, m.Close())
}

func TestMemoryReadsDoNotWaitForOtherFiles(t *testing.T) {
	m := memoryWith(t, "/busy", "/f")
	busy := openInMemory(t, m, "/busy", os.O_RDWR).(*inodeFile).inode
	busy.mu.Lock() // as while something large is written
	listed := make(chan error)
	go func() {
		_, err := m.ReadDir("/")
		listed <- err
	}()
	require.Equal(t, "/f", contentOf(t, openInMemory(t, m, "/f", os.O_RDONLY)))
	_, err := openInMemory(t, m, "/new", os.O_RDWR|os.O_CREATE).WriteAt([]byte("x"), 0)
	require.NoError(t, err)
	require.NoError(t, m.Rename("/busy", "/f"))
	select {
	case err := <-listed:
		t.Fatal("listed before the file could be described: ", err)
	default:
	}
	busy.mu.Unlock()
	require.NoError(t, <-listed)
}

func TestMemoryLookupDoesNotAllocate(t *testing.T) {
	m := memoryWith(t, "/a/", "/a/b/", "/a/b/f")
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = m.lookup("/a/b/f") }))
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { _, _ = m.Open("/a/b/f", os.O_RDONLY, 0) }), 1.0)
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { _, _ = m.Lstat("/a/b/f") }), 1.0)
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = m.Twin("/a/b", "f") }))
}

// TestMemoryConcurrently does all that can be done from several goroutines, with few names, so that they meet. Files
// contain one byte again and again, written in one go, so that a read that saw half a write would show.
func TestMemoryConcurrently(t *testing.T) {
	m := newMemory()
	names := []string{"/"}
	for _, dir := range []string{"", "/a", "/A", "/a/b", "/a/b/a"} {
		for _, base := range []string{"a", "A", "b", "f"} {
			names = append(names, dir+"/"+base)
		}
	}
	const size = 100
	work := func(random *rand.Rand) error {
		some := func() string { return names[random.IntN(len(names))] }
		for range 5000 {
			name := some()
			var err error
			switch random.IntN(16) {
			case 0:
				_, err = m.Lstat(name)
			case 1:
				var infos []fs.FileInfo
				infos, err = m.ReadDir(name)
				for i := range infos {
					if i > 0 && infos[i-1].Name() >= infos[i].Name() {
						return fmt.Errorf("%s is listed before %s", infos[i-1].Name(), infos[i].Name())
					}
				}
			case 2:
				err = m.Link(name, some())
			case 3, 4:
				err = m.Rename(name, some())
			case 5:
				err = m.Remove(name)
			case 6:
				if random.IntN(8) == 0 {
					err = m.RemoveAll(name)
				}
			case 7:
				err = m.Chmod(name, 0o600)
			case 8:
				err = m.Chtimes(name, now(), now())
			case 9:
				_, err = m.Twin(name, "a")
			case 10:
				_, err = m.Linked(name)
			case 11, 12:
				err = m.Mkdir(name, 0o755)
			default:
				var f project.Node
				if f, err = m.Open(name, os.O_RDWR|os.O_CREATE, 0o644); err == syscall.EEXIST {
					return errors.New("a file that somebody else made first is not opened")
				} else if err != nil {
					break
				}
				piece := bytes.Repeat([]byte{byte(random.IntN(256))}, size)
				if _, err := f.WriteAt(piece, 0); err != nil {
					return err
				}
				if err := f.Truncate(int64(random.IntN(3 * size))); err != nil {
					return err
				}
				n, err := f.ReadAt(piece, 0)
				if err != nil && err != io.EOF {
					return err
				}
				if read := bytes.TrimRight(piece[:n], "\x00"); len(read) > 0 &&
					bytes.Count(read, read[:1]) < len(read) {
					return fmt.Errorf("%s has parts of several writes: %v", name, read)
				}
				if _, err := f.Stat(); err != nil {
					return err
				}
			}
			var errno syscall.Errno
			if err != nil && !errors.As(err, &errno) {
				return err
			}
		}
		return nil
	}
	var group sync.WaitGroup
	failures := make(chan error, 8)
	for i := range cap(failures) {
		group.Go(func() { failures <- work(rand.New(rand.NewPCG(uint64(i), 0))) })
	}
	group.Wait()
	for range cap(failures) {
		require.NoError(t, <-failures)
	}
	checkTree(t, m)
}
