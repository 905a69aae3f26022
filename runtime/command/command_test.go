package command_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	asm "github.com/toolrun/toolrun/internal/wasm/wasmasm"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/command"
	"github.com/toolrun/toolrun/runtime/script"
)

func load(t testing.TB, module []byte, options *command.Options) *command.Command {
	engine, err := sandbox.New(nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close(context.Background())) })
	loaded, err := command.Load(context.Background(), engine, module, options)
	require.NoError(t, err)
	return loaded
}

// counting is the code of a function that adds one to the byte at 0 and prints it.
func counting(write uint32) []byte {
	return asm.Code(
		asm.I32(0), asm.I32(0), asm.Load(), asm.I32(1), asm.Add, asm.Store(),
		asm.I32(8), asm.I32(0), asm.Store(), asm.I32(12), asm.I32(1), asm.Store(), // one byte from 0 on
		asm.I32(1), asm.I32(8), asm.I32(1), asm.I32(16), asm.Call(write), asm.Drop)
}

// TestEachRunStartsFromTheImage: what runs before the image is there in each run, and what runs do is not.
func TestEachRunStartsFromTheImage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		why   string
		form  command.Form
		build func(m *asm.Module)
		want  string
	}{
		{"a command", command.FormCommand, func(m *asm.Module) {
			write := m.Import("wasi_snapshot_preview1", "fd_write", "iiii:i")
			m.Export("_start", m.Func(":", "", counting(write)))
			m.Data(0, "a")
		}, "b"},
		{"a command with a start function", command.FormCommand, func(m *asm.Module) {
			write := m.Import("wasi_snapshot_preview1", "fd_write", "iiii:i")
			m.Export("_start", m.Func(":", "", counting(write)))
			m.Start(m.Func(":", "", asm.I32(0), asm.I32('m'), asm.Store()))
		}, "n"},
		{"a reactor", command.FormReactor, func(m *asm.Module) {
			write := m.Import("wasi_snapshot_preview1", "fd_write", "iiii:i")
			m.Export("toolrun_call", m.Func(":i", "", counting(write), asm.I32(0)))
			m.Export("_initialize", m.Func(":", "", asm.I32(0), asm.I32(0), asm.Load(), asm.I32(3), asm.Add,
				asm.Store()))
			m.Data(0, "c")
		}, "g"},
		{"a reactor that needs no start", command.FormReactor, func(m *asm.Module) {
			write := m.Import("wasi_snapshot_preview1", "fd_write", "iiii:i")
			m.Export("toolrun_call", m.Func(":", "", counting(write)))
			m.Data(0, "y")
		}, "z"},
	} {
		t.Run(c.why, func(t *testing.T) {
			custom := asm.Section(0, asm.Code(asm.Name("notes"), []byte("anything")))
			loaded := load(t, module(func(m *asm.Module) { m.Custom = custom; c.build(m) }), nil)
			require.Equal(t, c.form, loaded.Form())
			for range 3 {
				result, err := loaded.Run(t.Context(), sandbox.RunOptions{})
				require.NoError(t, err)
				require.Equal(t, c.want, string(result.Output))
				require.Empty(t, result.Log)
			}
		})
	}
}

