package javascript

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/js/module"
	"github.com/toolrun/toolrun/internal/text/lazyregexp"
	"github.com/toolrun/toolrun/internal/text/utf8text"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// A Language is the language of a script.
type Language int

const (
	// LanguageAuto is JavaScript, or TypeScript if the script is not valid JavaScript.
	LanguageAuto Language = iota
	LanguageJavaScript
	// LanguageTypeScript is TypeScript. Its types are removed, not checked.
	LanguageTypeScript
)

// A script that is the body of a function is compiled twice, with each of these pairs around it. A script could close
// the function early. The rest would then have to be a statement in one, and begin with a comma or a closing brace in
// the other, which is impossible. So a script that compiles both ways is one function.
const (
	declarationPrefix = "async function f(){"
	declarationSuffix = "\n}"
	methodPrefix      = "({async       ''(){" // as long as the other
	methodSuffix      = "\n}})['']"

	// A script without a closing brace cannot close the function, and is compiled only with these.
	expressionPrefix = "(async function (){" // as long as the others
	expressionSuffix = "\n})"
)

// A compiler makes of source what the engine can run.
type compiler struct{ *instance }

// compiled is a compiled script.
type compiled struct {
	function quickjs.Value // for the body of a function
	module   bool          // it is an ES module, known to the engine by the script's name
	promise  quickjs.Value // of the result, in a session: there a script that compiles has already begun
}

// compile compiles a script: as the body of a function if it can be one, else as an ES module, and with the types
// taken out if it can be neither. The error is a syntax error of the script, or ends the run.
func (in compiler) compile(source string) (compiled, error) {
	source, err := look(in, source, module.WithoutAttributes)
	if err != nil {
		return compiled{}, err
	}
	language := in.run.options.Language
	if language == LanguageTypeScript {
		return in.compileTypeScript(source)
	}
	c, err := in.compileJavaScript(source)
	if err == nil || !isSyntax(err) {
		return c, err
	}
	if !in.run.options.Expression {
		newer, lookErr := look(in, source, module.IsNewer)
		if lookErr != nil {
			return compiled{}, lookErr
		}
		if newer {
			lowered, lowerErr := in.compileLowered(source, module.LowerModule, module.LowerBody)
			if lowerErr == nil || !isSyntax(lowerErr) || language == LanguageJavaScript {
				return lowered, lowerErr
			}
		}
	}
	if language == LanguageJavaScript {
		return c, err
	}
	typed, typedErr := in.compileTypeScript(source)
	if typedErr == nil || !isSyntax(typedErr) || further(typedErr, err) { // it makes more sense as TypeScript
		return typed, withJSX(typedErr, source)
	}
	return compiled{}, withJSX(withColumn(err, typedErr), source)
}

// maxInline is how many bytes package module scans without a goroutine of its own, because that takes little time.
const maxInline = 32 << 10

// look lets a function of package module scan the source, until the run ends.
func look[T any](in compiler, source string, f func(string) T) (T, error) {
	if len(source) <= maxInline {
		return f(source), nil
	}
	value, err := sandbox.Await(in.run.Run, func() (T, error) { return f(source), nil })
	if err != nil {
		err = in.syntaxFailure(err)
	}
	return value, err
}

// withColumn takes the column of a syntax error from another one on the same line.
func withColumn(err, other error) error {
	a, _ := errors.AsType[*ScriptError](err)
	b, _ := errors.AsType[*ScriptError](other)
	if a.Column == 0 && a.Line == b.Line && a.File == b.File {
		a.place(a.File, a.Line, b.Column)
	}
	return err
}

// jsx matches an expression that begins with a tag, up to the end of a tag.
var jsx = lazyregexp.New(`(?s)(?:=>|return|[=(?:&,])\s*<(?:[A-Za-z][\w.]*(?:\s[^<>]*)?)?(?:/>|>.*(?:</|/>))`)

// maxJSX is how many bytes are searched for JSX.
const maxJSX = 32 << 10

