package wasifs_test

import (
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/wasm/wasifs"
	"github.com/toolrun/toolrun/internal/wasm/wasifs/wasifstest"
)

// TestFilesBehaveAsTheHosts applies the same random operations to one of our file systems and to a directory of the
// host, and compares the outcomes.
func TestFilesBehaveAsTheHosts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	compare := func(name string, create func(t *testing.T) posix) {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(15) {
				dir := t.TempDir()
				c := &comparison{
					t:    t,
					rand: rand.New(rand.NewPCG(seed, 0)),
					both: [2]posix{create(t), host{dir}},
				}
				for range 250 {
					c.step()
				}
				c.finish()
			}
		})
	}
	for _, kind := range wasifstest.Kinds {
		compare(kind.Name, func(t *testing.T) posix { return wasifs.New(kind.Make(t), 1<<20) })
	}
	compare("/tmp", func(t *testing.T) posix { return inTmp{wasifs.New(afero.NewMemMapFs(), 1<<20)} })
}

// inTmp is the directory /tmp of a guest.
type inTmp struct{ *wasifs.FS }

func (s inTmp) Stat(name string) (wasifs.Stat, wasifs.Errno) { return s.FS.Stat("tmp/" + name) }
func (s inTmp) Mkdir(name string) wasifs.Errno               { return s.FS.Mkdir("tmp/" + name) }
func (s inTmp) Rmdir(name string) wasifs.Errno               { return s.FS.Rmdir("tmp/" + name) }
func (s inTmp) Unlink(name string) wasifs.Errno              { return s.FS.Unlink("tmp/" + name) }
func (s inTmp) Rename(from, to string) wasifs.Errno          { return s.FS.Rename("tmp/"+from, "tmp/"+to) }
func (s inTmp) Open(name string, flag wasifs.Flag) (wasifs.File, wasifs.Errno) {
	return s.FS.Open("tmp/"+name, flag)
}

// posix has the methods whose results are compared.
type posix interface {
	Stat(name string) (wasifs.Stat, wasifs.Errno)
	Mkdir(name string) wasifs.Errno
	Rmdir(name string) wasifs.Errno
	Unlink(name string) wasifs.Errno
	Rename(from, to string) wasifs.Errno
	Open(name string, flag wasifs.Flag) (wasifs.File, wasifs.Errno)
}

// host is a directory of the host, with its errors in WASI's numbers.
type host struct{ dir string }

func (h host) path(name string) string { return h.dir + "/" + name }

func (h host) Mkdir(name string) wasifs.Errno  { return number(syscall.Mkdir(h.path(name), 0o755)) }
func (h host) Rmdir(name string) wasifs.Errno  { return number(syscall.Rmdir(h.path(name))) }
func (h host) Unlink(name string) wasifs.Errno { return number(syscall.Unlink(h.path(name))) }
func (h host) Rename(from, to string) wasifs.Errno {
	return number(syscall.Rename(h.path(from), h.path(to)))
}

func (h host) Stat(name string) (wasifs.Stat, wasifs.Errno) {
	info, err := os.Stat(h.path(name))
	if err != nil {
		return wasifs.Stat{}, number(err)
	}
	return wasifs.Stat{Mode: info.Mode(), Size: info.Size()}, 0
}

func (h host) Open(name string, flag wasifs.Flag) (wasifs.File, wasifs.Errno) {
	how := 0
	for ours, theirs := range map[wasifs.Flag]int{
		wasifs.O_WRONLY: os.O_WRONLY, wasifs.O_RDWR: os.O_RDWR, wasifs.O_APPEND: os.O_APPEND,
		wasifs.O_CREAT: os.O_CREATE,
		wasifs.O_EXCL:  os.O_EXCL, wasifs.O_TRUNC: os.O_TRUNC, wasifs.O_DIRECTORY: syscall.O_DIRECTORY,
	} {
		if flag&ours != 0 {
			how |= theirs
		}
	}
	if flag&(wasifs.O_CREAT|wasifs.O_EXCL) == wasifs.O_EXCL {
		how &^= os.O_EXCL // undefined alone
	}
	fd, err := syscall.Open(h.path(name), how, 0o644)
	if err != nil {
		return nil, number(err)
	}
	return &hostFile{fd: fd}, 0
}

// position keeps go vet from taking Seek for the method of io.Seeker.
type position = int64

// hostFile is an open file of the host, with only the methods that are compared.
type hostFile struct {
	wasifs.File
	fd int
}

func (f *hostFile) stat() (st syscall.Stat_t) {
	_ = syscall.Fstat(f.fd, &st)
	return st
}

func (f *hostFile) flags(change uintptr) uintptr {
	flags, _, _ := syscall.Syscall(syscall.SYS_FCNTL, uintptr(f.fd), syscall.F_GETFL, 0)
	_, _, _ = syscall.Syscall(syscall.SYS_FCNTL, uintptr(f.fd), syscall.F_SETFL, flags^change)
	return flags
}

