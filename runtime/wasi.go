package runtime

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"slices"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Guests are linked against WASI preview 1. It offers them arguments, an environment and standard input, if the run
// has them; standard output and error, which are the console; the time and waiting; and random numbers. The only
// files are the three standard streams.
//
// See https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md

type errno = uint32

const (
	errnoSuccess     errno = 0
	errnoBadF        errno = 8
	errnoFault       errno = 21
	errnoInval       errno = 28
	errnoNameTooLong errno = 37
	errnoNotSup      errno = 58
	errnoSPipe       errno = 70
)

// wasiCall is one call of a WASI function.
type wasiCall struct {
	in  *Instance
	mem api.Memory
	arg []uint64
}

func (c wasiCall) u32(i int) uint32 { return api.DecodeU32(c.arg[i]) }

func (c wasiCall) put32(at, v uint32) errno {
	if !c.mem.WriteUint32Le(at, v) {
		return errnoFault
	}
	return errnoSuccess
}

type wasiFunction struct {
	params []api.ValueType
	call   func(context.Context, wasiCall) errno
}

// refuse answers functions on files: there is no directory to start from.
func refuse(context.Context, wasiCall) errno { return errnoBadF }

func succeed(context.Context, wasiCall) errno { return errnoSuccess }

var wasiFunctions = map[string]wasiFunction{
	"args_get":                {[]api.ValueType{i32, i32}, argsGet},
	"args_sizes_get":          {[]api.ValueType{i32, i32}, argsSizesGet},
	"environ_get":             {[]api.ValueType{i32, i32}, environGet},
	"environ_sizes_get":       {[]api.ValueType{i32, i32}, environSizesGet},
	"clock_res_get":           {[]api.ValueType{i32, i32}, clockResGet},
	"clock_time_get":          {[]api.ValueType{i32, i64, i32}, clockTimeGet},
	"fd_advise":               {[]api.ValueType{i32, i64, i64, i32}, refuse},
	"fd_allocate":             {[]api.ValueType{i32, i64, i64}, refuse},
	"fd_close":                {[]api.ValueType{i32}, fdClose},
	"fd_datasync":             {[]api.ValueType{i32}, refuse},
	"fd_fdstat_get":           {[]api.ValueType{i32, i32}, fdStatGet},
	"fd_fdstat_set_flags":     {[]api.ValueType{i32, i32}, refuse},
	"fd_fdstat_set_rights":    {[]api.ValueType{i32, i64, i64}, refuse},
	"fd_filestat_get":         {[]api.ValueType{i32, i32}, fdFileStatGet},
	"fd_filestat_set_size":    {[]api.ValueType{i32, i64}, refuse},
	"fd_filestat_set_times":   {[]api.ValueType{i32, i64, i64, i32}, refuse},
	"fd_pread":                {[]api.ValueType{i32, i32, i32, i64, i32}, refuse},
	"fd_prestat_get":          {[]api.ValueType{i32, i32}, fdPrestatGet},
	"fd_prestat_dir_name":     {[]api.ValueType{i32, i32, i32}, fdPrestatDirName},
	"fd_pwrite":               {[]api.ValueType{i32, i32, i32, i64, i32}, refuse},
	"fd_read":                 {[]api.ValueType{i32, i32, i32, i32}, fdRead},
	"fd_readdir":              {[]api.ValueType{i32, i32, i32, i64, i32}, refuse},
	"fd_renumber":             {[]api.ValueType{i32, i32}, refuse},
	"fd_seek":                 {[]api.ValueType{i32, i64, i32, i32}, fdSeek},
	"fd_sync":                 {[]api.ValueType{i32}, refuse},
	"fd_tell":                 {[]api.ValueType{i32, i32}, refuse},
	"fd_write":                {[]api.ValueType{i32, i32, i32, i32}, fdWrite},
	"path_create_directory":   {[]api.ValueType{i32, i32, i32}, refuse},
	"path_filestat_get":       {[]api.ValueType{i32, i32, i32, i32, i32}, refuse},
	"path_filestat_set_times": {[]api.ValueType{i32, i32, i32, i32, i64, i64, i32}, refuse},
	"path_link":               {[]api.ValueType{i32, i32, i32, i32, i32, i32, i32}, refuse},
	"path_open":               {[]api.ValueType{i32, i32, i32, i32, i32, i64, i64, i32, i32}, refuse},
	"path_readlink":           {[]api.ValueType{i32, i32, i32, i32, i32, i32}, refuse},
	"path_remove_directory":   {[]api.ValueType{i32, i32, i32}, refuse},
	"path_rename":             {[]api.ValueType{i32, i32, i32, i32, i32, i32}, refuse},
	"path_symlink":            {[]api.ValueType{i32, i32, i32, i32, i32}, refuse},
	"path_unlink_file":        {[]api.ValueType{i32, i32, i32}, refuse},
	"poll_oneoff":             {[]api.ValueType{i32, i32, i32, i32}, pollOneoff},
	"proc_raise":              {[]api.ValueType{i32}, refuse},
	"random_get":              {[]api.ValueType{i32, i32}, randomGet},
	"sched_yield":             {nil, succeed},
	"sock_accept":             {[]api.ValueType{i32, i32, i32}, refuse},
	"sock_recv":               {[]api.ValueType{i32, i32, i32, i32, i32, i32}, refuse},
	"sock_send":               {[]api.ValueType{i32, i32, i32, i32, i32}, refuse},
	"sock_shutdown":           {[]api.ValueType{i32, i32}, refuse},
}

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
	}), []api.ValueType{i32}, nil).Export("proc_exit")
	_, err := wasi.Instantiate(ctx)
	return err
}