// withJSX adds to a syntax error that JSX may be the reason, if the source seems to have some.
func withJSX(err error, source string) error {
	e, ok := errors.AsType[*ScriptError](err)
	if ok && e.Syntax && jsx().MatchString(source[:min(len(source), maxJSX)]) {
		e.Message += " (there is no JSX here: make strings or objects)"
		e.place(e.File, e.Line, e.Column)
	}
	return err
}

func isSyntax(err error) bool {
	e, ok := errors.AsType[*ScriptError](err)
	return ok && e.Syntax
}

// further reports whether a syntax error is known to be further down in the source than another.
func further(a, b error) bool {
	x, _ := errors.AsType[*ScriptError](a)
	y, _ := errors.AsType[*ScriptError](b)
	return x.Line > y.Line || x.Line == y.Line && x.Column > y.Column && y.Column > 0
}

func (in compiler) compileJavaScript(source string) (compiled, error) {
	c, err := in.compileEnding(source, nil)
	if err == nil && in.run.options.Expression && strings.Contains(source, ")") {
		brackets := declarationPrefix + beforeBrackets + source + afterBrackets + declarationSuffix
		ok, err := in.VM.Compiles(in.Context(), brackets, in.run.options.Name, false)
		if err != nil {
			return compiled{}, in.Reason(err)
		}
		if !ok {
			return compiled{}, cmp.Or(in.forgetException(), notOneExpression(in.run.options.Name))
		}
	}
	if err == nil || !isSyntax(err) {
		return c, err
	}
	if in.run.options.Expression { // which is no module
		return c, err
	}
	kind, lookErr := look(in, source, module.Detect)
	if lookErr != nil || kind != module.ES {
		return c, cmp.Or(lookErr, err)
	}
	if !in.run.options.Session { // where names must stay
		if c, err = in.compileModule(source, nil); err == nil || !isReturnOutside(err) {
			return c, err
		}
	}
	type split struct{ imports, rest string }
	s, err := sandbox.Await(in.run.Run, func() (s split, err error) {
		s.imports, s.rest, err = module.SplitImports(source)
		return s, err
	})
	if err != nil {
		return compiled{}, in.syntaxFailure(err)
	}
	return in.compileBody(s.imports, s.rest, nil)
}

// compileEnding compiles the body of an async function so that the value of its last expression is known.
func (in compiler) compileEnding(source string, from *module.Map) (compiled, error) {
	if err := in.findEnding(source); err != nil {
		return compiled{}, err
	}
	c, err := in.compileBody("", source, from)
	if isSyntax(err) && in.run.ending.expression {
		in.run.ending.expression = false
		c, err = in.compileBody("", source, from)
	}
	return c, err
}

// isReturnOutside recognises the error for a return outside a function, which is allowed in the body of one.
func isReturnOutside(err error) bool {
	e, ok := errors.AsType[*ScriptError](err)
	return ok && e.Syntax && e.Message == "return not in a function"
}

func (in compiler) compileTypeScript(source string) (compiled, error) {
	if in.run.options.Expression {
		code, from, err := in.stripTypes(beforeExpression+source+afterExpression, module.StripBody)
		if err != nil {
			return compiled{}, in.syntaxFailure(err)
		}
		if strings.Contains(source, ")") {
			if _, _, err := in.stripTypes(beforeBrackets+source+afterBrackets, module.StripBody); err != nil {
				if err = in.syntaxFailure(err); isSyntax(err) {
					err = notOneExpression(in.run.options.Name)
				}
				return compiled{}, err
			}
		}
		return in.compileBody("", code, from)
	}
	return in.compileLowered(source, module.StripTypes, module.StripBody)
}

// compileLowered compiles a script that is turned into JavaScript that the engine knows, as a module or as the body of
// a function.
func (in compiler) compileLowered(source string, whole, body stripper) (compiled, error) {
	kind, err := look(in, source, module.Detect)
	if err != nil {
		return compiled{}, err
	}
	var first error
	if kind == module.ES && !in.run.options.Session {
		code, from, err := in.stripTypes(source, whole)
		if err == nil {
			return in.compileModule(code, from)
		}
		first = in.syntaxFailure(err)
	}
	code, from, err := in.stripTypes(source, body)
	if err == nil {
		return in.compileEnding(code, from)
	}
	if err = in.syntaxFailure(err); first != nil && isSyntax(first) && isSyntax(err) && !further(err, first) {
		err = first
	}
	return compiled{}, err
}

