package recording

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// ErrTooLarge means that a recording has become larger than it may be. It ends there, and cannot be played back.
var ErrTooLarge = errors.New("the recording is too large, and ends early")

// Options configure a [Recorder], and how a recording is read. The zero value has safe defaults.
type Options struct {
	// Bytes is how large the recording may be. Zero means [DefaultBytes].
	Bytes int64
}

func (o *Options) bytes() int64 {
	if o == nil || o.Bytes <= 0 {
		return DefaultBytes
	}
	return o.Bytes
}

// A Recorder writes a recording. It implements runtime.Tape. It is safe for concurrent use, but the files, the tape and
// the standard input of one recorder belong to one call.
type Recorder struct {
	most   int64
	single bool // one call is recorded, and not a conversation

	mu     sync.Mutex
	w      *bufio.Writer
	err    error // the first one
	cut    bool
	ended  bool
	size   int64
	lines  int
	calls  int
	shared map[[sha256.Size]byte]int // lines by what data they have
	open   line                      // with numbers, not written yet
	last   int64                     // the last of them
}

// NewRecorder begins a recording. Errors of w come from [Recorder.End]. Nil options mean the defaults.
func NewRecorder(w io.Writer, header Header, options *Options) *Recorder {
	r := &Recorder{
		most: options.bytes(), single: header.Tool != "", w: bufio.NewWriter(w), shared: map[[sha256.Size]byte]int{},
	}
	r.write(&line{Kind: kindHeader, Version: version, Header: &header})
	return r
}

// write writes a line. The caller holds the lock, except at first.
func (r *Recorder) write(l *line) {
	r.flush()
	r.put(l)
}

func (r *Recorder) put(l *line) {
	if r.err != nil || r.cut || r.ended {
		return
	}
	var text []byte
	tooLarge := l.Result.size() > maxLine // without encoding it
	if !tooLarge {
		var err error
		if text, err = json.Marshal(l); err != nil {
			r.err = err
			return
		}
	}
	r.lines++
	if r.size += int64(len(text)) + 1; r.size > r.most || len(text) > maxLine || tooLarge {
		r.cut = true
		text = []byte(`{"k":"` + kindCut + `"}`)
	}
	if _, err := r.w.Write(append(text, '\n')); err != nil {
		r.err = err
	}
}

// flush writes the numbers that are not written yet.
func (r *Recorder) flush() {
	if len(r.open.Numbers) > 0 {
		l := r.open
		r.open = line{}
		r.put(&l)
	}
}

// bytes puts data into a line.
func (r *Recorder) bytes(l *line, data []byte) {
	if len(data) >= leastShared {
		sum := sha256.Sum256(data)
		if at, ok := r.shared[sum]; ok {
			l.As = at
			return
		}
		r.flush()
		r.shared[sum] = r.lines + 1
	}
	if utf8.Valid(data) {
		text := string(data)
		l.Text = &text
		return
	}
	l.Data = slices.Clone(data)
}

// isClock reports whether numbers of a kind are those of a clock, of which differences are small.
func isClock(kind string) bool { return kind == "clock" || kind == "ticks" }

// Number implements runtime.Tape.
func (r *Recorder) Number(kind string, live func() (int64, error)) (int64, error) {
	n, err := live()
	if err != nil {
		return n, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open.Kind != kind || len(r.open.Numbers) >= maxNumbers {
		r.flush()
		r.open = line{Kind: kind}
		r.last = 0
	}
	number := n
	if isClock(kind) {
		number -= r.last
		r.last = n
	}
	r.open.Numbers = append(r.open.Numbers, number)
	return n, nil
}

// Fill implements runtime.Tape.
func (r *Recorder) Fill(kind string, data []byte, live func([]byte)) error {
	live(data)
	r.mu.Lock()
	defer r.mu.Unlock()
	l := &line{Kind: kind}
	r.bytes(l, data)
	r.write(l)
	return nil
}

// Replays implements runtime.Tape.
func (r *Recorder) Replays() bool { return false }

// value implements deck.
func (r *Recorder) value(kind, about string, live func() (any, error)) (any, error) {
	v, err := live()
	r.mu.Lock()
	defer r.mu.Unlock()
	l := &line{Kind: kind, About: about, Error: newFailure(err)}
	if err == nil && v != nil {
		text, failed := json.Marshal(v)
		if failed != nil && r.err == nil {
			r.err = failed
		}
		l.Value = text
	}
	r.write(l)
	return v, err
}

// transfer implements deck.
func (r *Recorder) transfer(kind, about string, data []byte, live func([]byte) (int, error)) (int, error) {
	var given []byte
	if kind == kindWrite {
		given = slices.Clone(data) // which live may change, whatever it promises
	}
	n, err := live(data)
	r.mu.Lock()
	defer r.mu.Unlock()
	l := &line{Kind: kind, About: about, Error: newFailure(err)}
	if kind == kindWrite {
		r.bytes(l, given)
		l.Value = fmt.Append(nil, n)
	} else {
		r.bytes(l, data[:max(0, min(n, len(data)))])
	}
	r.write(l)
	return n, err
}

// Files returns files that are recorded: a view that calls can get.
func (r *Recorder) Files(files afero.Fs) afero.Fs {
	if files == nil {
		return nil
	}
	return newFiles(r, files)
}

// Stdin returns standard input that is recorded. Nil stays nil.
func (r *Recorder) Stdin(from io.Reader) io.Reader {
	if from == nil {
		return nil
	}
	return stdin{r, from}
}

// Middleware records the calls that the recorded call makes, or, if the header names no tool, all calls.
func (r *Recorder) Middleware(next registry.Handler) registry.Handler {
	return func(ctx context.Context, call tool.Call, env registry.Env) tool.Result {
		if call.Parent == "" && r.single {
			return next(ctx, call, env)
		}
		env.Files = liveFiles(env.Files) // they are no part of what the caller sees
		r.mu.Lock()
		r.calls++
		number := r.calls
		r.write(&line{Kind: kindCall, Number: number, Of: call.Number, Tool: call.Tool, Input: string(call.Input)})
		r.mu.Unlock()
		result := next(ctx, call, env)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.write(&line{Kind: kindAnswer, Number: number, Result: newOutcome(result)})
		return result
	}
}

// End ends the recording, with the result of the call that is recorded; nil for a conversation. What comes later is not
// recorded. The error is that of the writer, or [ErrTooLarge].
func (r *Recorder) End(result *tool.Result) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if result != nil {
		r.write(&line{Kind: kindResult, Result: newOutcome(*result)})
	}
	r.flush()
	r.put(&line{Kind: kindEnd, Lines: r.lines + 1})
	r.ended = true
	if err := r.w.Flush(); r.err == nil {
		r.err = err
	}
	if r.err == nil && r.cut {
		return ErrTooLarge
	}
	return r.err
}
