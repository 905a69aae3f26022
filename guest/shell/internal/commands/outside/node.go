package outside

import (
	_ "embed"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var node, js = nodeCommand("node"), nodeCommand("js")

func nodeCommand(name string) *command.Command {
	return &command.Command{
		Name:     name,
		Operands: "[OPTION]... [-e CODE | FILE | -] [ARGUMENT]...",
		Summary:  "Run JavaScript or TypeScript in a sandbox of its own, on the same files, by the tool javascript.",
		Options: []command.Option{
			{Short: 'e', Long: "eval", Arg: "CODE", Help: "run CODE"},
			{Short: 'p', Long: "print", Arg: "CODE", Help: "run CODE and print its value"},
			{Short: 'v', Long: "version", Help: "print the version of Node that is imitated"},
			{Long: "input-type", Arg: "TYPE", Help: "commonjs or module: what CODE is"},
			{Long: "no-warnings"}, {Long: "experimental-strip-types"}, {Long: "trace-uncaught"},
		},
		Notes: "Standard input goes to programs that read it, as far as that can be seen in their code:\n" +
			"by stdin or readFileSync(0). Libraries are files of the project.",
		Trouble:       9,
		StopAtOperand: true,
		Run:           runNode,
	}
}

//go:embed node.js
var aroundNode string

// module matches code that is a module of ECMAScript.
var module = regexp.MustCompile(`(?m)^\s*(import\s*["'{*\w]|export\s)`)

func runNode(c *command.Context) int {
	p := program{Args: []string{}}
	args := c.Args
	esm, standard := false, false
	code, given := c.Value("eval")
	if value, ok := c.Value("print"); ok {
		code, given, p.Print = value, true, true
	}
	switch {
	case c.Has("version"):
		code = "console.log(process.version)"
	case given:
		kind, _ := c.Value("input-type")
		esm = kind == "module" || kind == "" && module.MatchString(code)
	default:
		name := ""
		if len(args) > 0 {
			name, args = args[0], args[1:]
		}
		standard = name == "" || name == "-"
		var ok bool
		if code, ok = source(c, name); !ok {
			return 1
		}
		switch extension := path.Ext(name); {
		case standard:
			esm = module.MatchString(code)
		case extension == ".cjs":
			p.File = c.Path(name)
		default:
			p.File = c.Path(name)
			esm = extension == ".mjs" || extension == ".ts" || extension == ".mts" || module.MatchString(code)
		}
		p.Args = append(p.Args, c.Path(name))
	}
	p.Args = append(p.Args, args...)
	reads := !standard && slices.ContainsFunc([]string{"stdin", "FileSync(0", "readline"},
		func(word string) bool { return strings.Contains(code, word) })
	var after string
	switch {
	case p.File != "" && esm:
		after = "try { await import(_task.file); } catch (e) { _fail(e); }"
	case p.File != "":
		after = "try { require(_task.file); } catch (e) { _fail(e); }"
	case esm:
		after, code = code, ""
	case p.Print:
		after = "try { console.log((0, eval)(_task.code)); } catch (e) { _fail(e); }"
	case strings.Contains(code, "await"):
		after = "try { await new (async () => {}).constructor(_task.code)(); } catch (e) { _fail(e); }"
	default:
		after = "try { (0, eval)(_task.code); } catch (e) { _fail(e); }"
	}
	if p.File == "" {
		p.Code = code
	}
	return run(c, "javascript", p, reads, func(task string) string {
		return "const _toolrunTask = \"" + task + "\";\n" + aroundNode + after + "\n"
	})
}
