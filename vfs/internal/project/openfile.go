package project

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"syscall"

	"github.com/spf13/afero"
)

// Create implements [afero.Fs].
func (p *Project) Create(name string) (afero.File, error) {
	return p.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

// Open implements [afero.Fs].
func (p *Project) Open(name string) (afero.File, error) { return p.OpenFile(name, os.O_RDONLY, 0) }

// OpenFile implements [afero.Fs]. It knows os.O_RDONLY, O_WRONLY, O_RDWR, O_APPEND, O_CREATE, O_EXCL, O_TRUNC and
// O_SYNC; other flags are invalid. Of the permissions, those of the owner are always there.
func (p *Project) OpenFile(name string, flag int, perm os.FileMode) (afero.File, error) {
	var opened afero.File
	err := onPath("open", name, func(clean string) (err error) {
		opened, err = p.open(name, clean, flag, perm.Perm()|0o600)
		return err
	})
	if err != nil {
		return nil, err
	}
	return opened, nil
}

func (p *Project) open(given, clean string, flag int, perm fs.FileMode) (afero.File, error) {
	const known = os.O_RDONLY | os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_CREATE | os.O_EXCL | os.O_TRUNC | os.O_SYNC
	access := flag & (os.O_WRONLY | os.O_RDWR)
	switch {
	case flag&^known != 0, access == os.O_WRONLY|os.O_RDWR, flag&os.O_TRUNC != 0 && access == 0:
		return nil, syscall.EINVAL
	case p.Over():
		return nil, fs.ErrClosed
	case flag&os.O_CREATE == 0:
		flag &^= os.O_EXCL
	case flag&os.O_EXCL != 0:
		flag &^= os.O_TRUNC // there is nothing to replace
	}
	if access == 0 && flag&os.O_CREATE == 0 {
		n, err := p.view().Backend.Open(clean, os.O_RDONLY, 0)
		if errors.Is(err, syscall.EISDIR) {
			return p.openDir(given, clean)
		}
		if err != nil {
			return nil, err
		}
		f := &File{project: p, given: given, base: path.Base(clean), name: clean, flag: flag, Node: n}
		if err := p.Core.opened(&f.handle, f); err != nil {
			return nil, errors.Join(err, n.Close())
		}
		return f, nil
	}
	f := &File{project: p, given: given, base: path.Base(clean), name: clean, flag: flag}
	if err := p.Core.opened(&f.handle, f); err != nil {
		return nil, err
	}
	open := f.openInPlace
	if flag&os.O_TRUNC != 0 {
		open = f.stage
	}
	f.mu.Lock() // until it is open, nobody may discard it
	defer f.mu.Unlock()
	if err := open(perm); err != nil {
		f.closed = true
		p.Core.isClosed(&f.handle)
		return nil, err
	}
	return f, nil
}
