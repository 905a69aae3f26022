package system

import (
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var env = &command.Command{
	Name:     "env",
	Operands: "[OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]",
	Summary:  "Set each NAME to VALUE in the environment and run COMMAND.",
	Options: []command.Option{
		{Short: 'i', Long: "ignore-environment", Help: "start with an empty environment"},
		{Short: '0', Long: "null", Help: "end each output line with NUL, not newline"},
		{Short: 'u', Long: "unset", Arg: "NAME", Help: "remove variable from the environment"},
		{Short: 'C', Long: "chdir", Arg: "DIR", Help: "change working directory to DIR"},
		{Short: 'S', Long: "split-string", Arg: "S", Help: "process and split S into separate arguments"},
		{Short: 'v', Long: "debug"},
	},
	StopAtOperand: true,
	Trouble:       125,
	Run:           runEnv,
}

func runEnv(c *command.Context) int {
	args := c.Args
	list := c.Env.List()
	if c.Has("ignore-environment") {
		list = nil
	}
	if len(args) > 0 && args[0] == "-" {
		list, args = nil, args[1:]
	}
	dir := ""
	for _, g := range c.Given {
		switch g.Name {
		case "unset":
			list = without(list, g.Value)
		case "split-string":
			args = append(strings.Fields(g.Value), args...)
		case "chdir":
			info, err := c.Stat(g.Value)
			if err != nil || !info.IsDir() {
				text := "Not a directory"
				if err != nil {
					text = command.Text(err)
				}
				c.Errorf("cannot change directory to %s: %s", command.QuoteText(g.Value), text)
				return 125
			}
			dir = c.Path(g.Value)
		}
	}
	for len(args) > 0 {
		name, _, ok := strings.Cut(args[0], "=")
		if !ok {
			break
		}
		list = append(without(list, name), args[0])
		args = args[1:]
	}
	if len(args) > 0 {
		return c.Run(command.Call{Args: args, Env: command.EnvList(list), Dir: dir, Stdin: c.Stdin, Missing: "‘%s’"})
	}
	end := "\n"
	if c.Has("null") {
		end = "\x00"
	}
	out := c.Output()
	for _, entry := range list {
		_, _ = out.WriteString(entry + end)
	}
	return command.Status(out.Flush() == nil)
}

// without returns a list without a variable.
func without(list []string, name string) []string {
	var out []string
	for _, entry := range list {
		if !strings.HasPrefix(entry, name+"=") {
			out = append(out, entry)
		}
	}
	return out
}

var printenv = &command.Command{
	Name:     "printenv",
	Operands: "[OPTION]... [VARIABLE]...",
	Summary:  "Print the values of the specified environment VARIABLE(s), or of all.",
	Options:  []command.Option{{Short: '0', Long: "null", Help: "end each output line with NUL, not newline"}},
	Trouble:  2,
	Run: func(c *command.Context) int {
		end := "\n"
		if c.Has("null") {
			end = "\x00"
		}
		out := c.Output()
		ok := true
		if len(c.Args) == 0 {
			for _, entry := range c.Env.List() {
				_, _ = out.WriteString(entry + end)
			}
		}
		for _, name := range c.Args {
			value, set := c.Env.Lookup(name)
			if !set {
				ok = false
				continue
			}
			_, _ = out.WriteString(value + end)
		}
		return command.Status(out.Flush() == nil && ok)
	},
}

var nohup = &command.Command{
	Name:          "nohup",
	Operands:      "COMMAND [ARG]...",
	Summary:       "Run COMMAND. There are no hangups here to ignore.",
	StopAtOperand: true,
	Trouble:       125,
	Run: func(c *command.Context) int {
		if len(c.Args) == 0 {
			return c.Missing()
		}
		return c.Run(command.Call{Args: c.Args, Stdin: c.Stdin, Missing: "failed to run command ‘%s’"})
	},
}

var nice = &command.Command{
	Name:     "nice",
	Operands: "[OPTION] [COMMAND [ARG]...]",
	Summary:  "Run COMMAND. There are no priorities here: without a COMMAND, print 0.",
	Options:  []command.Option{{Short: 'n', Long: "adjustment", Arg: "N", Help: "(ignored)"}}, StopAtOperand: true,
	Trouble: 125, Number: "adjustment",
	Run: func(c *command.Context) int {
		if len(c.Args) == 0 {
			_, err := c.Stdout.Write([]byte("0\n"))
			return command.Status(err == nil)
		}
		return c.Run(command.Call{Args: c.Args, Stdin: c.Stdin, Missing: "‘%s’"})
	},
}

var which = &command.Command{
	Name:     "which",
	Operands: "[-a] NAME...",
	Summary:  "Print where the commands with these names are.",
	Options: []command.Option{{Short: 'a', Help: "print all matching pathnames of each argument"}, {Short: 's',
		Help: "print nothing"}},
	Run: func(c *command.Context) int {
		ok := len(c.Args) > 0
		for _, name := range c.Args {
			location := ""
			switch base := name[strings.LastIndexByte(name, '/')+1:]; {
			case !strings.Contains(name, "/") && c.Host.Find(name) != nil:
				location = "/usr/bin/" + name
			case strings.HasPrefix(name, "/usr/bin/") && c.Host.Find(base) != nil, strings.HasPrefix(name,
				"/bin/") && c.Host.Find(base) != nil:
				location = name
			case strings.Contains(name, "/"):
				if info, err := c.Stat(name); err == nil && info.Mode().IsRegular() {
					location = name
				}
			}
			if location == "" {
				ok = false
				continue
			}
			if !c.Has("s") {
				_, _ = c.Stdout.Write([]byte(location + "\n"))
			}
		}
		return command.Status(ok)
	},
}
