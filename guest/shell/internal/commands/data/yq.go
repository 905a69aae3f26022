package data

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
	"github.com/toolrun/toolrun/guest/shell/internal/jq"
)

var yqCommand = &command.Command{
	Name: "yq", Operands: "[eval|eval-all] [OPTION]... [EXPRESSION] [FILE]...",
	Summary: "Apply a filter to YAML, JSON, TOML, XML, CSV or TSV, and print the result in the same format.",
	Options: []command.Option{
		{Short: 'i', Long: "inplace", Help: "update the file in place"},
		{Short: 'o', Long: "output-format", Arg: "FORMAT", Help: "yaml, json, toml, xml, csv, tsv or props"},
		{Short: 'p', Long: "input-format", Arg: "FORMAT", Help: "the default is that of the file's name, or yaml"},
		{Short: 'j', Long: "tojson", Help: "same as -o json"},
		{Short: 'P', Long: "prettyPrint", Help: "print in block style (always so here)"},
		{Short: 'r', Long: "unwrapScalar", Help: "print scalars without quotes (the default)"},
		{Short: 'n', Long: "null-input", Help: "don't read input"},
		{Short: 'e', Long: "exit-status", Help: "fail if there are no results, or null or false is returned"},
		{Short: 'I', Long: "indent", Arg: "N", Help: "the indent of the output (default 2)"},
		{Short: 'N', Long: "no-doc", Help: "don't print document separators (---)"},
		{Short: 'c', Long: "compact", Help: "JSON on one line, as -I 0"},
		{Short: 's', Long: "slurp", Help: "all documents are one array"},
		{Long: "from-file", Arg: "FILE", Help: "read the expression from a file"},
		{Long: "xml-attribute-prefix", Arg: "PREFIX", Help: "the default is +@"},
		{Long: "xml-content-name", Arg: "NAME", Help: "the default is +content"},
		{Short: 'C', Long: "colors"}, {Short: 'M', Long: "no-colors"}, {Short: 'v', Long: "verbose"},
	},
	Notes: "Expressions are those of jq, with env(NAME), strenv(NAME), to_json, from_json and to_yaml. Comments, " +
		"anchors\n" +
		"and the style of texts are not kept.",
	Run: runYQ,
}

var (
	envCall = regexp.MustCompile(`\b(str)?env\((\w+)\)`)
	yqNames = strings.NewReplacer("to_json", "tojson", "from_json", "fromjson", "@yaml", "to_yaml")
)

func runYQ(c *command.Context) int {
	// "-o=json" is "-o json".
	for i := range c.Given {
		c.Given[i].Value = strings.TrimPrefix(c.Given[i].Value, "=")
	}
	args := c.Args
	all := c.Has("slurp")
	if len(args) > 0 {
		switch args[0] {
		case "e", "eval":
			args = args[1:]
		case "ea", "eval-all":
			args, all = args[1:], true
		}
	}
	expression := "."
	if name, ok := c.Value("from-file"); ok {
		data, err := c.ReadFile(name)
		if err != nil {
			return yqError(c, "open "+name+": "+strings.ToLower(command.Text(err)))
		}
		expression = string(data)
	} else if len(args) > 0 {
		// A single operand that is a file is read.
		_, err := c.Stat(args[0])
		if err != nil || len(args) > 1 || args[0] == "." {
			expression, args = args[0], args[1:]
		}
	}
	expression = yqNames.Replace(envCall.ReplaceAllStringFunc(expression, func(s string) string {
		parts := envCall.FindStringSubmatch(s)
		if parts[1] != "" {
			return "($ENV." + parts[2] + ")"
		}
		return "($ENV." + parts[2] + " | (fromjson? // .))"
	}))
	program, err := jq.Compile(expression, nil)
	if err != nil {
		return yqError(c, err.Error())
	}
	y := &yqRun{c: c, program: program, attribute: "+@", content: "+content", indent: 2}
	if s, ok := c.Value("xml-attribute-prefix"); ok {
		y.attribute = s
	}
	if s, ok := c.Value("xml-content-name"); ok {
		y.content = s
	}
	if s, ok := c.Value("indent"); ok {
		if y.indent, err = strconv.Atoi(s); err != nil || y.indent < 0 || y.indent > 9 {
			return yqError(c, "invalid argument \""+s+"\" for \"-I, --indent\" flag")
		}
	}
	if c.Has("compact") {
		y.indent = 0
	}
	y.to, _ = c.Value("output-format")
	if c.Has("tojson") {
		y.to = "json"
	}
	if c.Has("null-input") {
		return y.finish(c.Stdout, y.run([]any{nil}, "yaml"))
	}
	if len(args) == 0 {
		args = []string{"-"}
	}
	var merged []any
	from := ""
	for _, name := range args {
		values, format, err := y.read(name)
		if err != nil {
			return yqError(c, err.Error())
		}
		if from == "" {
			from = format
		}
		merged = append(merged, values...)
		if all {
			continue
		}
		if c.Has("inplace") {
			if err := y.run(values, format); err != nil {
				return yqError(c, err.Error())
			}
			if err := c.WriteFile(name, y.out.Bytes()); err != nil {
				return yqError(c, name+": "+command.Text(err))
			}
			y.out.Reset()
			y.count = 0
			continue
		}
		if err := y.run(values, format); err != nil {
			return y.finish(c.Stdout, err)
		}
	}
	if all {
		if merged == nil {
			merged = []any{}
		}
		return y.finish(c.Stdout, y.run([]any{merged}, from))
	}
	return y.finish(c.Stdout, nil)
}

