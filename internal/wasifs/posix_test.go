package wasifs_test

import (
	"fmt"

	"io/fs"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/experimental/sysfs"
	wazerosys "github.com/tetratelabs/wazero/sys"

	"github.com/toolrun/toolrun/internal/wasifs"
)

// TestFilesBehaveAsTheHosts applies the same random operations to one of our file systems and to a directory of the
// host, as wazero exposes it, and compares the outcomes.
func TestFilesBehaveAsTheHosts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	if runtime.GOOS != "linux" {
		t.Skip("other systems deviate from POSIX more than we do")
	}
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			for seed := range uint64(15) {
				dir := t.TempDir()
				c := &comparison{
					t:    t,
					rand: rand.New(rand.NewPCG(seed, 0)),
					both: [2]sys.FS{wasifs.New(kind.make(t)), host{sysfs.DirFS(dir), dir}},
				}
				for range 250 {
					c.step()
				}
				c.finish()
			}
		})
	}
}

// host is a directory of the host, with two deviations of wazero corrected: its Mkdir returns ENOENT instead of
// ENOTDIR, and it permits renaming a missing file to itself.
type host struct {
	sys.FS
	dir string
}

func (h host) Mkdir(name string, perm fs.FileMode) sys.Errno {
	return sys.UnwrapOSError(os.Mkdir(h.dir+"/"+name, perm))
}

func (h host) Rename(from, to string) sys.Errno {
	return sys.UnwrapOSError(syscall.Rename(h.dir+"/"+from, h.dir+"/"+to))
}

// A comparison applies each operation twice: to the file system under test, and to the reference.
type comparison struct {
	t     *testing.T
	rand  *rand.Rand
	both  [2]sys.FS
	open  []opened
	steps []string
}

type opened struct {
	name  string
	files [2]sys.File
}

// try runs an operation on both and compares the outcomes.
func (c *comparison) try(what string, do func(i int) string) {
	c.t.Helper()
	got, want := do(0), do(1)
	c.steps = append(c.steps, what+": "+want)
	require.Equal(c.t, want, got, "after %s", strings.Join(c.steps, "\n"))
}

func (c *comparison) name() string {
	names := []string{"a", "b", "c", "d", "a/b", "a/c", "b/a", "b/a/c", "c/d", "a/", "b/", "c/d/"}
	return names[c.rand.IntN(len(names))]
}

func (c *comparison) step() {
	c.t.Helper()
	if len(c.open) > 0 && c.rand.IntN(3) > 0 {
		c.fileStep()
		return
	}
	name, other := c.name(), c.name()
	what := c.rand.IntN(10)
	if what >= 2 && what <= 4 && (c.isOpen(name) || c.isOpen(other)) {
		return // handles that have lost their path deviate
	}
	switch what {
	case 0, 1:
		c.try("mkdir "+name, func(i int) string { return c.both[i].Mkdir(name, 0o755).Error() })
	case 2:
		c.try("rmdir "+name, func(i int) string { return c.both[i].Rmdir(name).Error() })
	case 3:
		c.try("unlink "+name, func(i int) string { return c.both[i].Unlink(name).Error() })
	case 4:
		_, missing := c.both[1].Stat(name)
		c.try("rename "+name+" to "+other, func(i int) string {
			errno := c.both[i].Rename(name, other)
			if errno != 0 && (missing != 0 || strings.HasSuffix(other, "/") ||
				strings.HasPrefix(name, other+"/") || strings.HasPrefix(other, strings.TrimSuffix(name, "/")+"/")) {
				return "fails" // the errors differ if there are several reasons
			}
			return errno.Error()
		})
	case 5:
		c.try("stat "+name, func(i int) string { return stat(c.both[i].Stat(name)) })
	default:
		c.openFile(name)
	}
}

// isOpen reports whether a handle is open on a file, or on one below it.
func (c *comparison) isOpen(name string) bool {
	name = strings.TrimSuffix(name, "/")
	return slices.ContainsFunc(c.open, func(o opened) bool {
		at := strings.TrimSuffix(o.name, "/")
		return at == name || strings.HasPrefix(at, name+"/")
	})
}

