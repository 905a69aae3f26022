package runtime_test

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"

	"github.com/toolrun/toolrun/internal/wasm/wasmasm"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// wasiSignatures are the functions of WASI preview 1 with their parameters: i for i32 and I for i64. All but proc_exit
// return an i32.
var wasiSignatures = map[string]string{
	"args_get": "ii", "args_sizes_get": "ii", "environ_get": "ii", "environ_sizes_get": "ii",
	"clock_res_get": "ii", "clock_time_get": "iIi",
	"fd_advise": "iIIi", "fd_allocate": "iII", "fd_close": "i", "fd_datasync": "i", "fd_fdstat_get": "ii",
	"fd_fdstat_set_flags": "ii", "fd_fdstat_set_rights": "iII", "fd_filestat_get": "ii", "fd_filestat_set_size": "iI",
	"fd_filestat_set_times": "iIIi", "fd_pread": "iiiIi", "fd_prestat_get": "ii", "fd_prestat_dir_name": "iii",
	"fd_pwrite": "iiiIi", "fd_read": "iiii", "fd_readdir": "iiiIi", "fd_renumber": "ii", "fd_seek": "iIii",
	"fd_sync": "i", "fd_tell": "ii", "fd_write": "iiii",
	"path_create_directory": "iii", "path_filestat_get": "iiiii", "path_filestat_set_times": "iiiiIIi",
	"path_link": "iiiiiii", "path_open": "iiiiiIIii", "path_readlink": "iiiiii", "path_remove_directory": "iii",
	"path_rename": "iiiiii", "path_symlink": "iiiii", "path_unlink_file": "iii",
	"poll_oneoff": "iiii", "proc_exit": "i", "proc_raise": "i", "random_get": "ii", "sched_yield": "",
	"sock_accept": "iii", "sock_recv": "iiiiii", "sock_send": "iiiii", "sock_shutdown": "ii",
}

var wasiNames = slices.Sorted(maps.Keys(wasiSignatures))

// callModule is a module that exports each function of WASI, and a memory of 4 pages.
func callModule() []byte {
	m := &wasmasm.Module{}
	for _, name := range wasiNames {
		m.Import("wasi_snapshot_preview1", name, wasiType(name))
	}
	for i, name := range wasiNames {
		var body []byte
		for n := range wasiSignatures[name] {
			body = append(body, wasmasm.LocalGet, byte(n))
		}
		m.Export(name, m.Func(wasiType(name), "", body, wasmasm.Call(uint32(i))))
	}
	m.Memory(4)
	return m.Bytes()
}

func wasiType(name string) string {
	if name == "proc_exit" {
		return "i:"
	}
	return wasiSignatures[name] + ":i"
}

// loadCaller loads callModule.
func loadCaller(t testing.TB) *sandbox.Program { return loadCallerAs(t, sandbox.Guest{Name: "caller"}) }

// loadCallerAs loads callModule as a guest with some properties.
func loadCallerAs(t testing.TB, guest sandbox.Guest) *sandbox.Program {
	engine, err := sandbox.New(&sandbox.EngineOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close(t.Context())) })
	module := callModule()
	guest.Module = func() ([]byte, error) { return sandbox.Meter(module) }
	guest.Digest = sha256.Sum256(module)
	guest.Files = true
	guest.New = func(in *sandbox.Instance) (sandbox.Driver, error) { return caller{}, nil }
	program, err := engine.Load(t.Context(), guest)
	require.NoError(t, err)
	return program
}

type caller struct{}

func (caller) Start() error     { return nil }
func (caller) State() any       { return nil }
func (caller) Resume(any) error { return nil }
func (caller) Idle() bool       { return true }

// A guest makes single calls of WASI.
type guest struct {
	t   testing.TB
	run *sandbox.Run
	in  *sandbox.Instance

	functions map[string]api.Function
}

// begin begins a run of loadCaller's program. Its test ends it, unless end has.
func begin(t testing.TB, program *sandbox.Program, options sandbox.RunOptions) *guest {
	run, err := program.Begin(t.Context(), options)
	require.NoError(t, err)
	g := &guest{t: t, run: run}
	t.Cleanup(g.end)
	g.in, err = run.Start(nil)
	require.NoError(t, err)
	g.in.Untrusted()
	return g
}

func (g *guest) end() {
	if g.run != nil {
		g.run.End()
		g.run = nil
	}
}

