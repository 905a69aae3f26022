package recording

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/vfs"
)

// A deck records what is asked of files, or answers it from a recording.
type deck interface {
	// value returns what live returns, or the JSON that was recorded of it.
	value(kind, about string, live func() (any, error)) (any, error)
	// transfer does the same for bytes that are read from a file, or written to one.
	transfer(kind, about string, data []byte, live func([]byte) (int, error)) (int, error)
}

// ask is value for a type.
func ask[T any](d deck, kind, about string, live func() (T, error)) (v T, err error) {
	answer, err := d.value(kind, about, func() (any, error) { return live() })
	if err != nil {
		return v, err
	}
	if text, ok := answer.(json.RawMessage); ok {
		if err := json.Unmarshal(text, &v); err != nil {
			return v, fmt.Errorf("recording: damaged: %s %s: %w", kind, about, err)
		}
		return v, nil
	}
	return answer.(T), nil
}

// nothing is the answer of operations that have only an error.
type nothing struct{}

func do(d deck, kind, about string, live func() error) error {
	_, err := ask(d, kind, about, func() (nothing, error) { return nothing{}, live() })
	return err
}

// files are files whose operations go through a deck. Their guest does one after the other.
type files struct {
	deck   deck
	base   afero.Fs // nil if the deck plays back
	opened *atomic.Int64
}

var _ vfs.Exclusive = (*files)(nil)

func newFiles(d deck, base afero.Fs) *files { return &files{d, base, new(atomic.Int64)} }

// on is the same view of other files.
func (f *files) on(base afero.Fs) *files { return &files{f.deck, base, f.opened} }

// liveFiles returns the files behind a view, for those whose operations are not recorded.
func liveFiles(given afero.Fs) afero.Fs {
	if f, ok := given.(*files); ok {
		return f.base
	}
	return given
}

// BeginCall is what [vfs.BeginCall] asks.
func (f *files) BeginCall(id string) (afero.Fs, func(), error) {
	if f.base == nil {
		return f, func() {}, nil
	}
	base, end, err := vfs.BeginCall(f.base, id)
	if err != nil {
		return nil, nil, err
	}
	return f.on(base), end, nil
}

// Exclusively implements [vfs.Exclusive]. What do does is recorded, and if the files cannot be had, that.
func (f *files) Exclusively(ctx context.Context, then func(afero.Fs) error) error {
	if f.base == nil {
		if err := do(f.deck, "lock", "", nil); err != nil {
			return err
		}
		return then(f)
	}
	locked := false
	err := vfs.Exclusively(ctx, f.base, func(base afero.Fs) error {
		locked = true
		_ = do(f.deck, "lock", "", func() error { return nil })
		return then(f.on(base))
	})
	if !locked {
		return do(f.deck, "lock", "", func() error { return err })
	}
	return err
}

// Usage is what [vfs.UsageOf] asks.
func (f *files) Usage(ctx context.Context) (vfs.Usage, error) {
	return ask(f.deck, "usage", "", func() (vfs.Usage, error) { return vfs.UsageOf(ctx, f.base) })
}

// Holding is what the function of that name asks.
func (f *files) Holding() <-chan struct{} {
	if f.base == nil {
		return nil
	}
	return vfs.Holding(f.base)
}

// IsReadOnly is what the function of that name asks.
func (f *files) IsReadOnly(name string) bool {
	is, _ := ask(f.deck, "readonly", name, func() (bool, error) { return vfs.IsReadOnly(f.base, name), nil })
	return is
}

// IsMount is what the function of that name asks.
func (f *files) IsMount(name string) bool {
	is, _ := ask(f.deck, "mount", name, func() (bool, error) { return vfs.IsMount(f.base, name), nil })
	return is
}

// Name implements [afero.Fs].
func (f *files) Name() string { return "recording" }

// Stat implements [afero.Fs].
func (f *files) Stat(name string) (fs.FileInfo, error) {
	return askInfo(f.deck, "stat", name, func() (fs.FileInfo, error) { return f.base.Stat(name) })
}

func askInfo(d deck, kind, about string, live func() (fs.FileInfo, error)) (fs.FileInfo, error) {
	i, err := ask(d, kind, about, func() (*info, error) {
		i, err := live()
		if err != nil {
			return nil, err
		}
		return newInfo(i), nil
	})
	if err != nil {
		return nil, err // and not a nil *info
	}
	if i == nil {
		i = &info{}
	}
	return i.given(), nil
}

