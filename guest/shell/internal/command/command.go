// Package command is what the commands of the shell are written with: how a command describes itself, what it is given,
// and how its options, errors and files work. README.md of the module shows how to add one.
package command

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// A Command is one command of the shell.
type Command struct {
	// Name is what it is called by.
	Name string
	// Operands follow the name in its usage, such as "[OPTION]... [FILE]...".
	Operands string
	// Summary says in a sentence or two what it does.
	Summary string
	// Options are those that it has, in the order of its help. Every command has --help, and --version, beside them.
	Options []Option
	// Notes end the help: what GNU has and this has not, for example.
	Notes string
	// Trouble is the exit status after wrong options. 0 means 1.
	Trouble int
	// Raw hands all arguments to Run as operands: for those whose arguments have a grammar of their own.
	Raw bool
	// StopAtOperand ends the options at the first operand, as for commands that run others.
	StopAtOperand bool
	// Number is the long name of the option that "-7" stands for, if any: "lines" for head.
	Number string
	// Run does it, and returns its exit status.
	Run func(*Context) int
}

// An Option is one option of a command.
type Option struct {
	// Short is its letter, and Long its name. One can be missing; an option is known by its long name if it has one.
	Short byte
	Long  string
	// Arg names its argument in the help, such as "N". Empty means that it takes none.
	Arg string
	// Optional says that the argument can be left out. It must be a part of the same word: "--color=auto", "-i.bak".
	Optional bool
	// Help is its line in the help. An option without is not listed.
	Help string
}

// name is what an option is known by.
func (o Option) name() string {
	if o.Long != "" {
		return o.Long
	}
	return string(o.Short)
}

// A Given is an option that was given, by its long name, or by its letter if it has none.
type Given struct{ Name, Value string }

// A Context is one use of a command.
type Context struct {
	// Name is what the command was called by.
	Name string
	// Args are the operands, and Given the options in their order.
	Args  []string
	Given []Given
	// Typed are the words of the options, as they were given.
	Typed []string

	// Stdin, Stdout and Stderr are the streams. Writing to a pipe that nobody reads any more ends the command, as the
	// signal SIGPIPE does. They are not buffered.
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	// Files are the files, by paths that Dir is the working directory of.
	Files
	// Env is the environment.
	Env Env
	// Host runs other commands.
	Host Host
	// Outside calls tools and makes requests.
	Outside Outside

	command *Command
	ctx     context.Context
}

// An Env is an environment.
type Env interface {
	// Lookup returns a variable.
	Lookup(name string) (value string, ok bool)
	// List returns all of them, each as NAME=value.
	List() []string
}

// EnvList is an Env that is a list, in which later entries win.
type EnvList []string

// Lookup returns a variable.
func (l EnvList) Lookup(name string) (string, bool) {
	for i := len(l) - 1; i >= 0; i-- {
		if n, value, _ := strings.Cut(l[i], "="); n == name {
			return value, true
		}
	}
	return "", false
}

// List returns all variables.
func (l EnvList) List() []string { return l }

// A Host is the shell, to a command.
type Host interface {
	// Run runs a command, as the shell runs those that are not its own, and returns its exit status: 127, after an
	// error, if there is none with this name. Nil streams and a nil Env are those of the caller, which is c. It can be
	// called by several goroutines.
	Run(c *Context, call Call) int
	// Find returns the command with a name, or nil.
	Find(name string) *Command
	// Names returns the names of all commands, sorted.
	Names() []string
}

// A Call says what to run, for [Context.Run].
type Call struct {
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Dir            string // empty means the caller's
	Env            Env
	Context        context.Context // ends the command; nil means the caller's
	// Missing is the error if there is no such command, in which "%s" is the name. Empty means "%s".
	Missing string
}

// Run runs another command and returns its exit status.
func (c *Context) Run(call Call) int { return c.Host.Run(c, call) }

// Context is done when the command must end.
func (c *Context) Context() context.Context { return c.ctx }

