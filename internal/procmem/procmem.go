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
