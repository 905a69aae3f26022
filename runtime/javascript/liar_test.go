package javascript

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"

	"github.com/toolrun/toolrun/guest/quickjs"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// A liar is a guest that has been taken over as a whole: a module with the exports of the engine, which answer
// anything, change memory, and call what they can import with any arguments. A tape of bytes says what they do.
type liar struct {
	t    testing.TB
	in   *instance
	tape []byte
	at   int
	loop bool   // the tape begins again at its end
	next uint32 // where there is free memory
	last uint32 // what has been made there last
	done int    // steps
}

const (
	liarPages    = 20        // of the memory at first
	liarSteps    = 400       // how much it does before it traps
	liarFree     = 64 << 10  // from where on it makes things
	liarEnd      = 512 << 10 // up to where
	answerModule = "liar"    // has the function of this side that answers
)

// liarDriver drives it: as the JavaScript engine, but for the start.
type liarDriver struct {
	*instance
	liar *liar // nil when the image is made
}

func (d *liarDriver) Start() error  { return nil }
func (d *liarDriver) State() any    { return &imageState{} }
func (d *liarDriver) Idle() bool    { return false }
func (d *liarDriver) Verify() error { return nil }

func (d *liarDriver) Resume(state any) error {
	d.session, d.image = session{}, state.(*imageState)
	return nil
}

// liarProgram is the guest in the engine for tests.
var liarProgram = sync.OnceValues(func() (*sandbox.Program, error) {
	engine, err := hostEngine()
	if err != nil {
		return nil, err
	}
	guest, err := newGuest()
	if err != nil {
		return nil, err
	}
	guest.Name, guest.DecodeState = "liar", nil
	guest.Module = func() ([]byte, error) { return liarModule(), nil }
	guest.Digest = sha256.Sum256(liarModule())
	guest.New = func(in *sandbox.Instance) (sandbox.Driver, error) {
		return &liarDriver{instance: newInstance(in)}, nil
	}
	guest.Imports[0].Call = func(ctx context.Context, in *sandbox.Instance, stack []uint64) {
		in.Driver().(*liarDriver).called(ctx, stack)
	}
	guest.Imports = append(guest.Imports, sandbox.Import{
		Module: answerModule, Name: "answer",
		Params:  append([]api.ValueType{i32}, slices.Repeat([]api.ValueType{i64}, liarParams)...),
		Results: []api.ValueType{i64},
		Call: func(ctx context.Context, in *sandbox.Instance, stack []uint64) {
			stack[0] = in.Driver().(*liarDriver).liar.answer(ctx, int(api.DecodeU32(stack[0])), stack[1:])
		},
	})
	return engine.engine.Load(context.Background(), guest)
})

// newLiar makes an instance of it for a run.
func newLiar(t testing.TB, r *run, tape []byte) *liar {
	started, err := r.Start(nil)
	require.NoError(t, err)
	driver := started.Driver().(*liarDriver)
	driver.liar = &liar{t: t, in: driver.instance, tape: tape, next: liarFree}
	return driver.liar
}

// start gives it the state of an engine that has loaded the prelude.
func (l *liar) start(r *run) {
	var state quickjs.State
	fields, err := json.Marshal(map[string]any{"Runtime": l.address(), "Context": l.address(),
		"StackBase": l.address()})
	require.NoError(l.t, err)
	require.NoError(l.t, json.Unmarshal(fields, &state))
	l.in.VM, err = quickjs.Resume(l.in.Module(), state)
	require.NoError(l.t, err)
	l.in.Prelude = &quickjs.Prelude{}
	l.in.begin(r)
}

// errTapeEnded is how the guest traps.
var errTapeEnded = errors.New("the tape has ended")

func (l *liar) byte() byte {
	if l.at >= len(l.tape) {
		if !l.loop {
			panic(errTapeEnded)
		}
		l.at = 0
	}
	l.at++
	return l.tape[l.at-1]
}

func (l *liar) bytes(n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = l.byte()
	}
	return out
}

func (l *liar) u32() uint32 { return binary.LittleEndian.Uint32(l.bytes(4)) }

// address is a pointer or a length.
func (l *liar) address() uint32 {
	switch kind := l.byte(); kind % 8 {
	case 0:
		return uint32(l.byte())
	case 1:
		return l.u32()
	case 2:
		return l.in.Module().Memory().Size() - uint32(l.byte())
	case 3:
		return -uint32(l.byte())
	case 4:
		return uint32(l.byte()) << 24
	case 5:
		return liarFree + uint32(l.byte())<<4
	default:
		return l.last
	}
}

