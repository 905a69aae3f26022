package main

import (
	"time"

	"github.com/dop251/goja"

	"github.com/toolrun/toolrun/bench/protocol"
)

// gojaEngine is github.com/dop251/goja with a new runtime for each call.
func gojaEngine() (protocol.Engine, error) {
	var compiled protocol.Reuse[*goja.Program]
	eval := func(vm *goja.Runtime, source string) (string, error) {
		value, err := vm.RunString(source)
		if err != nil {
			return "", err
		}
		return value.String(), nil
	}
	return protocol.Engine{
		Version: version("github.com/dop251/goja", ""),
		Call: func(body, library string) (string, error) {
			vm := goja.New()
			if library != "" {
				program, ok, err := compiled.Get(library, func() (*goja.Program, error) {
					return goja.Compile("library.js", library, false)
				})
				if err != nil {
					return "", err
				}
				if ok {
					_, err = vm.RunProgram(program)
				} else {
					_, err = vm.RunString(library)
				}
				if err != nil {
					return "", err
				}
			}
			return eval(vm, protocol.Function(body))
		},
		Hold: func(body string) (func(), error) {
			vm := goja.New()
			if body != "" {
				if _, err := eval(vm, protocol.Holder(body)); err != nil {
					return nil, err
				}
			}
			return func() { vm.ClearInterrupt() }, nil // what is used later is kept until then
		},
		Program: func(sources []string, expression string, warm, count int) ([]time.Duration, string, error) {
			vm := goja.New()
			for _, source := range sources {
				if _, err := vm.RunString(source); err != nil {
					return nil, "", err
				}
			}
			return protocol.Measure(warm, count, func() (string, error) { return eval(vm, expression) })
		},
	}, nil
}
