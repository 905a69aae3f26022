package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/storetest"
	"github.com/toolrun/toolrun/internal/test/wrapfs"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

var archiveFormats = []Format{Zip, Tar, TarGzip}

// An archiveItem is an entry of an archive that is made for a test.
type archiveItem struct {
	name, body string
	// kind is a type of a tar's header; 0 is a file, or a directory if the name ends in a slash.
	kind byte
	mode fs.FileMode
	time time.Time
}

// packed returns an archive of the items, made by archive/zip and archive/tar, and nothing of this package.
func packed(t testing.TB, format Format, items ...archiveItem) []byte {
	t.Helper()
	var out bytes.Buffer
	switch format {
	case Zip:
		w := zip.NewWriter(&out)
		for _, item := range items {
			item.zip(t, w)
		}
		require.NoError(t, w.Close())
	case Tar:
		w := tar.NewWriter(&out)
		for _, item := range items {
			item.tar(t, w)
		}
		require.NoError(t, w.Close())
	case TarGzip:
		return gzipped(t, packed(t, Tar, items...))
	}
	return out.Bytes()
}

func gzipped(t testing.TB, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

func (i archiveItem) zip(t testing.TB, w *zip.Writer) {
	t.Helper()
	kinds := map[byte]fs.FileMode{
		tar.TypeSymlink: fs.ModeSymlink, tar.TypeFifo: fs.ModeNamedPipe,
		tar.TypeChar:  fs.ModeDevice | fs.ModeCharDevice,
		tar.TypeBlock: fs.ModeDevice, tar.TypeDir: fs.ModeDir,
	}
	h := &zip.FileHeader{Name: i.name, Method: zip.Deflate, Modified: i.time}
	if i.mode != 0 || i.kind != 0 {
		h.SetMode(i.mode | kinds[i.kind])
	}
	if len(i.body)%2 == 0 {
		h.Method = zip.Store
	}
	content, err := w.CreateHeader(h)
	require.NoError(t, err)
	_, err = io.WriteString(content, i.body)
	require.NoError(t, err)
}

func (i archiveItem) tar(t testing.TB, w *tar.Writer) {
	t.Helper()
	h := &tar.Header{Name: i.name, Size: int64(len(i.body)), Mode: int64(i.mode), Typeflag: i.kind, ModTime: i.time}
	switch i.kind {
	case 0:
		h.Typeflag = tar.TypeReg
		if strings.HasSuffix(i.name, "/") {
			h.Typeflag = tar.TypeDir
		}
	case tar.TypeLink, tar.TypeSymlink:
		h.Linkname, h.Size, i.body = i.body, 0, ""
	}
	require.NoError(t, w.WriteHeader(h))
	_, err := io.WriteString(w, i.body)
	require.NoError(t, err)
}

// archiveSnapshot is everything that an import could change.
func archiveSnapshot(t testing.TB, p vfs.Project) []string {
	t.Helper()
	list := archiveTree(t, p)
	usage, err := p.Usage(t.Context())
	require.NoError(t, err)
	list = append(list, fmt.Sprintf("%+v", usage))
	changes, err := p.Changes(t.Context(), "/")
	require.NoError(t, err)
	for _, change := range changes {
		list = append(list, fmt.Sprintf("%+v", change))
	}
	return list
}

// archiveTree lists all files and directories with their modes, times and contents.
func archiveTree(t testing.TB, p afero.Fs) []string {
	t.Helper()
	list := []string{}
	require.NoError(t, afero.Walk(p, "/", func(name string, info fs.FileInfo, err error) error {
		if err != nil || name == "/" {
			return err
		}
		line := fmt.Sprintf("%s %v %d", name, info.Mode(), info.ModTime().UnixNano())
		if info.Mode().IsRegular() {
			data, err := afero.ReadFile(p, name)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %d %08x", len(data), crc32.ChecksumIEEE(data))
		}
		list = append(list, line)
		return nil
	}))
	return list
}

// checkArchiveUsage compares what the project says that it holds with what it holds.
func checkArchiveUsage(t testing.TB, p vfs.Project) {
	t.Helper()
	usage, err := p.Usage(t.Context())
	require.NoError(t, err)
	bytes, files := int64(0), int64(-1) // but the root
	require.NoError(t, afero.Walk(p, "/", func(_ string, info fs.FileInfo, err error) error {
		bytes += info.Size()
		files++
		return err
	}))
	require.Equal(t, [2]int64{bytes, files}, [2]int64{usage.Bytes, usage.Files})
}

// archiveUsage is the files that the project says that it holds.
func archiveUsage(t testing.TB, p vfs.Project) [2]int64 {
	t.Helper()
	usage, err := p.Usage(t.Context())
	require.NoError(t, err)
	return [2]int64{usage.Bytes, usage.Files}
}

func archiveProject(t testing.TB, store vfs.Store) vfs.Project {
	t.Helper()
	return storetest.Open(t, store, "project")
}

func writeArchiveFiles(t testing.TB, p vfs.Project, items ...archiveItem) {
	t.Helper()
	for _, item := range items {
		if strings.HasSuffix(item.name, "/") {
			require.NoError(t, p.MkdirAll(item.name, 0o755))
		} else {
			require.NoError(t, vfs.WriteFile(t.Context(), p, item.name, []byte(item.body)))
		}
	}
	// Files in a directory change its time.
	for _, item := range slices.Backward(items) {
		if item.mode != 0 {
			require.NoError(t, p.Chmod(item.name, item.mode))
		}
		if !item.time.IsZero() {
			require.NoError(t, p.Chtimes(item.name, item.time, item.time))
		}
	}
}

func importBytes(t testing.TB, p afero.Fs, data []byte, format Format) (Result, error) {
	t.Helper()
	return Import(t.Context(), p, bytes.NewReader(data), format)
}

func exported(t testing.TB, p afero.Fs, format Format) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, Export(t.Context(), p, &out, format))
	return out.Bytes()
}

func TestFormatOf(t *testing.T) {
	for name, want := range map[string]Format{
		"a.zip": Zip, "/b/A.ZIP": Zip, "a.tar": Tar, "a.tar.gz": TarGzip, "a.TGZ": TarGzip, "a.zip.tar": Tar,
		"zip": "", "a.gz": "", "a.tar.bz2": "", "a.zip/": "", "": "",
	} {
		format, ok := FormatOf(name)
		require.Equal(t, want, format, name)
		require.Equal(t, want != "", ok, name)
	}
}

func TestUnknownFormat(t *testing.T) {
	p := archiveProject(t, local.NewMemoryStore(nil))
	require.ErrorIs(t, Export(t.Context(), p, io.Discard, "rar"), fs.ErrInvalid)
	_, err := Import(t.Context(), p, strings.NewReader(""), "")
	require.ErrorIs(t, err, fs.ErrInvalid)
}

// deepDirectory is a path of deepNames names.
const (
	deepDirectory = "d/d/d/d/d/d/d/d/d/d"
	deepNames     = 10
)

// archiveFiles are files that are not easy to pack.
func archiveFiles() []archiveItem {
	at := func(s string) time.Time {
		parsed, err := time.Parse(time.DateTime, s)
		if err != nil {
			panic(err)
		}
		return parsed
	}
	random := make([]byte, 300_000) // that does not get smaller
	for i := range random {
		random[i] = byte(i * i >> 7)
	}
	return []archiveItem{
		{name: "/a file with spaces.txt", body: "spaces", mode: 0o640, time: at("2020-02-29 23:59:59")},
		{name: "/Äpfel & Birnen — 日本.txt", body: "Obst", mode: 0o600, time: at("1999-12-31 23:59:59")},
		{name: "/empty.txt", mode: 0o644, time: at("1970-01-01 00:00:00")},
		{name: "/empty/", mode: 0o700, time: at("2001-01-01 00:00:01")},
		{name: "/full/", mode: 0o750, time: at("2011-11-11 11:11:11")},
		{name: "/full/run.sh", body: "#!/bin/sh", mode: 0o755, time: at("2099-12-31 23:59:59")},
		{name: "/full/.hidden", body: ".", mode: 0o604, time: at("1980-01-01 00:00:00")},
		{name: "/full/random", body: string(random), mode: 0o644, time: at("2024-06-01 12:00:00")},
		{name: "/full/zeros", body: strings.Repeat("\x00", 200_000), mode: 0o644, time: at("2024-06-01 12:00:01")},
		{name: "/" + deepDirectory + "/leaf", body: "deep", mode: 0o644, time: at("2024-06-01 12:00:02")},
		{name: "/" + strings.Repeat("n", vfs.MaxName), body: "long", mode: 0o644, time: at("2024-06-01 12:00:03")},
		{name: "/a-", body: "sorts before a/", mode: 0o644, time: at("2024-06-01 12:00:04")},
		{name: "/a/", mode: 0o755, time: at("2024-06-01 12:00:05")},
		{name: "/a/b", body: "b", mode: 0o644, time: at("2024-06-01 12:00:06")},
	}
}

func TestArchiveRoundTrip(t *testing.T) {
	storetest.Each(t, &vfs.Options{NoSync: true}, func(t *testing.T, p vfs.Project) {
		writeArchiveFiles(t, p, archiveFiles()...)
		for dir := deepDirectory; dir != "."; dir = path.Dir(dir) {
			require.NoError(t, p.Chtimes(dir, time.Unix(1e9, 0), time.Unix(1e9, 0))) // to the second
		}
		want := archiveTree(t, p)
		bytesOfAll := int64(0)
		for _, item := range archiveFiles() {
			bytesOfAll += int64(len(item.body))
		}
		for _, format := range archiveFormats {
			t.Run(string(format), func(t *testing.T) {
				archive := exported(t, p, format)
				require.Equal(t, archive, exported(t, p, format), "the same files make the same archive")
				storetest.Each(t, &vfs.Options{NoSync: true}, func(t *testing.T, other vfs.Project) {
					result, err := importBytes(t, other, archive, format)
					require.NoError(t, err)
					require.Equal(t, want, archiveTree(t, other))
					require.Equal(t, int64(11), result.Files)
					require.Equal(t, int64(3+deepNames), result.Directories)
					require.Equal(t, bytesOfAll, result.Bytes)
					checkArchiveUsage(t, other)
					require.Equal(t, archive, exported(t, other, format), "on every store")
					_, err = other.Undo(t.Context(), result.Call)
					require.NoError(t, err)
					require.Empty(t, archiveTree(t, other))
					checkArchiveUsage(t, other)
				})
			})
		}
		checkArchiveUsage(t, p)
	})
}