const (
	clockRealtime  = 0
	clockMonotonic = 1

	clockResolution = 1000 // nanoseconds
)

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
	if e := c.put32(c.u32(0), uint32(len(list))); e != errnoSuccess {
		return e
	}
	return c.put32(c.u32(1), uint32(size))
}

// strings writes pointers to strings, and the strings, each followed by a NUL.
func (c wasiCall) strings(list []string) errno {
	pointers, at := c.u32(0), c.u32(1)
	for _, s := range list {
		c.spend(len(s))
		if e := c.put32(pointers, at); e != errnoSuccess {
			return e
		}
		if !c.mem.WriteString(at, s) || !c.mem.WriteByte(at+uint32(len(s)), 0) {
			return errnoFault
		}
		pointers += 4
		at += uint32(len(s)) + 1
	}
	return errnoSuccess
}

// spend counts bytes that the host is about to read or write.
func (c wasiCall) spend(bytes int) {
	if err := c.in.Spend(bytes); err != nil {
		panic(err)
	}
}

func randomGet(_ context.Context, c wasiCall) errno {
	c.in.impure = true
	data, ok := c.mem.Read(c.u32(0), c.u32(1))
	if !ok {
		return errnoFault
	}
	for part := range slices.Chunk(data, PieceSize) {
		c.spend(len(part))
		rand.Read(part) // never fails
	}
	return errnoSuccess
}

func clockResGet(_ context.Context, c wasiCall) errno {
	resolution := uint64(clockResolution)
	if number := c.u32(0); number > clockMonotonic {
		call := c.in.program.guest.Call
		if call == nil || number < FirstCall {
			return errnoInval
		}
		resolution = call(c.in, number)
	}
	if !c.mem.WriteUint64Le(c.u32(1), resolution) {
		return errnoFault
	}
	return errnoSuccess
}

func clockTimeGet(_ context.Context, c wasiCall) errno {
	c.in.timed = true
	var now int64
	switch c.u32(0) {
	case clockRealtime:
		now = time.Now().UnixNano()
	case clockMonotonic:
		now = int64(c.in.elapsed()) // from zero, so that it tells nothing of the host
	default:
		return errnoInval
	}
	if !c.mem.WriteUint64Le(c.u32(2), uint64(now)) {
		return errnoFault
	}
	return errnoSuccess
}

// elapsed is the guest's monotonic clock. It stands still until a run begins, because everything before is shared
// by many runs.
func (in *Instance) elapsed() time.Duration {
	if in.started.IsZero() {
		return 0
	}
	return time.Since(in.started)
}

const maxStream = 2 // the standard streams are 0, 1 and 2

func fdClose(_ context.Context, c wasiCall) errno {
	if c.u32(0) > maxStream {
		return errnoBadF
	}
	return errnoSuccess
}

// rootName is the name of the directory that descriptor 3 is.
const (
	rootFD   = 3
	rootName = "/"
)

// isRoot reports whether the call is on the guest's directory.
func (c wasiCall) isRoot() bool { return c.u32(0) == rootFD && c.in.program.guest.Files }

func fdPrestatGet(_ context.Context, c wasiCall) errno {
	if !c.isRoot() {
		return errnoBadF
	}
	prestat := [8]byte{4: byte(len(rootName))}
	if !c.mem.Write(c.u32(1), prestat[:]) {
		return errnoFault
	}
	return errnoSuccess
}

