package archive

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// A Result describes what an import has put into a project.
type Result struct {
	// Files is the number of imported files. Bytes is their total size.
	Files, Bytes int64
	// Directories is the number of created directories.
	Directories int64
	// Call is the id with which [vfs.History.Undo] takes the import back.
	Call string
}

// Import puts the files and directories of an archive into a project. files is a [vfs.Project], a view of one, or made
// by [vfs.Foreign]. An existing file is replaced and keeps its permissions; an existing directory stays. New ones get
// the archive's permissions, and those of the owner. Files and new directories get the archive's times, if these are
// from 1970 to 2099. Nothing is put into projects that are mounted in the project.
//
// An archive is imported as a whole, or refused with an [*Error] and changes nothing. These are the rules:
//
//   - It contains only files and directories, each once, with paths that [vfs.Clean] does not change, except for a
//     leading "./" and the Unicode form.
//   - It is complete, nothing follows its end, and all checksums are right.
//   - It has no file where the project has a directory, or the reverse, no name that differs from another only in case
//     or Unicode form, and nothing for a place that is read-only.
//   - It has at most as many entries and bytes as the project's quota allows, or by default if there is no telling. The
//     archive itself may be longer by 64 MiB, or by 10 KiB for each file that the quota allows if that is more.
//
// Others do not wait while the archive is read: up to 4 MiB of it are kept in memory, and more in a temporary file of
// the host. When everything is there and checked, it is put in place exclusively, as one call of its own in the
// history, and the context no longer stops that. If that fails, everything is taken back. If that fails too, the error
// says so, and the result has the call. If the process dies meanwhile, part of the import is in place, and Undo takes
// it back if the history had room for it.
func Import(ctx context.Context, files afero.Fs, r io.Reader, format Format) (Result, error) {
	if err := format.check(); err != nil {
		return Result{}, err
	}
	id := "import-" + strings.ToLower(rand.Text())
	call, end, err := vfs.BeginCall(vfs.Unmounted(files), id)
	if err != nil {
		return Result{}, err
	}
	defer end()
	usage, _, err := usageOf(ctx, call)
	if err != nil {
		return Result{}, importError("/", err)
	}
	im := &importing{quota: usage.Quota, spool: fsys.Spool{Memory: spoolMemory}, buf: make([]byte, bufferSize)}
	im.root.path, im.root.dir = "/", true
	defer im.spool.Close()
	if err := im.read(ctx, r, format); err != nil {
		return Result{}, err
	}
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	err = vfs.Exclusively(ctx, call, func(files afero.Fs) error {
		im.files = files
		if err := im.fit(ctx); err != nil {
			return err
		}
		im.result.Call = id
		return im.place()
	})
	return im.result, importError("/", err)
}

// usageOf returns the usage, and whether it is known. If not, the quota is the default one.
func usageOf(ctx context.Context, files afero.Fs) (usage vfs.Usage, known bool, err error) {
	usage, err = vfs.UsageOf(ctx, files)
	if !errors.Is(err, errors.ErrUnsupported) {
		return usage, true, err
	}
	options, err := (*vfs.Options)(nil).WithDefaults()
	return vfs.Usage{Quota: options.Quota}, false, err
}

// importError puts a path into an error, unless that has one, or is about the archive or the context.
func importError(name string, err error) error {
	if refused, ok := errors.AsType[*Error](err); ok {
		return refused
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fsys.PathError("import", name, err)
}

// An entryInfo is what an archive says about one of its entries.
type entryInfo struct {
	name string
	dir  bool
	size int64
	// perm is 0 if the archive does not say.
	perm fs.FileMode
	time time.Time
}

// cleanPath returns the path that the entry means, or "/" for the project itself, with which many a tar begins.
func (e *entryInfo) cleanPath() (string, error) {
	name := strings.TrimPrefix(e.name, "./")
	if e.dir {
		if e.name == "." || e.name == "./" {
			return "/", nil
		}
		name = strings.TrimSuffix(name, "/")
	}
	clean, err := vfs.Clean(name)
	if err != nil {
		return "", unfit(e.name, err)
	}
	// What vfs.Clean would change, others take for something else, or for another file.
	for part := range strings.SplitSeq(name, "/") {
		switch {
		case part == "." || part == "..":
			return "", forbidden(e.name, fmt.Sprintf("its name has %q in it", part))
		case part == "" && strings.HasPrefix(e.name, "/"):
			return "", forbidden(e.name, "its name is absolute")
		case part == "":
			return "", forbidden(e.name, "its name is empty, or a part of it")
		}
	}
	return clean, nil
}

// permissions returns the permission bits for the file or directory.
func (e *entryInfo) permissions() fs.FileMode {
	perm := e.perm & fs.ModePerm
	switch {
	case perm == 0 && e.dir:
		return 0o755
	case perm == 0:
		return 0o644
	case e.dir:
		return perm | 0o700
	}
	return perm | 0o600
}

// Times that formats of archives and file systems have in common: zips have 32 bits for the seconds.
var (
	firstTime = time.Unix(0, 0)
	lastTime  = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC).Add(-1)
)

