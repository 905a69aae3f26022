package module

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/toolrun/toolrun/internal/text/utf8text"
)

// ErrBusy means that TypeScript is refused for now, because all threads for it are busy with transforms that their
// callers have abandoned.
var ErrBusy = errors.New("too many TypeScript transforms that take too long: try again later, or use JavaScript")

// slots holds an entry for each running transform, including abandoned ones, which cannot be stopped.
var (
	slots     = make(chan struct{}, runtime.GOMAXPROCS(0))
	abandoned atomic.Int32
)

// StripTypes turns TypeScript into JavaScript of ES2023 with ES module syntax. It removes types without checking
// them, compiles enum, namespace and the like, and drops imports that are never used as values. Errors contain the
// name. The map leads back to the positions in the code.
//
// It returns early if the context ends; the transform itself then goes on in the background. At most GOMAXPROCS run
// at the same time; if all of these have been given up, the error is ErrBusy. Other errors are a *SyntaxError, a
// *ComplexityError, or a *fileError for code that is too large.
func StripTypes(ctx context.Context, code, name string) (js string, m *Map, err error) {
	return compileModule(ctx, code, name, api.LoaderTS)
}

func compileModule(ctx context.Context, code, name string, loader api.Loader) (js string, m *Map, err error) {
	if err := checkTypeScript(ctx, code, name); err != nil {
		return "", nil, err
	}
	out, err := transform(ctx, code, name, loader)
	if err != nil {
		return "", nil, err
	}
	m, err = newMap(out.Map)
	return string(out.Code), m, err
}

// checkTypeScript refuses code that must not reach the compiler.
func checkTypeScript(ctx context.Context, code, name string) error {
	if len(code) > MaxTypeScript {
		return &fileError{path: name, reason: fmt.Sprintf("it is larger than %d bytes", MaxTypeScript)}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return checkComplexity(code, name)
}

// StripBody is StripTypes for the body of an async function, with return statements, and possibly with import
// declarations, which become calls of import as in [SplitImports].
//
// In a module, the parser does not accept return outside of functions. So the code is wrapped in a function that begins
// on the code's own first line, and ends on an added line. In the output, the first line of the function is replaced by
// the imports, and the added line is removed.
func StripBody(ctx context.Context, code, name string) (js string, m *Map, err error) {
	return compileBody(ctx, code, name, api.LoaderTS)
}

func compileBody(ctx context.Context, code, name string, loader api.Loader) (js string, m *Map, err error) {
	if err := checkTypeScript(ctx, code, name); err != nil {
		return "", nil, err
	}
	if strings.HasPrefix(code, "#!") {
		code = "//" + code[2:]
	}
	body, err := splitImports(code)
	if err != nil {
		return "", nil, inFile(err, name)
	}
	if at := body.end; at.kind == broken && strings.IndexByte(")]}", code[min(at.start, len(code)-1)]) >= 0 {
		// It could close the wrapping function.
		line, column := endPosition(code[:at.start])
		return "", nil, &SyntaxError{name, line, column, fmt.Sprintf("Unexpected %q", code[at.start:at.start+1])}
	}
	function := "body"
	for i := 0; strings.Contains(code, function); i++ {
		function = fmt.Sprintf("body%d", i)
	}
	prefix := "async function " + function + "() {"
	out, err := transform(ctx, prefix+body.rest+"\n}", name, loader)
	lines, _ := endPosition(code)
	var se *SyntaxError
	if errors.As(err, &se) {
		switch {
		case se.Line > lines:
			se.Line, se.Column = endPosition(code)
			se.Message = "Unexpected end of file"
		case se.Line == 1:
			se.Column = max(1, se.Column-len(prefix))
		}
	}
	if err != nil {
		return "", nil, err
	}
	if m, err = newMap(out.Map); err != nil {
		return "", nil, err
	}
	m.cut(len(prefix), lines)
	before, after, ok := strings.Cut("\n"+string(out.Code), "\n"+prefix)
	after, ok2 := strings.CutSuffix(after, "}\n")
	if !ok || !ok2 {
		return "", nil, &SyntaxError{name, 1, 1, "Unexpected end of the script's function"}
	}
	if before != "" {
		before = before[1:] + "\n"
	}
	return before + body.statement(usedIn(after)) + after, m, nil
}

// transform runs a transform and waits until it finishes or the context ends.
func transform(ctx context.Context, code, name string, loader api.Loader) (*api.TransformResult, error) {
	select {
	case slots <- struct{}{}:
	default:
		if int(abandoned.Load()) >= cap(slots) {
			return nil, ErrBusy
		}
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	done := make(chan *api.TransformResult, 1)
	go func() {
		var result *api.TransformResult
		defer func() {
			_ = recover() // a bug in the compiler: there is no result
			done <- result
		}()
		out := api.Transform(code, api.TransformOptions{
			Loader:         loader,
			Target:         api.ES2023,
			Supported:      map[string]bool{"import-attributes": true},
			Charset:        api.CharsetUTF8,
			Sourcemap:      api.SourceMapExternal,
			SourcesContent: api.SourcesContentExclude,
			Sourcefile:     "source.ts",
			TsconfigRaw:    "{}",
			LegalComments:  api.LegalCommentsInline,
			LogLevel:       api.LogLevelSilent,
		})
		result = &out
	}()
	select {
	case result := <-done:
		<-slots
		switch {
		case result == nil:
			return nil, &SyntaxError{name, 1, 1, "The TypeScript compiler failed on this code"}
		case len(result.Errors) > 0:
			return nil, syntaxError(name, result.Errors[0])
		}
		return result, nil
	case <-ctx.Done():
		abandoned.Add(1)
		go func() {
			<-done
			abandoned.Add(-1)
			<-slots
		}()
		return nil, ctx.Err()
	}
}

// syntaxError converts a message of the parser, whose columns are in bytes.
func syntaxError(name string, message api.Message) error {
	e := &SyntaxError{name, 1, 1, message.Text}
	if at := message.Location; at != nil {
		e.Line = max(1, at.Line)
		e.Column = 1 + utf16Length(at.LineText[:min(max(0, at.Column), len(at.LineText))])
	}
	return e
}

// inFile sets the file of a syntax error.
func inFile(err error, name string) error {
	var se *SyntaxError
	if errors.As(err, &se) {
		se.file = name
	}
	return err
}

// utf16Length returns the length of a text in UTF-16 code units.
func utf16Length(s string) int {
	n, _ := utf8text.Units(s)
	return n
}

// lineBreak returns the length in bytes of the line break at the start of s, or 0.
func lineBreak(s string) int {
	switch {
	case strings.HasPrefix(s, "\r\n"):
		return 2
	case s[0] == '\n' || s[0] == '\r':
		return 1
	case strings.HasPrefix(s, "\u2028") || strings.HasPrefix(s, "\u2029"):
		return 3
	}
	return 0
}

// endPosition returns the line and column of the end of a text, both from 1.
func endPosition(s string) (line, column int) {
	line = 1
	start := 0
	for i := 0; i < len(s); {
		if n := lineBreak(s[i:]); n > 0 {
			i += n
			line, start = line+1, i
			continue
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		i += n
	}
	return line, 1 + utf16Length(s[start:])
}
