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
// not taken for a version, since its checksum is wrong, and is cut off before the next one.
//
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

// readRecord returns the last version in a file. The error is fs.ErrNotExist if there is none, or its time is over. Without
// its data, less is read.
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
	if len(content) < size && size > maxAppended { // it has one version
		return version{until: timeOf(binary.LittleEndian.Uint64(content))}.now()
	}
	last, _, err := lastVersion(content)
	if err != nil {
		return version{}, err
	}
	return last.now()
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

	open      *os.File // nil if there is none
	size, end int      // of the file, and where the next version can be; zero if none can
	freed     bool     // it has lost its name
}

// read returns the last version, as readRecord does.
func (r *recordFile) read() (version, error) {
	f, err := r.dir.OpenFile(r.name, os.O_RDWR|nonblocking, 0)
	if err != nil {
		return version{}, fsys.Bare(err)
	}
	r.open = f
	content, size, err := recordContent(f, true)
	if err != nil {
		return version{}, err
	}
	last, end, err := lastVersion(content)
	if err != nil {
		return version{}, err
	}
	if info, err := f.Stat(); err == nil && !linked(f, info) { // otherwise somebody has a copy, which is to remain as it is
		r.size, r.end = size, end
	}
	return last.now()
}

// write makes a version the last one, after read.
func (r *recordFile) write(v version) error {
	encoded := v.encode()
	if r.end > 0 && r.end+len(encoded) <= maxAppended {
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
	if r.end < r.size {
		if err := r.open.Truncate(int64(r.end)); err != nil {
			return fsys.Bare(err)
		}
	}
	_, err := r.open.WriteAt(encoded, int64(r.end))
	if err == nil && !r.noSync {
		err = r.open.Sync()
	}
	if err != nil { // nobody is to see what may not last
		return errors.Join(fsys.Bare(err), fsys.Bare(r.open.Truncate(int64(r.end))))
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

// syncDir makes changes in the directory durable.
func (r *recordFile) syncDir() error {
	if !canSyncDirectories || r.noSync {
		return nil
	}
	f, err := r.dir.Open(".")
	if err != nil {
		return fsys.Bare(err)
	}
	return errors.Join(f.Sync(), f.Close())
}
