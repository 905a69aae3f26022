package local

import (
	"context"
	"encoding/base32"
	"errors"
	"io/fs"
	"maps"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/toolrun/toolrun/vfs/internal/fsys"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

// diskRecords are the records of one kind in a directory: recordsDir/KIND of the store's, where each is a file. Changes
// are made under the lock of a file that is kept for that.
type diskRecords struct {
	root     *os.Root // of the store
	dir      string
	noSync   bool
	watchers watchers
	busy     chan struct{} // holds a value while somebody in this process has the lock
	swept    time.Time     // under the lock

	mu sync.Mutex
	// opened is the directory, if it has been needed, and self what it is: os.Root opens each directory in a name
	// again.
	opened *os.Root
	self   fs.FileInfo
}

const (
	recordsDir  = ".records" // no id can be that
	recordsLock = "lock"
	// recordSuffix ends the names of records, which are base32 before it.
	recordSuffix = ".rec"
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

func recordName(record string) string {
	return base32Lower.EncodeToString([]byte(record)) + recordSuffix
}

// open returns the directory. The error is fs.ErrNotExist if there is none.
func (r *diskRecords) open() (*os.Root, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.opened != nil {
		// Somebody may have removed it, and another process made it again.
		if now, err := r.root.Stat(r.dir); err == nil && os.SameFile(now, r.self) {
			return r.opened, nil
		}
		_ = r.opened.Close()
		r.opened = nil
	}
	dir, err := r.root.OpenRoot(r.dir)
	if err != nil {
		return nil, fsys.Bare(err)
	}
	if r.self, err = dir.Stat("."); err != nil {
		return nil, errors.Join(fsys.Bare(err), dir.Close())
	}
	r.opened = dir
	return dir, nil
}

// make makes the directory.
func (r *diskRecords) make() error {
	if err := r.root.MkdirAll(r.dir, 0o700); err != nil {
		return fsys.Bare(err)
	}
	if r.noSync {
		return nil
	}
	return errors.Join(fsys.Bare(syncDir(r.root, recordsDir)), fsys.Bare(syncDir(r.root, ".")))
}

func (r *diskRecords) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.opened == nil {
		return nil
	}
	return r.opened.Close()
}

// files returns the records that there are, by their names, with those whose time is over.
func (r *diskRecords) files() (map[string]fs.FileInfo, error) {
	dir, err := r.open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	f, err := dir.Open(".")
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
		switch _, err := r.read(name, false); {
		case err == nil:
			names = append(names, name)
		case !errors.Is(err, fs.ErrNotExist):
			return nil, recordError(name, err)
		}
	}
	return names, nil
}

func (r *diskRecords) get(name string) ([]byte, error) {
	v, err := r.read(name, true)
	return v.data, err
}

func (r *diskRecords) until(name string) (time.Time, error) {
	v, err := r.read(name, false)
	return v.until, err
}

func (r *diskRecords) read(name string, data bool) (version, error) {
	dir, err := r.open()
	if err != nil {
		return version{}, err
	}
	return readRecord(dir, recordName(name), data)
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

func (r *diskRecords) lock(ctx context.Context, name string) (locked lockedRecord, err error) {
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
	dir, err := r.open()
	if errors.Is(err, fs.ErrNotExist) {
		if err = r.make(); err == nil {
			dir, err = r.open()
		}
	}
	if err != nil {
		return nil, err
	}
	f, err := dir.OpenFile(recordsLock, os.O_RDWR|os.O_CREATE|nonblocking, 0o600)
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
	return &lockedOnDisk{r, name, f, recordFile{dir: dir, name: recordName(name), noSync: r.noSync}}, nil
}

// lockedOnDisk is a lockedRecord.
type lockedOnDisk struct {
	records *diskRecords
	record  string
	lock    *os.File
	file    recordFile
}

func (l *lockedOnDisk) get() ([]byte, error) {
	v, err := l.file.read()
	return v.data, err
}

func (l *lockedOnDisk) put(data []byte, until time.Time) error {
	l.records.sweep(l.file.dir, l.record)
	defer l.records.watchers.tell(l.record)
	if data == nil {
		return l.file.remove()
	}
	return l.file.write(version{until, data})
}

func (l *lockedOnDisk) unlock() {
	l.file.close()
	_ = l.lock.Close() // which unlocks it
	<-l.records.busy
}

// sweep removes, now and then, the files of other records whose time is over. The lock is held.
func (r *diskRecords) sweep(dir *os.Root, but string) {
	if time.Since(r.swept) < sweepEvery {
		return
	}
	r.swept = time.Now()
	files, _ := r.files()
	delete(files, but)
	for name := range files {
		file := recordName(name)
		if _, err := readRecord(dir, file, false); errors.Is(err, fs.ErrNotExist) {
			_ = dir.Remove(file)
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
