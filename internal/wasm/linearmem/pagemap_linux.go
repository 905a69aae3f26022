package linearmem

import (
	"encoding/binary"
	"os"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ownPages appends to list the positions of the process's own pages, in order: pages that have been written, and, where
// no image is mapped, some that have been read, too. It returns false if there are too many, or if the system cannot
// tell.
func ownPages(pages []byte, list []uint64) ([]uint64, bool) { return findOwnPages()(pages, list) }

// findOwnPages returns the fastest implementation of ownPages that the system has. What it needs may be missing or
// wrong: some systems only resemble Linux, and others filter system calls.
var findOwnPages = sync.OnceValue(func() func([]byte, []uint64) ([]uint64, bool) {
	if file, err := os.Open("/proc/self/pagemap"); err == nil {
		for _, read := range []func(*os.File, []byte, []uint64) ([]uint64, bool){scanPagemap, readPagemap} {
			find := func(pages []byte, list []uint64) ([]uint64, bool) { return read(file, pages, list) }
			if truthful(find) {
				return find
			}
		}
		file.Close()
	}
	return func([]byte, []uint64) ([]uint64, bool) { return nil, false }
})

// region is a struct page_region: adjacent pages with the same properties.
type region struct{ start, end, categories uint64 }

// scan is a struct pm_scan_arg: which pages to look for, and where.
type scan struct {
	size, flags, start, end, walkEnd uint64
	regions                          unsafe.Pointer
	length, maxPages                 uint64
	inverted, all, some, wanted      uint64 // properties
}

// scanPagemap implements ownPages by letting the system look for such pages, which takes half of the time of
// readPagemap. It is there from Linux 6.7 on.
//
// See https://docs.kernel.org/admin-guide/mm/pagemap.html.
func scanPagemap(file *os.File, pages []byte, list []uint64) ([]uint64, bool) {
	const shared, present, swapped, zero = 1 << 2, 1 << 3, 1 << 4, 1 << 5
	const code = 3<<30 | unsafe.Sizeof(scan{})<<16 | 'f'<<8 | 16 // _IOWR('f', 16, struct pm_scan_arg)
	found := regions.Get().(*[maxReverted + 1]region)
	defer regions.Put(found)
	start := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(pages))))
	s := scan{
		size: uint64(unsafe.Sizeof(scan{})), start: start, end: start + uint64(len(pages)),
		regions: unsafe.Pointer(found), length: uint64(len(found)), maxPages: maxReverted + 1,
		inverted: shared | zero, all: shared | zero, some: present | swapped, wanted: swapped,
	}
	n, _, errno := unix.Syscall(unix.SYS_IOCTL, file.Fd(), code, uintptr(unsafe.Pointer(&s)))
	if errno != 0 || n > uintptr(len(found)) || s.walkEnd != s.end {
		return nil, false
	}
	page := uint64(os.Getpagesize())
	for _, r := range found[:n] {
		if r.categories != 0 || r.start < start || r.end > s.end || r.start%page != 0 { // it is swapped, or moving
			return nil, false
		}
		for at := r.start; at < r.end; at += page {
			if len(list) == maxReverted {
				return nil, false
			}
			list = append(list, at-start)
		}
	}
	return list, true
}

var regions = sync.Pool{New: func() any { return new([maxReverted + 1]region) }}

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

// truthful tests an implementation of ownPages on a memory with known writes.
func truthful(find func([]byte, []uint64) ([]uint64, bool)) bool {
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
	// reading does not make the page the memory's own
	if clearPages(memory) != nil || image.file == nil || image.placeShared(memory) != nil || memory[0] != 1 {
		return false
	}
	memory[page], memory[2*page] = 2, 2 // one with an image under it, one without
	list, ok := find(memory, nil)
	return ok && slices.Equal(list, []uint64{page, 2 * page})
}
