package quickjs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Verify checks that the engine's memory has the layout that this package expects, through its effects: strings and
// buffers are read back, the state of Math.random is set and predicted, and recursion must end in a RangeError. Run
// it on one throw-away instance per process.
func Verify(ctx context.Context, vm *VM) error {
	for _, check := range []struct {
		what string
		run  func(context.Context, *VM) error
	}{
		{"strings", verifyStrings},
		{"new strings", verifyNewStrings},
		{"array buffers", verifyArrayBuffers},
		{"classes", verifyClasses},
		{"promises and proxies", verifyInsides},
		{"Math.random", verifyRandom},
		{"the stack limit", verifyStackLimit},
		{"the size of allocations", verifyAllocated},
		{"garbage collection", verifyCollection},
		{"positions of statements", verifyPositions},
		{"the last match", verifyLastMatch},
		{"rejected promises", verifyRejections},
		{"evaluation", verifyEvaluation},
		{"mends", verifyMends},
		{"modules", verifyModules},
		{"the hook of promises", verifyReactionHook}, // the last one, since it stays
	} {
		if err := check.run(ctx, vm); err != nil {
			return fmt.Errorf("quickjs: the engine's memory layout is not the expected one (%s): %w", check.what, err)
		}
	}
	return nil
}

func evalString(ctx context.Context, vm *VM, source string) (string, error) {
	v, err := vm.Eval(ctx, source, "toolrun:verify")
	if err != nil {
		return "", err
	}
	text, _, ok := vm.String(v, math.MaxInt32)
	if !ok {
		return "", fmt.Errorf("%s gives %v", source, v)
	}
	return text, nil
}

func verifyStrings(ctx context.Context, vm *VM) error {
	for source, want := range map[string]string{
		`"ascii"`:            "ascii",
		`"nul \0 caf\xe9"`:   "nul \x00 café",
		`"\u20ac \u{1f600}"`: "€ \U0001f600",
		`"a\ud800b"`:         "a\ufffdb",
		`""`:                 "",
		`"0123456789".repeat(2000).slice(3, 15000)`:          strings.Repeat("0123456789", 1500)[3:],
		`"\u20ac12345".repeat(2000).slice(7, 9000).slice(2)`: strings.Repeat("\u20ac12345", 1500)[11+2:],
	} {
		if got, err := evalString(ctx, vm, source); err != nil || got != want {
			return fmt.Errorf("%s gives %.100q, %v", source, got, err)
		}
	}
	return nil
}

// verifyNewStrings lets the engine read, use and free strings that Go has made.
func verifyNewStrings(ctx context.Context, vm *VM) error {
	read, err := vm.Eval(ctx, `(function (s) {
		let units = '';
		for (let i = 0; i < s.length; i++) units += s.charCodeAt(i).toString(16) + ' ';
		return units + ({[s]: s + s})[s].length;
	})`, "toolrun:verify")
	if err != nil {
		return err
	}
	for text, want := range map[string]string{
		"":                   "0",
		"a\x00z":             "61 0 7a 6",
		"é\u0080ÿ":           "e9 80 ff 6",
		"é\x00€ \U0001f600":  "e9 0 20ac 20 d83d de00 12",
		"a\xf0\x9f\x98b\xff": "61 fffd 62 fffd 8",
	} {
		s, err := vm.NewString(ctx, text)
		if err != nil {
			return err
		}
		result, err := vm.Call(ctx, read, s)
		if err != nil {
			return err
		}
		if got, _, _ := vm.String(result, 1000); got != want {
			return fmt.Errorf("%q is taken for %s", text, got)
		}
		before := vm.u32(vm.state.Runtime + runtimeAllocated)
		if err := vm.Free(ctx, s); err != nil {
			return err
		}
		if after := vm.u32(vm.state.Runtime + runtimeAllocated); after >= before {
			return fmt.Errorf("%d bytes with %q, %d without", before, text, after)
		}
	}
	return nil
}

