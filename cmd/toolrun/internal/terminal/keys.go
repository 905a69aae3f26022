package terminal

import (
	"bytes"
	"io"
	"os"
	"unicode/utf8"
)

// keys are the bytes that a terminal sends, in the form that the editor needs them in: Ctrl-C is a key, and what is
// pasted is text without control characters, which would be shown as they are.
type keys struct {
	in      io.Reader
	pasting bool
	last    []byte // up to six bytes, to find where a paste begins and ends
	open    int    // how many bytes a control sequence has that has not ended
	partial []byte // of a character
	ready   []byte
}

// maxSequence is how many bytes a control sequence has at most. The editor waits for the end, and would be busy for
// ever with one that is longer than its buffer.
const maxSequence = 64

var (
	pasteBegins = []byte("\x1b[200~")
	pasteEnds   = []byte("\x1b[201~")
)

func (k *keys) Read(p []byte) (int, error) {
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
		k.add(keyInterrupt, '\r')
	case k.pasting && b == '\t':
		k.add([]byte("    ")...) // the editor cannot show tabs
	case k.pasting && (b < ' ' && b != '\r' && b != '\n' && b != '\x1b' || b == 0x7f):
	case b == keyInterrupt: // Ctrl-]
	default:
		k.add(b)
	}
	switch {
	case b == '\x1b':
		k.open = 1
	case b == '~' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z':
		k.open = 0
	case k.open > 0:
		if k.open++; k.open == maxSequence {
			k.add('~')
			k.open = 0
		}
	}
	k.pasting = !k.pasting && bytes.Equal(k.last, pasteBegins) || k.pasting && !bytes.Equal(k.last, pasteEnds)
}

// add adds what the editor gets, without what is no UTF-8 or a replacement character: it would take these for the
// beginning of a character, and wait for the rest.
func (k *keys) add(text ...byte) {
	k.partial = append(k.partial, text...)
	for len(k.partial) > 0 && utf8.FullRune(k.partial) {
		r, size := utf8.DecodeRune(k.partial)
		if r != utf8.RuneError {
			k.ready = append(k.ready, k.partial[:size]...)
		}
		k.partial = k.partial[size:]
	}
}

// echo writes what the editor shows. Characters of a line that would do something to the terminal are shown as
// replacement characters, which take one place too; the escape sequences are the editor's own.
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
