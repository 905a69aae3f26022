package runtime

import (
	"bytes"
	"slices"
	"unicode/utf8"
	"unsafe"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/plaintext"
	"github.com/toolrun/toolrun/internal/utf8text"
)

// output collects the console and the result within the output limit. It counts bytes of UTF-8, and what the entries
// take beside them.
type output struct {
	left      int // how many bytes may still come
	reserved  int // how many of them are kept for the result
	console   []Entry
	truncated int64
	library   string // whose entries come now; empty for the script's

	raw      []byte // what has been printed of a line: valid UTF-8
	rawLevel Level
	tail     []byte // of what has been printed, the beginning of a character
	invalid  bool   // raw ends with a U+FFFD that stands for what is not UTF-8
}

// entryOverhead is what an entry takes beside its text: the entry itself, and what is lost where its text lies. A flood
// of empty ones is bounded by what it holds.
const entryOverhead = int(unsafe.Sizeof(Entry{})) + 8

// resultShare is the part of the limit that the console leaves for the result: one in so many bytes.
const resultShare = 4

// limitOutput makes an output for a limit.
func limitOutput(limit int) output { return output{left: limit, reserved: limit / resultShare} }

// room is how many bytes the next text of the console may have.
func (o *output) room() int { return max(0, o.left-o.reserved) }

// used says whether anything has been printed.
func (o *output) used() bool { return len(o.console) > 0 || o.begun() || o.truncated > 0 }

// spend counts what the console takes. It never takes what is kept for the result.
func (o *output) spend(n int) { o.left -= min(n, o.room()) }

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

// print writes what may be all of the script's memory to the console.
func (in *instance) print(level Level, data []byte) error {
	for part := range slices.Chunk(data, quickjs.PieceSize) {
		if err := in.spend(len(part)); err != nil {
			return err
		}
		in.run.output.write(level, part)
	}
	return nil
}

// write adds what is printed in pieces that need not be lines, nor whole characters: each line becomes an entry.
func (o *output) write(level Level, data []byte) {
	if level != o.rawLevel {
		o.flush()
		o.rawLevel = level
	}
	for len(data) > 0 {
		if !o.begun() && o.room() == 0 {
			o.truncated += int64(len(data)) // without a look at what may be millions of lines
			return
		}
		line, rest, ended := bytes.Cut(data, []byte("\n"))
		n := min(len(line), o.room())
		o.truncated += int64(len(line) - n)
		o.add(line[:n])
		if ended {
			o.endLine()
		}
		data = rest
	}
}

// begun says whether there is a line that has not ended.
func (o *output) begun() bool { return len(o.raw)+len(o.tail) > 0 }

// add adds to the line. As strings.ToValidUTF8 does, it makes one U+FFFD of bytes in a row that are not UTF-8.
func (o *output) add(data []byte) {
	if len(o.tail) > 0 && len(data) > 0 {
		data = append(o.tail, data...)
		o.tail = nil
	}
	whole := len(data) - utf8text.Incomplete(utf8text.View(data))
	if whole < len(data) {
		o.tail = bytes.Clone(data[whole:])
	}
	o.addValid(data[:whole])
}

func (o *output) addValid(data []byte) {
	before := len(o.raw)
	if utf8.Valid(data) {
		o.raw = append(o.raw, data...)
		o.invalid = o.invalid && len(data) == 0
	} else {
		for len(data) > 0 {
			r, n := utf8.DecodeRune(data)
			invalid := r == utf8.RuneError && n == 1
			if !invalid || !o.invalid {
				o.raw = utf8.AppendRune(o.raw, r)
			}
			o.invalid, data = invalid, data[n:]
		}
	}
	o.spend(len(o.raw) - before)
}

// shortLine is up to how many bytes of a line are copied into its entry.
const shortLine = 4 << 10

// endLine makes an entry of the line that has been printed.
func (o *output) endLine() {
	if !o.begun() && o.room() == 0 {
		o.truncated++
		return
	}
	tail := o.tail
	o.tail = nil
	o.addValid(tail)
	entry := Entry{Level: o.rawLevel, Library: o.library}
	if len(o.raw) <= shortLine {
		entry.Text = string(o.raw)
		o.raw = o.raw[:0]
	} else {
		entry.Text = utf8text.View(o.raw)
		o.raw = nil
	}
	o.invalid = false
	o.console = append(o.console, entry)
	o.spend(entryOverhead)
}

// flush ends the line that has been begun, if there is one.
func (o *output) flush() {
	if o.begun() {
		o.endLine()
	}
}
