package main

import (
	"fmt"
	"time"

	"modernc.org/quickjs"

	"github.com/toolrun/toolrun/bench/protocol"
)

// moderncModule carries the V8 benchmark suite, too.
const moderncModule = "modernc.org/quickjs"

// moderncEngine is modernc.org/quickjs with a new VM for each call.
func moderncEngine() (protocol.Engine, error) {
	var bytecode protocol.Reuse[[]byte]
	open := func() (*quickjs.VM, error) {
		vm, err := quickjs.NewVM()
		if err != nil {
			return nil, err
		}
		vm.SetMemoryLimit(memoryLimit)
		return vm, vm.SetEvalTimeout(timeLimit)
	}
	eval := func(vm *quickjs.VM, source string) (string, error) {
		value, err := vm.Eval(source, quickjs.EvalGlobal)
		if err != nil {
			return "", err
		}
		return fmt.Sprint(value), nil
	}
	return protocol.Engine{
		Version: version(moderncModule, ""),
		Call: func(body, library string) (string, error) {
			vm, err := open()
			if err != nil {
				return "", err
			}
			defer vm.Close()
			if library != "" {
				compiled, ok, err := bytecode.Get(library, func() ([]byte, error) {
					return vm.Compile(library, quickjs.EvalGlobal)
				})
				if err != nil {
					return "", err
				}
				if ok {
					_, err = vm.EvalBytecode(compiled)
				} else {
					_, err = vm.Eval(library, quickjs.EvalGlobal)
				}
				if err != nil {
					return "", err
				}
			}
			return eval(vm, protocol.Function(body))
		},
		Hold: func(body string) (func(), error) {
			vm, err := open()
			if err != nil {
				return nil, err
			}
			if body != "" {
				if _, err := eval(vm, protocol.Holder(body)); err != nil {
					return nil, err
				}
				if _, err := vm.ExecutePendingJobs(); err != nil {
					return nil, err
				}
			}
			return func() { vm.Close() }, nil
		},
		Program: func(sources []string, expression string, warm, count int) ([]time.Duration, string, error) {
			vm, err := open()
			if err != nil {
				return nil, "", err
			}
			defer vm.Close()
			for _, source := range sources {
				if _, err := vm.Eval(source, quickjs.EvalGlobal); err != nil {
					return nil, "", err
				}
			}
			return protocol.Measure(warm, count, func() (string, error) { return eval(vm, expression) })
		},
	}, nil
}
