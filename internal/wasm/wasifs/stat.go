package wasifs

import (
	"hash/fnv"
	"io"
	"io/fs"
	"math"
	"time"
)

// A Stat says what the guest gets to know of a file. The host's numbers of devices and files are not among it.
type Stat struct {
	Ino  uint64
	Mode fs.FileMode
	Size int64
	Mtim int64 // in nanoseconds since 1970
}

// inode makes up a serial number for a path. It is never zero, which would mean that there is none.
func inode(name string) uint64 {
	hash := fnv.New64a()
	_, _ = io.WriteString(hash, name)
	return max(1, hash.Sum64())
}

func describe(ino uint64, info fs.FileInfo) Stat {
	stat := Stat{Ino: ino, Mode: info.Mode(), Mtim: nanoseconds(info.ModTime())}
	if !info.IsDir() {
		stat.Size = info.Size()
	}
	return stat
}

// nanoseconds returns a time as WASI wants it, or zero, which means that it is unknown, if it is too far away.
func nanoseconds(t time.Time) int64 {
	const most = math.MaxInt64 / int64(time.Second)
	if seconds := t.Unix(); seconds <= -most || seconds >= most {
		return 0
	}
	return t.UnixNano()
}
