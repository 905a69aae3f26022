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
var endMessages = regexp.MustCompile(`^Unexpected end of|end of file$|^Unterminated template|terminate multi-line comment$`)

// isIncomplete reports whether an entry continues on the next line: nothing but its end is missing.
func isIncomplete(ctx context.Context, entry string) bool {
	if name, argument, ok := dotCommand(entry); ok {
		_, input, _ := strings.Cut(argument, " ")
		return name == "call" && isIncompleteJSON(input)
	}
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

// isExpression reports whether an entry is an expression: it parses inside parentheses and inside brackets. With one kind
// alone, the entry could close it and continue.
func isExpression(ctx context.Context, entry string) bool {
	return parse(ctx, "("+entry+"\n)") == nil && parse(ctx, "["+entry+"\n]") == nil
}

// script runs an entry with the tool javascript, as toolrun js does.
func (s *session) script(ctx context.Context, entry string) error {
	if isExpression(ctx, entry) {
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
	env.Selection = env.Selection.WithOption(javascript.Name, javascript.OptionToolCalls, s.servers.file() != "")
	printer := newPersonPrinter(s.cmd)
	printer.whole = true // the next entry begins a line
	return s.flags.call(ctx, s.cmd, s.runner, registry.Call{Tool: javascript.Name, Input: input}, env, printer)
}

var dotLine = regexp.MustCompile(`^\s*\.([a-zA-Z]+)(?:\s+|$)`)

// dotCommand splits a command of the prompt into its name and argument. No JavaScript begins with a dot and a letter.
func dotCommand(entry string) (name, argument string, ok bool) {
	match := dotLine.FindStringSubmatch(entry)
	if match == nil {
		return "", "", false
	}
	return match[1], strings.TrimSpace(entry[len(match[0]):]), true
}
