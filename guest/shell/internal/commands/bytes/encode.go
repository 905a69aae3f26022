package bytes

import (
	"bufio"
	"bytes"
	"encoding/base32"
	"encoding/base64"
	"io"
	"strconv"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

// An encoding is base64 or base32.
type encoding struct {
	encoder func(io.Writer) io.WriteCloser
	// decode decodes a group of digits, with "=" for those that are missing. digits is how many a group has.
	decode  func(to, digits []byte) (int, error)
	digits  int
	letters string
}

var base64Command = encodingCommand("base64", encoding{
	encoder: func(w io.Writer) io.WriteCloser { return base64.NewEncoder(base64.StdEncoding, w) },
	decode:  base64.StdEncoding.Decode,
	digits:  4,
	letters: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
})

var base32Command = encodingCommand("base32", encoding{
	encoder: func(w io.Writer) io.WriteCloser { return base32.NewEncoder(base32.StdEncoding, w) },
	decode:  base32.StdEncoding.Decode,
	digits:  8,
	letters: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
})

func encodingCommand(name string, e encoding) *command.Command {
	return &command.Command{
		Name:     name,
		Operands: "[OPTION]... [FILE]",
		Summary:  "Encode or decode FILE, or standard input, to standard output, by " + name + "\nof RFC 4648.",
		Options: []command.Option{
			{Short: 'd', Long: "decode", Help: "decode data"},
			{Short: 'i', Long: "ignore-garbage", Help: "when decoding, ignore non-alphabet characters"},
			{Short: 'w', Long: "wrap", Arg: "COLS", Help: "wrap encoded lines after COLS character (default\n" +
				"76). Use 0 to disable line wrapping"},
		},
		Run: e.run,
	}
}

func (e encoding) run(c *command.Context) int {
	wrap := 76
	if value, ok := c.Value("wrap"); ok {
		n, err := strconv.ParseUint(value, 10, 63)
		if n == 0 && err != nil || value == "" {
			c.Errorf("invalid wrap size: %s", command.QuoteText(value))
			return 1
		}
		wrap = int(n)
	}
	if len(c.Args) > 1 {
		return c.Extra(c.Args[1])
	}
	name := "-"
	if len(c.Args) > 0 {
		name = c.Args[0]
	}
	in, err := c.Input(name)
	if err != nil {
		c.FileError(name, err)
		return 1
	}
	defer in.Close()
	out := c.Output()
	valid := true
	if c.Has("decode") {
		valid, err = e.decodeAll(out, in, c.Has("ignore-garbage"))
	} else {
		lines := &wrapper{out: out, width: wrap}
		encoder := e.encoder(lines)
		_, err = io.Copy(encoder, in)
		_ = encoder.Close()
		if lines.column > 0 && wrap > 0 {
			_ = out.WriteByte('\n')
		}
	}
	if out.Flush() != nil {
		return 1
	}
	switch {
	case err != nil:
		c.Errorf("read error: %s", command.Text(err))
	case !valid:
		c.Errorf("invalid input")
	}
	return command.Status(err == nil && valid)
}

// decodeAll decodes groups of digits. It returns false at what is not one, after it has written what could be decoded.
func (e encoding) decodeAll(w io.Writer, in io.Reader, lenient bool) (valid bool, err error) {
	r := bufio.NewReaderSize(in, 32<<10)
	group, decoded := make([]byte, 0, e.digits), make([]byte, e.digits)
	for {
		b, err := r.ReadByte()
		if err != nil && err != io.EOF {
			return false, err
		}
		if err == io.EOF && len(group) == 0 {
			return true, nil
		}
		if err == nil {
			if b == '\n' || lenient && b != '=' && bytes.IndexByte([]byte(e.letters), b) < 0 {
				continue
			}
			if group = append(group, b); len(group) < e.digits {
				continue
			}
		}
		n, failure := e.decode(decoded, group)
		if failure == nil && len(group) == e.digits {
			_, _ = w.Write(decoded[:n])
			group = group[:0]
			continue
		}
		if len(group) == e.digits || e.digits == 4 {
			_, _ = w.Write(decoded[:e.beginning(decoded, group)])
		}
		return false, nil
	}
}

// beginning decodes the digits before the first one that is none, and returns how many bytes they are.
func (e encoding) beginning(to, group []byte) int {
	padded := bytes.Repeat([]byte("="), e.digits)
	for i, b := range group {
		if bytes.IndexByte([]byte(e.letters), b) < 0 {
			break
		}
		padded[i] = b
	}
	digits := len(bytes.TrimRight(padded, "="))
	bits := 6
	if e.digits == 8 {
		bits = 5
	}
	whole := digits * bits / 8
	for ; digits < e.digits; digits++ {
		padded[digits] = 'A'
	}
	_, _ = e.decode(to, padded)
	return whole
}

// A wrapper ends lines after some characters.
type wrapper struct {
	out           *bufio.Writer
	width, column int
}

func (w *wrapper) Write(p []byte) (int, error) {
	if w.width == 0 {
		return w.out.Write(p)
	}
	for rest := p; len(rest) > 0; {
		n := min(len(rest), w.width-w.column)
		_, _ = w.out.Write(rest[:n])
		rest = rest[n:]
		if w.column += n; w.column == w.width {
			_ = w.out.WriteByte('\n')
			w.column = 0
		}
	}
	return len(p), nil
}