func verifyArrayBuffers(ctx context.Context, vm *VM) error {
	want := []byte{1, 2, 3, 250}
	v, err := vm.Eval(ctx, `new Uint8Array([1, 2, 3, 250]).buffer`, "toolrun:verify")
	if err != nil {
		return err
	}
	if got, ok := vm.ArrayBuffer(v); !ok || !bytes.Equal(got, want) {
		return fmt.Errorf("%v instead of %v", got, want)
	}
	if v, err = vm.Eval(ctx, `new SharedArrayBuffer(3)`, "toolrun:verify"); err != nil {
		return err
	}
	if got, ok := vm.ArrayBuffer(v); !ok || len(got) != 3 {
		return fmt.Errorf("a shared buffer is %v", got)
	}
	if v, err = vm.Eval(ctx, `({})`, "toolrun:verify"); err != nil {
		return err
	}
	if _, ok := vm.ArrayBuffer(v); ok {
		return errors.New("a plain object is taken for a buffer")
	}
	return nil
}

func verifyClasses(ctx context.Context, vm *VM) error {
	for source, plain := range map[string]bool{
		`({})`: true, `[]`: true, `[1, , 3]`: true, `Object.create(null)`: true, `Object.create(Map.prototype)`: true,
		`new (class { #x = 1 })`: true, `new (class extends Array {})`: true,
		`5`: false, `'x'`: false, `null`: false, `(() => 1)`: false, `new Map()`: false,
		`new Set()`: false, `new Date()`: false,
		`/x/`: false, `new Error()`: false, `new Proxy({}, {})`: false, `new Proxy([], {})`: false,
		`new ArrayBuffer(1)`:       false,
		`new SharedArrayBuffer(1)`: false, `new Uint8Array(1)`: false, `new DataView(new ArrayBuffer(1))`: false,
		`Object(1)`: false, `Object('x')`: false, `Object(true)`: false, `Object(1n)`: false, `Object(Symbol())`: false,
		`new DOMException()`: false, `new (class extends Map {})`: false,
		`Object.setPrototypeOf(new Date(), null)`: false,
	} {
		v, err := vm.Eval(ctx, source, "toolrun:verify")
		if err != nil {
			return err
		}
		if vm.IsPlain(v) != plain {
			return fmt.Errorf("%s is taken for plain: %t", source, !plain)
		}
	}
	return nil
}

// verifyInsides checks what is known of promises and proxies.
func verifyInsides(ctx context.Context, vm *VM) error {
	v, err := vm.Eval(ctx, `({
		pending: new Promise(() => {}), fulfilled: Promise.resolve(5), none: {}, proxy: new Proxy(Object(6), []),
	})`, "toolrun:verify")
	if err != nil {
		return err
	}
	for name, want := range map[string]int{"pending": 0, "fulfilled": 1, "none": -1, "proxy": -1} {
		object, err := vm.Property(ctx, v, name)
		if err != nil {
			return err
		}
		state, result := vm.PromiseState(object)
		if state != want || state == 1 && result != Int(5) {
			return fmt.Errorf("a promise that is %s has the state %d, and %v in it", name, state, result)
		}
		target, handler, ok := vm.ProxyParts(object)
		if ok != (name == "proxy") || ok && (vm.IsPlain(target) || !vm.IsPlain(handler)) {
			return fmt.Errorf("a value that is %s is taken for a proxy: %t, of %v and %v", name, ok, target, handler)
		}
	}
	return nil
}

// verifyRandom sets the state and predicts the next number: the generator is xorshift64*.
func verifyRandom(ctx context.Context, vm *VM) error {
	const seed = 0x0123456789abcdef
	vm.SeedRandom(seed)
	x := uint64(seed)
	x ^= x >> 12
	x ^= x << 25
	x ^= x >> 27
	x *= 0x2545f4914f6cdd1d
	want := math.Float64frombits(0x3ff<<52|x>>12) - 1
	got, err := evalString(ctx, vm, `Math.random().toString(32)`)
	if err != nil {
		return err
	}
	back, err := evalString(ctx, vm, fmt.Sprintf(`(%v).toString(32)`, want))
	if err != nil || got != back {
		return fmt.Errorf("%s instead of %s, %v", got, back, err)
	}
	return nil
}

