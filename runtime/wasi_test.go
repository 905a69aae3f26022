package runtime_test

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/vfs"
)

var soak = flag.Bool("soak", false, "run the long versions of tests")

// Errors of WASI.
const (
	errBADF        = 8
	errEXIST       = 20
	errFAULT       = 21
	errILSEQ       = 25
	errINVAL       = 28
	errIO          = 29
	errISDIR       = 31
	errMFILE       = 33
	errNAMETOOLONG = 37
	errNOENT       = 44
	errNOSPC       = 51
	errNOTDIR      = 54
	errNOTEMPTY    = 55
	errNOTSOCK     = 57
	errNOTSUP      = 58
	errPERM        = 63
	errROFS        = 69
	errSPIPE       = 70
)

func TestWASIPathsStayInside(t *testing.T) {
	program := loadCaller(t)
	project := newProject(t, nil)
	require.NoError(t, project.MkdirAll("/view/dir/sub", 0o755))
	writeFile(t, project, "/secret", "secret")
	writeFile(t, project, "/view/file", "content")
	writeFile(t, project, "/view/dir/inner", "inner")
	g := begin(t, program, sandbox.RunOptions{Files: vfs.Sub(project, "/view"),
		Limits: sandbox.Limits{Time: time.Minute}})
	dir := g.open("dir", directory, 0)
	file := g.open("file", 0, reading)
	require.Equal(t, "content", g.read(file, 100), "what is inside can be read")
	inner, number := g.tryOpen(dir, "inner", 0, reading, 0)
	require.Zero(t, number)
	require.Equal(t, "inner", g.read(inner, 100))

	for _, attempt := range []struct {
		dir  uint64
		path string
		want uint32
	}{
		{root, "/secret", errPERM}, {root, "/", errPERM}, {root, "//file", errPERM}, {root, "/file", errPERM},
		{root, "..", errPERM}, {root, "../", errPERM}, {root, "../secret", errPERM}, {root, "../view/file", errPERM},
		{root, "dir/../../secret", errPERM}, {root, "dir/sub/../../../secret", errPERM}, {root, "./../secret", errPERM},
		{root, "dir//../..//secret", errPERM}, {root, "../../../../../../../../etc/passwd", errPERM},
		{root, "none/../../secret", errPERM},
		{dir, "..", errPERM}, {dir, "../file", errPERM}, {dir, "sub/../../file", errPERM}, {dir, "/inner", errPERM},
		{dir, "../../secret", errPERM}, {dir, "../dir/inner", errPERM},
		{file, "..", errNOTDIR}, {file, "secret", errNOTDIR}, {0, "file", errNOTDIR}, {1, "file", errNOTDIR},
		{77, "file", errBADF}, {math.MaxUint32, "file", errBADF}, {math.MaxInt32, "file", errBADF},
		{root, "", errNOENT}, {root, "a\x00b", errINVAL}, {root, "file\x00", errINVAL}, {root, "\xff", errILSEQ},
		{root, "..\x00", errINVAL}, {root, "\xc0\xae\xc0\xae/secret", errILSEQ}, {root, `..\secret`, errINVAL},
		{root, strings.Repeat("n", 5000), errNAMETOOLONG}, {root, strings.Repeat("a/", 2000) + "b", errNAMETOOLONG},
		{root, strings.Repeat("n", 300), errNAMETOOLONG}, {root, ".toolrun", errINVAL},
		{root, ".toolrun/lock", errINVAL},
	} {
		t.Run(fmt.Sprintf("%d %.40q", attempt.dir, attempt.path), func(t *testing.T) {
			at, length := g.put(textAt, attempt.path)
			other, otherLength := g.put(otherAt, "new")
			for _, call := range []struct {
				function  string
				arguments []uint64
			}{
				{"path_open", []uint64{attempt.dir, 0, at, length, 0, reading, 0, 0, result}},
				{"path_open", []uint64{attempt.dir, 1, at, length, create | truncate, readWrite, 0, 0, result}},
				{"path_filestat_get", []uint64{attempt.dir, 0, at, length, result}},
				{"path_filestat_get", []uint64{attempt.dir, 1, at, length, result}},
				{"path_filestat_set_times", []uint64{attempt.dir, 0, at, length, 1, 1, 5}},
				{"path_create_directory", []uint64{attempt.dir, at, length}},
				{"path_remove_directory", []uint64{attempt.dir, at, length}},
				{"path_unlink_file", []uint64{attempt.dir, at, length}},
				{"path_readlink", []uint64{attempt.dir, at, length, bytesAt, 10, result}},
				{"path_rename", []uint64{attempt.dir, at, length, root, other, otherLength}},
				{"path_rename", []uint64{root, other, otherLength, attempt.dir, at, length}},
				{"path_link", []uint64{attempt.dir, 0, at, length, root, other, otherLength}},
				{"path_link", []uint64{root, 0, other, otherLength, attempt.dir, at, length}},
				{"path_symlink", []uint64{other, otherLength, attempt.dir, at, length}},
			} {
				got := g.call(call.function, call.arguments...)
				if strings.HasPrefix(call.function, "path_link") || strings.HasPrefix(call.function, "path_rename") {
					require.NotZero(t, got, call.function) // there may be two things wrong
					continue
				}
				if call.function == "path_symlink" && got == errPERM {
					continue
				}
				require.Equal(t, attempt.want, got, call.function)
			}
		})
	}
	require.Equal(t, "secret", readFile(t, project, "/secret"))
	require.Equal(t, "content", readFile(t, project, "/view/file"))
	names, err := afero.ReadDir(project, "/")
	require.NoError(t, err)
	require.Len(t, names, 2)
}

