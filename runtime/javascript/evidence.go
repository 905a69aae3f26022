package javascript

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/afero"
)

// evidence is a file system that records what is read through it, so that a later run can check whether the files are
// still the same.
type evidence struct {
	afero.Fs

	most int64 // bytes that it may take

	mu      sync.Mutex
	seen    map[string]sighting
	size    int64
	spoiled bool // something cannot be compared, or is too large: nothing more is recorded
}

// sighting is the observed state of a path.
type sighting struct {
	kind    byte // as kindOf has it; 0 if nothing is there
	read    bool
	content []byte // if it was read: of a directory, the names in it
}

// sightingOverhead is about how many bytes a sighting takes beside its content.
const sightingOverhead = 200

// newEvidence makes evidence that may take most bytes.
func newEvidence(files afero.Fs, most int64) *evidence {
	return &evidence{Fs: files, most: most, seen: map[string]sighting{}}
}

// kindSeen returns the kind that a result of Stat shows, or 0 after an error.
func kindSeen(info fs.FileInfo, err error) byte {
	if err != nil {
		return 0
	}
	return kindOf(info)
}

// note records the state of a path. A state that contradicts an earlier one spoils the evidence.
func (e *evidence) note(name string, s sighting) {
	e.mu.Lock()
	defer e.mu.Unlock()
	before, ok := e.seen[name]
	size := int64(len(s.content))
	switch {
	case e.spoiled:
		return
	case !ok:
		size += int64(len(name)) + sightingOverhead
	case before.kind != s.kind, before.read && s.read && !bytes.Equal(before.content, s.content):
		e.drop()
		return
	case before.read:
		return
	}
	if e.size += size; e.size > e.most {
		e.drop()
		return
	}
	e.seen[name] = s
}

// spoil gives up: something was read that cannot be compared later.
func (e *evidence) spoil() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.drop()
}

func (e *evidence) drop() { e.spoiled, e.seen = true, nil }

// Stat implements [afero.Fs].
func (e *evidence) Stat(name string) (fs.FileInfo, error) {
	info, err := e.Fs.Stat(name)
	e.note(name, sighting{kind: kindSeen(info, err)})
	return info, err
}

// IsReadOnly reports what the file system says.
func (e *evidence) IsReadOnly(name string) bool {
	v, ok := e.Fs.(protecting)
	return ok && v.IsReadOnly(name)
}

// Open implements [afero.Fs].
func (e *evidence) Open(name string) (afero.File, error) {
	f, err := e.Fs.Open(name)
	if err != nil {
		e.spoil()
		return nil, err
	}
	return &witnessedFile{File: f, name: name, evidence: e}, nil
}

// witnessedFile is a file that is read from its beginning to its end.
type witnessedFile struct {
	afero.File
	name     string
	evidence *evidence
	content  []byte
	ended    bool
	listed   bool // it is a directory
}

func (f *witnessedFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	f.content = append(f.content, p[:n]...)
	f.ended = f.ended || err == io.EOF
	return n, err
}

func (f *witnessedFile) Readdirnames(n int) ([]string, error) {
	names, err := f.File.Readdirnames(n)
	if len(names) >= n && n > 0 || f.listed { // there may be more
		f.evidence.spoil()
		return names, err
	}
	f.listed, f.content = true, contentOf(names)
	return names, err
}

// contentOf returns the names in a directory as a text, without their order.
func contentOf(names []string) []byte {
	names = slices.Clone(names)
	slices.Sort(names)
	return []byte(strings.Join(names, "\x00"))
}

func (f *witnessedFile) Close() error {
	switch {
	case f.listed:
		f.evidence.note(f.name, sighting{kindDirectory, true, f.content})
	case f.ended:
		f.evidence.note(f.name, sighting{kindFile, true, f.content})
	default:
		f.evidence.spoil()
	}
	return f.File.Close()
}

// holds reports whether the files still have the recorded state. It is false if the context ends first.
func (e *evidence) holds(ctx context.Context, files afero.Fs) bool {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	for name, s := range e.seen {
		if ctx.Err() != nil {
			return false
		}
		info, err := files.Stat(name)
		if kindSeen(info, err) != s.kind {
			return false
		}
		if s.read && s.kind == kindDirectory {
			if !lists(files, name, s.content) {
				return false
			}
			continue
		}
		if s.read && info.Size() != int64(len(s.content)) {
			return false
		}
		if s.read && !contains(ctx, files, name, s.content, *buffer) {
			return false
		}
	}
	return true
}

var buffers = sync.Pool{New: func() any {
	b := make([]byte, 16<<10) // stays in the first level of the processor's cache
	return &b
}}

// lists reports whether a directory has exactly these names.
func lists(files afero.Fs, name string, content []byte) bool {
	f, err := files.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	names, _ := f.Readdirnames(1 + bytes.Count(content, []byte{0}) + 1) // one more than there were
	return bytes.Equal(contentOf(names), content)
}

// contains reports whether a file has exactly this content.
func contains(ctx context.Context, files afero.Fs, name string, content, buffer []byte) bool {
	f, err := files.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	for ctx.Err() == nil {
		n, err := f.Read(buffer)
		if n > len(content) || !bytes.Equal(buffer[:n], content[:n]) {
			return false
		}
		content = content[n:]
		if err == io.EOF {
			return len(content) == 0
		}
		if err != nil {
			return false
		}
	}
	return false
}
