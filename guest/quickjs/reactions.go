package quickjs

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

// The engine knows no contexts that follow promises, as Node's AsyncLocalStorage has them. Reactions carries them: a
// hook, which is a JavaScript function, gets each function that a promise is to call later, and gives the function to
// call instead. Until it is set, that costs the test of an address, and no call.

// hookAddress is where the hook is: a JSObject*, or 0. The address is that of a variable of _start, which never runs.
const hookAddress = 96880

// SetReactionHook makes function the hook. It is called with
//
//   - a function, or anything else, that is being handed to a promise's then, also by an await; or the then of an
//     object for which a promise is to wait. It returns what is to take its place.
//   - null as this, and no argument, before each job begins.
//   - a promise as this, and no argument, when that is being rejected.
//
// The function must not throw, unless there is no memory or no stack left. It is kept until the instance is reset.
func (vm *VM) SetReactionHook(function Value) bool {
	if !function.IsObject() {
		return false
	}
	count := vm.u32(function.pointer()) // references, which are the first word of an object
	vm.memory.WriteUint32Le(function.pointer(), count+1)
	return vm.memory.WriteUint32Le(hookAddress, function.pointer())
}

// reactions are the changes to the engine's code for the hook.
var reactions = []metering.Replacement{thenEntry, thenExit, thenableJob, jobStart}

// perform_promise_then begins with calls of the hook, for both functions, and keeps what these give until it returns.
var (
	thenEntry = metering.Replacement{Function: 650,
		Old: append(append([]byte{9}, thenLocals...), thenFrame...),
		New: slices.Concat([]byte{10}, thenLocals, []byte{1, 0x7f}, // one local more, of type i32
			ifHook,
			// 16 bytes of the stack are for two values; local.set 13
			[]byte{0x23, 0, 0x41, 16, 0x6b, 0x22, 13, 0x24, 0},
			[]byte{0x20, 13}, callHook(undefined, 1, 0x20, 2), []byte{0x37, 3, 0}, // with what is at local 2, i64.store
			// with what is 8 bytes after that
			[]byte{0x20, 13}, callHook(undefined, 1, 0x20, 2, 0x41, 8, 0x6a), []byte{0x37, 3, 8},
			// the tag of the first one, i32.const, i32.eq
			[]byte{0x20, 13, 0x28, 2, 4, 0x41, tagException, 0x46},
			// the same for the second, i32.or, if
			[]byte{0x20, 13, 0x28, 2, 12, 0x41, tagException, 0x46, 0x72, 0x04, 0x40},
			dropHandlers,
			[]byte{0x41, 0x7f, 0x0f, 0x0b},  // i32.const -1, return, end
			[]byte{0x20, 13, 0x21, 2, 0x0b}, // local.get 13, local.set 2: instead of what it got; end
			thenFrame)}
	thenExit = metering.Replacement{Function: 650, At: 1356,
		Old: []byte{0x20, 11, 0x41, 16, 0x6a, 0x24, 0, 0x20, 4, 0x0b}, // the frame's end; local.get 4: the result; end
		New: slices.Concat([]byte{0x20, 11, 0x41, 16, 0x6a, 0x24, 0, 0x20, 13, 0x04, 0x40},
			dropHandlers, []byte{0x0b, 0x20, 4, 0x0b})}

	thenLocals = mustDecode("017f017e017f017f017f017f017e017f017e")
	thenFrame  = []byte{0x23, 0, 0x41, 16, 0x6b, 0x22, 11, 0x24, 0}

	// dropHandlers frees the two values at local 13, and their place.
	dropHandlers = []byte{
		// local.get 0, the JSContext*, i64.load of local 13, call 280, JS_FreeValue
		0x20, 0, 0x20, 13, 0x29, 3, 0, 0x10, 0x98, 2,
		0x20, 0, 0x20, 13, 0x29, 3, 8, 0x10, 0x98, 2,
		0x20, 13, 0x41, 16, 0x6a, 0x24, 0}
)

// thenableJob makes js_promise_resolve_function call the hook with the then of an object that is not known to be a
// promise, which a job is going to call. If that fails, the promise is rejected.
var thenableJob = metering.Replacement{Function: 333, At: 409,
	// local.get 5, local.get 2, i64.store offset=16: the job's last argument
	Old: []byte{0x20, 5, 0x20, 2, 0x37, 3, 16},
	New: slices.Concat(ifHook,
		// local.set 2
		[]byte{0x20, 5, 0x20, 2, 0x37, 3, 16}, callHook(undefined, 1, 0x20, 5, 0x41, 16, 0x6a), []byte{0x21, 2},
		// call 280, JS_FreeValue of the then
		[]byte{0x20, 0, 0x20, 5, 0x29, 3, 16, 0x10, 0x98, 2},
		// the tag of local 2, i32.const, i32.eq, if
		[]byte{0x20, 2, 0x42, 32, 0x88, 0xa7, 0x41, tagException, 0x46, 0x04, 0x40},
		[]byte{0x20, 0, 0x20, 6, 0x29, 3, 0, // local.get 0, i64.load of local 6: the promise
			0x20, 0, 0x10, 0xf3, 2, 0x22, 2, // local.get 0, call 371, JS_GetException, local.tee 2
			0x41, 1, 0x10, 0x9f, 4, // i32.const 1, call 543, fulfill_or_reject_promise
			0x20, 0, 0x20, 2, 0x10, 0x98, 2, // call 280
			0x0c, 2, 0x0b, 0x0b}, // br 2, end, end
		[]byte{0x20, 5, 0x20, 2, 0x37, 3, 16})}