// try makes a call.
func (g *guest) try(function string, arguments ...uint64) (number uint32, err error) {
	f := g.functions[function]
	if f == nil {
		if g.functions == nil {
			g.functions = map[string]api.Function{}
		}
		f = g.in.Module().ExportedFunction(function)
		g.functions[function] = f
	}
	results, err := f.Call(g.in.Context(), arguments...)
	if err != nil {
		return 0, g.in.Reason(err)
	}
	return api.DecodeU32(results[0]), nil
}

// call makes a call that does not end the run, and returns the number of its error.
func (g *guest) call(function string, arguments ...uint64) uint32 {
	g.t.Helper()
	number, err := g.try(function, arguments...)
	require.NoError(g.t, err)
	return number
}

// do makes a call that succeeds.
func (g *guest) do(function string, arguments ...uint64) {
	g.t.Helper()
	require.Zero(g.t, g.call(function, arguments...), function)
}

// Where in the guest's memory results, paths, other paths, buffers and their content are.
const (
	result  = 0
	vector  = 0x100
	textAt  = 0x1000
	otherAt = 0x8000
	bytesAt = 0x10000
	memory  = 4 << 16
)

// put writes to the guest's memory, and returns the address and the length as arguments.
func (g *guest) put(at uint32, data string) (address, length uint64) {
	require.True(g.t, g.in.Module().Memory().WriteString(at, data))
	return uint64(at), uint64(len(data))
}

func (g *guest) get(at, length uint32) []byte {
	data, ok := g.in.Module().Memory().Read(at, length)
	require.True(g.t, ok)
	return data
}

func (g *guest) u16(at uint32) uint16 { return binary.LittleEndian.Uint16(g.get(at, 2)) }
func (g *guest) u32(at uint32) uint32 { return binary.LittleEndian.Uint32(g.get(at, 4)) }
func (g *guest) u64(at uint32) uint64 { return binary.LittleEndian.Uint64(g.get(at, 8)) }

// Flags and rights of opening.
const (
	create, directory, exclusive, truncate = 1, 2, 4, 8

	reading    = 1 << 1
	writing    = 1 << 6
	readWrite  = reading | writing
	appendFlag = 1

	root = 3 // the descriptor of the directory that a guest has
)

// tryOpen opens a file and returns its descriptor.
func (g *guest) tryOpen(dir uint64, path string, how, rights, flags uint64) (fd uint64, number uint32) {
	g.t.Helper()
	at, length := g.put(textAt, path)
	number = g.call("path_open", dir, 0, at, length, how, rights, 0, flags, result)
	return uint64(g.u32(result)), number
}

// open opens a file that can be opened.
func (g *guest) open(path string, how, rights uint64) uint64 {
	g.t.Helper()
	fd, number := g.tryOpen(root, path, how, rights, 0)
	require.Zero(g.t, number, path)
	return fd
}

// onPath makes a call on a path from the guest's directory.
func (g *guest) onPath(function, path string) uint32 {
	g.t.Helper()
	at, length := g.put(textAt, path)
	return g.call(function, root, at, length)
}

// vector puts a list with one buffer into memory, and returns the arguments for it.
func (g *guest) vector(at, length uint32) (list, count uint64) {
	g.put(vector, string(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, at), length)))
	return vector, 1
}

// write writes to a descriptor and returns how many bytes were written.
func (g *guest) write(fd uint64, text string) uint32 {
	g.t.Helper()
	g.put(bytesAt, text)
	list, count := g.vector(bytesAt, uint32(len(text)))
	g.do("fd_write", fd, list, count, result)
	return g.u32(result)
}

// read reads from a descriptor.
func (g *guest) read(fd uint64, length uint32) string {
	g.t.Helper()
	list, count := g.vector(bytesAt, length)
	g.do("fd_read", fd, list, count, result)
	return string(g.get(bytesAt, g.u32(result)))
}

// newProject returns an empty project in memory.
func newProject(t testing.TB, options *vfs.Options) vfs.Project {
	store := local.NewMemoryStore(options)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	project, err := store.Open(t.Context(), "project")
	require.NoError(t, err)
	return project
}

func writeFile(t testing.TB, files afero.Fs, name, content string) {
	require.NoError(t, afero.WriteFile(files, name, []byte(content), 0o644))
}

func readFile(t testing.TB, files afero.Fs, name string) string {
	content, err := afero.ReadFile(files, name)
	require.NoError(t, err)
	return string(content)
}
