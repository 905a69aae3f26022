package runtime

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A mapping that is made while withHugePages runs its function gets huge pages.
func TestHugePagesForCompiledCode(t *testing.T) {
	if modes, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled"); err != nil ||
		strings.Contains(string(modes), "[never]") {
		t.Skip("the system has no huge pages")
	}
	const code = 20<<20 + 4096
	for deadline, found := time.Now().Add(time.Minute), false; !found; { // a new thread's stack may join the mapping
		err := withHugePages(code+100, func() error {
			mapped, err := unix.Mmap(-1, 0, code, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
			require.NoError(t, err)
			for tries := 0; tries < 1000 && !found; tries++ {
				found = advised(t, mapped)
			}
			require.NoError(t, unix.Munmap(mapped))
			return os.ErrInvalid
		})
		require.ErrorIs(t, err, os.ErrInvalid)
		require.False(t, time.Now().After(deadline), "the mapping is not found")
	}
	require.NoError(t, withHugePages(code, func() error { return nil }), "a mapping that never comes is waited for")
}

// advised reports whether huge pages have been asked for where b is.
func advised(t *testing.T, b []byte) bool {
	smaps, err := os.ReadFile("/proc/self/smaps")
	require.NoError(t, err)
	within, at := false, uintptr(unsafe.Pointer(&b[0]))
	for line := range strings.Lines(string(smaps)) {
		var from, to uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x ", &from, &to); n == 2 {
			within = from <= at && at < to
		}
		if within && strings.HasPrefix(line, "VmFlags:") {
			return strings.Contains(line, " hg")
		}
	}
	return false
}