// jobStart makes JS_ExecutePendingJob call the hook before the job. Above it on the stack is the JSContext*, which is
// in local 4 too.
var jobStart = metering.Replacement{Function: 279, At: 89,
	Old: []byte{0x22, 4, 0x20, 2, 0x28, 2, 16}, // local.tee 4, and the number of the job's arguments
	New: slices.Concat([]byte{0x22, 4}, ifHook, []byte{0x20, 4},
		// call 451, JS_Call without arguments
		[]byte{0x20, 4}, hookValue, null, []byte{0x41, 0, 0x41, 0, 0x10, 0xc3, 3},
		[]byte{0x10, 0x98, 2, 0x0b}, // call 280, JS_FreeValue, end
		[]byte{0x20, 2, 0x28, 2, 16})}

// hookRejection is for fulfill_or_reject_promise, where it rejects: local 1 is the promise.
var hookRejection = slices.Concat(ifHook, []byte{0x20, 0},
	callHook([]byte{0x20, 1}, 0, 0x41, 0), []byte{0x10, 0x98, 2, 0x0b}) // call 280, JS_FreeValue, end

var (
	hookOffset = binary.AppendUvarint(nil, hookAddress)

	// i32.const 0, i32.load, if
	ifHook = slices.Concat([]byte{0x41, 0, 0x28, 2}, hookOffset, []byte{0x04, 0x40})
	// i64.const, the tag; i64.load32_u, i64.or
	hookValue = slices.Concat([]byte{0x42, 0x80, 0x80, 0x80, 0x80, 0x70, 0x41, 0, 0x35, 2}, hookOffset, []byte{0x84})

	undefined = []byte{0x42, 0x80, 0x80, 0x80, 0x80, 0x30} // i64.const
	null      = []byte{0x42, 0x80, 0x80, 0x80, 0x80, 0x20}
)

// callHook is a call of the hook, with arguments at an address.
func callHook(this []byte, arguments byte, address ...byte) []byte {
	// call 451, JS_Call
	return slices.Concat([]byte{0x20, 0}, hookValue, this, []byte{0x41, arguments}, address, []byte{0x10, 0xc3, 3})
}

// verifyReactionHook sets a hook that writes down what it is called with.
func verifyReactionHook(ctx context.Context, vm *VM) error {
	if _, err := vm.Eval(ctx, `globalThis.hooked = []; globalThis.work = (a, b) => {
		const thenable = { then(resolve) { hooked.push('inside'); resolve(1) } };
		const rejected = Promise.reject(2);
		rejected.catch(() => {});
		(async () => { await thenable; hooked.push('after'); })();
		Promise.resolve(3).then(function caught(v) { hooked.push('caught ' + v + arguments.length) }, 'no function');
	}; 1`, "toolrun:verify"); err != nil {
		return err
	}
	hook, err := vm.Eval(ctx, `(function hook(later) {
		if (this !== undefined) {
			hooked.push(this === null ? 'job' : this instanceof Promise ? 'rejected' : 'wrong');
			return;
		}
		if (typeof later !== 'function') {
			hooked.push(typeof later);
			return later;
		}
		const name = later.name || 'resume';
		hooked.push('later ' + name);
		return function (...args) {
			hooked.push('calls ' + name);
			return later.apply(this, args);
		};
	})`, "toolrun:verify")
	if err != nil {
		return err
	}
	if !vm.SetReactionHook(hook) {
		return fmt.Errorf("the hook is %v", hook)
	}
	if _, err := vm.Eval(ctx, `work(); 1`, "toolrun:verify"); err != nil {
		return err
	}
	got, err := evalString(ctx, vm, `hooked.join(', ')`)
	if want := hookedWork; err == nil && got != want {
		err = fmt.Errorf("it gets %s", got)
	}
	return err
}

const hookedWork = "rejected, undefined, later resume, later then, later resume, later resume, later caught, string, " +
	"job, calls resume, job, calls then, inside, job, calls caught, caught 31, job, calls resume, after"
