// Package sed has the command sed.
package sed

import (
	"io"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

// Commands are the commands of this package.
var Commands = []*command.Command{
	{
		Name:     "sed",
		Operands: "[OPTION]... {script-only-if-no-other-script} [input-file]...",
		Summary:  "Edit the lines of each input file, or of standard input, as the script says.",
		Options: []command.Option{
			{Short: 'n', Long: "quiet", Help: "suppress automatic printing of pattern space"},
			{Long: "silent"},
			{Short: 'e', Long: "expression", Arg: "SCRIPT", Help: "add the script to the commands to be executed"},
			{Short: 'f', Long: "file", Arg: "SCRIPT-FILE", Help: "add the contents of script-file to the commands"},
			{Short: 'E', Long: "regexp-extended", Help: "use extended regular expressions in the script"},
			{Short: 'r'},
			{Short: 'i', Long: "in-place", Arg: "SUFFIX", Optional: true,
				Help: "edit files in place (makes backup if SUFFIX supplied)"},
			{Short: 'l', Long: "line-length", Arg: "N",
				Help: "specify the desired line-wrap length for the `l' command"},
			{Short: 's', Long: "separate", Help: "consider files as separate rather than as a single stream"},
			{Short: 'u', Long: "unbuffered"}, {Long: "posix"}, {Long: "debug"}, {Long: "sandbox"},
			{Short: 'b', Long: "binary"},
			{Long: "follow-symlinks"},
			{Short: 'z', Long: "null-data", Help: "separate lines by NUL characters"},
		},
		Notes: "The command e, and the flag e of s, are not there.",
		Run:   run,
	},
}

func run(c *command.Context) int {
	p := &parser{extended: c.Has("regexp-extended") || c.Has("r"), labels: map[string]int{}}
	given := false
	quiet := c.Has("quiet") || c.Has("silent")
	for _, g := range c.Given {
		var text, source string
		switch g.Name {
		case "expression":
			p.expressions++
			text, source = g.Value, "-e expression #"+itoa(p.expressions)
		case "file":
			in, err := c.Input(g.Value)
			var data []byte
			if err == nil {
				data, err = io.ReadAll(in)
				_ = in.Close()
			}
			if err != nil {
				c.Errorf("couldn't open file %s: %s", g.Value, command.Text(err))
				return 1
			}
			text, source = strings.TrimSuffix(string(data), "\n"), "file "+g.Value
			if strings.HasPrefix(text, "#n\n") {
				quiet = true
			}
		default:
			continue
		}
		given = true
		if failure := p.parse(text, source); failure != "" {
			c.Errorf("%s", failure)
			return 1
		}
	}
	files := c.Args
	if !given {
		if len(files) == 0 {
			_, _ = io.WriteString(c.Stderr, "Usage: sed [OPTION]... {script-only-if-no-other-script} [input-file]...\n")
			return 1
		}
		p.expressions++
		if strings.HasPrefix(files[0], "#n\n") {
			quiet = true
		}
		if failure := p.parse(files[0], "-e expression #1"); failure != "" {
			c.Errorf("%s", failure)
			return 1
		}
		files = files[1:]
	}
	if failure := p.finish(); failure != "" {
		c.Errorf("%s", failure)
		if strings.HasPrefix(failure, "can't") {
			return 4
		}
		return 1
	}
	if len(files) == 0 {
		if c.Has("in-place") {
			c.Errorf("no input files")
			return 4
		}
		files = []string{"-"}
	}
	e := &editor{c: c, program: p.program, quiet: quiet, files: files, separator: '\n', wrap: 70}
	if c.Has("null-data") {
		e.separator = 0
	}
	if n, ok := c.Value("line-length"); ok {
		e.wrap = atoi(n)
	}
	e.suffix, e.inPlace = c.Value("in-place")
	e.separate = e.inPlace || c.Has("separate")
	return e.run()
}
