package text

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var tr = &command.Command{
	Name:     "tr",
	Operands: "[OPTION]... STRING1 [STRING2]",
	Summary:  "Translate, squeeze, and/or delete characters from standard input, writing to standard output.",
	Options: []command.Option{
		{Short: 'c', Long: "complement", Help: "use the complement of STRING1"},
		{Short: 'C', Help: "the same as -c"},
		{Short: 'd', Long: "delete", Help: "delete characters in STRING1, do not translate"},
		{Short: 's', Long: "squeeze-repeats", Help: "replace each sequence of a repeated character that is " +
			"listed\nin the last specified STRING, with a single occurrence"},
		{Short: 't', Long: "truncate-set1", Help: "first truncate STRING1 to length of STRING2"},
	},
	StopAtOperand: true,
	Notes:         "Characters are bytes, as in GNU's tr.",
	Run:           runTr,
}

func runTr(c *command.Context) int {
	remove, squeeze := c.Has("delete"), c.Has("squeeze-repeats")
	inverse := c.Has("complement") || c.Has("C")
	switch n := len(c.Args); {
	case n == 0:
		return c.Missing()
	case n == 1 && remove == squeeze:
		if remove {
			c.Errorf("missing operand after %s", command.QuoteText(c.Args[0]))
			return trHint(c, "Two strings must be given when both deleting and squeezing repeats.")
		}
		c.Errorf("missing operand after %s", command.QuoteText(c.Args[0]))
		return trHint(c, "Two strings must be given when translating.")
	case n > 2 || n == 2 && remove && !squeeze:
		c.Errorf("extra operand %s", command.QuoteText(c.Args[len(c.Args)-1]))
		if n == 2 {
			return trHint(c, "Only one string may be given when deleting without squeezing repeats.")
		}
		return trHint(c, "")
	}
	set1, err := trSet(c.Args[0], -1)
	if err != nil {
		c.Errorf("%s", err.Error())
		return 1
	}
	if inverse {
		set1 = invert(set1)
	}
	var set2 []byte
	if len(c.Args) == 2 {
		if set2, err = trSet(c.Args[1], len(set1)); err != nil {
			c.Errorf("%s", err.Error())
			return 1
		}
	}
	translate := len(c.Args) == 2 && !remove
	if translate {
		if len(set2) == 0 {
			if c.Has("truncate-set1") {
				set1 = nil
			} else if len(set1) > 0 {
				c.Errorf("when not truncating set1, string2 must be non-empty")
				return 1
			}
		}
		if c.Has("truncate-set1") {
			set1 = set1[:min(len(set1), len(set2))]
		}
	}
	var table [256]byte
	var gone, once [256]bool
	for i := range table {
		table[i] = byte(i)
	}
	if translate {
		for i, b := range set1 {
			table[b] = set2[min(i, len(set2)-1)]
		}
	}
	if remove {
		for _, b := range set1 {
			gone[b] = true
		}
	}
	if squeeze {
		last := set1
		if len(c.Args) == 2 {
			last = set2
		}
		for _, b := range last {
			once[b] = true
		}
	}
	buffer := make([]byte, 32<<10)
	before := -1
	for {
		n, err := c.Stdin.Read(buffer)
		out := buffer[:n]
		if translate {
			for i, b := range out {
				out[i] = table[b]
			}
		}
		if remove || squeeze {
			kept := out[:0]
			for _, b := range out {
				if !gone[b] && !(once[b] && before == int(b)) {
					before = int(b)
					kept = append(kept, b)
				}
			}
			out = kept
		}
		if len(out) > 0 {
			if _, err := c.Stdout.Write(out); err != nil {
				c.Errorf("write error: %s", command.Text(err))
				return 1
			}
		}
		if err == io.EOF {
			return 0
		}
		if err != nil {
			c.Errorf("read error: %s", command.Text(err))
			return 1
		}
	}
}

// trHint ends an error about operands.
func trHint(c *command.Context, text string) int {
	if text != "" {
		text += "\n"
	}
	_, _ = io.WriteString(c.Stderr, text+"Try 'tr --help' for more information.\n")
	return 1
}

