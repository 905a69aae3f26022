package local

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"sync"

	"github.com/toolrun/toolrun/vfs"
)

// layerFile is where a layer keeps its notes: lines of JSON, of which the last one about a path counts. Only whoever has
// the lock adds one.
const layerFile = "/" + vfs.Reserved + "/layer"

// maxLayerFile is the most bytes of notes that are read.
const maxLayerFile = 256 << 20

// A note says what a layer has done about a path.
type note struct {
	Path string `json:"path"`
	// Hidden says that what is below at the path, and in it, is not to be seen.
	Hidden bool `json:"hidden,omitempty"`
	// Was is what was below before the layer covered it, as fingerprint has it.
	Was string `json:"was,omitempty"`
	// Dropped takes back what has been noted.
	Dropped bool `json:"dropped,omitempty"`
}

// layerNotes are all notes, as far as they have been read.
type layerNotes struct {
	layer *disk

	mu     sync.Mutex
	byPath map[string]note
	read   int64
}

// refresh reads what has been added since. mu must be held.
func (n *layerNotes) refresh() error {
	info, err := n.layer.lstat(layerFile)
	if errors.Is(err, fs.ErrNotExist) {
		n.byPath, n.read = map[string]note{}, 0
		return nil
	}
	if err != nil || info.Size() == n.read && n.byPath != nil {
		return err
	}
	if info.Size() < n.read || n.byPath == nil {
		n.byPath, n.read = map[string]note{}, 0
	}
	if info.Size() > maxLayerFile {
		return fmt.Errorf("the layer's notes have more than %d bytes", int64(maxLayerFile))
	}
	f, err := n.layer.open(layerFile, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(io.NewSectionReader(f, n.read, info.Size()-n.read))
	if err != nil {
		return err
	}
	end := bytes.LastIndexByte(text, '\n') + 1 // somebody may be writing a line
	for line := range bytes.SplitSeq(text[:end], []byte("\n")) {
		var one note
		if json.Unmarshal(line, &one) != nil {
			continue // a process has not finished it
		}
		if clean, err := vfs.Clean(one.Path); err == nil && clean == one.Path && clean != "/" {
			if delete(n.byPath, clean); !one.Dropped {
				n.byPath[clean] = one
			}
		}
	}
	n.read += int64(end)
	return nil
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
	if one.Was = known.Was; !ok && !one.Dropped {
		var err error
		if one.Was, err = fingerprint(below, one.Path); err != nil {
			return err
		}
	}
	line, err := json.Marshal(one)
	if err != nil {
		return err
	}
	f, err := n.layer.open(layerFile, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil {
		// The line before may not have been finished.
		_, err = f.WriteAt(append(append([]byte("\n"), line...), '\n'), info.Size())
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.refresh()
}

// fingerprint tells states of a file apart, or of a directory with all that is in it. It is "" if there is nothing.
func fingerprint(d *disk, name string) (string, error) {
	info, err := d.lstat(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return fmt.Sprintf("%v %d %d", info.Mode().Type(), info.Size(), info.ModTime().UnixNano()), nil
	}
	sum := sha256.New()
	infos, err := d.readDir(name)
	if err != nil {
		return "", err
	}
	for _, inside := range infos {
		state := "another"
		if clean, ok := vfs.CleanName(inside.Name()); ok {
			if state, err = fingerprint(d, path.Join(name, clean)); err != nil {
				return "", err
			}
		}
		fmt.Fprintf(sum, "%q %s\n", inside.Name(), state)
	}
	return fmt.Sprintf("directory %x", sum.Sum(nil)[:16]), nil
}

// within returns the paths of all notes about a path and what is below it.
func (n *layerNotes) within(dir string) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var names []string
	for name := range n.byPath {
		if vfs.Within(name, dir) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
