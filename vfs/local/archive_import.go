package local

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

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// ImportResult describes what an import has put into a project.
type ImportResult struct {
	// Files is the number of imported files. Bytes is their total size.
	Files, Bytes int64
	// Directories is the number of created directories.
	Directories int64
	// Call is the id with which [vfs.History.Undo] takes the import back.
	Call string
}

// Import puts the files and directories of an archive into the project. An existing file is replaced and keeps its
// permissions; an existing directory stays. New ones get the archive's permissions, and those of the owner. Files
// and new directories get the archive's times, if these are from 1970 to 2099.
//
// An archive is imported as a whole, or refused with an [*ArchiveError] and changes nothing. These are the rules:
//
//   - It contains only files and directories, each once, with paths that [vfs.Clean] does not change, except for a
//     leading "./" and the Unicode form.
//   - It is complete, nothing follows its end, and all checksums are right.
//   - It has no file where the project has a directory, or the reverse, and no name that differs from another only
//     in case or Unicode form.
//   - It has at most as many entries and bytes as the project's quota allows. The archive itself may be longer by
//     64 MiB, or by 10 KiB for each file that the quota allows if that is more.
//
// The import is one call in the history: that of [vfs.Calls.WithCall], or its own. Others do not wait while the
// archive is read: its files are written to temporary ones, and so is a whole zip unless the reader is an
// [io.ReaderAt] and an [io.Seeker]. When everything is there and checked, it is put in place, and the context no
// longer stops that. If the host fails then, or the process dies, part of the import is in place; the result says
// how much, and Undo takes it back if the history had room for it.
//
// The project must be one of this package; for others the error is errors.ErrUnsupported.
func Import(ctx context.Context, project vfs.Project, r io.Reader, format ArchiveFormat) (ImportResult, error) {
	if err := format.check(); err != nil {
		return ImportResult{}, err
	}
	p, ok := project.(*Project)
	if !ok {
		return ImportResult{}, importError("/", errors.ErrUnsupported)
	}
	// The lock is needed once, to say that temporary files of this process are in use.
	if err := p.change(ctx, func(*core) error { return nil }); err != nil {
		return ImportResult{}, importError("/", err)
	}
	im := &importing{core: p.core, buf: make([]byte, archiveBuffer)}
	im.root.path, im.root.dir = "/", true
	defer im.cleanUp()
	if err := im.read(ctx, r, format); err != nil {
		return ImportResult{}, err
	}
	if err := ctx.Err(); err != nil {
		return ImportResult{}, err
	}
	if p.call == nil || p.call.id == "" {
		p = p.withCall("import-" + strings.ToLower(rand.Text()))
	}
	at := "/"
	err := p.change(ctx, func(c *core) error {
		if err := im.fit(); err != nil {
			return err
		}
		im.result.Call = p.call.id
		return p.place(c, im, &at)
	})
	return im.result, importError(at, err)
}

