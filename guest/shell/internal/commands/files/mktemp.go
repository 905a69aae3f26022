package files

import (
	"crypto/rand"
	"os"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var mktemp = &command.Command{
	Name:     "mktemp",
	Operands: "[OPTION]... [TEMPLATE]",
	Summary: "Create a temporary file or directory, safely, and print its name. TEMPLATE must contain at least 3 " +
		"consecutive 'X's\n" +
		"in last component.",
	Options: []command.Option{
		{Short: 'd', Long: "directory", Help: "create a directory, not a file"},
		{Short: 'u', Long: "dry-run", Help: "do not create anything; merely print a name"},
		{Short: 'q', Long: "quiet", Help: "suppress diagnostics about file/dir-creation failure"},
		{Long: "suffix", Arg: "SUFF", Help: "append SUFF to TEMPLATE"},
		{Short: 'p', Long: "tmpdir", Arg: "DIR", Help: "interpret TEMPLATE relative to DIR"},
		{Short: 't', Help: "interpret TEMPLATE as a single file name component, relative\nto a directory"},
	},
	Run: runMktemp,
}

func runMktemp(c *command.Context) int {
	template, dir := "tmp.XXXXXXXXXX", "/tmp"
	if value := c.Getenv("TMPDIR"); value != "" {
		dir = value
	}
	switch len(c.Args) {
	case 0:
	case 1:
		template = c.Args[0]
		if !c.Has("t") && !c.Has("tmpdir") {
			dir = ""
		}
	default:
		return c.Usage("too many templates")
	}
	if value, ok := c.Value("tmpdir"); ok && value != "" {
		dir = value
	}
	suffix, _ := c.Value("suffix")
	if suffix == "" {
		if i := strings.LastIndexByte(template, 'X'); i >= 0 {
			template, suffix = template[:i+1], template[i+1:]
		}
	}
	stem := strings.TrimRight(template, "X")
	count := len(template) - len(stem)
	if count < 3 {
		c.Errorf("too few X's in template %s", command.QuoteText(template+suffix))
		return 1
	}
	if dir != "" {
		stem = join(dir, stem)
	}
	for range 100 {
		name := stem + random(count) + suffix
		var err error
		switch {
		case c.Has("dry-run"):
		case c.Has("directory"):
			err = c.Mkdir(name, 0o700)
		default:
			var file command.File
			if file, err = c.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err == nil {
				_ = file.Close()
			}
		}
		if err == nil {
			_, _ = c.Stdout.Write([]byte(name + "\n"))
			return 0
		}
		if text := command.Text(err); text != "File exists" {
			if !c.Has("quiet") {
				kind := "file"
				if c.Has("directory") {
					kind = "directory"
				}
				c.Errorf("failed to create %s via template %s: %s", kind,
					command.QuoteText(stem+strings.Repeat("X", count)+suffix), text)
			}
			return 1
		}
	}
	return 1
}

// random returns random letters and digits.
func random(n int) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	b := make([]byte, n)
	_, _ = rand.Read(b)
	for i := range b {
		b[i] = letters[int(b[i])%len(letters)]
	}
	return string(b)
}