// stripper is [module.StripTypes], [module.StripBody], or one of those for newer JavaScript.
type stripper func(ctx context.Context, code, name string) (js string, m *module.Map, err error)

// stripTypes removes the types from the script.
func (in compiler) stripTypes(source string, strip stripper) (string, *module.Map, error) {
	type stripped struct {
		code string
		from *module.Map
	}
	r := in.run
	s, err := sandbox.Await(r.Run, func() (s stripped, err error) {
		s.code, s.from, err = strip(r.Context(), source, r.options.Name)
		return s, err
	})
	return s.code, s.from, err
}

// syntaxFailure turns an error of package module, which has the author's lines, into the error of the run.
func (in compiler) syntaxFailure(err error) error {
	if s, ok := errors.AsType[*sandbox.Stop](err); ok {
		return s.Err
	}
	e := in.run.expression
	if syntax, ok := errors.AsType[*module.SyntaxError](err); ok {
		line, column := e.place(syntax.Line, syntax.Column)
		return newSyntaxError(syntax.Message, in.run.options.Name, line, column)
	}
	if complexity, ok := errors.AsType[*module.ComplexityError](err); ok {
		line, column := e.place(complexity.Line, complexity.Column)
		return newSyntaxError("TypeScript here: "+complexity.Reason, in.run.options.Name, line, column)
	}
	if errors.Is(err, module.ErrBusy) {
		return &ScriptError{Name: "Error", Message: err.Error(), Thrown: "Error: " + err.Error()}
	}
	return newSyntaxError(err.Error(), in.run.options.Name, 0, 0)
}

// compileBody compiles the body of an async function, with imports in front of its first line, or an expression.
// Without types that were taken out, the expression has nothing around it yet.
func (in compiler) compileBody(imports, source string, from *module.Map) (compiled, error) {
	name, body, o := in.run.options.Name, imports+source, origin{prefix: len(methodPrefix + imports), source: from}
	switch {
	case in.run.options.Expression && from == nil:
		body = beforeExpression + source + afterExpression
		o.prefix += len(beforeExpression)
	case in.run.options.Expression:
		o.expression = in.run.expression
	case imports == "" && in.run.ending.expression:
		body, o.inserted = in.run.ending.returned(source)
	}
	if in.run.options.Session {
		return in.evalTop(body, source, o)
	}
	in.run.note(name, source, o)
	evaluate, strict := in.VM.EvalNow, imports != "" // what imports is a module, and strict
	if strict {
		evaluate = in.VM.Eval
	}
	if !strings.Contains(body, "}") {
		function, err := evaluate(in.Context(), expressionPrefix+body+expressionSuffix, name)
		if err != nil {
			return compiled{}, in.Reason(err)
		}
		if function != quickjs.Exception {
			return compiled{function: function}, nil
		}
		if err := in.forgetException(); err != nil { // the other ways report better positions
			return compiled{}, err
		}
	}
	ok, err := in.VM.Compiles(in.Context(), declarationPrefix+body+declarationSuffix, name, strict)
	if err != nil {
		return compiled{}, in.Reason(err)
	}
	if !ok {
		return compiled{}, in.syntaxError(source)
	}
	function, err := evaluate(in.Context(), methodPrefix+body+methodSuffix, name)
	if err != nil {
		return compiled{}, in.Reason(err)
	}
	if function == quickjs.Exception {
		if err := in.forgetException(); err != nil {
			return compiled{}, err
		}
		return compiled{}, unbalanced(name)
	}
	return compiled{function: function}, nil
}

