package data

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
	"github.com/toolrun/toolrun/guest/shell/internal/jq"
)

var jqCommand = &command.Command{
	Name: "jq",
	Operands: "[OPTION]... FILTER [FILE]...\n  or:  jq [OPTION]... --args FILTER [STRING]...\n" +
		"  or:  jq [OPTION]... --jsonargs FILTER [JSON]...",
	Summary: "Apply a filter to JSON texts, and print what it makes of them.",
	Options: []command.Option{
		{Short: 'c', Long: "compact-output", Help: "print each output on one line"},
		{Short: 'r', Long: "raw-output", Help: "print texts without quotes"},
		{Short: 'j', Long: "join-output", Help: "like -r, without newlines"},
		{Short: 'a', Long: "ascii-output", Help: "escape all characters that are not ASCII"},
		{Short: 'n', Long: "null-input", Help: "run the filter once, with null; see input and inputs"},
		{Short: 's', Long: "slurp", Help: "read all inputs into one array"},
		{Short: 'R', Long: "raw-input", Help: "each line is a text"},
		{Short: 'S', Long: "sort-keys", Help: "sort the keys of objects"},
		{Short: 'e', Long: "exit-status", Help: "exit with 1 if the last output is false or null, 4 if there is none"},
		{Short: 'M', Long: "monochrome-output", Help: "no colors (always so here)"},
		{Short: 'C', Long: "color-output"},
		{Short: 'f', Long: "from-file", Help: "the filter is in a file, whose name stands in its place"},
		{Long: "tab", Help: "indent by tabs"},
		{Long: "indent", Arg: "N", Help: "indent by N spaces"},
		{Long: "arg", Arg: "NAME VALUE", Help: "set the variable $NAME to a text"},
		{Long: "argjson", Arg: "NAME JSON", Help: "set the variable $NAME to a JSON value"},
		{Long: "slurpfile", Arg: "NAME FILE", Help: "set the variable $NAME to all JSON texts of a file"},
		{Long: "rawfile", Arg: "NAME FILE", Help: "set the variable $NAME to the content of a file"},
		{Long: "args", Help: "the operands are texts: $ARGS.positional"},
		{Long: "jsonargs", Help: "the operands are JSON values: $ARGS.positional"},
		{Long: "raw-output0", Help: "like -r, with NUL after each output"},
		{Long: "seq", Help: "print a record separator before each output"},
		{Long: "unbuffered"},
	},
	Notes: "Regular expressions are Go's: they have no look-around and no back-references. There are no modules\n" +
		"and no colors. --stream is not there; use tostream.",
	Raw: true,
	Run: runJQ,
}

// jqCall is how jq was called.
type jqCall struct {
	c                                     *command.Context
	style                                 jq.Style
	raw, join, zero, seq                  bool
	null, slurp, rawInput                 bool
	status                                bool
	filter                                string
	hasFilter, fromFile, texts, jsonTexts bool
	files                                 []string
	positional                            []any
	names                                 []string
	values                                []any
	named                                 *jq.Object
}

const jqHelp = "Use jq --help for help with command-line options,\nor see the jq manpage, or online docs  at " +
	"https://stedolan.github.io/jq\n"

func runJQ(c *command.Context) int {
	call := &jqCall{c: c, named: &jq.Object{}}
	call.style.Indent = "  "
	if status, ok := call.options(c.Args); !ok {
		return status
	}
	if call.fromFile {
		data, err := c.ReadFile(call.filter)
		if err != nil {
			fmt.Fprintf(c.Stderr, "jq: error: Could not open %s: %s\n", call.filter, command.Text(err))
			return 2
		}
		call.filter = string(data)
	}
	args := &jq.Object{}
	positional := call.positional
	if positional == nil {
		positional = []any{}
	}
	args.Put("positional", positional)
	args.Put("named", call.named)
	program, err := jq.Compile(call.filter, append(call.names, "ARGS", "__prog_args"))
	if err != nil {
		return call.compileError(err)
	}
	in := &jqInput{call: call, files: call.files}
	out := c.Output()
	options := &jq.Options{
		Variables: append(call.values, args,
			args), Input: in.next, Env: call.environment, Lookup: c.Getenv, Stderr: c.Stderr,
		File: in.name, Line: func() int {
			if in.decoder == nil {
				return 0
			}
			return in.decoder.Lines
		},
		Tick: func() error {
			runtime.Gosched()
			return c.Context().Err()
		},
	}
	status := call.run(program, options, in, out)
	if out.Flush() != nil {
		return 2
	}
	return status
}

