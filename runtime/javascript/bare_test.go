package javascript_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/wasm/linearmem"
	"github.com/toolrun/toolrun/internal/wasm/metering"
)

// bareEngine is the JavaScript engine as it comes from the dependency: neither metered nor changed, and without a
// prelude. The one addition is that its stack pointer is exported, since its own stack is too small for many tests.
type bareEngine struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	image    *linearmem.Image
	state    quickjs.State
	stack    uint64 // pointer
}

// bareMemory is how much memory a bare engine can have, in bytes.
const bareMemory = 256 << 20

// newBareEngine compiles the engine. Scripts of one that is stoppable end with the context of their calls, but are
// several times slower by the checks that wazero needs for that.
func newBareEngine(ctx context.Context, stoppable bool) (*bareEngine, error) {
	module, err := exportStackPointer(quickjs.Original())
	if err != nil {
		return nil, err
	}
	config := wazero.NewRuntimeConfig().WithCloseOnContextDone(stoppable)
	b := &bareEngine{runtime: wazero.NewRuntimeWithConfig(ctx, config)}
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, b.runtime); err != nil {
		return nil, err
	}
	host := b.runtime.NewHostModuleBuilder("env")
	host.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(_ context.Context, stack []uint64) {
		stack[0] = uint64(quickjs.Undefined)
	}), []api.ValueType{api.ValueTypeI32, api.ValueTypeI64, api.ValueTypeI32, api.ValueTypeI32},
		[]api.ValueType{api.ValueTypeI64}).Export("jsFunctionProxy")
	if _, err := host.Instantiate(ctx); err != nil {
		return nil, err
	}
	if b.compiled, err = b.runtime.CompileModule(ctx, module); err != nil {
		return nil, err
	}
	instance, memory, err := b.instantiate(ctx, "")
	if err != nil {
		return nil, err
	}
	defer instance.Close(ctx)
	vm, err := quickjs.Start(ctx, instance)
	if err != nil {
		return nil, err
	}
	b.state, b.stack = vm.State(), instance.ExportedGlobal(metering.GlobalExport(0)).Get()
	b.image, err = memory.Capture()
	return b, err
}

func (b *bareEngine) close(ctx context.Context) error {
	b.image.Close()
	return b.runtime.Close(ctx)
}

// instantiate makes an instance that sees the files of a folder.
func (b *bareEngine) instantiate(ctx context.Context, folder string) (api.Module, *linearmem.Memory, error) {
	memory, err := linearmem.Reserve(bareMemory)
	if err != nil {
		return nil, nil, err
	}
	memory.SetLimit(bareMemory)
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions().WithSysWalltime().WithSysNanotime()
	if folder != "" {
		config = config.WithFSConfig(wazero.NewFSConfig().WithReadOnlyDirMount(folder, "/"))
	}
	instance, err := b.runtime.InstantiateModule(experimental.WithMemoryAllocator(ctx,
		experimental.MemoryAllocatorFunc(func(_, _ uint64) experimental.LinearMemory { return memory })),
		b.compiled, config)
	if err != nil {
		memory.Free()
	}
	return instance, memory, err
}

// fresh returns an instance whose engine has just started.
func (b *bareEngine) fresh(ctx context.Context, folder string) (_ api.Module, _ *quickjs.VM, err error) {
	instance, memory, err := b.instantiate(ctx, folder)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			instance.Close(context.WithoutCancel(ctx))
		}
	}()
	if missing := b.image.Size() - memory.Size(); missing > 0 {
		if _, ok := instance.Memory().Grow(uint32(missing / linearmem.PageSize)); !ok {
			return nil, nil, errors.New("there is no memory")
		}
	}
	if err := memory.Restore(b.image); err != nil {
		return nil, nil, err
	}
	instance.ExportedGlobal(metering.GlobalExport(0)).(api.MutableGlobal).Set(b.stack)
	vm, err := quickjs.Resume(instance, b.state)
	if err != nil {
		return nil, nil, err
	}
	vm.SeedRandom(uint64(time.Now().UnixNano()))
	return instance, vm, nil
}

// eval is QJS_Eval of a strict script, which package quickjs calls by a way that the bare engine does not have.
func (b *bareEngine) eval(ctx context.Context, instance api.Module, source, name string) (quickjs.Value, error) {
	var state struct{ Context uint64 }
	text, err := json.Marshal(b.state)
	if err != nil {
		return 0, err
	}
	if err := json.Unmarshal(text, &state); err != nil {
		return 0, err
	}
	call := func(export string, args ...uint64) (uint64, error) {
		results, err := instance.ExportedFunction(export).Call(ctx, args...)
		if err != nil {
			return 0, err
		}
		return results[0], nil
	}
	var pointers []uint64
	for _, s := range []string{source, name} {
		p, err := call("malloc", uint64(len(s)+1))
		if err != nil {
			return 0, err
		}
		if !instance.Memory().WriteString(uint32(p), s+"\x00") {
			return 0, errors.New("there is no memory")
		}
		pointers = append(pointers, p)
	}
	const strict = 1 << 3
	options, err := call("QJS_CreateEvalOption", pointers[0], 0, uint64(len(source)), pointers[1], strict)
	if err != nil {
		return 0, err
	}
	v, err := call("QJS_Eval", state.Context, options)
	return quickjs.Value(v), err
}

// exportStackPointer adds an export of a module's first global, by the name that package quickjs looks for.
func exportStackPointer(module []byte) ([]byte, error) {
	const exportSection, global = 7, 3
	name := metering.GlobalExport(0)
	entry := append([]byte{byte(len(name))}, name...)
	entry = append(entry, global, 0)
	out := bytes.Clone(module[:8])
	for rest := module[8:]; len(rest) > 0; {
		id := rest[0]
		size, n := binary.Uvarint(rest[1:])
		if n <= 0 || size > uint64(len(rest)-1-n) {
			return nil, errors.New("not a module")
		}
		content := rest[1+n:][:size]
		rest = rest[1+n+int(size):]
		if id == exportSection {
			count, n := binary.Uvarint(content)
			content = append(append(binary.AppendUvarint(nil, count+1), content[n:]...), entry...)
		}
		out = append(binary.AppendUvarint(append(out, id), uint64(len(content))), content...)
	}
	return out, nil
}