// TestWASIMemory has all calls point outside of the guest's memory, at its end, and where addresses wrap.
func TestWASIMemory(t *testing.T) {
	program := loadCaller(t)
	project := newProject(t, nil)
	writeFile(t, project, "/file", "content")
	g := begin(t, program, sandbox.RunOptions{
		Files: project, Args: []string{"a", "b"}, Env: []string{"A=B"}, Stdin: []byte("input"),
		Limits: sandbox.Limits{Time: time.Minute},
	})
	file := g.open("file", 0, readWrite)
	path, length := g.put(textAt, "file")
	list, count := g.vector(bytesAt, 10)
	wild := []uint64{memory, memory - 1, memory + 1, math.MaxUint32, math.MaxUint32 - 7, math.MaxInt32 + 1}
	for _, attempt := range []struct {
		function  string
		arguments []uint64
	}{
		{"args_sizes_get", []uint64{elsewhere, result}}, {"args_sizes_get", []uint64{result, elsewhere}},
		{"args_get", []uint64{elsewhere, bytesAt}}, {"args_get", []uint64{bytesAt, elsewhere}},
		{"environ_sizes_get", []uint64{elsewhere, result}}, {"environ_sizes_get", []uint64{result, elsewhere}},
		{"environ_get", []uint64{elsewhere, bytesAt}}, {"environ_get", []uint64{bytesAt, elsewhere}},
		{"clock_res_get", []uint64{0, elsewhere}}, {"clock_time_get", []uint64{0, 0, elsewhere}},
		{"clock_time_get", []uint64{1, 0, elsewhere}},
		{"random_get", []uint64{elsewhere, 10}}, {"random_get", []uint64{2, elsewhere}},
		{"fd_prestat_get", []uint64{root, elsewhere}},
		{"fd_fdstat_get", []uint64{0, elsewhere}}, {"fd_fdstat_get", []uint64{file, elsewhere}},
		{"fd_filestat_get", []uint64{1, elsewhere}}, {"fd_filestat_get", []uint64{file, elsewhere}},
		{"fd_filestat_get", []uint64{root, elsewhere}},
		{"fd_seek", []uint64{file, 0, 0, elsewhere}}, {"fd_seek", []uint64{file, 0, 2, elsewhere}},
		{"fd_tell", []uint64{file, elsewhere}},
		{"fd_read", []uint64{file, elsewhere, 1, result}}, {"fd_read", []uint64{file, list, count, elsewhere}},
		{"fd_read", []uint64{0, elsewhere, 1, result}}, {"fd_read", []uint64{0, list, count, elsewhere}},
		{"fd_pread", []uint64{file, elsewhere, 1, 0, result}}, {"fd_pread", []uint64{file, list, count, 0, elsewhere}},
		{"fd_write", []uint64{file, elsewhere, 1, result}}, {"fd_write", []uint64{file, list, count, elsewhere}},
		{"fd_write", []uint64{1, elsewhere, 1, result}}, {"fd_write", []uint64{1, list, count, elsewhere}},
		{"fd_pwrite", []uint64{file, elsewhere, 1, 0, result}},
		{"fd_pwrite", []uint64{file, list, count, 0, elsewhere}},
		{"fd_readdir", []uint64{root, elsewhere, 100, 0, result}},
		{"fd_readdir", []uint64{root, 8, elsewhere, 0, result}},
		{"fd_readdir", []uint64{root, bytesAt, 100, 0, elsewhere}},
		{"path_open", []uint64{root, 0, elsewhere, length, 0, reading, 0, 0, result}},
		{"path_open", []uint64{root, 0, path, length, create, reading, 0, 0, elsewhere}},
		{"path_filestat_get", []uint64{root, 0, elsewhere, length, result}},
		{"path_filestat_get", []uint64{root, 0, path, length, elsewhere}},
		{"path_filestat_set_times", []uint64{root, 0, elsewhere, length, 0, 0, 0}},
		{"path_create_directory", []uint64{root, elsewhere, length}}, {"path_remove_directory",
			[]uint64{root, elsewhere, length}},
		{"path_unlink_file", []uint64{root, elsewhere, length}}, {"path_unlink_file", []uint64{root, 2, elsewhere}},
		{"path_rename", []uint64{root, elsewhere, length, root, path, length}},
		{"path_rename", []uint64{root, path, length, root, elsewhere, length}},
		{"path_link", []uint64{root, 0, elsewhere, length, root, path, length}},
		{"path_link", []uint64{root, 0, path, length, root, elsewhere, length}},
		{"path_symlink", []uint64{elsewhere, length, root, path, length}},
		{"path_symlink", []uint64{path, length, root, elsewhere, length}},
		{"path_readlink", []uint64{root, elsewhere, length, bytesAt, 10, result}},
		{"path_readlink", []uint64{root, path, length, elsewhere, 10, result}},
		{"path_readlink", []uint64{root, path, length, bytesAt, 10, elsewhere}},
		{"poll_oneoff", []uint64{elsewhere, bytesAt, 1, result}},
		{"poll_oneoff", []uint64{bytesAt, elsewhere, 1, result}},
		{"poll_oneoff", []uint64{textAt, bytesAt, 1, elsewhere}},
	} {
		for _, address := range wild {
			arguments := slices.Clone(attempt.arguments)
			at := slices.Index(arguments, elsewhere)
			require.GreaterOrEqual(t, at, 0)
			arguments[at] = address
			require.EqualValues(t, errFAULT, g.call(attempt.function, arguments...), "%s %x", attempt.function,
				arguments)
		}
	}
	require.EqualValues(t, errFAULT, g.call("fd_prestat_dir_name", root, memory, 1))
	require.EqualValues(t, errNAMETOOLONG, g.call("fd_prestat_dir_name", root, bytesAt, 0))
	for _, buffer := range []struct{ at, length uint32 }{
		{memory - 1, 2}, {memory, 1}, {memory + 1, 0}, {math.MaxUint32, 1}, {math.MaxUint32, math.MaxUint32},
		{1, math.MaxUint32},
		{0, memory + 1}, {math.MaxUint32 - 3, 8},
	} {
		list, count := g.vector(buffer.at, buffer.length)
		for _, fd := range []uint64{1, file} {
			require.EqualValues(t, errFAULT, g.call("fd_write", fd, list, count, result), "%+v", buffer)
		}
		for _, fd := range []uint64{0, file} {
			require.EqualValues(t, errFAULT, g.call("fd_read", fd, list, count, result), "%+v", buffer)
		}
		require.EqualValues(t, errFAULT, g.call("fd_pwrite", file, list, count, 0, result), "%+v", buffer)
		require.EqualValues(t, errFAULT, g.call("fd_pread", file, list, count, 0, result), "%+v", buffer)
	}
	require.Equal(t, "content", g.read(file, 100), "nothing of all that has been read or written")
	require.Equal(t, "input", g.read(0, 100))
	require.Equal(t, "content", readFile(t, project, "/file"))
	fd := g.open("file", 0, reading)
	require.Equal(t, file+1, fd, "or opened")
}

// elsewhere stands for an address.
const elsewhere = math.MaxUint64