func TestArchiveOfDeepFiles(t *testing.T) {
	name := strings.Repeat("/"+strings.Repeat("ü", 31), vfs.MaxDepth)
	for _, format := range archiveFormats {
		p, other := archiveProject(t, local.NewMemoryStore(nil)), archiveProject(t, local.NewMemoryStore(nil))
		writeArchiveFiles(t, p, archiveItem{name: name, body: "deep"})
		_, err := importBytes(t, other, exported(t, p, format), format)
		require.NoError(t, err)
		data, err := afero.ReadFile(other, name)
		require.NoError(t, err)
		require.Equal(t, "deep", string(data))
	}
}

func TestExportOfNothing(t *testing.T) {
	storetest.Each(t, nil, func(t *testing.T, p vfs.Project) {
		for _, format := range archiveFormats {
			result, err := importBytes(t, p, exported(t, p, format), format)
			require.NoError(t, err)
			require.Zero(t, result.Files+result.Directories)
			require.Empty(t, archiveTree(t, p))
		}
	})
}

// Programs other than this must find the same in the archives.
func TestExportIsOrdered(t *testing.T) {
	p := archiveProject(t, local.NewMemoryStore(nil))
	writeArchiveFiles(t, p, archiveItem{name: "/b/y"}, archiveItem{name: "/b/x"}, archiveItem{name: "/b-"},
		archiveItem{name: "/a/"})
	want := []string{"a/", "b/", "b/x", "b/y", "b-"}
	var names []string
	data := exported(t, p, Zip)
	zipped, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	for _, f := range zipped.File {
		names = append(names, f.Name)
	}
	require.ElementsMatch(t, want, names)
	require.Equal(t, []string{"a/", "b/", "b/x", "b/y", "b-"}, names)
	names = nil
	entries := tar.NewReader(bytes.NewReader(exported(t, p, Tar)))
	for h, err := entries.Next(); err != io.EOF; h, err = entries.Next() {
		require.NoError(t, err)
		names = append(names, h.Name)
	}
	require.Equal(t, want, names)
}

func TestExportLeavesOutLinksAndItsOwn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making links needs a privilege")
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o644))
	require.NoError(t, os.Symlink("file", filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink("/etc", filepath.Join(dir, "etc")))
	p, err := local.OpenDir(dir, nil)
	require.NoError(t, err)
	defer p.Close()
	_, err = p.Usage(t.Context()) // makes what is the project's own
	require.NoError(t, err)
	for _, format := range archiveFormats {
		other := archiveProject(t, local.NewMemoryStore(nil))
		result, err := importBytes(t, other, exported(t, p, format), format)
		require.NoError(t, err)
		require.Equal(t, int64(1), result.Files)
		require.Len(t, archiveTree(t, other), 1)
	}
}

// A hooked file system does something before files are opened.
type hooked struct {
	afero.Fs
	onOpen func(name string)
}

func (h hooked) Open(name string) (afero.File, error) {
	h.onOpen(name)
	return h.Fs.Open(name)
}

func TestExportWhileFilesChange(t *testing.T) {
	big := strings.Repeat("0123456789", 50_000)
	for _, format := range archiveFormats {
		for _, test := range []struct {
			name   string
			change func(t *testing.T, p vfs.Project)
			err    error
			want   string // the content of /b, or "" for none
		}{
			{"nothing", func(*testing.T, vfs.Project) {}, nil, big},
			{"removed", func(t *testing.T, p vfs.Project) { require.NoError(t, p.Remove("/b")) }, nil, ""},
			{"replaced", func(t *testing.T, p vfs.Project) {
				require.NoError(t, vfs.WriteFile(t.Context(), p, "/b", []byte("new")))
			}, nil, "new"},
			{"replaced by a directory", func(t *testing.T, p vfs.Project) {
				require.NoError(t, p.Remove("/b"))
				require.NoError(t, p.Mkdir("/b", 0o755))
			}, nil, ""},
		} {
			t.Run(string(format)+" "+test.name, func(t *testing.T) {
				p := archiveProject(t, local.NewMemoryStore(nil))
				writeArchiveFiles(t, p, archiveItem{name: "/a", body: "a"}, archiveItem{name: "/b", body: big},
					archiveItem{name: "/c", body: "c"})
				archive := exported(t, hooked{p, func(name string) {
					if name == "/a" {
						test.change(t, p)
					}
				}}, format)
				other := archiveProject(t, local.NewMemoryStore(nil))
				_, err := importBytes(t, other, archive, format)
				require.NoError(t, err)
				data, err := afero.ReadFile(other, "/b")
				if test.want == "" {
					require.ErrorIs(t, err, fs.ErrNotExist)
				} else {
					require.NoError(t, err)
					require.Equal(t, test.want, string(data))
				}
				data, err = afero.ReadFile(other, "/c")
				require.NoError(t, err)
				require.Equal(t, "c", string(data))
			})
		}
	}
}

