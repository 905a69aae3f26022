package text

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var cat = &command.Command{
	Name:     "cat",
	Operands: "[OPTION]... [FILE]...",
	Summary:  "Concatenate FILEs to standard output. With no FILE, or when it is -, read standard input.",
	Options: []command.Option{
		{Short: 'A', Long: "show-all", Help: "equivalent to -vET"},
		{Short: 'b', Long: "number-nonblank", Help: "number nonempty output lines, overrides -n"},
		{Short: 'e', Help: "equivalent to -vE"},
		{Short: 'E', Long: "show-ends", Help: "display $ at end of each line"},
		{Short: 'n', Long: "number", Help: "number all output lines"},
		{Short: 's', Long: "squeeze-blank", Help: "suppress repeated empty output lines"},
		{Short: 't', Help: "equivalent to -vT"},
		{Short: 'T', Long: "show-tabs", Help: "display TAB characters as ^I"},
		{Short: 'u', Help: "(ignored)"},
		{Short: 'v', Long: "show-nonprinting", Help: "use ^ and M- notation, except for LFD and TAB"},
	},
	Run: runCat,
}

func runCat(c *command.Context) int {
	all := c.Has("show-all")
	p := catPrinter{
		number: c.Has("number"), nonblank: c.Has("number-nonblank"), squeeze: c.Has("squeeze-blank"),
		ends: all || c.Has("show-ends") || c.Has("e"), tabs: all || c.Has("show-tabs") || c.Has("t"),
		visible: all || c.Has("show-nonprinting") || c.Has("e") || c.Has("t"),
	}
	if p == (catPrinter{}) {
		return command.Status(c.EachInput(func(_ string, r io.Reader) error {
			if isOutput(c, r) {
				return errors.New("input file is output file")
			}
			_, err := io.Copy(struct{ io.Writer }{c.Stdout}, struct{ io.Reader }{r})
			return err
		}))
	}
	out := c.Output()
	p.begin = true
	ok := c.EachInput(func(_ string, r io.Reader) error {
		return command.Lines(r, '\n', func(line []byte) bool {
			p.line(out, line)
			return true
		})
	})
	if err := out.Flush(); err != nil {
		c.Errorf("write error: %s", command.Text(err))
		return 1
	}
	return command.Status(ok)
}

// isOutput tells whether what is read is the file to which standard output goes, so that there is never an end of it.
func isOutput(c *command.Context, r io.Reader) bool {
	type file interface{ Stat() (fs.FileInfo, error) }
	in, isFile := r.(file)
	out, ok := c.Stdout.(file)
	if !ok || !isFile {
		return false
	}
	from, err := in.Stat()
	to, err2 := out.Stat()
	return err == nil && err2 == nil && from.Mode().IsRegular() && from.Size() > 0 && os.SameFile(from, to)
}

type catPrinter struct {
	number, nonblank, squeeze, ends, tabs, visible bool

	count int
	blank bool // the last line was empty
	begin bool // this is at the beginning of a line
}

func (p *catPrinter) line(out io.Writer, line []byte) {
	text, ended := bytes.CutSuffix(line, []byte("\n"))
	blank := len(text) == 0 && p.begin
	if blank && p.blank && p.squeeze {
		return
	}
	p.blank = blank
	if p.begin && (p.number && !p.nonblank || p.nonblank && !blank) {
		p.count++
		fmt.Fprintf(out, "%6d\t", p.count)
	}
	if p.visible || p.tabs {
		text = p.show(text)
	}
	_, _ = out.Write(text)
	if p.begin = ended; ended {
		if p.ends {
			_, _ = io.WriteString(out, "$")
		}
		_, _ = io.WriteString(out, "\n")
	}
}

func (p *catPrinter) show(text []byte) []byte {
	var b []byte
	for _, c := range text {
		if c == '\t' {
			if p.tabs {
				b = append(b, "^I"...)
			} else {
				b = append(b, c)
			}
			continue
		}
		if !p.visible {
			b = append(b, c)
			continue
		}
		if c >= 128 {
			b = append(b, "M-"...)
			c -= 128
		}
		switch {
		case c < 32:
			b = append(b, '^', c+64)
		case c == 127:
			b = append(b, "^?"...)
		default:
			b = append(b, c)
		}
	}
	return b
}
