package wasifs

import (
	"hash/fnv"
	"io"
	"io/fs"
	"math"
	"time"

	wazerosys "github.com/tetratelabs/wazero/sys"
)

// inode makes up a serial number for a path. It is never zero, which would mean that there is none.
func inode(name string) wazerosys.Inode {
	hash := fnv.New64a()
	_, _ = io.WriteString(hash, name)
	return max(1, hash.Sum64())
}

// describe says what the guest gets to know of a file. The host's numbers of devices and files are not among it.
func describe(dev uint64, ino wazerosys.Inode, info fs.FileInfo) wazerosys.Stat_t {
	mtim := nanoseconds(info.ModTime())
	return wazerosys.Stat_t{
		Dev:   dev,
		Ino:   ino,
		Mode:  info.Mode(),
		Nlink: 1,
		Size:  info.Size(),
		Atim:  mtim,
		Mtim:  mtim,
		Ctim:  mtim,
	}
}

// nanoseconds returns a time as WASI wants it, or zero, which means that it is unknown, if it is too far away.
func nanoseconds(t time.Time) wazerosys.EpochNanos {
	const most = math.MaxInt64 / int64(time.Second)
	if seconds := t.Unix(); seconds <= -most || seconds >= most {
		return 0
	}
	return t.UnixNano()
}
