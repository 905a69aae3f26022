// Package procmem tells how much memory the process has.
package procmem

import (
	"os"
	"strconv"
	"strings"
)

// Resident is what the process has in memory, in bytes, or zero where that is not known, which is anywhere but on Linux.
func Resident() int64 {
	data, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(data))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// Peak is the most that the process has had in memory, in bytes, since it began or since the last [ResetPeak] that succeeded. It is zero
// where that is not known, which is anywhere but on Linux.
func Peak() int64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kibibytes, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			return kibibytes << 10
		}
	}
	return 0
}

// ResetPeak lets [Peak] begin anew, and reports whether it could: not all systems, and not all confinements of a process, allow it.
func ResetPeak() bool {
	if Peak() == 0 {
		return false
	}
	// See proc(5): 5 resets the peak resident set size.
	return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil
}
