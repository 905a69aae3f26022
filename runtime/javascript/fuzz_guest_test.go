package javascript

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
)

// liarOutput is the output limit of the guest's runs.
const liarOutput = 4 << 10

// FuzzGuest runs a guest that lies (see liar). The first byte says how it is run.
func FuzzGuest(f *testing.F) {
	for seed := range 120 {
		random := rand.New(rand.NewPCG(uint64(seed), 2))
		tape := make([]byte, 300)
		for i := range tape {
			tape[i] = byte(random.Uint32())
			if random.IntN(2) == 0 { // a call of the host, a value, or an honest answer
				tape[i] = []byte{1, 5, 7, 15, 15}[random.IntN(5)]
			}
		}
		f.Add(byte(seed), tape)
	}
	f.Add(byte(16), []byte{5, 0, 0, 9, 0, 9}) // asks for a module whatever it is called for
	// Three addresses, and answers until it is called in a way in which it may call the host.
	start := bytes.Repeat([]byte{15}, 3+4)
	for seed := range 8 {
		random := rand.New(rand.NewPCG(uint64(seed), 4))
		more := make([]byte, 100)
		for i := range more {
			more[i] = byte(random.Uint32())
			if seed%2 == 0 { // all texts and buffers are what they seem to be
				more[i] %= 160
			}
		}
		for i := range liarImports {
			f.Add(byte(0), slices.Concat(start, []byte{0, byte(i)}, more))
			// among what has been made, or at the end of all addresses
			place := byte(5 - seed/4*2)
			// a stream, a place, how many
			f.Add(byte(0), slices.Concat(start, []byte{0, byte(i), 1, byte(seed), 2, place, byte(seed), 1, 1}, more))
		}
		for i := range hostShapes {
			for name := range 3 {
				f.Add(byte(0), slices.Concat(start, []byte{1, byte(i), 0, byte(3*seed + name), 0}, more))
			}
		}
		for kind := range byte(3) {
			f.Add(byte(0), slices.Concat(start, []byte{5, kind}, more))
		}
	}
	honest := bytes.Repeat([]byte{15}, 400)
	for how := range 24 {
		f.Add(byte(how), honest)
	}
	f.Fuzz(func(t *testing.T, how byte, tape []byte) {
		if len(tape) == 0 || len(tape) > 8<<10 {
			return
		}
		lie(t, how, tape)
	})
}

// lie does a run with a guest that does what a tape says.
func lie(t *testing.T, how byte, tape []byte) {
	files := afero.NewMemMapFs()
	for name, content := range map[string]string{
		"/a.txt": "a\nb\n", "/d/b.js": "exports.a = 1", "/m.mjs": "import './a.mjs'; export default 1",
		"/a.mjs": "export let a: number", "/a.json": "[1]",
		"/lib/l.js": "var l = 1", "/lib/m.ts": "export const m: number = 1", "/lib/n.js": "module.exports = 1",
	} {
		require.NoError(t, afero.WriteFile(files, name, []byte(content), 0o644))
	}
	echo := func(_ context.Context, args []any) (any, error) { return args, nil }
	options := RunOptions{
		Limits: sandbox.Limits{Time: 30 * time.Millisecond, Memory: sandbox.MinMemory, Output: liarOutput,
			Work: 1 << 30}, Files: files,
		Functions: []Function{{Name: "f", Call: echo}, {Name: "g", Async: true, Call: echo}},
	}
	if how&8 != 0 {
		options.Libraries = []string{"/lib"}
	}
	program, err := liarProgram()
	require.NoError(t, err)
	options, err = options.withDefaults()
	require.NoError(t, err)
	begun, err := program.Begin(t.Context(), sandbox.RunOptions{Limits: options.Limits})
	require.NoError(t, err)
	defer begun.End()
	r := newRun(begun, options)
	l := newLiar(t, r, tape)
	l.loop = how&16 != 0
	err = r.encodeSetup()
	if err == nil {
		err = r.findLibraries(program)
	}
	if err != nil {
		require.ErrorContains(t, err, "time limit exceeded")
		return
	}

	script := []string{
		"return 1", "if (1) { return 2 }", "const a: number = 1\nreturn a", "import m from '/m.mjs'\nexport default m",
		"import '/m.mjs'\nreturn 1",
		"return (", "}", "\x00",
	}[how&7]
	result := l.run(program, r, script)
	size := 0
	for _, entry := range result.Console {
		size += len(entry.Text)
	}
	require.LessOrEqual(t, size+len(result.Text), 2*liarOutput) // no message of the host's is nearly as long
}

// run is Interpreter.Run with this guest.
func (l *liar) run(program *sandbox.Program, r *run, script string) *Result {
	var err error
	defer func() {
		if p := recover(); p != nil && p != errTapeEnded {
			panic(p)
		}
	}()
	if !l.begins(r) {
		return &Result{}
	}
	if err = l.in.install(); err == nil {
		err = l.in.execute(program, script)
	}
	l.check(err)
	if err == errExited {
		err = nil
	}
	return r.result(err)
}

// begins starts the guest, unless the tape is too short for that.
func (l *liar) begins(r *run) (ok bool) {
	defer func() {
		if p := recover(); p != nil {
			require.Equal(l.t, errTapeEnded, p)
		}
	}()
	l.start(r)
	return true
}
