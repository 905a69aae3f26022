package shell

import (
	"bufio"
	"io"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

// shells are the commands that are shells themselves.
var shells = map[string]*command.Command{}

func init() {
	// They refer to each other.
	for _, name := range []string{"bash", "sh", "dash"} {
		shells[name] = &command.Command{
			Name: name, Operands: "[OPTION]... [-c SCRIPT [NAME]] [FILE] [ARGUMENT]...",
			Summary: "Run a script: that of -c, that of a file, or that of standard input.", Raw: true, Run: runShell,
		}
	}
	// Builtins that are also programs on other systems, for xargs and the like.
	for _, name := range []string{"[", "echo", "false", "kill", "printf", "pwd", "test", "true"} {
		shells[name] = &command.Command{
			Name: name, Operands: "[ARGUMENT]...", Summary: "As in the shell.", Raw: true, Run: runBuiltin,
		}
	}
}

// shell returns the shell that a command is.
func (h host) shell(c *command.Context) *Shell {
	sh := h.sh.fresh(h.p, c.Env.List())
	sh.files.Dir = c.Dir
	for i, s := range []any{c.Stdin, c.Stdout, c.Stderr} {
		sh.setFD(i, describe(s))
	}
	return sh
}

// runBuiltin runs a builtin as a program.
func runBuiltin(c *command.Context) int {
	sh := c.Host.(host).shell(c)
	defer sh.end()
	name := c.Name[strings.LastIndexByte(c.Name, '/')+1:]
	return guard(func() int { return builtins[name](sh, append([]string{name}, c.Args...)) })
}

func runShell(c *command.Context) int {
	sh := c.Host.(host).shell(c)
	defer sh.end()
	args := c.Args
	script, hasScript, standard := "", false, false
	for len(args) > 0 && (args[0] == "-" || len(args[0]) > 1 && (args[0][0] == '-' || args[0][0] == '+')) {
		arg := args[0]
		args = args[1:]
		if arg == "--" || arg == "-" {
			break
		}
		if strings.HasPrefix(arg, "--") {
			switch arg {
			case "--version":
				_, _ = io.WriteString(c.Stdout, "GNU bash, version 5.2.37(1)-release (toolrun)\n")
				return 0
			case "--posix":
				sh.options.on[7] = true
			case "--rcfile", "--init-file":
				if len(args) > 0 {
					args = args[1:]
				}
			case "--norc", "--noprofile", "--login", "--noediting", "--restricted", "--verbose":
			default:
				c.Errorf("%s: invalid option", arg)
				return 2
			}
			continue
		}
		for i := 1; i < len(arg); i++ {
			switch letter := arg[i]; letter {
			case 'c':
				hasScript = true
			case 's':
				standard = true
			case 'i', 'l', 'r':
			case 'o', 'O':
				if len(args) == 0 {
					continue
				}
				if letter == 'o' && !sh.setNamed(args[0], arg[0] == '-') {
					c.Errorf("%s: invalid option name", args[0])
					return 2
				}
				if letter == 'O' {
					builtinShopt(sh, []string{"shopt", map[byte]string{'-': "-s", '+': "-u"}[arg[0]], args[0]})
				}
				args = args[1:]
			default:
				if !sh.options.set(letter, arg[0] == '-') {
					c.Errorf("%s: invalid option", arg)
					return 2
				}
			}
		}
	}
	var in io.Reader
	switch {
	case hasScript:
		if len(args) == 0 {
			c.Errorf("-c: option requires an argument")
			return 2
		}
		script, args = args[0], args[1:]
		in = strings.NewReader(script)
		sh.options.on['c'] = true
		sh.vars["BASH_EXECUTION_STRING"] = &variable{owner: sh.owner, str: script, set: true}
		sh.name = c.Name
		if len(args) > 0 {
			sh.name, args = args[0], args[1:]
		}
	case len(args) > 0 && !standard:
		data, err := sh.files.ReadFile(args[0])
		if err != nil {
			c.Errorf("%s: %s", args[0], command.Text(err))
			return 127
		}
		if line, _, _ := strings.Cut(string(data[:min(len(data), 80)]), "\n"); strings.Contains(line, "\x00") {
			c.Errorf("%s: %s: cannot execute binary file", args[0], args[0])
			return 126
		}
		sh.name, args = args[0], args[1:]
		in = strings.NewReader(string(data))
	default:
		sh.name = c.Name
		in = bufio.NewReader(lineReader{c.Stdin})
	}
	sh.params = args
	return guard(func() int {
		sh.script(in)
		return sh.finish()
	})
}

// lineReader reads no further than the end of a line, so that the commands of a script read what follows it.
type lineReader struct{ r io.Reader }

func (l lineReader) Read(data []byte) (int, error) {
	for n := range data {
		if _, err := io.ReadFull(l.r, data[n:n+1]); err != nil {
			if n > 0 {
				err = nil
			}
			return n, err
		}
		if data[n] == '\n' {
			return n + 1, nil
		}
	}
	return len(data), nil
}