func TestWASIVectors(t *testing.T) {
	program := loadCaller(t)
	project := newProject(t, &vfs.Options{Quota: vfs.Quota{FileSize: 3 << 20}})
	g := begin(t, program, sandbox.RunOptions{Files: project, Limits: sandbox.Limits{Time: time.Minute}})
	fd := g.open("file", create, readWrite)

	many := func(n int, at, length uint32) (uint64, uint64) {
		var list []byte
		for range n {
			list = binary.LittleEndian.AppendUint32(list, at)
			list = binary.LittleEndian.AppendUint32(list, length)
		}
		g.put(otherAt, string(list))
		return otherAt, uint64(n)
	}
	g.put(bytesAt, "0123456789")
	list, n := many(1024, bytesAt, 3)
	g.do("fd_write", fd, list, n, result)
	require.EqualValues(t, 3072, g.u32(result))
	require.Equal(t, strings.Repeat("012", 1024), readFile(t, project, "/file"))
	list, n = many(100, bytesAt, 0)
	g.do("fd_write", fd, list, n, result)
	require.Zero(t, g.u32(result))
	g.do("fd_write", fd, list, 0, result)
	require.Zero(t, g.u32(result))

	list, n = many(5, bytesAt, memory-bytesAt) // pieces are of other sizes than buffers
	g.do("fd_pwrite", fd, list, n, 0, result)
	require.EqualValues(t, 5*(memory-bytesAt), g.u32(result))
	g.do("fd_pread", fd, list, n, 0, result)
	require.EqualValues(t, 5*(memory-bytesAt), g.u32(result))
	require.Equal(t, strings.Repeat(string(g.get(bytesAt, memory-bytesAt)), 5), readFile(t, project, "/file"))

	require.EqualValues(t, errINVAL, g.call("fd_write", fd, list, 1025, result), "too many")
	require.EqualValues(t, errINVAL, g.call("fd_write", fd, list, math.MaxUint32, result))
	list, n = many(1024, 0, memory) // 256 MB in all, of which 3 fit into a file
	g.do("fd_pwrite", fd, list, n, 0, result)
	require.EqualValues(t, 3<<20, g.u32(result), "what could be written")
	require.EqualValues(t, errNOSPC, g.call("fd_pwrite", fd, list, n, 3<<20, result))
	for _, offset := range []uint64{math.MaxUint64, 1 << 63, math.MaxInt64} {
		list, n = g.vector(bytesAt, 10)
		require.EqualValues(t, errINVAL, g.call("fd_pwrite", fd, list, n, offset, result))
		require.EqualValues(t, errINVAL, g.call("fd_pread", fd, list, n, offset, result))
	}
}

func TestWASIDescriptors(t *testing.T) {
	program := loadCaller(t)
	project := newProject(t, nil)
	writeFile(t, project, "/file", "content")
	require.NoError(t, project.Mkdir("/dir", 0o755))
	options := sandbox.RunOptions{Files: project, Stdin: []byte("input"), Limits: sandbox.Limits{Time: time.Minute}}

	t.Run("have the lowest free number", func(t *testing.T) {
		g := begin(t, program, options)
		for want := range 10 {
			require.EqualValues(t, 4+want, g.open("file", 0, reading))
		}
		g.do("fd_close", 7)
		g.do("fd_close", 5)
		require.EqualValues(t, errBADF, g.call("fd_close", 5))
		require.EqualValues(t, 5, g.open("file", 0, reading))
		require.EqualValues(t, 7, g.open("file", 0, reading))
		require.EqualValues(t, 14, g.open("dir", directory, 0))
	})
	t.Run("are limited", func(t *testing.T) {
		g := begin(t, program, options)
		for range sandbox.MaxDescriptors - 4 {
			g.open("file", 0, reading)
		}
		for _, path := range []string{"file", "new", ".", "dir"} {
			_, number := g.tryOpen(root, path, create&uint64(len(path)), reading, 0)
			require.EqualValues(t, errMFILE, number)
		}
		_, err := project.Stat("/new")
		require.ErrorIs(t, err, os.ErrNotExist)
		other := begin(t, program, options)
		require.EqualValues(t, 4, other.open("file", 0, reading), "other runs have their own")
		g.do("fd_close", 100)
		require.EqualValues(t, 100, g.open("file", 0, reading))
	})
	t.Run("can be opened and closed without end", func(t *testing.T) {
		g := begin(t, program, options)
		times := 3000
		if *soak {
			times = 100_000
		}
		for range times {
			g.do("fd_close", g.open("file", 0, readWrite))
		}
	})
	t.Run("move", func(t *testing.T) {
		g := begin(t, program, options)
		a, b := g.open("file", 0, reading), g.open("dir", directory, 0)
		g.do("fd_renumber", a, b)
		require.EqualValues(t, errBADF, g.call("fd_renumber", a, b))
		require.EqualValues(t, errBADF, g.call("fd_renumber", b, a))
		require.EqualValues(t, errBADF, g.call("fd_renumber", b, math.MaxUint32))
		g.do("fd_renumber", b, b)
		require.Equal(t, "content", g.read(b, 100))
		g.do("fd_renumber", b, 0)
		require.Empty(t, g.read(0, 100), "the end of the file")
		require.EqualValues(t, errBADF, g.call("fd_filestat_get", b, result))
		g.do("fd_renumber", 1, root)
		require.EqualValues(t, 3, g.write(root, "out"))
		require.EqualValues(t, errBADF, g.call("fd_prestat_get", root, result))
		_, number := g.tryOpen(root, "file", 0, reading, 0)
		require.EqualValues(t, errNOTDIR, number)
		console, _ := g.run.Output().End()
		require.Equal(t, "out", console[0].Text)
	})
	t.Run("are closed for good", func(t *testing.T) {
		g := begin(t, program, options)
		for fd := range uint64(4) {
			g.do("fd_close", fd)
		}
		_, number := g.tryOpen(root, "file", 0, reading, 0)
		require.EqualValues(t, errBADF, number)
		list, n := g.vector(bytesAt, 1)
		require.EqualValues(t, errBADF, g.call("fd_write", 1, list, n, result))
		require.EqualValues(t, errBADF, g.call("fd_read", 0, list, n, result))
	})
	t.Run("belong to their run", func(t *testing.T) {
		g := begin(t, program, options)
		g.open("file", 0, reading)
		g.do("fd_close", 0)
		g.end()
		g = begin(t, program, options)
		require.EqualValues(t, errBADF, g.call("fd_filestat_get", 4, result))
		require.Equal(t, "input", g.read(0, 100))
		require.EqualValues(t, 4, g.open("file", 0, reading))
	})
	t.Run("of a run without files", func(t *testing.T) {
		g := begin(t, program, sandbox.RunOptions{})
		g.do("fd_prestat_get", root, result)
		for _, how := range []uint64{0, create} {
			_, number := g.tryOpen(root, "file", how, reading, 0)
			require.Contains(t, []uint32{errNOENT, errPERM}, number)
		}
		require.EqualValues(t, errPERM, g.onPath("path_create_directory", "new"))
		g.do("fd_readdir", root, bytesAt, 1000, 0, result)
		require.EqualValues(t, 2*24+3, g.u32(result), "nothing but . and ..")
	})
	t.Run("are no sockets", func(t *testing.T) {
		g := begin(t, program, options)
		for fd := range uint64(4) {
			require.EqualValues(t, errNOTSOCK, g.call("sock_accept", fd, 0, result))
			require.EqualValues(t, errNOTSOCK, g.call("sock_recv", fd, vector, 1, 0, result, result))
			require.EqualValues(t, errNOTSOCK, g.call("sock_send", fd, vector, 1, 0, result))
			require.EqualValues(t, errNOTSOCK, g.call("sock_shutdown", fd, 3))
		}
		require.EqualValues(t, errBADF, g.call("sock_accept", 4, 0, result))
	})
	t.Run("of streams", func(t *testing.T) {
		g := begin(t, program, options)
		for fd := range uint64(3) {
			g.do("fd_fdstat_get", fd, result)
			require.Zero(t, g.get(result, 1)[0], "no terminal")
			require.EqualValues(t, errSPIPE, g.call("fd_seek", fd, 0, 0, result))
			require.EqualValues(t, errSPIPE, g.call("fd_tell", fd, result))
			require.EqualValues(t, errSPIPE, g.call("fd_filestat_set_size", fd, 0))
			require.EqualValues(t, errINVAL, g.call("fd_sync", fd))
			require.EqualValues(t, errBADF, g.call("fd_prestat_get", fd, result))
			list, n := g.vector(bytesAt, 1)
			require.EqualValues(t, errSPIPE, g.call("fd_pread", fd, list, n, 0, result))
			require.EqualValues(t, errSPIPE, g.call("fd_pwrite", fd, list, n, 0, result))
			g.do("fd_filestat_get", fd, result)
			g.do("fd_fdstat_set_flags", fd, 4)
			g.do("fd_fdstat_get", fd, result)
			require.EqualValues(t, 4, g.u16(result+2))
		}
		list, n := g.vector(bytesAt, 1)
		require.EqualValues(t, errBADF, g.call("fd_write", 0, list, n, result))
		require.EqualValues(t, errBADF, g.call("fd_read", 1, list, n, result))
	})
}