// setTime gives a file or directory the time that the archive has for it.
func (e *entryInfo) setTime(files afero.Fs, name string) error {
	if e.time.Before(firstTime) || e.time.After(lastTime) {
		return nil
	}
	return files.Chtimes(name, e.time, e.time)
}

// A branch is a file or directory that an archive has, or a directory that something is in.
type branch struct {
	entryInfo
	path string
	// listed says that it is an entry itself. If not, entryInfo has the name of the first entry in it.
	listed bool
	// inside is what a directory has in it, by names as fold makes them.
	inside map[string]*branch
	// offset is where the content of a file is in the spool.
	offset int64
	// before is what the project has in its place, or nil, and saved where a file's content is in the spool then.
	before fs.FileInfo
	saved  int64
	// touched says that the project may have this now.
	touched bool
}

// growth is how many bytes more the project will have with a file.
func (b *branch) growth() int64 {
	if b.before == nil {
		return b.size
	}
	return b.size - b.before.Size()
}

// spoolMemory is how many bytes of an import are kept in memory until they are put into the project.
const spoolMemory = 4 << 20

// An importing is an import in progress.
type importing struct {
	quota vfs.Quota
	spool fsys.Spool
	buf   []byte
	root  branch
	// branches is how many there are in the root, and declared how many bytes they are going to have.
	branches, declared int64
	// files is the project, while nobody else can change it.
	files afero.Fs
	// names has the names in directories of the project, by what they fold to.
	names map[string]map[string]string
	// todo are the directories to be made, and then the files to be put in place, in this order.
	todo   []*branch
	result Result
}

// section returns a reader of size bytes of what has been read.
func (im *importing) section(offset, size int64) *io.SectionReader {
	return io.NewSectionReader(&im.spool, offset, size)
}

// read reads the archive, checks what can be checked without the project, and stages the files.
func (im *importing) read(ctx context.Context, from io.Reader, format Format) error {
	r := &reader{to: im, stopped: ctx.Err, limit: limitOf(im.quota)}
	if format != Zip {
		return r.tar(ctx, from, format == TarGzip)
	}
	if whole, size, ok := seekable(from); ok {
		return r.zip(ctx, whole, size)
	}
	size, err := im.keep(ctx, r.limited(outside(from)), "")
	if err != nil {
		return err
	}
	return r.zip(ctx, im.section(0, size), size)
}

// seekable returns the reader with random access and its size, if it has that. A pipe only appears to have it.
func seekable(r io.Reader) (whole io.ReaderAt, size int64, ok bool) {
	from, isReaderAt := r.(io.ReaderAt)
	seeker, isSeeker := r.(io.Seeker)
	if !isReaderAt || !isSeeker {
		return nil, 0, false
	}
	start, err := seeker.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, 0, false
	}
	end, err := seeker.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, 0, false
	}
	return io.NewSectionReader(from, start, end-start), max(0, end-start), true
}

// add takes an entry in, if it can be.
func (im *importing) add(e entryInfo) (*branch, error) {
	clean, err := e.cleanPath()
	if err != nil {
		return nil, err
	}
	quota := im.quota
	switch {
	case e.dir && e.size != 0:
		return nil, forbidden(e.name, "it is a directory that has a content")
	case e.size > quota.FileSize:
		return nil, unfit(e.name, &vfs.QuotaError{Limit: "file size", Max: quota.FileSize, Want: e.size})
	case e.size > quota.Bytes-im.declared:
		return nil, unfit(e.name, &vfs.QuotaError{
			Limit: "bytes", Max: quota.Bytes, Want: saturate(im.declared, e.size, 1),
		})
	}
	im.declared += e.size
	b := &im.root
	if clean != "/" {
		if b, err = im.grow(clean, &e); err != nil {
			return nil, err
		}
	}
	switch {
	case b.listed:
		return nil, forbidden(e.name, "it is there more than once")
	case !e.dir && b.inside != nil:
		return nil, forbidden(e.name, "it is a file, but something is in it")
	}
	b.entryInfo, b.listed = e, true
	return b, nil
}

// grow returns the branch that a path leads to.
func (im *importing) grow(clean string, e *entryInfo) (*branch, error) {
	at, end := &im.root, 0
	for base := range strings.SplitSeq(clean[1:], "/") {
		if !at.dir {
			return nil, forbidden(e.name, fmt.Sprintf("it is in %q, which is a file", at.name))
		}
		end += 1 + len(base)
		folded := vfs.Fold(base)
		next := at.inside[folded]
		if next == nil {
			if limit := im.quota.Files; im.branches >= limit {
				return nil, unfit(e.name, &vfs.QuotaError{Limit: "files", Max: limit, Want: im.branches + 1})
			}
			im.branches++
			next = &branch{entryInfo: entryInfo{name: e.name, dir: true}, path: clean[:end]}
			if at.inside == nil {
				at.inside = map[string]*branch{}
			}
			at.inside[folded] = next
		} else if other := path.Base(next.path); other != base {
			reason := fmt.Sprintf("%q is in the archive too, and differs in case or Unicode form only", next.name)
			return nil, &Error{e.name, reason, &vfs.NameConflictError{Name: base, Existing: other}}
		}
		at = next
	}
	return at, nil
}

