// The command qjs runs github.com/fastschema/qjs for the comparison. It is a module of its own because it needs an
// older wazero.
package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/fastschema/qjs"

	"github.com/toolrun/toolrun/bench/protocol"
)

func main() {
	if err := protocol.Serve(engine(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func engine() protocol.Engine {
	e := protocol.Engine{Call: call, Hold: hold, Program: program}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			switch dep.Path {
			case "github.com/fastschema/qjs":
				e.Version = dep.Version + e.Version
			case "github.com/tetratelabs/wazero":
				e.Version += ", wazero " + dep.Version
			}
		}
	}
	return e
}

var bytecode protocol.Reuse[[]byte]

func call(body, library string) (string, error) {
	rt, err := qjs.New()
	if err != nil {
		return "", err
	}
	defer rt.Close()
	if library != "" {
		code := qjs.Code(library)
		compiled, ok, err := bytecode.Get(library, func() ([]byte, error) {
			return rt.Context().Compile("library.js", code)
		})
		if err != nil {
			return "", err
		}
		if ok {
			code = qjs.Bytecode(compiled)
		}
		if _, err := eval(rt, "library.js", code); err != nil {
			return "", err
		}
	}
	return eval(rt, "script.js", qjs.Code(protocol.Function(body)))
}

func eval(rt *qjs.Runtime, name string, code qjs.EvalOptionFunc) (string, error) {
	value, err := rt.Context().Eval(name, code)
	if err != nil {
		return "", err
	}
	defer value.Free()
	return value.String(), nil
}

func hold(body string) (release func(), err error) {
	rt, err := qjs.New()
	if err != nil {
		return nil, err
	}
	if body != "" {
		if _, err := eval(rt, "script.js", qjs.Code(protocol.Holder(body))); err != nil {
			return nil, err
		}
	}
	return rt.Close, nil
}

func program(sources []string, expression string, warm, count int) (times []time.Duration, text string, err error) {
	rt, err := qjs.New()
	if err != nil {
		return nil, "", err
	}
	defer rt.Close()
	for _, source := range sources {
		// What is evaluated directly is in strict mode, which old programs are not written for.
		if _, err := eval(rt, "program.js", qjs.Code("(0, eval)("+strconv.QuoteToASCII(source)+"); 1")); err != nil {
			return nil, "", err
		}
	}
	return protocol.Measure(warm, count, func() (string, error) { return eval(rt, "script.js", qjs.Code(expression)) })
}