// Mkdir implements [afero.Fs].
func (f *files) Mkdir(name string, perm os.FileMode) error {
	return do(f.deck, "mkdir", name, func() error { return f.base.Mkdir(name, perm) })
}

// MkdirAll implements [afero.Fs].
func (f *files) MkdirAll(name string, perm os.FileMode) error {
	return do(f.deck, "mkdirs", name, func() error { return f.base.MkdirAll(name, perm) })
}

// Remove implements [afero.Fs].
func (f *files) Remove(name string) error {
	return do(f.deck, "remove", name, func() error { return f.base.Remove(name) })
}

// RemoveAll implements [afero.Fs].
func (f *files) RemoveAll(name string) error {
	return do(f.deck, "removes", name, func() error { return f.base.RemoveAll(name) })
}

// Rename implements [afero.Fs].
func (f *files) Rename(from, to string) error {
	return do(f.deck, "rename", from+" to "+to, func() error { return f.base.Rename(from, to) })
}

// Chmod implements [afero.Fs].
func (f *files) Chmod(name string, mode os.FileMode) error {
	return do(f.deck, "chmod", fmt.Sprintf("%s %v", name, mode), func() error { return f.base.Chmod(name, mode) })
}

// Chown implements [afero.Fs].
func (f *files) Chown(name string, user, group int) error {
	about := fmt.Sprintf("%s %d:%d", name, user, group)
	return do(f.deck, "chown", about, func() error { return f.base.Chown(name, user, group) })
}

// Chtimes implements [afero.Fs].
func (f *files) Chtimes(name string, accessed, modified time.Time) error {
	about := fmt.Sprintf("%s %d", name, modified.UnixNano())
	return do(f.deck, "chtimes", about, func() error { return f.base.Chtimes(name, accessed, modified) })
}

// Create implements [afero.Fs].
func (f *files) Create(name string) (afero.File, error) {
	return f.open("create", name, func() (afero.File, error) { return f.base.Create(name) })
}

// Open implements [afero.Fs].
func (f *files) Open(name string) (afero.File, error) {
	return f.open("open", name, func() (afero.File, error) { return f.base.Open(name) })
}

// OpenFile implements [afero.Fs].
func (f *files) OpenFile(name string, flag int, perm os.FileMode) (afero.File, error) {
	return f.open("open "+flags(flag), name, func() (afero.File, error) { return f.base.OpenFile(name, flag, perm) })
}

// flags names flags, of which each system has other numbers.
func flags(flag int) string {
	text := "r"
	switch {
	case flag&os.O_RDWR != 0:
		text = "rw"
	case flag&os.O_WRONLY != 0:
		text = "w"
	}
	for _, f := range []struct {
		flag int
		name string
	}{{os.O_APPEND, "append"}, {os.O_CREATE, "create"}, {os.O_EXCL, "new"}, {os.O_SYNC, "sync"},
		{os.O_TRUNC, "empty"}} {
		if flag&f.flag == f.flag {
			text += "," + f.name
		}
	}
	return text
}

func (f *files) open(kind, name string, live func() (afero.File, error)) (afero.File, error) {
	var base afero.File
	err := do(f.deck, kind, name, func() (err error) {
		base, err = live()
		return err
	})
	if err != nil {
		return nil, err
	}
	return &file{f.deck, base, name, fmt.Sprintf("#%d %s", f.opened.Add(1), name)}, nil
}

// file is an open file. Its operations name it by which of the opened ones it is, and by its path.
type file struct {
	deck  deck
	base  afero.File // nil if the deck plays back
	name  string
	about string
}

// Name implements [afero.File].
func (f *file) Name() string { return f.name }

// Read implements [afero.File].
func (f *file) Read(data []byte) (int, error) {
	return f.deck.transfer(kindRead, f.about, data, func(data []byte) (int, error) { return f.base.Read(data) })
}

// ReadAt implements [afero.File].
func (f *file) ReadAt(data []byte, at int64) (int, error) {
	return f.deck.transfer(kindRead, fmt.Sprintf("%s at %d", f.about, at), data, func(data []byte) (int, error) {
		return f.base.ReadAt(data, at)
	})
}

