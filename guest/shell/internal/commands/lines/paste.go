package lines

import (
	"io"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var paste = &command.Command{
	Name:     "paste",
	Operands: "[OPTION]... [FILE]...",
	Summary: "Write lines consisting of the sequentially corresponding lines from each FILE,\n" +
		"separated by TABs. With no FILE, or when it is -, read standard input.",
	Options: []command.Option{
		{Short: 'd', Long: "delimiters", Arg: "LIST", Help: "reuse characters from LIST instead of TABs"},
		{Short: 's', Long: "serial", Help: "paste one file at a time instead of in parallel"},
		zeroTerminated,
	},
	Run: runPaste,
}

func runPaste(c *command.Context) int {
	list, given := c.Value("delimiters")
	if !given {
		list = "\t"
	}
	delimiters, ok := delimiterList(list)
	if !ok {
		c.Errorf("delimiter list ends with an unescaped backslash: %s", list)
		return 1
	}
	names := c.Inputs()
	out := c.Output()
	if c.Has("serial") {
		ok = pasteSerial(c, out, names, delimiters)
	} else {
		ok = pasteParallel(c, out, names, delimiters)
	}
	return command.Status(out.Flush() == nil && ok)
}

// delimiterList reads a list of delimiters, of which one can be empty.
func delimiterList(list string) (delimiters []string, ok bool) {
	for i := 0; i < len(list); i++ {
		delimiter := list[i : i+1]
		if list[i] == '\\' {
			if i++; i == len(list) {
				return nil, false
			}
			if delimiter = list[i : i+1]; delimiter == "0" {
				delimiter = ""
			} else if at := strings.Index("bfnrtv", delimiter); at >= 0 {
				delimiter = "\b\f\n\r\t\v"[at : at+1]
			}
		}
		delimiters = append(delimiters, delimiter)
	}
	if len(delimiters) == 0 {
		delimiters = []string{""}
	}
	return delimiters, true
}

func pasteParallel(c *command.Context, out io.Writer, names, delimiters []string) bool {
	readers, closeAll, failed, err := open(c, names)
	defer closeAll()
	if err != nil {
		c.FileError(failed, err)
		return false
	}
	var row []byte
	for {
		row = row[:0]
		some := false
		for i, r := range readers {
			if i > 0 {
				row = append(row, delimiters[(i-1)%len(delimiters)]...)
			}
			line, ok := r.next()
			row = append(row, line...)
			some = some || ok
		}
		if !some {
			break
		}
		_, _ = out.Write(append(row, separator(c)))
	}
	ok := true
	for i, r := range readers {
		if err := r.failure(); err != nil {
			c.FileError(names[i], err)
			ok = false
		}
	}
	return ok
}

func pasteSerial(c *command.Context, out io.Writer, names, delimiters []string) bool {
	ok := true
	for _, name := range names {
		readers, closeAll, _, err := open(c, []string{name})
		if err == nil {
			for i := 0; ; i++ {
				line, more := readers[0].next()
				if !more {
					break
				}
				if i > 0 {
					_, _ = io.WriteString(out, delimiters[(i-1)%len(delimiters)])
				}
				_, _ = out.Write(line)
			}
			_, _ = out.Write([]byte{separator(c)})
			err = readers[0].failure()
		}
		closeAll()
		if err != nil {
			c.FileError(name, err)
			ok = false
		}
	}
	return ok
}
