package runtime

import (
	"bytes"
	"slices"
	"unicode/utf8"
	"unsafe"

	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/internal/text/utf8text"
)

// An Output collects the console and the result of a run within its output limit. It counts bytes of UTF-8, and the
// memory that entries take beside their text. Only the goroutine that drives the run may use it.
type Output struct {
	left      int // how many bytes may still come
	reserved  int // bytes of them kept for the result
	console   []Entry
	truncated int64
	pictures  []Picture
	live      *live
	library   string // which is printing; empty for the script itself
	used      bool   // something was printed, perhaps nothing

	raw      []byte // the unfinished line: valid UTF-8
	rawLevel Level
	tail     []byte // the beginning of a character that is not complete yet
	lost     []byte // the end of what was left out of raw output
	invalid  bool   // raw ends with a U+FFFD for invalid bytes
}

// entryOverhead is the memory that an entry takes beside its text, in bytes. It bounds a flood of empty entries.
const entryOverhead = int(unsafe.Sizeof(Entry{})) + 8

// The console leaves one byte in resultShare of the limit for the result.
const resultShare = 4

// limitOutput makes an output for a limit.
func limitOutput(limit int) Output { return Output{left: limit, reserved: limit / resultShare} }

// restore adds what has been printed before the run, and shown.
func (o *Output) restore(console []Entry, truncated int64, pictures []Picture) {
	for _, e := range console {
		o.spend(len(e.Text))
		o.append(e)
	}
	o.truncated = truncated
	for _, p := range pictures {
		o.Show(p)
	}
}

// Left returns the largest size of a result in bytes.
func (o *Output) Left() int { return o.left }

// Room returns the largest size of the next console text in bytes.
func (o *Output) Room() int { return max(0, o.left-o.reserved) }

// Used reports whether anything has been printed, even if that was nothing.
func (o *Output) Used() bool { return o.used || len(o.console) > 0 || o.begun() || o.truncated > 0 }

// spend counts the console's memory. It never uses the part reserved for the result.
func (o *Output) spend(n int) { o.left -= min(n, o.Room()) }

// Result counts the result, of which cut bytes were left out. The console may use what the result leaves of its
// reserve.
func (o *Output) Result(text string, cut int) {
	o.reserved = 0
	o.spend(len(text))
	o.truncated += int64(cut)
}

// Log adds a console entry. Its text must not be longer than Room; cut bytes of it were left out.
func (o *Output) Log(level Level, text string, cut int) {
	o.flush()
	if o.Room() == 0 {
		o.truncated += int64(cut) + 1 // the end of the line
		return
	}
	o.truncated += int64(cut)
	o.spend(len(text))
	o.append(Entry{Level: level, Text: text, Library: o.library})
}

func (o *Output) append(e Entry) {
	o.console = append(o.console, e)
	o.spend(entryOverhead)
	o.live.add(e)
}

// Begin names the library that the following entries come from; empty means the script itself.
func (o *Output) Begin(library string) {
	o.flush()
	o.library = library
}

// Print adds a console entry of any length.
func (o *Output) Print(level Level, text string) {
	n := len(text)
	if n > o.Room() {
		n = plaintext.Boundary(text, o.Room())
	}
	o.Log(level, text[:n], len(text)-n)
}

// Print writes data, which can be as large as the guest's memory, to the console: each line becomes an entry.
func (in *Instance) Print(level Level, data []byte) error {
	in.run.output.used = true
	for part := range slices.Chunk(data, PieceSize) {
		if err := in.Spend(len(part)); err != nil {
			return err
		}
		in.run.output.write(level, part)
	}
	return nil
}

// PrintLast prints what a guest that was stopped has not handed over, as Print does. It counts no work, of which there
// may be none left, so there should be little data.
func (in *Instance) PrintLast(level Level, data []byte) { in.run.output.write(level, data) }

// write prints data, which may end within a line or a character. Each line becomes an entry.
func (o *Output) write(level Level, data []byte) {
	if level != o.rawLevel {
		o.flush()
		o.rawLevel = level
	}
	for len(data) > 0 {
		if !o.begun() && o.Room() == 0 {
			o.truncated += int64(len(data)) // without a look at what may be millions of lines
			o.lose(data)
			return
		}
		line, rest, ended := bytes.Cut(data, []byte("\n"))
		n := min(len(line), o.Room())
		if n < len(line) {
			o.truncated += int64(len(line) - n)
			o.lose(data[n : len(data)-len(rest)])
		}
		o.add(line[:n])
		if ended {
			o.endLine(true)
		} else if len(o.raw) >= longLine {
			o.entry(false)
		}
		data = rest
	}
	o.live.begin(Entry{Level: o.rawLevel, Library: o.library}, o.raw)
}

// begun reports whether a line is unfinished.
func (o *Output) begun() bool { return len(o.raw)+len(o.tail) > 0 }

// add adds to the line. Like strings.ToValidUTF8, it replaces each run of invalid bytes by one U+FFFD.
func (o *Output) add(data []byte) {
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

func (o *Output) addValid(data []byte) {
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

// Lines of at most shortLine bytes are copied into their entries.
const shortLine = 4 << 10

// A line of longLine bytes is the text of several entries, of which the first are unfinished: what grows on is not
// copied again and again.
const longLine = 1 << 20

// endLine makes an entry of the line. It has ended by a newline, or else it stays unfinished.
func (o *Output) endLine(newline bool) {
	if !o.begun() && o.Room() == 0 {
		o.truncated++
		return
	}
	tail := o.tail
	o.tail = nil
	o.addValid(tail)
	o.entry(newline)
	o.invalid = false
}

// entry makes an entry of what the line has so far, but for an incomplete character.
func (o *Output) entry(newline bool) {
	entry := Entry{Level: o.rawLevel, Unfinished: !newline, Library: o.library}
	if len(o.raw) <= shortLine {
		entry.Text = string(o.raw)
		o.raw = o.raw[:0]
	} else {
		entry.Text = utf8text.View(o.raw)
		o.raw = nil
	}
	o.append(entry)
}

// Library returns the name of the last Begin.
func (o *Output) Library() string { return o.library }

// Cut counts bytes that were left out.
func (o *Output) Cut(bytes int) { o.truncated += int64(bytes) }

// Show keeps a picture, and returns its number, from 1. It is 0 if there is no room for it.
func (o *Output) Show(p Picture) int {
	size := len(p.Data)
	for _, other := range o.pictures {
		size += len(other.Data)
	}
	if len(o.pictures) == MaxPictures || size > MaxPictured {
		return 0
	}
	o.pictures = append(o.pictures, p)
	return len(o.pictures)
}

// Pictures returns what Show has kept.
func (o *Output) Pictures() []Picture { return o.pictures }

// End makes an entry of an unfinished line, and returns the console and how many bytes were left out.
func (o *Output) End() (console []Entry, truncated int64) {
	o.flush()
	return o.console, o.truncated
}

// flush makes an entry of an unfinished line.
func (o *Output) flush() {
	if o.begun() {
		o.endLine(false)
	}
}

// lastWords returns the last entries of the console, for the error of a guest that cannot start.
func (o *Output) lastWords() string {
	const most = 10
	console, _ := o.End()
	text := ""
	for _, entry := range console[max(0, len(console)-most):] {
		text += "\n" + entry.Text
	}
	return text
}