// writerFunc is an [io.Writer].
type writerFunc func(b []byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// readerFunc is an [io.Reader].
type readerFunc func(b []byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

func TestExportOfFileWrittenInPlace(t *testing.T) {
	random := archiveFiles()[7].body
	for _, format := range []Format{Zip, Tar} {
		for _, size := range []int64{0, int64(len(random)) + 5} {
			p := archiveProject(t, local.NewMemoryStore(nil))
			writeArchiveFiles(t, p, archiveItem{name: "/a", body: random + random})
			var out bytes.Buffer
			truncated := false
			err := Export(t.Context(), p, writerFunc(func(b []byte) (int, error) {
				if !truncated && out.Len() > 1000 {
					truncated = true
					f, err := p.OpenFile("/a", os.O_RDWR, 0)
					require.NoError(t, err)
					require.NoError(t, f.Truncate(size))
					if size > 0 {
						require.NoError(t, f.Truncate(3*int64(len(random))))
					}
					require.NoError(t, f.Close())
				}
				return out.Write(b)
			}), format)
			require.True(t, truncated)
			if size == 0 {
				require.ErrorIs(t, err, io.ErrUnexpectedEOF)
				var pe *fs.PathError
				require.ErrorAs(t, err, &pe)
				require.Equal(t, "/a", pe.Path)
				continue
			}
			require.NoError(t, err)
			other := archiveProject(t, local.NewMemoryStore(nil))
			result, err := importBytes(t, other, out.Bytes(), format)
			require.NoError(t, err)
			require.Equal(t, int64(2*len(random)), result.Bytes)
		}
	}
}

func TestExportFails(t *testing.T) {
	p := archiveProject(t, local.NewMemoryStore(nil))
	writeArchiveFiles(t, p, archiveFiles()...)
	full := errors.New("full")
	for _, format := range archiveFormats {
		for _, room := range []int{0, 1000, len(exported(t, p, format)) - 1} {
			written := 0
			err := Export(t.Context(), p, writerFunc(func(b []byte) (int, error) {
				if written += len(b); written > room {
					return 0, full
				}
				return len(b), nil
			}), format)
			require.ErrorIs(t, err, full)
		}
		ctx, cancel := context.WithCancel(t.Context())
		err := Export(ctx, p, writerFunc(func(b []byte) (int, error) {
			cancel()
			return len(b), nil
		}), format)
		require.ErrorIs(t, err, context.Canceled)
	}
	directories := archiveProject(t, local.NewMemoryStore(nil))
	writeArchiveFiles(t, directories, archiveItem{name: "/a/"}, archiveItem{name: "/b/"})
	ctx, cancel := context.WithCancel(t.Context())
	require.ErrorIs(t, Export(ctx, directories, writerFunc(func(b []byte) (int, error) {
		cancel()
		return len(b), nil
	}), Tar), context.Canceled)
	dir, err := local.OpenDir(t.TempDir(), nil)
	require.NoError(t, err)
	require.NoError(t, dir.Close())
	require.ErrorIs(t, Export(t.Context(), dir, io.Discard, Tar), fs.ErrClosed)
	_, err = Import(t.Context(), dir, strings.NewReader(""), Tar)
	require.ErrorIs(t, err, fs.ErrClosed)
}

// Others do not wait for an export that nobody reads, nor for an import that nobody writes.
func TestArchivesHoldNoLock(t *testing.T) {
	storetest.Each(t, &vfs.Options{NoSync: true}, func(t *testing.T, p vfs.Project) {
		writeArchiveFiles(t, p, archiveFiles()...)
		for _, format := range archiveFormats {
			from, to := io.Pipe()
			done := make(chan error, 1)
			go func() {
				result, err := Import(context.Background(), p, from, format)
				if err == nil && result.Files < 11 {
					err = fmt.Errorf("%+v", result)
				}
				done <- err
			}()
			require.NoError(t, Export(t.Context(), p, writerFunc(func(b []byte) (int, error) {
				if err := afero.WriteFile(p, "/meanwhile", b[:min(len(b), 10)], 0o644); err != nil {
					return 0, err
				}
				return to.Write(b)
			}), format))
			require.NoError(t, to.Close())
			require.NoError(t, <-done)
			checkArchiveUsage(t, p)
		}
	})
}

// archiveQuota is that of the projects that are attacked.
var archiveQuota = vfs.Options{Quota: vfs.Quota{Bytes: 20_000, Files: 30, FileSize: 8_000}, NoSync: true}

// attackedFiles is what projects have that are attacked: 6 files and directories, 41 bytes.
var attackedFiles = []archiveItem{
	{name: "/Readme.md", body: "read me", mode: 0o640, time: time.Unix(1e9, 0)},
	{name: "/dir/", mode: 0o750, time: time.Unix(1e9+1, 0)},
	{name: "/dir/inner.txt", body: "inner inner inner"},
	{name: "/dir/sub/"},
	{name: "/straße", body: "street"},
	{name: "/old", body: "old content"},
}

// An archiveAttack is an archive that must be refused, and one that is almost the same and harmless.
type archiveAttack struct {
	name string
	// items makes the entries of an archive of any format; or build makes an archive of one of the formats.
	items   func(evil bool) []archiveItem
	build   func(t testing.TB, format Format, evil bool) []byte
	formats []Format
	// want is what the error is, and reason part of its text.
	want   error
	reason string
}

func pick[T any](evil bool, attack, control T) T {
	if evil {
		return attack
	}
	return control
}

// named attacks by a name.
func named(name, attack, control string, reason string) archiveAttack {
	return archiveAttack{name: name, want: fs.ErrInvalid, reason: reason, items: func(evil bool) []archiveItem {
		return []archiveItem{{name: "first", body: "1"}, {name: pick(evil, attack, control), body: "2"},
			{name: "last", body: "3"}}
	}}
}

// paired attacks by a second entry that does not go with the first.
func paired(name string, first, attack, control archiveItem, want error, reason string) archiveAttack {
	return archiveAttack{name: name, want: want, reason: reason, items: func(evil bool) []archiveItem {
		return []archiveItem{first, pick(evil, attack, control)}
	}}
}

func archiveAttacks() []archiveAttack {
	file := func(name string) archiveItem {
		return archiveItem{name: name, body: pick(strings.HasSuffix(name, "/"), "", "content")}
	}
	sized := func(name string, size int) archiveItem {
		return archiveItem{name: name, body: strings.Repeat("x", size)}
	}
	special := func(kind byte) archiveItem { return archiveItem{name: "special", body: "", kind: kind, mode: 0o644} }
	attacks := []archiveAttack{
		named("absolute path", "/etc/passwd", "etc/passwd", "absolute"),
		named("two slashes in front", "//etc/passwd", "etc/passwd", "absolute"),
		named("parent directory", "../up", "up", `".."`),
		named("parent directory inside", "a/../up", "a/up", `".."`),
		named("parent directory far up", "a/../../../../up", "a/up", `".."`),
		named("parent directory after dot", "./../up", "./up", `".."`),
		named("parent directory at the end", "a/..", "a/...", `".."`),
		named("dot inside", "a/./b", "a/.b", `"."`),
		named("dot twice", "././b", "./b", `"."`),
		named("dot as a file", ".", ".a", `"."`),
		named("two slashes", "a//b", "a/b", "empty"),
		named("slash behind dot", ".//a", "./a", "empty"),
		named("backslashes", `..\up`, "..up", "backslash"),
		named("backslash inside", `a\b`, "a_b", "backslash"),
		named("drive", `C:\x`, "C_x", "backslash"),
		named("line feed", "a\nb", "a b", "control"),
		named("control character of Latin-1", "a\u0085b", "a b", "control"),
		named("not UTF-8", "a\xffb", "a\u00ffb", "UTF-8"),
		named("long name", strings.Repeat("n", vfs.MaxName+1), strings.Repeat("n", vfs.MaxName), "too long"),
		named("deep path", strings.Repeat("d/", vfs.MaxDepth)+"f", strings.Repeat("d/", 20)+"f", "deep"),
		named("own directory", ".toolrun/state", "toolrun/state", "reserved"),
		named("own directory in capitals", ".TOOLRUN/tmp/x", "TOOLRUN/tmp/x", "reserved"),
		named("own directory itself", ".toolrun", ".toolrunx", "reserved"),
		named("own directory inside", "a/.toolrun/x", "a/.toolrunx/x", "reserved"),
		paired("the same file twice", file("a"), file("a"), file("b"), fs.ErrInvalid, "more than once"),
		paired("the same file by another name", file("a"), file("./a"), file("./b"), fs.ErrInvalid, "more than once"),
		paired("the same directory twice", file("a/"), file("a/"), file("b/"), fs.ErrInvalid, "more than once"),
		paired("the root twice", file("./"), file("./"), file("./a/"), fs.ErrInvalid, "more than once"),
		paired("case", file("a/Makefile"), file("a/makefile"), file("a/makefiles"), fs.ErrExist, "differs in case"),
		paired("case of a directory", file("A/x"), file("a/y"), file("A/y"), fs.ErrExist, "differs in case"),
		paired("folding", file("Maß"), file("MASS"), file("Masse"), fs.ErrExist, "differs in case"),
		paired("Unicode form", file("\u00e9"), file("e\u0301"), file("e"), fs.ErrInvalid, "more than once"),
		paired("file and directory", file("a"), file("a/"), file("b/"), fs.ErrInvalid, "more than once"),
		paired("in a file", file("a"), file("a/b"), file("b/b"), fs.ErrInvalid, "is a file"),
		paired("around a file", file("a/b"), file("a"), file("b"), fs.ErrInvalid, "something is in it"),
		paired("symbolic link", file("a"), special(tar.TypeSymlink), file("special"), fs.ErrInvalid, "link"),
		paired("pipe", file("a"), special(tar.TypeFifo), file("special"), fs.ErrInvalid, "pipe"),
		paired("device", file("a"), special(tar.TypeBlock), file("special"), fs.ErrInvalid, "device"),
		paired("terminal", file("a"), special(tar.TypeChar), file("special"), fs.ErrInvalid, "device"),
		paired("large file", file("a"), sized("b", 8_001), sized("b", 8_000), syscall.ENOSPC, "8000 bytes"),
		{name: "many bytes", want: syscall.ENOSPC, reason: "20000 bytes", items: func(evil bool) []archiveItem {
			return []archiveItem{sized("a", 7_000), sized("b", 7_000), sized("c", pick(evil, 6_001, 5_900))}
		}},
		{name: "many bytes with what is there", want: syscall.ENOSPC, reason: "20000",
			items: func(evil bool) []archiveItem {
				return []archiveItem{sized("a", 7_000), sized("b", 7_000), sized("c", pick(evil, 5_960, 5_959))}
			}},
		{name: "many files", want: syscall.ENOSPC, reason: "30 files", items: func(evil bool) (items []archiveItem) {
			for i := range pick(evil, 31, 24) {
				items = append(items, file(fmt.Sprint(i)))
			}
			return items
		}},
		{name: "many files with what is there", want: syscall.ENOSPC, reason: "30",
			items: func(evil bool) (items []archiveItem) {
				for i := range pick(evil, 25, 24) {
					items = append(items, file(fmt.Sprint(i)))
				}
				return items
			}},
		named2("many directories", strings.Repeat("d/", 23)+"f", strings.Repeat("d/", 22)+"f", syscall.ENOSPC,
			"30 files"),
		named2("file over directory", "dir", "dirs", syscall.EISDIR, "directory"),
		named2("directory over file", "old/", "older/", syscall.ENOTDIR, "file"),
		named2("directory of something over file", "old/a/b", "older/a/b", syscall.ENOTDIR, "file"),
		named2("case of what is there", "README.md", "Readme.md", fs.ErrExist, "differs in case"),
		named2("case of a directory there", "Dir/x", "dir/x", fs.ErrExist, "differs in case"),
		named2("case in a directory there", "dir/Inner.txt", "dir/inner.txt", fs.ErrExist, "differs in case"),
		named2("folding of what is there", "STRASSE", "straße", fs.ErrExist, "differs in case"),
	}
	return slices.Concat(attacks, damagedArchives(), zipAttacks(), tarAttacks())
}

// named2 attacks by a name that does not go with what is there.
func named2(name, attack, control string, want error, reason string) archiveAttack {
	return archiveAttack{name: name, want: want, reason: reason, items: func(evil bool) []archiveItem {
		item := archiveItem{name: pick(evil, attack, control)}
		if !strings.HasSuffix(item.name, "/") {
			item.body = "2"
		}
		return []archiveItem{{name: "first", body: "1"}, item}
	}}
}

// someItems are harmless.
var someItems = []archiveItem{
	{name: "a.txt", body: "the first"}, {name: "d/", mode: 0o755}, {name: "d/b.txt", body: "second"}, {name: "d/c"},
}

// damagedArchives are made of good ones by changing bytes.
func damagedArchives() []archiveAttack {
	damage := func(name, reason string, do func(data []byte) []byte, formats ...Format) archiveAttack {
		build := func(t testing.TB, format Format, evil bool) []byte {
			data := packed(t, format, someItems...)
			if evil {
				data = do(data)
			}
			return data
		}
		return archiveAttack{name: name, build: build, formats: formats, want: fs.ErrInvalid, reason: reason}
	}
	tars := []Format{Tar, TarGzip}
	return []archiveAttack{
		damage("nothing at all", "", func([]byte) []byte { return nil }, archiveFormats...),
		damage("something else", "", func([]byte) []byte { return []byte(strings.Repeat("no archive ", 500)) },
			archiveFormats...),
		damage("the other format", "", func(data []byte) []byte { return gzippedBytes(data) }, archiveFormats...),
		damage("half of it", "", func(data []byte) []byte { return data[:len(data)/2] }, archiveFormats...),
		damage("all but a byte", "", func(data []byte) []byte { return data[:len(data)-1] }, archiveFormats...),
		damage("a byte of content", "checksum", func(data []byte) []byte {
			at := bytes.Index(data, []byte("second"))
			data[at] ^= 1
			return data
		}, Zip),
		damage("a byte of a header", "header", func(data []byte) []byte { data[1030] ^= 1; return data }, Tar),
		damage("a byte of the checksum", "checksum", func(data []byte) []byte { data[len(data)-5] ^= 1; return data },
			TarGzip),
		damage("a byte of the length", "checksum", func(data []byte) []byte { data[len(data)-1] ^= 1; return data },
			TarGzip),
		damage("a byte behind it", "", func(data []byte) []byte { return append(data, 'x') }, archiveFormats...),
		damage("a block behind it", "", func(data []byte) []byte { return append(data, make([]byte, 511+512)...) }, Zip,
			TarGzip),
		damage("itself behind it", "", func(data []byte) []byte { return append(data, data...) }, tars...),
	}
}

func gzippedBytes(data []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(data)
	_ = w.Close()
	return out.Bytes()
}

// deflated returns data as zips have it.
func deflated(data []byte) []byte {
	var out bytes.Buffer
	w, _ := flate.NewWriter(&out, flate.BestCompression)
	_, _ = w.Write(data)
	_ = w.Close()
	return out.Bytes()
}

// rawZip returns a zip whose second entry, "raw", is just what the header and the content say.
func rawZip(t testing.TB, content []byte, change func(h *zip.FileHeader)) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	archiveItem{name: "first", body: "1"}.zip(t, w)
	h := &zip.FileHeader{
		Name: "raw", Method: zip.Store, CRC32: crc32.ChecksumIEEE(content),
		CompressedSize64: uint64(len(content)), UncompressedSize64: uint64(len(content)),
	}
	change(h)
	raw, err := w.CreateRaw(h)
	require.NoError(t, err)
	_, err = raw.Write(content)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

// registerBzip2 makes archive/zip take bzip2 for something that it knows, as any package of the process can.
var registerBzip2 = sync.OnceFunc(func() { zip.RegisterDecompressor(12, io.NopCloser) })

func zipAttacks() []archiveAttack {
	registerBzip2()
	content := []byte(strings.Repeat("some content ", 50))
	raw := func(name, reason string, want error, change func(h *zip.FileHeader)) archiveAttack {
		build := func(t testing.TB, _ Format, evil bool) []byte {
			return rawZip(t, content, func(h *zip.FileHeader) {
				if evil {
					change(h)
				}
			})
		}
		return archiveAttack{name: name, build: build, formats: []Format{Zip}, want: want, reason: reason}
	}
	slashed := func(name, reason string, change func(h *zip.FileHeader)) archiveAttack {
		attack := raw(name, reason, fs.ErrInvalid, change)
		build := attack.build
		attack.build = func(t testing.TB, format Format, evil bool) []byte {
			return bytes.ReplaceAll(build(t, format, evil), []byte("raw"), []byte(pick(evil, "aw/", "awe")))
		}
		return attack
	}
	squeezed := func(name, reason string, size uint64) archiveAttack {
		build := func(t testing.TB, _ Format, evil bool) []byte {
			return rawZip(t, deflated(content), func(h *zip.FileHeader) {
				h.Method, h.CRC32, h.UncompressedSize64 = zip.Deflate, crc32.ChecksumIEEE(content), uint64(len(content))
				if evil {
					h.UncompressedSize64 = size
				}
			})
		}
		return archiveAttack{name: name, build: build, formats: []Format{Zip}, want: fs.ErrInvalid, reason: reason}
	}
	built := func(name, reason string, want error, build func(t testing.TB, evil bool) []byte) archiveAttack {
		return archiveAttack{name: name, formats: []Format{Zip}, want: want, reason: reason,
			build: func(t testing.TB, _ Format, evil bool) []byte { return build(t, evil) }}
	}
	return []archiveAttack{
		raw("encrypted", "encrypted", fs.ErrInvalid, func(h *zip.FileHeader) { h.Flags |= 1 }),
		raw("strongly encrypted", "encrypted", fs.ErrInvalid, func(h *zip.FileHeader) { h.Flags |= 1 << 6 }),
		raw("names encrypted", "encrypted", fs.ErrInvalid, func(h *zip.FileHeader) { h.Flags |= 1 << 13 }),
		raw("compressed by bzip2", "algorithm", zip.ErrAlgorithm, func(h *zip.FileHeader) { h.Method = 12 }),
		raw("compressed by nobody", "algorithm", fs.ErrInvalid, func(h *zip.FileHeader) { h.Method = 0xffff }),
		raw("another checksum", "checksum", zip.ErrChecksum, func(h *zip.FileHeader) { h.CRC32++ }),
		raw("no checksum", "checksum", zip.ErrChecksum, func(h *zip.FileHeader) { h.CRC32 = 0 }),
		raw("says it is longer", "", fs.ErrInvalid, func(h *zip.FileHeader) { h.UncompressedSize64++ }),
		raw("says it is shorter", "", fs.ErrInvalid, func(h *zip.FileHeader) { h.UncompressedSize64-- }),
		raw("says it is nothing", "", fs.ErrInvalid, func(h *zip.FileHeader) { h.UncompressedSize64 = 0 }),
		raw("says it is huge", "quota exceeded", syscall.ENOSPC, func(h *zip.FileHeader) {
			h.UncompressedSize64 = math.MaxUint64
		}),
		raw("content beyond the end", "truncated", fs.ErrInvalid, func(h *zip.FileHeader) {
			h.CompressedSize64 = 1 << 40
		}),
		raw("content far beyond the end", "truncated", fs.ErrInvalid, func(h *zip.FileHeader) {
			h.CompressedSize64 = math.MaxUint64
		}),
		slashed("directory with a content", "content", func(*zip.FileHeader) {}),
		raw("directory by its mode", "by its mode", fs.ErrInvalid, func(h *zip.FileHeader) {
			h.SetMode(fs.ModeDir | 0o755)
		}),
		raw("socket", "device", fs.ErrInvalid, func(h *zip.FileHeader) { h.SetMode(fs.ModeSocket | 0o644) }),
		slashed("link that looks like a directory", "link", func(h *zip.FileHeader) {
			h.SetMode(fs.ModeSymlink | 0o644)
		}),
		squeezed("is longer than it says", "", uint64(len(content))-1),
		squeezed("is far longer than it says", "", 1),
		squeezed("is shorter than it says", "", uint64(len(content))+1),
		built("entries with the same content", "overlaps", fs.ErrInvalid, func(t testing.TB, evil bool) []byte {
			data := packed(t, Zip, archiveItem{name: "aa", body: "xx"}, archiveItem{name: "bb", body: "xx"})
			second := bytes.LastIndex(data, []byte("PK\x01\x02"))
			if evil {
				binary.LittleEndian.PutUint32(data[second+42:], 0) // the offset
			}
			return data
		}),
		built("entries in one another", "overlaps", fs.ErrInvalid, func(t testing.TB, evil bool) []byte {
			inner := packed(t, Zip, archiveItem{name: "in", body: "ab"})
			data := packed(t, Zip, archiveItem{name: "out", body: string(inner)}, archiveItem{name: "in", body: "ab"})
			second := bytes.LastIndex(data, []byte("PK\x01\x02"))
			if evil {
				binary.LittleEndian.PutUint32(data[second+42:], uint32(bytes.Index(data, inner)))
			}
			return data
		}),
		built("content with the next header", "overlaps", fs.ErrInvalid, func(t testing.TB, evil bool) []byte {
			data := packed(t, Zip, archiveItem{name: "aa", body: "xx"}, archiveItem{name: "bb", body: "xx"})
			if first := bytes.Index(data, []byte("PK\x01\x02")); evil {
				from := bytes.Index(data, []byte("xx"))
				size := bytes.LastIndex(data, []byte("PK\x03\x04")) + 10 - from
				binary.LittleEndian.PutUint32(data[first+16:], crc32.ChecksumIEEE(data[from:from+size]))
				binary.LittleEndian.PutUint32(data[first+20:], uint32(size))
				binary.LittleEndian.PutUint32(data[first+24:], uint32(size))
			}
			return data
		}),
		built("offset beyond the end", "truncated", fs.ErrInvalid, func(t testing.TB, evil bool) []byte {
			data := packed(t, Zip, archiveItem{name: "aa", body: "xx"})
			if evil {
				binary.LittleEndian.PutUint32(data[bytes.LastIndex(data, []byte("PK\x01\x02"))+42:], 0x7fffffff)
			}
			return data
		}),
		built("huge directory", "30 files", syscall.ENOSPC, func(t testing.TB, evil bool) []byte {
			return manyHeaders(pick(evil, 300_000, 1))
		}),
		built("directory of many long names", "30 files", syscall.ENOSPC, func(t testing.TB, evil bool) []byte {
			items := make([]archiveItem, pick(evil, 60, 20))
			for i := range items {
				items[i] = archiveItem{name: fmt.Sprintf("%02d", i) + pick(evil, strings.Repeat("x", 60_000), "")}
			}
			return packed(t, Zip, items...)
		}),
		built("comment that is another zip", "", fs.ErrInvalid, func(t testing.TB, evil bool) []byte {
			data := packed(t, Zip, someItems...)
			other := packed(t, Zip, archiveItem{name: "other", body: "o"})
			if !evil {
				other = []byte("only a comment")
			}
			binary.LittleEndian.PutUint16(data[len(data)-2:], uint16(len(other)+pick(evil, 9, 0)))
			return append(data, append(other, make([]byte, pick(evil, 9, 0))...)...)
		}),
	}
}

// manyHeaders returns a zip with one file and a directory that has it many times.
func manyHeaders(count int) []byte {
	file := append([]byte("PK\x03\x04"), make([]byte, 26)...)
	file[26] = 1
	file = append(file, 'a')
	header := append([]byte("PK\x01\x02"), make([]byte, 42)...)
	header[28] = 1
	header = append(header, 'a')
	end := append([]byte("PK\x05\x06"), make([]byte, 18)...)
	binary.LittleEndian.PutUint16(end[8:], uint16(count))
	binary.LittleEndian.PutUint16(end[10:], uint16(count))
	binary.LittleEndian.PutUint32(end[12:], uint32(count*len(header)))
	binary.LittleEndian.PutUint32(end[16:], uint32(len(file)))
	return slices.Concat(file, bytes.Repeat(header, count), end)
}

// rawTar returns a tar, or what is within its first bytes, that has the given headers.
func rawTar(t testing.TB, headers ...*tar.Header) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, h := range headers {
		require.NoError(t, w.WriteHeader(h))
		if h.Typeflag == tar.TypeReg {
			_, err := w.Write(make([]byte, h.Size))
			require.NoError(t, err)
		}
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// patchHeader changes a header of a tar, and makes its checksum right again.
func patchHeader(block []byte, patch func(block []byte)) {
	patch(block)
	copy(block[148:156], "        ")
	sum := 0
	for _, b := range block {
		sum += int(b)
	}
	copy(block[148:156], fmt.Sprintf("%06o\x00 ", sum))
}

func tarAttacks() []archiveAttack {
	built := func(name, reason string, want error, build func(t testing.TB, evil bool) []byte) archiveAttack {
		return archiveAttack{name: name, formats: []Format{Tar, TarGzip}, want: want, reason: reason,
			build: func(t testing.TB, format Format, evil bool) []byte {
				data := build(t, evil)
				if format == TarGzip {
					return gzipped(t, data)
				}
				return data
			}}
	}
	headers := func(name, reason string, want error, header func(evil bool) *tar.Header) archiveAttack {
		return built(name, reason, want, func(t testing.TB, evil bool) []byte {
			return rawTar(t, &tar.Header{Name: "a", Typeflag: tar.TypeReg, Size: 3}, header(evil))
		})
	}
	global := func(name, key, value string) archiveAttack {
		return headers(name, "global", fs.ErrInvalid, func(evil bool) *tar.Header {
			return &tar.Header{
				Typeflag: tar.TypeXGlobalHeader, Name: "pax_global_header",
				PAXRecords: map[string]string{pick(evil, key, "comment"): value},
			}
		})
	}
	patched := func(name, reason string, want error, patch func(block []byte)) archiveAttack {
		return built(name, reason, want, func(t testing.TB, evil bool) []byte {
			data := packed(t, Tar, archiveItem{name: "a", body: "content", mode: 0o644})
			if evil {
				patchHeader(data[:512], patch)
			}
			return data
		})
	}
	return []archiveAttack{
		headers("hard link", "hard link", fs.ErrInvalid, func(evil bool) *tar.Header {
			return &tar.Header{Name: "b", Typeflag: pick[byte](evil, tar.TypeLink, tar.TypeReg), Linkname: pick(evil,
				"a", "")}
		}),
		headers("symbolic link out", "symbolic link", fs.ErrInvalid, func(evil bool) *tar.Header {
			return &tar.Header{Name: "b", Typeflag: pick[byte](evil, tar.TypeSymlink, tar.TypeDir), Linkname: pick(evil,
				"/etc", "")}
		}),
		global("name for all", "path", "b"),
		global("size for all", "size", "100"),
		built("huge header", "too long", fs.ErrInvalid, func(t testing.TB, evil bool) []byte {
			size := pick(evil, 1<<20+1, 1<<20)
			record := fmt.Sprintf("%d TEST.x=", size)
			record += strings.Repeat("x", size-len(record)-1) + "\n"
			data := packed(t, Tar, archiveItem{name: "x", body: record}, archiveItem{name: "a", body: "content"})
			patchHeader(data[:512], func(block []byte) { block[156] = tar.TypeXHeader })
			return data
		}),
		patched("file that ends in a slash", "empty", fs.ErrInvalid, func(block []byte) { block[1] = '/' }),
		patched("contiguous file", "kind", fs.ErrInvalid, func(block []byte) { block[156] = tar.TypeCont }),
		patched("sparse file", "", fs.ErrInvalid, func(block []byte) { block[156] = tar.TypeGNUSparse }),
		patched("kind of nobody", "kind", fs.ErrInvalid, func(block []byte) { block[156] = 'Z' }),
		patched("directory with a content", "content", fs.ErrInvalid, func(block []byte) { block[156] = tar.TypeDir }),
		patched("negative size", "", fs.ErrInvalid, func(block []byte) {
			copy(block[124:136], bytes.Repeat([]byte{0xff}, 12))
		}),
		patched("huge size", "quota exceeded", syscall.ENOSPC, func(block []byte) {
			copy(block[124:136], append([]byte{0x80, 0, 0, 0}, bytes.Repeat([]byte{0x7f}, 8)...))
		}),
		patched("longer than it is", "", fs.ErrInvalid, func(block []byte) { copy(block[124:136], "00000003000\x00") }),
		built("sparse file by extended header", "sparse", fs.ErrInvalid, func(t testing.TB, evil bool) []byte {
			// The writer refuses to write one, but not one that is called nearly so.
			data := rawTar(t, &tar.Header{Name: "b", Typeflag: tar.TypeReg, PAXRecords: map[string]string{
				"GNX.sparse.major": "0", "GNX.sparse.minor": "1", "GNX.sparse.numblocks": "1",
				"GNX.sparse.map": "0,0", "GNX.sparse.size": "0",
			}})
			if evil {
				data = bytes.ReplaceAll(data, []byte("GNX"), []byte("GNU"))
			}
			return data
		}),
		built("no end", "truncated", fs.ErrInvalid, func(t testing.TB, evil bool) []byte {
			data := packed(t, Tar, someItems...)
			return data[:len(data)-pick(evil, 1024, 0)]
		}),
		built("half an end", "truncated", fs.ErrInvalid, func(t testing.TB, evil bool) []byte {
			data := packed(t, Tar, someItems...)
			return data[:len(data)-pick(evil, 512, 0)]
		}),
		built("another behind the end", "behind its end", fs.ErrInvalid, func(t testing.TB, evil bool) []byte {
			data := packed(t, Tar, someItems...)
			if evil {
				return append(data, packed(t, Tar, archiveItem{name: "other", body: "o"})...)
			}
			return append(data, make([]byte, 10_000)...) // a tape has blocks of 10 KiB
		}),
		{
			name: "another in a second stream", formats: []Format{TarGzip}, want: fs.ErrInvalid,
			reason: "behind its end",
			build: func(t testing.TB, _ Format, evil bool) []byte {
				data := packed(t, Tar, someItems...)
				if evil {
					return append(gzipped(t, data), gzipped(t, packed(t, Tar, archiveItem{name: "other"}))...)
				}
				return append(gzipped(t, data[:700]), gzipped(t, data[700:])...) // one in two
			},
		},
		{
			name: "zeros without end", formats: []Format{TarGzip}, want: syscall.ENOSPC, reason: "quota exceeded",
			build: func(t testing.TB, _ Format, evil bool) []byte {
				data := packed(t, Tar, someItems...)
				zeros := gzipped(t, make([]byte, 1<<20))
				return append(gzipped(t, data), bytes.Repeat(zeros, pick(evil, 65, 1))...)
			},
		},
	}
}

// make returns the archive of an attack.
func (a *archiveAttack) make(t testing.TB, format Format, evil bool) []byte {
	if a.items != nil {
		return packed(t, format, a.items(evil)...)
	}
	return a.build(t, format, evil)
}

func (a *archiveAttack) each(t *testing.T, do func(t *testing.T, format Format)) {
	formats := a.formats
	if formats == nil {
		formats = archiveFormats
	}
	for _, format := range formats {
		t.Run(a.name+"/"+string(format), func(t *testing.T) { do(t, format) })
	}
}

func TestArchiveAttacks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	for _, attack := range archiveAttacks() {
		attack.each(t, func(t *testing.T, format Format) {
			t.Parallel()
			storetest.Each(t, &archiveQuota, func(t *testing.T, p vfs.Project) {
				writeArchiveFiles(t, p, attackedFiles...)
				evil := attack.make(t, format, true)
				before := archiveSnapshot(t, p)
				for _, from := range []io.Reader{bytes.NewReader(evil), io.MultiReader(bytes.NewReader(evil))} {
					result, err := Import(t.Context(), p, from, format)
					require.Zero(t, result)
					var refused *Error
					require.ErrorAs(t, err, &refused)
					require.ErrorIs(t, err, attack.want)
					require.ErrorContains(t, err, attack.reason)
					require.NotContains(t, err.Error(), "toolrun-import")
					require.Equal(t, before, archiveSnapshot(t, p))
				}
				result, err := importBytes(t, p, attack.make(t, format, false), format)
				require.NoError(t, err, "it is not what is to be refused that is refused")
				require.NotZero(t, result.Files+result.Directories)
				require.NotEqual(t, before, archiveSnapshot(t, p))
				checkArchiveUsage(t, p)
			})
		})
	}
}

// Whatever is missing from the end of an archive, it is refused.
func TestImportOfTruncatedArchives(t *testing.T) {
	p := archiveProject(t, local.NewMemoryStore(nil))
	writeArchiveFiles(t, p, attackedFiles...)
	before := archiveSnapshot(t, p)
	for _, format := range archiveFormats {
		data := packed(t, format, someItems...)
		for length := range data {
			_, err := importBytes(t, p, data[:length], format)
			require.ErrorIs(t, err, fs.ErrInvalid, "%s of %d bytes", format, length)
		}
		require.Equal(t, before, archiveSnapshot(t, p))
	}
}

// A zip with a directory of a million entries is refused before they are in memory.
func TestImportOfHugeDirectoryIsCheap(t *testing.T) {
	data := manyHeaders(1_000_000)
	for _, options := range []*vfs.Options{nil, &archiveQuota} {
		p := archiveProject(t, local.NewMemoryStore(options))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := importBytes(t, p, data, Zip)
		runtime.ReadMemStats(&after)
		var quota *vfs.QuotaError
		require.ErrorAs(t, err, &quota)
		require.Equal(t, "files", quota.Limit)
		// All headers would be some hundred megabytes.
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(50<<20))
	}
}

// What will not fit is not read to its end.
func TestImportStopsReading(t *testing.T) {
	p := archiveProject(t, local.NewMemoryStore(&archiveQuota))
	var items []archiveItem
	for i := range 1000 {
		items = append(items, archiveItem{name: fmt.Sprint(i)})
	}
	from := bytes.NewReader(packed(t, Tar, items...))
	_, err := Import(t.Context(), p, from, Tar)
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.Less(t, from.Size()-int64(from.Len()), int64(2*bufferSize))
}

// A largeFile has a size, but nobody reads it.
type largeFile struct{ *testing.T }

func (l largeFile) Read([]byte) (int, error) {
	l.Error("it has been read")
	return 0, io.EOF
}

func (l largeFile) ReadAt(b []byte, _ int64) (int, error) { return l.Read(b) }

func (l largeFile) Seek(_ int64, whence int) (int64, error) {
	if whence == io.SeekEnd {
		return limitOf(archiveQuota.Quota) + 1, nil
	}
	return 0, nil
}

func TestImportOfLongZip(t *testing.T) {
	p := archiveProject(t, local.NewMemoryStore(&archiveQuota))
	_, err := Import(t.Context(), p, largeFile{t}, Zip)
	require.ErrorIs(t, err, syscall.ENOSPC)
}

// Temporary files of others count as well.
func TestImportWhileOthersWrite(t *testing.T) {
	storetest.Each(t, &archiveQuota, func(t *testing.T, p vfs.Project) {
		var open []afero.File
		for i := range 3 {
			f, err := p.Create(fmt.Sprint("/", i))
			require.NoError(t, err)
			_, err = f.Write(make([]byte, 6000))
			require.NoError(t, err)
			open = append(open, f)
		}
		for _, format := range archiveFormats {
			_, err := importBytes(t, p, packed(t, format, archiveItem{name: "a", body: strings.Repeat("x", 2001)}),
				format)
			require.ErrorIs(t, err, syscall.ENOSPC)
			_, err = importBytes(t, p, packed(t, format, archiveItem{name: "a", body: strings.Repeat("x", 2000)}),
				format)
			require.NoError(t, err)
			require.NoError(t, p.Remove("/a"))
		}
		for _, f := range open {
			require.NoError(t, f.Close())
		}
		checkArchiveUsage(t, p)
	})
}

// Readers of archives see to it that contents are as long as the headers say. If they did not, it would not matter.
func TestStageChecksSize(t *testing.T) {
	for size, want := range []string{"longer", "longer", "longer", "", "shorter", "shorter"} {
		im := &importing{buf: make([]byte, 2)}
		err := im.stage(t.Context(), &branch{entryInfo: entryInfo{name: "a", size: int64(size)}, path: "/a"},
			strings.NewReader("123"))
		if want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, want)
		}
	}
}

