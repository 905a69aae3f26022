package javascript

import (
	"strings"

	"github.com/toolrun/toolrun/internal/js/module"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// An ending is what the end of a script shows of a result that it does not return. A script that prints nothing and has
// no result gets a note then, since its author may believe that the value of its last expression is the result, or that
// a function is called. If the script is nothing but a function, that is called.
type ending struct {
	expression bool // the last statement is an expression, whose value the prelude gets
	module.Ending
	text     string // of the expression
	module   bool   // the script is a module, which has no ending
	uncalled string // a function that is declared and not called
}

// findEnding looks for the ending of a script that is the body of a function, without its types.
func (in compiler) findEnding(source string) error {
	r := in.run
	r.ending = ending{}
	if r.options.Expression || len(source) > maxInline {
		return nil
	}
	if err := in.Spend(len(source)); err != nil {
		return in.Reason(err)
	}
	found, uncalled, ok := module.FindEnding(source)
	r.ending = ending{Ending: found, uncalled: uncalled}
	if !ok {
		return nil
	}
	before := source[:found.Start]
	whole, err := true, error(nil)
	if strings.TrimSpace(before) != "" {
		whole, err = in.compiles(before)
	}
	if whole && err == nil && found.Check { // what a dot could follow is an expression that goes on
		goesOn, err := in.compiles(before + "\n.x")
		if goesOn || err != nil {
			return err
		}
	}
	r.ending.expression, r.ending.text = whole && err == nil, source[found.Start:found.End]
	return err
}

// compiles reports whether source is the body of a function.
func (in compiler) compiles(source string) (bool, error) {
	ok, err := in.VM.Compiles(in.Context(), declarationPrefix+source+declarationSuffix, in.run.options.Name, false)
	if err != nil {
		return false, in.Reason(err)
	}
	if !ok {
		return false, in.forgetException()
	}
	return true, nil
}

// lastProperty is the name of the property. It is not random, because the engine's work depends on names.
const lastProperty = "toolrun:last"

// returned returns the source with its last expression returned, as the only property of an object, and where that
// begins.
func (e *ending) returned(source string) (string, insertion) {
	const before = "return{'" + lastProperty + "':(0," // with the comma, a function does not get the name
	line := 1 + strings.Count(source[:e.Start], "\n")
	column := e.Start - (strings.LastIndexByte(source[:e.Start], '\n') + 1) + 1
	return source[:e.Start] + before + source[e.Start:e.End] + "\n)};" + source[e.End:],
		insertion{line, column, len(before)}
}

// startDetails is what the prelude gets to start a script.
func (in *instance) startDetails() map[string]any {
	details := map[string]any{"mark": in.run.mark, "name": in.run.options.Name}
	if e := in.run.ending; e.expression {
		details["last"], details["call"] = lastProperty, e.Function
	}
	return details
}

// maxEnding is how long an expression is that a note quotes, in bytes.
const maxEnding = 80

// noteEnding says what to write if a script that has ended has neither a result nor printed anything, but a value that
// could be meant as the result.
func (in *instance) noteEnding() error {
	r := in.run
	e := r.ending
	r.ending = ending{}
	if r.outcome == nil || r.outcome.err != nil || r.outcome.text != "undefined" ||
		r.outcome.value != nil || r.Output().Used() || r.changed {
		return nil
	}
	dropped := int32(0)
	if e.expression || e.module {
		v, err := in.Checked(in.VM.Call(in.Context(), in.Prelude.Dropped))
		if err != nil {
			return err
		}
		dropped, _ = v.Int()
	}
	text := e.text
	if len(text) > maxEnding || strings.Contains(text, "\n") {
		text = "..."
	}
	switch {
	case dropped == 1:
		in.note("The code returns nothing. To get the value of its last expression, write: return " + text)
	case dropped == 3:
		in.note("The last expression is a function, which is not called. To get what it returns, write: " +
			"return await (" + text + ")()")
	case dropped == 2:
		in.note("The code returns nothing, and does not wait for its last expression. " +
			"To get the result, write: return await " + text)
	case dropped == 5:
		in.note("The code returns nothing, and does not wait for its last expression. " +
			"To get the results, write: return await Promise.all(" + text + ")")
	case dropped == 4:
		in.note("The module exports nothing, so there is no result. To return a value, write: export default value")
	case e.uncalled != "" && !e.module && !r.options.Session: // where later scripts may call it
		in.note("The code declares " + e.uncalled + " and does not call it. To get what it returns, write: " +
			"return await " + e.uncalled + "()")
	}
	return nil
}

func (in *instance) note(text string) { in.run.Output().Print(sandbox.LevelWarn, text) }
