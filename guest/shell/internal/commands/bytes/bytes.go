// Package bytes has the commands that show, encode, sum up and copy bytes.
package bytes

import (
	"io"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

// Commands are the commands of this package, by their names.
var Commands = []*command.Command{
	b2sum,
	base32Command,
	base64Command,
	cksum,
	cmp,
	dd,
	hexdump,
	md5sum,
	od,
	sha1sum,
	sha224sum,
	sha256sum,
	sha384sum,
	sha512sum,
	stringsCommand,
	sum,
	truncate,
	xxd,
}

// size reads a number of bytes as od and cmp have it: decimal, octal after 0 or hexadecimal after 0x, with a suffix.
func size(s string) (int64, error) {
	base := 10
	digits := "0123456789"
	if rest, ok := strings.CutPrefix(strings.ToLower(s), "0x"); ok && rest != "" {
		s, base, digits = rest, 16, "0123456789abcdef"
	} else if len(s) > 1 && s[0] == '0' {
		base, digits = 8, "01234567"
	}
	if base == 10 {
		return command.ParseSize(s)
	}
	n, i := int64(0), 0
	for ; i < len(s); i++ {
		digit := strings.IndexByte(digits, s[i])
		if digit < 0 {
			break
		}
		if n > (1<<63-1-int64(digit))/int64(base) {
			return 0, command.ErrTooLarge
		}
		n = n*int64(base) + int64(digit)
	}
	if i == len(s) {
		return n, nil
	}
	factor, err := command.ParseSize("1" + s[i:])
	if err == nil && n > 0 && factor > (1<<63-1)/n {
		err = command.ErrTooLarge
	}
	return n * factor, err
}

// concatenated reads the operands one after another. What cannot be opened or read is reported, and left out.
type concatenated struct {
	c     *command.Context
	names []string
	in    io.ReadCloser
	name  string
	ok    bool
	read  int // how many could be opened
}

func concatenate(c *command.Context, names []string) *concatenated {
	if len(names) == 0 {
		names = []string{"-"}
	}
	return &concatenated{c: c, names: names, ok: true}
}

// Read reads. It opens the first file that can be opened also if there is no room for its bytes.
func (r *concatenated) Read(p []byte) (int, error) {
	for {
		if r.in == nil {
			if len(r.names) == 0 {
				return 0, io.EOF
			}
			r.name, r.names = r.names[0], r.names[1:]
			in, err := r.c.Input(r.name)
			if err != nil {
				r.fail(err)
				continue
			}
			r.in = in
			r.read++
		}
		if len(p) == 0 {
			return 0, nil
		}
		n, err := r.in.Read(p)
		if err != nil && err != io.EOF {
			r.fail(err)
		}
		if err != nil {
			_ = r.in.Close()
			r.in = nil
		}
		if n > 0 {
			return n, nil
		}
	}
}

func (r *concatenated) fail(err error) {
	r.c.FileError(r.name, err)
	r.ok = false
}
