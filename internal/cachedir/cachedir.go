// Package cachedir keeps compiled engines in a directory, so that later processes can execute them. The directory
// contains native code: no other user may be able to change it, and damaged code must not run.
//
// # Layout
//
// Each entry is a directory whose name is a kind and the key in hexadecimal. It is made under another name and
// renamed when it is complete, together with a list of the sizes and checksums of all its files. After that it does not
// change, so processes that start at the same time never see unfinished entries. The time of an entry is the time
// of its last use.
//
// # What is checked
//
// On Unix, the cache directory (after links are resolved) and everything in an entry must belong to the process's
// effective user and be writable by nobody else. The directories above must belong to that user or to root, and be
// writable by others only with the sticky bit, which keeps others from renaming entries. Access control lists count
// as far as the permission bits show them, as they do on Linux. Other systems check only the kinds of files.
//
// Checksums (CRC-32C) find damage, not forgery: whoever can write to an entry can also write its list.
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

// Key identifies an entry: it is a hash of everything that the content depends on.
type Key [sha256.Size]byte

// Entry is the entry of a cache directory for one key, existing or about to be made. It is not safe for concurrent
// use.
type Entry struct {
	parent  string // the cache directory
	kind    string
	name    string
	dir     string
	content content // nil while the entry is being made
}

// Open opens the entry for a kind (a word in lower case) and a key. It makes the cache directory if it is missing.
//
// If the entry exists, it has the files that were written, with their sizes; what reads a file finds out whether its
// content is the original one. A damaged entry is removed. If the entry does not exist, the caller fills [Entry.Dir]
// and calls [Entry.Publish]. The caller always calls [Entry.Close].
//
// Open fails if another user could change the cache directory or the entry, or has changed it. Nothing of it is
// used then.
func Open(dir, kind string, key Key) (*Entry, error) {
	parent, err := secure(dir)
	if err != nil {
		return nil, err
	}
	e := &Entry{parent: parent, kind: kind, name: kind + "-" + hex.EncodeToString(key[:])}
	e.dir = filepath.Join(parent, e.name)
	if e.content, err = find(e.dir); err == nil {
		now := time.Now()
		_ = os.Chtimes(e.dir, now, now) // a cache that can only be read is fine
		return e, nil
	}
	if errors.Is(err, ErrDamaged) {
		err = remove(e.dir)
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	if e.dir, err = os.MkdirTemp(parent, e.name+unfinished); err != nil {
		return nil, err
	}
	if err := prune(parent, kind, filepath.Base(e.dir)); err != nil { // an entry may never be published
		return nil, errors.Join(err, os.RemoveAll(e.dir))
	}
	return e, nil
}

// Found reports whether the entry existed.
func (e *Entry) Found() bool { return e.content != nil }

// Dir returns the directory of the entry's files. Write to it only if the entry did not exist, and only before
// Publish.
func (e *Entry) Dir() string { return e.dir }

// Size returns the size of a file of an existing entry in bytes, and zero if it has no such file.
func (e *Entry) Size(name string) int64 { return e.content[name].size }

// Write adds a file to an unpublished entry.
func (e *Entry) Write(name string, data []byte) error {
	return os.WriteFile(filepath.Join(e.dir, name), data, 0o600)
}

// Publish makes an entry visible to other processes, unless another process was faster. Then it removes the oldest
// entries of this kind if there are too many, and those that have not been used for long.
func (e *Entry) Publish() error {
	if e.Found() {
		return nil
	}
	c, err := read(e.dir)
	if err != nil {
		return err
	}
	if err := e.Write(listName, c.list()); err != nil {
		return err
	}
	final := filepath.Join(e.parent, e.name)
	if err := os.Rename(e.dir, final); err != nil {
		if _, statErr := os.Lstat(final); errors.Is(statErr, fs.ErrNotExist) {
			return err
		}
		return nil // another process was faster
	}
	e.dir, e.content = final, c
	return prune(e.parent, e.kind, e.name)
}

// remove removes a published entry. It takes it from its place first, for another process may put a new one there
// meanwhile.
func remove(dir string) error {
	away, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+unfinished)
	if err != nil {
		return err
	}
	err = os.Rename(dir, filepath.Join(away, "entry"))
	if errors.Is(err, fs.ErrNotExist) { // another process was faster
		err = nil
	}
	return errors.Join(err, os.RemoveAll(away))
}

// Close removes an unpublished entry.
func (e *Entry) Close() error {
	if e.Found() {
		return nil
	}
	return os.RemoveAll(e.dir)
}