// What is compressed a thousandfold is not decompressed beyond the limits.
func TestImportOfBombs(t *testing.T) {
	zeros := strings.Repeat("\x00", 1<<16)
	options := vfs.Options{Quota: vfs.Quota{Bytes: 4 << 16, FileSize: 1 << 16}}
	storetest.Each(t, &options, func(t *testing.T, p vfs.Project) {
		for _, format := range archiveFormats {
			var items []archiveItem
			for i := range 30 {
				items = append(items, archiveItem{name: fmt.Sprint(i), body: zeros})
			}
			_, err := importBytes(t, p, packed(t, format, items...), format)
			var quota *vfs.QuotaError
			require.ErrorAs(t, err, &quota)
			require.Equal(t, vfs.QuotaError{Limit: "bytes", Max: 4 << 16, Want: 5 << 16}, *quota)
			_, err = importBytes(t, p, packed(t, format, items[:4]...), format)
			require.NoError(t, err)
			checkArchiveUsage(t, p)
		}
	})
}

func TestImportOfLongArchive(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	p := archiveProject(t, local.NewMemoryStore(&archiveQuota))
	limit := limitOf(archiveQuota.Quota)
	for _, format := range archiveFormats {
		reads := int64(0)
		endless := readerFunc(func(b []byte) (int, error) {
			clear(b)
			reads += int64(len(b))
			return len(b), nil
		})
		from := io.Reader(endless)
		if format != Zip { // a good one, with zeros behind it
			from = io.MultiReader(bytes.NewReader(packed(t, Tar, someItems...)), endless)
		}
		if format == TarGzip {
			zeros := gzipped(t, make([]byte, 1<<20))
			from = io.MultiReader(bytes.NewReader(gzipped(t, packed(t, Tar, someItems...))),
				readerFunc(func(b []byte) (int, error) {
					reads += 1 << 20
					return copy(b, zeros), nil // it fits
				}))
		}
		_, err := Import(t.Context(), p, from, format)
		var quota *vfs.QuotaError
		require.ErrorAs(t, err, &quota)
		require.Less(t, reads, limit+2<<20)
		require.Greater(t, reads, limit-2<<20)
		checkArchiveUsage(t, p)
	}
}