func TestWASIFiles(t *testing.T) {
	program := loadCaller(t)
	project := newProject(t, nil)
	g := begin(t, program, sandbox.RunOptions{Files: project, Limits: sandbox.Limits{Time: time.Minute}})
	fd := g.open("file", create|exclusive, readWrite)
	require.EqualValues(t, 10, g.write(fd, "0123456789"))
	g.do("fd_tell", fd, result)
	require.EqualValues(t, 10, g.u64(result))
	seek := func(offset int64, whence uint64) uint64 {
		g.do("fd_seek", fd, uint64(offset), whence, result)
		return g.u64(result)
	}
	require.EqualValues(t, 2, seek(2, 0))
	require.Equal(t, "234", g.read(fd, 3))
	require.EqualValues(t, 4, seek(-1, 1))
	require.EqualValues(t, 8, seek(-2, 2))
	require.EqualValues(t, errINVAL, g.call("fd_seek", fd, math.MaxUint64, 0, result))
	require.EqualValues(t, errINVAL, g.call("fd_seek", fd, 0, 3, result))
	require.EqualValues(t, errINVAL, g.call("fd_seek", fd, 0, math.MaxUint32, result))

	g.do("fd_filestat_set_size", fd, 4)
	g.do("fd_allocate", fd, 2, 4)
	g.do("fd_allocate", fd, 0, 1)
	g.do("fd_filestat_get", fd, result)
	require.EqualValues(t, 6, g.u64(result+32))
	require.EqualValues(t, 4, g.get(result+16, 1)[0])
	require.EqualValues(t, errINVAL, g.call("fd_allocate", fd, 0, 0))
	require.EqualValues(t, errINVAL, g.call("fd_allocate", fd, math.MaxUint64, 1))
	require.EqualValues(t, errNOSPC, g.call("fd_allocate", fd, 0, 1<<40))
	require.NotZero(t, g.call("fd_allocate", fd, math.MaxInt64, math.MaxInt64))
	require.EqualValues(t, errINVAL, g.call("fd_filestat_set_size", fd, math.MaxUint64))
	g.do("fd_advise", fd, 0, 0, 5)
	require.EqualValues(t, errINVAL, g.call("fd_advise", fd, 0, 0, 6))
	g.do("fd_sync", fd)
	g.do("fd_datasync", fd)

	// flags: append and nonblock
	g.do("fd_fdstat_set_flags", fd, 5)
	g.do("fd_fdstat_get", fd, result)
	require.EqualValues(t, 5, g.u16(result+2))
	seek(0, 0)
	g.write(fd, "end")
	require.Equal(t, "0123\x00\x00end", readFile(t, project, "/file"))
	g.do("fd_fdstat_set_flags", fd, 0)
	require.EqualValues(t, errINVAL, g.call("fd_fdstat_set_flags", fd, 32))
	require.EqualValues(t, errNOTSUP, g.call("fd_fdstat_set_rights", fd, 0, 0))

	// times
	g.do("fd_filestat_set_times", fd, 0, 2_000_000_000_000, 4)
	g.do("fd_filestat_get", fd, result)
	require.EqualValues(t, 2_000_000_000_000, g.u64(result+48))
	at, length := g.put(textAt, "file")
	g.do("path_filestat_set_times", root, 1, at, length, 3_000_000_000_000, 3_000_000_000_000, 5)
	g.do("path_filestat_get", root, 0, at, length, result)
	require.EqualValues(t, 3_000_000_000_000, g.u64(result+48))
	g.do("path_filestat_set_times", root, 0, at, length, 0, 0, 8)
	g.do("path_filestat_get", root, 0, at, length, result)
	require.Greater(t, g.u64(result+48), uint64(1_000_000_000_000_000_000))
	for _, flags := range []uint64{3, 12, 15, 16, math.MaxUint32} {
		require.EqualValues(t, errINVAL, g.call("fd_filestat_set_times", fd, 0, 0, flags))
		require.EqualValues(t, errINVAL, g.call("path_filestat_set_times", root, 0, at, length, 0, 0, flags))
	}

	// ways of opening
	for _, test := range []struct {
		path               string
		how, rights, flags uint64
		want               uint32
	}{
		{"file", create | exclusive, reading, 0, errEXIST}, {"none", 0, reading, 0, errNOENT}, {"file", directory, 0, 0,
			errNOTDIR},
		{"file/", 0, reading, 0, errNOTDIR}, {".", 0, writing, 0, errISDIR}, {".", directory, readWrite, 0, errISDIR},
		{"new", create | directory, 0, 0, errINVAL}, {"file", 16, reading, 0, errINVAL},
		{"file", 0, reading, 32, errINVAL},
		{"file", math.MaxUint32, reading, 0, errINVAL}, {"file/below", create, writing, 0, errNOTDIR},
	} {
		_, number := g.tryOpen(root, test.path, test.how, test.rights, test.flags)
		require.Equal(t, test.want, number, "%+v", test)
	}
	require.EqualValues(t, errINVAL, g.call("path_open", root, 2, at, length, 0, reading, 0, 0, result))
	reader := g.open("file", 0, reading)
	writer := g.open("file", 0, writing)
	list, n := g.vector(bytesAt, 1)
	require.EqualValues(t, errBADF, g.call("fd_write", reader, list, n, result))
	require.EqualValues(t, errBADF, g.call("fd_read", writer, list, n, result))
	require.EqualValues(t, errBADF, g.call("fd_allocate", reader, 0, 100))

	// links
	other, otherLength := g.put(otherAt, "link")
	require.EqualValues(t, errPERM, g.call("path_link", root, 0, at, length, root, other, otherLength))
	require.EqualValues(t, errPERM, g.call("path_symlink", at, length, root, other, otherLength))
	require.EqualValues(t, errINVAL, g.call("path_readlink", root, at, length, bytesAt, 10, result))

	// directories
	require.Zero(t, g.onPath("path_create_directory", "dir"))
	require.EqualValues(t, errEXIST, g.onPath("path_create_directory", "dir"))
	g.do("fd_close", g.open("dir/inner", create, writing))
	require.EqualValues(t, errNOTEMPTY, g.onPath("path_remove_directory", "dir"))
	require.EqualValues(t, errISDIR, g.onPath("path_unlink_file", "dir"))
	require.EqualValues(t, errNOTDIR, g.onPath("path_remove_directory", "file"))
	require.Zero(t, g.onPath("path_unlink_file", "dir/inner"))
	require.Zero(t, g.onPath("path_remove_directory", "dir"))
	for _, path := range []string{".", "./.", "dir/.", "./"} { // the directory that it is relative to
		require.EqualValues(t, errINVAL, g.onPath("path_remove_directory", path))
	}
}

