package linearmem

import (
	"errors"
	"fmt"
	"io"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// share makes an anonymous file of what write writes, and maps it. The file cannot be changed afterwards.
func share(write func(io.Writer) error) (_ *os.File, data []byte, err error) {
	fd, err := unix.MemfdCreate("toolrun", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil { // an old kernel, or a filter of system calls
		return nil, nil, errors.ErrUnsupported
	}
	file := os.NewFile(uintptr(fd), "image")
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("linearmem: making an image: %w", err), file.Close())
		}
	}()
	if err := write(file); err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	length := int(info.Size())
	seals := unix.F_SEAL_WRITE | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
		return nil, nil, err
	}
	if length > 0 {
		data, err = unix.Mmap(fd, 0, length, unix.PROT_READ, unix.MAP_PRIVATE)
	}
	return file, data, err
}

// shareFile maps length bytes of a file of a file system, from at on. The result has a descriptor of its own.
func shareFile(file *os.File, at int64, length int) (_ *os.File, data []byte, err error) {
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	if data, err = unix.Mmap(fd, at, length, unix.PROT_READ, unix.MAP_PRIVATE); err != nil {
		return nil, nil, errors.Join(err, unix.Close(fd))
	}
	return os.NewFile(uintptr(fd), "image"), data, nil
}

func unshare(file *os.File, data []byte) {
	if data != nil {
		release(data)
	}
	file.Close() // nothing has been written that could be lost
}

// placeShared maps the pieces, so that pages take no memory until they are touched, and are copied only on a write.
func (i *Image) placeShared(memory []byte) error {
	for _, p := range i.pieces {
		at := unsafe.Pointer(&memory[p.at])
		_, err := unix.MmapPtr(int(i.file.Fd()), int64(i.start+p.offset), at, uintptr(p.length),
			protection, unix.MAP_PRIVATE|unix.MAP_FIXED|unix.MAP_NORESERVE)
		if err != nil {
			return fmt.Errorf("linearmem: mapping an image: %w", err)
		}
	}
	return nil
}

// revert restores a memory to the image that is mapped in it. Pages that were written are restored one by one as long
// as they are not more than Kept. A page fault takes longer than two copies of a page.
func (m *Memory) revert(used []byte) error {
	page := os.Getpagesize()
	var ok bool
	if m.touched, ok = ownPages(used, m.touched[:0], int(m.Kept)/page); !ok {
		m.touched = nil
		return unix.Madvise(used, unix.MADV_DONTNEED)
	}
	pieces := m.image.pieces
	for _, at := range m.touched {
		for len(pieces) > 0 && pieces[0].at+pieces[0].length <= at {
			pieces = pieces[1:]
		}
		target := used[at : at+uint64(page)]
		if len(pieces) > 0 && pieces[0].at <= at {
			copy(target, m.image.data[pieces[0].offset+at-pieces[0].at:])
		} else if !isZero(target) { // a page that was only read is the system's zero page: a write would copy it
			clear(target)
		}
	}
	return nil
}

// prepareWrites lets the system make all pages of a part of the memory at once, which costs a fraction of a page fault
// for each. A kernel that cannot (before 5.14) makes them one by one when they are written.
func prepareWrites(memory []byte, from, to uint64) {
	page := uint64(os.Getpagesize())
	_ = unix.Madvise(memory[from/page*page:(to+page-1)/page*page], unix.MADV_POPULATE_WRITE)
}
