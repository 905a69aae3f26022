package vfs

import (
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"time"
)

// Options configure what a project may hold and remember. The zero value has safe defaults. A negative limit is an
// error when a store is opened.
type Options struct {
	Quota   Quota
	History HistoryOptions
	// OpenFiles is how many files and directories can be open at the same time in this process; further ones are
	// syscall.EMFILE. Zero means 256.
	OpenFiles int64
	// NoSync does not make changes durable, which is most of their cost. After a failure of the system (not of the
	// process) files may be empty or missing. Projects in memory ignore it.
	NoSync bool
	// Protect are names of files and directories that cannot be changed, at any depth, in any case and Unicode form:
	// they cannot be made, written, removed or renamed, nor can anything in them, nor a directory above them, not even
	// by undoing. "*", "?" and "[]" are as in [path.Match]. Attempts are a [*ProtectedError]. In a directory of the
	// host (local.OpenDir), [ProtectedNames] are protected as well, except for names that Unprotect matches; "*"
	// excepts all.
	Protect, Unprotect []string
	// ReadOnly refuses all changes, as syscall.EROFS. Nothing is written then, not even what a store keeps for itself.
	ReadOnly bool
}

// Unlimited as a limit's value means no limit.
const Unlimited = math.MaxInt64

// DefaultFileSize is the largest size of a file in bytes, unless [Quota].FileSize says otherwise.
const DefaultFileSize = 32 << 20

// A Quota limits what a project holds. Exceeding it is a [*QuotaError], before anything changes. While files are
// being written, their new contents can take as much space once more.
type Quota struct {
	// Bytes is the most that all files may have together. Zero means 256 MiB.
	Bytes int64
	// Files is the largest number of files and directories. Zero means 10,000.
	Files int64
	// FileSize is the largest size of one file in bytes. Zero means [DefaultFileSize].
	FileSize int64
	// Checkpoints is the largest number of checkpoints ([Checkpoints]). Zero means 32.
	Checkpoints int64
	// CheckpointBytes is the most that they may have together: see [Checkpoint.Cost]. Zero is enough for four
	// checkpoints of the largest project by default.
	CheckpointBytes int64
	// Growth applies Bytes and Files to what is added after the project was opened. Use it for existing
	// directories.
	Growth bool
}

// HistoryOptions configure how much of what is replaced and removed is kept.
type HistoryOptions struct {
	// Off keeps nothing.
	Off bool
	// Bytes is the most that is kept; the oldest goes first. Each file or directory counts as its size and 4 KiB. What
	// is larger by itself is not kept. Zero means 64 MiB.
	Bytes int64
	// Age is how long versions are kept. Zero means 30 days.
	Age time.Duration
	// Tiered keeps fewer versions of a file the older they are: all of the last hour, then one an hour for a day, then
	// one a day for 30 days. A call whose versions are gone cannot be undone. What was removed is kept as without
	// Tiered. The settings of a project of a store can say otherwise: see [RetentionField].
	Tiered bool
}

// WithDefaults returns a copy with defaults in place of zeros, for stores. The error names a negative limit and is
// fs.ErrInvalid.
func (o *Options) WithDefaults() (Options, error) {
	var out Options
	if o != nil {
		out = *o
	}
	const bytes, files = 256 << 20, 10_000
	for _, limit := range []struct {
		name  string
		value *int64
		usual int64
	}{
		{"Quota.Bytes", &out.Quota.Bytes, bytes},
		{"Quota.Files", &out.Quota.Files, files},
		{"Quota.FileSize", &out.Quota.FileSize, DefaultFileSize},
		{"Quota.Checkpoints", &out.Quota.Checkpoints, 32},
		{"Quota.CheckpointBytes", &out.Quota.CheckpointBytes, 4 * (bytes + files*(4<<10))},
		{"OpenFiles", &out.OpenFiles, 256},
		{"History.Bytes", &out.History.Bytes, 64 << 20},
		{"History.Age", (*int64)(&out.History.Age), int64(30 * 24 * time.Hour)},
	} {
		if *limit.value < 0 {
			return Options{}, fmt.Errorf("%w: the limit %s is negative; vfs.Unlimited is none",
				fs.ErrInvalid, limit.name)
		}
		if *limit.value == 0 {
			*limit.value = limit.usual
		}
	}
	for _, name := range slices.Concat(out.Protect, out.Unprotect) {
		if _, err := path.Match(name, ""); err != nil || name == "" || strings.ContainsAny(name, `/\`) {
			return Options{}, fmt.Errorf("%w: to protect or unprotect files, give a name, not a path: %q",
				fs.ErrInvalid, name)
		}
	}
	return out, nil
}
