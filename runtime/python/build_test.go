package python_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/python"
)

// command is a WASI command that does nothing, with some custom code.
func command(code ...byte) []byte {
	section := func(id byte, content ...byte) []byte { return append([]byte{id, byte(len(content))}, content...) }
	module := []byte("\x00asm\x01\x00\x00\x00")
	for _, s := range [][]byte{
		section(1, 1, 0x60, 0, 0),            // a type without parameters and results
		section(3, 1, 0),                     // a function of it
		section(5, 1, 0, 1),                  // a memory of one page
		section(6, 1, 0x7f, 1, 0x41, 0, 0xb), // a variable
		section(7, append(append([]byte{2, 6}, "_start\x00\x00\x06memory"...), 2, 0)...),
		section(10, append([]byte{1, byte(len(code) + 2), 0}, append(code, 0xb)...)...),
	} {
		module = append(module, s...)
	}
	return module
}

// TestOtherModules refuses what is not a build of CPython.
func TestOtherModules(t *testing.T) {
	engine, err := sandbox.New(nil)
	require.NoError(t, err)
	defer engine.Close(context.Background())
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		module python.Module
		want   string
	}{
		"nothing":             {python.Module{}, "Module.Bytes is nil"},
		"a file that is gone": {python.Module{Bytes: func() ([]byte, error) { return nil, broken }}, "broken"},
		"another file": {python.Module{Bytes: func() ([]byte, error) { return []byte("x"), nil },
			SHA256: sha256.Sum256([]byte("y"))}, "has the SHA-256 2d71"},
		"text":        {python.FromBytes([]byte("hello")), "metering"},
		"a component": {python.FromBytes([]byte("\x00asm\r\x00\x01\x00")), "is a WebAssembly component"},
		"another program": {python.FromBytes(command()),
			"it is not a build of CPython that can be used here: it ended with status 0"},
		"one that traps": {python.FromBytes(command(0)), "unreachable"},
	} {
		_, err := python.New(t.Context(), engine, test.module)
		require.ErrorContains(t, err, test.want, name)
	}
}