// stage keeps the content of a file.
func (im *importing) stage(ctx context.Context, b *branch, content io.Reader) error {
	b.offset = im.spool.Size()
	size, err := im.keep(ctx, io.LimitReader(content, saturate(b.size, 1, 1)), b.name)
	switch {
	case err != nil:
		return err
	case size > b.size:
		return forbidden(b.name, "it is longer than it says")
	case size < b.size:
		return forbidden(b.name, "it is shorter than it says")
	}
	return nil
}

// keep reads from an archive, or from an entry of it, into the spool.
func (im *importing) keep(ctx context.Context, from io.Reader, entry string) (size int64, err error) {
	for {
		n, readErr := from.Read(im.buf)
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if _, err := im.spool.Write(im.buf[:n]); err != nil {
			return 0, fmt.Errorf("keeping what is imported: %w", err)
		}
		size += int64(n)
		if readErr == io.EOF {
			return size, nil
		}
		if readErr != nil {
			return 0, damaged(entry, readErr)
		}
	}
}

// fit determines what must be done to the project in its current state, and checks that it can be done.
func (im *importing) fit(ctx context.Context) error {
	im.names = map[string]map[string]string{}
	if err := im.compare(&im.root); err != nil {
		return err
	}
	// In this order there is never less room than before or after it all.
	slices.SortStableFunc(im.todo, func(a, b *branch) int {
		if a.dir || b.dir {
			return -cmp.Compare(count(a.dir), count(b.dir))
		}
		return cmp.Compare(a.growth(), b.growth())
	})
	usage, known, err := usageOf(ctx, im.files)
	if err != nil || !known {
		return err
	}
	for _, b := range im.todo {
		added, growth := count(b.before == nil), int64(0)
		if !b.dir {
			growth = b.growth()
		}
		switch limit := usage.Quota; {
		case added > 0 && usage.Files >= limit.Files:
			return unfit(b.name, &vfs.QuotaError{Limit: "files", Max: limit.Files, Want: usage.Files + 1})
		case growth > 0 && growth > limit.Bytes-usage.Bytes:
			return unfit(b.name, &vfs.QuotaError{
				Limit: "bytes", Max: limit.Bytes, Want: saturate(usage.Bytes, growth, 1),
			})
		}
		usage.Files += added
		usage.Bytes += growth
	}
	return nil
}

func count(one bool) int64 {
	if one {
		return 1
	}
	return 0
}

// compare compares the content of an archive's directory with the project.
func (im *importing) compare(dir *branch) error {
	for _, b := range slices.SortedFunc(maps.Values(dir.inside), byPath) {
		// In a new directory there is nothing.
		if dir == &im.root || dir.before != nil {
			if err := im.lookAt(b); err != nil {
				return err
			}
		}
		if !b.dir || b.before == nil {
			if vfs.IsReadOnly(im.files, b.path) {
				return unfit(b.name, syscall.EROFS)
			}
			im.todo = append(im.todo, b)
		}
		if err := im.compare(b); err != nil {
			return err
		}
	}
	return nil
}

func byPath(a, b *branch) int { return strings.Compare(a.path, b.path) }

// lookAt finds what the project has at the path of a branch whose parent exists.
func (im *importing) lookAt(b *branch) error {
	info, err := im.files.Stat(b.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		names, err := im.namesIn(path.Dir(b.path))
		if err != nil {
			return importError(b.path, err)
		}
		base := path.Base(b.path)
		if twin, ok := names[vfs.Fold(base)]; ok && twin != base {
			return unfit(b.name, &vfs.NameConflictError{Name: base, Existing: twin})
		}
		return nil
	case err != nil:
		return importError(b.path, err)
	case info.IsDir() && !b.dir:
		return &Error{b.name, "there is a directory of that name in the project", syscall.EISDIR}
	case info.Mode().IsRegular() && b.dir:
		return &Error{b.name, b.path + " is a file in the project", fsys.ErrNotDir}
	case !info.IsDir() && !info.Mode().IsRegular():
		return &Error{b.name, b.path + " is a link or a special file in the project", fsys.ErrNotFollowed}
	}
	b.before = info
	return nil
}

// namesIn returns the names in a directory by what they fold to.
func (im *importing) namesIn(dir string) (map[string]string, error) {
	if names, ok := im.names[dir]; ok {
		return names, nil
	}
	infos, err := afero.ReadDir(im.files, dir)
	if err != nil {
		return nil, err
	}
	names := make(map[string]string, len(infos))
	for _, info := range infos {
		names[vfs.Fold(info.Name())] = info.Name()
	}
	im.names[dir] = names
	return names, nil
}