// verifyStackLimit recurses with a limit that leaves room for a few dozen calls only.
func verifyStackLimit(ctx context.Context, vm *VM) error {
	vm.setStackLimit(vm.state.StackBase + stackSize - 32<<10)
	defer vm.setStackLimit(vm.state.StackBase + stackReserve)
	const source = `(function () {
		let depth = 0;
		function recurse() { depth++; if (depth < 2000) recurse(); }
		try { recurse() } catch (e) { return e instanceof RangeError && depth > 10 ? 'RangeError' : String(e) }
		return 'no error';
	})()`
	if got, err := evalString(ctx, vm, source); err != nil || got != "RangeError" {
		return fmt.Errorf("recursion gives %q, %v", got, err)
	}
	return nil
}

// verifyAllocated checks that the size of an allocation is counted.
func verifyAllocated(ctx context.Context, vm *VM) error {
	const size = 200_000
	before := vm.u32(vm.state.Runtime + runtimeAllocated)
	v, err := vm.Eval(ctx, fmt.Sprintf(`new ArrayBuffer(%d)`, size), "toolrun:verify")
	if err != nil {
		return err
	}
	during := vm.u32(vm.state.Runtime + runtimeAllocated)
	if err := vm.Free(ctx, v); err != nil {
		return err
	}
	after := vm.u32(vm.state.Runtime + runtimeAllocated)
	if grown := during - before; grown < size || grown > size+4096 || during-after < size {
		return fmt.Errorf("%d bytes before, %d with %d bytes more, %d after", before, during, size, after)
	}
	return nil
}

// verifyCollection checks that a collection takes place when it should: it changes the time of the next one.
func verifyCollection(ctx context.Context, vm *VM) error {
	collectAt := func() uint32 { return vm.u32(vm.state.Runtime + runtimeCollectAt) }
	before := collectAt()
	defer vm.CollectAt(before)
	for limit, collects := range map[uint32]bool{1 << 30: false, 1 << 10: true} {
		vm.CollectAt(limit)
		v, err := vm.Eval(ctx, `({})`, "toolrun:verify")
		if err != nil {
			return err
		}
		if err := vm.Free(ctx, v); err != nil {
			return err
		}
		allocated := vm.u32(vm.state.Runtime + runtimeAllocated)
		if next := collectAt(); (next != limit) != collects || collects && (next < allocated || next > 2*allocated) {
			return fmt.Errorf("at %d: the next at %d with %d bytes", limit, next, allocated)
		}
	}
	return nil
}

// verifyPositions checks where an exception in a declaration is reported.
func verifyPositions(ctx context.Context, vm *VM) error {
	const source = "(function () { try {\n\n let x = null;\n const y = x.y;\n } catch (e) { return e.stack } })()"
	v, err := vm.Eval(ctx, source, "verify")
	if err != nil {
		return err
	}
	stack, _, _ := vm.String(v, 1000)
	if !strings.Contains(stack, "verify:4:2)") {
		return fmt.Errorf("an exception on line 4 has the stack %q", stack)
	}
	return nil
}

// verifyRejections checks an unhandled rejected promise and a handled one.
func verifyRejections(ctx context.Context, vm *VM) error {
	v, err := vm.Eval(ctx, `({
		unhandled: Promise.reject(5),
		handled: (() => { const p = Promise.reject(6); p.catch(() => {}); return p })(),
	})`, "toolrun:verify")
	if err != nil {
		return err
	}
	for name, want := range map[string]bool{"unhandled": true, "handled": false} {
		promise, err := vm.Property(ctx, v, name)
		if err != nil {
			return err
		}
		if reason, unhandled := vm.UnhandledRejection(promise); unhandled != want || want && reason != Int(5) {
			return fmt.Errorf("the %s one is unhandled: %v, with the reason %v", name, unhandled, reason)
		}
	}
	return nil
}

