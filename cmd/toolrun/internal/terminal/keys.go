package terminal

import (
	"bytes"
	"io"
	"os"
	"unicode/utf8"
)

// keys are the bytes that a terminal sends, in the form that the editor needs them in: Ctrl-C is a key, and what is pasted is text
// without control characters, which would be shown as they are.
type keys struct {
	in      io.Reader
	pasting bool
	last    []byte // up to six bytes, to find where a paste begins and ends
	ready   []byte
}

var (
	pasteBegins = []byte("\x1b[200~")
	pasteEnds   = []byte("\x1b[201~")
)

func (k *keys) Read(p []byte) (int, error) {
	if len(p) == 0 {
		// The editor's buffer is full of the beginning of a control sequence that does not end.
		return 0, io.ErrNoProgress
	}
	var buffer [256]byte
	for len(k.ready) == 0 {
		n, err := k.in.Read(buffer[:])
		for _, b := range buffer[:n] {
			k.take(b)
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, k.ready)
	k.ready = k.ready[n:]
	return n, nil
}

func (k *keys) take(b byte) {
	if len(k.last) == len(pasteBegins) {
		k.last = append(k.last[:0], k.last[1:]...)
	}
	k.last = append(k.last, b)
	switch {
	case !k.pasting && b == 0x03:
		k.ready = append(k.ready, keyInterrupt, '\r')
	case k.pasting && b == '\t':
		k.ready = append(k.ready, "    "...) // the editor cannot show tabs
	case k.pasting && (b < ' ' && b != '\r' && b != '\n' && b != '\x1b' || b == 0x7f):
	default:
		k.ready = append(k.ready, b)
	}
	k.pasting = !k.pasting && bytes.Equal(k.last, pasteBegins) || k.pasting && !bytes.Equal(k.last, pasteEnds)
}

// echo writes what the editor shows. Characters of a line that would do something to the terminal are shown as replacement
// characters, which take one place too; the escape sequences are the editor's own.
type echo struct{ file *os.File }

func (e echo) Write(text []byte) (int, error) {
	shown := bytes.Map(func(r rune) rune {
		if r >= 0x7f && drives(r) {
			return utf8.RuneError
		}
		return r
	}, text)
	if _, err := e.file.Write(shown); err != nil {
		return 0, err
	}
	return len(text), nil
}
