// Package lines has the commands that arrange lines: they put them together, take them apart and lay them out.
package lines

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

// Commands are the commands of this package, by their names.
var Commands = []*command.Command{
	column,
	comm,
	csplit,
	expand,
	fmtCommand,
	fold,
	join,
	nl,
	paste,
	rev,
	shuf,
	split,
	tac,
	unexpand,
}

// zeroTerminated is the option -z, and separator what it makes lines end with.
var zeroTerminated = command.Option{
	Short: 'z', Long: "zero-terminated", Help: "line delimiter is NUL, not newline",
}

func separator(c *command.Context) byte {
	if c.Has(zeroTerminated.Long) {
		return 0
	}
	return '\n'
}

// number reads the number of an option that must not be less than least or more than most. It reports others.
func number(c *command.Context, what, value string, least, most int64) (int64, bool) {
	n, err := strconv.ParseInt(value, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		c.Errorf("invalid %s: %s: %s", what, command.QuoteText(value), command.ErrTooLarge)
	case err != nil:
		c.Errorf("invalid %s: %s", what, command.QuoteText(value))
	case n < least || n > most:
		c.Errorf("invalid %s: %s: Numerical result out of range", what, command.QuoteText(value))
	default:
		return n, true
	}
	return 0, false
}

// listWords divides a list by commas and blanks.
func listWords(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
}

// A reader reads the lines of a file one by one.
type reader struct {
	in        *bufio.Reader
	separator byte
	err       error
	close     func() error
}

// open opens the operands of a command for reading line by line. All that are "-" are one stream. Close them with the
// function, also after an error, which is that of the file whose name is returned.
func open(c *command.Context, names []string) (readers []*reader, closeAll func(), failed string, err error) {
	var standard *reader
	closeAll = func() {
		for _, r := range readers {
			_ = r.close()
		}
	}
	for _, name := range names {
		if name == "-" && standard != nil {
			readers = append(readers, standard)
			continue
		}
		in, err := c.Input(name)
		if err != nil {
			return readers, closeAll, name, err
		}
		r := &reader{in: bufio.NewReaderSize(in, 32<<10), separator: separator(c), close: in.Close}
		if name == "-" {
			standard = r
		}
		readers = append(readers, r)
	}
	return readers, closeAll, "", nil
}

// next returns the next line without its end, in memory of its own. After the last one, or an error, it returns false.
func (r *reader) next() ([]byte, bool) {
	if r.err != nil {
		return nil, false
	}
	line, err := r.in.ReadBytes(r.separator)
	if err != nil {
		r.err = err
		return line, len(line) > 0
	}
	return bytes.TrimSuffix(line, []byte{r.separator}), true
}

// failure returns the error that has ended a file before its end.
func (r *reader) failure() error {
	if r.err == io.EOF {
		return nil
	}
	return r.err
}
