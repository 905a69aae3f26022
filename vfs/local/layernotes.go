package local

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"slices"
	"sync"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

// layerFile is where a layer keeps its notes: lines of JSON, of which the last one about a path counts. Only whoever
// has the lock adds one.
const layerFile = "/" + vfs.Reserved + "/layer"

// maxLayerFile is the most bytes of notes that a layer may have.
const maxLayerFile = 64 << 20

// minOutdated is how many bytes of outdated notes are not worth writing the others again.
const minOutdated = 64 << 10

// A note says what a layer has done about a path.
type note struct {
	Path string `json:"path"`
	// Hidden says that what is below at the path, and in it, is not to be seen.
	Hidden bool `json:"hidden,omitempty"`
	// Was is what was below before the layer covered it, as fingerprint has it.
	Was string `json:"was,omitempty"`
	// Dropped takes back what has been noted.
	Dropped bool `json:"dropped,omitempty"`
	// Applying says that applying the layer has begun to change what is below, and has not ended. If that is a
	// directory, Before is what was in it, as entriesOf has it.
	Applying bool   `json:"applying,omitempty"`
	Before   []byte `json:"before,omitempty"`
	// Dropping says that what is in the layer at the path, and in it, is being dropped. Only such a note can be of the
	// root.
	Dropping bool `json:"dropping,omitempty"`

	length int64 // of the line
}

// line returns a note as it is in the file.
func (n note) line() ([]byte, error) {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(n)
	return line.Bytes(), err
}

// layerNotes are all notes, as far as they have been read.
type layerNotes struct {
	layer *disk
	// limit is maxLayerFile, but in tests.
	limit int64
	// durable says that notes outlast a failure of the system if sync is called.
	durable bool

	mu     sync.Mutex
	byPath map[string]note
	// file is what has been read, up to read. It stays open: no other file can be taken for it then.
	file project.Node
	info fs.FileInfo
	read int64
	// current is how many bytes the notes that count have.
	current int64
	// unsynced says that a failure of the system can lose notes.
	unsynced bool
}

// refresh reads what has been added since, or everything if the file is another one. mu must be held.
func (n *layerNotes) refresh() error {
	info, err := n.layer.Lstat(layerFile)
	gone := errors.Is(err, fs.ErrNotExist)
	if err != nil && !gone {
		return err
	}
	if n.byPath == nil || n.file != nil && (gone || !n.layer.Same(n.info, info) || info.Size() < n.read) {
		if err := n.reset(nil); err != nil {
			return err
		}
	}
	if gone {
		return nil
	}
	if n.file == nil {
		f, err := n.layer.Open(layerFile, os.O_RDONLY, 0)
		if err != nil {
			return err
		}
		if err := n.reset(f); err != nil {
			return err
		}
		if info, err = f.Stat(); err != nil {
			return errors.Join(err, n.reset(nil))
		}
		n.info = info
	}
	if info.Size() == n.read {
		return nil
	}
	lines := bufio.NewReader(io.NewSectionReader(n.file, n.read, info.Size()-n.read))
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil // somebody may be writing the last line
		}
		if err != nil {
			return err
		}
		n.read += int64(len(line))
		var one note
		if json.Unmarshal(line, &one) != nil {
			continue // a process has not finished it
		}
		if clean, err := vfs.Clean(one.Path); err == nil && clean == one.Path &&
			(clean != "/" || one.Dropping || one.Dropped) {
			one.length = int64(len(line))
			n.keep(one)
		}
	}
}

// reset forgets everything, and begins with another file, or none.
func (n *layerNotes) reset(f project.Node) error {
	var err error
	if n.file != nil {
		err = n.file.Close()
	}
	n.byPath, n.file, n.read, n.current = map[string]note{}, f, 0, 0
	return err
}

// keep puts a note in the place of the one that is there.
func (n *layerNotes) keep(one note) {
	if known, ok := n.byPath[one.Path]; ok {
		delete(n.byPath, one.Path)
		n.current -= known.length
	}
	if !one.Dropped {
		n.byPath[one.Path] = one
		n.current += one.length
	}
}

func (n *layerNotes) close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.reset(nil)
}

// hide returns the path of the file or directory, the name or above it, that is noted as hidden, the topmost; or "".
func (n *layerNotes) hide(name string) (hidden string, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.refresh(); err != nil || len(n.byPath) == 0 {
		return "", err
	}
	for end := 1; end <= len(name); end++ {
		if (end == len(name) || name[end] == '/') && n.byPath[name[:end]].Hidden {
			return name[:end], nil
		}
	}
	return "", nil
}

// cover notes what is below at a name, unless that is noted already, or hidden with a directory.
func (n *layerNotes) cover(name string, below *disk) error {
	hidden, err := n.hide(name)
	if err != nil || hidden != "" {
		return err
	}
	if _, ok := n.get(name); ok {
		return nil
	}
	return n.add(note{Path: name}, below)
}

func (n *layerNotes) get(name string) (note, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	one, ok := n.byPath[name]
	return one, ok
}