func yqError(c *command.Context, text string) int {
	fmt.Fprintf(c.Stderr, "Error: %s\n", text)
	return 1
}

type yqRun struct {
	c                  *command.Context
	program            *jq.Program
	to                 string
	attribute, content string
	indent             int
	out                bytes.Buffer
	count              int
	last               any
}

// finish writes what there is, and returns the exit status.
func (y *yqRun) finish(w io.Writer, err error) int {
	if _, e := w.Write(y.out.Bytes()); e != nil {
		return 1
	}
	if err != nil {
		return yqError(y.c, err.Error())
	}
	if y.c.Has("exit-status") && (y.count == 0 || y.last == nil || y.last == false) && !y.c.Has("inplace") {
		return yqError(y.c, "no matches found")
	}
	return 0
}

// formatOf returns the format that the name of a file says.
func formatOf(name string) string {
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "json", "jsonl", "ndjson":
		return "json"
	case "toml":
		return "toml"
	case "xml":
		return "xml"
	case "csv":
		return "csv"
	case "tsv":
		return "tsv"
	}
	return "yaml"
}

// formatName returns the whole name of a format.
func formatName(s string) string {
	for short, name := range map[string]string{"y": "yaml", "yml": "yaml", "j": "json", "x": "xml", "c": "csv",
		"t": "tsv", "p": "props", "ndjson": "json"} {
		if s == short {
			return name
		}
	}
	return s
}

func (y *yqRun) read(name string) (values []any, format string, err error) {
	in, err := y.c.Input(name)
	if err != nil {
		return nil, "", errors.New("open " + name + ": " + strings.ToLower(command.Text(err)))
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, "", errors.New("read " + name + ": " + strings.ToLower(command.Text(err)))
	}
	format = formatOf(name)
	if f, ok := y.c.Value("input-format"); ok && f != "auto" {
		format = formatName(f)
	}
	switch format {
	case "yaml":
		values, err = decodeYAML(data)
	case "json":
		values, err = readValues(bytes.NewReader(data))
	case "toml":
		values, err = decodeTOML(data)
	case "xml":
		values, err = y.decodeXML(data)
	case "csv", "tsv":
		separator := ','
		if format == "tsv" {
			separator = '\t'
		}
		values, err = decodeCSV(data, separator)
	default:
		return nil, "", fmt.Errorf("unknown format '%s' please use [yaml|json|xml|csv|tsv|toml]", format)
	}
	if err != nil {
		return nil, "", fmt.Errorf("bad file '%s': %w", name, err)
	}
	return values, format, nil
}

// run runs the expression for documents.
func (y *yqRun) run(values []any, from string) error {
	to := from
	if y.to != "" && y.to != "auto" {
		to = formatName(y.to)
	}
	at := 0
	options := &jq.Options{
		Input: func() (any, error) {
			if at >= len(values) {
				return nil, io.EOF
			}
			at++
			return values[at-1], nil
		},
		Env: func() *jq.Object {
			o := &jq.Object{}
			for _, variable := range y.c.Env.List() {
				name, value, _ := strings.Cut(variable, "=")
				o.Put(name, value)
			}
			return o
		},
		Lookup: y.c.Getenv, Stderr: y.c.Stderr, File: func() any { return nil }, Line: func() int { return 0 },
		Tick: func() error {
			runtime.Gosched()
			return y.c.Context().Err()
		},
	}
	for at < len(values) {
		at++
		document := y.count
		err := y.program.Run(values[at-1], options, func(v any) error {
			// Documents are separated, and so are results that are not scalars.
			if y.count > 0 && to == "yaml" && !y.c.Has("no-doc") && document == y.count {
				y.out.WriteString("---\n")
			}
			y.count++
			y.last = v
			return y.write(v, to)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (y *yqRun) write(v any, to string) error {
	switch to {
	case "yaml":
		if s, ok := v.(string); ok {
			y.out.WriteString(s + "\n")
			return nil
		}
		data, err := encodeYAML(v, max(2, y.indent))
		y.out.Write(data)
		return err
	case "json":
		y.out.Write(append(jq.Style{Indent: strings.Repeat(" ", y.indent)}.Append(nil, v), '\n'))
	case "toml":
		if s, ok := v.(string); ok {
			y.out.WriteString(s + "\n")
			return nil
		}
		return encodeTOML(&y.out, v)
	case "xml":
		return y.encodeXML(v)
	case "csv":
		return encodeCSV(&y.out, v, ',')
	case "tsv":
		return encodeCSV(&y.out, v, '\t')
	case "props":
		encodeProps(&y.out, "", v)
	default:
		return fmt.Errorf("unknown format '%s' please use [yaml|json|props|xml|csv|tsv|toml]", to)
	}
	return nil
}
