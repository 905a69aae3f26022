// Package awk has awk: the language of POSIX, and most of what GNU's adds to it. Programs are compiled to functions.
package awk

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

// Commands are the commands of this package, by their names.
var Commands = []*command.Command{awk("awk"), awk("gawk")}

func awk(name string) *command.Command {
	return &command.Command{
		Name:     name,
		Operands: "[OPTION]... 'PROGRAM' [FILE]...\n  or:  " + name + " [OPTION]... -f PROGFILE [FILE]...",
		Summary:  "Run a program for each line of FILEs, or of standard input.",
		Options: []command.Option{
			{Short: 'f', Long: "file", Arg: "PROGFILE", Help: "read the program from a file"},
			{Short: 'F', Long: "field-separator", Arg: "FS", Help: "what separates fields"},
			{Short: 'v', Long: "assign", Arg: "VAR=VALUE", Help: "set a variable before the program begins"},
			{Short: 'e', Long: "source", Arg: "PROGRAM", Help: "use PROGRAM as (a part of) the program"},
			{Short: 'E', Long: "exec", Arg: "PROGFILE", Help: "like -f, and ends the options"},
			{Short: 'i', Long: "include", Arg: "inplace", Help: "inplace: write the output back to each FILE"},
			{Short: 'b', Long: "characters-as-bytes"}, {Short: 'c', Long: "traditional"}, {Short: 'n',
				Long: "non-decimal-data"},
			{Short: 'O', Long: "optimize"}, {Short: 'P', Long: "posix"}, {Short: 'r', Long: "re-interval"},
			{Short: 's', Long: "no-optimize"}, {Short: 'S', Long: "sandbox"}, {Short: 't', Long: "lint-old"},
			{Short: 'V', Long: "version"},
			{Short: 'L', Long: "lint", Arg: "fatal", Optional: true},
		},
		Notes:   "Not here: two-way pipes (|&), /inet, extensions (@load, @include, @namespace), and --lint.",
		Trouble: 2, StopAtOperand: true, Run: run,
	}
}

func run(c *command.Context) (status int) {
	var sources []string
	source := "cmd. line"
	type setting struct{ name, value string }
	var settings []setting
	inplace := false
	warn := func(letter byte) {
		fmt.Fprintf(c.Stderr, "%s: cmd. line:1: warning: escape sequence `\\%c' treated as plain `%c'\n", c.Name,
			letter, letter)
	}
	for _, g := range c.Given {
		switch g.Name {
		case "version":
			fmt.Fprintln(c.Stdout, "GNU Awk 5.2.1 (toolrun)")
			return 0
		case "file", "exec":
			data, err := readSource(c, g.Value)
			if err != nil {
				fmt.Fprintf(c.Stderr, "%s: fatal: cannot open source file `%s' for reading: %s\n", c.Name, g.Value,
					command.Text(err))
				return 2
			}
			sources = append(sources, string(data))
			source = g.Value
		case "source":
			sources = append(sources, g.Value)
		case "field-separator":
			fs := g.Value
			if fs == "t" {
				fs = "\t"
			}
			settings = append(settings, setting{"FS", unescape(fs, nil)})
		case "assign":
			parts := assignment.FindStringSubmatch(g.Value)
			if parts == nil {
				fmt.Fprintf(c.Stderr, "%s: fatal: `%s' argument to `-v' not in `var=value' form\n\n", c.Name, g.Value)
				return 2
			}
			settings = append(settings, setting{parts[1], unescape(parts[2], warn)})
		case "include":
			if g.Value != "inplace" {
				c.Errorf("fatal: cannot open source file `%s' for reading: No such file or directory", g.Value)
				return 2
			}
			inplace = true
		}
	}
	args := c.Args
	if len(sources) == 0 {
		if len(args) == 0 {
			fmt.Fprintf(c.Stderr, "Usage: %s [POSIX or GNU style options] -f progfile [--] file ...\n"+
				"Usage: %s [POSIX or GNU style options] [--] 'program' file ...\n", c.Name, c.Name)
			return 2
		}
		sources, args = args[:1], args[1:]
	}
	src := strings.Join(sources, "\n")
	m := &machine{
		c: c, out: c.Output(), fs: " ", ofs: " ", ors: "\n", rs: "\n", subsep: "\x1c", convfmt: "%.6g", ofmt: "%.6g",
		fpat: "[^[:space:]]+", fieldsBy: varFS, patterns: map[string]*pattern{}, readers: map[string]*reader{},
		writers: map[string]*writer{}, random: newRandom(0), inplace: inplace,
	}
	m.random = newRandom(1)
	m.random.seed = 0
	m.stdin = newReader(c.Stdin, nil)
	defer func() {
		switch e := recover().(type) {
		case nil:
		case fatal:
			_ = m.out.Flush()
			fmt.Fprintf(c.Stderr, "%s: %sfatal: %s\n", c.Name, m.where(), string(e))
			status = 2
		case unwinding:
			_ = m.out.Flush()
			status = m.status
		case stop:
			status = int(e)
		case syntaxError:
			explain(c, src, source, e)
			status = 1
		default:
			panic(e)
		}
	}()
	m.prog = &program{source: source}
	m.prog = parse(src, source, warn)
	m.globals = make([]cell, len(m.prog.globals))
	for _, name := range []string{"RSTART", "RLENGTH", "FILENAME", "RT", "ARGC", "ARGV", "ENVIRON", "PROCINFO",
		"ERRNO"} {
		m.global(name)
	}
	m.endSlot = m.prog.globals["RT"]
	m.prepare(args)
	for _, s := range settings {
		m.setByName(s.name, s.value)
	}
	return m.run()
}

func readSource(c *command.Context, name string) ([]byte, error) {
	if name == "-" || name == "/dev/stdin" {
		return io.ReadAll(c.Stdin)
	}
	return c.ReadFile(name)
}

// prepare sets the variables that are there at the beginning.
func (m *machine) prepare(args []string) {
	m.global("RLENGTH").v = num(-1)
	m.global("RSTART").v = num(0)
	argv := newArray()
	argv.set("0", str(m.c.Name))
	for i, arg := range args {
		argv.set(strconv.Itoa(i+1), inputs(arg))
	}
	m.global("ARGV").arr = argv
	m.global("ARGC").v = num(float64(len(args) + 1))
	environ := newArray()
	for _, variable := range m.c.Env.List() {
		name, value, _ := strings.Cut(variable, "=")
		environ.set(name, inputs(value))
	}
	m.global("ENVIRON").arr = environ
	procinfo := newArray()
	procinfo.set("version", str("5.2.1"))
	procinfo.set("platform", str("posix"))
	procinfo.set("FS", str("FS"))
	for _, id := range []string{"uid", "euid", "gid", "egid"} {
		procinfo.set(id, num(0))
	}
	m.global("PROCINFO").arr = procinfo
}

// explain writes a syntax error: the line, and a mark below it.
func explain(c *command.Context, src, source string, e syntaxError) {
	at := min(e.at, len(src))
	from := strings.LastIndexByte(src[:at], '\n') + 1
	line, _, _ := strings.Cut(src[from:], "\n")
	number := strings.Count(src[:at], "\n") + 1
	prefix := fmt.Sprintf("%s: %s:%d: ", c.Name, source, number)
	if e.plain {
		fmt.Fprintf(c.Stderr, "%serror: %s\n", prefix, e.message)
		return
	}
	fmt.Fprintf(c.Stderr, "%s%s\n%s%s^ %s\n", prefix, line, prefix, strings.Repeat(" ", at-from), e.message)
}