func TestImportOverFiles(t *testing.T) {
	storetest.Each(t, nil, func(t *testing.T, p vfs.Project) {
		writeArchiveFiles(t, p, attackedFiles...)
		before := archiveTree(t, p)
		at := time.Unix(1_500_000_000, 0)
		for _, format := range archiveFormats {
			result, err := importBytes(t, p, packed(t, format,
				archiveItem{name: "./", mode: 0o700},
				archiveItem{name: "./dir/", mode: 0o777, time: at},
				archiveItem{name: "./Readme.md", body: "new text", mode: 0o777, time: at},
				archiveItem{name: "./dir/new", body: "new", mode: 0o005, time: at},
				archiveItem{name: "./dir/sub/dirs/", mode: 0o077, time: at},
			), format)
			require.NoError(t, err)
			require.Equal(t, Result{Files: 2, Bytes: 11, Directories: 1, Call: result.Call}, result)
			checkArchiveUsage(t, p)
			for name, want := range map[string]fs.FileMode{
				"/Readme.md": 0o640, "/dir": 0o750, "/dir/new": 0o605, "/dir/sub/dirs": 0o777,
			} {
				info, err := p.Stat(name)
				require.NoError(t, err)
				if runtime.GOOS != "windows" {
					require.Equal(t, want, info.Mode().Perm(), name)
				}
				if name != "/dir" {
					require.True(t, at.Equal(info.ModTime()), name)
				}
			}
			data, err := afero.ReadFile(p, "/Readme.md")
			require.NoError(t, err)
			require.Equal(t, "new text", string(data))

			undone, err := p.Undo(t.Context(), "")
			require.NoError(t, err)
			require.Len(t, undone, 3)
			require.Equal(t, result.Call, undone[0].Call)
			// The times of directories show that something has been in them.
			require.NoError(t, p.Chtimes("/dir", time.Unix(1e9+1, 0), time.Unix(1e9+1, 0)))
			after := archiveTree(t, p)
			for i := range after {
				if strings.HasPrefix(before[i], "/dir/sub ") {
					after[i] = before[i]
				}
			}
			require.Equal(t, before, after)
			checkArchiveUsage(t, p)
		}
	})
}

