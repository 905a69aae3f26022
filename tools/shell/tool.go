// Package shell has the language of bash for package code, which makes the tool bash of it. Its interpreter, with the
// commands, is the program in guest/shell, a module on package runtime/command:
//
//	engine, err := runtime.New(nil)
//	...
//	tools, err := registry.New(code.New(shell.Language, func(ctx context.Context) (code.Interpreter, error) {
//		return shell.Open(ctx, engine, module) // which loads it once
//	}, nil))
//
// description.md, which models read, describes what scripts can use.
//
// # Experimental
//
// The root package offers this tool; programs that assemble a registry themselves need the package. Its Go names may
// change with any version; the tool's name and input may not.
package shell

import (
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/toolrun/toolrun/internal/text/fill"
	"github.com/toolrun/toolrun/internal/text/plaintext"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
)

// Name is the tool's name, and Module that of the module with the interpreter.
const (
	Name   = "bash"
	Module = "shell"
)

// Ids of options. Both say how models get a definition that their provider has for such a tool.
const (
	// OptionNative is whether Anthropic's models get bash_20250124, and its managed agents the bash of their toolset.
	// It is for sessions only: such models expect that variables stay.
	OptionNative = "native"
	// OptionOpenAI is which tool of the Responses API its models get, of those that they know: "", which means none,
	// "shell" or "local_shell".
	OptionOpenAI = "openai"
)

// libraryDirs are the folders whose files *.sh are read before a script; several projects share the first one.
var libraryDirs = []string{"/share/lib", "/lib"}

// Language is the shell.
var Language = code.Language{
	Name: Name, Title: "Shell", Guest: "the shell", Module: Module,
	Argument: "command", Code: "The script to run, in bash.", Restarts: true,
	ReadFiles: "cat in the bash tool",
	Open:      Open,
	Describe:  describe, Override: override,
	AsksForCommands: true,
	CallsTools:      true, TextCalls: true, ToolCalls: toolCallsDescription, Declare: declare,
	Options: []tool.Option{{
		ID: OptionNative, Label: "Native definition",
		Subtitle: "In a session, use the provider's own definition of the tool, where there is one",
		Type:     tool.OptionBool, Default: true,
	}, {
		ID: OptionOpenAI, Label: "OpenAI's definition", Type: tool.OptionSelect,
		Subtitle: "Which tool of the Responses API takes the place of a function, for models that know it",
		Choices: []tool.Choice{{Value: "", Label: "A function"}, {Value: "shell", Label: "shell"},
			{Value: "local_shell", Label: "local_shell, of codex-mini-latest"}},
	}},
	Variable: func(name string) string { return "$" + name },
	Hint:     hint,
	Console:  consoleText,
	// The status stands on a line of its own, as an error does.
	ResultHeading: "\n", ErrorHeading: "\n",
	Empty: "Note: the script has printed nothing, and its exit status is 0.",
	Shell: code.Shell{
		Command: "sh", Short: "Run a script of bash", CommandFlag: true, LikeSh: true, Quiet: true,
		Long: `Run a script of bash in a fresh sandbox, with the usual commands. It comes from
-c, from a file, or from standard input. What it prints is printed at once, and
its exit status is that of the command; -p prints the value of an arithmetic
expression. --json prints nothing before the end, and then one line with all of
it. Flags come before the file; ARGS are $1 and so on.

Unless it is the script, standard input is that of the script.

Commands work on the files of the project, or of the directory given with
--root, which is /. The files *.sh of its folder /lib are read first. The
project's settings are ignored: what you run yourself may always run.

The shell is not part of toolrun: get it once with toolrun module add shell.`,
		Example: "  toolrun sh -c 'seq 10 | paste -sd+ | bc'\n" +
			"  toolrun sh --root . -c 'grep -rn TODO . | head'\n" +
			"  toolrun sh --root . report.sh 2025\n" +
			"  echo 'echo $((6 * 7))' | toolrun sh",
		Entries:      "bash. %s\nAn entry that is not complete goes on in the next line.",
		IsIncomplete: isIncomplete,
		Globals:      "compgen -c",
	},
	Samples: []code.Sample{{
		ID: "bash", Title: "Shell", Code: "ls -l /\necho \"files: $(find . -type f | wc -l)\"\n",
	}},
	Package: code.Package{Interpreter: "the shell", Go: "guest/shell"},
}

//go:embed toolcalls.md
var toolCallsDescription string

// declare names tools.
func declare(tools []*tool.Definition) string {
	var names []string
	for _, d := range tools {
		names = append(names, d.Name)
	}
	return plaintext.Cut(strings.Join(names, ", "), code.MaxDeclarations)
}

//go:embed description.md
var descriptionText string

var description = fill.New(descriptionText)

// describe tells what scripts can use and how much. Each of its sentences has a test.
func describe(_ tool.Offer, facts code.Facts) string { return description.Text(facts) }

func override(api tool.API, options tool.Options) json.RawMessage {
	native := options.Bool(OptionNative) && options.Text(code.OptionSession) != ""
	switch form := options.Text(OptionOpenAI); {
	case api == tool.Anthropic && native:
		return json.RawMessage(`{"type":"bash_20250124","name":"bash"}`)
	case api == tool.AnthropicAgents && native:
		return json.RawMessage(`{"type":"bash","name":"bash","enabled":true}`)
	case api == tool.OpenAIResponses && form == "shell":
		return json.RawMessage(`{"type":"shell","environment":{"type":"local"}}`)
	case api == tool.OpenAIResponses && form == "local_shell":
		return json.RawMessage(`{"type":"local_shell"}`)
	}
	return nil
}

// consoleText is the console as a terminal shows it, without the end of the last line.
func consoleText(console []sandbox.Entry) code.Pieces {
	return func(add func(string)) {
		for i, entry := range console {
			add(entry.Text)
			if !entry.Unfinished && i < len(console)-1 {
				add("\n")
			}
		}
	}
}
