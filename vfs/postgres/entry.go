package postgres

import (
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/toolrun/toolrun/vfs"
)

// The numbers of entries that every project has. All but the root have no rows.
const (
	rootIno    = 1
	ownIno     = 2
	historyIno = 3
	tempIno    = 4
)

const (
	ownDir     = "/" + vfs.Reserved
	historyDir = ownDir + "/history"
	tempDir    = ownDir + "/tmp"
)

// dirMode marks directories in the column mode.
const dirMode = 1 << 14

// An entry is a file or a directory. Whoever has read it may keep it: what changes it makes another one, except in the
// transaction that it belongs to.
type entry struct {
	ino, dir     int64
	name, folded string
	mode         int32
	size         int64
	sec          int64
	nsec         int32
	// parts are the digests of the content's parts.
	parts []byte
	// first is the only part of a small file, or nil if it has not been read.
	first []byte
}

// entryColumns are those that scan expects.
const entryColumns = "ino, dir, name, folded, mode, size, sec, nsec, parts"

func (e *entry) fields() []any {
	return []any{&e.ino, &e.dir, &e.name, &e.folded, &e.mode, &e.size, &e.sec, &e.nsec, &e.parts}
}

func scanEntries(rows pgx.Rows) ([]*entry, error) {
	defer rows.Close()
	var found []*entry
	for rows.Next() {
		e := &entry{}
		if err := rows.Scan(e.fields()...); err != nil {
			return nil, err
		}
		found = append(found, e)
	}
	return found, rows.Err()
}

func (e *entry) isDir() bool { return e.mode&dirMode != 0 }

func (e *entry) modTime() time.Time { return time.Unix(e.sec, int64(e.nsec)) }

func (e *entry) setTime(t time.Time) { e.sec, e.nsec = t.Unix(), int32(t.Nanosecond()) }

// describe returns what an entry is like now, under a name.
func (e *entry) describe(name string) fs.FileInfo {
	mode := fs.FileMode(e.mode) & fs.ModePerm
	if e.isDir() {
		mode |= fs.ModeDir
	}
	return info{name, e.size, mode, e.modTime(), e.ino}
}

// ownEntry is one of those that have no rows.
func ownEntry(ino int64) *entry { return &entry{ino: ino, mode: dirMode | 0o700} }

// An info describes an entry. Sys is its number, which tells entries of one project apart.
type info struct {
	name    string
	size    int64
	mode    fs.FileMode
	modTime time.Time
	ino     int64
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return i.modTime }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return i.ino }