// run runs the program for all inputs, and returns the exit status.
func (call *jqCall) run(program *jq.Program, options *jq.Options, in *jqInput, out io.Writer) int {
	c, status := call.c, 0
	flush := func() {
		if f, ok := out.(interface{ Flush() error }); ok {
			_ = f.Flush()
		}
	}
	last := 4
	var b []byte
	one := func(v any) (halted bool) {
		err := program.Run(v, options, func(x any) error {
			b = b[:0]
			if call.seq {
				b = append(b, 0x1e)
			}
			if s, ok := x.(string); ok && (call.raw || call.join || call.zero) && !call.style.ASCII {
				b = append(b, s...)
			} else {
				b = call.style.Append(b, x)
			}
			switch {
			case call.zero:
				b = append(b, 0)
			case !call.join:
				b = append(b, '\n')
			}
			last = 0
			if x == nil || x == false {
				last = 1
			}
			_, err := out.Write(b)
			return err
		})
		status = 0
		if err == nil {
			return false
		}
		flush()
		if halt, ok := errors.AsType[*jq.Halt](err); ok {
			if s, ok := halt.Value.(string); ok {
				_, _ = io.WriteString(c.Stderr, s)
			} else if halt.Has {
				_, _ = io.WriteString(c.Stderr, jq.JSON(halt.Value)+"\n")
			}
			status, last = halt.Status, 0
			call.status = false
			return true
		}
		if parse, ok := errors.AsType[*jq.ParseError](err); ok {
			fmt.Fprintf(c.Stderr, "jq: error (at %s): %s\n", in.where(), parse.Text)
			status = 5
			return true
		}
		status = 5
		if e, ok := errors.AsType[*jq.Error](err); ok {
			switch s, isText := e.Value.(string); {
			case isText:
				fmt.Fprintf(c.Stderr, "jq: error (at %s): %s\n", in.where(), s)
			case e.Value == nil:
				fmt.Fprintf(c.Stderr, "jq: error (at %s) (not a string): null\n", in.where())
			default:
				fmt.Fprintf(c.Stderr, "jq: error (at %s) (not a string): %s\n", in.where(), jq.JSON(e.Value))
			}
			return false
		}
		return true // the command must end, or its output is closed
	}
	finish := func() int {
		if status == 0 && call.status {
			return last
		}
		return status
	}
	if call.null {
		one(nil)
		if in.failed {
			return 2
		}
		return finish()
	}
	for {
		v, err := in.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			flush()
			if parse, ok := errors.AsType[*jq.ParseError](err); ok {
				fmt.Fprintf(c.Stderr, "parse error: %s\n", parse.Text)
				return 4
			}
			fmt.Fprintf(c.Stderr, "jq: error: %s\n", command.Text(err))
			return 2
		}
		if one(v) {
			return finish()
		}
	}
	if in.failed {
		return 2
	}
	return finish()
}

// compileError tells what is wrong with the filter.
func (call *jqCall) compileError(err error) int {
	program := strings.TrimRight(call.filter, "\n")
	line := 1
	if e, ok := errors.AsType[*jq.CompileError](err); ok && e.At > 0 && e.At <= len(call.filter) {
		line += strings.Count(call.filter[:e.At], "\n")
	}
	fmt.Fprintf(call.c.Stderr, "jq: error: %s at <top-level>, line %d:\n%s\njq: 1 compile error\n", err, line, program)
	return 3
}

func (call *jqCall) environment() *jq.Object {
	o := &jq.Object{}
	for _, variable := range call.c.Env.List() {
		name, value, _ := strings.Cut(variable, "=")
		o.Put(name, value)
	}
	return o
}