// listing reads a directory with a small buffer, beginning at a position.
func (g *guest) listing(fd, cookie uint64, size uint32) (names []string, positions []uint64) {
	g.t.Helper()
	for {
		g.do("fd_readdir", fd, bytesAt, uint64(size), cookie, result)
		used := g.u32(result)
		data := g.get(bytesAt, used)
		whole := false
		for len(data) >= 24 {
			length := binary.LittleEndian.Uint32(data[16:])
			if uint32(len(data)) < 24+length {
				break
			}
			cookie = binary.LittleEndian.Uint64(data)
			names = append(names, string(data[24:24+length]))
			positions = append(positions, cookie)
			data = data[24+length:]
			whole = true
		}
		if used < size {
			return names, positions
		}
		require.True(g.t, whole, "the buffer is too small")
	}
}

func TestWASIListings(t *testing.T) {
	program := loadCaller(t)
	project := newProject(t, nil)
	require.NoError(t, project.Mkdir("/dir", 0o755))
	want := []string{".", ".."}
	for i := range 200 {
		name := fmt.Sprintf("file-%03d", i)
		writeFile(t, project, "/dir/"+name, "")
		want = append(want, name)
	}
	g := begin(t, program, sandbox.RunOptions{Files: project, Limits: sandbox.Limits{Time: time.Minute}})
	fd := g.open("dir", directory, 0)
	for _, size := range []uint32{40, 41, 64, 100, 4096, 20000} {
		names, _ := g.listing(fd, 0, size)
		require.Equal(t, want, names)
	}
	_, positions := g.listing(fd, 0, 4096)
	names, _ := g.listing(fd, positions[99], 4096)
	require.Equal(t, want[100:], names, "from a position")
	g.do("fd_readdir", fd, bytesAt, 0, 0, result)
	require.Zero(t, g.u32(result))
	g.do("fd_readdir", fd, bytesAt, 10, 0, result)
	require.EqualValues(t, 10, g.u32(result), "less than one entry")
	for _, cookie := range []uint64{202, 203, math.MaxUint64, 1 << 63} {
		g.do("fd_readdir", fd, bytesAt, 1000, cookie, result)
		require.Zero(t, g.u32(result), "behind the end")
	}
	// A guest that removes what it reads misses nothing, and what others do appears when it begins anew.
	g.do("fd_readdir", fd, bytesAt, 1000, 0, result)
	for _, name := range want[2:] {
		require.Zero(t, g.onPath("path_unlink_file", "dir/"+name))
	}
	writeFile(t, project, "/dir/another", "")
	names, _ = g.listing(fd, 2, 1000)
	require.Equal(t, want[2:], names)
	names, _ = g.listing(fd, 0, 1000)
	require.Equal(t, []string{".", "..", "another"}, names)
	before := g.in.Work()
	g.do("fd_readdir", g.open(".", directory, 0), bytesAt, 0, 0, result)
	few := g.in.Work() - before
	for i := range 100 {
		writeFile(t, project, fmt.Sprint("/more-", i), "")
	}
	before = g.in.Work()
	g.do("fd_readdir", g.open(".", directory, 0), bytesAt, 0, 0, result)
	require.Greater(t, g.in.Work()-before, few+100*100/sandbox.HostBytes-1, "looking at entries is work")
	require.NoError(t, project.RemoveAll("/dir"))
	require.EqualValues(t, errNOENT, g.call("fd_readdir", fd, bytesAt, 1000, 0, result))
	file := g.open("file", create, reading)
	require.EqualValues(t, errNOTDIR, g.call("fd_readdir", file, bytesAt, 1000, 0, result))
	require.EqualValues(t, errSPIPE, g.call("fd_readdir", 1, bytesAt, 1000, 0, result))
}

