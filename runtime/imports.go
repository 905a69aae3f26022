package runtime

import (
	"context"
	"errors"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

// instanceKey is the context key under which host functions find the instance that calls them.
type instanceKey struct{}

func instanceOf(ctx context.Context) *Instance {
	in, _ := ctx.Value(instanceKey{}).(*Instance)
	if in == nil || in.run == nil {
		panic(&Stop{errors.New("runtime: a host function was called outside of a run")})
	}
	return in
}

const (
	i32 = api.ValueTypeI32
	i64 = api.ValueTypeI64
)

// instantiateImports defines the host functions that a guest can import: its own, metering's and WASI's. All
// instances share them: a function finds its instance in the context of the call.
func instantiateImports(ctx context.Context, rt wazero.Runtime, imports []Import) error {
	modules := map[string]wazero.HostModuleBuilder{metering.YieldModule: rt.NewHostModuleBuilder(metering.YieldModule)}
	for _, i := range imports {
		if modules[i.Module] == nil {
			modules[i.Module] = rt.NewHostModuleBuilder(i.Module)
		}
		modules[i.Module].NewFunctionBuilder().WithGoFunction(api.GoFunc(func(ctx context.Context, stack []uint64) {
			i.Call(ctx, instanceOf(ctx), stack)
		}), i.Params, i.Results).Export(i.Name)
	}
	modules[metering.YieldModule].NewFunctionBuilder().
		WithGoFunction(api.GoFunc(func(ctx context.Context, stack []uint64) {
			stack[0] = api.EncodeI32(instanceOf(ctx).yield(api.DecodeI32(stack[0])))
		}), []api.ValueType{i32}, []api.ValueType{i32}).Export(metering.YieldName)
	for _, module := range modules {
		if _, err := module.Instantiate(ctx); err != nil {
			return err
		}
	}
	return instantiateWASI(ctx, rt)
}