func TestImportIsACall(t *testing.T) {
	p := archiveProject(t, local.NewMemoryStore(nil))
	one, err := importBytes(t, p, packed(t, Zip, someItems...), Zip)
	require.NoError(t, err)
	require.Regexp(t, "^import-[a-z0-9]+$", one.Call)
	two, err := importBytes(t, p.WithCall("call"), packed(t, Zip, someItems...), Zip)
	require.NoError(t, err)
	require.NotEqual(t, one.Call, two.Call)
	for _, result := range []Result{two, one} {
		_, err = p.Undo(t.Context(), result.Call)
		require.NoError(t, err)
	}
	require.Empty(t, archiveTree(t, p))
}

func TestImportWithinExclusively(t *testing.T) {
	storetest.Each(t, nil, func(t *testing.T, p vfs.Project) {
		require.NoError(t, p.Exclusively(t.Context(), func(files afero.Fs) error {
			_, err := Import(t.Context(), files, bytes.NewReader(packed(t, Tar, someItems...)), Tar)
			return err
		}))
		require.Len(t, archiveTree(t, p), 4)
		checkArchiveUsage(t, p)
	})
}

// What is replaced makes room for what is new, in whatever order the archive has it.
func TestImportWithLittleRoom(t *testing.T) {
	body := func(size int) string { return strings.Repeat("x", size) }
	options := vfs.Options{Quota: vfs.Quota{Bytes: 1000, Files: 5, FileSize: 700}}
	for _, test := range []struct {
		name  string
		items []archiveItem
		limit string // that is exceeded
	}{
		{"the same sizes", []archiveItem{{name: "a", body: body(400)}, {name: "b", body: body(500)},
			{name: "c", body: body(100)}}, ""},
		{"growing first", []archiveItem{{name: "a", body: body(500)}, {name: "b", body: body(400)}}, ""},
		{"growing last", []archiveItem{{name: "b", body: body(300)}, {name: "c", body: body(300)}}, ""},
		{"growing only", []archiveItem{{name: "c", body: body(101)}}, "bytes"},
		{"a byte too much", []archiveItem{{name: "a", body: body(501)}, {name: "b", body: body(400)}}, "bytes"},
		{"new files", []archiveItem{{name: "a"}, {name: "d", body: body(300)}, {name: "e", body: body(100)}}, ""},
		{"a file too much", []archiveItem{{name: "a"}, {name: "d"}, {name: "e"}, {name: "f"}}, "files"},
		{"a directory too much", []archiveItem{{name: "a"}, {name: "d/e/f"}}, "files"},
		{"a file that is too large", []archiveItem{{name: "a", body: body(701)}, {name: "b"}}, "file size"},
	} {
		t.Run(test.name, func(t *testing.T) {
			storetest.Each(t, &options, func(t *testing.T, p vfs.Project) {
				writeArchiveFiles(t, p, archiveItem{name: "/a", body: body(400)},
					archiveItem{name: "/b", body: body(500)},
					archiveItem{name: "/c", body: body(100)})
				for _, format := range archiveFormats {
					before := archiveSnapshot(t, p)
					result, err := importBytes(t, p, packed(t, format, test.items...), format)
					if test.limit != "" {
						var quota *vfs.QuotaError
						require.ErrorAs(t, err, &quota)
						require.Equal(t, test.limit, quota.Limit)
						require.Equal(t, before, archiveSnapshot(t, p))
						continue
					}
					require.NoError(t, err)
					require.Equal(t, int64(len(test.items)), result.Files)
					checkArchiveUsage(t, p)
				}
			})
		})
	}
}

// A project that has more than it may have is not the worse for an import that leaves it with less.
func TestImportBeyondQuota(t *testing.T) {
	dir := t.TempDir()
	for name, size := range map[string]int{"a": 600, "b": 500} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), make([]byte, size), 0o644))
	}
	p, err := local.OpenDir(dir, &vfs.Options{Quota: vfs.Quota{Bytes: 1000, Files: 5}})
	require.NoError(t, err)
	defer p.Close()
	before := archiveSnapshot(t, p)
	less := archiveItem{name: "a", body: strings.Repeat("x", 550)}
	_, err = importBytes(t, p, packed(t, Tar, less, archiveItem{name: "c", body: "c"}), Tar)
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.Equal(t, before, archiveSnapshot(t, p))
	_, err = importBytes(t, p, packed(t, Tar, less), Tar)
	require.NoError(t, err)
	checkArchiveUsage(t, p)

	// A file can get less large than it is, but not by an import, which has to be as if there were nothing.
	strict, err := local.OpenDir(dir, &vfs.Options{Quota: vfs.Quota{FileSize: 500}})
	require.NoError(t, err)
	defer strict.Close()
	_, err = importBytes(t, strict, packed(t, Tar, archiveItem{name: "a", body: strings.Repeat("x", 501)}), Tar)
	require.ErrorIs(t, err, syscall.ENOSPC)
}