func fdPrestatDirName(_ context.Context, c wasiCall) errno {
	switch {
	case !c.isRoot():
		return errnoBadF
	case c.u32(2) < uint32(len(rootName)):
		return errnoNameTooLong
	case !c.mem.WriteString(c.u32(1), rootName):
		return errnoFault
	}
	return errnoSuccess
}

// fdStatGet says that the standard streams are character devices without any rights.
func fdStatGet(_ context.Context, c wasiCall) errno {
	stat := [24]byte{0: 2}
	switch {
	case c.isRoot():
		stat[0] = 3
	case c.u32(0) > maxStream:
		return errnoBadF
	}
	if !c.mem.Write(c.u32(1), stat[:]) {
		return errnoFault
	}
	return errnoSuccess
}

// fdFileStatGet says the same of them.
func fdFileStatGet(_ context.Context, c wasiCall) errno {
	if c.u32(0) > maxStream {
		return errnoBadF
	}
	stat := [64]byte{16: 2}
	if !c.mem.Write(c.u32(1), stat[:]) {
		return errnoFault
	}
	return errnoSuccess
}

// fdRead reads the run's input.
func fdRead(_ context.Context, c wasiCall) errno {
	if c.u32(0) != 0 {
		return errnoBadF
	}
	read := 0
	e := c.vectors(func(room []byte) errno {
		n := min(len(room), len(c.in.run.stdin))
		for part := range slices.Chunk(room[:n], PieceSize) {
			c.spend(len(part))
			c.in.run.stdin = c.in.run.stdin[copy(part, c.in.run.stdin):]
		}
		read += n
		return errnoSuccess
	})
	if e != errnoSuccess {
		return e
	}
	return c.put32(c.u32(3), uint32(read))
}

// vectors calls do with each of the buffers that two arguments name, the second and the third one.
func (c wasiCall) vectors(do func(buffer []byte) errno) errno {
	at, n := c.u32(1), c.u32(2)
	const maxVectors = 1024
	if n > maxVectors {
		return errnoInval
	}
	for ; n > 0; n-- {
		vector, ok := c.mem.Read(at, 8)
		if !ok {
			return errnoFault
		}
		buffer, ok := c.mem.Read(binary.LittleEndian.Uint32(vector), binary.LittleEndian.Uint32(vector[4:]))
		if !ok {
			return errnoFault
		}
		if e := do(buffer); e != errnoSuccess {
			return e
		}
		at += 8
	}
	return errnoSuccess
}

func fdSeek(_ context.Context, c wasiCall) errno {
	if c.u32(0) > maxStream {
		return errnoBadF
	}
	return errnoSPipe
}

// fdWrite prints to the console, or writes the run's result.
func fdWrite(_ context.Context, c wasiCall) errno {
	level := LevelLog
	var result *Stream
	switch c.u32(0) {
	case 1:
		result = c.in.run.options.Stdout
	case 2:
		level = LevelError
	default:
		return errnoBadF
	}
	var written uint32
	e := c.vectors(func(data []byte) errno {
		var err error
		if result != nil { // each can be all of the memory
			err = result.write(c.in, data)
		} else {
			err = c.in.Print(level, data)
		}
		if err != nil {
			panic(err)
		}
		written += uint32(len(data))
		return errnoSuccess
	})
	if e != errnoSuccess {
		return e
	}
	return c.put32(c.u32(3), written)
}

// pollOneoff waits for one clock, which is all that sleeping needs.
func pollOneoff(ctx context.Context, c wasiCall) errno {
	const clock, absolute = 0, 1
	if c.u32(2) != 1 {
		return errnoNotSup
	}
	subscription, ok := c.mem.Read(c.u32(0), 48)
	if !ok {
		return errnoFault
	}
	if subscription[8] != clock {
		return errnoNotSup
	}
	delay := time.Duration(min(binary.LittleEndian.Uint64(subscription[24:]), uint64(maxWait)))
	if binary.LittleEndian.Uint16(subscription[40:])&absolute != 0 {
		if binary.LittleEndian.Uint32(subscription[16:]) == clockRealtime {
			delay = time.Until(time.Unix(0, int64(delay)))
		} else {
			delay -= c.in.elapsed()
		}
	}
	c.in.impure = true
	event := [32]byte{}
	copy(event[:8], subscription[:8])
	if err := c.in.run.wait(delay); err != nil {
		panic(&Stop{err})
	}
	if !c.mem.Write(c.u32(1), event[:]) {
		return errnoFault
	}
	return c.put32(c.u32(3), 1)
}

const maxWait = 1<<63 - 1