func TestWASIReadOnlyFiles(t *testing.T) {
	program := loadCaller(t)
	project := newProject(t, nil)
	require.NoError(t, project.Mkdir("/memories", 0o755))
	writeFile(t, project, "/memories/note", "mine")
	g := begin(t, program, sandbox.RunOptions{Files: vfs.ReadOnly(project, "/memories"),
		Limits: sandbox.Limits{Time: time.Minute}})
	require.Equal(t, "mine", g.read(g.open("memories/note", 0, reading), 100))
	g.do("fd_close", g.open("elsewhere", create, writing))
	for _, test := range []struct {
		path        string
		how, rights uint64
	}{
		{"memories/note", 0, writing}, {"memories/note", 0, readWrite}, {"memories/note", truncate, reading},
		{"memories/new", create, reading}, {"memories/new", create | truncate, writing}, {"Memories/NOTE", truncate,
			writing},
	} {
		_, number := g.tryOpen(root, test.path, test.how, test.rights, 0)
		require.EqualValues(t, errROFS, number, "%+v", test)
	}
	note := g.open("memories/note", 0, reading)
	require.EqualValues(t, errROFS, g.call("fd_filestat_set_times", note, 0, 1, 4))
	require.EqualValues(t, errINVAL, g.call("fd_filestat_set_size", note, 0))
	require.EqualValues(t, errROFS, g.onPath("path_unlink_file", "memories/note"))
	require.EqualValues(t, errROFS, g.onPath("path_create_directory", "memories/new"))
	from, fromLength := g.put(textAt, "memories")
	to, toLength := g.put(otherAt, "moved")
	require.EqualValues(t, errROFS, g.call("path_rename", root, from, fromLength, root, to, toLength))
	from, fromLength = g.put(textAt, "elsewhere")
	to, toLength = g.put(otherAt, "memories/note")
	require.EqualValues(t, errROFS, g.call("path_rename", root, from, fromLength, root, to, toLength))
	require.Equal(t, "mine", readFile(t, project, "/memories/note"))
}

// TestWASIChangesAreTheProjects has a quota, a history, and undoing.
func TestWASIChangesAreTheProjects(t *testing.T) {
	program := loadCaller(t)
	project := newProject(t, &vfs.Options{Quota: vfs.Quota{Bytes: 1000, Files: 3}})
	writeFile(t, project, "/kept", "before")
	writeFile(t, project, "/removed", "before")
	call := project.WithCall("call")
	g := begin(t, program, sandbox.RunOptions{Files: call, Limits: sandbox.Limits{Time: time.Minute}})
	fd := g.open("kept", truncate, writing)
	g.write(fd, "after")
	require.Equal(t, "before", readFile(t, project, "/kept"), "others see a whole file")
	g.do("fd_close", fd)
	require.Equal(t, "after", readFile(t, project, "/kept"))
	require.Zero(t, g.onPath("path_unlink_file", "removed"))
	g.do("fd_close", g.open("temp", create|exclusive, writing))
	from, fromLength := g.put(textAt, "temp")
	to, toLength := g.put(otherAt, "new")
	g.do("path_rename", root, from, fromLength, root, to, toLength)
	fd = g.open("new", 0, writing)
	require.EqualValues(t, errNOSPC, g.call("fd_filestat_set_size", fd, 2000))
	require.Zero(t, g.onPath("path_create_directory", "dir"))
	require.EqualValues(t, errNOSPC, g.onPath("path_create_directory", "dir/more"))
	open := g.open("new", 0, writing)
	call.EndCall()
	for _, function := range []string{"fd_sync", "fd_filestat_set_size"} {
		arguments := []uint64{open, 100}[:len(wasiSignatures[function])]
		require.EqualValues(t, errBADF, g.call(function, arguments...), "%s after the call has ended", function)
	}
	list, n := g.vector(bytesAt, 10)
	require.EqualValues(t, errBADF, g.call("fd_write", open, list, n, result))
	_, number := g.tryOpen(root, "later", create, writing, 0)
	require.EqualValues(t, errBADF, number)
	g.end()

	_, err := project.Undo(t.Context(), "call")
	require.NoError(t, err)
	require.Equal(t, "before", readFile(t, project, "/kept"))
	require.Equal(t, "before", readFile(t, project, "/removed"))
	names, err := afero.ReadDir(project, "/")
	require.NoError(t, err)
	require.Len(t, names, 2)
}

// TestWASIScratch has /tmp in a run, and not in the next one or in the project.
func TestWASIScratch(t *testing.T) {
	project := newProject(t, nil)
	for _, guest := range []sandbox.Guest{{Name: "caller"}, {Name: "a caller without a clock", NoClock: true}} {
		program := loadCallerAs(t, guest)
		for range 2 {
			g := begin(t, program, sandbox.RunOptions{Files: project})
			before := time.Now()
			require.EqualValues(t, errNOENT, g.onPath("path_unlink_file", "tmp/file"))
			require.True(t, g.in.FilesAsAtStart())
			fd := g.open("tmp/file", create|exclusive, writing)
			g.write(fd, "scratch")
			g.do("fd_filestat_get", fd, result)
			const modified = 48
			at := time.Unix(0, int64(g.u64(result+modified)))
			require.Equal(t, guest.NoClock, at.Before(before), at)
			const size = 1 << 20
			g.do("fd_filestat_set_size", fd, size)
			g.do("fd_close", fd)
			require.Zero(t, g.in.OpenFiles())
			require.False(t, g.in.FilesAsAtStart())
			for _, names := range [][2]string{{"tmp/file", "file"}, {"file", "tmp/file"}} {
				from, fromLength := g.put(textAt, names[0])
				to, toLength := g.put(otherAt, names[1])
				work := g.in.Work()
				g.do("path_rename", root, from, fromLength, root, to, toLength)
				require.Greater(t, g.in.Work()-work, int64(size/sandbox.HostBytes), "copying counts")
			}
			_, err := g.run.Suspend(nil)
			require.ErrorIs(t, err, sandbox.ErrOpenFiles)
			g.end()
		}
	}
	names, err := afero.ReadDir(project, "/")
	require.NoError(t, err)
	require.Empty(t, names)
}

// TestWASIReplacingIsAtomic ends runs while a file is being replaced.
func TestWASIReplacingIsAtomic(t *testing.T) {
	project := newProject(t, nil)
	for _, test := range []struct {
		name   string
		limits sandbox.Limits
		last   func(t *testing.T, g *guest, cancel context.CancelFunc)
		want   string
	}{
		{"a run that exits", sandbox.Limits{}, func(t *testing.T, g *guest, _ context.CancelFunc) {
			_, err := g.try("proc_exit", 1)
			require.ErrorAs(t, err, new(*sandbox.ExitError))
		}, "new"},
		{"a run that returns", sandbox.Limits{}, func(*testing.T, *guest, context.CancelFunc) {}, "new"},
		{"a run that is canceled", sandbox.Limits{}, func(t *testing.T, g *guest, cancel context.CancelFunc) {
			cancel()
			_, err := g.try("fd_sync", 4)
			require.ErrorAs(t, err, new(*sandbox.StoppedError))
		}, "old"},
		{"a run that is out of work", sandbox.Limits{Work: 2000}, func(t *testing.T, g *guest, _ context.CancelFunc) {
			var err error
			for err == nil {
				_, err = g.try("fd_filestat_get", 4, result)
			}
			require.ErrorAs(t, err, new(*sandbox.LimitError))
		}, "old"},
		{"a run that is out of time", sandbox.Limits{Time: 50 * time.Millisecond}, func(t *testing.T, g *guest,
			_ context.CancelFunc) {
			<-g.run.Context().Done()
			_, err := g.try("fd_sync", 4)
			require.ErrorIs(t, err, context.DeadlineExceeded)
		}, "old"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // so that time is not up too early
				program := loadCaller(t)
				writeFile(t, project, "/file", "old")
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				run, err := program.Begin(ctx, sandbox.RunOptions{Files: project, Limits: test.limits})
				require.NoError(t, err)
				g := &guest{t: t, run: run}
				defer g.end()
				g.in, err = run.Start(nil)
				require.NoError(t, err)
				fd := g.open("file", truncate|create, writing)
				g.write(fd, "new")
				require.Equal(t, "old", readFile(t, project, "/file"))
				test.last(t, g, cancel)
				g.end()
				require.Equal(t, test.want, readFile(t, project, "/file"))
			})
		})
	}
}