// TestLanguagesAreReadOnce: what the cache has of a language's module has been checked, and the module is not read.
func TestLanguagesAreReadOnce(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	read := 0
	language := func(code []byte) script.Module {
		build := script.FromBytes(code)
		build.Bytes = func() ([]byte, error) { read++; return code, nil }
		return build
	}
	open := func(build script.Module) (*command.Command, error) {
		engine, err := sandbox.New(&sandbox.EngineOptions{CacheDir: cache})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, engine.Close(context.Background())) })
		return command.LoadLanguage(t.Context(), engine, build, nil)
	}
	reactor := module(func(m *asm.Module) {
		write := m.Import("wasi_snapshot_preview1", "fd_write", "iiii:i")
		m.Export("toolrun_call", m.Func(":", "", counting(write)))
		m.Data(0, "y")
	})
	for range 3 {
		loaded, err := open(language(reactor))
		require.NoError(t, err)
		result, err := loaded.Run(t.Context(), sandbox.RunOptions{})
		require.NoError(t, err)
		require.Equal(t, "z", result.Log[0].Text)
	}
	require.Equal(t, 1, read)
	for want, code := range map[string][]byte{
		"it is a command, and has to be a reactor": module(func(m *asm.Module) { m.Export("_start", m.Func(":", "")) }),
		"bytes in one function": module(func(m *asm.Module) {
			m.Export("toolrun_call", m.Func(":", "", bytes.Repeat([]byte{0x01}, 600<<10)))
		}),
		"the module has the SHA-256": nil,
	} {
		build := language(code)
		if code == nil {
			build = language(reactor)
			build.SHA256[0]++
		}
		for range 2 {
			_, err := open(build)
			require.ErrorContains(t, err, want)
		}
	}
}

func TestExitStatus(t *testing.T) {
	t.Parallel()
	exit := func(status int32) []byte {
		return module(func(m *asm.Module) {
			f := m.Import("wasi_snapshot_preview1", "proc_exit", "i:")
			m.Export("_start", m.Func(":", "", asm.I32(status), asm.Call(f)))
		})
	}
	for _, c := range []struct {
		module []byte
		status int
	}{
		{exit(0), 0}, {exit(1), 1}, {exit(-1), -1},
		{module(func(m *asm.Module) { m.Export("toolrun_call", m.Func(":i", "", asm.I32(42))) }), 42},
	} {
		_, err := load(t, c.module, nil).Run(t.Context(), sandbox.RunOptions{})
		if c.status == 0 {
			require.NoError(t, err)
			continue
		}
		ended, ok := errors.AsType[*sandbox.ExitError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, c.status, ended.Code)
	}
}

// TestTheEndOfALongLogIsKept: programs say last why they fail.
func TestTheEndOfALongLogIsKept(t *testing.T) {
	t.Parallel()
	print := func(write uint32, at, size int32) []byte {
		return asm.Code(asm.I32(8), asm.I32(at), asm.Store(), asm.I32(12), asm.I32(size), asm.Store(),
			asm.I32(2), asm.I32(8), asm.I32(1), asm.I32(16), asm.Call(write), asm.Drop)
	}
	loaded := load(t, module(func(m *asm.Module) {
		write := m.Import("wasi_snapshot_preview1", "fd_write", "iiii:i")
		m.Export("_start", m.Func(":", "", print(write, 1000, 9000), print(write, 100, 4), asm.Unreachable))
		m.Data(100, "why\n")
	}), nil)
	result, err := loaded.Run(t.Context(), sandbox.RunOptions{Limits: sandbox.Limits{Output: 4000}})
	require.Error(t, err)
	require.Equal(t, "why\n", string(result.LogEnd[len(result.LogEnd)-4:]))
	require.LessOrEqual(t, len(result.LogEnd), 4<<10)
	require.Greater(t, result.Truncated, int64(5000))
}

// BenchmarkCommand runs a small command and a small reactor.
func BenchmarkCommand(b *testing.B) {
	for form, export := range map[string]string{"command": "_start", "reactor": "toolrun_call"} {
		b.Run(form, func(b *testing.B) {
			loaded := load(b, module(func(m *asm.Module) {
				write := m.Import("wasi_snapshot_preview1", "fd_write", "iiii:i")
				m.Export(export, m.Func(":", "", counting(write)))
				m.Data(0, "a")
			}), nil)
			for b.Loop() {
				result, err := loaded.Run(b.Context(), sandbox.RunOptions{Stdin: []byte("{}")})
				require.NoError(b, err)
				require.Equal(b, "b", string(result.Output))
			}
		})
	}
}
