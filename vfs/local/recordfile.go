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

// A recordFile is the file of a record. It has one version of the record after the other; the last one counts. Readers
// need no lock.
//
// The first version is written under another name, so that it is whole once the file is there. To a file that stays
// small the next version is appended, which has to wait for the disk once and not twice. One that was interrupted is
// not taken for a version, since its checksum is wrong, and is cut off before the next one.
type recordFile struct {
	dir    *os.Root
	name   string
	noSync bool
}

// A version is 16 bytes and the data, little-endian: until when it is kept in milliseconds since 1970, or zero, with the
// highest bit set; the size of the data; and a CRC-32C of all that but itself. A first version without that bit is what
// earlier programs wrote: it is these 8 bytes and data to the end of the file.
const (
	versionHead = 16
	plainHead   = 8
	sized       = 1 << 63
)

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
	head := uint64(sized)
	if !v.until.IsZero() {
		head |= uint64(v.until.UnixMilli())
	}
	b := binary.LittleEndian.AppendUint64(make([]byte, 0, versionHead+len(v.data)), head)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(v.data)))
	b = binary.LittleEndian.AppendUint32(b, checksum(b, v.data))
	return append(b, v.data...)
}

func checksum(head, data []byte) uint32 {
	return crc32.Update(crc32.Checksum(head[:12], castagnoli), castagnoli, data)
}

// lastVersion returns the last whole version of a file, and where it ends. That is zero if none can come after it.
func lastVersion(file []byte) (last version, end int, err error) {
	for rest := file; len(rest) >= versionHead; rest = file[end:] {
		head, size := binary.LittleEndian.Uint64(rest), binary.LittleEndian.Uint32(rest[8:])
		if head&sized == 0 || int64(size) > int64(len(rest)-versionHead) {
			break
		}
		data := rest[versionHead:][:size]
		if checksum(rest, data) != binary.LittleEndian.Uint32(rest[12:]) {
			break
		}
		last = version{timeOf(head), data}
		end += versionHead + int(size)
	}
	if end == 0 {
		if len(file) < plainHead || file[plainHead-1]&0x80 != 0 {
			return last, 0, errDamaged
		}
		last = version{timeOf(binary.LittleEndian.Uint64(file)), file[plainHead:]}
	}
	return last, end, nil
}

func timeOf(head uint64) (t time.Time) {
	if millis := int64(head &^ sized); millis != 0 {
		t = time.UnixMilli(millis)
	}
	return t
}

// read returns the record. The error is fs.ErrNotExist if there is none, or its time is over. Without its data, less is
// read.
func (r recordFile) read(data bool) (v version, err error) {
	f, err := r.dir.OpenFile(r.name, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return v, fsys.Bare(err)
	}
	defer f.Close()
	file, size, err := content(f, data)
	if err != nil {
		return v, err
	}
	if size > maxAppended && len(file) < size { // it has one version
		if len(file) < plainHead {
			return v, errDamaged
		}
		v = version{until: timeOf(binary.LittleEndian.Uint64(file))}
	} else if v, _, err = lastVersion(file); err != nil {
		return v, err
	}
	if !v.until.IsZero() && !time.Now().Before(v.until) {
		return version{}, fs.ErrNotExist
	}
	return v, nil
}

// content returns what a file has, or of a large one only the beginning, and its size.
func content(f *os.File, whole bool) (file []byte, size int, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, 0, fsys.Bare(err)
	}
	if !info.Mode().IsRegular() || info.Size() > versionHead+vfs.MaxRecord {
		return nil, 0, errDamaged
	}
	size = int(info.Size())
	if whole || size <= maxAppended {
		file = make([]byte, size)
	} else {
		file = make([]byte, versionHead)
	}
	n, err := f.ReadAt(file, 0)
	if err != nil && err != io.EOF { // what is interrupted may be cut off meanwhile
		return nil, 0, fsys.Bare(err)
	}
	return file[:n], size, nil
}

// put makes a version the last one. The lock is held.
func (r recordFile) put(v version) error {
	encoded := v.encode()
	if done, err := r.append(encoded); done || err != nil {
		return err
	}
	defer r.letGo()()
	if err := r.create(encoded); err != nil {
		return cmp.Or(fsys.Bare(err), r.dir.Remove(recordNew))
	}
	if err := r.dir.Rename(recordNew, r.name); err != nil {
		return fsys.Bare(err)
	}
	return r.syncDir()
}

// append adds a version to the file, or reports that a new one is needed.
func (r recordFile) append(encoded []byte) (done bool, err error) {
	if len(encoded) > maxAppended {
		return false, nil
	}
	f, err := r.dir.OpenFile(r.name, os.O_RDWR|nonblocking, 0)
	if err != nil {
		return false, nil
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil || linked(f, info) { // somebody has a copy of it, which is to remain as it is
		return false, nil
	}
	file, size, err := content(f, false)
	if err != nil || size+len(encoded) > maxAppended {
		return false, nil
	}
	_, end, err := lastVersion(file)
	if err != nil || end == 0 {
		return false, nil
	}
	if end < size {
		if err := f.Truncate(int64(end)); err != nil {
			return false, fsys.Bare(err)
		}
	}
	_, err = f.WriteAt(encoded, int64(end))
	if err == nil && !r.noSync {
		err = f.Sync()
	}
	if err != nil { // nobody is to see what may not last
		return false, errors.Join(fsys.Bare(err), fsys.Bare(f.Truncate(int64(end))))
	}
	return true, nil
}

// create writes a new file.
func (r recordFile) create(encoded []byte) error {
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

// remove removes the file, if it is there. The lock is held.
func (r recordFile) remove() error {
	defer r.letGo()()
	if err := r.dir.Remove(r.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fsys.Bare(err)
	}
	return r.syncDir()
}

// letGo keeps the file, which is about to lose its name, from being freed until the returned function is called. Then
// the system does so while others go on: it takes as long as a write.
func (r recordFile) letGo() func() {
	if canRemoveOpen {
		if f, err := r.dir.OpenFile(r.name, os.O_RDONLY|nonblocking, 0); err == nil {
			return func() { go f.Close() }
		}
	}
	return func() {}
}

// syncDir makes changes in the directory durable.
func (r recordFile) syncDir() error {
	if !canSyncDirectories || r.noSync {
		return nil
	}
	f, err := r.dir.Open(".")
	if err != nil {
		return fsys.Bare(err)
	}
	return errors.Join(f.Sync(), f.Close())
}
