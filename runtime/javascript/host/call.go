package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/utf8text"
	"github.com/toolrun/toolrun/runtime"
)

// maxArguments is how many arguments of a call the host looks at.
const maxArguments = 8

// maxName is the longest name or label that the host looks at, in bytes.
const maxName = 256

// MaxPath is the longest path that the host accepts, in bytes.
const MaxPath = 4096

// A Value is a value of the script.
type Value = quickjs.Value

// PieceSize is how many bytes a function works on at most before it calls [Call.Spend] again.
const PieceSize = runtime.PieceSize

// ErrSuspend is what a function returns that has no answer yet.
var ErrSuspend = runtime.ErrSuspend

// ErrNoMemory means that the script's memory does not suffice.
var ErrNoMemory = quickjs.ErrNoMemory

// A Call is a call of a function by the sandbox, with its arguments by index. A hostile script may have chosen them:
// one that is missing or of the wrong type reads as zero or nothing, and makes the call fail, unless its method says
// otherwise. So a function may go on with what it got, as long as that does no harm.
//
// A call is of one goroutine, and lasts until its function returns. Bytes of arguments are the script's own memory:
// functions that go on elsewhere (see [Await]) must work on copies.
type Call struct {
	*Engine

	// Attachment has bytes for the script beside the result, which its JavaScript can fetch by host('attachment').
	// It stays until a call replaces or fetches it.
	Attachment []byte

	ctx    context.Context
	values [maxArguments]Value
	first  int // of the values that are arguments
	count  int // of values
	result Value
	err    error
}

// A Runner drives the sandbox, and knows of the run what only some functions ask for.
type Runner interface {
	// Assertion returns the assertion, as it is written, at the first frame of the stack that was captured since it was
	// last asked for; empty if there is none.
	Assertion() string

	// Exception takes the exception that the script has thrown, and returns the error that ends the run.
	Exception() error

	// Stdin returns the standard input, or nil if there is none.
	Stdin() io.Reader

	// Effect is called before a function with an effect is. An error ends the run.
	Effect() error

	// Files returns the run's files. An error ends the run.
	Files(use FileUse) (afero.Fs, error)
}

// A FileUse is what a function does with files.
type FileUse int

const (
	Witnesses FileUse = iota // its result follows from Stat, of a missing path only, and from reading whole files
	Reads
	Changes
)

// Ended reports whether an error says that the run is over.
func Ended(err error) bool {
	_, is := errors.AsType[*runtime.Stop](err)
	return is
}

// serve answers a call of the primitive by the function that it names.
func (s *Set) serve(c *Call) {
	name, wide, _ := c.VM.Units(c.Value(-1))
	var f function
	if !wide && len(name) <= maxName {
		f = s.functions[string(name)]
	}
	switch {
	case f.serve == nil:
		c.Fail(Errorf("unknown function of the host"))
	case !f.effect || !c.Fail(c.Runner.Effect()):
		f.serve(c)
	}
}

// Context returns the context of the engine's call, which is that of the run.
func (c *Call) Context() context.Context { return c.ctx }

// Value returns an argument, whatever it is, or undefined.
func (c *Call) Value(i int) Value {
	if i += c.first; i < c.count {
		return c.values[i]
	}
	return quickjs.Undefined
}

// Has reports whether an argument is there and not undefined.
func (c *Call) Has(i int) bool { return c.Value(i) != quickjs.Undefined }

// Flag reports whether an argument is true or 1.
func (c *Call) Flag(i int) bool { return c.Value(i) == quickjs.True || c.Value(i) == quickjs.Int(1) }

// Int returns an argument, and whether it is an integer of 32 bits; otherwise it is 0.
func (c *Call) Int(i int) (int, bool) {
	n, ok := c.Value(i).Int()
	if !ok {
		return 0, false
	}
	return int(n), true
}

// Number returns an argument that is an integer of 32 bits.
func (c *Call) Number(i int) int {
	n, ok := c.Int(i)
	if !ok {
		c.Fail(Errorf("the argument must be an integer"))
	}
	return n
}