// add adds a note. What was below is as in the note that is there, or as it is now.
func (n *layerNotes) add(one note, below *disk) error {
	known, ok := n.get(one.Path)
	if one.Was, one.Applying, one.Before = known.Was, known.Applying, known.Before; !ok && !one.Dropped {
		var err error
		if one.Was, err = project.Fingerprint(below, one.Path); err != nil {
			return err
		}
	}
	limit := n.limit
	if one.Dropped {
		limit = math.MaxInt64
	}
	return n.put(limit, one)
}

// put adds notes as they are, if the file stays within a limit. If it has got long, it is made anew without what is
// outdated.
func (n *layerNotes) put(limit int64, all ...note) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.refresh(); err != nil {
		return err
	}
	// The line before may not have been finished.
	text := []byte("\n")
	for _, one := range all {
		line, err := one.line()
		if err != nil {
			return err
		}
		text = append(text, line...)
	}
	var size int64
	if n.file != nil {
		info, err := n.file.Stat()
		if err != nil {
			return err
		}
		size = info.Size()
	}
	more := int64(len(text))
	if size > 2*n.current+minOutdated || size+more > limit && n.current < limit/4*3 {
		if err := n.rewrite(); err != nil {
			return err
		}
		size = n.read
	}
	if want := size + more; want > limit {
		return &vfs.QuotaError{Limit: "layer", Max: limit, Want: want}
	}
	f, err := n.layer.Open(layerFile, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	n.unsynced = true
	_, err = f.WriteAt(text, size)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return n.refresh()
}

// sync makes what has been noted durable.
func (n *layerNotes) sync() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.unsynced || !n.durable {
		return nil
	}
	f, err := n.layer.Open(layerFile, os.O_RDWR, 0)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	n.unsynced = false
	return n.layer.Sync(path.Dir(layerFile))
}

// beginDropping notes that what is at some paths is being dropped, if there are notes about any of it: without its
// files they would mean something else.
func (n *layerNotes) beginDropping(tops []string) error {
	var begun []note
	for _, top := range tops {
		names, err := n.within(top)
		if err != nil {
			return err
		}
		if len(names) > 0 {
			known, _ := n.get(top)
			known.Path, known.Dropping = top, true
			begun = append(begun, known)
		}
	}
	if begun == nil {
		return nil
	}
	if err := n.put(math.MaxInt64, begun...); err != nil {
		return err
	}
	return n.sync()
}

// dropping returns the paths of what has begun to be dropped.
func (n *layerNotes) dropping() (tops []string, err error) {
	names, err := n.within("/")
	for _, name := range names {
		if one, _ := n.get(name); one.Dropping {
			tops = append(tops, name)
		}
	}
	return tops, err
}

// drop takes back all notes about some paths and what is below them.
func (n *layerNotes) drop(tops []string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.refresh(); err != nil || n.file == nil || len(tops) == 0 {
		return err
	}
	dropped := false
	for name, one := range n.byPath {
		if slices.ContainsFunc(tops, func(top string) bool { return vfs.Within(name, top) }) {
			one.Dropped, dropped = true, true
			n.keep(one)
		}
	}
	if !dropped && !slices.Contains(tops, "/") {
		return nil
	}
	return n.rewrite()
}

// release takes back the notes about a path, and what is below it if that was a directory, where there is nothing to
// remember: the layer had made it, and removed it again.
func (n *layerNotes) release(name string, dir bool) error {
	var gone []note
	names := []string{name}
	if dir {
		var err error
		if names, err = n.within(name); err != nil {
			return err
		}
	}
	for _, name := range names {
		if one, ok := n.get(name); ok && one.Was == "" && !one.Hidden {
			gone = append(gone, note{Path: name, Dropped: true})
		}
	}
	if gone == nil {
		return nil
	}
	return n.put(math.MaxInt64, gone...)
}

// rewrite puts a file in the place of the one that is there, with nothing outdated in it. mu must be held.
func (n *layerNotes) rewrite() error {
	temp := project.TempDir + "/layer-" + rand.Text()
	f, err := n.layer.Open(temp, project.OpenNew, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(io.NewOffsetWriter(f, 0))
	for _, one := range n.byPath {
		line, lineErr := one.line()
		_, writeErr := w.Write(line)
		if err = errors.Join(lineErr, writeErr); err != nil {
			break
		}
	}
	err = errors.Join(err, w.Flush())
	if err == nil && n.durable {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = n.layer.Rename(temp, layerFile)
	}
	if err != nil {
		return errors.Join(err, n.reset(nil), n.layer.RemoveAll(temp))
	}
	n.unsynced = true // the new name, at least
	if err := n.reset(nil); err != nil {
		return err
	}
	return n.refresh()
}

// within returns the paths of all notes about a path and what is below it.
func (n *layerNotes) within(dir string) ([]string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.refresh(); err != nil {
		return nil, err
	}
	var names []string
	for name := range n.byPath {
		if vfs.Within(name, dir) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}
