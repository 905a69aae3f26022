package linearmem

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// share writes the content of pieces to an anonymous file that cannot be changed afterwards, and maps it.
func share(parts [][]byte) (_ *os.File, data []byte, err error) {
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
	length := 0
	for _, part := range parts {
		if _, err := file.Write(part); err != nil {
			return nil, nil, err
		}
		length += len(part)
	}
	seals := unix.F_SEAL_WRITE | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
		return nil, nil, err
	}
	if length > 0 {
		data, err = unix.Mmap(fd, 0, length, unix.PROT_READ, unix.MAP_PRIVATE)
	}
	return file, data, err
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
		_, err := unix.MmapPtr(int(i.file.Fd()), int64(p.offset), at, uintptr(p.length), protection, unix.MAP_PRIVATE|unix.MAP_FIXED|unix.MAP_NORESERVE)
		if err != nil {
			return fmt.Errorf("linearmem: mapping an image: %w", err)
		}
	}
	return nil
}

// maxReverted limits the pages that are restored one by one. They stay in memory, so that the next use causes no page
// faults. If there are more, all return to the system.
const maxReverted = 448

// revert restores a memory to the image that is mapped in it.
func (m *Memory) revert(used []byte) error {
	var ok bool
	if m.touched, ok = ownPages(used, m.touched[:0]); !ok {
		m.touched = nil
		return unix.Madvise(used, unix.MADV_DONTNEED)
	}
	page := os.Getpagesize()
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

// ownPages appends to list the positions of the process's own pages, in order: pages that have been written, and, where
// no image is mapped, pages that have been read, too. It returns false if there are too many, or if the system cannot
// tell.
func ownPages(pages []byte, list []uint64) ([]uint64, bool) {
	if file := pagemap(); file != nil {
		return readPagemap(file, pages, list)
	}
	return nil, false
}

// readPagemap implements ownPages with a file that describes each page of the process.
//
// See https://docs.kernel.org/admin-guide/mm/pagemap.html.
func readPagemap(file *os.File, pages []byte, list []uint64) ([]uint64, bool) {
	page := os.Getpagesize()
	buffer := entries.Get().(*[]byte)
	defer entries.Put(buffer)
	n := len(pages) / page * 8
	*buffer = slices.Grow((*buffer)[:0], n)[:n]
	start := uintptr(unsafe.Pointer(unsafe.SliceData(pages))) / uintptr(page)
	if read, err := file.ReadAt(*buffer, int64(start)*8); err != nil || read != n {
		return nil, false
	}
	const present, swapped, shared = 1 << 63, 1 << 62, 1 << 61
	for i := 0; i < n; i += 8 {
		entry := binary.NativeEndian.Uint64((*buffer)[i:])
		if entry&swapped != 0 { // or moving
			return nil, false
		}
		if entry&present != 0 && entry&shared == 0 {
			if len(list) == maxReverted {
				return nil, false
			}
			list = append(list, uint64(i/8*page))
		}
	}
	return list, true
}

var entries = sync.Pool{New: func() any { return new([]byte) }}

// pagemap is nil if the file is missing or wrong: some systems only resemble Linux.
var pagemap = sync.OnceValue(func() *os.File {
	file, err := os.Open("/proc/self/pagemap")
	if err != nil {
		return nil
	}
	if !truthful(file) {
		file.Close()
		return nil
	}
	return file
})

// truthful tests a pagemap on a memory with known writes.
func truthful(file *os.File) bool {
	page := uint64(os.Getpagesize())
	m, err := Reserve(max(PageSize, 4*page))
	if err != nil {
		return false
	}
	defer m.Free()
	memory := m.Reallocate(m.Reserved())
	memory[0], memory[page] = 1, 1
	image, err := m.Capture()
	if err != nil {
		return false
	}
	defer image.Close()
	if clearPages(memory) != nil || image.file == nil || image.placeShared(memory) != nil || memory[0] != 1 { // reading does not make the page the memory's own
		return false
	}
	memory[page], memory[2*page] = 2, 2 // one with an image under it, one without
	list, ok := readPagemap(file, memory, nil)
	return ok && slices.Equal(list, []uint64{page, 2 * page})
}
