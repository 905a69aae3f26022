package local

import (
	"cmp"
	"context"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

// diskRecords are the records of one kind in a directory: recordsDir/KIND of the store's. Each is a file whose first
// eight bytes say until when it is kept, in milliseconds since 1970, or zero. A change writes a new file and renames
// it, under the lock of a file that is kept for that.
type diskRecords struct {
	root     *os.Root
	dir      string
	noSync   bool
	watchers watchers
	busy     chan struct{} // holds a value while somebody in this process has the lock

	mu    sync.Mutex
	swept time.Time
}

const (
	recordsDir  = ".records" // no id can be that
	recordsLock = "lock"
	recordHead  = 8
	// recordSuffix ends the names of records, which are base32 before it, and newSuffix those of files that are being
	// written.
	recordSuffix = ".record"
	newSuffix    = ".new"
	sweepEvery   = time.Minute
)

func (d *diskPlace) records(kind string) recordPlace {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.kinds == nil {
		d.kinds = map[string]*diskRecords{}
	}
	if d.kinds[kind] == nil {
		d.kinds[kind] = &diskRecords{root: d.root, dir: recordsDir + "/" + dirName(kind), busy: make(chan struct{}, 1),
			noSync: d.noSync}
	}
	return d.kinds[kind]
}

// base32Lower has the letters of file names of records, which no system takes for others.
var base32Lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

func (r *diskRecords) file(name string) string {
	return r.dir + "/" + base32Lower.EncodeToString([]byte(name)) + recordSuffix
}

// files returns the records that there are, by their names, with those whose time is over.
func (r *diskRecords) files() (map[string]fs.FileInfo, error) {
	f, err := r.root.Open(r.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fsys.Bare(err)
	}
	defer f.Close()
	infos, err := f.Readdir(-1)
	if err != nil {
		return nil, fsys.Bare(err)
	}
	found := map[string]fs.FileInfo{}
	for _, info := range infos {
		encoded, ok := strings.CutSuffix(info.Name(), recordSuffix)
		if name, err := base32Lower.DecodeString(encoded); ok && err == nil && info.Mode().IsRegular() {
			found[string(name)] = info
		}
	}
	return found, nil
}

func (r *diskRecords) names() ([]string, error) {
	files, err := r.files()
	if err != nil {
		return nil, err
	}
	var names []string
	for name := range maps.Keys(files) {
		switch _, err := r.read(name, 0); {
		case err == nil:
			names = append(names, name)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, recordError(name, err)
		}
	}
	return names, nil
}

func (r *diskRecords) get(name string) ([]byte, error) { return r.read(name, vfs.MaxRecord) }

// until implements recordPlace.
func (r *diskRecords) until(name string) (time.Time, error) {
	_, until, err := r.readAll(name, 0)
	return until, err
}

// recordKinds implements place.
func (d *diskPlace) recordKinds() ([]string, error) {
	entries, err := fs.ReadDir(d.root.FS(), recordsDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fsys.Bare(err)
	}
	var kinds []string
	for _, entry := range entries {
		if kind, ok := idOf(entry.Name()); ok && entry.IsDir() {
			kinds = append(kinds, kind)
		}
	}
	return kinds, nil
}

// read returns at most the given number of bytes of a record.
func (r *diskRecords) read(name string, most int64) ([]byte, error) {
	data, _, err := r.readAll(name, most)
	return data, err
}

func (r *diskRecords) readAll(name string, most int64) (data []byte, until time.Time, err error) {
	f, err := r.root.OpenFile(r.file(name), os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return nil, until, fsys.Bare(err)
	}
	defer f.Close()
	data, err = io.ReadAll(io.LimitReader(f, recordHead+most))
	switch {
	case err != nil:
		return nil, until, fsys.Bare(err)
	case len(data) < recordHead:
		return nil, until, fmt.Errorf("%w: its file is damaged", fs.ErrInvalid)
	}
	if millis := int64(binary.LittleEndian.Uint64(data)); millis != 0 {
		if until = time.UnixMilli(millis); !time.Now().Before(until) {
			return nil, until, fs.ErrNotExist
		}
	}
	return data[recordHead:], until, nil
}

func (r *diskRecords) lock(ctx context.Context) (unlock func(), err error) {
	select {
	case r.busy <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() {
		if err != nil {
			<-r.busy
		}
	}()
	if err := r.root.MkdirAll(r.dir, 0o700); err != nil {
		return nil, fsys.Bare(err)
	}
	f, err := r.root.OpenFile(r.dir+"/"+recordsLock, os.O_RDWR|os.O_CREATE|nonblocking, 0o600)
	if err != nil {
		return nil, fsys.Bare(err)
	}
	for wait := time.Millisecond; ; wait = min(2*wait, 20*time.Millisecond) {
		if err = lockFile(f, false); err != project.ErrLocked {
			break
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() {
		_ = f.Close() // which unlocks it
		<-r.busy
	}, nil
}

func (r *diskRecords) put(name string, data []byte, until time.Time) error {
	r.sweep()
	file := r.file(name)
	defer r.watchers.tell(name)
	if data == nil {
		if err := r.root.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fsys.Bare(err)
		}
		return r.sync()
	}
	head := make([]byte, recordHead, recordHead+len(data))
	if !until.IsZero() {
		binary.LittleEndian.PutUint64(head, uint64(until.UnixMilli()))
	}
	temp := r.dir + "/" + newSuffix // one, since the lock is held; what a killed process left is replaced
	if err := r.write(temp, append(head, data...)); err != nil {
		return cmp.Or(fsys.Bare(err), r.root.Remove(temp))
	}
	if err := r.root.Rename(temp, file); err != nil {
		return fsys.Bare(err)
	}
	return r.sync()
}

func (r *diskRecords) write(name string, data []byte) error {
	if err := r.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := r.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && !r.noSync {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// sync makes changes in the directory durable.
func (r *diskRecords) sync() error {
	if !canSyncDirectories || r.noSync {
		return nil
	}
	f, err := r.root.Open(r.dir)
	if err != nil {
		return fsys.Bare(err)
	}
	return errors.Join(f.Sync(), f.Close())
}

// sweep removes, now and then, the files of records whose time is over. The lock is held.
func (r *diskRecords) sweep() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.swept) < sweepEvery {
		return
	}
	r.swept = time.Now()
	files, _ := r.files()
	for name := range files {
		if _, err := r.read(name, 0); errors.Is(err, fs.ErrNotExist) {
			_ = r.root.Remove(r.file(name))
		}
	}
}

func (r *diskRecords) watch(ctx context.Context, changed func(name string)) error {
	before, _ := r.files()
	return r.watchers.watch(ctx, changed, func() (names []string) {
		now, err := r.files()
		if err != nil {
			return nil
		}
		for name, info := range now {
			if old := before[name]; old == nil || !old.ModTime().Equal(info.ModTime()) || old.Size() != info.Size() {
				names = append(names, name)
			}
		}
		for name := range before {
			if now[name] == nil {
				names = append(names, name)
			}
		}
		before = now
		return names
	})
}