// evalTop begins to run a script of a session. body is what source, or what was made of it, is for the engine.
func (in compiler) evalTop(body, source string, o origin) (compiled, error) {
	o.prefix -= len(methodPrefix)
	in.run.note(in.run.options.Name, source, o)
	promise, err := in.VM.EvalTop(in.Context(), body, in.run.options.Name)
	if err != nil {
		return compiled{}, in.Reason(err)
	}
	if promise == quickjs.Exception {
		return compiled{}, in.syntaxError(source)
	}
	return compiled{promise: promise}, nil
}

// forgetException drops the pending exception.
func (in *instance) forgetException() error {
	e, err := in.VM.TakeException(in.Context())
	if err == nil {
		err = in.VM.Free(in.Context(), e)
	}
	return in.Reason(err)
}

func (in compiler) compileModule(source string, from *module.Map) (compiled, error) {
	name := in.run.options.Name
	in.run.note(name, source, origin{source: from, module: true})
	// CommonJS files that it imports run now and can call functions, while the present mark may be of the run that
	// loaded the libraries.
	if _, err := in.Checked(in.callWith(in.Prelude.Install, map[string]any{
		"mark": in.run.mark, "functions": []any{}, "globals": []any{},
	})); err != nil {
		return compiled{}, err
	}
	loader := in.Modules()
	def, err := loader.Link(in.Context(), source, name)
	if err != nil {
		return compiled{}, in.Reason(err)
	}
	if def == 0 && loader.ImportFailed { // its imports may have run, and thrown any error
		return compiled{}, in.Exception()
	}
	if def == 0 {
		return compiled{}, in.syntaxError(source)
	}
	in.run.ending.module = true
	return compiled{module: true}, nil
}

// startScript starts a compiled script.
func (in *instance) startScript(c compiled) error {
	if in.run.options.Session {
		if _, err := in.Checked(in.callWith(in.Prelude.EndTop, in.startDetails(), c.promise)); err != nil {
			return err
		}
		return in.Reason(in.VM.Free(in.Context(), c.promise))
	}
	if c.module {
		_, err := in.Checked(in.callWith(in.Prelude.StartModule, map[string]any{"module": in.run.modules.Entry}))
		return err
	}
	_, err := in.Checked(in.callWith(in.Prelude.Start, in.startDetails(), c.function))
	return err
}

// callWith calls a function of the prelude with values and an object, which it frees if the sandbox stays.
func (in *instance) callWith(function quickjs.Value, details map[string]any,
	before ...quickjs.Value) (quickjs.Value, error) {
	text, err := json.Marshal(details)
	if err != nil {
		return 0, err
	}
	argument, err := in.VM.ParseJSON(in.Context(), string(text))
	if err != nil || argument == quickjs.Exception {
		return argument, err
	}
	result, err := in.VM.Call(in.Context(), function, append(before, argument)...)
	if err == nil && in.run.options.Session {
		err = in.VM.Free(in.Context(), argument)
	}
	return result, err
}

// syntaxError returns the error for a script that did not compile. The engine may notice a missing bracket only behind
// the script's last line, in the wrapper, and some of its columns belong to other lines: these are left out.
func (in compiler) syntaxError(source string) error {
	err := in.Exception()
	in.run.outcome = nil // it may compile in another way
	e, ok := err.(*ScriptError)
	if !ok {
		return err
	}
	e.Syntax = true
	if e.Line == 0 || e.File != in.run.options.Name {
		return err
	}
	last := 1 + strings.Count(source, "\n")
	if e.Line > last {
		e.Message = "unexpected end of input: a bracket is missing, or there is one too many"
		e.Line, e.Column = last, 0
	}
	if e.Message == "import.meta only valid in module code" {
		e.Message += ": this is the body of a function, which has __filename and __dirname"
	}
	inPrefix := e.Line == 1 && e.Column == 1 && in.run.origins[e.File].prefix > 0
	if units, _ := utf8text.Units(lineOf(source, e.Line)); inPrefix || e.Column < 1 || e.Column > units+1 {
		e.Column = 0
	}
	e.place(e.File, e.Line, e.Column)
	return e
}