func invert(set []byte) []byte {
	var out []byte
	for i := range 256 {
		if !slices.Contains(set, byte(i)) {
			out = append(out, byte(i))
		}
	}
	return out
}

var trClasses = map[string]func(byte) bool{
	"alpha": isAlpha, "digit": isDigit, "alnum": func(c byte) bool { return isAlpha(c) || isDigit(c) },
	"upper": func(c byte) bool { return c >= 'A' && c <= 'Z' }, "lower": func(c byte) bool {
		return c >= 'a' &&
			c <= 'z'
	},
	"space": func(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' },
	"blank": func(c byte) bool { return c == ' ' || c == '\t' },
	"punct": func(c byte) bool { return c > ' ' && c < 0x7f && !isAlpha(c) && !isDigit(c) },
	"cntrl": func(c byte) bool { return c < ' ' || c == 0x7f }, "print": func(c byte) bool {
		return c >= ' ' &&
			c < 0x7f
	},
	"graph": func(c byte) bool { return c > ' ' && c < 0x7f },
	"xdigit": func(c byte) bool {
		return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
	},
}

func isAlpha(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// trSet reads a set. The second one is made as long as the first one by what [c*] says.
func trSet(s string, length int) ([]byte, error) {
	var set []byte
	fill, fillAt := byte(0), -1
	// char reads a character, and returns how much of the text that was.
	char := func(s string) (byte, int) {
		if s[0] != '\\' || len(s) == 1 {
			return s[0], 1
		}
		if i := strings.IndexByte("abfnrtv\\", s[1]); i >= 0 {
			return "\a\b\f\n\r\t\v\\"[i], 2
		}
		if s[1] >= '0' && s[1] <= '7' {
			end := 2
			for end < len(s) && end < 4 && s[end] >= '0' && s[end] <= '7' {
				end++
			}
			n, err := strconv.ParseUint(s[1:end], 8, 8)
			if err != nil {
				end--
				n, _ = strconv.ParseUint(s[1:end], 8, 8)
			}
			return byte(n), end
		}
		return s[1], 2
	}
	for s != "" {
		if strings.HasPrefix(s, "[:") {
			if end := strings.Index(s, ":]"); end > 1 {
				class, ok := trClasses[s[2:end]]
				if !ok {
					return nil, errors.New("invalid character class " + command.QuoteText(s[2:end]))
				}
				for i := range 256 {
					if class(byte(i)) {
						set = append(set, byte(i))
					}
				}
				s = s[end+2:]
				continue
			}
		}
		if strings.HasPrefix(s, "[=") && len(s) > 4 && s[3:5] == "=]" {
			set = append(set, s[2])
			s = s[5:]
			continue
		}
		if s[0] == '[' && len(s) > 3 {
			b, size := char(s[1:])
			rest := s[1+size:]
			if end := strings.IndexByte(rest, ']'); strings.HasPrefix(rest, "*") && end > 0 {
				count := rest[1:end]
				base := 10
				if strings.HasPrefix(count, "0") {
					base = 8
				}
				n, err := strconv.ParseInt("0"+count, base, 32)
				if err == nil {
					if n == 0 && length >= 0 {
						fill, fillAt = b, len(set)
					}
					for range min(n, 1<<16) {
						set = append(set, b)
					}
					s = rest[end+1:]
					continue
				}
			}
		}
		low, size := char(s)
		text := s[:size]
		s = s[size:]
		if len(s) > 1 && s[0] == '-' {
			high, size := char(s[1:])
			if high < low {
				return nil, errors.New("range-endpoints of " + command.Quote(text+s[:1+size]) +
					" are in reverse collating sequence order")
			}
			s = s[1+size:]
			for b := int(low); b <= int(high); b++ {
				set = append(set, byte(b))
			}
			continue
		}
		set = append(set, low)
	}
	if fillAt >= 0 && len(set) < length {
		set = slices.Insert(set, fillAt, []byte(strings.Repeat(string([]byte{fill}), length-len(set)))...)
	}
	return set, nil
}