func (c *comparison) openFile(name string) {
	flag := []sys.Oflag{sys.O_RDONLY, sys.O_RDWR, sys.O_WRONLY, sys.O_RDWR}[c.rand.IntN(4)]
	for _, more := range []sys.Oflag{sys.O_APPEND, sys.O_CREAT, sys.O_CREAT, sys.O_TRUNC, sys.O_EXCL, sys.O_DIRECTORY} {
		if c.rand.IntN(4) == 0 {
			flag |= more
		}
	}
	if strings.HasSuffix(name, "/") {
		flag &^= sys.O_CREAT // systems differ
	}
	file := opened{name: name}
	c.try(fmt.Sprintf("open %s with %x", name, flag), func(i int) string {
		f, errno := c.both[i].OpenFile(name, flag, 0o644)
		file.files[i] = f
		return errno.Error()
	})
	if file.files[0] != nil {
		c.open = append(c.open, file)
	}
}

func (c *comparison) fileStep() {
	at := c.rand.IntN(len(c.open))
	file := c.open[at]
	off, n := int64(c.rand.IntN(12)), 1+c.rand.IntN(5)
	data := []byte(strings.Repeat(string(rune('a'+c.rand.IntN(26))), n))
	doing := c.rand.IntN(10)
	if isDir, _ := file.files[1].IsDir(); isDir && doing >= 7 {
		return // wazero refuses this without asking the file system
	}
	what := func(does string) string { return does + " " + file.name }
	switch doing {
	case 0:
		c.try(what("close"), func(i int) string { return file.files[i].Close().Error() })
		c.open = slices.Delete(c.open, at, at+1)
	case 1:
		c.try(what("stat open"), func(i int) string { return stat(file.files[i].Stat()) })
	case 2:
		c.try(what("read"), func(i int) string {
			buf := make([]byte, n)
			n, errno := file.files[i].Read(buf)
			return fmt.Sprintf("%q %v", buf[:n], errno)
		})
	case 3:
		c.try(what("pread"), func(i int) string {
			buf := make([]byte, n)
			n, errno := file.files[i].Pread(buf, off)
			return fmt.Sprintf("%q %v", buf[:n], errno)
		})
	case 4, 5:
		c.try(what("write"), func(i int) string { return count(file.files[i].Write(data)) })
	case 6:
		if file.files[1].IsAppend() {
			return // package os refuses it
		}
		c.try(what("pwrite"), func(i int) string { return count(file.files[i].Pwrite(data, off)) })
	case 7:
		whence := c.rand.IntN(4)
		c.try(what("seek"), func(i int) string {
			at, errno := file.files[i].Seek(off, whence)
			return fmt.Sprint(at, errno)
		})
	case 8:
		c.try(what("truncate"), func(i int) string { return file.files[i].Truncate(off).Error() })
	case 9:
		appends := c.rand.IntN(2) == 0
		c.try(what("set append"), func(i int) string {
			return fmt.Sprint(file.files[i].SetAppend(appends), file.files[i].IsAppend())
		})
	}
}

func (c *comparison) finish() {
	for _, file := range c.open {
		for _, f := range file.files {
			require.Zero(c.t, f.Close())
		}
	}
	for _, dir := range []string{".", "a", "b", "b/a", "c"} {
		c.try("list "+dir, func(i int) string {
			f, errno := c.both[i].OpenFile(dir, sys.O_RDONLY, 0)
			if errno != 0 {
				return errno.Error()
			}
			defer f.Close()
			entries, errno := f.Readdir(-1)
			var list []string
			for _, entry := range entries {
				list = append(list, entry.Name)
			}
			slices.Sort(list)
			return fmt.Sprint(list, errno)
		})
	}
}

func stat(st wazerosys.Stat_t, errno sys.Errno) string {
	if errno != 0 {
		return errno.Error()
	}
	if st.Mode.IsDir() {
		return "a directory"
	}
	return fmt.Sprint(st.Mode.Type(), st.Size)
}

func count(n int, errno sys.Errno) string { return fmt.Sprint(n, errno) }