func (f *hostFile) IsDir() bool    { return f.stat().Mode&syscall.S_IFMT == syscall.S_IFDIR }
func (f *hostFile) IsAppend() bool { return f.flags(0)&syscall.O_APPEND != 0 }

func (f *hostFile) SetAppend(enable bool) wasifs.Errno {
	if enable != f.IsAppend() {
		f.flags(syscall.O_APPEND)
	}
	return 0
}

func (f *hostFile) Stat() (wasifs.Stat, wasifs.Errno) {
	st := wasifs.Stat{Size: f.stat().Size}
	if f.IsDir() {
		st.Mode = fs.ModeDir
	}
	return st, 0
}

func (f *hostFile) Read(b []byte) (int, wasifs.Errno) { return counted(syscall.Read(f.fd, b)) }
func (f *hostFile) Pread(b []byte, off int64) (int, wasifs.Errno) {
	return counted(syscall.Pread(f.fd, b, off))
}
func (f *hostFile) Write(b []byte) (int, wasifs.Errno) { return counted(syscall.Write(f.fd, b)) }
func (f *hostFile) Pwrite(b []byte, off int64) (int, wasifs.Errno) {
	return counted(syscall.Pwrite(f.fd, b, off))
}
func (f *hostFile) Seek(off position, whence int) (int64, wasifs.Errno) {
	if whence > io.SeekEnd {
		return 0, wasifs.EINVAL // Linux has more
	}
	at, err := syscall.Seek(f.fd, off, whence)
	return max(0, at), number(err)
}
func (f *hostFile) Truncate(size int64) wasifs.Errno { return number(syscall.Ftruncate(f.fd, size)) }
func (f *hostFile) Close() wasifs.Errno              { return number(syscall.Close(f.fd)) }

func (f *hostFile) List() ([]wasifs.Entry, wasifs.Errno) {
	entries, err := os.ReadDir(fmt.Sprintf("/proc/self/fd/%d", f.fd))
	var list []wasifs.Entry
	for _, entry := range entries {
		list = append(list, wasifs.Entry{Name: entry.Name()})
	}
	return list, number(err)
}

func counted(n int, err error) (int, wasifs.Errno) { return max(0, n), number(err) }

// number converts an error number of the host to that of WASI.
func number(err error) wasifs.Errno {
	if err == nil {
		return 0
	}
	if path, ok := err.(*fs.PathError); ok {
		err = path.Err
	}
	for host, ours := range map[error]wasifs.Errno{
		syscall.ENOENT: wasifs.ENOENT, syscall.EEXIST: wasifs.EEXIST, syscall.ENOTDIR: wasifs.ENOTDIR,
		syscall.EISDIR: wasifs.EISDIR, syscall.ENOTEMPTY: wasifs.ENOTEMPTY, syscall.EINVAL: wasifs.EINVAL,
		syscall.EBADF: wasifs.EBADF,
	} {
		if err == host {
			return ours
		}
	}
	panic(err)
}

// A comparison applies each operation twice: to the file system under test, and to the reference.
type comparison struct {
	t     *testing.T
	rand  *rand.Rand
	both  [2]posix
	open  []opened
	steps []string
}

type opened struct {
	name  string
	files [2]wasifs.File
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
		c.try("mkdir "+name, func(i int) string { return c.both[i].Mkdir(name).Error() })
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
	flag := []wasifs.Flag{wasifs.O_RDONLY, wasifs.O_RDWR, wasifs.O_WRONLY, wasifs.O_RDWR}[c.rand.IntN(4)]
	for _, more := range []wasifs.Flag{wasifs.O_APPEND, wasifs.O_CREAT, wasifs.O_CREAT, wasifs.O_TRUNC, wasifs.O_EXCL,
		wasifs.O_DIRECTORY} {
		if c.rand.IntN(4) == 0 {
			flag |= more
		}
	}
	if strings.HasSuffix(name, "/") {
		flag &^= wasifs.O_CREAT // systems differ
	}
	file := opened{name: name}
	c.try(fmt.Sprintf("open %s with %x", name, flag), func(i int) string {
		f, errno := c.both[i].Open(name, flag)
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
	if file.files[1].IsDir() && doing >= 7 {
		return // WASI refuses what Linux does
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
			return // Linux appends
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
			f, errno := c.both[i].Open(dir, wasifs.O_RDONLY)
			if errno != 0 {
				return errno.Error()
			}
			defer f.Close()
			entries, errno := f.List()
			var list []string
			for _, entry := range entries {
				list = append(list, entry.Name)
			}
			slices.Sort(list)
			return fmt.Sprint(list, errno)
		})
	}
}

func stat(st wasifs.Stat, errno wasifs.Errno) string {
	if errno != 0 {
		return errno.Error()
	}
	if st.Mode.IsDir() {
		return "a directory"
	}
	return fmt.Sprint(st.Mode.Type(), st.Size)
}

func count(n int, errno wasifs.Errno) string { return fmt.Sprint(n, errno) }
