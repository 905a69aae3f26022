package command_test

import (
	"testing"

	asm "github.com/toolrun/toolrun/internal/wasm/wasmasm"
	"github.com/toolrun/toolrun/runtime/command"
)

// FuzzCheck looks for modules on which Check panics.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(asm.Header))
	f.Add(running("iI", asm.Forever(asm.I32(1), asm.Drop)))
	f.Add(module(func(m *asm.Module) {
		m.Import("wasi_snapshot_preview1", "fd_write", "iiii:i")
		m.Table([]byte{1, 1, 2})
		m.Elements(0)
		m.Global(3)
		m.Data(0, "data")
		m.Custom = asm.Section(0, asm.Name("custom"))
		m.Start(m.Func(":", ""))
		m.Export("toolrun_call", m.Func(":i", "", asm.I32(0)))
	}))
	f.Fuzz(func(t *testing.T, module []byte) { _, _ = command.Check(module) })
}
