package runtime

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/toolrun/toolrun/internal/wasm/wasifs"
)

// Guests are linked against WASI preview 1: arguments, an environment and standard streams; files, if the guest has
// them; the time and waiting; and random numbers. There are no sockets and no threads.
//
// A call that ends the run panics with a [*Stop]. What may block is done by [AwaitInTurn].
//
// See https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md

type errno = wasifs.Errno

const errnoSuccess errno = 0

// wasiCall is one call of a WASI function.
type wasiCall struct {
	in  *Instance
	mem api.Memory
	arg []uint64
}

func (c wasiCall) u32(i int) uint32 { return api.DecodeU32(c.arg[i]) }

// out returns the guest's memory for a result of size bytes, to which an argument points, or nil.
func (c wasiCall) out(i int, size uint32) []byte { return c.memory(c.u32(i), size) }

// memory returns a part of the guest's memory, or nil if it has no such part.
func (c wasiCall) memory(at, size uint32) []byte {
	if c.mem == nil { // a module need not have one
		return nil
	}
	data, ok := c.mem.Read(at, size)
	if !ok {
		return nil
	}
	return data[:len(data):len(data)]
}

// put32 writes a result to where argument i points.
func (c wasiCall) put32(i int, v uint32) errno {
	out := c.out(i, 4)
	if out == nil {
		return wasifs.EFAULT
	}
	binary.LittleEndian.PutUint32(out, v)
	return errnoSuccess
}

// put64 writes a result to where argument i points.
func (c wasiCall) put64(i int, v uint64) errno {
	out := c.out(i, 8)
	if out == nil {
		return wasifs.EFAULT
	}
	binary.LittleEndian.PutUint64(out, v)
	return errnoSuccess
}

// spend counts bytes that the host is about to read or write.
func (c wasiCall) spend(bytes int) {
	if err := c.in.Spend(bytes); err != nil {
		panic(err)
	}
}

type wasiFunction struct {
	params []api.ValueType
	call   func(context.Context, wasiCall) errno
}

func succeed(context.Context, wasiCall) errno { return errnoSuccess }

