package local

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// The file of a record has one version of it after the other, and the last one counts. Readers need no lock.
//
// The first version is written under another name, so that it is whole once the file is there. To a file that stays
// small the next version is appended, which has to wait for the disk once and not twice. One that was interrupted is
// not taken for a version, since its checksum is wrong, and is cut off before the next one. This relies on disks to
// leave the bytes alone that are before those being written. What has been replaced is in the file until that is
// written anew.
//
// A version is 16 bytes and the data, little-endian: until when it is kept in milliseconds since 1970, or zero; the
// size of the data; and a CRC-32C of all that but itself.
const versionHead = 16

// maxAppended is the size in bytes of the largest file with more than one version.
const maxAppended = 32 << 10

// recordNew is the name of a file that is being written. There is one, since the lock is held.
const recordNew = ".new"

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	errDamaged = fmt.Errorf("%w: its file is damaged", fs.ErrInvalid)
)

type version struct {
	until time.Time // zero means for good
	data  []byte
}

func (v version) encode() []byte {
	millis := int64(0)
	if !v.until.IsZero() {
		millis = v.until.UnixMilli()
	}
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, versionHead+len(v.data)), uint64(millis))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(v.data)))
	b = binary.LittleEndian.AppendUint32(b, checksum(b, v.data))
	return append(b, v.data...)
}

func checksum(head, data []byte) uint32 {
	return crc32.Update(crc32.Checksum(head[:12], castagnoli), castagnoli, data)
}

// firstVersion returns the version at the beginning of a content, and its size, which is zero if it does not have that.
func firstVersion(content []byte) (v version, size int, ok bool) {
	if len(content) < versionHead {
		return v, 0, false
	}
	n := binary.LittleEndian.Uint32(content[8:])
	if int64(n) > int64(len(content)-versionHead) {
		return v, 0, false
	}
	size = versionHead + int(n)
	v = version{timeOf(content), content[versionHead:size]}
	return v, size, checksum(content, v.data) == binary.LittleEndian.Uint32(content[12:])
}

func timeOf(head []byte) (t time.Time) {
	if millis := int64(binary.LittleEndian.Uint64(head)); millis != 0 {
		t = time.UnixMilli(millis)
	}
	return t
}

// A versions says what is in a file.
type versions struct {
	last  version
	count int
	end   int // of the last one
}

// versionsIn reads a file. The error is errDamaged if there is none, or one that is not whole has others behind it.
func versionsIn(content []byte) (all versions, err error) {
	for {
		v, size, ok := firstVersion(content[all.end:])
		if !ok {
			if _, _, more := firstVersion(content[all.end+size:]); all.count == 0 || size > 0 && more {
				return versions{}, errDamaged
			}
			return all, nil
		}
		all.last, all.end = v, all.end+size
		all.count++
	}
}

// readRecord returns the last version in a file. The error is fs.ErrNotExist if there is none, or its time is over.
// Without its data, less is read.
func readRecord(dir *os.Root, file string, data bool) (version, error) {
	f, err := dir.OpenFile(file, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return version{}, fsys.Bare(err)
	}
	defer f.Close()
	content, size, err := recordContent(f, data)
	if err != nil {
		return version{}, err
	}
	if !data && size > maxAppended { // it has one version
		if len(content) < versionHead {
			return version{}, errDamaged
		}
		return version{until: timeOf(content)}.now()
	}
	all, err := versionsIn(content)
	if err != nil {
		return version{}, err
	}
	return all.last.now()
}

// now returns the version, or fs.ErrNotExist if its time is over.
func (v version) now() (version, error) {
	if !v.until.IsZero() && !time.Now().Before(v.until) {
		return version{}, fs.ErrNotExist
	}
	return v, nil
}