// hanging is a file system that does not return from an operation.
type hanging struct {
	afero.Fs
	hangs chan struct{} // closed when it does
	until chan struct{}
}

func (h hanging) Remove(name string) error {
	close(h.hangs)
	<-h.until
	return h.Fs.Remove(name)
}

func (h hanging) Mkdir(string, os.FileMode) error { panic("on purpose") }

func (h hanging) OpenFile(name string, flag int, perm os.FileMode) (afero.File, error) {
	f, err := h.Fs.OpenFile(name, flag, perm)
	if name == "/writing" {
		f = hangingFile{f, h}
	}
	return f, err
}

type hangingFile struct {
	afero.File
	h hanging
}

func (f hangingFile) WriteAt(b []byte, off int64) (int, error) {
	close(f.h.hangs)
	<-f.h.until
	return f.File.WriteAt(b, off)
}

func TestWASIFilesThatHang(t *testing.T) {
	program := loadCaller(t)
	for _, what := range []string{"removing", "writing"} {
		t.Run(what, func(t *testing.T) {
			project := newProject(t, nil)
			writeFile(t, project, "/writing", "old")
			call := project.WithCall("call")
			files := hanging{call, make(chan struct{}), make(chan struct{})}
			ctx, cancel := context.WithCancel(t.Context())
			run, err := program.Begin(ctx, sandbox.RunOptions{Files: files})
			require.NoError(t, err)
			g := &guest{t: t, run: run}
			defer g.end()
			g.in, err = run.Start(nil)
			require.NoError(t, err)
			require.EqualValues(t, errIO, g.onPath("path_create_directory", "dir"), "panics are errors")
			fd := g.open("writing", 0, readWrite)
			go func() {
				<-files.hangs
				cancel()
			}()
			if what == "writing" {
				g.put(bytesAt, "new")
				list, n := g.vector(bytesAt, 3)
				_, err = g.try("fd_write", fd, list, n, result)
			} else {
				at, length := g.put(textAt, "writing")
				_, err = g.try("path_unlink_file", root, at, length)
			}
			require.ErrorAs(t, err, new(*sandbox.StoppedError))
			g.end()
			call.EndCall()
			close(files.until) // too late
			require.Equal(t, "old", readFile(t, project, "/writing"))
		})
	}
}

// TestWASIWaitsForTheProject has somebody else keep the project from being changed.
func TestWASIWaitsForTheProject(t *testing.T) {
	program := loadCaller(t)
	project := newProject(t, nil)
	writeFile(t, project, "/writing", "old")
	call := project.WithCall("call")
	files := hanging{call, make(chan struct{}), make(chan struct{})}
	close(files.until) // it says when it writes, and does not hang
	ctx, cancel := context.WithCancel(t.Context())
	run, err := program.Begin(ctx, sandbox.RunOptions{Files: files})
	require.NoError(t, err)
	g := &guest{t: t, run: run}
	defer g.end()
	g.in, err = run.Start(nil)
	require.NoError(t, err)
	fd := g.open("writing", 0, readWrite)
	require.NoError(t, project.Exclusively(t.Context(), func(afero.Fs) error {
		require.Equal(t, "old", g.read(fd, 10), "reading goes on")
		g.put(bytesAt, "new")
		list, n := g.vector(bytesAt, 3)
		go func() {
			<-files.hangs
			cancel()
		}()
		_, err := g.try("fd_pwrite", fd, list, n, 0, result)
		require.ErrorAs(t, err, new(*sandbox.StoppedError))
		g.end()
		call.EndCall()
		return nil
	}))
	require.NoError(t, project.Exclusively(t.Context(), func(files afero.Fs) error {
		require.Equal(t, "old", readFile(t, files, "/writing"))
		return nil
	}))
}