// value is a JSValue.
func (l *liar) value() uint64 {
	kind := l.byte()
	switch kind % 16 {
	case 0, 1:
		return uint64(quickjs.Int(int32(l.byte())))
	case 2:
		return uint64(quickjs.Int(int32(l.address())))
	case 3:
		return uint64(quickjs.Undefined)
	case 4:
		return uint64(quickjs.Exception)
	case 5:
		return uint64(quickjs.True)
	case 6, 7, 8:
		return l.text(l.bytes(int(l.byte() % 32)))
	case 9:
		return l.text([]byte(pickFrom(l, liarWords)))
	case 10, 11:
		return l.buffer()
	case 12:
		return uint64(tagged(-1, l.address()))
	case 13:
		return uint64(tagged(-7, l.address()))
	case 14:
		return uint64(tagged(int32(int8(l.byte())), l.address()))
	default:
		return binary.LittleEndian.Uint64(l.bytes(8))
	}
}

func tagged(tag int32, pointer uint32) quickjs.Value {
	return quickjs.Value(uint64(uint32(tag))<<32 | uint64(pointer))
}

func pickFrom[T any](l *liar, from []T) T { return from[int(l.byte())%len(from)] }

// liarWords are texts that mean something to the host.
var liarWords = []string{
	"/a.txt", "/d", "/d/b.js", "/m.mjs", "/new/x", "/lib/l.js", "./a.txt", "fs", "node:path", "script.js", "qjs:std",
	"{}", "[]", "null", "[[1]]", `{"a":[1,"b"]}`,
	`{"kind":"error","name":"Error","message":"m","stack":"    at f (script.js:1:2)\n"}`, "base64", "utf16le", "utf-8",
	"shift_jis", "sha-256",
	"https://a.b/c?d#e", "1,2", "a", "1", "host", "href", "ReferenceError", "Buffer is not defined",
	"    at f (script.js:1:2)\n    at g (/d/b.js:1:80)",
}

// allocate makes room in the memory.
func (l *liar) allocate(n int) uint32 {
	if n < 0 || n > liarEnd-liarFree {
		return 0
	}
	n = (n + 15) &^ 15
	if l.next+uint32(n) > liarEnd {
		l.next = liarFree
	}
	l.last, l.next = l.next, l.next+uint32(n)
	return l.last
}

func (l *liar) write(at uint32, data []byte) { l.in.Module().Memory().Write(at, data) }

// text makes a string, which may not be what its header says.
func (l *liar) text(content []byte) uint64 {
	header := make([]byte, 20)
	length, flags := uint32(len(content)), uint32(0)
	switch kind := l.byte(); {
	case kind < 160:
	case kind < 192: // of units of 16 bits
		length = length/2 | 1<<31
	case kind < 224:
		length = l.address()
	default: // a slice
		flags = 1 << 29
		content = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, l.address()), l.address())
	}
	binary.LittleEndian.PutUint32(header[4:], length)
	binary.LittleEndian.PutUint32(header[8:], flags)
	at := l.allocate(len(header) + len(content) + 1)
	l.write(at, append(append(header, content...), 0))
	return uint64(tagged(-7, at))
}

// buffer makes an object with a class, most often an ArrayBuffer.
func (l *liar) buffer() uint64 {
	object := make([]byte, 48+32)
	at := l.allocate(len(object))
	class := uint16(19)
	if kind := l.byte(); kind > 192 {
		class = uint16(l.byte())
	}
	binary.LittleEndian.PutUint16(object[6:], class)
	binary.LittleEndian.PutUint32(object[32:], at+48)
	data, length := l.last, uint32(l.byte())
	if kind := l.byte(); kind > 192 {
		data, length = l.address(), l.address()
	}
	binary.LittleEndian.PutUint32(object[48:], length)
	binary.LittleEndian.PutUint32(object[48+12:], data)
	l.write(at, object)
	return uint64(tagged(-1, at))
}

// cString makes a text with a NUL at its end, most often.
func (l *liar) cString() uint32 {
	if l.byte() > 192 {
		return l.address()
	}
	word := pickFrom(l, liarWords)
	at := l.allocate(len(word) + 1)
	l.write(at, append([]byte(word), 0))
	return at
}

// answer is what the guest does when an export is called.
func (l *liar) answer(ctx context.Context, export int, args []uint64) uint64 {
	if depth := l.in.VM.Depth(); depth > liarDepth {
		l.t.Errorf("%d calls of the guest, one inside of the other", depth)
		panic(errTapeEnded)
	}
	if name := liarExports[export]; name == "QJS_ParseJSON" {
		if text, ok := l.in.VM.CString(uint32(args[1]), maxJSON); ok && strings.Contains(text, "panicked: ") {
			l.t.Errorf("something has panicked: %s", text)
		}
	}
	for {
		if l.done++; l.done > liarSteps {
			panic(errTapeEnded)
		}
		switch action := l.byte(); action % 16 {
		case 0:
			l.call(ctx, pickFrom(l, liarImports))
		case 1, 2:
			l.callHost(ctx)
		case 3:
			l.write(l.address(), l.bytes(int(l.byte()%64)))
		case 4:
			l.in.Module().Memory().Grow(uint32(l.byte() % 32))
		case 5:
			l.callModules(ctx)
		case 6:
			return binary.LittleEndian.Uint64(l.bytes(8))
		case 7, 8:
			return l.value()
		case 9:
			return uint64(l.address())
		default:
			return l.honest(export, args)
		}
	}
}