// Write implements [afero.File].
func (f *file) Write(data []byte) (int, error) {
	return f.deck.transfer(kindWrite, f.about, data, func(data []byte) (int, error) { return f.base.Write(data) })
}

// WriteString implements [afero.File].
func (f *file) WriteString(text string) (int, error) { return f.Write([]byte(text)) }

// WriteAt implements [afero.File].
func (f *file) WriteAt(data []byte, at int64) (int, error) {
	return f.deck.transfer(kindWrite, fmt.Sprintf("%s at %d", f.about, at), data, func(data []byte) (int, error) {
		return f.base.WriteAt(data, at)
	})
}

// Seek implements [afero.File].
func (f *file) Seek(offset int64, whence int) (int64, error) {
	about := fmt.Sprintf("%s %d from %d", f.about, offset, whence)
	return ask(f.deck, "seek", about, func() (int64, error) { return f.base.Seek(offset, whence) })
}

// Truncate implements [afero.File].
func (f *file) Truncate(size int64) error {
	return do(f.deck, "truncate", fmt.Sprintf("%s to %d", f.about, size), func() error { return f.base.Truncate(size) })
}

// Sync implements [afero.File].
func (f *file) Sync() error {
	return do(f.deck, "sync", f.about, func() error { return f.base.Sync() })
}

// Close implements [afero.File].
func (f *file) Close() error {
	return do(f.deck, "close", f.about, func() error { return f.base.Close() })
}

// Stat implements [afero.File].
func (f *file) Stat() (fs.FileInfo, error) {
	return askInfo(f.deck, "fstat", f.about, func() (fs.FileInfo, error) { return f.base.Stat() })
}

// listed is the answer of a directory, which can have entries, or names, and an error.
type listed struct {
	Entries []*info  `json:"entries,omitempty"`
	Names   []string `json:"names,omitempty"`
	Error   *failure `json:"error,omitempty"`
}

func (f *file) list(kind string, count int, live func(*listed) error) (*listed, error) {
	var failed error
	l, err := ask(f.deck, kind, fmt.Sprintf("%s %d", f.about, count), func() (*listed, error) {
		l := &listed{}
		failed = live(l)
		l.Error = newFailure(failed)
		return l, nil
	})
	if err != nil || l == nil {
		return &listed{}, err
	}
	return l, cmp.Or(failed, l.Error.error())
}

// Readdir implements [afero.File].
func (f *file) Readdir(count int) (infos []fs.FileInfo, err error) {
	l, err := f.list("list", count, func(l *listed) error {
		infos, err := f.base.Readdir(count)
		for _, i := range infos {
			l.Entries = append(l.Entries, newInfo(i))
		}
		return err
	})
	for _, i := range l.Entries {
		if i != nil {
			infos = append(infos, i.given())
		}
	}
	return infos, err
}

// Readdirnames implements [afero.File].
func (f *file) Readdirnames(count int) ([]string, error) {
	l, err := f.list("names", count, func(l *listed) (err error) {
		l.Names, err = f.base.Readdirnames(count)
		return err
	})
	return l.Names, err
}

// info describes a file. It implements [fs.FileInfo].
type info struct {
	File  string      `json:"name"`
	Bytes int64       `json:"size,omitempty"`
	Bits  fs.FileMode `json:"mode,omitempty"`
	Time  int64       `json:"time,omitempty"` // nanoseconds since 1970

	live fs.FileInfo // nil if it comes from a recording
}

// given returns what the files have given, where that is known.
func (i *info) given() fs.FileInfo {
	if i.live != nil {
		return i.live
	}
	return i
}

func newInfo(i fs.FileInfo) *info {
	return &info{i.Name(), i.Size(), i.Mode(), i.ModTime().UnixNano(), i}
}

func (i *info) Name() string       { return i.File }
func (i *info) Size() int64        { return i.Bytes }
func (i *info) Mode() fs.FileMode  { return i.Bits }
func (i *info) ModTime() time.Time { return time.Unix(0, i.Time) }
func (i *info) IsDir() bool        { return i.Bits.IsDir() }
func (i *info) Sys() any           { return nil }

// stdin is standard input that goes through a deck.
type stdin struct {
	deck deck
	base io.Reader // nil if the deck plays back
}

func (s stdin) Read(data []byte) (int, error) {
	return s.deck.transfer(kindStdin, "", data, func(data []byte) (int, error) { return s.base.Read(data) })
}