// TestWASIFilesLeftOpen reports what becomes of them.
func TestWASIFilesLeftOpen(t *testing.T) {
	program := loadCaller(t)
	project := newProject(t, &vfs.Options{Quota: vfs.Quota{Bytes: 10}})
	begun := func() *guest {
		g := begin(t, program, sandbox.RunOptions{Files: project})
		g.write(g.open("file", create|truncate, writing), "01234567")
		return g
	}
	require.NoError(t, begun().in.CloseFiles())
	require.Equal(t, "01234567", readFile(t, project, "/file"))
	g := begun()
	require.NoError(t, project.Remove("/file"))
	other, err := project.OpenFile("/other", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	require.NoError(t, err)
	_, err = other.WriteString("01234567")
	require.NoError(t, errors.Join(err, other.Close()))
	err = g.in.CloseFiles()
	require.ErrorAs(t, err, new(*vfs.QuotaError))
	require.True(t, sandbox.IsGuestFailure(err))
	require.NoError(t, g.in.CloseFiles(), "they are closed")
}

func TestWASIPolling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		program := loadCaller(t)
		project := newProject(t, nil)
		writeFile(t, project, "/file", "content")
		g := begin(t, program, sandbox.RunOptions{Files: project, Stdin: []byte("input"),
			Limits: sandbox.Limits{Time: time.Minute}})
		file := g.open("file", 0, readWrite)
		clock := func(id uint64, clock uint32, timeout uint64, flags uint16) []byte {
			s := make([]byte, 48)
			binary.LittleEndian.PutUint64(s, id)
			binary.LittleEndian.PutUint32(s[16:], clock)
			binary.LittleEndian.PutUint64(s[24:], timeout)
			binary.LittleEndian.PutUint16(s[40:], flags)
			return s
		}
		ready := func(id uint64, kind byte, fd uint32) []byte {
			s := make([]byte, 48)
			binary.LittleEndian.PutUint64(s, id)
			s[8] = kind
			binary.LittleEndian.PutUint32(s[16:], fd)
			return s
		}
		poll := func(events uint64, subscriptions ...[]byte) []string {
			t.Helper()
			list := slices.Concat(subscriptions...)
			g.put(bytesAt, string(list))
			g.do("poll_oneoff", bytesAt, events, uint64(len(subscriptions)), result)
			var got []string
			for i := range g.u32(result) {
				at := uint32(events) + 32*i
				got = append(got, fmt.Sprintf("%d: %d of %d with %d, %d", g.u64(at), g.u16(at+8), g.get(at+10, 1)[0],
					g.u64(at+16), g.u16(at+24)))
			}
			return got
		}
		const hour = uint64(time.Hour)
		const absolute = 1
		for _, events := range []uint64{otherAt, bytesAt} { // events may be where subscriptions were
			require.Equal(t, []string{"1: 0 of 1 with 5, 0", "2: 0 of 2 with 0, 0", "3: 0 of 1 with 0, 0",
				"4: 0 of 2 with 0, 0"},
				poll(events, clock(9, 0, hour, 0), ready(1, 1, 0), ready(2, 2, 1), ready(3, 1, uint32(file)),
					ready(4, 2, uint32(file))))
		}
		g.read(0, 100)
		require.Equal(t, []string{"1: 0 of 1 with 0, 1"}, poll(otherAt, ready(1, 1, 0), clock(2, 1, hour, 0)),
			"the end")
		require.Equal(t, []string{"1: 8 of 1 with 0, 0", "2: 28 of 0 with 0, 0"}, poll(otherAt, ready(1, 1, 55),
			clock(2, 3, 1, 0)))
		require.Equal(t, []string{"3: 0 of 0 with 0, 0"},
			poll(otherAt, clock(1, 1, hour, 0), clock(2, 1, uint64(2*time.Millisecond), 0),
				clock(3, 0, uint64(time.Millisecond), 0)))
		require.Equal(t, []string{"1: 0 of 0 with 0, 0", "2: 0 of 0 with 0, 0"},
			poll(otherAt, clock(1, 0, 0, absolute), clock(2, 1, 1, absolute), clock(3, 0, math.MaxUint64, absolute),
				clock(4, 1, math.MaxUint64, 0)))
		require.EqualValues(t, errINVAL, g.call("poll_oneoff", bytesAt, otherAt, 0, result))
		require.EqualValues(t, errINVAL, g.call("poll_oneoff", bytesAt, otherAt, 1025, result))
		require.EqualValues(t, errINVAL, g.call("poll_oneoff", bytesAt, otherAt, math.MaxUint32, result))
		g.put(bytesAt, string(ready(1, 3, 0)))
		require.EqualValues(t, errINVAL, g.call("poll_oneoff", bytesAt, otherAt, 1, result), "a kind that there is not")

		for _, subscriptions := range [][]byte{
			clock(1, 0, math.MaxUint64, 0), clock(1, 1, math.MaxInt64, absolute), slices.Concat(clock(1, 0, hour, 0),
				clock(2, 1, hour, 0)),
		} {
			ctx, cancel := context.WithCancel(t.Context())
			run, err := program.Begin(ctx, sandbox.RunOptions{})
			require.NoError(t, err)
			waiting := &guest{t: t, run: run}
			waiting.in, err = run.Start(nil)
			require.NoError(t, err)
			waiting.put(bytesAt, string(subscriptions))
			time.AfterFunc(5*time.Millisecond, cancel)
			_, err = waiting.try("poll_oneoff", bytesAt, otherAt, uint64(len(subscriptions)/48), result)
			require.ErrorAs(t, err, new(*sandbox.StoppedError))
			waiting.end()
		}
	})
}

func TestWASIProcess(t *testing.T) {
	program := loadCaller(t)
	t.Setenv("TOOLRUN_TEST_SECRET", "secret")
	g := begin(t, program, sandbox.RunOptions{})
	for _, function := range []string{"args_sizes_get", "environ_sizes_get"} {
		g.do(function, result, result+4)
		require.Zero(t, g.u64(result), "nothing that is not given")
	}
	for signal, want := range map[uint64]uint32{0: 0, 16: 0, 17: 0, 18: errNOTSUP, 21: errNOTSUP, 22: 0, 27: 0,
		31: errINVAL, math.MaxUint32: errINVAL} {
		require.Equal(t, want, g.call("proc_raise", signal), signal)
	}
	for _, clock := range []uint64{2, 3, 4, math.MaxUint32} {
		require.EqualValues(t, errINVAL, g.call("clock_time_get", clock, 0, result))
		require.EqualValues(t, errINVAL, g.call("clock_res_get", clock, result))
	}
	g.do("sched_yield")
	g.do("random_get", bytesAt, 64)
	require.NotEqual(t, make([]byte, 64), g.get(bytesAt, 64))
	for signal, status := range map[uint64]int{6: 134, 9: 137, 15: 143, 30: 158} {
		_, err := g.try("proc_raise", signal)
		exit, ok := errors.AsType[*sandbox.ExitError](err)
		require.True(t, ok)
		require.Equal(t, status, exit.Code)
	}
}

// TestWASIStreamsByName opens the standard streams as files, unless the project has a /dev of its own.
func TestWASIStreamsByName(t *testing.T) {
	program := loadCaller(t)
	g := begin(t, program, sandbox.RunOptions{Files: newProject(t, nil), Stdin: []byte("input")})
	in := g.open("dev/stdin", 0, 0)
	require.Equal(t, "input", g.read(in, 100))
	require.False(t, g.in.FilesAsAtStart())
	g.do("fd_close", in)
	require.True(t, g.in.FilesAsAtStart())
	out := g.open("./dev//stdout", create|truncate, writing)
	require.EqualValues(t, len("printed\n"), g.write(out, "printed\n"))
	g.do("fd_filestat_get", out, result)
	g.do("fd_close", out)
	for _, how := range []uint64{exclusive | create, directory} {
		_, number := g.tryOpen(root, "dev/stderr", how, 0, 0)
		require.NotZero(t, number)
	}
	require.EqualValues(t, errNOENT, g.onPath("path_unlink_file", "dev/stdin"))
	console, _ := g.run.Output().End()
	require.Equal(t, []sandbox.Entry{{Text: "printed"}}, console)
	g.end()

	project := newProject(t, nil)
	require.NoError(t, project.Mkdir("/dev", 0o755))
	writeFile(t, project, "/dev/stdin", "a file")
	g = begin(t, program, sandbox.RunOptions{Files: project, Stdin: []byte("input")})
	require.Equal(t, "a file", g.read(g.open("dev/stdin", 0, 0), 100))
	_, number := g.tryOpen(root, "dev/stdout", 0, 0, 0)
	require.EqualValues(t, errNOENT, number)
	g.end()
}