// Size returns an argument that is how many bytes the script wants, which must fit into its memory.
func (c *Call) Size(i int) int {
	size := c.Number(i)
	switch {
	case size < 0:
		c.Fail(Errorf("the size must be a number of bytes"))
	case size > c.MemoryLimit():
		c.Fail(quickjs.ErrNoMemory)
	default:
		return size
	}
	return 0
}

// Name returns a name or a label.
func (c *Call) Name(i int) string { return c.ShortText(i, maxName) }

// ShortText returns a text of at most limit bytes. It is empty if the argument is anything else.
func (c *Call) ShortText(i, limit int) string {
	if text, cut, _ := c.Prefix(i, limit); cut == 0 {
		return text
	}
	return ""
}

// Text returns a text of at most limit bytes. Lone surrogates become U+FFFD.
func (c *Call) Text(i, limit int) string {
	text, cut, ok := c.Prefix(i, limit)
	switch {
	case !ok:
		c.Fail(errNoText)
	case cut > 0:
		c.Fail(&Failure{Name: "RangeError", Message: "the text is longer than " + amount(limit)})
	default:
		return text
	}
	return ""
}

// Prefix returns at most limit bytes of a text, and how many bytes were left out. It is false if the argument is no
// text.
func (c *Call) Prefix(i, limit int) (text string, cut int, ok bool) {
	return c.VM.String(c.Value(i), limit)
}

// UTF8 is [Call.Text] as bytes, which are the function's own. The error, with which the call has not failed yet, is
// [ErrNoMemory] if they are more than the script has memory.
func (c *Call) UTF8(i int) ([]byte, error) {
	text, cut, ok := c.VM.UTF8(c.Value(i), c.MemoryLimit())
	switch {
	case !ok:
		return nil, errNoText
	case cut > 0:
		return nil, ErrNoMemory
	}
	return text, nil
}

var errNoText = Errorf("the argument must be a string")