// Getenv returns a variable of the environment, or "".
func (c *Context) Getenv(name string) string {
	value, _ := c.Env.Lookup(name)
	return value
}

// Has says whether an option was given, by its long name, or by its letter if it has none.
func (c *Context) Has(name string) bool {
	for _, g := range c.Given {
		if g.Name == name {
			return true
		}
	}
	return false
}

// Value returns the argument of the last option with a name, and whether it was given.
func (c *Context) Value(name string) (string, bool) {
	for i := len(c.Given) - 1; i >= 0; i-- {
		if c.Given[i].Name == name {
			return c.Given[i].Value, true
		}
	}
	return "", false
}

// Last returns the name of that of some options which was given last, or "".
func (c *Context) Last(names ...string) string {
	for i := len(c.Given) - 1; i >= 0; i-- {
		for _, name := range names {
			if c.Given[i].Name == name {
				return name
			}
		}
	}
	return ""
}

// Errorf writes an error, with the command's name before it.
func (c *Context) Errorf(format string, args ...any) {
	fmt.Fprintf(c.Stderr, "%s: %s\n", c.Name, fmt.Sprintf(format, args...))
}

// FileError writes that an operation on a file has failed, as "cat: name: No such file or directory".
func (c *Context) FileError(name string, err error) {
	c.Errorf("%s: %s", QuoteOdd(name), Text(err))
}

// Usage writes an error in how the command was called, and returns the exit status for it.
func (c *Context) Usage(format string, args ...any) int {
	c.Errorf(format, args...)
	fmt.Fprintf(c.Stderr, "Try '%s --help' for more information.\n", c.Name)
	return c.trouble()
}

// Missing says that an operand is missing, and returns the exit status for it.
func (c *Context) Missing() int { return c.Usage("missing operand") }

// Extra says that there is an operand too many, and returns the exit status for it.
func (c *Context) Extra(operand string) int { return c.Usage("extra operand %s", QuoteText(operand)) }

func (c *Context) trouble() int {
	if c.command != nil && c.command.Trouble != 0 {
		return c.command.Trouble
	}
	return 1
}

// Do does a command: it reads the options among the arguments and calls Run. The first of c.Args is the name that it
// was called by. The context, which must not be nil, ends it.
func (cmd *Command) Do(ctx context.Context, c *Context) int {
	c.command, c.ctx = cmd, ctx
	c.Name = c.Args[0]
	c.Args = c.Args[1:]
	if cmd.Raw {
		if len(c.Args) == 1 && c.Args[0] == "--help" {
			cmd.help(c)
			return 0
		}
		return cmd.Run(c)
	}
	if status, ok := cmd.parse(c); !ok {
		return status
	}
	return cmd.Run(c)
}

const helpIndent = 30

// help writes the help.
func (cmd *Command) help(c *Context) {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: %s %s\n%s\n", c.Name, cmd.Operands, cmd.Summary)
	if len(cmd.Options) > 0 {
		b.WriteByte('\n')
	}
	for _, o := range cmd.Options {
		if o.Help == "" {
			continue
		}
		left := "      "
		if o.Short != 0 {
			left = "  -" + string(o.Short)
			if o.Long != "" {
				left += ", "
			}
		}
		argument := o.Arg
		if o.Long != "" {
			left += "--" + o.Long
			if argument != "" {
				argument = "=" + argument
			}
		} else if argument != "" && !o.Optional {
			argument = " " + argument
		}
		if o.Optional {
			argument = "[" + argument + "]"
		}
		left += argument
		for i, line := range strings.Split(o.Help, "\n") {
			if i > 0 {
				left = ""
			}
			if len(left) >= helpIndent-1 {
				fmt.Fprintf(&b, "%s\n", left)
				left = ""
			}
			fmt.Fprintf(&b, "%-*s%s\n", helpIndent, left, line)
		}
	}
	if cmd.Notes != "" {
		fmt.Fprintf(&b, "\n%s\n", cmd.Notes)
	}
	_, _ = io.WriteString(c.Stdout, b.String())
}