// importError puts a path into an error, unless that is about the archive or the context.
func importError(name string, err error) error {
	if refused, ok := errors.AsType[*ArchiveError](err); ok {
		return refused
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
func (e *entryInfo) setTime(c *core, name string) error {
	if e.time.Before(firstTime) || e.time.After(lastTime) {
		return nil
	}
	return c.b.chtimes(name, e.time, e.time)
}

// A branch is a file or directory that an archive has, or a directory that something is in.
type branch struct {
	entryInfo
	path string
	// listed says that it is an entry itself. If not, entryInfo has the name of the first entry in it.
	listed bool
	// inside is what a directory has in it, by names as fold makes them.
	inside map[string]*branch
	// temp is where the content of a file is, and now what it is like.
	temp string
	now  fs.FileInfo
	// before is what the project has in its place, or nil.
	before fs.FileInfo
}

// growth is how many bytes more the project will have with a file.
func (b *branch) growth() int64 {
	if b.before == nil {
		return b.now.Size()
	}
	return b.now.Size() - b.before.Size()
}

// added is how many files more there will be.
func (b *branch) added() int64 {
	if b.before == nil {
		return 1
	}
	return 0
}

// An importing is an import in progress.
type importing struct {
	core *core
	root branch
	// branches is how many there are in the root, and declared how many bytes they are going to have.
	branches, declared int64
	// staged is how many bytes core.staged counts for this, and temps where they are.
	staged int64
	temps  []string
	buf    []byte
	// directories are to be made, and files to be put in place, in this order.
	directories, files []*branch
	result             ImportResult
}

// cleanUp removes what is temporary and has not been put in place.
func (im *importing) cleanUp() {
	for _, temp := range im.temps {
		_ = im.core.b.removeAll(temp)
	}
	im.core.staged.Add(-im.staged)
}

// read reads the archive, checks what can be checked without the project, and stages the files.
func (im *importing) read(ctx context.Context, from io.Reader, format ArchiveFormat) error {
	r := &archiveReader{to: im, stopped: ctx.Err, limit: archiveLimit(im.core.options.Quota)}
	if format != Zip {
		return r.tar(ctx, from, format == TarGzip)
	}
	if whole, size, ok := seekable(from); ok {
		return r.zip(ctx, whole, size)
	}
	spooled, size, err := im.fill(ctx, r.limited(outsideReader{from}), &im.root, func(int64) error { return nil })
	if err != nil {
		return err
	}
	defer spooled.Close()
	return r.zip(ctx, spooled, size)
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
	quota := im.core.options.Quota
	switch {
	case e.dir && e.size != 0:
		return nil, forbidden(e.name, "it is a directory that has a content")
	case e.size > quota.FileSize:
		return nil, unfit(e.name, &vfs.QuotaError{Limit: "file size", Max: quota.FileSize, Want: e.size})
	case e.size > quota.Bytes-im.declared:
		return nil, unfit(e.name, &vfs.QuotaError{Limit: "bytes", Max: quota.Bytes, Want: saturate(im.declared, e.size, 1)})
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
			if quota := im.core.options.Quota; im.branches >= quota.Files {
				return nil, unfit(e.name, &vfs.QuotaError{Limit: "files", Max: quota.Files, Want: im.branches + 1})
			}
			im.branches++
			next = &branch{entryInfo: entryInfo{name: e.name, dir: true}, path: clean[:end]}
			if at.inside == nil {
				at.inside = map[string]*branch{}
			}
			at.inside[folded] = next
		} else if other := path.Base(next.path); other != base {
			reason := fmt.Sprintf("%q is in the archive too, and differs in case or Unicode form only", next.name)
			return nil, &ArchiveError{e.name, reason, &vfs.NameConflictError{Name: base, Existing: other}}
		}
		at = next
	}
	return at, nil
}

// stage writes a file to a temporary one.
func (im *importing) stage(ctx context.Context, b *branch, content io.Reader) error {
	c, limit := im.core, im.core.options.Quota.Bytes
	staged := int64(0)
	n, size, err := im.fill(ctx, content, b, func(size int64) error {
		if size > b.size {
			return forbidden(b.name, "it is longer than it says")
		}
		if total := c.staged.Add(size - staged); total > limit {
			c.staged.Add(staged - size)
			return unfit(b.name, &vfs.QuotaError{Limit: "bytes", Max: limit, Want: total})
		}
		im.staged += size - staged
		staged = size
		return nil
	})
	if err != nil {
		return err
	}
	if !c.options.NoSync {
		err = n.Sync()
	}
	b.temp = im.temps[len(im.temps)-1]
	err = errors.Join(err, n.Close(), c.b.chmod(b.temp, b.permissions()), b.setTime(c, b.temp))
	if err == nil {
		b.now, err = c.b.lstat(b.temp)
	}
	if err == nil && size != b.size {
		return forbidden(b.name, "it is shorter than it says")
	}
	return importError(b.path, err)
}

// fill writes a new temporary file for b, which is the last of temps then. allow is asked before the file gets a size.
func (im *importing) fill(
	ctx context.Context, from io.Reader, b *branch, allow func(size int64) error,
) (n node, size int64, err error) {
	temp := im.core.temp()
	if n, err = im.core.b.open(temp, openNew, 0o600); err != nil {
		return nil, 0, importError(b.path, err)
	}
	im.temps = append(im.temps, temp)
	for {
		read, readErr := from.Read(im.buf)
		if err = ctx.Err(); err == nil && read > 0 {
			if err = allow(size + int64(read)); err == nil {
				_, err = n.WriteAt(im.buf[:read], size)
			}
		}
		if err != nil {
			return nil, 0, errors.Join(importError(b.path, err), n.Close())
		}
		size += int64(read)
		if readErr == io.EOF {
			return n, size, nil
		}
		if readErr != nil {
			return nil, 0, errors.Join(damaged(b.name, readErr), n.Close())
		}
	}
}

// fit determines what must be done to the project in its current state, and checks that it can be done.
func (im *importing) fit() error {
	if err := im.compare(&im.root); err != nil {
		return err
	}
	// In this order there is never less room than before or after it all.
	slices.SortStableFunc(im.files, func(a, b *branch) int { return cmp.Compare(a.growth(), b.growth()) })
	s := im.core.state
	for _, d := range im.directories {
		if err := im.core.room(s, 0, 0, 1); err != nil {
			return unfit(d.name, err)
		}
		s.files++
	}
	for _, f := range im.files {
		if err := im.core.room(s, f.now.Size(), f.now.Size()-f.growth(), f.added()); err != nil {
			return unfit(f.name, err)
		}
		s.bytes += f.growth()
		s.files += f.added()
	}
	return nil
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
		if !b.dir {
			im.files = append(im.files, b)
			continue
		}
		if b.before == nil {
			im.directories = append(im.directories, b)
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
	info, err := im.core.b.lstat(b.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = im.core.creatable(b.path, "")
		if _, ok := errors.AsType[*vfs.NameConflictError](err); ok {
			return unfit(b.name, err)
		}
		return importError(b.path, err)
	case err != nil:
		return importError(b.path, err)
	case info.IsDir() && !b.dir:
		return &ArchiveError{b.name, "there is a directory of that name in the project", syscall.EISDIR}
	case info.Mode().IsRegular() && b.dir:
		return &ArchiveError{b.name, b.path + " is a file in the project", fsys.ErrNotDir}
	case !info.IsDir() && !info.Mode().IsRegular():
		return &ArchiveError{b.name, b.path + " is a link or a special file in the project", fsys.ErrNotFollowed}
	}
	b.before = info
	return nil
}

// place puts everything in its place. at is what it is about.
func (p *Project) place(c *core, im *importing, at *string) error {
	changed := make([]string, 0, len(im.directories)+len(im.files))
	for _, b := range slices.Concat(im.directories, im.files) {
		*at = b.path
		changed = append(changed, path.Dir(b.path))
		if err := p.placeOne(c, b); err != nil {
			return err
		}
		if b.dir {
			im.result.Directories++
		} else {
			im.result.Files++
			im.result.Bytes += b.size
		}
	}
	// What is put into a directory changes its time.
	for _, d := range im.directories {
		*at = d.path
		if !d.listed {
			continue
		}
		if err := d.setTime(c, d.path); err != nil {
			return err
		}
	}
	slices.Sort(changed)
	return c.sync(slices.Compact(changed)...)
}

// placeOne puts a file in its place, or makes a directory, which fit has found to be possible. What is durable comes
// later.
func (p *Project) placeOne(c *core, b *branch) error {
	if !b.dir {
		_, err := p.replace(c, b.path, b.temp, b.now)
		return err
	}
	if _, err := p.record(c, change{Op: vfs.OpMkdir, Path: b.path}); err != nil {
		return err
	}
	if err := c.b.mkdir(b.path, b.permissions()); err != nil {
		return err
	}
	c.state.files++
	return c.b.chmod(b.path, b.permissions()) // whatever the process's umask is
}