// An export of a project that is as full as can be goes into an empty one.
func TestExportFitsProject(t *testing.T) {
	options := vfs.Options{Quota: vfs.Quota{Bytes: 3_000, Files: 40, FileSize: 100}, NoSync: true}
	storetest.Each(t, &options, func(t *testing.T, p vfs.Project) {
		var items []archiveItem
		for i := range 30 {
			items = append(items, archiveItem{name: fmt.Sprintf("/%02d", i), body: strings.Repeat("y", 100)})
		}
		items = append(items, archiveItem{name: strings.Repeat("/"+strings.Repeat("ü", vfs.MaxName/2),
			deepNames) + "/"})
		writeArchiveFiles(t, p, items...)
		for _, format := range archiveFormats {
			other := archiveProject(t, local.NewMemoryStore(&options))
			result, err := importBytes(t, other, exported(t, p, format), format)
			require.NoError(t, err)
			require.Equal(t, int64(30), result.Files)
			require.Equal(t, int64(deepNames), result.Directories)
		}
	})
}

func TestImportIsCancelled(t *testing.T) {
	var items []archiveItem
	for _, item := range archiveFiles() {
		item.name = item.name[1:]
		items = append(items, item)
	}
	storetest.Each(t, nil, func(t *testing.T, p vfs.Project) {
		writeArchiveFiles(t, p, attackedFiles...)
		before := archiveSnapshot(t, p)
		for _, format := range archiveFormats {
			data := packed(t, format, items...)
			for _, at := range []int{0, 1, len(data) / 2, len(data) - 1, len(data)} {
				ctx, cancel := context.WithCancel(t.Context())
				from, read := bytes.NewReader(data), 0
				_, err := Import(ctx, p, readerFunc(func(b []byte) (int, error) {
					if read >= at {
						cancel()
					}
					n, err := from.Read(b[:min(1000, len(b))])
					read += n
					return n, err
				}), format)
				cancel()
				require.ErrorIs(t, err, context.Canceled)
				require.NotErrorAs(t, err, new(*Error))
				require.Equal(t, before, archiveSnapshot(t, p))
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_, err := Import(ctx, p, bytes.NewReader(data), format)
			require.ErrorIs(t, err, context.Canceled)
			require.Equal(t, before, archiveSnapshot(t, p))
		}
	})
}

func TestImportWaitsForLock(t *testing.T) {
	p := archiveProject(t, local.NewMemoryStore(nil))
	writeArchiveFiles(t, p, attackedFiles...)
	before := archiveSnapshot(t, p)
	require.NoError(t, p.Exclusively(t.Context(), func(afero.Fs) error {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err := Import(ctx, p, bytes.NewReader(packed(t, Zip, someItems...)), Zip)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		return nil
	}))
	require.Equal(t, before, archiveSnapshot(t, p))
}

func TestImportFromFailingReader(t *testing.T) {
	broken := errors.New("the line is broken")
	storetest.Each(t, nil, func(t *testing.T, p vfs.Project) {
		_, err := p.Usage(t.Context())
		require.NoError(t, err)
		before := archiveSnapshot(t, p)
		for _, format := range archiveFormats {
			data := packed(t, format, someItems...)
			for length := 0; length < len(data); length += 97 {
				from := io.MultiReader(bytes.NewReader(data[:length]), readerFunc(func([]byte) (int, error) {
					return 0, broken
				}))
				_, err := Import(t.Context(), p, from, format)
				require.ErrorIs(t, err, broken)
				require.NotErrorAs(t, err, new(*Error))
			}
			require.Equal(t, before, archiveSnapshot(t, p))
		}
	})
}

// An archive can be read from where a file is read from, and a pipe is an [os.File] too.
func TestImportFromFiles(t *testing.T) {
	data := packed(t, Zip, someItems...)
	name := filepath.Join(t.TempDir(), "a.zip")
	require.NoError(t, os.WriteFile(name, append([]byte("in front"), data...), 0o644))
	for _, front := range []int64{0, 8} {
		f, err := os.Open(name)
		require.NoError(t, err)
		_, err = f.Seek(front, io.SeekStart)
		require.NoError(t, err)
		p := archiveProject(t, local.NewMemoryStore(nil))
		_, err = Import(t.Context(), p, f, Zip)
		require.NoError(t, err)
		require.Len(t, archiveTree(t, p), 4)
		require.NoError(t, f.Close())
	}
	from, to, err := os.Pipe()
	require.NoError(t, err)
	defer from.Close()
	go func() {
		_, _ = to.Write(data)
		_ = to.Close()
	}()
	storetest.Each(t, nil, func(t *testing.T, p vfs.Project) {
		if from == nil {
			return
		}
		_, err := Import(t.Context(), p, from, Zip)
		from = nil
		require.NoError(t, err)
		require.Len(t, archiveTree(t, p), 4)
		checkArchiveUsage(t, p)

		// One of its own files.
		require.NoError(t, afero.WriteFile(p, "/a.zip", data, 0o644))
		own, err := p.Open("/a.zip")
		require.NoError(t, err)
		defer own.Close()
		_, err = Import(t.Context(), p, own, Zip)
		require.NoError(t, err)
		checkArchiveUsage(t, p)
	})
}

func TestImportMeetsLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making links needs a privilege")
	}
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "file"), []byte("outside"), 0o644))
	dir := t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink(filepath.Join(outside, "file"), filepath.Join(dir, "file")))
	require.NoError(t, os.Link(filepath.Join(outside, "file"), filepath.Join(dir, "hard")))
	p, err := local.OpenDir(dir, nil)
	require.NoError(t, err)
	defer p.Close()
	_, err = p.Usage(t.Context())
	require.NoError(t, err)
	for _, format := range archiveFormats {
		for _, name := range []string{"link/file", "link/", "link", "file", "file/x"} {
			item := archiveItem{name: name, body: "x"}
			if strings.HasSuffix(name, "/") {
				item.body = ""
			}
			_, err := importBytes(t, p, packed(t, format, archiveItem{name: "a", body: "a"}, item), format)
			require.ErrorAs(t, err, new(*Error))
			require.ErrorIs(t, err, fs.ErrPermission)
			_, err = p.Stat("/a")
			require.ErrorIs(t, err, fs.ErrNotExist)
		}
		_, err := importBytes(t, p, packed(t, format, archiveItem{name: "hard", body: "inside"}), format)
		require.NoError(t, err)
	}
	data, err := os.ReadFile(filepath.Join(outside, "file"))
	require.NoError(t, err)
	require.Equal(t, "outside", string(data))
}

// An unsteady file system fails once, after so many operations that change something.
type unsteady struct {
	afero.Fs
	left  *int
	fails error
}

func (u unsteady) change(do func() error) error {
	if *u.left--; *u.left == 0 {
		return u.fails
	}
	return do()
}

func (u unsteady) OpenFile(name string, flag int, perm fs.FileMode) (f afero.File, err error) {
	if flag&os.O_CREATE == 0 {
		return u.Fs.OpenFile(name, flag, perm)
	}
	err = u.change(func() (err error) {
		f, err = u.Fs.OpenFile(name, flag, perm)
		f = unsteadyFile{f, u}
		return err
	})
	return f, err
}

func (u unsteady) Mkdir(name string, perm fs.FileMode) error {
	return u.change(func() error { return u.Fs.Mkdir(name, perm) })
}

func (u unsteady) Chmod(name string, mode fs.FileMode) error {
	return u.change(func() error { return u.Fs.Chmod(name, mode) })
}

func (u unsteady) Chtimes(name string, atime, mtime time.Time) error {
	return u.change(func() error { return u.Fs.Chtimes(name, atime, mtime) })
}

type unsteadyFile struct {
	afero.File
	unsteady
}

func (f unsteadyFile) Name() string { return f.File.Name() }

func (f unsteadyFile) Write(b []byte) (n int, err error) {
	err = f.change(func() error { n, err = f.File.Write(b); return err })
	return n, err
}

func (f unsteadyFile) Close() error {
	return errors.Join(f.File.Close(), f.change(func() error { return nil }))
}

// unsteadily returns a view that fails at the nth change, and how many changes have been tried.
func unsteadily(p afero.Fs, n int, fails error) (afero.Fs, func() int) {
	left := n
	return wrapfs.Around(p, func(files afero.Fs) afero.Fs { return unsteady{files, &left, fails} }), func() int {
		return n - left
	}
}

// If something fails in the midst of an import, what has been put in place is taken back.
func TestImportIsTakenBack(t *testing.T) {
	broken := errors.New("the disk is broken")
	items := append([]archiveItem{
		{name: "Readme.md", body: "longer than it was before", time: time.Unix(1e9+7, 0)}, {name: "old", body: ""},
		{name: "e/f/", mode: 0o777}, {name: "e/f/run", body: "run", mode: 0o777},
	}, someItems...)
	storetest.Each(t, &vfs.Options{NoSync: true}, func(t *testing.T, p vfs.Project) {
		writeArchiveFiles(t, p, attackedFiles...)
		usage, tried := archiveUsage(t, p), 0
		for fails, failing := range []error{broken, &vfs.QuotaError{Limit: "bytes"}, syscall.EROFS} {
			before := archiveTree(t, p)
			for n := 1; ; n++ {
				files, changes := unsteadily(p, n, failing)
				result, err := importBytes(t, files, packed(t, Tar, items...), Tar)
				if err == nil {
					require.Equal(t, int64(6), result.Files)
					_, err := p.Undo(t.Context(), result.Call)
					require.NoError(t, err)
					require.Equal(t, usage, archiveUsage(t, p))
					break
				}
				tried = max(tried, changes())
				require.Zero(t, result)
				require.ErrorIs(t, err, failing)
				if fails == 0 {
					require.NotErrorAs(t, err, new(*Error))
				} else {
					require.ErrorAs(t, err, new(*Error))
				}
				require.Equal(t, before, archiveTree(t, p), "after %d changes", n)
				require.Equal(t, usage, archiveUsage(t, p))
			}
		}
		require.Greater(t, tried, 20, "there is much that can fail")
	})
}

