//go:build !linux && !darwin && !windows

package linearmem

// reserve takes the memory from Go's heap.
func reserve(n int) ([]byte, error) { return make([]byte, n), nil }

func commit([]byte) error { return nil }

func clearPages(pages []byte) error {
	clear(pages)
	return nil
}

func release([]byte) {}