var wasiFunctions = map[string]wasiFunction{
	"args_get":                {[]api.ValueType{i32, i32}, argsGet},
	"args_sizes_get":          {[]api.ValueType{i32, i32}, argsSizesGet},
	"environ_get":             {[]api.ValueType{i32, i32}, environGet},
	"environ_sizes_get":       {[]api.ValueType{i32, i32}, environSizesGet},
	"clock_res_get":           {[]api.ValueType{i32, i32}, clockResGet},
	"clock_time_get":          {[]api.ValueType{i32, i64, i32}, clockTimeGet},
	"fd_advise":               {[]api.ValueType{i32, i64, i64, i32}, fdAdvise},
	"fd_allocate":             {[]api.ValueType{i32, i64, i64}, fdAllocate},
	"fd_close":                {[]api.ValueType{i32}, fdClose},
	"fd_datasync":             {[]api.ValueType{i32}, fdSync},
	"fd_fdstat_get":           {[]api.ValueType{i32, i32}, fdStatGet},
	"fd_fdstat_set_flags":     {[]api.ValueType{i32, i32}, fdStatSetFlags},
	"fd_fdstat_set_rights":    {[]api.ValueType{i32, i64, i64}, fdStatSetRights},
	"fd_filestat_get":         {[]api.ValueType{i32, i32}, fdFilestatGet},
	"fd_filestat_set_size":    {[]api.ValueType{i32, i64}, fdFilestatSetSize},
	"fd_filestat_set_times":   {[]api.ValueType{i32, i64, i64, i32}, fdFilestatSetTimes},
	"fd_pread":                {[]api.ValueType{i32, i32, i32, i64, i32}, fdPread},
	"fd_prestat_get":          {[]api.ValueType{i32, i32}, fdPrestatGet},
	"fd_prestat_dir_name":     {[]api.ValueType{i32, i32, i32}, fdPrestatDirName},
	"fd_pwrite":               {[]api.ValueType{i32, i32, i32, i64, i32}, fdPwrite},
	"fd_read":                 {[]api.ValueType{i32, i32, i32, i32}, fdRead},
	"fd_readdir":              {[]api.ValueType{i32, i32, i32, i64, i32}, fdReaddir},
	"fd_renumber":             {[]api.ValueType{i32, i32}, fdRenumber},
	"fd_seek":                 {[]api.ValueType{i32, i64, i32, i32}, fdSeek},
	"fd_sync":                 {[]api.ValueType{i32}, fdSync},
	"fd_tell":                 {[]api.ValueType{i32, i32}, fdTell},
	"fd_write":                {[]api.ValueType{i32, i32, i32, i32}, fdWrite},
	"path_create_directory":   {[]api.ValueType{i32, i32, i32}, pathCreateDirectory},
	"path_filestat_get":       {[]api.ValueType{i32, i32, i32, i32, i32}, pathFilestatGet},
	"path_filestat_set_times": {[]api.ValueType{i32, i32, i32, i32, i64, i64, i32}, pathFilestatSetTimes},
	"path_link":               {[]api.ValueType{i32, i32, i32, i32, i32, i32, i32}, pathLink},
	"path_open":               {[]api.ValueType{i32, i32, i32, i32, i32, i64, i64, i32, i32}, pathOpen},
	"path_readlink":           {[]api.ValueType{i32, i32, i32, i32, i32, i32}, pathReadlink},
	"path_remove_directory":   {[]api.ValueType{i32, i32, i32}, pathRemoveDirectory},
	"path_rename":             {[]api.ValueType{i32, i32, i32, i32, i32, i32}, pathRename},
	"path_symlink":            {[]api.ValueType{i32, i32, i32, i32, i32}, pathSymlink},
	"path_unlink_file":        {[]api.ValueType{i32, i32, i32}, pathUnlinkFile},
	"poll_oneoff":             {[]api.ValueType{i32, i32, i32, i32}, pollOneoff},
	"proc_raise":              {[]api.ValueType{i32}, procRaise},
	"random_get":              {[]api.ValueType{i32, i32}, randomGet},
	"sched_yield":             {nil, succeed},
	"sock_accept":             {[]api.ValueType{i32, i32, i32}, noSocket},
	"sock_recv":               {[]api.ValueType{i32, i32, i32, i32, i32, i32}, noSocket},
	"sock_send":               {[]api.ValueType{i32, i32, i32, i32, i32}, noSocket},
	"sock_shutdown":           {[]api.ValueType{i32, i32}, noSocket},
}

// WASIFunction returns the type of a function of WASI preview 1, such as "(i32, i32) -> (i32)", and whether there is
// one with this name.
func WASIFunction(name string) (signature string, ok bool) {
	if name == procExit {
		return "(i32) -> ()", true
	}
	f, ok := wasiFunctions[name]
	if !ok {
		return "", false
	}
	var params []string
	for _, t := range f.params {
		params = append(params, api.ValueTypeName(t))
	}
	return "(" + strings.Join(params, ", ") + ") -> (i32)", true
}

const procExit = "proc_exit"

func instantiateWASI(ctx context.Context, rt wazero.Runtime) error {
	wasi := rt.NewHostModuleBuilder("wasi_snapshot_preview1")
	for name, f := range wasiFunctions {
		wasi.NewFunctionBuilder().WithGoModuleFunction(
			api.GoModuleFunc(func(ctx context.Context, mod api.Module, stack []uint64) {
				call := wasiCall{in: instanceOf(ctx), mem: mod.Memory(), arg: stack[:len(f.params)]}
				stack[0] = uint64(f.call(ctx, call))
			}), f.params, []api.ValueType{i32}).Export(name)
	}
	wasi.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(_ context.Context, stack []uint64) {
		panic(&Stop{&ExitError{Code: int(api.DecodeI32(stack[0]))}})
	}), []api.ValueType{i32}, nil).Export(procExit)
	_, err := wasi.Instantiate(ctx)
	return err
}