func amount(bytes int) string {
	switch {
	case bytes >= 1<<20:
		return fmt.Sprintf("%d MiB", bytes>>20)
	case bytes >= 1<<10:
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return strconv.Itoa(bytes) + " bytes"
}

// Units returns the code units of a text, one byte for each or, if wide, two, as they lie in the script's memory.
func (c *Call) Units(i int) (units []byte, wide bool) {
	units, wide, ok := c.VM.Units(c.Value(i))
	if !ok {
		c.Fail(errNoText)
	}
	return units, wide
}

// IsBuffer reports whether an argument is an ArrayBuffer or a SharedArrayBuffer.
func (c *Call) IsBuffer(i int) bool {
	_, ok := c.VM.ArrayBuffer(c.Value(i))
	return ok
}

// Bytes returns the content of a buffer, as the script's own memory.
func (c *Call) Bytes(i int) []byte {
	data, ok := c.VM.ArrayBuffer(c.Value(i))
	if !ok {
		c.Fail(Errorf("the bytes must be an ArrayBuffer"))
	}
	return data
}

// View returns a part of a buffer, as the script's own memory. It is given by three arguments: the buffer, an offset
// and a length.
func (c *Call) View(i int) []byte {
	memory, ok := c.VM.ArrayBuffer(c.Value(i))
	offset, ok1 := c.Int(i + 1)
	length, ok2 := c.Int(i + 2)
	if !ok || !ok1 || !ok2 || offset < 0 || length < 0 || offset > len(memory) || length > len(memory)-offset {
		c.Fail(Errorf("the bytes must be an ArrayBuffer or a view of one"))
		return nil
	}
	return memory[offset : offset+length]
}

// Spend charges work on so many bytes, before it is done, in pieces of some 64 KiB. If it returns an error, the run is
// over, and so must the work be.
func (c *Call) Spend(bytes int) error {
	err := c.Instance.Spend(bytes)
	c.Fail(err)
	return err
}

// MemoryLimit returns how much memory the script may have, in bytes.
func (c *Call) MemoryLimit() int { return int(c.Run().Limits().Memory) }

// Await runs f on a goroutine of its own, which it leaves behind if the run ends before f does. f must touch neither
// the call nor bytes of the script's memory.
func Await[T any](c *Call, f func() (T, error)) (T, error) { return runtime.Await(c.Run(), f) }

// longText is the longest text on which the host works without a goroutine of its own, which can be left behind when
// the run ends, in bytes.
const longText = 64 << 10

// OnText runs f, which works on so many bytes of text: as [Await] does, if these are many.
func OnText[T any](r *runtime.Run, bytes int, f func() T) (T, error) {
	if bytes <= longText {
		return f(), nil
	}
	return runtime.Await(r, func() (T, error) { return f(), nil })
}

// End ends the run for an error.
func (c *Call) End(err error) { c.Fail(&runtime.Stop{Err: err}) }

// Fail makes the call fail, unless err is nil, and reports whether it has failed now or before. The first error counts:
// if it is a [*Failure], the script gets an exception; if the script's memory is exhausted, the run ends for that; any
// other ends the run as an error of the host.
func (c *Call) Fail(err error) bool {
	if c.err == nil {
		c.err = err
	}
	return c.err != nil
}

// Return makes value the result of the call, unless it has failed or err is not nil: then it fails (see [Call.Fail]).
// Nil becomes undefined, a string, a boolean and a number what they are in JavaScript, bytes a new ArrayBuffer, and a
// [Value] itself. Anything else crosses as JSON.
func (c *Call) Return(value any, err error) {
	if c.Fail(err) {
		return
	}
	switch v := value.(type) {
	case nil:
	case Value:
		c.result = v
	case bool:
		c.result = quickjs.Bool(v)
	case int:
		if c.result = quickjs.Int(int32(v)); v != int(int32(v)) {
			c.result = quickjs.Number(float64(v))
		}
	case float64:
		c.result = quickjs.Number(v)
	case string:
		c.result, c.err = c.VM.NewString(c.ctx, v)
	case []byte:
		c.result, c.err = c.VM.NewArrayBuffer(c.ctx, v)
	default:
		if text, err := jsontree.Marshal(v); !c.Fail(err) {
			c.ReturnJSON(utf8text.View(text))
		}
	}
}

// ReturnJSON makes the value of a JSON text the result.
func (c *Call) ReturnJSON(text string) {
	if c.err == nil {
		c.result, c.err = c.VM.ParseJSON(c.ctx, text)
	}
}

// ReturnValue is [Call.Return] of a value of the script.
func (c *Call) ReturnValue(v Value, err error) {
	if !c.Fail(err) {
		c.result = v
	}
}

// ReturnFilled makes a new ArrayBuffer of some size the result. fill writes all of it, and must not keep the memory.
func (c *Call) ReturnFilled(size int, fill func(memory []byte) error) {
	if c.err == nil {
		c.result, c.err = c.VM.FillArrayBuffer(c.ctx, size, fill)
	}
}

// A Failure is an error for the script: it becomes an exception there.
type Failure struct {
	Name, Message string
	Code, Path    string // empty for none

	// What has failed in the system, and the number of the error there; 0 if nothing has.
	Syscall string
	Errno   int
}

func (f *Failure) Error() string { return f.Message }

// JSON returns the failure as kernel.makeError expects it: [name, message, code, path, syscall, errno], with null for a
// missing part. The last two can be missing altogether.
func (f *Failure) JSON() string {
	fields := []any{f.Name, f.Message, nil, nil}
	if f.Code != "" {
		fields[2] = f.Code
	}
	if f.Path != "" {
		fields[3] = f.Path
	}
	if f.Errno != 0 {
		fields = append(fields, f.Syscall, f.Errno)
	}
	text, err := json.Marshal(fields)
	must(err) // strings can always be marshalled
	return string(text)
}

// Errorf returns a TypeError.
func Errorf(format string, args ...any) *Failure {
	return &Failure{Name: "TypeError", Message: fmt.Sprintf(format, args...)}
}
