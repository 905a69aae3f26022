package terminal

import (
	"bytes"
	"io"
	"os"
	"unicode/utf8"
)

// keys translates what a terminal sends for x/term: Ctrl-C becomes a key, and pasted text loses its control characters,
// which x/term would show unchanged.
type keys struct {
	in      io.Reader
	pasting bool
	last    []byte // the last six bytes, to find where a paste begins and ends
	open    int    // bytes of the unfinished control sequence
	partial []byte // bytes of an incomplete character
	ready   []byte

	interrupted bool // Ctrl-C was pressed
}

// maxSequence is the most bytes of a control sequence. x/term waits for the end, and would loop forever on one that is
// longer than its buffer.
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
		k.interrupted = true
		k.add(keyInterrupt, '\r')
	case k.pasting && b == '\t':
		k.add([]byte("    ")...) // x/term cannot show tabs
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

// add passes bytes on, without invalid UTF-8 and replacement characters: x/term would take those for an incomplete
// character and wait for the rest.
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

// echo writes what x/term shows. Characters that drive the terminal become replacement characters, which are as wide;
// ASCII control sequences are x/term's own.
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
