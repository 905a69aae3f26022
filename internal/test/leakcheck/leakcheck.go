// Package leakcheck measures what a test process holds, and whether that has grown.
package leakcheck

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/procmem"
	"github.com/toolrun/toolrun/internal/test/race"
)

// Holdings are the resources of a process. A value that the system does not report is zero.
type Holdings struct {
	Goroutines  int
	Descriptors int
	mappings    int
	Heap        int64 // bytes that Go has in use
	resident    int64 // bytes that the process has in memory

	open []string // what the descriptors are of
}

// Growth is how much Holdings may grow. Goroutines and descriptors may not grow at all.
type Growth struct {
	// mappings allows for those that Go itself makes.
	Mappings int
	// Descriptors allows for those of what is kept up to a number, such as images.
	Descriptors int
	// Memory is in bytes, for the heap and, without the race detector, for resident memory. Zero means that it is
	// not compared.
	Memory int64
}

// Take collects garbage and measures the process.
func Take() Holdings {
	debug.FreeOSMemory()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	open := descriptors()
	return Holdings{
		Goroutines:  runtime.NumGoroutine(),
		Descriptors: len(open),
		mappings:    mappings(),
		Heap:        int64(stats.HeapAlloc),
		resident:    procmem.Resident(),
		open:        open,
	}
}

func (h Holdings) String() string {
	return fmt.Sprintf("%d goroutines, %d descriptors, %d mappings, %.1f MB of heap, %.1f MB resident",
		h.Goroutines, h.Descriptors, h.mappings, float64(h.Heap)/1e6, float64(h.resident)/1e6)
}

// patience is how long goroutines and descriptors may take to end.
const patience = time.Minute

// Require fails the test if the process holds more than before, after waiting for what is about to end. It returns
// the new holdings.
func (h Holdings) Require(t testing.TB, most Growth) Holdings {
	t.Helper()
	now := Take()
	for end := time.Now().Add(patience); h.grown(now, most) != "" && time.Now().Before(end); now = Take() {
		time.Sleep(20 * time.Millisecond)
	}
	if what := h.grown(now, most); what != "" {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		require.Fail(t, "the process holds more "+what, "before: %v\nafter:  %v\nopen before: %q\nopen after:  %q\n%s",
			h, now, h.open, now.open, stacks)
	}
	return now
}

func (h Holdings) grown(now Holdings, most Growth) string {
	switch {
	case now.Goroutines > h.Goroutines:
		return "goroutines"
	case now.Descriptors > h.Descriptors+most.Descriptors:
		return "descriptors"
	case !race.Enabled && now.mappings > h.mappings+most.Mappings: // whose own would be counted
		return "mappings"
	case most.Memory > 0 && now.Heap > h.Heap+most.Memory:
		return "heap"
	case most.Memory > 0 && !race.Enabled && now.resident > h.resident+most.Memory:
		return "memory"
	}
	return ""
}

func descriptors() (open []string) {
	const dir = "/proc/self/fd"
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, entry := range list {
		target, err := os.Readlink(filepath.Join(dir, entry.Name()))
		if err == nil { // it is not the directory that has just been read
			open = append(open, target)
		}
	}
	return open
}

func mappings() int {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return 0
	}
	return strings.Count(string(maps), "\n")
}