// liarDepth is how many calls may be under way, one inside of the other: one that runs scripts, and one that does not.
const liarDepth = 2

// honest is about what the engine would answer.
func (l *liar) honest(export int, args []uint64) uint64 {
	switch liarExports[export] {
	case "malloc":
		return uint64(l.allocate(int(uint32(args[0]))))
	case "QJS_NewString":
		return uint64(l.allocate(int(uint32(args[1]))))
	case "free", "QJS_FreeValue":
		return 0
	case "JS_NewArrayBufferCopy":
		object := make([]byte, 48+16)
		data := l.allocate(int(uint32(args[2])))
		at := l.allocate(len(object))
		binary.LittleEndian.PutUint16(object[6:], 19)
		binary.LittleEndian.PutUint32(object[32:], at+48)
		binary.LittleEndian.PutUint32(object[48:], uint32(args[2]))
		binary.LittleEndian.PutUint32(object[48+12:], data)
		l.write(at, object)
		return uint64(tagged(-1, at))
	case "QJS_ThrowInternalError":
		if l.byte() > 200 {
			return uint64(tagged(-3, l.allocate(16))) // a module
		}
		return uint64(quickjs.Undefined)
	}
	return uint64(tagged(-1, l.allocate(64)))
}

// hostShapes are functions of the host, or any if the name is empty, with what they take: an integer, a text, a word
// that means something, or a buffer.
var hostShapes = []struct{ name, args string }{
	{"console.log", "iti"}, {"run.finish", "itwb"}, {"run.call", "iwb"}, {"run.callAsync", "iwbi"}, {"attachment", ""},
	{"crypto.random", "i"}, {"fs.copyFile", "iwwwbii"}, {"fs.writePart", "iwbii"}, {"run.halt", "t"},
	{"", "ttt"}, {"", "www"}, {"", "wbii"}, {"", "wibii"}, {"", "bii"}, {"module.resolve", "wwi"},
	{"module.load", "w"}, {"error.stack", "wi"}, {"run.exit", "i"}, {"value.plain", "b"}, {"nothing", ""},
}

// shaped is an argument of a kind, most often.
func (l *liar) shaped(kind rune) uint64 {
	if l.byte() > 224 {
		return l.value()
	}
	switch kind {
	case 'i':
		return uint64(quickjs.Int(int32(l.byte() % 4)))
	case 't':
		return l.text(l.bytes(int(l.byte() % 32)))
	case 'w':
		return l.text([]byte(pickFrom(l, liarWords)))
	}
	return l.buffer()
}

// callHost calls the host primitive.
func (l *liar) callHost(ctx context.Context) {
	shape := pickFrom(l, hostShapes)
	name := shape.name
	if name == "" {
		name = pickFrom(l, features.Functions())
	}
	values := []uint64{l.text([]byte(name))}
	for _, kind := range shape.args {
		values = append(values, l.shaped(kind))
	}
	argv, argc := l.allocate(8*len(values)), uint64(len(values))
	for i, v := range values {
		l.write(argv+uint32(8*i), binary.LittleEndian.AppendUint64(nil, v))
	}
	switch l.byte() {
	case 254:
		argv = l.address()
	case 255:
		argc = uint64(l.byte())
	}
	l.invoke(ctx, liarImports[0], 0, uint64(quickjs.Undefined), argc, uint64(argv))
}

// callModules calls it as the engine does for modules and rejections.
func (l *liar) callModules(ctx context.Context) {
	switch l.byte() % 3 {
	case 0:
		l.invoke(ctx, liarImports[0], 0, uint64(l.cString())|uint64(l.cString())<<32, argcOf(quickjs.ResolveArgc), 0)
	case 1:
		l.invoke(ctx, liarImports[0], 0, uint64(l.cString()), argcOf(quickjs.LoadArgc), 0)
	default:
		l.invoke(ctx, liarImports[0], 0, l.value(), argcOf(quickjs.RejectionArgc), 0)
	}
}

func argcOf(n int32) uint64 { return uint64(uint32(n)) }

// call calls an import with any arguments.
func (l *liar) call(ctx context.Context, i liarImport) {
	var args []uint64
	for range i.params {
		switch l.byte() % 4 {
		case 0:
			args = append(args, binary.LittleEndian.Uint64(l.bytes(8)))
		case 1:
			args = append(args, uint64(l.byte()%4))
		default:
			args = append(args, uint64(l.address()))
		}
	}
	l.invoke(ctx, i, args...)
}

func (l *liar) invoke(ctx context.Context, i liarImport, args ...uint64) {
	_, err := l.in.Module().ExportedFunction("import:"+i.name).Call(ctx, args...)
	l.check(err)
	if err != nil {
		panic(err) // the whole guest has trapped
	}
}

// check looks for panics that nobody has meant.
func (l *liar) check(err error) {
	var failure goruntime.Error
	if errors.As(err, &failure) {
		l.t.Errorf("the host has failed: %v", err)
	}
}
