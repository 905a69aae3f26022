//go:build unix

package linearmem

import "golang.org/x/sys/unix"

func reserve(n int) ([]byte, error) {
	return unix.Mmap(-1, 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
}

// release unmaps the memory. The only way for it to fail is a slice that is no mapping, which would be a bug here.
func release(b []byte) {
	if err := unix.Munmap(b); err != nil {
		panic("linearmem: " + err.Error())
	}
}
