package runtime

import (
	"crypto/sha256"
	"encoding/binary"
	"io"
	"io/fs"
	"strings"
	"sync"
	"time"
)

// libraryImages keeps images of sandboxes in which libraries have been loaded, so that this need not be done in every run.
type libraryImages struct {
	engine *Engine
	most   int64 // bytes

	mu    sync.Mutex
	byKey map[libraryKey]*libraryImage
	size  int64
	clock int64 // counts uses
}

// libraryKey is a hash of what is known of libraries without reading them. There is one image for each, of the files that were there last.
type libraryKey [sha256.Size]byte

type libraryImage struct {
	*image
	evidence *evidence // of the files that it was made of
	size     int64
	used     int64 // when, by the clock
	made     time.Time
	timed    bool // it depends on when it was made
}

// maxLibraryAge is for how long an image may be used that depends on when it was made. Libraries ask for the time for no good reason,
// and wherever else they are loaded they stay for as long as the process, but not forever.
const maxLibraryAge = time.Minute

// maxLibraryImages is how many images there are at most: each is an open file.
const maxLibraryImages = 64

// libraryKey returns the key of libraries that are loaded with the run's functions, globals and memory limit.
func (r *run) libraryKey(entries []fs.FileInfo) libraryKey {
	hash := sha256.New()
	add := func(text string) {
		var length [8]byte
		binary.LittleEndian.PutUint64(length[:], uint64(len(text)))
		hash.Write(length[:])
		io.WriteString(hash, text)
	}
	add(r.options.Libraries)
	add(strings.ReplaceAll(r.setup.text, r.mark[1:], "\x00")) // which nothing else can be taken for, as JSON has no NUL
	add(string(r.setup.data))
	binary.Write(hash, binary.LittleEndian, r.options.Limits.Memory) // several bounds follow from it, which libraries can find out
	for _, e := range entries {
		add(e.Name())
		binary.Write(hash, binary.LittleEndian, e.Size())
	}
	return libraryKey(hash.Sum(nil))
}

// find returns the image of the run's libraries, or nil if there is none of the files as they are now. It reads files, so it is to be
// called where it can be abandoned.
func (l *libraryImages) find(r *run, key libraryKey) *image {
	l.mu.Lock()
	i := l.byKey[key]
	if i != nil {
		l.clock++
		i.used = l.clock
	}
	l.mu.Unlock()
	if i == nil || i.timed && r.started.Sub(i.made) > maxLibraryAge {
		return nil
	}
	if !i.evidence.holds(r.ctx, r.options.Files) {
		return nil
	}
	return i.image
}

// keep takes an image of an instance in which libraries have been loaded, if that is of use for others.
func (l *libraryImages) keep(in *instance, e *evidence) {
	r := in.run
	if l.most == 0 || in.impure || e.spoiled || len(in.rejections) > 0 || in.vm.RandomUsed(in.seed) || r.output.used() || r.outcome != nil {
		return
	}
	if in.memory.Refused() { // it may have been the system
		return
	}
	if int64(in.memory.Size())+e.size > l.most { // it may be more than there is room for
		return
	}
	i, err := in.capture()
	if err != nil {
		return // it is only that the next run has to load them again
	}
	l.add(r.libraries.key, &libraryImage{
		image: i, evidence: e, size: i.memory.Bytes() + e.size + int64(i.originsSize), made: r.started, timed: in.timed,
	})
}

func (l *libraryImages) add(key libraryKey, i *libraryImage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(key)
	for len(l.byKey) > 0 && (l.size+i.size > l.most || len(l.byKey) >= maxLibraryImages) {
		var oldest libraryKey
		least := int64(-1)
		for key, other := range l.byKey {
			if least < 0 || other.used < least {
				oldest, least = key, other.used
			}
		}
		l.remove(oldest)
	}
	l.clock++
	i.used = l.clock
	l.byKey[key] = i
	l.size += i.size
}

func (l *libraryImages) remove(key libraryKey) {
	if i := l.byKey[key]; i != nil {
		delete(l.byKey, key)
		l.size -= i.size
		i.memory.Close()
		l.engine.pool.drop(i.image)
	}
}

// close removes all images.
func (l *libraryImages) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key := range l.byKey {
		l.remove(key)
	}
}
