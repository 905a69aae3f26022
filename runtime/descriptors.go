package runtime

import (
	"io/fs"
	"slices"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/wasm/scratch"
	"github.com/toolrun/toolrun/internal/wasm/wasifs"
)

// descriptors are what a guest has open. They belong to the session: each run begins with the same ones.
type descriptors struct {
	files  *wasifs.FS
	table  []*descriptor // nil for a number that is free
	buffer []byte        // for files; what an operation that was left behind does to it concerns nobody
}

// A descriptor is one open file, directory or stream.
type descriptor struct {
	file   wasifs.File // nil for a stream
	stream stream
	root   bool // it is the directory that the guest has from the beginning

	readable, writable bool
	flags              uint16 // without flagAppend
	// listing is what has been read of a directory, from its beginning; nil if that has to be read.
	listing []wasifs.Entry
}

// MaxDescriptors is how many files and directories a run can have open at the same time, the standard streams
// included. More are EMFILE to the guest. It is less than projects allow by default, so that one run does not take all.
const MaxDescriptors = 128

// rootName is what the guest calls the directory that it has from the beginning.
const rootName = "/"

// descriptors returns what the guest has open.
func (in *Instance) descriptors() *descriptors {
	if in.open != nil {
		return in.open
	}
	files := in.run.options.Files
	if files == nil {
		files = afero.NewReadOnlyFs(afero.NewMemMapFs())
	}
	t := &descriptors{files: wasifs.New(files, in.run.options.Limits.Memory)}
	t.files.Now = in.run.filesNow
	t.table = make([]*descriptor, streams, 2*streams)
	atStart := new([streams + 1]descriptor)
	for s := range streams {
		atStart[s].stream = s
		t.table[s] = &atStart[s]
	}
	if in.program.guest.Files {
		if root, e := t.files.Open(rootName, wasifs.O_RDONLY); e == errnoSuccess { // which asks nobody
			atStart[streams] = descriptor{file: root, root: true}
			t.table = append(t.table, &atStart[streams])
		}
	}
	in.open = t
	return t
}

// filesNow is the clock of files that a guest has in memory.
func (r *Run) filesNow() time.Time {
	switch begin := r.source.Clock; {
	case r.program.guest.NoClock:
		return time.Unix(0, noEpoch)
	case !begin.IsZero():
		return begin
	}
	return time.Now()
}

// Scratch returns files with /dev/null and an empty /tmp beside them, as a guest of WASI has them: see
// [RunOptions].Files. It is for drivers whose guests reach files in another way.
func (r *Run) Scratch(files afero.Fs) *scratch.FS {
	return scratch.New(files, r.options.Limits.Memory, r.filesNow)
}

// OpenFiles returns how many files and directories the guest has open, beside the one from the beginning.
func (in *Instance) OpenFiles() int {
	if in.open == nil {
		return 0
	}
	n := 0
	for _, d := range in.open.table {
		if d != nil && d.file != nil && !d.root {
			n++
		}
	}
	return n
}

// FilesAsAtStart reports whether the guest has exactly those descriptors open with which every run begins, and nothing
// in /tmp.
func (in *Instance) FilesAsAtStart() bool {
	if in.open == nil {
		return true
	}
	if !in.open.files.IsClean() {
		return false
	}
	for fd, d := range in.open.table {
		switch {
		case fd < int(streams):
			if d == nil || d.file != nil || int(d.stream) != fd || d.flags != 0 {
				return false
			}
		case fd == int(streams) && in.program.guest.Files:
			if d == nil || !d.root || d.flags != 0 || d.listing != nil {
				return false
			}
		case d != nil:
			return false
		}
	}
	return true
}

// CloseFiles closes the files that the guest has left open, as the end of a process does: what it has written takes
// effect. The end of a run does so by itself, but tells nobody of errors; and if the run is over because of a limit or
// its context, files that were being replaced keep their old content. The error is an [*UnwrittenError], or why the run
// is over.
func (in *Instance) CloseFiles() error {
	if in.open == nil {
		return nil
	}
	files, over := in.open.files, in.over()
	in.open = nil
	if files.IsIdle() { // in most runs; no goroutine is needed then
		return over
	}
	closed := make(chan error, 1)
	go Perform(func() (struct{}, error) { return struct{}{}, files.Close(over == nil) },
		func(_ struct{}, err error) { closed <- err })
	if over == nil {
		select {
		case err := <-closed:
			if err != nil {
				err = &UnwrittenError{err}
			}
			return err
		case <-in.run.ctx.Done():
			over = in.run.Interrupted()
		}
	}
	// Closing waits for an operation that was left behind, and so may hang as that does.
	select {
	case <-closed:
	case <-time.After(closeGrace):
	}
	return over
}

// over returns why the run has to end, or nil.
func (in *Instance) over() error {
	if limit := in.run.options.Limits.Work; limit != Unlimited && in.Work() >= limit {
		return &LimitError{Limit: LimitWork, Value: limit}
	}
	return in.run.Interrupted()
}

// closeGrace is how long a run that was stopped waits until its files are closed.
const closeGrace = 100 * time.Millisecond

func (t *descriptors) get(fd uint32) (*descriptor, errno) {
	if int64(fd) >= int64(len(t.table)) || t.table[fd] == nil {
		return nil, wasifs.EBADF
	}
	return t.table[fd], errnoSuccess
}