// verifyEvaluation checks that code can be evaluated without running jobs.
func verifyEvaluation(ctx context.Context, vm *VM) error {
	const name = "toolrun:verify"
	v, err := vm.EvalNow(ctx, `Promise.resolve().then(() => { globalThis.ran = true }); typeof ran + typeof this`, name)
	if err != nil {
		return err
	}
	if text, _, _ := vm.String(v, 100); text != "undefinedobject" {
		return fmt.Errorf("a job runs while code is evaluated: %q", text)
	}
	if _, err := vm.RunJobs(ctx); err != nil {
		return err
	}
	if text, err := evalString(ctx, vm, `typeof ran`); err != nil || text != "boolean" {
		return fmt.Errorf("a job does not run afterwards: %q, %v", text, err)
	}
	return nil
}

// verifyModules checks that modules can be compiled, and that their imports can be read and set.
func verifyModules(ctx context.Context, vm *VM) error {
	compile := func(source, name string) (ModuleDef, error) {
		r, err := vm.RequestModule(ctx, source, name)
		if err != nil {
			return 0, err
		}
		v, err := vm.Do(ctx, r)
		if err != nil {
			return 0, err
		}
		return vm.TakeModule(ctx, v, name)
	}
	const name = "toolrun:verify"
	var modules []ModuleDef
	var names []uint32
	for _, name := range []string{name, name, name + "2"} {
		module, err := compile("import 'a'; import {x} from 'b'; import * as y from 'a'; "+
			"export default 1; await 0;", name)
		if err != nil || module == 0 {
			return fmt.Errorf("a module is not compiled: %v", err)
		}
		modules = append(modules, module)
		names = append(names, vm.u32(uint32(module)+moduleName))
	}
	if names[0] == 0 || names[0] != names[1] || names[0] == names[2] {
		return fmt.Errorf("modules with two names have the names %v", names)
	}
	if vm.Module(name) != modules[0] || vm.Imports(modules[0]) != 2 {
		return fmt.Errorf("a module that imports two has %d", vm.Imports(modules[0]))
	}
	for n, want := range []string{"a", "b"} {
		if specifier, _, err := vm.Specifier(ctx, modules[0], n, 10); err != nil ||
			specifier != want || vm.IsSet(modules[0], n) {
			return fmt.Errorf("a module imports %q, not %q: %v", specifier, want, err)
		}
		vm.SetImport(modules[0], n, modules[1])
		if !vm.IsSet(modules[0], n) {
			return fmt.Errorf("the module that is imported by %q cannot be set", want)
		}
	}
	if module, err := compile("export (", name); err != nil || module != 0 {
		return fmt.Errorf("what is no module is compiled: %v", err)
	}
	if _, err := vm.TakeException(ctx); err != nil {
		return err
	}
	if ready, waits := vm.CanEvaluate(modules[2]); ready || !waits {
		return fmt.Errorf("a module that waits, without imports, is ready: %v, waits: %v", ready, waits)
	}
	exporting, err := compile("export const x = 1", name+"3")
	if err != nil || exporting == 0 {
		return fmt.Errorf("a module with an export is not compiled: %v", err)
	}
	if ready, waits := vm.CanEvaluate(exporting); !ready || waits || vm.Namespace(exporting) != Undefined {
		return fmt.Errorf("a module before its evaluation is ready: %v, waits: %v", ready, waits)
	}
	passing, err := compile("import 'a'; import {y as z} from 'b'; let w = 2; export {w, z as x}", name+"4")
	if err != nil || passing == 0 {
		return fmt.Errorf("a module that exports an import is not compiled: %v", err)
	}
	vm.SetImport(passing, 0, exporting)
	vm.SetImport(passing, 1, exporting)
	exports := vm.u32(uint32(passing) + moduleExports)
	types := []uint32{vm.u32(exports + exportType), vm.u32(exports + exportSize + exportType)}
	if index := vm.u32(exports + exportSize + exportVariable); !slices.Equal(types,
		[]uint32{exportLocal, exportIndirect}) || index != 1 {
		return fmt.Errorf("a module that exports an import has exports of the types %v, of import %d", types, index)
	}
	return nil
}
