package linearmem

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/windows"
)

// reserve reserves address space only: pages count when they are committed.
func reserve(n int) ([]byte, error) {
	address, err := windows.VirtualAlloc(0, uintptr(n), windows.MEM_RESERVE, windows.PAGE_READWRITE)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&address))), n), nil
}

// commit makes reserved pages usable. They are zero.
func commit(pages []byte) error {
	if len(pages) == 0 {
		return nil
	}
	_, err := windows.VirtualAlloc(address(pages), uintptr(len(pages)), windows.MEM_COMMIT, windows.PAGE_READWRITE)
	return err
}

// clearPages makes pages zero and returns their memory to the system.
func clearPages(pages []byte) error {
	if err := windows.VirtualFree(address(pages), uintptr(len(pages)), windows.MEM_DECOMMIT); err != nil {
		return fmt.Errorf("linearmem: freeing pages: %w", err)
	}
	return commit(pages)
}

// release frees the reservation. It ignores errors, which occur only for slices that are not a reservation.
func release(reserved []byte) { _ = windows.VirtualFree(address(reserved), 0, windows.MEM_RELEASE) }

func address(pages []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(pages))) }