// usage says what is wrong with the options.
func (call *jqCall) usage(format string, args ...any) (int, bool) {
	fmt.Fprintf(call.c.Stderr, "jq: "+format+"\n"+jqHelp, args...)
	return 2, false
}

func (call *jqCall) options(args []string) (status int, ok bool) {
	c := call.c
	rest := false
	takes := func(n int, text string) ([]string, bool) {
		if len(args) < n {
			_, _ = call.usage("%s", text)
			return nil, false
		}
		values := args[:n]
		args = args[n:]
		return values, true
	}
	bind := func(name string, value any) {
		call.names, call.values = append(call.names, name), append(call.values, value)
		call.named.Put(name, value)
	}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if rest || len(arg) < 2 || arg[0] != '-' || strings.IndexByte("0123456789.([{", arg[1]) >= 0 {
			switch {
			case !call.hasFilter:
				call.filter, call.hasFilter = arg, true
			case call.texts:
				call.positional = append(call.positional, arg)
			case call.jsonTexts:
				v, err := jq.Parse(arg)
				if err != nil {
					return call.usage("Invalid JSON text passed to --jsonargs")
				}
				call.positional = append(call.positional, v)
			default:
				call.files = append(call.files, arg)
			}
			continue
		}
		if arg == "--" {
			rest = true
			continue
		}
		if !strings.HasPrefix(arg, "--") {
			for _, letter := range arg[1:] {
				if !call.letter(letter) {
					if letter == 'h' {
						return c.Host.Run(c, command.Call{Args: []string{"jq", "--help"}}), false
					}
					if letter == 'V' {
						fmt.Fprintln(c.Stdout, "jq-1.6")
						return 0, false
					}
					if letter == 'L' {
						break
					}
					return call.usage("Unknown option %s", arg)
				}
			}
			continue
		}
		switch name := arg[2:]; name {
		case "compact-output", "raw-output", "join-output", "ascii-output", "null-input", "slurp", "raw-input",
			"sort-keys",
			"exit-status", "monochrome-output", "color-output", "from-file":
			call.letter(map[string]rune{"compact-output": 'c', "raw-output": 'r', "join-output": 'j',
				"ascii-output": 'a',
				"null-input":   'n', "slurp": 's', "raw-input": 'R', "sort-keys": 'S', "exit-status": 'e',
				"monochrome-output": 'M', "color-output": 'C', "from-file": 'f'}[name])
		case "tab":
			call.style.Indent = "\t"
		case "indent":
			values, ok := takes(1, "--indent takes one parameter")
			if !ok {
				return 2, false
			}
			n, err := strconv.Atoi(values[0])
			if err != nil || n < 0 {
				return call.usage("Cannot indent less than zero")
			}
			if n > 7 {
				return call.usage("Cannot indent more than 7 characters")
			}
			call.style.Indent = strings.Repeat(" ", n)
		case "arg":
			values, ok := takes(2, "--arg takes two parameters (e.g. --arg varname value)")
			if !ok {
				return 2, false
			}
			bind(values[0], values[1])
		case "argjson":
			values, ok := takes(2, "--argjson takes two parameters (e.g. --argjson varname text)")
			if !ok {
				return 2, false
			}
			v, err := jq.Parse(values[1])
			if err != nil {
				return call.usage("Invalid JSON text passed to --argjson")
			}
			bind(values[0], v)
		case "slurpfile", "rawfile":
			values, ok := takes(2, "--"+name+" takes two parameters (e.g. --"+name+" varname filename)")
			if !ok {
				return 2, false
			}
			data, err := c.ReadFile(values[1])
			if err != nil {
				fmt.Fprintf(c.Stderr, "jq: Bad JSON in --%s %s %s: Could not open %s: %s\n", name, values[0], values[1],
					values[1], command.Text(err))
				return 2, false
			}
			if name == "rawfile" {
				bind(values[0], string(data))
				continue
			}
			list, err := readValues(strings.NewReader(string(data)))
			if err != nil {
				fmt.Fprintf(c.Stderr, "jq: Bad JSON in --%s %s %s: %s\n", name, values[0], values[1], err)
				return 2, false
			}
			bind(values[0], list)
		case "args":
			call.texts, call.jsonTexts = true, false
		case "jsonargs":
			call.texts, call.jsonTexts = false, true
		case "raw-output0":
			call.zero = true
		case "seq":
			call.seq = true
		case "unbuffered":
		case "help":
			return c.Host.Run(c, command.Call{Args: []string{"jq", "--help"}}), false
		case "version":
			fmt.Fprintln(c.Stdout, "jq-1.6")
			return 0, false
		default:
			return call.usage("Unknown option %s", arg)
		}
	}
	if !call.hasFilter {
		call.filter = "."
	}
	return 0, true
}

