package terminal

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Limits of a history.
const (
	maxHistory      = 1000     // lines
	maxHistoryBytes = 1 << 20  // of the file
	maxHistoryLine  = 16 << 10 // bytes
)

// A History keeps entered lines in a file that only the user can read. It leaves out lines that begin with a space,
// and repetitions of the line before.
type History struct {
	file  string
	lines []string
}

// OpenHistory reads the history in a file and keeps the last thousand lines of it. The file is created with the
// first line; an empty name keeps nothing. The history is usable even after an error, which says why the file is
// not.
func OpenHistory(file string) (*History, error) {
	h := &History{}
	if file == "" {
		return h, nil
	}
	info, err := os.Stat(file)
	switch {
	case os.IsNotExist(err):
	case err != nil:
		return h, err
	case !info.Mode().IsRegular():
		return h, &fs.PathError{Op: "open", Path: file,
			Err: fmt.Errorf("%w: a history is a regular file", fs.ErrInvalid)}
	default:
		if err := h.load(file, info); err != nil {
			return h, err
		}
	}
	h.file = file
	return h, nil
}

func (h *History) load(file string, info fs.FileInfo) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-maxHistoryBytes), maxHistoryBytes))
	if err != nil {
		return err
	}
	all := 0
	for line := range bytes.Lines(data) {
		all++
		h.append(strings.TrimRight(string(line), "\r\n"))
	}
	if info.Size() <= maxHistoryBytes && all <= 2*maxHistory {
		return nil
	}
	// Lines that other processes add at this moment may be lost.
	shorter, err := os.CreateTemp(filepath.Dir(file), ".history-*") // readable by the user alone
	if err != nil {
		return err
	}
	_, err = shorter.WriteString(strings.Join(h.lines, "\n") + "\n")
	if closed := shorter.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(shorter.Name(), file)
	}
	if err != nil {
		_ = os.Remove(shorter.Name())
	}
	return err
}

// append adds a line in memory, and reports whether the file should have it, too.
func (h *History) append(line string) bool {
	if line == "" || line[0] == ' ' || len(line) > maxHistoryLine || Escape(line) != line ||
		strings.ContainsAny(line, "\n\t") {
		return false
	}
	if n := len(h.lines); n > 0 && h.lines[n-1] == line {
		return false
	}
	h.lines = append(h.lines, line)
	if len(h.lines) > maxHistory {
		h.lines = append(h.lines[:0], h.lines[1:]...)
	}
	return true
}

// add adds a line. After a failed write nothing more is written to the file.
func (h *History) add(line string) {
	if h.append(line) && h.file != "" && h.write(line) != nil {
		h.file = ""
	}
}

func (h *History) write(line string) error {
	if err := os.MkdirAll(filepath.Dir(h.file), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(h.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_ = f.Chmod(0o600) // another program may have created it
	_, err = f.WriteString(line + "\n")
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

// recall adapts a History to x/term. ReadLine adds the lines, since it knows whether they were interrupted.
type recall struct{ *History }

func (recall) Add(string) {}

func (r recall) Len() int { return len(r.lines) }

func (r recall) At(i int) string { return r.lines[len(r.lines)-1-i] }
