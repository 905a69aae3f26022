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

// parse says what is wrong with code that is a script, if anything.
func parse(code string) error {
	_, _, err := module.StripBody(context.Background(), code, "repl")
	return err
}

// endsEarly reports whether a parser has found the end of the code where there must be more.
func endsEarly(err error) bool {
	syntax, ok := errors.AsType[*module.SyntaxError](err)
	return ok && endMessages.MatchString(syntax.Message)
}

// endMessages are those for an end in the middle of anything but a string or a regular expression, which do not go on
// in another line.
var endMessages = regexp.MustCompile(`^Unexpected end of|end of file$|^Unterminated template|terminate multi-line comment$`)

// isIncomplete reports whether an entry goes on in the next line: there is nothing wrong with it but its end.
func isIncomplete(entry string) bool {
	if name, argument, ok := dotCommand(entry); ok {
		_, input, _ := strings.Cut(argument, " ")
		return name == "call" && isIncompleteJSON(input)
	}
	err := parse(entry)
	if err == nil || endsEarly(err) {
		return err != nil
	}
	// Modules have exports, which scripts have not.
	_, _, err = module.StripTypes(context.Background(), entry, "repl")
	return endsEarly(err)
}

func isIncompleteJSON(text string) bool {
	var value json.RawMessage
	return errors.Is(json.NewDecoder(strings.NewReader(text)).Decode(&value), io.ErrUnexpectedEOF)
}

// isExpression reports whether an entry has a value: it can stand between brackets of either kind. In only one kind,
// it could close them and go on.
func isExpression(entry string) bool {
	return parse("("+entry+"\n)") == nil && parse("["+entry+"\n]") == nil
}

// script runs an entry as the tool javascript does for whoever is at a shell.
func (s *session) script(ctx context.Context, entry string) error {
	if isExpression(entry) {
		entry = "return (" + entry + "\n)"
	}
	input, err := json.Marshal(map[string]string{"code": entry})
	if err != nil {
		return err
	}
	env, err := s.session.Env()
	if err != nil {
		return err
	}
	env.Limits = shellLimits
	env.Selection.Settings = registry.Settings{} // as with toolrun js
	options := map[string]any{javascript.OptionToolCalls: s.servers.file() != ""}
	env.Selection = withOptions(javascript.Name, options)(env.Selection)
	return s.call(ctx, registry.Call{Tool: javascript.Name, Input: input}, env)
}

// call calls a tool, and prints what the result says, of files too.
func (s *session) call(ctx context.Context, call registry.Call, env registry.Env) error {
	result, err := s.flags.call(ctx, s.cmd.ErrOrStderr(), s.runner, call, env)
	if err != nil {
		return err
	}
	return printResult(s.cmd.OutOrStdout(), result, s.flags.json, registry.Result.Text)
}

var dotLine = regexp.MustCompile(`^\s*\.([a-zA-Z]+)(?:\s+|$)`)

// dotCommand takes a line apart that is a command and no JavaScript, in which a line does not begin with a dot and a
// letter.
func dotCommand(entry string) (name, argument string, ok bool) {
	match := dotLine.FindStringSubmatch(entry)
	if match == nil {
		return "", "", false
	}
	return match[1], strings.TrimSpace(entry[len(match[0]):]), true
}