func (call *jqCall) letter(letter rune) bool {
	switch letter {
	case 'c':
		call.style.Indent = ""
	case 'r':
		call.raw = true
	case 'j':
		call.raw, call.join = true, true
	case 'a':
		call.style.ASCII = true
	case 'n':
		call.null = true
	case 's':
		call.slurp = true
	case 'R':
		call.rawInput = true
	case 'S':
		call.style.Sort = true
	case 'e':
		call.status = true
	case 'M', 'C':
	case 'f':
		call.fromFile = true
	default:
		return false
	}
	return true
}

// readValues returns all JSON texts of a stream.
func readValues(r io.Reader) ([]any, error) {
	d := jq.NewDecoder(r)
	list := []any{}
	for {
		v, err := d.Next()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
}

// jqInput reads the inputs, one file after the other, of which the texts go on from one to the next.
type jqInput struct {
	call    *jqCall
	files   []string
	at      int
	file    string // the name of the file that is read
	open    io.Closer
	decoder *jq.Decoder
	ended   bool // all was read
	failed  bool // a file could not be read
}

func (in *jqInput) name() any {
	if in.file == "" {
		return "<stdin>"
	}
	return in.file
}

// where says where the input that is processed came from.
func (in *jqInput) where() string {
	if in.decoder == nil || in.ended {
		return "<unknown>"
	}
	name := in.file
	if name == "" {
		name = "<stdin>"
	}
	if in.call.rawInput {
		return name + ":0"
	}
	return name + ":" + strconv.Itoa(in.decoder.Lines)
}

// Read reads from the files, as if they were one.
func (in *jqInput) Read(data []byte) (int, error) {
	c := in.call.c
	if len(in.files) == 0 {
		return c.Stdin.Read(data)
	}
	for {
		if in.open == nil {
			if in.at == len(in.files) {
				return 0, io.EOF
			}
			name := in.files[in.at]
			in.at++
			file, err := c.Input(name)
			if err == nil && name != "-" {
				var info fs.FileInfo
				if info, err = c.Stat(name); err == nil && info.IsDir() {
					_ = file.Close()
					fmt.Fprintf(c.Stderr, "jq: error: Input error: %s: It's a directory\n", name)
					in.failed = true
					continue
				}
			}
			if err != nil {
				fmt.Fprintf(c.Stderr, "jq: error: Could not open file %s: %s\n", name, command.Text(err))
				in.failed = true
				continue
			}
			in.open, in.file = file, name
			if in.decoder != nil {
				in.decoder.Lines = 0
			}
		}
		n, err := in.open.(io.Reader).Read(data)
		if n > 0 {
			return n, nil
		}
		if err != nil {
			_ = in.open.Close()
			in.open = nil
		}
	}
}

// next returns the next input.
func (in *jqInput) next() (any, error) {
	if in.decoder == nil {
		in.decoder = jq.NewDecoder(in)
	}
	if in.call.slurp {
		if in.ended {
			return nil, io.EOF
		}
		in.ended = true
		if in.call.rawInput {
			data, err := io.ReadAll(in)
			return string(data), err
		}
		list := []any{}
		for {
			v, err := in.decoder.Next()
			if err == io.EOF {
				return list, nil
			}
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
	}
	if in.call.rawInput {
		line, err := in.decoder.Line()
		if err != nil {
			return nil, err
		}
		return line, nil
	}
	v, err := in.decoder.Next()
	in.ended = err == io.EOF
	return v, err
}
