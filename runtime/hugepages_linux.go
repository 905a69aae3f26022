package runtime

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// withHugePages calls load, in which wazero maps memory for about size bytes of compiled code and reads them, and asks
// the system for huge pages for that memory: reading 80 MB causes 20,000 page faults otherwise, which take longer than
// copying. Where the system has no huge pages, load is called all the same.
//
// wazero does not say where the memory is, so the mappings of the process are looked through for a new one of that
// size, as long as load runs. Should another one be taken for it, then that one gets huge pages, and nothing else
// changes.
func withHugePages(size int64, load func() error) error {
	const least = 16 << 20 // less is read in the time that this takes
	if size < least {
		return load()
	}
	before := writableMemory()
	loaded, looked := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(looked)
		for !adviseHugePages(uint64(size), before) {
			select {
			case <-loaded:
				return
			case <-time.After(100 * time.Microsecond):
			}
		}
	}()
	defer func() {
		close(loaded)
		<-looked
	}()
	return load()
}

// adviseHugePages asks for huge pages for memory that was not there before, if its size differs from the given one by
// less than 1/64: a file of code has a header. It returns false if there is none.
func adviseHugePages(size uint64, before []addresses) bool {
	for _, now := range writableMemory() {
		for now.start < now.end { // the system joins a mapping with its neighbours
			for len(before) > 0 && before[0].end <= now.start {
				before = before[1:]
			}
			old := addresses{now.end, now.end}
			if len(before) > 0 && before[0].start < now.end {
				old = before[0]
			}
			length := max(old.start, now.start) - now.start
			if max(length, size)-min(length, size) < size/64 {
				_, _, _ = unix.Syscall(unix.SYS_MADVISE, uintptr(now.start), uintptr(length), unix.MADV_HUGEPAGE)
				return true
			}
			now.start = min(old.end, now.end)
		}
	}
	return false
}

// addresses are those from start to before end.
type addresses struct{ start, end uint64 }

// writableMemory returns the anonymous memory of the process that is neither shared nor executable, in order.
//
// See https://docs.kernel.org/filesystems/proc.html.
func writableMemory() (list []addresses) {
	maps, _ := os.ReadFile("/proc/self/maps")
	for line := range bytes.Lines(maps) {
		fields := bytes.Fields(line)
		if len(fields) != 5 || string(fields[1]) != "rw-p" { // others have a name, as those of files
			continue
		}
		from, to, _ := bytes.Cut(fields[0], []byte("-"))
		start, startErr := strconv.ParseUint(string(from), 16, 64)
		end, endErr := strconv.ParseUint(string(to), 16, 64)
		if startErr == nil && endErr == nil && start < end {
			list = append(list, addresses{start, end})
		}
	}
	return list
}
