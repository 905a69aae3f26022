package local

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"
	"time"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// Export writes all files and directories of the project as an archive, in byte order of the names in each
// directory, with their permissions and times (to the second, from 1970 to 2099). Links and special files are left
// out. The same files give the same archive.
//
// Others can change the project meanwhile. A file that they replace is in the archive in its old or its new form;
// what they create or remove may or may not be there. A file that is written in place, without os.O_TRUNC, is as it
// happens to be read, with its first length; if it becomes shorter meanwhile, Export fails with
// io.ErrUnexpectedEOF.
//
// The project must be one of this package; for others the error is errors.ErrUnsupported.
//
// After an error, the output is not an archive. The error is a [*fs.PathError] if it concerns a file of the
// project, and otherwise that of the writer or the context.
func Export(ctx context.Context, project vfs.Project, w io.Writer, format ArchiveFormat) error {
	if err := format.check(); err != nil {
		return err
	}
	p, ok := project.(*Project)
	if !ok {
		return fsys.PathError("export", "/", errors.ErrUnsupported)
	}
	if p.over() {
		return fsys.PathError("export", "/", fs.ErrClosed)
	}
	ex := &exporting{core: p.core, to: newArchiveWriter(w, format), buf: make([]byte, archiveBuffer)}
	if err := ex.directory(ctx, "/"); err != nil {
		return err
	}
	return ex.to.Close()
}

// An archiveWriter writes an archive.
type archiveWriter interface {
	// add adds a file or directory. The content of a file, of just the size that info has, is written to what it
	// returns.
	add(name string, info fs.FileInfo) (io.Writer, error)
	// Close completes the archive.
	Close() error
}

func newArchiveWriter(w io.Writer, format ArchiveFormat) archiveWriter {
	switch format {
	case Zip:
		return zipWriter{zip.NewWriter(w)}
	case TarGzip:
		zipped := gzip.NewWriter(w)
		return gzipWriter{tarWriter{tar.NewWriter(zipped)}, zipped}
	}
	return tarWriter{tar.NewWriter(w)}
}

type zipWriter struct{ *zip.Writer }

func (z zipWriter) add(name string, info fs.FileInfo) (io.Writer, error) {
	h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: archiveTime(info)}
	h.SetMode(info.Mode().Perm() | info.Mode()&fs.ModeDir)
	return z.CreateHeader(h)
}

type tarWriter struct{ *tar.Writer }

func (t tarWriter) add(name string, info fs.FileInfo) (io.Writer, error) {
	h := &tar.Header{
		Typeflag: tar.TypeReg, Name: name, Size: info.Size(), Mode: int64(info.Mode().Perm()), ModTime: archiveTime(info),
	}
	if info.IsDir() {
		h.Typeflag, h.Size = tar.TypeDir, 0
	}
	return t, t.WriteHeader(h)
}

type gzipWriter struct {
	tarWriter
	zipped *gzip.Writer
}

func (g gzipWriter) Close() error { return errors.Join(g.tarWriter.Close(), g.zipped.Close()) }

// archiveTime is when a file was changed, as archives of all formats can say it.
func archiveTime(info fs.FileInfo) time.Time {
	t := info.ModTime().UTC().Truncate(time.Second)
	if t.Before(firstTime) {
		return firstTime.UTC()
	}
	if t.After(lastTime) {
		return lastTime.Truncate(time.Second)
	}
	return t
}

// An exporting is an export in progress.
type exporting struct {
	core *core
	to   archiveWriter
	buf  []byte
}

// directory adds what a directory has in it.
func (ex *exporting) directory(ctx context.Context, dir string) error {
	infos, err := ex.core.list(dir)
	if err != nil {
		if dir != "/" && goneMeanwhile(err) {
			return nil
		}
		return fsys.PathError("export", dir, err)
	}
	for _, info := range infos {
		name := path.Join(dir, info.Name())
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case info.IsDir():
			if _, err = ex.to.add(name[1:]+"/", info); err == nil {
				err = ex.directory(ctx, name)
			}
		case info.Mode().IsRegular():
			err = ex.file(ctx, name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// goneMeanwhile reports whether a listed file no longer exists.
func goneMeanwhile(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fsys.ErrNotFollowed) ||
		errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.EISDIR)
}

// file adds a file, by one handle for all that the archive says of it.
func (ex *exporting) file(ctx context.Context, name string) error {
	n, err := ex.core.b.open(name, os.O_RDONLY, 0)
	if goneMeanwhile(err) {
		return nil
	}
	if err != nil {
		return fsys.PathError("export", name, err)
	}
	defer n.Close()
	info, err := n.Stat()
	if err != nil {
		return fsys.PathError("export", name, err)
	}
	w, err := ex.to.add(name[1:], info)
	if err != nil {
		return err
	}
	for at := int64(0); at < info.Size(); {
		if err := ctx.Err(); err != nil {
			return err
		}
		read, err := n.ReadAt(ex.buf[:min(int64(len(ex.buf)), info.Size()-at)], at)
		if read == 0 {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return fsys.PathError("export", name, err)
		}
		if _, err := w.Write(ex.buf[:read]); err != nil {
			return err
		}
		at += int64(read)
	}
	return nil
}
