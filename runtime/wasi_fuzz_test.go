package runtime_test

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/vfs"
)

// fuzzPaths are the paths that FuzzWASI uses, all of one length. They are in the guest's memory from textAt on.
var fuzzPaths = []string{
	"file.txt", "dir/file", "dir/////", "././dir/", "new/////", "dir/new/", "dir/../a", "../../up", "/secret/",
	"dir/..//", "\x00/\xff\xfe../a",
	"ünïcö", "DIR/FILE", ".toolrun", ".///////", "dir/down",
}

const fuzzPathLength = 8

// fuzzValues are the arguments that FuzzWASI uses.
var fuzzValues = func() []uint64 {
	values := []uint64{
		0, 1, 2, 3, 4, 5, 6, 7, fuzzPathLength, 10, 16, 24, 48, 63, 64, 100, 127, 128, 1000, 1 << 12, 1 << 16,
		memory - 1, memory, 1 << 20,
		1 << 31, math.MaxUint32, 1 << 32, 1 << 40, math.MaxInt64, 1 << 63, math.MaxUint64, result, vector, vector + 64,
		vector + 128, bytesAt,
		readWrite, reading, writing,
	}
	for i := range fuzzPaths {
		values = append(values, textAt+uint64(i)*fuzzPathLength)
	}
	return values
}()

// fuzzCall encodes a call.
func fuzzCall(function string, arguments ...uint64) []byte {
	call := []byte{byte(slices.Index(wasiNames, function))}
	for _, argument := range arguments {
		call = append(call, byte(slices.Index(fuzzValues, argument)))
	}
	return call
}

// FuzzWASI makes the calls that its input says. They must not make the host panic or fail, must end, and must change
// nothing outside of the guest's files.
func FuzzWASI(f *testing.F) {
	program := loadCaller(f)
	const first, second, dir = textAt, textAt + fuzzPathLength, textAt + 2*fuzzPathLength
	for _, seed := range [][][]byte{
		{
			fuzzCall("path_open", root, 0, first, fuzzPathLength, create, readWrite, 0, 0, result),
			fuzzCall("fd_write", 4, vector, 1, result), fuzzCall("fd_seek", 4, 0, 0, result),
			fuzzCall("fd_read", 4, vector, 2, result),
			fuzzCall("path_unlink_file", root, first, fuzzPathLength), fuzzCall("fd_pwrite", 4, vector, 2, 100, result),
			fuzzCall("fd_filestat_get", 4, bytesAt), fuzzCall("fd_close", 4),
		},
		{
			fuzzCall("path_open", root, 0, first, fuzzPathLength, truncate, readWrite, 0, 1, result),
			fuzzCall("fd_write", 4, vector, 1, result), fuzzCall("path_filestat_get", root, 0, first, fuzzPathLength,
				bytesAt),
			fuzzCall("path_rename", root, first, fuzzPathLength, root, second, fuzzPathLength),
			fuzzCall("fd_write", 4, vector, 2, result),
		},
		{
			fuzzCall("path_open", root, 0, dir, fuzzPathLength, directory, reading, 0, 0, result),
			fuzzCall("fd_readdir", 4, bytesAt, 1000, 0, result), fuzzCall("fd_readdir", 4, bytesAt, 100, 2, result),
			fuzzCall("fd_renumber", 4, root), fuzzCall("path_remove_directory", root, first, fuzzPathLength),
		},
		{fuzzCall("poll_oneoff", vector+128, bytesAt, 2, result), fuzzCall("proc_exit", 3)},
		{fuzzCall("fd_allocate", root, 0, 1), fuzzCall("random_get", bytesAt, 1000), fuzzCall("args_get", result,
			bytesAt)},
	} {
		f.Add(slices.Concat(seed...))
	}
	store := newProject(f, &vfs.Options{Quota: vfs.Quota{Bytes: 1 << 20, Files: 50},
		History: vfs.HistoryOptions{Bytes: 1 << 20}})
	writeFile(f, store, "/up", "outside")
	writeFile(f, store, "/secret", "outside")
	f.Fuzz(func(t *testing.T, input []byte) {
		require.NoError(t, store.RemoveAll("/inside"))
		require.NoError(t, store.MkdirAll("/inside/dir", 0o755))
		writeFile(t, store, "/inside/file.txt", strings.Repeat("content ", 1000))
		writeFile(t, store, "/inside/dir/file", "content")
		call := store.WithCall(t.Name())
		run, err := program.Begin(t.Context(), sandbox.RunOptions{
			Files: vfs.Sub(call, "/inside"), Args: []string{"a", "bc"}, Env: []string{"A=B"}, Stdin: []byte("input"),
			Limits: sandbox.Limits{Time: 100 * time.Millisecond, Work: 50_000_000},
		})
		require.NoError(t, err)
		g := &guest{t: t, run: run}
		g.in, err = run.Start(nil)
		require.NoError(t, err)
		g.in.Untrusted()
		_, length := g.put(textAt, strings.Join(fuzzPaths, ""))
		require.EqualValues(t, fuzzPathLength*len(fuzzPaths), length)
		var words []byte
		for _, v := range []uint32{
			bytesAt, 100, bytesAt + 50, 5000, 0, memory, math.MaxUint32, 1, 1, 0, 0, 0, 0, 0, 0, 0, // buffers
			textAt, 4, memory, memory, bytesAt, 1 << 16, bytesAt, 1 << 16, bytesAt, 0, 0, 0, 0, 0, 0, 0,
			7, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, // subscriptions: standard input, and a clock
			8, 0, 0, 0, 1, 0, 1000, 0, 0, 0, 0, 0,
		} {
			words = binary.LittleEndian.AppendUint32(words, v)
		}
		g.put(vector, string(words))
		for len(input) > 0 && err == nil {
			function := wasiNames[int(input[0])%len(wasiNames)]
			input = input[1:]
			arguments := make([]uint64, len(wasiSignatures[function]))
			for i := range arguments[:min(len(arguments), len(input))] {
				arguments[i] = fuzzValues[int(input[i])%len(fuzzValues)]
			}
			input = input[min(len(arguments), len(input)):]
			_, err = g.try(function, arguments...)
		}
		if err != nil {
			require.True(t, sandbox.IsGuestFailure(err), "%v", err)
			require.NotErrorAs(t, err, new(*sandbox.CrashError))
		}
		g.end()
		call.EndCall()
		require.Equal(t, "outside", readFile(t, store, "/up"))
		require.Equal(t, "outside", readFile(t, store, "/secret"))
		usage, err := store.Usage(t.Context())
		require.NoError(t, err)
		require.LessOrEqual(t, usage.Bytes, int64(1<<20))
		require.LessOrEqual(t, usage.Files, int64(50))
	})
}
