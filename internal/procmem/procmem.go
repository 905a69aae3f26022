// Package procmem measures the memory of the process.
package procmem

import (
	"os"
	"strconv"
	"strings"
)

// Resident returns the resident memory of the process in bytes. It is zero except on Linux.
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

// Peak returns the largest resident memory in bytes since the process began, or since the last successful
// [ResetPeak]. It is zero except on Linux.
func Peak() int64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kibibytes, _ := strconv.ParseInt(
				strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			return kibibytes << 10
		}
	}
	return 0
}

// ResetPeak makes [Peak] begin again, and reports whether it could. Some systems and some confinements of a process
// do not allow it.
func ResetPeak() bool {
	if Peak() == 0 {
		return false
	}
	// See proc(5): 5 resets the peak resident set size.
	return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil
}

// Proportional returns the memory of the process in bytes, in which each page that is mapped in several places, here or
// in other processes, counts once. It is zero where the system cannot tell.
func Proportional() int64 {
	data, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(line, "Pss:"); ok {
			kibibytes, _ := strconv.ParseInt(
				strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			return kibibytes << 10
		}
	}
	return 0
}
