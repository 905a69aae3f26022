package runtime

import (
	"crypto/sha256"
	"sync"
)

// images keeps images for later runs, up to a number of bytes. The least recently used ones go first.
type images struct {
	pool *pool
	most int64 // bytes

	mu    sync.Mutex
	byKey map[imageKey]*keptImage
	size  int64
	clock int64 // counts uses
}

type imageKey struct {
	program *Program
	key     [sha256.Size]byte
}

type keptImage struct {
	*Image
	size int64
	used int64 // when, by the clock
}

// maxImages is how many images are kept at most: each is an open file.
const maxImages = 64

// ImageRoom returns the largest size in bytes of an image that can be kept.
func (p *Program) ImageRoom() int64 { return p.engine.images.most }

// Keep keeps an image for later runs under a key, and replaces an image with the same key. It is kept until images
// that are used more need the room. size is how many bytes of host memory the image's state takes.
//
// An image that is not kept is closed; sandboxes that have started from it go on.
func (p *Program) Keep(key [sha256.Size]byte, image *Image, size int64) {
	p.engine.images.add(imageKey{p, key}, &keptImage{Image: image, size: image.memory.Bytes() + size})
}

// Kept returns the image of a key, or nil.
func (p *Program) Kept(key [sha256.Size]byte) *Image {
	l := &p.engine.images
	l.mu.Lock()
	defer l.mu.Unlock()
	i := l.byKey[imageKey{p, key}]
	if i == nil {
		return nil
	}
	l.clock++
	i.used = l.clock
	return i.Image
}

func (l *images) add(key imageKey, i *keptImage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(key)
	for len(l.byKey) > 0 && (l.size+i.size > l.most || len(l.byKey) >= maxImages) {
		var oldest imageKey
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

func (l *images) remove(key imageKey) {
	if i := l.byKey[key]; i != nil {
		delete(l.byKey, key)
		l.size -= i.size
		i.memory.Close()
		l.pool.drop(i.Image)
	}
}

func (l *images) stats() (n int, size int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.byKey), l.size
}

// close removes all images.
func (l *images) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key := range l.byKey {
		l.remove(key)
	}
}
