package postgres

import (
	"crypto/sha256"
	"sync"
	"syscall"

	"github.com/jackc/pgx/v5"
)

// partSize is how much of a content one part has, but for the last one.
const partSize = 1 << 20

// maxContent is the most bytes that a file can have: its digests are in one row.
const maxContent = 64 << 30

// maxUnsent is how many bytes of contents a transaction keeps in memory.
const maxUnsent = 8 << 20

// partData returns a part of a content that is this transaction's, or nil.
func (tx *transaction) partData(digest [sha256.Size]byte) ([]byte, error) {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	if tx.over {
		return nil, nil
	}
	if data := tx.parts[digest]; data != nil {
		return data, nil
	}
	if !tx.sent[digest] {
		return nil, nil
	}
	return tx.b.s.readPart(tx.conn, tx.project, digest)
}

// keepPart takes a part of a content, which it keeps, and returns its digest.
func (tx *transaction) keepPart(data []byte, digest [sha256.Size]byte) error {
	if tx.parts[digest] != nil || tx.sent[digest] {
		return nil
	}
	if tx.bytes+len(data) > maxUnsent {
		if err := tx.send(); err != nil {
			return err
		}
	}
	tx.parts[digest] = data
	tx.bytes += len(data)
	return nil
}

const insertParts = "INSERT INTO part (project, digest, refs, unused, data, object) " +
	"SELECT $1, d, r, CASE WHEN r = 0 THEN now() END, b, o " +
	"FROM unnest($2::bytea[], $3::bigint[], $4::bytea[], $5::text[]) AS u(d, r, b, o) " +
	"ON CONFLICT (project, digest) DO UPDATE SET refs = part.refs + excluded.refs, " +
	"unused = CASE WHEN part.refs + excluded.refs = 0 THEN now() END"

// send writes the parts that are wanted, so that they need not stay in memory.
func (tx *transaction) send() error {
	wanted := map[[sha256.Size]byte]bool{}
	for ino := range tx.was {
		if e := tx.entries[ino]; e != nil && e.dir != nowhere {
			for digest := range digestsOf(e.parts) {
				wanted[digest] = true
			}
		}
	}
	isWanted := func(digest [sha256.Size]byte) bool { return wanted[digest] || len(tx.was) == 0 || tx.filling }
	if err := tx.upload(isWanted); err != nil {
		return err
	}
	for digest := range tx.parts {
		if !isWanted(digest) {
			continue
		}
		data, object := tx.placeOf(digest)
		ctx, cancel := bounded()
		_, err := tx.conn.Exec(ctx, insertParts, tx.project, [][]byte{digest[:]},
			[]int64{0}, [][]byte{data}, []*string{object})
		cancel()
		if err != nil {
			return unavailable(err)
		}
		tx.sent[digest] = true
	}
	clear(tx.parts)
	tx.bytes = 0
	return nil
}

// digestsOf iterates over the digests of a content.
func digestsOf(parts []byte) func(yield func(digest [sha256.Size]byte) bool) {
	return func(yield func(digest [sha256.Size]byte) bool) {
		for ; len(parts) >= sha256.Size; parts = parts[sha256.Size:] {
			if !yield([sha256.Size]byte(parts)) {
				return
			}
		}
	}
}

// fill makes an entry of a temporary file, which is nowhere yet.
func (tx *transaction) fill(h *handle) (*entry, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.parts == nil {
		if err := h.hash(); err != nil {
			return nil, err
		}
	}
	e := &entry{dir: nowhere, mode: h.mode, size: h.spool.Size(), parts: h.parts}
	e.setTime(h.changed)
	tx.filling = true
	defer func() { tx.filling = false }()
	i := 0
	err := h.eachPart(func(data []byte) error {
		digest := [sha256.Size]byte(h.parts[i*sha256.Size:])
		i++
		if tx.parts[digest] != nil || tx.sent[digest] {
			return nil
		}
		return tx.keepPart(append([]byte(nil), data...), digest)
	})
	if err != nil {
		return nil, err
	}
	tx.add(e)
	return e, nil
}

// put makes a temporary file an open file of the project.
func (tx *transaction) put(name string, h *handle, e *entry) {
	h.mu.Lock()
	h.live = tx.b.acquire(e)
	if h.closed {
		defer tx.b.release(h.live)
	}
	h.mu.Unlock()
	tx.edited(h.live, e)
	tx.placed[name] = h
	tx.b.mu.Lock()
	delete(tx.b.temps, name)
	tx.b.mu.Unlock()
}

// write changes a part of a file.
func (tx *transaction) write(l *live, b []byte, offset int64) error {
	end := offset + int64(len(b))
	if end > maxContent {
		return syscall.EFBIG
	}
	return tx.do(func() error {
		e, err := tx.byIno(l.ino)
		if err != nil {
			return syscall.ESTALE
		}
		tx.change(e)
		tx.filling = true
		defer func() { tx.filling = false }()
		if end > e.size {
			if err := tx.resize(l, e, end); err != nil {
				return err
			}
		}
		parts := append([]byte(nil), e.parts...)
		for len(b) > 0 {
			index, from := offset/partSize, offset%partSize
			n := min(int64(len(b)), partSize-from)
			data, err := tx.editable(l, e, index, from == 0 && n >= partLen(e.size, index))
			if err != nil {
				return err
			}
			copy(data[from:], b[:n])
			if err := tx.replacePart(l, parts, index, data); err != nil {
				return err
			}
			b, offset = b[n:], offset+n
		}
		e.parts = parts
		e.setTime(now())
		tx.edited(l, e)
		return nil
	})
}

