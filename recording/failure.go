package recording

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/vfs"
)

// failure is an error of a file. What is decoded is the same to errors.Is and errors.As as the error was, as far as
// tools and guests look.
type failure struct {
	Op   string `json:"op,omitempty"`
	Path string `json:"path,omitempty"`
	Text string `json:"text"`
	// Is are the names of errors that it is.
	Is []string `json:"is,omitempty"`

	Quota       *vfs.QuotaError        `json:"quota,omitempty"`
	Conflict    *vfs.NameConflictError `json:"conflict,omitempty"`
	Protected   string                 `json:"protected,omitempty"`
	Unavailable string                 `json:"unavailable,omitempty"`
	Invalid     *string                `json:"invalid,omitempty"` // the path
}

// sentinels are errors that others can be, by names.
var sentinels = []struct {
	name string
	err  error
}{
	{"EOF", io.EOF}, {"UNEXPECTED_EOF", io.ErrUnexpectedEOF},
	{"ENOTEMPTY", syscall.ENOTEMPTY}, {"ENOTDIR", syscall.ENOTDIR}, {"EISDIR", syscall.EISDIR},
	{"ENAMETOOLONG", syscall.ENAMETOOLONG},
	{"EROFS", syscall.EROFS}, {"ELOOP", syscall.ELOOP}, {"EPERM", syscall.EPERM}, {"EACCES", syscall.EACCES},
	{"EBADF", syscall.EBADF},
	{"EINVAL", syscall.EINVAL}, {"ERANGE", syscall.ERANGE}, {"EINTR", syscall.EINTR}, {"EAGAIN", syscall.EAGAIN},
	{"ENOSPC", syscall.ENOSPC}, {"EDQUOT", syscall.EDQUOT}, {"EFBIG", syscall.EFBIG}, {"ESTALE", syscall.ESTALE},
	{"EBUSY", syscall.EBUSY}, {"EXDEV", syscall.EXDEV}, {"EMFILE", syscall.EMFILE}, {"ENFILE", syscall.ENFILE},
	{"ENOMEM", syscall.ENOMEM}, {"EIO", syscall.EIO}, {"ENOENT", syscall.ENOENT}, {"EEXIST", syscall.EEXIST},
	{"NOT_EXIST", fs.ErrNotExist}, {"EXIST", fs.ErrExist}, {"PERMISSION", fs.ErrPermission}, {"INVALID", fs.ErrInvalid},
	{"CLOSED", fs.ErrClosed}, {"UNSUPPORTED", errors.ErrUnsupported}, {"FILE_CLOSED", afero.ErrFileClosed},
	{"OUT_OF_RANGE", afero.ErrOutOfRange}, {"DEADLINE", os.ErrDeadlineExceeded},
}

func newFailure(err error) *failure {
	if err == nil {
		return nil
	}
	f := &failure{}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		f.Op, f.Path = p.Op, p.Path
		err = p.Err
	}
	f.Text = err.Error()
	for _, s := range sentinels {
		if errors.Is(err, s.err) {
			f.Is = append(f.Is, s.name)
		}
	}
	f.Quota, _ = errors.AsType[*vfs.QuotaError](err)
	f.Conflict, _ = errors.AsType[*vfs.NameConflictError](err)
	if e, ok := errors.AsType[*vfs.ProtectedError](err); ok {
		f.Protected = e.Path
	}
	if e, ok := errors.AsType[*vfs.UnavailableError](err); ok {
		f.Unavailable = e.Reason
	}
	if e, ok := errors.AsType[*vfs.InvalidPathError](err); ok {
		f.Invalid = &e.Path
	}
	return f
}

// recordedError is an error that has the text of another one, and is the same errors.
type recordedError struct {
	text string
	is   []error
}

func (e *recordedError) Error() string   { return e.text }
func (e *recordedError) Unwrap() []error { return e.is }

// error returns the error, or nil.
func (f *failure) error() error {
	if f == nil {
		return nil
	}
	e := &recordedError{text: f.Text}
	for _, name := range f.Is {
		for _, s := range sentinels {
			if s.name == name {
				e.is = append(e.is, s.err)
			}
		}
	}
	if len(e.is) > 0 && e.is[0] == io.EOF && f.Path == "" {
		return io.EOF // which nobody unwraps
	}
	if f.Quota != nil {
		e.is = append(e.is, f.Quota)
	}
	if f.Conflict != nil {
		e.is = append(e.is, f.Conflict)
	}
	if f.Protected != "" {
		e.is = append(e.is, &vfs.ProtectedError{Path: f.Protected})
	}
	if f.Unavailable != "" {
		e.is = append(e.is, &vfs.UnavailableError{Reason: f.Unavailable})
	}
	if f.Invalid != nil {
		if _, err := vfs.Clean(*f.Invalid); err != nil {
			e.is = append(e.is, err)
		}
	}
	if f.Path == "" && f.Op == "" {
		return e
	}
	return &fs.PathError{Op: f.Op, Path: f.Path, Err: e}
}