// full reports whether nothing more can be opened.
func (t *descriptors) full() bool {
	return len(t.table) >= MaxDescriptors && !slices.Contains(t.table, nil)
}

// add opens a descriptor, with the lowest free number.
func (t *descriptors) add(d *descriptor) uint32 {
	fd := slices.Index(t.table, nil)
	if fd < 0 {
		fd = len(t.table)
		t.table = append(t.table, nil)
	}
	t.table[fd] = d
	return uint32(fd)
}

// Duplicate lets another number stand for what a descriptor is of, as dup and dup2 of POSIX do, which WASI has not: to,
// or the lowest free one if that is negative. What that stood for is closed. It returns the number, or WASI's error.
func (in *Instance) Duplicate(fd, to int32) (number uint32, errno uint16) {
	t := in.descriptors()
	d, e := t.get(uint32(fd))
	switch {
	case e != errnoSuccess || to >= MaxDescriptors:
		return 0, uint16(wasifs.EBADF)
	case to < 0 && t.full():
		return 0, uint16(wasifs.EMFILE)
	case to < 0:
		return t.add(d), 0
	case to >= int32(len(t.table)):
		t.table = append(t.table, make([]*descriptor, int(to)-len(t.table)+1)...)
	}
	old := t.table[to]
	t.table[to] = d
	if old != nil {
		wasiCall{in: in}.close(old) // its error is nobody's, as on Linux
	}
	return uint32(to), 0
}

// descriptor returns what an argument names.
func (c wasiCall) descriptor(i int) (*descriptor, errno) { return c.in.descriptors().get(c.u32(i)) }

// file returns the file or directory that the first argument names, for an operation on it.
func (c wasiCall) file() (*descriptor, errno) {
	d, e := c.descriptor(0)
	if e != errnoSuccess {
		return nil, e
	}
	if d.file == nil {
		return nil, wasifs.ESPIPE
	}
	c.operate()
	return d, errnoSuccess
}

// operationCost is what an operation on files counts beside the bytes that it reads and writes.
const operationCost = 1 << 10

// operate prepares an operation on files.
func (c wasiCall) operate() {
	c.spend(operationCost)
	if err := c.in.run.Interrupted(); err != nil {
		panic(&Stop{err})
	}
}

// await does an operation on files that may block. It must not touch the guest.
func await[T any](c wasiCall, do func() (T, errno)) (T, errno) {
	type result struct {
		value T
		errno errno
	}
	r, err := AwaitInTurn(c.in.run, func() (result, error) {
		value, e := do()
		return result{value, e}, nil
	})
	if stop, ok := err.(*Stop); ok {
		panic(stop)
	}
	if err != nil { // it has panicked
		return r.value, wasifs.EIO
	}
	return r.value, r.errno
}

// awaitErrno is await for what has no result.
func awaitErrno(c wasiCall, do func() errno) errno {
	_, e := await(c, func() (struct{}, errno) { return struct{}{}, do() })
	return e
}

// Kinds of files.
const (
	typeUnknown   = 0
	typeBlock     = 1
	typeCharacter = 2
	typeDirectory = 3
	typeRegular   = 4
	typeLink      = 7
)

func fileType(mode fs.FileMode) byte {
	switch {
	case mode.IsDir():
		return typeDirectory
	case mode.IsRegular():
		return typeRegular
	case mode&fs.ModeSymlink != 0:
		return typeLink
	case mode&fs.ModeCharDevice != 0:
		return typeCharacter
	case mode&fs.ModeDevice != 0:
		return typeBlock
	}
	return typeUnknown
}

// Flags of descriptors.
const (
	flagAppend   = 1
	flagDsync    = 2
	flagNonblock = 4
	flagRsync    = 8
	flagSync     = 16
)

// Rights. They say how a file is opened, and are not enforced beyond that; libc derives from them what it may do.
const (
	rightRead  = 1 << 1
	rightSeek  = 1 << 2
	rightTell  = 1 << 5
	rightWrite = 1 << 6

	// synchronise, set flags, get and set attributes
	rightsAlways = 1<<0 | 1<<3 | 1<<4 | 1<<21 | 1<<23
	// list, and do all to paths that can be done
	rightsDirectory = rightsAlways | 1<<9 | 1<<10 | 1<<11 | 1<<12 | 1<<13 | 1<<14 | 1<<15 | 1<<16 | 1<<17 | 1<<18 |
		1<<19 | 1<<20 | 1<<24 | 1<<25 | 1<<26
	// seek, advise and poll
	rightsFile = rightsAlways | rightSeek | rightTell | 1<<7 | 1<<27
	// allocate and set the size
	rightsWriting = rightWrite | 1<<8 | 1<<22
)

// rights returns what a descriptor may be used for, and what is opened with it.
func (d *descriptor) rights() (base, inherited uint64) {
	switch {
	case d.file == nil && d.stream == stdin:
		return rightRead | 1<<3 | 1<<21 | 1<<27, 0
	case d.file == nil:
		return rightWrite | 1<<3 | 1<<21 | 1<<27, 0
	case d.file.IsDir():
		return rightsDirectory, rightsDirectory | rightsFile | rightRead | rightsWriting
	}
	base = rightsFile
	if d.readable {
		base |= rightRead
	}
	if d.writable {
		base |= rightsWriting
	}
	return base, 0
}
