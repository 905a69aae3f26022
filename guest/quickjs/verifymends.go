package quickjs

import (
	"context"
	"fmt"
)

// A mendCheck is a script that gives another answer, or crashes, if one of the mends is missing. begin runs first,
// then garbage in cycles is collected, and then answer is evaluated.
type mendCheck struct{ what, begin, answer, want string }

var mendChecks = []mendCheck{
	suspendedGenerator(""), suspendedGenerator("async "),
	{
		"suspended async functions", `
		(async () => {
			const gate = Promise.withResolvers();
			globalThis.suspended = new WeakRef(gate);
			await gate.promise;
		})(); 1`,
		`typeof suspended.deref()`, "object",
	}, {
		"async generators that are resumed too early", `
		(() => {
			let generator, hits = 0;
			const gates = [0, 1, 2].map(() => Promise.withResolvers());
			Object.defineProperty(Object.prototype, 'then', { configurable: true, get() {
				if (!generator || hits > 1) return undefined;
				if (hits++ === 0) generator.return();
				else { generator.next(); generator.return(); }
			} });
			generator = (async function* () {
				try { await gates[0].promise; yield; await gates[1].promise; yield; await gates[2].promise }
				finally { await gates[2].promise }
			})();
			(async () => {
				generator.next();
				gates[0].resolve({});
				await undefined;
				await undefined;
				gates[1].resolve({});
				gates[2].resolve({});
			})();
		})(); 1`,
		`delete Object.prototype.then; 'alive'`, "alive",
	}, {
		"registries", `
		globalThis.target = {};
		(() => {
			const registry = new FinalizationRegistry(() => {});
			globalThis.registry = new WeakRef(registry);
			registry.register(target, 1);
		})(); 1`,
		`typeof registry.deref()`, "object",
	}, {
		"views that are too long", ``,
		`(() => {
			const buffer = new ArrayBuffer(64, { maxByteLength: 64 });
			const target = new Proxy(function () {}, { get() { buffer.resize(1) } });
			try { Reflect.construct(Int32Array, [buffer, 4], target) } catch (e) { return e.name }
		})()`, "RangeError",
	}, {
		"copies of arrays", `{ const all = []; for (let i = 0; i < 50; i++) all.push(new Uint8Array(800).fill(0xff)) }`,
		`(() => {
			const source = { __proto__: Array.prototype, length: 100, get 50() {
				for (let i = 0, all = []; i < 8; i++) all.push(new ArrayBuffer(1 << 18));
				return 1;
			} };
			const copies = [source.toReversed(), source.toSorted(), source.toSpliced(0, 1), source.with(0, 0)];
			return '' + copies.map((a) => a.length);
		})()`, "100,100,99,100",
	}, {
		"long copies of arrays", ``,
		`(() => {
			const source = { __proto__: Array.prototype, length: 2 ** 28 };
			const names = [];
			for (const f of ['toReversed', 'toSorted', 'toSpliced', 'with']) {
				try { source[f](undefined, 0) } catch (e) { names.push(e.name) }
			}
			return '' + names;
		})()`, "RangeError,RangeError,RangeError,RangeError",
	}, {
		"long lists of keys", ``,
		`try { Reflect.ownKeys(new Proxy({}, { ownKeys: () => ({ length: 2 ** 29 }) })) } catch (e) { e.name }`,
		"InternalError",
	},
}

// suspendedGenerator checks that what a suspended generator holds is not collected.
func suspendedGenerator(kind string) mendCheck {
	return mendCheck{
		"suspended " + kind + "generators", `
		(() => {
			` + kind + `function* steps() {
				const box = yield;
				globalThis.suspended = new WeakRef(box);
				yield;
			}
			const box = { steps: steps() };
			box.steps.next();
			box.steps.next(box);
		})(); 1`,
		`typeof suspended.deref()`, "object",
	}
}

// verifyMends checks that the known bugs are gone.
func verifyMends(ctx context.Context, vm *VM) error {
	for _, check := range mendChecks {
		if _, err := evalString(ctx, vm, check.begin+"; ''"); err != nil {
			return fmt.Errorf("%s: %w", check.what, err)
		}
		if err := collect(ctx, vm); err != nil {
			return fmt.Errorf("%s: %w", check.what, err)
		}
		if got, err := evalString(ctx, vm, check.answer); err != nil || got != check.want {
			return fmt.Errorf("%s: %q instead of %q, %v", check.what, got, check.want, err)
		}
	}
	return verifySharedGrowth(ctx, vm)
}

// collect makes the engine collect garbage in cycles, and do so again soon.
func collect(ctx context.Context, vm *VM) error {
	vm.CollectAt(1)
	v, err := vm.Eval(ctx, `({})`, "toolrun:verify")
	if err != nil {
		return err
	}
	return vm.Free(ctx, v)
}

// verifySharedGrowth checks that a shared buffer gets memory when it grows.
func verifySharedGrowth(ctx context.Context, vm *VM) error {
	const size = 100_000
	before := vm.u32(vm.state.Runtime + runtimeAllocated)
	v, err := vm.Eval(ctx, fmt.Sprintf(
		`{ const b = new SharedArrayBuffer(1, { maxByteLength: %d }); b.grow(%[1]d); b }`, size), "toolrun:verify")
	if err != nil {
		return err
	}
	during := vm.u32(vm.state.Runtime + runtimeAllocated)
	if grown := during - before; grown < size || grown > size+8192 {
		return fmt.Errorf("shared buffers: %d bytes more with %d", grown, size)
	}
	return vm.Free(ctx, v)
}
