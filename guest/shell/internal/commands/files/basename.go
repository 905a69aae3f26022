package files

import (
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var basename = &command.Command{
	Name:     "basename",
	Operands: "NAME [SUFFIX]\n  or:  basename OPTION... NAME...",
	Summary:  "Print NAME with any leading directory components removed. If specified, also remove a trailing SUFFIX.",
	Options: []command.Option{
		{Short: 'a', Long: "multiple", Help: "support multiple arguments and treat each as a NAME"},
		{Short: 's', Long: "suffix", Arg: "SUFFIX", Help: "remove a trailing SUFFIX; implies -a"},
		{Short: 'z', Long: "zero", Help: "end each output line with NUL, not newline"},
	},
	Run: runBasename,
}

func runBasename(c *command.Context) int {
	suffix, many := c.Value("suffix")
	many = many || c.Has("multiple")
	names := c.Args
	switch {
	case len(names) == 0:
		return c.Missing()
	case !many && len(names) > 2:
		return c.Extra(names[2])
	case !many && len(names) == 2:
		suffix, names = names[1], names[:1]
	}
	out := c.Output()
	for _, name := range names {
		base := baseName(name)
		if cut := strings.TrimSuffix(base, suffix); cut != "" {
			base = cut
		}
		_, _ = out.WriteString(base + lineEnd(c))
	}
	return command.Status(out.Flush() == nil)
}

// lineEnd ends a line, or what -z makes of it.
func lineEnd(c *command.Context) string {
	if c.Has("zero") {
		return "\x00"
	}
	return "\n"
}

// baseName returns the last part of a path, and dirName what is before it.
func baseName(name string) string {
	trimmed := strings.TrimRight(name, "/")
	if trimmed == "" && name != "" {
		return "/"
	}
	return trimmed[strings.LastIndexByte(trimmed, '/')+1:]
}

func dirName(name string) string {
	trimmed := strings.TrimRight(name, "/")
	i := strings.LastIndexByte(trimmed, '/')
	switch {
	case trimmed == "" && name != "":
		return "/"
	case i < 0:
		return "."
	}
	if dir := strings.TrimRight(trimmed[:i], "/"); dir != "" {
		return dir
	}
	return "/"
}

var dirname = &command.Command{
	Name:     "dirname",
	Operands: "[OPTION] NAME...",
	Summary: "Output each NAME with its last non-slash component and trailing slashes removed; if NAME contains no " +
		"/'s, output\n" +
		"'.' (meaning the current directory).",
	Options: []command.Option{{Short: 'z', Long: "zero", Help: "end each output line with NUL, not newline"}},
	Run: func(c *command.Context) int {
		if len(c.Args) == 0 {
			return c.Missing()
		}
		out := c.Output()
		for _, name := range c.Args {
			_, _ = out.WriteString(dirName(name) + lineEnd(c))
		}
		return command.Status(out.Flush() == nil)
	},
}
