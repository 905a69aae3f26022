package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/toolrun/toolrun/internal/text/lazyregexp"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
)

// isIncomplete reports whether an entry continues on the next line: nothing but its end is missing.
func (s *session) isIncomplete(ctx context.Context, entry string) bool {
	if name, argument, ok := dotCommand(entry); ok {
		_, input, _ := strings.Cut(argument, " ")
		return name == "call" && isIncompleteJSON(input)
	}
	return s.language().Shell.IsIncomplete(ctx, s.ask(ctx), entry)
}

func isIncompleteJSON(text string) bool {
	var value json.RawMessage
	return errors.Is(json.NewDecoder(strings.NewReader(text)).Decode(&value), io.ErrUnexpectedEOF)
}

// script runs an entry with the tool of the language, as toolrun js and toolrun py do.
func (s *session) script(ctx context.Context, entry string) error {
	if is := s.language().Shell.IsExpression; is != nil && is(ctx, entry, s.files != nil) {
		ctx = code.AsExpression(ctx)
	}
	input, err := s.language().Input(entry)
	if err != nil {
		return err
	}
	env, err := s.session.Env(ctx)
	if err != nil {
		return err
	}
	env.Limits = shellLimits
	env.Selection.Settings = registry.Settings{} // as with toolrun js
	env.Selection = env.Selection.WithOption(s.lang, code.OptionToolCalls,
		s.language().CallsTools || s.servers.file() != "")
	s.inSession(&env)
	printer := newPersonPrinter(s.cmd)
	printer.whole = true // the next entry begins a line
	return s.flags.call(ctx, s.cmd, s.runner, tool.Call{Tool: s.lang, Input: input}, env, printer)
}

var dotLine = lazyregexp.New(`^\s*\.([a-zA-Z]+)(?:\s+|$)`)

// dotCommand splits a command of the prompt into its name and argument. No code in
// any language here begins with a dot and a letter.
func dotCommand(entry string) (name, argument string, ok bool) {
	match := dotLine().FindStringSubmatch(entry)
	if match == nil {
		return "", "", false
	}
	return match[1], strings.TrimSpace(entry[len(match[0]):]), true
}
