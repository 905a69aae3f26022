package runtime

import (
	"bytes"
	"strings"

	"github.com/toolrun/toolrun/internal/plaintext"
)

// output collects the console and the result within the output limit. It counts bytes of UTF-8.
type output struct {
	left      int // how many bytes may still come
	reserved  int // how many of them are kept for the result
	console   []Entry
	truncated int64
	library   string // whose entries come now; empty for the script's

	raw      []byte // what has been printed of a line
	rawLevel Level
}

// entryOverhead is what an entry costs beside its text, so that a flood of empty ones is bounded too.
const entryOverhead = 8

// resultShare is the part of the limit that the console leaves for the result: one in so many bytes.
const resultShare = 4

// limitOutput makes an output for a limit.
func limitOutput(limit int) output { return output{left: limit, reserved: limit / resultShare} }

// room is how many bytes the next text of the console may have.
func (o *output) room() int { return max(0, o.left-o.reserved) }

// used says whether anything has been printed.
func (o *output) used() bool { return len(o.console)+len(o.raw) > 0 || o.truncated > 0 }

func (o *output) spend(n int) { o.left = max(0, o.left-n) }

// result takes the result into account, of which cut bytes have been left out. What it does not need of its reserve,
// the console may have from now on.
func (o *output) result(text string, cut int) {
	o.reserved = 0
	o.spend(len(text))
	o.truncated += int64(cut)
}

// log adds a console entry. Its text is no longer than room; cut bytes of it have been left out.
func (o *output) log(level Level, text string, cut int) {
	o.flush()
	if o.room() == 0 {
		o.truncated += int64(cut) + 1 // the end of the line
		return
	}
	o.truncated += int64(cut)
	o.console = append(o.console, Entry{Level: level, Text: text, Library: o.library})
	o.spend(len(text) + entryOverhead)
}

// begin says whose entries come from now on.
func (o *output) begin(library string) {
	o.flush()
	o.library = library
}

// print adds a console entry of any length.
func (o *output) print(level Level, text string) {
	n := len(text)
	if n > o.room() {
		n = plaintext.Boundary(text, o.room())
	}
	o.log(level, text[:n], len(text)-n)
}

// write adds what is printed in pieces that need not be lines: each line becomes an entry.
func (o *output) write(level Level, data []byte) {
	if level != o.rawLevel {
		o.flush()
		o.rawLevel = level
	}
	for len(data) > 0 {
		if len(o.raw) == 0 && o.room() == 0 {
			o.truncated += int64(len(data)) // without a look at what may be millions of lines
			return
		}
		line, rest, ended := bytes.Cut(data, []byte("\n"))
		n := min(len(line), o.room())
		o.truncated += int64(len(line) - n)
		o.raw = append(o.raw, line[:n]...)
		o.spend(n)
		if ended {
			o.endLine()
		}
		data = rest
	}
}

// endLine makes an entry of the line that has been printed.
func (o *output) endLine() {
	if len(o.raw) == 0 && o.room() == 0 {
		o.truncated++
		return
	}
	o.console = append(o.console, Entry{Level: o.rawLevel, Text: strings.ToValidUTF8(string(o.raw), "\ufffd"), Library: o.library})
	o.spend(entryOverhead)
	o.raw = o.raw[:0]
}

// flush ends the line that has been begun, if there is one.
func (o *output) flush() {
	if len(o.raw) > 0 {
		o.endLine()
	}
}