func argsGet(_ context.Context, c wasiCall) errno      { return c.strings(c.in.run.options.Args) }
func argsSizesGet(_ context.Context, c wasiCall) errno { return c.sizes(c.in.run.options.Args) }

func environGet(_ context.Context, c wasiCall) errno      { return c.strings(c.in.run.options.Env) }
func environSizesGet(_ context.Context, c wasiCall) errno { return c.sizes(c.in.run.options.Env) }

// sizes writes the number of strings, and their total size with a NUL after each.
func (c wasiCall) sizes(list []string) errno {
	size := 0
	for _, s := range list {
		size += len(s) + 1
	}
	if e := c.put32(0, uint32(len(list))); e != errnoSuccess {
		return e
	}
	return c.put32(1, uint32(size))
}

// strings writes pointers to strings, and the strings, each followed by a NUL.
func (c wasiCall) strings(list []string) errno {
	pointers, at := c.u32(0), c.u32(1)
	for _, s := range list {
		c.spend(len(s))
		pointer, text := c.memory(pointers, 4), c.memory(at, uint32(len(s))+1)
		if pointer == nil || text == nil {
			return wasifs.EFAULT
		}
		binary.LittleEndian.PutUint32(pointer, at)
		text[copy(text, s)] = 0
		pointers += 4
		at += uint32(len(text))
	}
	return errnoSuccess
}

// vectors returns the buffers that two arguments name, the second and the third one, and their total size. A size that
// a result cannot tell is EINVAL.
func (c wasiCall) vectors() (buffers [][]byte, size int, e errno) {
	const maxVectors, vectorSize = 1024, 8
	n := c.u32(2)
	if n > maxVectors {
		return nil, 0, wasifs.EINVAL
	}
	list := c.memory(c.u32(1), n*vectorSize)
	if list == nil {
		return nil, 0, wasifs.EFAULT
	}
	buffers = make([][]byte, 0, n)
	for vector := range slices.Chunk(list, vectorSize) {
		buffer := c.memory(binary.LittleEndian.Uint32(vector), binary.LittleEndian.Uint32(vector[4:]))
		if buffer == nil {
			return nil, 0, wasifs.EFAULT
		}
		if size += len(buffer); size > maxTransfer {
			return nil, 0, wasifs.EINVAL
		}
		buffers = append(buffers, buffer)
	}
	return buffers, size, errnoSuccess
}

// maxTransfer is how many bytes one call may read or write, as on Linux.
const maxTransfer = 1<<31 - 4096

// Signals of proc_raise that do not end a program by default.
const (
	signalNone     = 0
	signalChild    = 16
	signalContinue = 17
	signalStop     = 18
	signalOutput   = 21 // and those between
	signalUrgent   = 22
	signalWindow   = 27
	lastSignal     = 30
)

// procRaise does what signals do by default.
func procRaise(_ context.Context, c wasiCall) errno {
	switch signal := c.u32(0); {
	case signal > lastSignal:
		return wasifs.EINVAL
	case signal >= signalStop && signal <= signalOutput:
		return wasifs.ENOTSUP
	case signal == signalNone, signal == signalChild, signal == signalContinue, signal == signalUrgent,
		signal == signalWindow:
		return errnoSuccess
	default:
		panic(&Stop{&ExitError{Code: 128 + int(signal)}}) // as shells have it
	}
}

// noSocket refuses what is for sockets.
func noSocket(_ context.Context, c wasiCall) errno {
	if _, e := c.descriptor(0); e != errnoSuccess {
		return e
	}
	return wasifs.ENOTSOCK
}
