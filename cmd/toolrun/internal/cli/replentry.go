package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strings"

	"github.com/toolrun/toolrun/internal/module"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/javascript"
)

// parse parses code as a script.
func parse(ctx context.Context, code string) error {
	_, _, err := module.StripBody(ctx, code, "repl")
	return err
}

// endsEarly reports whether the parser reached the end of the code too early.
func endsEarly(err error) bool {
	syntax, ok := errors.AsType[*module.SyntaxError](err)
	return ok && endMessages.MatchString(syntax.Message)
}

// endMessages match errors about an early end, except in strings and regular expressions, which cannot continue on
// another line.
var endMessages = regexp.MustCompile(
	`^Unexpected end of|end of file$|^Unterminated template|terminate multi-line comment$`)

// isIncomplete reports whether an entry continues on the next line: nothing but its end is missing.
func (s *session) isIncomplete(ctx context.Context, entry string) bool {
	if name, argument, ok := dotCommand(entry); ok {
		_, input, _ := strings.Cut(argument, " ")
		return name == "call" && isIncompleteJSON(input)
	}
	return s.language().isIncomplete(s, ctx, entry)
}

func isIncompleteScript(_ *session, ctx context.Context, entry string) bool {
	err := parse(ctx, entry)
	if err == nil || endsEarly(err) {
		return err != nil
	}
	// It may be a module: scripts have no exports.
	_, _, err = module.StripTypes(ctx, entry, "repl")
	return endsEarly(err)
}

func isIncompleteJSON(text string) bool {
	var value json.RawMessage
	return errors.Is(json.NewDecoder(strings.NewReader(text)).Decode(&value), io.ErrUnexpectedEOF)
}

// isExpression reports whether an entry is an expression: it parses inside parentheses and inside brackets. With one
// kind alone, the entry could close it and continue.
func isExpression(ctx context.Context, entry string) bool {
	return parse(ctx, "("+entry+"\n)") == nil && parse(ctx, "["+entry+"\n]") == nil
}

// namedFirst matches what begins as the declaration of a function or a class does.
var namedFirst = regexp.MustCompile(`^\s*(?:(?:async\s+)?function[\s*]+|class\s+)[\pL_$]`)

// isDeclaration reports whether an entry, which is an expression, declares a function or a class as well.
func isDeclaration(ctx context.Context, entry string) bool {
	return namedFirst.MatchString(entry) && parse(ctx, entry) == nil
}

// script runs an entry with the tool of the language, as toolrun js and toolrun py do.
func (s *session) script(ctx context.Context, entry string) error {
	// in Python, the last expression always shows its value
	if s.lang == javascript.Name && isExpression(ctx, entry) && !(s.files != nil && isDeclaration(ctx, entry)) {
		ctx = javascript.AsExpression(ctx)
	}
	input, err := json.Marshal(map[string]string{"code": entry})
	if err != nil {
		return err
	}
	env, err := s.session.Env(ctx)
	if err != nil {
		return err
	}
	env.Limits = shellLimits
	env.Selection.Settings = registry.Settings{} // as with toolrun js
	env.Selection = env.Selection.WithOption(s.lang, javascript.OptionToolCalls, s.servers.file() != "")
	s.inSession(&env)
	printer := newPersonPrinter(s.cmd)
	printer.whole = true // the next entry begins a line
	return s.flags.call(ctx, s.cmd, s.runner, tool.Call{Tool: s.lang, Input: input}, env, printer)
}

var dotLine = regexp.MustCompile(`^\s*\.([a-zA-Z]+)(?:\s+|$)`)

// dotCommand splits a command of the prompt into its name and argument. No code in
// any language here begins with a dot and a letter.
func dotCommand(entry string) (name, argument string, ok bool) {
	match := dotLine.FindStringSubmatch(entry)
	if match == nil {
		return "", "", false
	}
	return match[1], strings.TrimSpace(entry[len(match[0]):]), true
}