// A project that cannot even be put back as it was says so, and the history can help.
func TestImportIsNotTakenBack(t *testing.T) {
	broken := errors.New("the disk is broken")
	p := archiveProject(t, local.NewMemoryStore(nil))
	changes := 0
	files := wrapfs.Around(p, func(files afero.Fs) afero.Fs {
		return breaking{files, func() bool { changes++; return changes > 3 }, broken}
	})
	result, err := importBytes(t, files, packed(t, Tar, archiveItem{name: "a"}, archiveItem{name: "b"},
		archiveItem{name: "c"},
		archiveItem{name: "d"}), Tar)
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "part of the import is in place")
	require.NotErrorAs(t, err, new(*Error))
	require.NotEmpty(t, archiveTree(t, p))
	_, err = p.Undo(t.Context(), result.Call)
	require.NoError(t, err)
	require.Empty(t, archiveTree(t, p))
}

// A breaking file system refuses all changes from some time on.
type breaking struct {
	afero.Fs
	broken func() bool
	fails  error
}

func (b breaking) OpenFile(name string, flag int, perm fs.FileMode) (afero.File, error) {
	if flag&os.O_CREATE != 0 && b.broken() {
		return nil, b.fails
	}
	return b.Fs.OpenFile(name, flag, perm)
}

func (b breaking) Remove(string) error { return b.fails }

// Views of a project are imported into and exported as the project itself.
func TestArchivesOfViews(t *testing.T) {
	storetest.Each(t, &archiveQuota, func(t *testing.T, p vfs.Project) {
		require.NoError(t, p.Mkdir("/memories", 0o755))
		for name, files := range map[string]afero.Fs{
			"sub":      vfs.Sub(p, "/in/a/directory"),
			"readonly": vfs.ReadOnly(p, "/memories"),
			"wrapped":  wrapfs.Around(p, func(files afero.Fs) afero.Fs { return hooked{files, func(string) {}} }),
			"foreign":  wrapfs.Foreign(afero.NewMemMapFs()),
		} {
			t.Run(name, func(t *testing.T) {
				packedItems := packed(t, Zip, someItems...)
				result, err := importBytes(t, files, packedItems, Zip)
				require.NoError(t, err)
				require.Equal(t, int64(3), result.Files)
				other := archiveProject(t, local.NewMemoryStore(nil))
				_, err = importBytes(t, other, exported(t, files, TarGzip), TarGzip)
				require.NoError(t, err)
				for _, item := range someItems {
					if item.body != "" {
						data, err := afero.ReadFile(other, item.name)
						require.NoError(t, err)
						require.Equal(t, item.body, string(data))
					}
				}
				if name == "foreign" {
					return
				}
				_, err = importBytes(t, files,
					packed(t, Zip, archiveItem{name: "large", body: strings.Repeat("x", 8_001)}), Zip)
				var quota *vfs.QuotaError
				require.ErrorAs(t, err, &quota, "the project's quota")
				_, err = p.Undo(t.Context(), result.Call)
				require.NoError(t, err)
			})
		}
		readOnly := vfs.ReadOnly(p, "/memories", "/new/thing")
		before := archiveTree(t, p)
		for _, name := range []string{"memories/x", "new/thing", "new/thing/x/", "memories/x/y"} {
			item := archiveItem{name: name}
			_, err := importBytes(t, readOnly, packed(t, Zip, archiveItem{name: "a", body: "a"}, item), Zip)
			require.ErrorAs(t, err, new(*Error))
			require.ErrorIs(t, err, syscall.EROFS, name)
			require.Equal(t, before, archiveTree(t, p))
		}
	})
	_, err := importBytes(t, struct{ afero.Fs }{archiveProject(t, local.NewMemoryStore(nil))}, nil, Zip)
	require.ErrorIs(t, err, errors.ErrUnsupported, "it would hide a project")
}

// The host has no room for what is large.
func TestImportWithoutTemporaryFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	large := archiveItem{name: "a", body: strings.Repeat("a", 2*spoolMemory)}
	_, err := importBytes(t, archiveProject(t, local.NewMemoryStore(nil)), packed(t, Tar, large), Tar)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NotContains(t, err.Error(), dir)
}

func TestImportsAtOnce(t *testing.T) {
	storetest.Each(t, nil, func(t *testing.T, p vfs.Project) {
		var all sync.WaitGroup
		for i := range 6 {
			format := archiveFormats[i%3]
			all.Go(func() {
				items := append([]archiveItem{{name: fmt.Sprintf("own-%d", i), body: "own"}}, someItems...)
				if i%2 == 0 {
					items = append(items, archiveItem{name: "../evil"})
				}
				_, err := Import(context.Background(), p, bytes.NewReader(packed(t, format, items...)), format)
				if (err != nil) != (i%2 == 0) {
					t.Errorf("import %d: %v", i, err)
				}
				if err := Export(context.Background(), p, io.Discard, format); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		require.Len(t, archiveTree(t, p), 4+3)
		checkArchiveUsage(t, p)
	})
}

// It does not matter to an archive where it is made.
func TestExportKnowsNoTimeZone(t *testing.T) {
	p := archiveProject(t, local.NewMemoryStore(nil))
	writeArchiveFiles(t, p, attackedFiles...)
	here := time.Local
	defer func() { time.Local = here }()
	for _, format := range archiveFormats {
		archives := map[string]bool{}
		for hours := range 3 {
			time.Local = time.FixedZone("somewhere", hours*3600)
			require.NoError(t, p.Chtimes("/old", time.Unix(1e9, 0), time.Unix(1e9, 0)))
			archives[string(exported(t, p, format))] = true
		}
		require.Len(t, archives, 1)
	}
}

func TestArchiveTimes(t *testing.T) {
	now := time.Now()
	for _, format := range archiveFormats {
		p := archiveProject(t, local.NewMemoryStore(nil))
		_, err := importBytes(t, p, packed(t, format,
			archiveItem{name: "none"},
			archiveItem{name: "first", time: time.Unix(0, 0)},
			archiveItem{name: "late", time: lastTime.Add(time.Hour * 24 * 400)},
			archiveItem{name: "dir/", time: time.Unix(1e9, 0)},
			archiveItem{name: "dir/inside", time: time.Unix(1e9+5, 0)},
		), format)
		require.NoError(t, err)
		times := map[string]time.Time{}
		for _, name := range []string{"/none", "/first", "/late", "/dir", "/dir/inside"} {
			info, err := p.Stat(name)
			require.NoError(t, err)
			times[name] = info.ModTime()
		}
		require.WithinDuration(t, now, times["/late"], time.Hour)
		require.True(t, times["/first"].Equal(time.Unix(0, 0)))
		require.True(t, times["/dir"].Equal(time.Unix(1e9, 0)))
		require.True(t, times["/dir/inside"].Equal(time.Unix(1e9+5, 0)))
		if format == Zip { // archive/tar writes no time as that of 1970
			require.WithinDuration(t, now, times["/none"], time.Hour)
		}

		// What cannot be said is the nearest that can.
		require.NoError(t, p.Chtimes("/first", time.Unix(-1e9, 0), time.Unix(-1e9, 0)))
		require.NoError(t, p.Chtimes("/late", time.Unix(1e11, 0), time.Unix(1e11, 0)))
		require.NoError(t, p.Chtimes("/none", time.Unix(1e9, 999_999_999), time.Unix(1e9, 999_999_999)))
		other := archiveProject(t, local.NewMemoryStore(nil))
		_, err = importBytes(t, other, exported(t, p, format), format)
		require.NoError(t, err)
		for name, want := range map[string]int64{"/first": 0, "/late": lastTime.Unix(), "/none": 1e9} {
			info, err := other.Stat(name)
			require.NoError(t, err)
			require.Equal(t, want, info.ModTime().Unix(), name)
		}
	}
}

func TestArchiveErrorText(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{forbidden("a\nb", "it is a device"), `the archive is refused: "a\nb": it is a device`},
		{damaged("", io.EOF), "the archive is refused: it is truncated"},
		{unfit(strings.Repeat("n", 300), syscall.EISDIR),
			`the archive is refused: "` + strings.Repeat("n", 255) + `...": is a directory`},
	} {
		require.EqualError(t, test.err, test.want)
	}
}

func FuzzImport(f *testing.F) {
	for _, attack := range archiveAttacks() {
		if attack.name == "huge directory" || attack.name == "zeros without end" {
			continue
		}
		formats := attack.formats
		if formats == nil {
			formats = archiveFormats
		}
		for _, format := range formats {
			for _, evil := range []bool{true, false} {
				if data := attack.make(f, format, evil); len(data) < 1<<16 {
					f.Add(data, uint8(slices.Index(archiveFormats, format)))
				}
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, kind uint8) {
		format := archiveFormats[int(kind)%len(archiveFormats)]
		p := archiveProject(t, local.NewMemoryStore(&archiveQuota))
		writeArchiveFiles(t, p, attackedFiles...)
		before := archiveSnapshot(t, p)
		result, err := Import(t.Context(), p, bytes.NewReader(data), format)
		checkArchiveUsage(t, p)
		if err != nil {
			require.ErrorAs(t, err, new(*Error))
			require.Zero(t, result)
			require.Equal(t, before, archiveSnapshot(t, p))
			return
		}
		// It can be exported, and imported again, and taken back.
		tree := archiveTree(t, p)
		other := archiveProject(t, local.NewMemoryStore(&archiveQuota))
		_, err = importBytes(t, other, exported(t, p, format), format)
		require.NoError(t, err)
		require.Len(t, archiveTree(t, other), len(tree))
		if result.Files+result.Directories > 0 {
			_, err = p.Undo(t.Context(), result.Call)
			require.NoError(t, err)
			require.Len(t, archiveTree(t, p), len(attackedFiles))
			checkArchiveUsage(t, p)
		}
	})
}