// recordContent returns what a file has, or only the beginning of one with more than maxAppended bytes, and its size.
func recordContent(f *os.File, whole bool) (content []byte, size int, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, 0, fsys.Bare(err)
	}
	if !info.Mode().IsRegular() || info.Size() > versionHead+vfs.MaxRecord {
		return nil, 0, errDamaged
	}
	size = int(info.Size())
	if whole || size <= maxAppended {
		content = make([]byte, size)
	} else {
		content = make([]byte, versionHead)
	}
	n, err := f.ReadAt(content, 0)
	if err != nil && err != io.EOF { // what was interrupted may be cut off meanwhile
		return nil, 0, fsys.Bare(err)
	}
	return content[:n], size, nil
}

// A recordFile is the file of a record while it is changed, under the lock.
type recordFile struct {
	dir    *os.Root
	name   string
	noSync bool

	open *os.File // nil if there is none
	// fits says that there can be more than all, which the file has, and size is its size.
	fits  bool
	all   versions
	size  int
	freed bool // it has lost its name
}

// read returns the last version, as readRecord does.
func (r *recordFile) read() (version, error) {
	f, err := r.dir.OpenFile(r.name, os.O_RDWR|nonblocking, 0)
	readOnly := errors.Is(err, fs.ErrPermission)
	if readOnly {
		f, err = r.dir.OpenFile(r.name, os.O_RDONLY|nonblocking, 0)
	}
	if err != nil {
		return version{}, fsys.Bare(err)
	}
	r.open = f
	content, size, err := recordContent(f, true)
	if err != nil {
		return version{}, err
	}
	if r.all, err = versionsIn(content); err != nil {
		return version{}, err
	}
	r.size = size
	// A file with another name is somebody's copy, which is to remain as it is.
	info, err := r.dir.Lstat(r.name)
	r.fits = !readOnly && err == nil && info.Mode().IsRegular() && !linked(f, info)
	return r.all.last.now()
}

// write makes a version the last one, after read.
func (r *recordFile) write(v version) error {
	encoded := v.encode()
	if r.fits && r.all.end+len(encoded) <= maxAppended {
		return r.append(encoded)
	}
	if err := r.create(encoded); err != nil {
		return cmp.Or(fsys.Bare(err), r.dir.Remove(recordNew))
	}
	r.letGo()
	if err := r.dir.Rename(recordNew, r.name); err != nil {
		return fsys.Bare(err)
	}
	return r.syncDir()
}

// append adds a version to the file.
func (r *recordFile) append(encoded []byte) error {
	end := int64(r.all.end)
	if r.all.end < r.size {
		if err := r.open.Truncate(end); err != nil {
			return fsys.Bare(err)
		}
	}
	if r.all.count == 1 { // whoever gave the file its name may have been killed before that was durable
		if err := r.syncDir(); err != nil {
			return err
		}
	}
	_, err := r.open.WriteAt(encoded, end)
	if err == nil && !r.noSync {
		err = r.open.Sync()
	}
	if err != nil { // nobody is to go on from what may not last
		return errors.Join(fsys.Bare(err), fsys.Bare(r.open.Truncate(end)))
	}
	return nil
}

// create writes a new file.
func (r *recordFile) create(encoded []byte) error {
	f, err := r.dir.OpenFile(recordNew, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) { // a killed process has left it
		if err := r.dir.Remove(recordNew); err != nil {
			return err
		}
		f, err = r.dir.OpenFile(recordNew, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(encoded)
	if err == nil && !r.noSync {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// remove removes the file, if it is there.
func (r *recordFile) remove() error {
	r.letGo()
	if err := r.dir.Remove(r.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fsys.Bare(err)
	}
	return r.syncDir()
}

// letGo prepares for the file to lose its name.
func (r *recordFile) letGo() {
	if r.freed = true; !canRemoveOpen {
		r.close()
	}
}

// close ends the change. A file that has lost its name is freed by the system when it is closed, which takes as long as
// a write, and for which nobody has to wait.
func (r *recordFile) close() {
	switch f := r.open; {
	case f == nil:
	case r.freed && canRemoveOpen:
		go f.Close()
	default:
		_ = f.Close()
	}
	r.open = nil
}

// syncDir makes the file's name durable.
func (r *recordFile) syncDir() error {
	if r.noSync {
		return nil
	}
	return fsys.Bare(syncDir(r.dir, "."))
}
