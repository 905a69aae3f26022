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
// no image is mapped, some that have been read, too. It returns false if there are more than most, or if the system
// cannot tell.
func ownPages(pages []byte, list []uint64, most int) ([]uint64, bool) {
	return findOwnPages()(pages, list, most)
}

// pageFinder is an implementation of ownPages, with /proc/self/pagemap.
type pageFinder func(file *os.File, pages []byte, list []uint64, most int) ([]uint64, bool)

// findOwnPages returns the fastest implementation of ownPages that the system has. What it needs may be missing or
// wrong: some systems only resemble Linux, and others filter system calls.
var findOwnPages = sync.OnceValue(func() func([]byte, []uint64, int) ([]uint64, bool) {
	if file, err := os.Open("/proc/self/pagemap"); err == nil {
		for _, find := range []pageFinder{scanPagemap, readPagemap} {
			if find.truthful(file) {
				return func(pages []byte, list []uint64, most int) ([]uint64, bool) {
					return find(file, pages, list, most)
				}
			}
		}
		file.Close()
	}
	return func([]byte, []uint64, int) ([]uint64, bool) { return nil, false }
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
func scanPagemap(file *os.File, pages []byte, list []uint64, most int) ([]uint64, bool) {
	const shared, present, swapped, zero = 1 << 2, 1 << 3, 1 << 4, 1 << 5
	const code = 3<<30 | unsafe.Sizeof(scan{})<<16 | 'f'<<8 | 16 // _IOWR('f', 16, struct pm_scan_arg)
	found := regions.Get().(*[mostRegions]region)
	defer regions.Put(found)
	start, page := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(pages)))), uint64(os.Getpagesize())
	for at, end := start, start+uint64(len(pages)); at < end; {
		s := scan{
			size: uint64(unsafe.Sizeof(scan{})), start: at, end: end,
			regions: unsafe.Pointer(found), length: uint64(len(found)), maxPages: uint64(most) + 1,
			inverted: shared | zero, all: shared | zero, some: present | swapped, wanted: swapped,
		}
		n, _, errno := unix.Syscall(unix.SYS_IOCTL, file.Fd(), code, uintptr(unsafe.Pointer(&s)))
		if errno != 0 || n > uintptr(len(found)) || s.walkEnd <= at || s.walkEnd > end {
			return nil, false
		}
		for _, r := range found[:n] {
			if r.categories != 0 || r.start < at || r.end > end || r.start%page != 0 { // it is swapped, or moving
				return nil, false
			}
			for own := r.start; own < r.end; own += page {
				if most--; most < 0 {
					return nil, false
				}
				list = append(list, own-start)
			}
		}
		at = s.walkEnd
	}
	return list, true
}

// mostRegions is how many regions the system finds at a time. If they are more, it begins again where the first ones
// end, and does not say that it has come to the end then.
const mostRegions = 128

var regions = sync.Pool{New: func() any { return new([mostRegions]region) }}

// readPagemap implements ownPages with a file that describes each page of the process.
//
// See https://docs.kernel.org/admin-guide/mm/pagemap.html.
func readPagemap(file *os.File, pages []byte, list []uint64, most int) ([]uint64, bool) {
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
			if most--; most < 0 {
				return nil, false
			}
			list = append(list, uint64(i/8*page))
		}
	}
	return list, true
}

var entries = sync.Pool{New: func() any { return new([]byte) }}

// truthful tests the implementation on a memory with known writes: a page that it does not find would not be restored.
func (find pageFinder) truthful(file *os.File) bool {
	page := uint64(os.Getpagesize())
	m, err := Reserve((4*mostRegions*page + PageSize) / PageSize * PageSize)
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
	written := []uint64{page, 2 * page} // one with an image under it, one without
	for len(written) < 2*mostRegions {  // and more regions than are found at a time
		written = append(written, written[len(written)-1]+2*page)
	}
	for _, at := range written {
		memory[at] = 2
	}
	list, ok := find(file, memory, nil, len(written))
	return ok && slices.Equal(list, written)
}
