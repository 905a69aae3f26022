package outside

import (
	_ "embed"
	"io"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var python, python3 = pythonCommand("python"), pythonCommand("python3")

func pythonCommand(name string) *command.Command {
	return &command.Command{
		Name:     name,
		Operands: "[OPTION]... [-c CODE | -m MODULE | FILE | -] [ARGUMENT]...",
		Summary:  "Run Python in a sandbox of its own, on the same files, by the tool python.",
		Options: []command.Option{
			{Short: 'c', Arg: "CODE", Help: "run CODE; the rest are arguments"},
			{Short: 'm', Arg: "MODULE", Help: "run a module as a script"},
			{Short: 'V', Long: "version", Help: "print the version"},
		},
		Notes: "Standard input goes to programs that read it, as far as that can be seen in their code:\n" +
			"by sys.stdin, input, open(0) or fileinput. No packages can be installed, and no processes started.",
		Trouble: 2,
		Raw:     true, // its options end with -c and -m, and have no abbreviations
		Run:     runPython,
	}
}

//go:embed python.py
var aroundPython string

func runPython(c *command.Context) int {
	p := program{Args: []string{""}}
	args := c.Args
	// Options end with -c or -m, whose rest are arguments of the program.
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && p.Code == "" && p.Module == "" {
		option := args[0]
		args = args[1:]
		letter := strings.IndexAny(option, "cmVWX")
		switch {
		case option == "--version" || letter > 0 && option[letter] == 'V':
			p.Code = "import sys; print('Python', sys.version.split()[0])"
		case option == "--":
		case strings.HasPrefix(option, "--"):
			return c.Usage("unknown option %s", option)
		case letter > 0:
			value := option[letter+1:]
			if value == "" {
				if len(args) == 0 {
					return c.Usage("Argument expected for the -%c option", option[letter])
				}
				value, args = args[0], args[1:]
			}
			switch option[letter] {
			case 'c':
				p.Code, p.Args = value+"\n", []string{"-c"}
			case 'm':
				p.Module, p.Args = value, []string{value}
			}
		case strings.Trim(option[1:], "BEIOPSsubdqx") != "":
			return c.Usage("Unknown option: %s", option)
		}
		if option == "--" {
			break
		}
	}
	standard := false
	if p.Code == "" && p.Module == "" {
		name := ""
		if len(args) > 0 {
			name, args = args[0], args[1:]
			p.Args[0] = name
		}
		standard = name == "" || name == "-"
		if !standard {
			p.File = name
		}
		code, ok := source(c, name)
		if !ok {
			return 2
		}
		p.Code = code
	}
	p.Args = append(p.Args, args...)
	reads := !standard && (p.Module != "" || slices.ContainsFunc([]string{"stdin", "input(", "fileinput", "open(0"},
		func(word string) bool { return strings.Contains(p.Code, word) }))
	return runPythonProgram(c, p, reads)
}

func runPythonProgram(c *command.Context, p program, reads bool) int {
	return run(c, "python", p, reads, func(task string) string {
		return aroundPython + "_toolrun_program(\"" + task + "\")\n"
	})
}

var toolrunCall = &command.Command{
	Name:     "toolrun-call",
	Operands: "TOOL [JSON | -]",
	Summary: "Call another tool of the project, as a model does, and print its result. Its input is JSON;\n" +
		"\"-\" reads it from standard input, and without any it is {}.",
	StopAtOperand: true,
	Run: func(c *command.Context) int {
		input := []byte("{}")
		switch len(c.Args) {
		case 0:
			return c.Missing()
		case 1:
		case 2:
			input = []byte(c.Args[1])
			if c.Args[1] == "-" {
				var err error
				if input, err = io.ReadAll(c.Stdin); err != nil {
					c.Errorf("standard input: %s", command.Text(err))
					return 1
				}
			}
		default:
			return c.Extra(c.Args[2])
		}
		result, err := c.Outside.CallTool(c.Args[0], input)
		if err != nil {
			c.Errorf("%s: %v", c.Args[0], err)
			return 1
		}
		if len(result) > 0 && result[len(result)-1] != '\n' {
			result = append(result, '\n')
		}
		if _, err := c.Stdout.Write(result); err != nil {
			c.Errorf("write error: %s", command.Text(err))
			return 1
		}
		return 0
	},
}
