package vfs

import (
	"fmt"
	"io/fs"
	"math"
	"time"
)

// Options say what a project may hold and what it remembers. The zero value has safe
// defaults. A negative limit is an error where a store is opened.
type Options struct {
	Quota   Quota
	History HistoryOptions
	// OpenFiles is how many files and directories can be open at a time, in this process; more are syscall.EMFILE. Zero
	// means [DefaultOpenFiles].
	OpenFiles int64
	// NoSync leaves out making changes durable, which is most of their cost. After a failure of the system, not of the
	// process, files may then be empty or gone. It means nothing for projects in memory.
	NoSync bool
}

// Unlimited is for limits that there should not be.
const Unlimited = math.MaxInt64

// Limits of projects unless others are set.
const (
	DefaultOpenFiles    = 256
	DefaultBytes        = 256 << 20
	DefaultFiles        = 10_000
	DefaultFileSize     = 32 << 20
	DefaultHistoryBytes = 64 << 20
	DefaultHistoryAge   = 30 * 24 * time.Hour
)

// A Quota limits what a project holds. Exceeding it is a [*QuotaError], before anything has changed. While files are being
// written, their new contents can take as much once more.
type Quota struct {
	// Bytes is the most that all files may have together. Zero means [DefaultBytes].
	Bytes int64
	// Files is how many files and directories there may be. Zero means [DefaultFiles].
	Files int64
	// FileSize is the most bytes that one file may have. Zero means [DefaultFileSize].
	FileSize int64
	// Growth makes Bytes and Files limits on what is added to what was there when the project was opened. It is for
	// directories that have been there before.
	Growth bool
}

// HistoryOptions say how much of what has been replaced and removed is kept.
type HistoryOptions struct {
	// Off keeps nothing.
	Off bool
	// Bytes is the most that is kept; the oldest goes first. Each file or directory counts as its size and 4 KiB. What
	// is larger by itself is not kept. Zero means [DefaultHistoryBytes].
	Bytes int64
	// Age is how long it is kept. Zero means [DefaultHistoryAge].
	Age time.Duration
}

// WithDefaults returns a copy in which the defaults stand in the place of zeros. It is for stores. The error names a limit
// that is negative, and is fs.ErrInvalid.
func (o *Options) WithDefaults() (Options, error) {
	var out Options
	if o != nil {
		out = *o
	}
	for _, limit := range []struct {
		name  string
		value *int64
		usual int64
	}{
		{"Quota.Bytes", &out.Quota.Bytes, DefaultBytes},
		{"Quota.Files", &out.Quota.Files, DefaultFiles},
		{"Quota.FileSize", &out.Quota.FileSize, DefaultFileSize},
		{"OpenFiles", &out.OpenFiles, DefaultOpenFiles},
		{"History.Bytes", &out.History.Bytes, DefaultHistoryBytes},
		{"History.Age", (*int64)(&out.History.Age), int64(DefaultHistoryAge)},
	} {
		if *limit.value < 0 {
			return Options{}, fmt.Errorf("%w: the limit %s is negative; vfs.Unlimited is none", fs.ErrInvalid, limit.name)
		}
		if *limit.value == 0 {
			*limit.value = limit.usual
		}
	}
	return out, nil
}
