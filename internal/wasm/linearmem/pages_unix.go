//go:build linux || darwin

package linearmem

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	protection = unix.PROT_READ | unix.PROT_WRITE
	anonymous  = unix.MAP_ANON | unix.MAP_PRIVATE | unix.MAP_NORESERVE
)

// reserve reserves pages, which are zero.
func reserve(n int) ([]byte, error) { return unix.Mmap(-1, 0, n, protection, anonymous) }

// commit makes reserved pages usable. On these systems they already are.
func commit([]byte) error { return nil }

// clearPages makes pages zero and returns their memory to the system.
func clearPages(pages []byte) error {
	_, err := unix.MmapPtr(-1, 0, unsafe.Pointer(unsafe.SliceData(pages)), uintptr(len(pages)),
		protection, anonymous|unix.MAP_FIXED)
	if err != nil {
		return fmt.Errorf("linearmem: mapping fresh pages: %w", err)
	}
	return nil
}

// release frees the reservation. That fails if it would split a mapping and the process has too many already. Then the
// address space is lost, but the pages are still freed.
func release(reserved []byte) {
	if unix.Munmap(reserved) != nil {
		_ = unix.Madvise(reserved, unix.MADV_DONTNEED)
	}
}
