package javascript

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	sandbox "github.com/toolrun/toolrun/runtime"
)

// variablesScript is a function of the object with declarations and a number. It gives so many names and values as
// JSON.
const variablesScript = `(declarations, most) => {
	const describe = (value) => {
		switch (typeof value) {
		case 'string': return JSON.stringify(value.length > 60 ? value.slice(0, 60) + '\u2026' : value);
		case 'bigint': return value < 10n ** 60n && value > -(10n ** 60n) ? value + 'n' : 'bigint';
		case 'function': return /^class\b/.test(Function.prototype.toString.call(value)) ? 'class' : 'function';
		case 'object': break;
		default: return Object.is(value, -0) ? '-0' : String(value);
		}
		if (value === null) return 'null';
		const name = String(value.constructor?.name || 'Object').slice(0, 60);
		const size = value.length ?? value.size ?? value.byteLength;
		return typeof size === 'number' ? name + '(' + size + ')' : name;
	};
	const seen = [];
	for (const scope of [declarations, globalThis])
		for (const name of Object.getOwnPropertyNames(scope)) {
			if (seen.length === most) break;
			if (scope === globalThis && 'get' in Object.getOwnPropertyDescriptor(scope, name)) {
				seen.push({ name, value: 'accessor' });
				continue;
			}
			let value;
			try { value = describe(scope[name]) } catch { value = 'unknown' }
			seen.push({ name, value });
		}
	return JSON.stringify(seen);
}`

// maxVariables is the largest text of variables in bytes.
const maxVariables = 1 << 20

// Variables lists what scripts of a session have left in global scope, at most [sandbox.MaxVariables], sorted by name.
// Code of theirs may run, in a sandbox of its own and without files, and the state stays as it is.
func (i *Interpreter) Variables(ctx context.Context, state *sandbox.State, limits sandbox.Limits) ([]sandbox.Variable,
	error) {
	empty, err := i.Run(ctx, "", &RunOptions{Session: true, Limits: limits})
	if err != nil {
		return nil, err
	}
	fresh, err := i.globals(ctx, empty.State, limits)
	if err != nil {
		return nil, err
	}
	all, err := i.globals(ctx, state, limits)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(v sandbox.Variable) bool {
		return slices.ContainsFunc(fresh, func(f sandbox.Variable) bool { return f.Name == v.Name })
	})
	slices.SortStableFunc(all, func(a, b sandbox.Variable) int { return strings.Compare(a.Name, b.Name) })
	return all[:min(len(all), sandbox.MaxVariables)], nil
}

// globals lists everything in global scope, but for what the host's functions are properties of.
func (i *Interpreter) globals(ctx context.Context, state *sandbox.State, limits sandbox.Limits) ([]sandbox.Variable,
	error) {
	o, err := (&RunOptions{Session: true, State: state, Limits: limits}).withDefaults()
	if err != nil {
		return nil, err
	}
	begun, err := i.program.Begin(ctx, o.runOptions())
	if err != nil {
		return nil, err
	}
	defer begun.End()
	r := newRun(begun, o)
	r.effects = &i.effects
	in, err := r.sandbox(i.program)
	if err != nil {
		return nil, err
	}
	in.Untrusted()
	function, err := in.Checked(in.VM.EvalNow(in.Context(), variablesScript, "toolrun:variables"))
	if err != nil {
		return nil, err
	}
	most, err := in.Checked(in.VM.ParseJSON(in.Context(), fmt.Sprint(2*sandbox.MaxVariables)))
	if err != nil {
		return nil, err
	}
	value, err := in.Checked(in.VM.Call(in.Context(), function, in.VM.Declarations(), most))
	if err != nil {
		return nil, err
	}
	var all []sandbox.Variable
	if text, cut, ok := in.VM.String(value, maxVariables); !ok || cut > 0 || json.Unmarshal([]byte(text), &all) != nil {
		return nil, errors.New("javascript: the variables cannot be listed")
	}
	return slices.DeleteFunc(all, func(v sandbox.Variable) bool {
		return slices.ContainsFunc(r.functions, func(f sessionFunction) bool {
			return f.Name == v.Name || strings.HasPrefix(f.Name, v.Name+".")
		})
	}), nil
}
