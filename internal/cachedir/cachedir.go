// Package cachedir keeps compiled engines in a directory, from which later processes execute them. What lies there is
// native code, so no other user may be able to change it, and what a disk or a crash has damaged must not be executed.
//
// # Layout
//
// Each entry is a directory in the cache directory, whose name is a kind and the key in hexadecimal. It is made under another name and
// renamed when it is complete, together with a file of the SHA-256 hashes of all its files, and is not changed after that.
// So processes that start at the same time do not see what the others have begun. The time of an entry is that of its last use.
//
// # What is checked
//
// On Unix, the cache directory, after links are resolved, and all that is in an entry must belong to the process's effective user,
// and be writable by nobody else. The directories above must belong to that user or to root, and be writable by others only with the
// sticky bit, which keeps what others have made from being renamed. Access control lists are seen as far as the
// permission bits show them, which they do on Linux. On other systems nothing is checked but the kinds of files.
package cachedir

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Key says what an entry is for: a hash of everything that its content depends on.
type Key [sha256.Size]byte

// Entry is what a cache directory has, or is going to have, for one key. It is for one goroutine.
type Entry struct {
	parent  string // the cache directory
	kind    string
	name    string
	dir     string
	content *content // nil while the entry is being made
}

// Open looks for an entry of a kind, a word in small letters, in a cache directory, which is made if it is missing. If there is one, its files have the content that
// they had when it was made: a damaged entry is removed. If there is none, the caller fills what [Entry.Dir] names, and calls
// [Entry.Publish]. In any case it calls [Entry.Close].
//
// It is an error if another user could change the cache directory or the entry, or has. Nothing of it is used then.
func Open(dir, kind string, key Key) (*Entry, error) {
	parent, err := secure(dir)
	if err != nil {
		return nil, err
	}
	e := &Entry{parent: parent, kind: kind, name: kind + "-" + hex.EncodeToString(key[:])}
	e.dir = filepath.Join(parent, e.name)
	if e.content, err = verify(e.dir); err == nil {
		now := time.Now()
		_ = os.Chtimes(e.dir, now, now) // a cache that can only be read is fine
		return e, nil
	}
	if !errors.Is(err, errDamaged) {
		return nil, err
	}
	if err := os.RemoveAll(e.dir); err != nil {
		return nil, err
	}
	if err := prune(parent, kind, e.name); err != nil { // there may be no Publish, ever
		return nil, err
	}
	if e.dir, err = os.MkdirTemp(parent, e.name+unfinished); err != nil {
		return nil, err
	}
	return e, nil
}

// Found says whether the entry was there.
func (e *Entry) Found() bool { return e.content != nil }

// Dir is the directory of the entry's files. It can be written to only if the entry was not there, until it is published.
func (e *Entry) Dir() string { return e.dir }

// Read returns the content of a file that was written with [Entry.Write], and is nil if the entry was not there. It is what was read and
// checked when the entry was opened. Do not change it.
func (e *Entry) Read(name string) []byte {
	if !e.Found() {
		return nil
	}
	return e.content.files[name]
}

// Write adds a file to an entry that is being made.
func (e *Entry) Write(name string, data []byte) error {
	return os.WriteFile(filepath.Join(e.dir, name), data, 0o600)
}

// Publish makes an entry that is being made the one that others find, unless they were faster, and removes entries of its
// kind that have not been used for long, or are too many.
func (e *Entry) Publish() error {
	if e.Found() {
		return nil
	}
	c, err := read(e.dir)
	if err != nil {
		return err
	}
	if err := e.Write(sumsName, c.sums()); err != nil {
		return err
	}
	final := filepath.Join(e.parent, e.name)
	if err := os.Rename(e.dir, final); err != nil {
		if _, statErr := os.Lstat(final); errors.Is(statErr, fs.ErrNotExist) {
			return err
		}
		return nil // somebody else was faster
	}
	e.dir, e.content = final, c
	return prune(e.parent, e.kind, e.name)
}

// Close removes what has not been published.
func (e *Entry) Close() error {
	if e.Found() {
		return nil
	}
	return os.RemoveAll(e.dir)
}