// partLen returns the length of a part of a file of this size.
func partLen(size, index int64) int64 { return min(partSize, size-index*partSize) }

// editable returns a copy of a part. If all of it is going to be written, it need not be read.
func (tx *transaction) editable(l *live, e *entry, index int64, all bool) ([]byte, error) {
	data := make([]byte, partLen(e.size, index))
	if all {
		return data, nil
	}
	old, err := tx.partOf(l, e, index)
	if err != nil {
		return nil, err
	}
	copy(data, old)
	return data, nil
}

// partOf returns a part of a file.
func (tx *transaction) partOf(l *live, e *entry, index int64) ([]byte, error) {
	if int64(len(e.parts)) < (index+1)*sha256.Size {
		return nil, errDamaged
	}
	digest := [sha256.Size]byte(e.parts[index*sha256.Size:])
	if data := tx.parts[digest]; data != nil {
		return data, nil
	}
	l.mu.Lock()
	known, data := l.digest, l.part
	l.mu.Unlock()
	if data != nil && known == digest {
		return data, nil
	}
	return tx.b.s.readPart(tx.conn, tx.project, digest)
}

// replacePart puts another part in the place of one.
func (tx *transaction) replacePart(l *live, parts []byte, index int64, data []byte) error {
	digest := sha256.Sum256(data)
	if err := tx.keepPart(data, digest); err != nil {
		return err
	}
	copy(parts[index*sha256.Size:], digest[:])
	l.mu.Lock()
	defer l.mu.Unlock()
	l.digest, l.part = digest, data
	return nil
}

// resize changes the size of a file. What is added is zero.
func (tx *transaction) resize(l *live, e *entry, size int64) error {
	count := (size + partSize - 1) / partSize
	parts := append([]byte(nil), e.parts...)
	if int64(len(parts)) > count*sha256.Size {
		parts = parts[:count*sha256.Size]
	}
	had := int64(len(parts)) / sha256.Size
	if had > 0 && partLen(e.size, had-1) != partLen(size, had-1) { // the last part of the old or the new content
		old, err := tx.partOf(l, e, had-1)
		if err != nil {
			return err
		}
		data := make([]byte, partLen(size, had-1))
		copy(data, old)
		if err := tx.replacePart(l, parts, had-1, data); err != nil {
			return err
		}
	}
	for index := had; index < count; index++ {
		data := zeros[:partLen(size, index)]
		digest := zeroDigest()
		if len(data) < partSize {
			digest = sha256.Sum256(data)
		}
		if err := tx.keepPart(data, digest); err != nil {
			return err
		}
		parts = append(parts, digest[:]...)
	}
	e.parts, e.size = parts, size
	return nil
}

var zeros [partSize]byte

var zeroDigest = sync.OnceValue(func() [sha256.Size]byte { return sha256.Sum256(zeros[:]) })

// truncate changes the size of a file.
func (tx *transaction) truncate(l *live, size int64) error {
	if size > maxContent {
		return syscall.EFBIG
	}
	return tx.do(func() error {
		e, err := tx.byIno(l.ino)
		if err != nil {
			return syscall.ESTALE
		}
		tx.change(e)
		tx.filling = true
		defer func() { tx.filling = false }()
		if err := tx.resize(l, e, size); err != nil {
			return err
		}
		e.setTime(now())
		tx.edited(l, e)
		return nil
	})
}

// partRefs counts how much more often each part is used than before.
func (tx *transaction) partRefs() map[[sha256.Size]byte]int64 {
	refs := map[[sha256.Size]byte]int64{}
	for ino, was := range tx.was {
		if was != nil {
			for digest := range digestsOf(was.parts) {
				refs[digest]--
			}
		}
		if e := tx.entries[ino]; e != nil && e.dir != nowhere {
			for digest := range digestsOf(e.parts) {
				refs[digest]++
			}
		}
	}
	return refs
}

// queueParts queues data of parts that may not be there. It returns the parts that the changes use more often or less
// often than before, and how much so.
func (tx *transaction) queueParts(batch *pgx.Batch, refs map[[sha256.Size]byte]int64) (used [][]byte, times []int64) {
	var newDigests, newData [][]byte
	var newObjects []*string
	var newRefs []int64
	for digest, n := range refs {
		switch {
		case n == 0:
		case n > 0 && tx.parts[digest] != nil:
			data, object := tx.placeOf(digest)
			newDigests, newRefs = append(newDigests, digest[:]), append(newRefs, n)
			newData, newObjects = append(newData, data), append(newObjects, object)
		default:
			used, times = append(used, digest[:]), append(times, n)
		}
	}
	if newDigests != nil {
		batch.Queue(insertParts, tx.project, newDigests, newRefs, newData, newObjects)
	}
	return used, times
}
