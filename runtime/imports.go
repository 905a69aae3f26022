package runtime

import (
	"context"
	"errors"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/toolrun/toolrun/guest/quickjs"
)

// instanceKey is the context key under which host functions find the instance that calls them.
type instanceKey struct{}

func instanceOf(ctx context.Context) *instance {
	in, _ := ctx.Value(instanceKey{}).(*instance)
	if in == nil {
		panic(&stop{errors.New("runtime: a host function was called outside of a run")})
	}
	return in
}

const (
	i32 = api.ValueTypeI32
	i64 = api.ValueTypeI64
)

// instantiateImports defines the host functions that the engine's module imports. They belong to no instance: each finds
// its instance in the context of the call.
func instantiateImports(ctx context.Context, rt wazero.Runtime) error {
	host := rt.NewHostModuleBuilder("env")
	host.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(ctx context.Context, stack []uint64) {
		in, this := instanceOf(ctx), quickjs.Value(stack[1])
		argc, argv := api.DecodeU32(stack[2]), api.DecodeU32(stack[3])
		switch int32(argc) {
		case quickjs.RejectionArgc:
			in.rejected(ctx, this)
			stack[0] = uint64(quickjs.Undefined)
		case quickjs.ResolveArgc:
			stack[0] = uint64(in.resolveModule(ctx, uint32(this), uint32(this>>32)))
		case quickjs.LoadArgc:
			stack[0] = uint64(in.loadModule(ctx, uint32(this)))
		case quickjs.ResumeArgc:
			stack[0] = uint64(in.resume(ctx, this))
		default:
			stack[0] = uint64(in.hostCall(ctx, argc, argv))
		}
	}), []api.ValueType{i32, i64, i32, i32}, []api.ValueType{i64}).Export("jsFunctionProxy")
	if _, err := host.Instantiate(ctx); err != nil {
		return err
	}

	yield := rt.NewHostModuleBuilder(quickjs.YieldModule)
	yield.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(ctx context.Context, stack []uint64) {
		stack[0] = api.EncodeI32(instanceOf(ctx).yield(api.DecodeI32(stack[0])))
	}), []api.ValueType{i32}, []api.ValueType{i32}).Export(quickjs.YieldName)
	if _, err := yield.Instantiate(ctx); err != nil {
		return err
	}
	return instantiateWASI(ctx, rt)
}
