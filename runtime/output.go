package runtime

import "strings"

// output collects the console and the result within the output limit. It counts bytes of UTF-8.
type output struct {
	left      int // how many bytes may still come, or Unlimited
	console   []Entry
	truncated int64

	raw      []byte // what the engine itself has printed since the last entry
	rawLevel Level
}

// entryOverhead is what an entry costs beside its text, so that a flood of empty ones is bounded too.
const entryOverhead = 8

// room is how many bytes the next text may have.
func (o *output) room() int {
	if o.left == Unlimited {
		return int(^uint(0) >> 1)
	}
	return o.left
}

func (o *output) spend(n int) {
	if o.left != Unlimited {
		o.left = max(0, o.left-n)
	}
}

// log adds a console entry. Its text is no longer than room; cut bytes of it have been left out.
func (o *output) log(level Level, text string, cut int) {
	o.flush()
	if o.room() == 0 {
		o.truncated += int64(cut) + 1 // the end of the line
		return
	}
	o.truncated += int64(cut)
	o.console = append(o.console, Entry{level, text})
	o.spend(len(text) + entryOverhead)
}

// write adds what the engine itself prints, in pieces that need not be lines.
func (o *output) write(level Level, data []byte) {
	if level != o.rawLevel {
		o.flush()
		o.rawLevel = level
	}
	n := min(len(data), o.room())
	o.truncated += int64(len(data) - n)
	o.raw = append(o.raw, data[:n]...)
	o.spend(n)
}

// flush makes an entry of what the engine has printed.
func (o *output) flush() {
	if len(o.raw) > 0 {
		text := strings.TrimSuffix(strings.ToValidUTF8(string(o.raw), "\ufffd"), "\n")
		o.console = append(o.console, Entry{o.rawLevel, text})
		o.raw = o.raw[:0]
	}
}
