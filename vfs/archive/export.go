package archive

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"syscall"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/progress"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// Export writes all files and directories as an archive, in byte order of the names in each directory, with their
// permissions and times (to the second, from 1970 to 2099). Links and special files are left out. The same files give
// the same archive. Projects that are mounted in the project are left out.
//
// Others can change the project meanwhile. A file that they replace is in the archive in its old or its new form;
// what they create or remove may or may not be there. A file that is written in place, without os.O_TRUNC, is as it
// happens to be read, with its first length; if it becomes shorter meanwhile, Export fails with
// io.ErrUnexpectedEOF.
//
// After an error, the output is not an archive. The error is a [*fs.PathError] if it concerns a file of the
// project, and otherwise that of the writer or the context.
func Export(ctx context.Context, files afero.Fs, w io.Writer, format Format) error {
	if err := format.check(); err != nil {
		return err
	}
	ex := &exporting{files: vfs.Unmounted(files), to: newWriter(w, format), buf: make([]byte, bufferSize)}
	if err := ex.directory(ctx, "/"); err != nil {
		return err
	}
	return ex.to.Close()
}

// A writer writes an archive.
type writer interface {
	// add adds a file or directory. The content of a file, of just the size that info has, is written to what it
	// returns.
	add(name string, info fs.FileInfo) (io.Writer, error)
	// Close completes the archive.
	Close() error
}

func newWriter(w io.Writer, format Format) writer {
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
	h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: timeOf(info)}
	h.SetMode(info.Mode().Perm() | info.Mode()&fs.ModeDir)
	return z.CreateHeader(h)
}

type tarWriter struct{ *tar.Writer }

func (t tarWriter) add(name string, info fs.FileInfo) (io.Writer, error) {
	h := &tar.Header{
		Typeflag: tar.TypeReg, Name: name, Size: info.Size(), Mode: int64(info.Mode().Perm()), ModTime: timeOf(info),
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

// timeOf is when a file was changed, as archives of all formats can say it.
func timeOf(info fs.FileInfo) time.Time {
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
	files afero.Fs
	to    writer
	buf   []byte
}

// directory adds what a directory has in it.
func (ex *exporting) directory(ctx context.Context, dir string) error {
	infos, err := afero.ReadDir(ex.files, dir)
	if err != nil {
		if dir != "/" && goneMeanwhile(err) {
			return nil
		}
		return err
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

// goneMeanwhile reports whether what has been listed no longer exists.
func goneMeanwhile(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fsys.ErrNotFollowed) || errors.Is(err, syscall.ENOTDIR)
}

// file adds a file, by one handle for all that the archive says of it.
func (ex *exporting) file(ctx context.Context, name string) error {
	f, err := ex.files.Open(name)
	if err != nil {
		if goneMeanwhile(err) {
			return nil
		}
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() { // it has been replaced since it was listed
		return err
	}
	w, err := ex.to.add(name[1:], info)
	if err != nil {
		return err
	}
	content := progress.Reader(f)
	for left := info.Size(); left > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := content.Read(ex.buf[:min(int64(len(ex.buf)), left)])
		if _, err := w.Write(ex.buf[:n]); err != nil {
			return err
		}
		if left -= int64(n); left == 0 {
			break
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return fsys.PathError("export", name, err)
		}
	}
	return nil
}
